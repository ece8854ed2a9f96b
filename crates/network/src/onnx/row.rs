//! Rows: the linear part of affine expressions, over variables.
//!
//! All rows of one product with a matrix share the list of the variables that the matrix is applied to, so that a row of a sparse
//! matrix takes as much memory as it has entries. What a row *is over* are all variables of its list, those with a factor of
//! zero too: it decides at which depth a neuron stands, so that the layers of a file stay its layers.

use std::rc::Rc;

use super::signal::VarId;

/// The linear part of an affine expression; variables are distinct.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) vars: Rc<[VarId]>,
    pub(crate) coefficients: Coefficients,
}

/// The factors of a row.
#[derive(Debug, PartialEq)]
pub(crate) enum Coefficients {
    /// One per variable.
    Dense(Vec<f64>),
    /// Those that are not zero, with the places of their variables, which increase.
    Sparse(Vec<(u32, f64)>),
}

impl Row {
    /// A row with one factor per variable.
    pub(crate) fn dense(vars: Rc<[VarId]>, coefficients: Vec<f64>) -> Self {
        debug_assert_eq!(vars.len(), coefficients.len(), "one factor per variable");
        Self { vars, coefficients: Coefficients::Dense(coefficients) }
    }

    /// A variable with a factor, or no variable at all.
    pub(crate) fn single(var: Option<VarId>, factor: f64) -> Self {
        let vars: Rc<[VarId]> = var.into_iter().collect();
        let coefficients = vec![factor; vars.len()];
        Self::dense(vars, coefficients)
    }

    /// How many factors are kept.
    pub(crate) fn len(&self) -> usize {
        match &self.coefficients {
            Coefficients::Dense(all) => all.len(),
            Coefficients::Sparse(terms) => terms.len(),
        }
    }

    /// Variables with the factors that are kept.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (VarId, f64)> + '_ {
        let (all, few) = match &self.coefficients {
            Coefficients::Dense(all) => (&all[..], &[][..]),
            Coefficients::Sparse(terms) => (&[][..], &terms[..]),
        };
        let few = few.iter().map(|(place, factor)| (self.vars[*place as usize], *factor));
        self.vars.iter().copied().zip(all.iter().copied()).chain(few)
    }

    /// The only variable and its factor, where there is just one.
    pub(crate) fn only(&self) -> Option<(VarId, f64)> {
        match (&*self.vars, &self.coefficients) {
            ([var], Coefficients::Dense(factors)) => Some((*var, factors[0])),
            _ => None,
        }
    }

    /// The row with other factors in place of those that are kept; what `change` makes of zero is zero.
    pub(crate) fn mapped<E>(&self, mut change: impl FnMut(f64) -> Result<f64, E>) -> Result<Self, E> {
        let coefficients = match &self.coefficients {
            Coefficients::Dense(all) => {
                Coefficients::Dense(all.iter().map(|factor| change(*factor)).collect::<Result<_, _>>()?)
            }
            Coefficients::Sparse(terms) => {
                let term = |(place, factor): &(u32, f64)| Ok((*place, change(*factor)?));
                Coefficients::Sparse(terms.iter().map(term).collect::<Result<_, E>>()?)
            }
        };
        Ok(Self { vars: self.vars.clone(), coefficients })
    }

    /// Which list of variables it is over: rows with the same one share it.
    pub(crate) fn list(&self) -> usize {
        self.vars.as_ptr().addr()
    }
}
