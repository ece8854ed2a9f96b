//! VerticalCAS: an aircraft that is told how to climb, and another one that comes towards it.
//!
//! The state is the intruder's altitude relative to the own aircraft `h` (feet), the own vertical rate `v` (feet per
//! second), the time `tau` (seconds) until the two are no longer apart horizontally, and the advisory issued last, `adv`.
//! Every second one of nine networks, selected by `adv`, issues a new advisory; the pilot accelerates as it asks, in one of
//! up to three ways (Akintunde, Botoeva, Kouvaros, Lomuscio: Formal verification of neural agents in non-deterministic
//! environments, 2022).
//!
//! With an acceleration `a`, one second later: `h - v - a/2`, `v + a`, `tau - 1`. All numbers are exact: the
//! accelerations are multiples of G/24 with G = 32.2.

pub mod decision;
mod distil;
mod drawing;
mod encounters;
mod lessons;
mod networks;
pub mod pilot;

use serde_json::{Value, json};

use crate::distil::Distilling;
use crate::text::{
    OneAutomaton, add, all, and, certain, div, edge, eq, ge, int, integer, le, mul, ne, not, or, set, sub,
};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

/// The domain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerticalCas;

/// How the numbers that rates are compared with and divided by are read. The state's `v` is in feet per second always.
///
/// The networks were trained on rates within 100 ft/s, over a range of 200 ft/s: so say the headers of their original
/// files. The paper divides by 5000 instead, and compares feet per second with feet per minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    /// Advisories mean 1500 ft/s, networks read `v / 5000`: the published benchmark.
    Paper,
    /// Advisories mean 1500 ft/min, networks read `v / 5000`: the benchmark of the ARCH competition.
    Competition,
    /// Advisories mean 1500 ft/min, networks read `v / 200`, as they were trained.
    Physical,
    /// Advisories mean 1500 ft/min, networks read `60 v / 5000`: as if 5000 were in feet per minute.
    Minute,
}

impl Units {
    fn named(word: &str) -> Self {
        match word {
            "paper" => Self::Paper,
            "competition" => Self::Competition,
            "physical" => Self::Physical,
            _ => Self::Minute,
        }
    }
}

/// When the pilot keeps the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// When it complies.
    Paper,
    /// When it complies and the advisory is the one issued last.
    Simulation,
    /// Then, too, but the pilot may accelerate all the same.
    Relaxed,
    /// Never.
    Never,
}

impl Rule {
    /// The words of the parameter.
    const WORDS: [&str; 4] = ["paper", "simulation", "relaxed", "never"];

    fn named(word: &str) -> Self {
        match word {
            "paper" => Self::Paper,
            "simulation" => Self::Simulation,
            "relaxed" => Self::Relaxed,
            _ => Self::Never,
        }
    }
}

/// What an advisory asks for: the vertical rate that complies with it, in feet per minute.
#[derive(Debug, Clone, Copy)]
enum Rate {
    /// Nothing: the pilot is never bound.
    Any,
    /// At most this.
    AtMost(i64),
    /// At least this.
    AtLeast(i64),
}

/// An advisory: its name, the rate it asks for, and the accelerations it leaves to the pilot in units of G/24.
struct Advisory {
    name: &'static str,
    rate: Rate,
    accelerations: &'static [i64],
}

/// The advisories in the order of the networks' outputs. Accelerations that are equal are one choice.
const ADVISORIES: [Advisory; 9] = [
    Advisory { name: "COC", rate: Rate::Any, accelerations: &[-3, 0, 3] },
    Advisory { name: "DNC", rate: Rate::AtMost(0), accelerations: &[-8, -7, -6] },
    Advisory { name: "DND", rate: Rate::AtLeast(0), accelerations: &[6, 7, 8] },
    Advisory { name: "DES1500", rate: Rate::AtMost(-1500), accelerations: &[-8, -7, -6] },
    Advisory { name: "CL1500", rate: Rate::AtLeast(1500), accelerations: &[6, 7, 8] },
    Advisory { name: "SDES1500", rate: Rate::AtMost(-1500), accelerations: &[-8] },
    Advisory { name: "SCL1500", rate: Rate::AtLeast(1500), accelerations: &[8] },
    Advisory { name: "SDES2500", rate: Rate::AtMost(-2500), accelerations: &[-8] },
    Advisory { name: "SCL2500", rate: Rate::AtLeast(2500), accelerations: &[8] },
];

