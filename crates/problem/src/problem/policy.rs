//! Who chooses: the policy that is given, or that the property names.

use std::path::Path;

use surefoot_files::Kind;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::read::{inferences, read_policy_named_in, read_policy_source};
use surefoot_model::policy::{NO_FILTER, NO_FILTER_HELP, Outputs, Policy, Ties};
use surefoot_model::property::Question;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::give;
use surefoot_text::option;
use surefoot_text::source::{SourceMap, Span};

use super::{Failure, Problem, assume, notice};
use crate::request::Request;
use crate::source::{PolicySource, note_network};

/// A policy and where it came from.
#[derive(Debug, Clone)]
pub struct LoadedPolicy {
    /// The policy, options applied.
    pub policy: Policy,
    /// Its file, or what it is called in memory.
    pub name: String,
}

/// A policy that is to be read, and where a property names it, if one does.
pub(super) type Wanted = (PolicySource, Option<Span>);

/// The policy that a request gives, or else the question's own.
pub(super) fn wanted(request: &Request, question: Option<&Question>) -> Option<Wanted> {
    match (&request.policy, question) {
        (Some(source), _) => Some((source.clone(), None)),
        (None, Some(Question::Safety(safety))) => {
            safety.policy_file.as_ref().map(|file| (PolicySource::File(file.value.clone()), Some(file.span)))
        }
        (None, _) => None,
    }
}

/// Reads a policy and applies the options; `named_at` is where a property names it.
///
/// # Errors
/// What is wrong with it.
pub fn load_policy(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    source: &PolicySource,
    named_at: Option<Span>,
    request: &Request,
) -> Result<(LoadedPolicy, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut policy, mut notes) = read(lowered, sources, source, named_at)?;
    if let Some(filter) = request.filter {
        if let Outputs::Transients(_) = policy.outputs {
            let filter = option("filter");
            let message =
                format!("{filter} is about action labels, but the outputs of this policy are values of variables");
            return Err(vec![Diagnostic::error_anywhere(message).with_help(format!("leave {filter} out"))]);
        }
        if policy.filter != filter {
            let word = |on| if on { "on" } else { "off" };
            let message =
                format!("the applicability filter is {}; the policy file has it {}", word(filter), word(!filter));
            notes.push(notice(message));
        }
        if filter && !policy.can_filter() {
            return Err(vec![Diagnostic::error_anywhere(NO_FILTER).with_help(NO_FILTER_HELP)]);
        }
        policy.filter = filter;
    }
    if request.plaja_compat {
        policy.ties = Ties::Plaja;
    }
    let name = match source {
        PolicySource::File(path) => path.display().to_string(),
        PolicySource::Text { name, .. } => name.clone(),
    };
    Ok((LoadedPolicy { policy, name }, notes))
}

impl Problem {
    /// Reads another policy over the same model, with the options of the request. What it takes for granted joins the problem's assumptions; what is worth knowing of it comes
    /// with it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn another_policy(
        &mut self,
        sources: &mut SourceMap,
        source: &PolicySource,
        request: &Request,
    ) -> Result<(LoadedPolicy, Vec<Diagnostic>), Failure> {
        let (loaded, notes) = load_policy(&mut self.lowered, sources, source, None, request)?;
        let own = std::iter::once(assume::semantics(&loaded.policy).to_owned()).chain(inferences(&notes));
        for assumption in own {
            if !self.assumptions.contains(&assumption) {
                self.assumptions.push(format!("{}: {assumption}", loaded.name));
            }
        }
        Ok((loaded, notes))
    }
}

fn read(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    source: &PolicySource,
    named_at: Option<Span>,
) -> Result<(Policy, Vec<Diagnostic>), Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    match source {
        PolicySource::File(path) => {
            named_at.map_or(Ok(()), |span| exists(path, span)).map_err(one)?;
            read_policy_named_in(named_at.map(|span| span.file), lowered, sources, path)
        }
        PolicySource::Text { name, text, networks } => {
            let file = give(sources, name, text, Kind::Policy).map_err(one)?;
            networks.iter().try_for_each(|network| note_network(sources, network)).map_err(one)?;
            read_policy_source(lowered, sources, file, networks)
        }
    }
}

fn exists(path: &Path, named_at: Span) -> Result<(), Diagnostic> {
    if path.exists() {
        return Ok(());
    }
    let message = format!("the policy file {} does not exist", path.display());
    Err(Diagnostic::error(named_at, message).with_help(format!("give the policy with {} FILE", option("policy"))))
}

/// That no option is about a policy where there is none.
pub(super) fn check_none(request: &Request) -> Result<(), Diagnostic> {
    if request.filter.is_none() {
        return Ok(());
    }
    let error = Diagnostic::error_anywhere(format!("{} is about a policy, but there is none", option("filter")));
    Err(error.with_help(format!("give one with {} FILE", option("policy"))))
}
