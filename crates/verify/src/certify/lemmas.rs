//! Certificates of questions about networks that have no answer: written, and checked at once where that is asked for.

use std::path::Path;
use std::time::Instant;

use surefoot_certificate::{CertificateLines, CertificateWriter};
use surefoot_checker::Refused;
use surefoot_checker::lemma::{self, Lemmas};
use surefoot_files::{Inputs, Kind};
use surefoot_limits::Limits;
use surefoot_oracle::Answer;
use surefoot_prove::{Lemmata, write_lemmas};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Document;
use surefoot_text::source::SourceMap;

use super::bounds::refused;
use super::{Certified, Certifying, Uncertified, certified, warning};
use crate::decide::{Answered, Queries, Settings, Used};
use crate::problem::Failure;
use crate::result::certificate::CertificateRecord;
use crate::result::rounded;
use crate::source::Source;

impl Certifying {
    /// Writes a certificate of the queries that were answered `unsat`, and has it checked; with it come warnings about those that it does not have. Each
    /// query has the time that answering it had. `stated`: whether the file of the network states what it is.
    ///
    /// # Errors
    /// [`Failure::Internal`] where the checker rejects what was written.
    pub(crate) fn certify_unsat(
        &self,
        queries: &Queries,
        stated: bool,
        answers: &[Answered],
        settings: &Settings,
    ) -> Result<(Certified, Vec<Diagnostic>), Failure> {
        let mut missing = Vec::new();
        if !self.is_wanted() {
            return Ok((Certified::default(), missing));
        }
        let written = lemmas(queries, stated).and_then(|lemmas| {
            let unsat: Vec<usize> =
                (0..answers.len()).filter(|i| matches!(answers[*i].answer, Answer::Unsat)).collect();
            self.placed(|path| self.written_lemmas(&lemmas, &unsat, settings, path, &mut missing))
        });
        Ok((certified(written)?, missing))
    }

    fn written_lemmas(
        &self,
        lemmas: &Lemmas,
        unsat: &[usize],
        settings: &Settings,
        path: &Path,
        missing: &mut Vec<Diagnostic>,
    ) -> Result<CertificateRecord, Uncertified> {
        let refuse = |why: String| Uncertified::Refused(why);
        if unsat.is_empty() {
            return Err(refuse("no query was answered unsat".to_owned()));
        }
        let (told, left_out): (Vec<usize>, Vec<usize>) =
            unsat.iter().partition(|query| lemmas.question(**query).is_ok());
        let without = |query: usize, why: String| warning(format!("the certificate leaves out query {query}: {why}"));
        missing.extend(left_out.iter().filter_map(|query| Some(without(*query, lemmas.question(*query).err()?))));
        let started = Instant::now();
        let index = lemmas.index("branch-and-bound").map_err(refuse)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.max(1)).build();
        let pool = pool.map_err(|error| refuse(format!("no threads: {error}")))?;
        let limits = || Limits {
            // A time too long for the clock is no limit.
            deadline: settings.time.and_then(|time| Instant::now().checked_add(time)),
            memory: None,
            cancel: settings.cancel.clone(),
        };
        let mut out = CertificateWriter::create(path, &index).map_err(|error| refuse(error.to_string()))?;
        let written = pool.install(|| write_lemmas(lemmas, &told, &limits, &mut out));
        let Lemmata { queries, open, .. } = written.map_err(|error| refuse(error.to_string()))?;
        missing.extend(open.into_iter().map(|(query, why)| without(query, format!("no proof was found: {why}"))));
        if queries.is_empty() {
            return Err(refuse("no query is left that it could be about".to_owned()));
        }
        let size = out.finish(&[queries.len() as u64]).map_err(|error| refuse(error.to_string()))?;
        let seconds_to_write = rounded(started.elapsed().as_secs_f64());
        let started = Instant::now();
        if self.check.is_some() {
            confirm(lemmas, path)?;
        }
        Ok(CertificateRecord {
            file: self.file.as_ref().map(|file| file.display().to_string()),
            bytes: size.bytes,
            raw_bytes: size.raw_bytes,
            regions: 0,
            states: 0,
            seconds_to_write,
            checked: self.check.is_some(),
            seconds_to_check: self.check.is_some().then(|| rounded(started.elapsed().as_secs_f64())),
        })
    }
}

/// The queries, as the checker reads them.
fn lemmas(queries: &Queries, stated: bool) -> Result<Lemmas, Uncertified> {
    if queries.property.is_some() {
        return Err(Uncertified::Refused("there are none for VNN-LIB properties".to_owned()));
    }
    if !stated {
        let why = format!("there are none for networks that need {}", surefoot_text::option("activation"));
        return Err(Uncertified::Refused(why));
    }
    let mut sources = SourceMap::default();
    let source = Source::text("<queries>", std::sync::Arc::clone(&queries.text));
    let file = source.load(&mut sources, Kind::Query).map_err(|error| refused(error.into()))?;
    let document = Document::parse(file, &queries.text).map_err(|error| refused(error.into()))?;
    let [Used { network, .. }] = &queries.networks[..] else {
        return Err(refused(Failure::Internal("queries in JSON are about one network".to_owned())));
    };
    Lemmas::read(&document, std::sync::Arc::clone(network), queries.inputs.clone()).map_err(refused)
}

/// Has a file checked that was just written.
fn confirm(lemmas: &Lemmas, path: &Path) -> Result<(), Uncertified> {
    let read = CertificateLines::open(&mut Inputs::default(), path).and_then(|mut lines| Ok((lines.index()?, lines)));
    let judged = read.map_err(Refused::from).and_then(|(index, lines)| lemma::judge(lemmas, &index, lines));
    judged.map(|_| ()).map_err(|refused| Uncertified::Rejected(refused.to_string()))
}