impl Domain for VerticalCas {
    fn name(&self) -> &'static str {
        "verticalcas"
    }

    fn summary(&self) -> &'static str {
        "an aircraft with vertical collision avoidance, nine networks over real altitude and rate"
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            rule(),
            Parameter::choice(
                "units",
                &["paper", "competition", "physical", "minute"],
                "how rates are read: as in the paper; advisories in feet per minute, as in the competition; networks \
                 over 200 ft/s besides, as their own files say; networks in feet per minute instead",
            ),
            Parameter::integer("h_low", -8000, 8000, "-133", "the lowest initial h, in feet"),
            Parameter::integer("h_high", -8000, 8000, "-129", "the highest initial h, in feet"),
            Parameter::integer("tau", 0, 40, "25", "the initial tau, in seconds"),
            Parameter::path("networks", "a folder with vcas_1.nnet to vcas_9.nnet, one per previous advisory"),
        ]
    }

    fn distilling(&self) -> Option<&'static dyn Distilling> {
        Some(&VerticalCas)
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let units = Units::named(values.text("units"));
        let (low, high) = (values.integer("h_low"), values.integer("h_high"));
        if low > high {
            let message = format!("h_low={low} is above h_high={high}: there would be no initial state");
            return Err(ParameterError::new(message));
        }
        let rule = Rule::named(values.text("rule"));
        let edges = (0..ADVISORIES.len()).flat_map(|advisory| edges(advisory, rule, units)).collect();
        let model = OneAutomaton {
            name: "verticalcas".to_owned(),
            probabilistic: false,
            actions: ADVISORIES.iter().map(|a| a.name.to_owned()).collect(),
            constants: vec![
                json!({"name": "climb_rate", "type": "real", "comment": "the initial v, in feet per second"}),
                json!({"name": "G", "type": "real", "value": 32.2, "comment": "feet per second squared"}),
            ],
            variables: variables(low, high, values.integer("tau")),
            restrict_initial: (low < high).then(|| and(ge("h", low), le("h", high))),
            edges,
        }
        .model();
        let folder = values.text("networks");
        let drawing = drawing::drawing(low.abs().max(high.abs()), values.integer("tau"));
        let instance = |policy| Instance::new(&model, &[near(policy)]).with_drawing(&drawing);
        if folder.is_empty() {
            return Ok(instance(None));
        }
        let (policy, networks) = networks::policy(folder, units)?;
        Ok(instance(Some("policy.policy.json")).with_policy(&policy, networks))
    }
}

/// The parameter that says when the pilot keeps the rate.
fn rule() -> Parameter {
    Parameter::choice(
        "rule",
        &Rule::WORDS,
        "when the pilot keeps the rate: it complies; it complies and the advisory is the last one; as before, but the \
         pilot may accelerate all the same; never",
    )
}

/// `h` is anywhere between its bounds at first; everything else is known.
fn variables(low: i64, high: i64, tau: i64) -> Vec<Value> {
    let mut h = json!({"name": "h", "type": "real"});
    if low == high {
        h["initial-value"] = json!(low);
    }
    vec![
        h,
        json!({"name": "v", "type": "real", "initial-value": "climb_rate"}),
        json!({"name": "tau", "type": "real", "initial-value": tau}),
        integer("adv", 0, int(ADVISORIES.len()) - 1, 0),
    ]
}

/// The edges of an advisory: one that keeps the rate, where the rule knows it, and one per acceleration.
fn edges(advisory: usize, rule: Rule, units: Units) -> Vec<Value> {
    let Advisory { name, rate, accelerations } = ADVISORIES[advisory];
    let accelerate = |guard: &Value, units: i64| edge(Some(name), guard.clone(), &[step(advisory, units)]);
    let list = |guard: &Value| accelerations.iter().map(|units| accelerate(guard, *units)).collect::<Vec<_>>();
    let always = Value::Bool(true);
    let repeated = eq("adv", advisory);
    let (keeps, else_list) = match (complies(rate, units), rule) {
        (None, _) | (_, Rule::Never) => return list(&always),
        (Some((yes, no)), Rule::Paper) => (yes, no),
        (Some((yes, no)), Rule::Simulation) => (and(repeated, yes), or(ne("adv", advisory), no)),
        (Some((yes, _)), Rule::Relaxed) => (and(repeated, yes), always),
    };
    let mut edges = vec![accelerate(&keeps, 0)];
    edges.extend(list(&else_list));
    edges
}

/// Whether `v` complies, and whether it does not; `None` where nothing is asked for.
fn complies(rate: Rate, units: Units) -> Option<(Value, Value)> {
    let v = if units == Units::Paper { json!("v") } else { mul(60, "v") };
    let condition = match rate {
        Rate::Any => return None,
        Rate::AtMost(limit) => le(v, limit),
        Rate::AtLeast(limit) => ge(v, limit),
    };
    Some((condition.clone(), not(condition)))
}

/// One second with an acceleration of so many G/24. Quotients stay quotients: 7 G/24 has no finite decimal.
fn step(advisory: usize, units: i64) -> Value {
    let moved = sub("h", "v");
    let (h, v) = match units {
        0 => (moved, None),
        _ => {
            let product = || mul(units, "G");
            (sub(moved, div(product(), 48)), Some(add("v", div(product(), 24))))
        }
    };
    let mut assignments = vec![set("h", h)];
    assignments.extend(v.map(|v| set("v", v)));
    assignments.extend([set("tau", sub("tau", 1)), set("adv", advisory)]);
    certain(&assignments)
}

/// The question whether the intruder can come within 100 feet at all.
fn near(policy: Option<&str>) -> Value {
    let mut expression = json!({
        "op": "PA",
        "reach": {"op": "state-condition", "exp": all([ge("h", -100), le("h", 100)])},
    });
    if let Some(file) = policy {
        expression["file"] = json!(file);
    }
    json!({
        "name": "near",
        "comment": "within 100 feet at some time; after exactly k seconds it is AX^k (h > 100 | h < -100)",
        "expression": expression,
    })
}
