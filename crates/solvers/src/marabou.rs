//! Marabou (Wu and others, *Marabou 2.0: A Versatile Formal Analyzer of Neural Networks*, 2024) by its Python package, as a process that is kept.
//!
//! It solves questions over the reals, in floats: networks, rows, and choices between conjunctions of bounds. Forms of choices get variables of
//! their own, so that a choice is between bounds alone.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_files::Scratch;
use surefoot_limits::{Limits, Trouble};
use surefoot_linear::{Atom, Interval, Linear, Relation};
use surefoot_milp::Worker;
use surefoot_num::Rational;
use surefoot_oracle::Question;

use crate::backend::{Backend, Failure, Found, started, version};
use crate::closed::{Clauses, closed};
use crate::unrolled::Unrolled;

/// What the process runs.
const DRIVER: &str = include_str!("marabou_driver.py");
const WHO: &str = "Marabou";

/// Marabou by its Python package.
#[derive(Debug)]
pub(crate) struct Marabou {
    worker: Worker,
    folder: Arc<Scratch>,
    name: String,
}

impl Marabou {
    /// By a Python that has it, started.
    pub(crate) fn start(python: &Path, folder: &Arc<Scratch>, limits: &Limits) -> Result<Self, Failure> {
        let mut worker = Worker::python(python, DRIVER, folder.path());
        let said = started(&mut worker, WHO, "", limits)?.unwrap_or_default();
        let version = version(&said).ok_or_else(|| Failure::garbage(WHO, &said))?;
        Ok(Self { worker, folder: Arc::clone(folder), name: format!("{WHO} {version}") })
    }
}

impl Backend for Marabou {
    fn short(&self) -> &'static str {
        WHO
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_exact(&self) -> bool {
        false
    }

    /// Always over the reals.
    fn solve(&mut self, question: &Question, _: bool, limits: &Limits) -> Result<Found, Failure> {
        let unsuited = |why: &str| Failure::new(WHO, Trouble::Unsuited, why);
        let unrolled =
            Unrolled::of(question).ok_or_else(|| unsuited("a network is not piecewise linear over the reals"))?;
        let formula = closed(question, &unrolled);
        if formula.is_falsity() {
            return Ok(Found::Excluded);
        }
        let clauses = Clauses::of(&formula).ok_or_else(|| unsuited("the formula has too many cases"))?;
        let query = Query::of(&unrolled, &clauses).ok_or_else(|| unsuited("a number is too large for floats"))?;
        let request = query.request(unrolled.variables, limits);
        started(&mut self.worker, WHO, "", limits)?;
        let failed = |trouble| Failure::of_process(WHO, trouble, limits);
        self.worker.send(format!("{request}\n")).map_err(failed)?;
        let said = self.worker.line(limits).map_err(failed)?;
        let answer: Value = serde_json::from_str(&said).unwrap_or_default();
        let values = || -> Option<Vec<Rational>> {
            let values = answer["values"].as_array().filter(|values| values.len() == unrolled.variables)?;
            values.iter().map(|value| Rational::from_f64(value.as_f64()?)).collect()
        };
        match answer["status"].as_str() {
            Some("unsat") => Ok(Found::Nothing),
            Some("sat") => values().map(Found::Point).ok_or_else(|| Failure::garbage(WHO, &said)),
            Some("TIMEOUT" | "UNKNOWN") => Err(Failure::new(WHO, Trouble::GaveUp, "it met a limit of its own")),
            // An exception of its own: the process goes on, and other questions may do better.
            Some(status) if status.starts_with("error: ") => Err(Failure::new(WHO, Trouble::GaveUp, status)),
            _ => {
                self.worker.end();
                Err(Failure::garbage(WHO, &said))
            }
        }
    }

    fn replicate(&self) -> Box<dyn Backend> {
        let (folder, name) = (Arc::clone(&self.folder), self.name.clone());
        Box::new(Self { worker: self.worker.another(folder.path()), folder, name })
    }
}

/// A query in floats. Its variables: those of the question, neurons after their ReLU, then neurons before it and forms of choices.
#[derive(Default)]
struct Query {
    bounds: Vec<(f64, f64)>,
    rows: Vec<Value>,
    relus: Vec<(usize, usize)>,
    choices: Vec<Value>,
}

impl Query {
    /// `None` where a number has no float near it.
    fn of(unrolled: &Unrolled, clauses: &Clauses) -> Option<Self> {
        let mut query = Self::default();
        for range in &unrolled.ranges {
            query.variable(range)?;
        }
        for (index, neuron) in unrolled.neurons.iter().enumerate() {
            let after = unrolled.symbol(index).index();
            if neuron.is_active {
                query.define(&neuron.before, after)?;
            } else {
                let before = query.variable(&neuron.range)?;
                query.define(&neuron.before, before)?;
                query.relus.push((before, after));
            }
        }
        for row in &clauses.rows {
            let kind = if row.relation == Relation::Zero { "=" } else { ">=" };
            query.row(kind, &row.form, None)?;
        }
        for choice in &clauses.choices {
            let mut parts = Vec::new();
            for part in choice {
                let mut bounds: Vec<Value> = Vec::new();
                for atom in part {
                    query.bound(unrolled, atom, &mut bounds)?;
                }
                parts.push(Value::from(bounds));
            }
            query.choices.push(Value::from(parts));
        }
        Some(query)
    }

    fn request(&self, inputs: usize, limits: &Limits) -> Value {
        // Whole seconds, and none is no limit. We end it ourselves; this is so that it need not be.
        let seconds = limits.remaining().map_or(0, |time| time.as_secs() + 1);
        json!({
            "bounds": self.bounds, "inputs": inputs, "rows": self.rows, "relus": self.relus, "choices": self.choices,
            "seconds": seconds,
        })
    }

    fn variable(&mut self, range: &Interval) -> Option<usize> {
        let (lower, upper) = range.ends()?;
        self.bounds.push((float(lower)?, float(upper)?));
        Some(self.bounds.len() - 1)
    }

    /// A variable equals a form.
    fn define(&mut self, form: &Linear, variable: usize) -> Option<()> {
        self.row("=", form, Some(variable))
    }

    /// `form - variable kind 0`.
    fn row(&mut self, kind: &str, form: &Linear, less: Option<usize>) -> Option<()> {
        let mut terms = Vec::with_capacity(form.terms().len() + 1);
        for (symbol, factor) in form.terms() {
            terms.push(json!([float(factor)?, symbol.index()]));
        }
        terms.extend(less.map(|variable| json!([-1.0, variable])));
        self.rows.push(json!([kind, terms, float(&-form.constant())?]));
        Some(())
    }

    /// An atom of a choice as bounds: on its symbol if it has but one, else on a variable of its own.
    fn bound(&mut self, unrolled: &Unrolled, atom: &Atom, bounds: &mut Vec<Value>) -> Option<()> {
        let (variable, at, upward) = match atom.form.terms() {
            [(symbol, factor)] => {
                let at = (-atom.form.constant()).checked_div(factor)?;
                (symbol.index(), float(&at)?, factor.signum() > 0)
            }
            _ => {
                let variable = self.variable(&unrolled.range(&atom.form))?;
                self.define(&atom.form, variable)?;
                (variable, 0.0, true)
            }
        };
        if atom.relation == Relation::Zero {
            bounds.push(json!([variable, "<=", at]));
            bounds.push(json!([variable, ">=", at]));
        } else {
            bounds.push(json!([variable, if upward { ">=" } else { "<=" }, at]));
        }
        Some(())
    }
}

fn float(value: &Rational) -> Option<f64> {
    Some(value.to_f64()).filter(|float| float.is_finite())
}
