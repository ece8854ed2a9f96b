//! Linear refutations: known inequalities that contradict each other in a box, or that contradict the choice of an output.
//!
//! An exact linear program over the slots that occur either has a point, or gives multipliers (Farkas) with which the inequalities add up to something negative.

use surefoot_certificate::token::Multiple;
use surefoot_checker::formula::{Atom, Formula};
use surefoot_checker::network::Row;
use surefoot_checker::node::Node;
use surefoot_linear::{Atom as Inequality, Linear, Symbol};
use surefoot_lp::{Feasibility, Program};
use surefoot_num::Rational;

use crate::proof::Stuck;
use crate::search::Search;

/// With more inequalities no program is solved.
const MOST_ROWS: usize = 64;

impl Search<'_, '_> {
    /// The inequalities that are known, each with the formula that tells it.
    fn known(&mut self, node: &Node) -> Result<Vec<(u32, Atom)>, Stuck> {
        let mut found = Vec::new();
        for (formula, truth) in &node.told {
            let Ok(atom) = self.ws.formulas.atom(*formula) else { continue };
            if *truth {
                found.push((*formula, atom));
            } else if let Some(negated) = atom.negated() {
                found.push((self.negation(*formula)?, negated));
            }
        }
        Ok(found)
    }

    /// The number of a formula's negation, added if it is new.
    fn negation(&mut self, formula: u32) -> Result<u32, Stuck> {
        let count = u32::try_from(self.ws.formulas.len()).map_err(|_| Stuck::Open("too many formulas".to_owned()))?;
        let is_it = |id: &u32| matches!(self.ws.formulas.get(*id), Ok(Formula::Not(part)) if *part == formula);
        match (0..count).rev().find(is_it) {
            Some(id) => Ok(id),
            None => self.ws.formulas.push(Formula::Not(formula)).map_err(Stuck::Open),
        }
    }

    /// Multipliers with which known inequalities refute a node.
    pub(crate) fn refuted(&mut self, node: &Node) -> Result<Option<Vec<Multiple>>, Stuck> {
        if node.atoms.iter().filter(|atom| atom.terms.len() > 1).count() == 0 || node.told.len() > MOST_ROWS {
            return Ok(None);
        }
        let known = self.known(node)?;
        Ok(multipliers(node, &known, None).map(|(sum, _)| sum))
    }

    /// Multipliers with which known inequalities and the row of an output refute that it is chosen.
    pub(crate) fn excluded(&mut self, node: &Node, slots: &[u32], row: &Row) -> Result<Option<Vec<Multiple>>, Stuck> {
        if node.atoms.is_empty() || node.told.len() > MOST_ROWS {
            return Ok(None);
        }
        let known = self.known(node)?;
        let exact = |value: f64| Rational::from_f64(value);
        let Some(constant) = exact(row.constant + row.slack + self.ws.margin * row.size) else { return Ok(None) };
        let terms: Option<Vec<(u32, Rational)>> =
            slots.iter().zip(&row.coefficients).map(|(slot, a)| Some((*slot, exact(*a)?))).collect();
        let Some(terms) = terms else { return Ok(None) };
        let Some((sum, of_row)) = multipliers(node, &known, Some(&(terms, constant))) else { return Ok(None) };
        // The row counts once.
        let scaled = |(formula, factor): Multiple| Some((formula, factor.checked_div(&of_row)?));
        Ok(if of_row.is_zero() { None } else { sum.into_iter().map(scaled).collect() })
    }
}

/// A row over slots: coefficients and a constant.
type SlotRow = (Vec<(u32, Rational)>, Rational);

/// Multipliers of inequalities that contradict each other, and that of one more row, if there is one.
fn multipliers(node: &Node, known: &[(u32, Atom)], row: Option<&SlotRow>) -> Option<(Vec<Multiple>, Rational)> {
    let mut slots: Vec<u32> = known.iter().flat_map(|(_, atom)| atom.terms.iter().map(|(slot, _)| *slot)).collect();
    slots.extend(row.iter().flat_map(|(terms, _)| terms.iter().map(|(slot, _)| *slot)));
    slots.sort_unstable();
    slots.dedup();
    let symbol = |slot: &u32| Symbol::at(slots.binary_search(slot).unwrap_or_default());
    let bounds = slots.iter().map(|slot| {
        let (lower, upper) = node.bounds[*slot as usize];
        (Rational::from(lower), Rational::from(upper))
    });
    let inequality = |(_, atom): &(u32, Atom)| {
        let terms = atom.terms.iter().map(|(slot, a)| (symbol(slot), Rational::from(*a))).collect();
        Inequality::at_least_zero(Linear::new(terms, atom.constant.into()))
    };
    let mut rows: Vec<Inequality> = known.iter().map(inequality).collect();
    rows.extend(row.iter().map(|(terms, constant)| {
        let terms = terms.iter().map(|(slot, a)| (symbol(slot), a.clone())).collect();
        Inequality::at_least_zero(Linear::new(terms, constant.clone()))
    }));
    let Feasibility::Infeasible(found) = (Program { bounds: bounds.collect(), rows }).solve() else { return None };
    if found.is_empty() {
        return None;
    }
    let of_row = if row.is_some() { found.last()?.clone() } else { Rational::ZERO };
    let used = known.iter().zip(found).filter(|(_, factor)| factor.signum() > 0);
    Some((used.map(|((formula, _), factor)| (*formula, factor)).collect(), of_row))
}
