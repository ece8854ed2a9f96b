//! What a certificate is about: the index that a problem has, and that it is the one told.
//!
//! The index is made from the checker's own reading of model, policy and property; a writer makes its own the same way. All of it is compared but for what is for
//! people alone: the program, the engine, and names of files (of those the hashes count).

use std::collections::BTreeSet;

use serde::Serialize;
use surefoot_certificate::Members;
use surefoot_certificate::index::{self, Claim, FORMAT, Index, Property, Semantics, Subject, VERSION, Verdict};
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_problem::{Problem, StateNames};

use crate::refused::Refused;
use crate::start::only_start;

/// The index of a claim about a problem.
///
/// # Errors
/// What there are no certificates for, in words.
pub fn index(problem: &Problem, claim: Claim, engine: &str, assume_no_errors: bool) -> Result<Index, String> {
    let Subject { inputs, constants, property, semantics, slots, locations, actions, outputs } =
        subject(problem, assume_no_errors)?;
    Ok(Index {
        format: FORMAT.to_owned(),
        version: VERSION,
        claim,
        verdict: verdict(problem, claim)?,
        tool: tool(),
        engine: engine.to_owned(),
        inputs,
        constants,
        property,
        semantics,
        slots,
        locations,
        actions,
        outputs,
    })
}

/// That all networks of a policy are ones that certificates are about.
///
/// # Errors
/// The first that is not, in words.
pub(crate) fn exact_networks(policy: &Policy) -> Result<(), String> {
    match policy.networks.iter().find(|network| !network.network.is_exact()) {
        Some(network) => Err(format!(
            "certificates are about networks of ReLUs over the reals, and {} is none: leave the certificate out",
            network.file
        )),
        None => Ok(()),
    }
}

/// The program that writes.
#[must_use]
pub fn tool() -> String {
    format!("surefoot {}", env!("CARGO_PKG_VERSION"))
}

/// What certificates about a problem are about.
///
/// # Errors
/// What there are no certificates for, in words.
pub fn subject(problem: &Problem, assume_no_errors: bool) -> Result<Subject, String> {
    problem.policy().map_or(Ok(()), exact_networks)?;
    let model = problem.model();
    let names = StateNames::new(model);
    let mut constants: Vec<(String, String)> =
        problem.constants.iter().map(|given| (given.name.clone(), given.value.to_string())).collect();
    constants.sort();
    let property = problem.property.as_ref();
    Ok(Subject {
        inputs: Members(problem.inputs.clone()),
        constants: Members(constants),
        property: property.map(|property| Property { index: property.index, name: property.name.clone() }),
        semantics: semantics(problem, assume_no_errors)?,
        slots: (0..model.slots.len()).map(|slot| names.slot(slot).to_owned()).collect(),
        locations: model.instances.len(),
        actions: model.labels.iter().map(ToString::to_string).collect(),
        outputs: outputs(problem),
    })
}

/// What a claim says about the property of a problem.
fn verdict(problem: &Problem, claim: Claim) -> Result<Verdict, String> {
    use surefoot_problem::Claim as Asked;
    if problem.query.target.is_none() && claim != Claim::Unsat {
        return Err("the property does not say which states to look for".to_owned());
    }
    match (problem.query.claim, claim) {
        (_, Claim::Unsat) => Err(format!(
            "it is about a network alone: name that by {}, and its queries instead of a model",
            surefoot_text::option("network")
        )),
        (Some(Asked::AvoidFromSingle(_) | Asked::ReachFromSingle(_)), Claim::Reachable) if !only_start(problem) => {
            Err("that there is one start state only, as the property's filter asks, could not be shown".to_owned())
        }
        (None, _) => Err("the property does not ask whether something is reached".to_owned()),
        (Some(asked), claim) => {
            Ok(if asked.is_avoidance() == (claim == Claim::Unreachable) { Verdict::Holds } else { Verdict::Violated })
        }
    }
}

