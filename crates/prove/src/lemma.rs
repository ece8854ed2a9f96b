//! Certificates of questions about a network: one proof for each that has no answer.

use rayon::prelude::*;
use surefoot_certificate::CertificateWriter;
use surefoot_certificate::token::Token;
use surefoot_checker::lemma::{Lemmas, by_ties};
use surefoot_limits::Limits;

use crate::proof::{Proof, Stuck};
use crate::search::Search;
use crate::write::{BLOCK, Emitter, MARGIN, Unwritten};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lemmata {
    /// The questions that were proved to have no answer.
    pub queries: Vec<usize>,
    /// Those for which no proof was found, and why.
    pub open: Vec<(usize, Stuck)>,
    /// Tokens.
    pub tokens: u64,
}

/// Writes lemmas behind an index, for those of some questions (ascending) that proofs are found for; each search has limits of its own.
///
/// # Errors
/// Why there can be none at all.
pub fn write_lemmas(
    lemmas: &Lemmas,
    queries: &[usize],
    limits: &(dyn Fn() -> Limits + Sync),
    out: &mut CertificateWriter,
) -> Result<Lemmata, Unwritten> {
    let rules = lemmas.rules().map_err(Unwritten::Unsupported)?;
    let known = lemmas.formulas.len();
    let count = u32::try_from(known).map_err(|_| Unwritten::Unsupported("too many formulas".to_owned()))?;
    let mut emitter = Emitter::new(out, count);
    let mut written = Lemmata::default();
    let prove = |query: &usize| -> Result<Proof, Stuck> {
        let question = lemmas.question(*query).map_err(Stuck::Open)?;
        let rules = &rules[by_ties(question.ties)];
        let ws = lemmas.workspace(rules, MARGIN);
        let Some(node) = lemmas.node(*query, rules, &ws).map_err(Stuck::Open)? else {
            return Ok(Proof { tokens: vec![Token::Done], added: Vec::new() });
        };
        Search::new(rules, ws, &|_| None, &limits()).prove(node)
    };
    for block in queries.chunks(BLOCK) {
        let proofs: Vec<Result<Proof, Stuck>> = block.par_iter().map(prove).collect();
        for (query, proof) in block.iter().zip(proofs) {
            match proof {
                Ok(proof) => {
                    emitter.tree(&format!("q {query}"), None, &proof, known)?;
                    written.queries.push(*query);
                }
                Err(why) => written.open.push((*query, why)),
            }
        }
    }
    written.tokens = emitter.tokens;
    Ok(written)
}
