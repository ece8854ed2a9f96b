//! A proof: tokens, and the formulas that they add to those of the certificate.

use surefoot_certificate::token::Token;
use surefoot_checker::formula::{Atom, Formula};
use surefoot_checker::rules::Workspace;
use surefoot_limits::Stop;

/// The proof of one tree.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Formulas that were added for it, in order behind those that were there.
    pub added: Vec<Formula>,
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// A limit was met.
    #[error("{}", limit(*.0))]
    Limit(Stop),
    /// Nothing more can be split: the invariant is none, or the rules do not reach it.
    #[error("{0}")]
    Open(String),
}

/// A limit in words.
fn limit(stop: Stop) -> String {
    match stop {
        Stop::Time => "the time limit was reached".to_owned(),
        Stop::Memory => "the memory limit was reached".to_owned(),
        Stop::Interrupted => "it was interrupted".to_owned(),
        Stop::Most(..) | Stop::Tie | Stop::Narrow | Stop::Solver(..) => "a limit was reached".to_owned(),
    }
}

/// The number of an atom's formula, added if it is new.
///
/// # Errors
/// Where there are too many.
pub(crate) fn formula_of(atom: &Atom, first: usize, ws: &mut Workspace) -> Result<u32, Stuck> {
    // Few are added for one tree.
    for id in first..ws.formulas.len() {
        let id = u32::try_from(id).map_err(|_| Stuck::Open("too many formulas".to_owned()))?;
        if matches!(ws.formulas.get(id), Ok(Formula::Atom(known)) if known == atom) {
            return Ok(id);
        }
    }
    ws.formulas.push(Formula::Atom(atom.clone())).map_err(Stuck::Open)
}
