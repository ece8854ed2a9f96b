//! Random questions about random models under random policies.

use serde_json::{Value, json};
use surefoot_fixtures::Random;
use surefoot_jani::syntax::{BinaryOp, PathOp};
use surefoot_model::policy::Policy;
use surefoot_model::property::{Question, Values};
use surefoot_num::Rational;
use surefoot_testkit::{Case, Size, load_text, random_policy};
use surefoot_verify::{BoundsOutcome, Failure, Problem};

use super::truth::{Fault, Formula, Process};
use super::{interval, problem};

/// The largest process that is solved in fractions here.
pub(crate) const MOST: usize = 70;

pub(crate) fn size() -> Size {
    Size { states: 150, ..Size::default() }
}

/// A model with the filter property of a random formula after its own.
pub(crate) struct Asked {
    pub(crate) jani: String,
    pub(crate) op: PathOp,
    pub(crate) maximal: bool,
    pub(crate) steps: Option<u64>,
}

/// One question about a random model.
pub(crate) struct Setting {
    pub(crate) problem: Problem,
    pub(crate) formula: Formula,
    pub(crate) maximal: bool,
    pub(crate) steps: Option<u64>,
    pub(crate) random: Random,
}

/// The operands of the properties that a random model has.
pub(crate) fn operands(model: &Value) -> Vec<Value> {
    let properties = model["properties"].as_array().into_iter().flatten();
    let both = properties.flat_map(|p| [&p["expression"]["reach"], &p["expression"]["objective"]["goal"]]);
    both.cloned().collect()
}

/// Adds a property with a random path formula.
pub(crate) fn ask(case: &Case, random: &mut Random) -> Asked {
    let mut model: Value = serde_json::from_str(&case.jani).unwrap_or_else(|error| panic!("{error}"));
    let operands = operands(&model);
    let mut operand = || {
        let operand = random.pick(&operands).clone();
        if random.percent(30) { json!({"op": "¬", "exp": operand}) } else { operand }
    };
    let (left, right) = (operand(), operand());
    let ops = [
        ("F", PathOp::Finally),
        ("G", PathOp::Globally),
        ("U", PathOp::Until),
        ("W", PathOp::WeakUntil),
        ("R", PathOp::Release),
    ];
    let (name, op) = *random.pick(&ops);
    let mut path = match op {
        PathOp::Finally | PathOp::Globally => json!({"op": name, "exp": right}),
        _ => json!({"op": name, "left": left, "right": right}),
    };
    let steps = random.percent(35).then(|| random.below(7) as u64);
    if let Some(steps) = steps {
        path["step-bounds"] = if random.percent(50) {
            json!({"upper": steps})
        } else {
            json!({"upper": steps + 1, "upper-exclusive": true})
        };
    }
    let maximal = random.percent(50);
    let quantified = json!({"op": if maximal { "Pmax" } else { "Pmin" }, "exp": path});
    let filter = json!({"op": "filter", "fun": "max", "values": quantified, "states": {"op": "initial"}});
    if let Some(properties) = model["properties"].as_array_mut() {
        properties.push(json!({"name": "asked", "expression": filter}));
    }
    Asked { jani: model.to_string(), op, maximal, steps }
}

impl Setting {
    pub(crate) fn of(case: &Case) -> Self {
        let mut random = case.random();
        let asked = ask(case, &mut random);
        let mut lowered = load_text(&asked.jani);
        let last = lowered.syntax().properties.len() - 1;
        let mut safety = |p: usize| match lowered.question(p) {
            Ok(Question::Safety(safety)) => safety,
            other => panic!("not a safety property: {other:?}"),
        };
        let (first, second) = (safety(0), safety(1));
        let Ok(Question::Filter(filter)) = lowered.question(last) else { panic!("the last property is a filter") };
        let Values::Path(path) = filter.values else { panic!("the filter is over a probability") };
        assert_eq!((path.op, path.steps), (asked.op, asked.steps));
        let formula = Formula { op: path.op, left: path.left, right: path.right };
        let conditions: Vec<_> = first.reach.into_iter().chain(second.reach).collect();
        let policy: Option<Policy> =
            if random.percent(65) { random_policy(&mut random, &lowered.model, &conditions) } else { None };
        // Half of the questions are about the unsafety of the model's own first property.
        let unsafety = random.percent(30) && asked.steps.is_none();
        let mut problem = problem(lowered, policy, if unsafety { 0 } else { last });
        let mut setting = match first.reach.filter(|_| unsafety) {
            Some(right) => {
                let formula = Formula { op: PathOp::Finally, left: None, right };
                problem.query.goal_terminal = random.percent(40);
                Self { problem, formula, maximal: true, steps: None, random }
            }
            None => {
                // Filters are over the initial states; more of them make more of the aggregation.
                if random.percent(60) {
                    problem.query.start = first.start.clone();
                }
                Self { problem, formula, maximal: asked.maximal, steps: asked.steps, random }
            }
        };
        if setting.random.percent(30) {
            setting.problem.query.start.conditions.extend(second.start.conditions);
        }
        setting
    }

    pub(crate) fn values(&self) -> Result<Vec<Rational>, Fault> {
        Ok(Process::of(&self.problem, self.formula, MOST)?.values(self.maximal, self.steps))
    }

    pub(crate) fn quantity(&mut self) -> &mut surefoot_verify::Quantity {
        self.problem.query.quantity.as_mut().unwrap_or_else(|| panic!("a probability was asked for"))
    }
}

pub(crate) fn smallest(values: &[Rational]) -> Rational {
    values.iter().min().cloned().unwrap_or_default()
}

pub(crate) fn largest(values: &[Rational]) -> Rational {
    values.iter().max().cloned().unwrap_or_default()
}

pub(crate) fn succeed(result: Result<BoundsOutcome, Failure>) -> BoundsOutcome {
    result.unwrap_or_else(|failure| panic!("{failure:?}"))
}

pub(crate) fn contains(outcome: &BoundsOutcome, value: &Rational, what: &str) {
    let (lower, upper) = interval(outcome);
    assert!(lower <= *value && *value <= upper, "{what}: {value} is not in [{lower}, {upper}]");
}

pub(crate) fn compares(op: BinaryOp, value: &Rational, bound: &Rational) -> bool {
    match op {
        BinaryOp::Lt => value < bound,
        BinaryOp::Le => value <= bound,
        BinaryOp::Gt => value > bound,
        BinaryOp::Ge => value >= bound,
        BinaryOp::Eq => value == bound,
        BinaryOp::Ne => value != bound,
        other => panic!("{other:?} is no comparison"),
    }
}
