//! Certificates of bounds on probabilities: written, and checked at once where that is asked for.

use std::path::Path;
use std::time::Instant;

use surefoot_checker::probability::{MOST_BYTES, check};
use surefoot_files::{Inputs, Kind};
use surefoot_verdict::Reporter;

use super::{Certified, Certifying, Uncertified, certified};
use crate::bounds::certificate::{WrittenBound, write_bound_certificate};
use crate::bounds::{BoundsOptions, BoundsOutcome};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::result::certificate::CertificateRecord;
use crate::result::rounded;

impl Certifying {
    /// Writes a certificate of bounds, and has it checked.
    ///
    /// # Errors
    /// [`Failure::Internal`] where the checker rejects what was written.
    pub(crate) fn certify_bounds(
        &self,
        problem: &Problem,
        options: &BoundsOptions,
        found: &BoundsOutcome,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Certified, Failure> {
        if !self.is_wanted() {
            return Ok(Certified::default());
        }
        let written = self.placed(|path| {
            let started = Instant::now();
            let written = write_bound_certificate(problem, options, found, budget, path, reporter);
            let WrittenBound { states, bytes, raw_bytes, .. } = written.map_err(refused)?;
            let seconds_to_write = rounded(started.elapsed().as_secs_f64());
            let started = Instant::now();
            if self.check.is_some() {
                confirm(problem, path)?;
            }
            Ok(CertificateRecord {
                file: self.file.as_ref().map(|file| file.display().to_string()),
                bytes,
                raw_bytes,
                regions: 0,
                states: states as u64,
                seconds_to_write,
                checked: self.check.is_some(),
                seconds_to_check: self.check.is_some().then(|| rounded(started.elapsed().as_secs_f64())),
            })
        });
        certified(written)
    }
}

/// Why none could be written, in words.
pub(super) fn refused(failure: Failure) -> Uncertified {
    Uncertified::Refused(match failure {
        Failure::Input(diagnostics) => diagnostics.first().map_or(String::new(), |first| first.message.clone()),
        Failure::Internal(what) => what,
        Failure::Stopped(stop) => format!("{stop}"),
    })
}

/// Has a file checked that was just written.
fn confirm(problem: &Problem, path: &Path) -> Result<(), Uncertified> {
    let rejected = |why: String| Uncertified::Rejected(why);
    let file = Inputs::default().open(path, Kind::Certificate).map_err(|error| rejected(error.to_string()))?;
    check(problem, file, MOST_BYTES).map(|_| ()).map_err(|refused| rejected(refused.to_string()))
}
