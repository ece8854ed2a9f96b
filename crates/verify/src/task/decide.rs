//! Single questions about a network.

use std::path::PathBuf;

use surefoot_files::replace;
use surefoot_network::ReadOptions;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::{Class, Outcome, Told};
use crate::certify::Certifying;
use crate::decide::counterexample::result_file;
use crate::decide::{Answered, NetworkSource, Queries, Settings, branch_and_bound, decide_all};
use crate::problem::{Failure, notice};
use crate::result::ResultObject;
use crate::source::Source;

/// Which questions, about which network.
#[derive(Debug, Clone)]
pub struct Deciding {
    /// The queries.
    pub query: Source,
    /// The network.
    pub network: NetworkSource,
    /// How its file is read.
    pub options: ReadOptions,
    /// What may be spent on each query.
    pub settings: Settings,
    /// The file that the answer to a VNN-LIB property is written to, with its counterexample.
    pub witness: Option<PathBuf>,
    /// Whether a certificate of the answers `unsat` is wanted.
    pub certifying: Certifying,
}

impl Deciding {
    /// The files that it names to be read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.query.file().into_iter().chain(self.network.network.file())
    }

    pub(super) fn load(&self, sources: &mut SourceMap) -> Result<Queries, Failure> {
        let queries = Queries::load(sources, &self.query, &self.network, &self.options)?;
        if self.witness.is_some() && queries.property.is_none() {
            let error = Diagnostic::error_anywhere(format!("{} is for VNN-LIB properties", option("witness")));
            return Err(error.with_help(format!("the result object has the states: {} FILE", option("json"))).into());
        }
        Ok(queries)
    }

    pub(super) fn run(
        &self,
        queries: Queries,
        result: ResultObject,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let answers = decide_all(&queries.queries, &self.settings, &branch_and_bound(seed), reporter)?;
        let notes = self.write_witness(&queries, &answers)?;
        let stated = self.options.activation.is_none();
        let (certified, mut warnings) = self.certifying.certify_unsat(&queries, stated, &answers, &self.settings)?;
        warnings.extend(certified.warning);
        let result = ResultObject {
            certificate: certified.record,
            no_certificate: certified.missing,
            ..result.answered(&queries, &answers)
        };
        let class = if answers.iter().all(Answered::is_decided) { Class::Done } else { Class::Unknown };
        let told = Told::Answered(Box::new(queries), answers);
        Ok(Outcome { class, result, told, problem: None, last: (Vec::new(), None), notes, warnings })
    }

    /// Writes the file for other tools, if one is asked for; says where its state is rounded.
    fn write_witness(&self, queries: &Queries, answers: &[Answered]) -> Result<Vec<Diagnostic>, Failure> {
        let mut notes = Vec::new();
        let (Some(path), Some(property)) = (&self.witness, &queries.property) else { return Ok(notes) };
        for (query, answer) in queries.queries.iter().zip(answers) {
            let file = result_file(property, &query.question, answer);
            let cannot = |error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display()));
            replace(path, |out| out.write_all(file.text.as_bytes())).map_err(cannot)?;
            if !file.exact {
                let shown = path.display();
                let message = format!("the state in {shown} is rounded, and satisfies the property only before that");
                notes.push(notice(message));
            }
        }
        Ok(notes)
    }
}