fn semantics(problem: &Problem, assume_no_errors: bool) -> Result<Semantics, String> {
    let chooser = problem.policy().filter(|policy| matches!(policy.outputs, Outputs::Labels(_)));
    let ties = match chooser.map(|policy| policy.ties) {
        None => None,
        Some(Ties::First) => Some(index::Ties::First),
        Some(Ties::Any) => Some(index::Ties::Any),
        Some(Ties::Plaja) => {
            return Err("ties within a tolerance, as PlaJA has them, have no certificates".to_owned());
        }
    };
    Ok(Semantics {
        ties,
        filter: chooser.map(|policy| policy.filter),
        goal_terminal: problem.query.goal_terminal,
        initial_only: problem.query.initial_only,
        assume_no_errors,
    })
}

fn outputs(problem: &Problem) -> Vec<String> {
    let model = problem.model();
    match problem.policy().map(|policy| &policy.outputs) {
        None => Vec::new(),
        Some(Outputs::Labels(labels)) => {
            labels.iter().map(|label| model.labels[label.0 as usize].to_string()).collect()
        }
        Some(Outputs::Transients(variables)) => {
            variables.iter().map(|variable| model.transients[variable.0 as usize].name.to_string()).collect()
        }
    }
}

/// That an index is about a problem.
///
/// # Errors
/// The first difference.
pub fn check(problem: &Problem, told: &Index, assume_no_errors: bool) -> Result<(), Refused> {
    let own = match verdict(problem, told.claim) {
        Ok(own) => own,
        Err(why) => return Err(Refused::rejected("the index: what is claimed", why)),
    };
    check_subject(problem, &told.subject(), assume_no_errors)?;
    same("verdict", &told.verdict, &own)
}

/// That a certificate of whatever kind is about a problem.
///
/// # Errors
/// The first difference.
pub fn check_subject(problem: &Problem, told: &Subject, assume_no_errors: bool) -> Result<(), Refused> {
    let own = subject(problem, assume_no_errors);
    let own = own.map_err(|why| Refused::rejected("the index: what is claimed", why))?;
    compare(&own, told, assume_no_errors)
}

/// That what is told to be the subject is the one that was read.
///
/// # Errors
/// The first difference.
pub(crate) fn compare(own: &Subject, told: &Subject, assume_no_errors: bool) -> Result<(), Refused> {
    let no = |what: &str, why: String| Err(Refused::rejected(format!("the index: {what}"), why));
    // Whoever reads the same files under other names reads the same.
    let hashes = |subject: &Subject| subject.inputs.0.iter().map(|(_, hash)| hash.clone()).collect::<BTreeSet<_>>();
    let (told_hashes, own_hashes) = (hashes(told), hashes(own));
    if let Some((name, _)) = own.inputs.0.iter().find(|(_, hash)| !told_hashes.contains(hash)) {
        return no("inputs", format!("the certificate is about other files: none of them is {name} as it is now"));
    }
    if let Some((name, _)) = told.inputs.0.iter().find(|(_, hash)| !own_hashes.contains(hash)) {
        return no("inputs", format!("the certificate is about a file that was not read: {name}"));
    }
    let mut constants = told.constants.clone();
    constants.0.sort();
    same("constants", &constants.0, &own.constants.0)?;
    same("property", &told.property, &own.property)?;
    same("semantics, ties", &told.semantics.ties, &own.semantics.ties)?;
    same("semantics, filter", &told.semantics.filter, &own.semantics.filter)?;
    same("semantics, goal_terminal", &told.semantics.goal_terminal, &own.semantics.goal_terminal)?;
    same("semantics, initial_only", &told.semantics.initial_only, &own.semantics.initial_only)?;
    // Whoever takes more for granted than the certificate needs is right all the same.
    if told.semantics.assume_no_errors && !assume_no_errors {
        let why = "the certificate takes it for granted that the model is never in error".to_owned();
        return no("semantics, assume_no_errors", why);
    }
    same("slots", &told.slots, &own.slots)?;
    same("locations", &told.locations, &own.locations)?;
    same("actions", &told.actions, &own.actions)?;
    same("outputs", &told.outputs, &own.outputs)
}

/// That what is told is what is so.
pub(crate) fn same<T: PartialEq + Serialize>(what: &str, told: &T, own: &T) -> Result<(), Refused> {
    if told == own {
        return Ok(());
    }
    // As the file has it.
    let in_words = |value: &T| serde_json::to_string(value).unwrap_or_else(|_| "something else".to_owned());
    let why = format!("the certificate says {}, but it is {}", in_words(told), in_words(own));
    Err(Refused::rejected(format!("the index: {what}"), why))
}
