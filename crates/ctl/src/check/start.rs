//! The pieces to begin with: boxes around the start set.
//!
//! Variables that a start condition fixes are constants; the others are parameters, which must be bounded. What the condition says
//! besides is decided on pieces like everything else, so boxes need not be exact.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_linear::{Atom, Formula, Linear, Region, Relation, Symbol};
use surefoot_num::Rational;
use surefoot_symbolic::Condition;
use surefoot_text::diagnostic::Diagnostic;

use crate::explore::Image;
use crate::explore::image::Shared;
use crate::region::{Piece, Stopped};
use crate::system::System;

/// A box of start states.
#[derive(Debug, Clone)]
pub struct Root {
    /// The slots that the parameters are the initial values of.
    pub slots: Vec<Symbol>,
    /// The start state.
    pub image: Shared,
    /// What a start state satisfies; nothing where all are.
    pub condition: Option<Condition>,
    /// The box.
    pub piece: Piece,
}

/// The boxes of a system's start set; none if it is seen to be empty.
///
/// # Errors
/// A start set that is not bounded.
pub fn roots(system: &System<'_>) -> Result<Vec<Root>, Diagnostic> {
    let mut roots = Vec::new();
    for condition in &system.start().conditions {
        // Disjuncts have tighter boxes than the whole.
        let parts: Vec<Formula> = match &condition.holds {
            Formula::Any(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        for holds in parts {
            let part = Condition { holds, defined: condition.defined.clone() };
            roots.extend(boxed(system, &part)?);
        }
    }
    let mut seen = FxHashSet::default();
    for state in &system.start().states {
        if seen.insert(state) {
            let piece = Piece::new(Vec::new(), Arc::new([])).expect("a box without parameters has a point");
            roots.push(Root { slots: Vec::new(), image: Arc::new(Image::of(state)), condition: None, piece });
        }
    }
    Ok(roots)
}

fn boxed(system: &System<'_>, condition: &Condition) -> Result<Option<Root>, Diagnostic> {
    let (model, space) = (system.model(), system.space());
    let mut region = Region::new(space);
    if !region.assume(&condition.holds) {
        return Ok(None);
    }
    let (mut slots, mut bounds, mut integer, mut forms) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for slot in Symbol::first(model.slots.len()) {
        match region.bounds(slot).ends() {
            Some((lower, upper)) if lower == upper => forms.push(Linear::constant_form(lower.clone())),
            Some((lower, upper)) => {
                forms.push(Linear::symbol(Symbol::at(slots.len())));
                slots.push(slot);
                bounds.push((lower.clone(), upper.clone()));
                integer.push(space.symbol(slot).integer);
            }
            None => {
                let name = &model.slots[slot.index()].name;
                let message =
                    format!("the start set is not bounded: nothing keeps the initial value of '{name}' in bounds");
                let help = "give the variable bounds or an initial value, or bound it in the start condition";
                return Err(Diagnostic::error_anywhere(message).with_help(help));
            }
        }
    }
    let Some(piece) = Piece::new(bounds, integer.into()) else { return Ok(None) };
    let image = Arc::new(Image::new(forms));
    Ok(Some(Root { slots, image, condition: Some(condition.clone()), piece }))
}

impl Root {
    /// The root's piece with what its condition says in single constraints; `None` if nothing is left.
    ///
    /// # Errors
    /// [`Stopped`] at a limit.
    pub fn narrowed(&self, limits: &surefoot_oracle::Limits) -> Result<Option<Piece>, Stopped> {
        let mut piece = self.piece.clone();
        let parts: &[Formula] = match self.condition.as_ref().map(|condition| &condition.holds) {
            Some(Formula::All(parts)) => parts,
            Some(atom @ Formula::Atom(_)) => std::slice::from_ref(atom),
            _ => &[],
        };
        for part in parts {
            let Formula::Atom(atom) = part else { continue };
            // Symbols that are no slots are values that the policy computes.
            let known = |s: Symbol| self.image.forms().get(s.index()).cloned();
            if atom.relation == Relation::NonZero || atom.form.terms().iter().any(|(s, _)| known(*s).is_none()) {
                continue;
            }
            let form = atom.form.substitute(&known);
            match piece.with(&Atom { form, relation: atom.relation }, limits)? {
                Some(part) => piece = part,
                None => return Ok(None),
            }
        }
        Ok(Some(piece))
    }

    /// A constraint over parameters as one over the slots.
    #[must_use]
    pub fn over_slots(&self, atom: &Atom) -> Atom {
        let form = atom.form.substitute(&|s| Some(Linear::symbol(self.slots[s.index()])));
        Atom { form, relation: atom.relation }
    }

    /// What a piece of the root says, over the slots.
    #[must_use]
    pub fn describe(&self, piece: &Piece) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let bound =
            |slot: Symbol, a: Rational, c: Rational, relation| Atom { form: Linear::new(vec![(slot, a)], c), relation };
        for (slot, (lower, upper)) in self.slots.iter().zip(piece.bounds()) {
            if lower == upper {
                atoms.push(bound(*slot, Rational::ONE, -lower, Relation::Zero));
            } else {
                atoms.push(bound(*slot, Rational::ONE, -lower, Relation::AtLeastZero));
                atoms.push(bound(*slot, -&Rational::ONE, upper.clone(), Relation::AtLeastZero));
            }
        }
        atoms.extend(piece.rows().iter().map(|row| self.over_slots(row)));
        atoms
    }
}
