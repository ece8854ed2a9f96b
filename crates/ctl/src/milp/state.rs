//! Symbolic states: per slot a form over the program's variables, and bounds that hold in every solution.
//!
//! A state has symbols of its own: first the slots, then the outputs of the networks that may be asked in it. Conditions,
//! guards and updates are formulas over these, and become rows when their symbols are replaced by forms.
//!
//! Invariant: the bounds in the space follow from the program: they are those of its variables, or interval arithmetic over rows that
//! are in it. What is assumed is in it as rows.

use surefoot_linear::{Formula, Interval, Linear, Region, Space, Symbol, SymbolRange};
use surefoot_num::Rational;

/// A state among those of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateId(pub(super) usize);

/// A network that may be asked in a state.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// Where it is asked, over the slots.
    pub(super) asked: Formula,
    /// The symbol of its first output.
    pub(super) first: Symbol,
    /// Which output is certainly larger than which other.
    pub(super) ahead: Vec<Vec<bool>>,
}

impl View {
    /// `output a - output b` as a form over the state's symbols.
    pub(super) fn difference(&self, a: usize, b: usize) -> Linear {
        &Linear::symbol(self.first.plus(a)) - &Linear::symbol(self.first.plus(b))
    }
}

/// A state.
#[derive(Debug, Clone)]
pub(super) struct Symbolic {
    /// What the symbols stand for.
    pub(super) forms: Vec<Linear>,
    /// Their bounds.
    pub(super) space: Space,
    /// What holds besides.
    pub(super) assumed: Vec<Formula>,
    /// The networks that may be asked, once they are needed.
    pub(super) views: Option<Vec<View>>,
}

impl Symbolic {
    /// A state with given forms and bounds of its slots.
    pub(super) fn new(slots: Vec<(Linear, SymbolRange)>) -> Self {
        let mut space = Space::default();
        let mut forms = Vec::with_capacity(slots.len());
        for (form, range) in slots {
            space.push(range);
            forms.push(form);
        }
        Self { forms, space, assumed: Vec::new(), views: None }
    }

    /// What is known of the symbols.
    pub(super) fn region(&self) -> Region<'_> {
        let mut region = Region::new(&self.space);
        for formula in &self.assumed {
            // A contradiction is noticed when something is assumed; it is not made here.
            let _ = region.assume(formula);
        }
        region
    }

    /// Adds what holds from now on; `false` if nothing is left.
    pub(super) fn assume(&mut self, formula: &Formula) -> bool {
        if formula.is_truth() {
            return true;
        }
        let mut region = self.region();
        if !region.assume(formula) {
            return false;
        }
        let mut space = Space::default();
        for symbol in Symbol::first(self.space.len()) {
            space.push(SymbolRange {
                integer: self.space.symbol(symbol).integer,
                bounds: region.bounds(symbol).clone(),
            });
        }
        drop(region);
        self.space = space;
        self.assumed.push(formula.clone());
        true
    }

    /// A formula over the state's symbols as one over variables, without what the bounds decide.
    pub(super) fn over_variables(&self, formula: &Formula) -> Formula {
        let formula = self.space.normal(&self.region().simplify(formula));
        formula.substitute(&|symbol| Some(self.forms[symbol.index()].clone()))
    }

    /// A form over the state's symbols as one over variables.
    pub(super) fn form_over_variables(&self, form: &Linear) -> Linear {
        form.substitute(&|symbol| Some(self.forms[symbol.index()].clone()))
    }
}

/// The values of a symbol within two numbers, whole where it is an integer.
pub(super) fn within(integer: bool, interval: &Interval) -> Option<(Rational, Rational)> {
    let (lower, upper) = interval.ends()?;
    let (lower, upper) = if integer { (lower.ceil(), upper.floor()) } else { (lower.clone(), upper.clone()) };
    (lower <= upper).then_some((lower, upper))
}
