//! Certificates that were judged.

use crate::problem::Problem;
use crate::result::body::About;
use crate::result::certificate::Certified;
use crate::result::{Body, ResultObject, Subject};
use crate::task::certify::Opinion;

impl ResultObject {
    /// The opinion of a certificate.
    #[must_use]
    pub fn certified(self, problem: &Problem, claim: &str, opinion: &Opinion) -> Self {
        let accepted = opinion.as_ref().ok();
        let found = Certified {
            accepted: accepted.is_some(),
            claim: claim.to_owned(),
            shows: accepted.map(|accepted| accepted.says.clone()),
            confirmed: accepted.and_then(|accepted| accepted.confirmed.clone()),
            regions: accepted.map(|accepted| accepted.regions),
            states: accepted.map(|accepted| accepted.states),
            raw_bytes: accepted.map(|accepted| accepted.raw_bytes),
        };
        let about = About { subject: Subject::of(problem), found: Some(found) };
        let assumptions = accepted.map_or_else(Vec::new, |accepted| accepted.assumptions.clone());
        Self {
            reason: opinion.as_ref().err().cloned(),
            body: Some(Body::Certified(Box::new(about))),
            ..self.by("checker").assuming(assumptions)
        }
    }
}
