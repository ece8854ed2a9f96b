//! Single questions about a network.

use std::path::{Path, PathBuf};

use surefoot_files::replace;
use surefoot_network::ReadOptions;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;
use surefoot_vnnlib::Property;

use super::{Class, Outcome, Told};
use crate::certify::Certifying;
use crate::decide::counterexample::{Assigned, assigned, result_file, tensor_files};
use crate::decide::{Answered, NetworkSource, Queries, Settings, branch_and_bound, decide_all};
use crate::problem::{Failure, notice};
use crate::result::ResultObject;
use crate::source::Source;

/// Which questions, about which network.
#[derive(Debug, Clone)]
pub struct Deciding {
    /// The queries.
    pub query: Source,
    /// The networks.
    pub networks: Vec<NetworkSource>,
    /// How its file is read.
    pub options: ReadOptions,
    /// What may be spent on each query.
    pub settings: Settings,
    /// The file that the answer to a VNN-LIB property is written to, with its counterexample.
    pub witness: Option<PathBuf>,
    /// A folder for the state of the answer to a VNN-LIB property: an ONNX tensor in a file for each input and output.
    pub tensors: Option<PathBuf>,
    /// Whether the state is told in the form that goes with the property's version.
    pub assigns: bool,
    /// Whether a certificate of the answers `unsat` is wanted.
    pub certifying: Certifying,
}

impl Deciding {
    /// The files that it names to be read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.query.file().into_iter().chain(self.networks.iter().filter_map(|source| source.network.file()))
    }

    pub(super) fn load(&self, sources: &mut SourceMap) -> Result<Queries, Failure> {
        let queries = Queries::load(sources, &self.query, &self.networks, &self.options)?;
        if self.tensors.is_some() && queries.property.as_ref().is_none_or(|p| p.names.networks().is_empty()) {
            let message = format!("{} is for VNN-LIB 2.0", option("serialise-assignments"));
            return Err(Diagnostic::error_anywhere(message).with_help("leave it out").into());
        }
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
        let solver = branch_and_bound(seed, self.settings.threads_for_one(queries.queries.len()));
        let answers = decide_all(&queries.queries, &self.settings, &solver, reporter)?;
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
        let Some(property) = &queries.property else { return Ok(notes) };
        for (query, answer) in queries.queries.iter().zip(answers) {
            let assigned = assigned(query, answer);
            if let Some(path) = &self.witness {
                let text = result_file(property, answer, assigned.as_ref());
                replace(path, |out| out.write_all(text.as_bytes())).map_err(|error| cannot(path, &error))?;
            }
            if let (Some(folder), Some(assigned)) = (&self.tensors, &assigned) {
                write_tensors(folder, property, assigned)?;
            }
            let wanted = self.assigns || self.tensors.is_some() || self.witness.is_some();
            if let Some(note) = assigned.filter(|_| wanted).and_then(|assigned| assigned.note()) {
                let place = self.witness.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
                notes.push(notice(format!("the state{place} {note}: {}", answer.line())));
            }
        }
        Ok(notes)
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display()))
}

/// Writes an ONNX tensor for each input and output of the property.
fn write_tensors(folder: &Path, property: &Property, assigned: &Assigned) -> Result<(), Diagnostic> {
    std::fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    for (name, bytes) in tensor_files(property, assigned) {
        let path = folder.join(name).with_extension("pb");
        replace(&path, |out| out.write_all(&bytes)).map_err(|error| cannot(&path, &error))?;
    }
    Ok(())
}
