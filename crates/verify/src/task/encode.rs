//! The system with its policy as part of it, written for other checkers.

use std::path::PathBuf;

use surefoot_encode::{Encoded as Text, Figures, Options, Starts, Subject, Target, encode};
use surefoot_files::replace;
use surefoot_num::Direction;
use surefoot_problem::problem::notice;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;

use super::{Outcome, Told};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity};
use crate::result::ResultObject;
use crate::result::body::Encoded;

/// What to write, and where.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The file.
    pub out: PathBuf,
    /// For whom.
    pub target: Target,
    /// Bits after the point, at most.
    pub precision: Option<u32>,
    /// Where runs begin.
    pub starts: Option<Starts>,
}

impl Encoding {
    /// That there is a place for the file, and that the options go together.
    pub(super) fn place(&self) -> Result<(), Failure> {
        let error = |message: String, help: &str| Err(Diagnostic::error_anywhere(message).with_help(help).into());
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        if self.out.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            let message = format!("cannot write {}: there is no such place for a file", self.out.display());
            return error(message, "give a file in a folder that exists");
        }
        let name = self.target.name();
        if self.precision.is_some() && self.target != Target::Storm {
            let message = format!("{} is for integers of limited size; {name} is exact", option("precision"));
            return error(message, "leave it out, or use the target storm");
        }
        if self.starts.is_some() && self.target == Target::Nuxmv {
            let message = format!("{} is for JANI; {name} has a condition for initial states", option("starts"));
            return error(message, "leave it out");
        }
        Ok(())
    }

    pub(super) fn run(&self, problem: Problem, mut result: ResultObject) -> Result<Outcome, Failure> {
        let unsafe_states = reached(&problem)?;
        let query = &problem.query;
        let subject = Subject {
            model: problem.model(),
            policy: problem.policy(),
            start: &query.start,
            unsafe_states,
            terminal: query.goal.filter(|_| query.goal_terminal),
        };
        let options =
            Options { target: self.target, precision: self.precision, starts: self.starts.unwrap_or_default() };
        let Text { text, figures } = encode(&subject, &options)?;
        replace(&self.out, |file| file.write_all(text.as_bytes())).map_err(|error| {
            let message = format!("cannot write {}: {error}", self.out.display());
            Diagnostic::error_anywhere(message).with_help("nothing was written")
        })?;
        let encoded = describe(self, &figures);
        let note = notice(encoded.faithful.clone());
        result.assumptions.extend((!encoded.exact).then(|| encoded.faithful.clone()));
        let result = result.encoded(&problem, encoded.clone());
        let outcome = Outcome::new(result, Told::Encoded(Box::new(encoded)), problem, Vec::new());
        Ok(Outcome { notes: vec![note], ..outcome })
    }
}

/// The states whose largest probability is asked for.
fn reached(problem: &Problem) -> Result<surefoot_model::TermId, Failure> {
    let refused = |what: &str| {
        let message = format!("{what} cannot be encoded: the text asks how likely at most an unsafe state is reached");
        let help = format!("choose a property about unsafe states, or give them with {}", option("never"));
        let span = problem.query.span;
        Err(Diagnostic { span, ..Diagnostic::error_anywhere(message) }.with_help(help).refusal().into())
    };
    match &problem.query.quantity {
        None => refused("this property"),
        Some(Quantity { steps: Some(_), .. }) => refused("a step bound"),
        Some(Quantity { left: Some(_), .. }) => refused("an until"),
        Some(Quantity { complement: true, .. }) => refused("what holds for ever"),
        Some(quantity) if quantity.direction != Direction::Max => refused("a smallest probability"),
        Some(quantity) if !matches!(quantity.aggregate, Aggregate::Max | Aggregate::Single) => {
            refused("anything but the largest value over start states")
        }
        Some(quantity) => Ok(quantity.right),
    }
}

fn describe(encoding: &Encoding, figures: &Figures) -> Encoded {
    Encoded {
        file: encoding.out.display().to_string(),
        target: encoding.target.name().to_owned(),
        networks: figures.networks,
        neurons: figures.neurons,
        neuron_variables: figures.variables,
        neuron_range: figures.range.as_ref().map(|(lower, upper)| [lower.to_string(), upper.to_string()]),
        neuron_bits: figures.bits,
        phases: figures.phases,
        precision: figures.precision,
        exact: figures.exact,
        score_scales: figures.scales.iter().map(ToString::to_string).collect(),
        score_error: figures.error.to_string(),
        faithful: figures.describe(encoding.target),
    }
}
