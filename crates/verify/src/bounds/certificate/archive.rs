//! The file: the part in the format UMB, with what the certificate says in its index, and vectors as annotations.

use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::Value;
use surefoot_certificate::BoundedIndex;
use surefoot_certificate::bounded::{self, At, Bound, BoundedClaim, Comparison};
use surefoot_certificate::index::{FORMAT, VERSION, Verdict};
use surefoot_checker::probability::{Claim, Starts};
use surefoot_checker::subject::{subject, tool};
use surefoot_export::umb::{Annotation, Notes, Numbered, write_with};
use surefoot_export::{ExportError, Label, Model, Options, Source, Variable, VariableKind, distinct};
use surefoot_files::Draft;
use surefoot_mdp::StateSet;
use surefoot_model::Domain;
use surefoot_text::diagnostic::Diagnostic;

use super::claims::Claims;
use super::part::Part;
use super::{Vectors, WrittenBound, no_certificate};
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use crate::states::StateNames;

/// The group of the annotations.
const GROUP: &str = "certificate";

/// The variable that counts steps; no variable of a model has a blank.
const STEPS: &str = "steps left";

/// States and choices of a part, for writing.
struct Described<'a> {
    part: &'a Part<'a>,
    /// The slot of every variable.
    slots: &'a [usize],
    /// How many slots there are.
    all: usize,
}

impl Source for Described<'_> {
    fn action(&self, choice: u32) -> Option<u32> {
        self.part.labels[choice as usize].map(|label| label.0)
    }

    fn values(&self, state: u32, values: &mut [i64]) {
        let mut all = vec![0; self.all];
        self.part.unpack(state, &mut all);
        for (value, slot) in values.iter_mut().zip(self.slots) {
            *value = all[*slot];
        }
        if let (Some(counted), Some(left)) = (&self.part.counted, values.last_mut()) {
            // There are no more steps than states were written for.
            *left = i64::try_from(counted[state as usize].1).unwrap_or(i64::MAX);
        }
    }
}

/// Writes the file, all or nothing.
pub(super) fn write(
    problem: &Problem,
    quantity: &Quantity,
    engine: &str,
    part: &Part<'_>,
    vectors: &Vectors,
    claims: &Claims,
    path: &Path,
) -> Result<WrittenBound, Failure> {
    let model = problem.model();
    let dropped = |slot: usize| problem.slice.as_ref().is_some_and(|slice| slice.dropped[slot]);
    let slots: Vec<usize> = (0..model.slots.len()).filter(|slot| !dropped(*slot)).collect();
    let mut variables = variables(problem, &slots);
    if let Some(steps) = quantity.steps {
        let upper = i64::try_from(steps).unwrap_or(i64::MAX);
        variables.push(Variable { name: STEPS.to_owned(), kind: VariableKind::Int { lower: 0, upper } });
    }
    let described = Described { part, slots: &slots, all: model.slots.len() };
    let states = part.mdp.num_states();
    let labels = [
        Label { name: "target".to_owned(), states: part.right.clone() },
        Label { name: "frontier".to_owned(), states: part.frontier.clone() },
    ];
    let actions: Vec<String> = model.labels.iter().map(ToString::to_string).collect();
    let initial = StateSet::from_members(states, 0..part.starts);
    let exported = Model {
        name: &model.name,
        mdp: &part.mdp,
        initial: &initial,
        labels: &labels,
        actions: &actions,
        variables: &variables,
        source: &described,
    };
    let mut annotations = Vec::new();
    if let Some(upper) = &vectors.upper {
        annotations.push(Annotation { group: GROUP, name: "upper", values: Numbered::Fractions(upper) });
    }
    if let Some(lower) = &vectors.lower {
        annotations.push(Annotation { group: GROUP, name: "lower", values: Numbered::Fractions(&lower.values) });
        annotations.push(Annotation { group: GROUP, name: "rank", values: Numbered::Counts(&lower.ranks) });
    }
    let parameters = Some(index(problem, quantity, engine, &slots, claims)?);
    let notes = Notes { parameters, annotations: &annotations };
    let failed = |error: ExportError| cannot(path, &error.to_string());
    let io = |error: std::io::Error| cannot(path, &error.to_string());
    let draft = Draft::new(path).map_err(io)?;
    let mut out = BufWriter::with_capacity(1 << 16, draft.file());
    // Choices are moves of a decision process, even where there is one in every state.
    let options = Options { always_mdp: !part.mdp.is_chain(), ..Options::default() };
    let raw_bytes = write_with(&exported, &options, &notes, &mut out).map_err(failed)?;
    out.flush().map_err(io)?;
    drop(out);
    let bytes = draft.file().metadata().map_err(io)?.len();
    draft.publish().map_err(io)?;
    Ok(WrittenBound {
        claims: claims.claims.clone(),
        verdict: claims.verdict.as_ref().map(|(_, holds)| *holds),
        states,
        branches: part.mdp.num_branches(),
        bytes,
        raw_bytes,
    })
}

fn cannot(path: &Path, reason: &str) -> Failure {
    Diagnostic::error_anywhere(format!("cannot write {}: {reason}", path.display())).into()
}

/// What the certificate says of itself.
fn index(
    problem: &Problem,
    quantity: &Quantity,
    engine: &str,
    slots: &[usize],
    claims: &Claims,
) -> Result<Value, Failure> {
    let index = BoundedIndex {
        format: FORMAT.to_owned(),
        version: VERSION,
        claim: BoundedClaim::Bounded,
        verdict: claims.verdict.as_ref().map(|(_, holds)| if *holds { Verdict::Holds } else { Verdict::Violated }),
        threshold: claims.verdict.as_ref().map(|(threshold, _)| Comparison {
            op: threshold.op.symbol().to_owned(),
            bound: threshold.bound.to_string(),
        }),
        bounds: claims
            .claims
            .iter()
            .map(bound)
            .collect::<Option<_>>()
            .ok_or_else(|| broken("a start state is real"))?,
        tool: tool(),
        engine: engine.to_owned(),
        states: slots.to_vec(),
        steps: quantity.steps,
        subject: subject(problem, false).map_err(|reason| no_certificate(&reason))?,
    };
    serde_json::to_value(index).map_err(|error| broken(&error.to_string()))
}

fn broken(reason: &str) -> Failure {
    Failure::Internal(format!("a certificate cannot be told: {reason}"))
}

fn bound(claim: &Claim) -> Option<Bound> {
    let at = if claim.at_most { At::Most } else { At::Least };
    let starts = match &claim.starts {
        Starts::All => bounded::Starts::All(bounded::All::All),
        Starts::One(state) => bounded::Starts::One(state.to_ints()?),
    };
    Some(Bound { at, value: claim.value.to_string(), starts })
}

/// The variables of the slots that are written.
fn variables(problem: &Problem, slots: &[usize]) -> Vec<Variable> {
    let model = problem.model();
    let names = StateNames::new(model);
    let free = distinct(slots.iter().map(|slot| names.slot(*slot).to_owned()), &[]);
    let kind = |slot: usize| match (model.instances.get(slot), &model.slots[slot].domain) {
        (Some(instance), _) => VariableKind::Symbol(instance.locations.iter().map(|l| l.name.to_string()).collect()),
        (None, Domain::Bool) => VariableKind::Bool,
        (None, domain) => {
            // Real variables were refused before.
            let (lower, upper) = domain.int_bounds().unwrap_or((i64::MIN, i64::MAX));
            VariableKind::Int { lower, upper }
        }
    };
    slots.iter().zip(free).map(|(slot, name)| Variable { name, kind: kind(*slot) }).collect()
}
