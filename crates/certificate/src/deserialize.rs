//! Witnesses as a part of typed objects: what `witness.rs` writes, by `serde`.
//!
//! For programs that take a result apart. A file from elsewhere is for [`read`](mod@crate::read), which says where it is wrong.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use surefoot_num::Rational;

use crate::members::Members;
use crate::witness::{Decision, EdgeTaken, LOCATIONS, Score, StateRecord, Step, Value, Witness, variable_name};

fn exact<E: Error>(text: &str) -> Result<Rational, E> {
    text.parse().map_err(|error| E::custom(format!("{text}: {error}")))
}

/// A value, or the locations of a state.
#[derive(Deserialize)]
#[serde(untagged)]
enum Member {
    Bool(bool),
    Integer(i64),
    Text(String),
    Locations(Members<String>),
}

impl Member {
    fn value<E: Error>(self) -> Result<Value, E> {
        match self {
            Self::Bool(value) => Ok(Value::Bool(value)),
            Self::Integer(value) => Ok(Value::Number(value.into())),
            Self::Text(text) => Ok(Value::Number(exact(&text)?)),
            Self::Locations(_) => Err(E::custom("the value of a variable is no object")),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Member::deserialize(deserializer)?.value()
    }
}

impl<'de> Deserialize<'de> for StateRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut state = Self::default();
        for (key, member) in Members::<Member>::deserialize(deserializer)?.0 {
            match member {
                Member::Locations(locations) if key == LOCATIONS => state.locations = locations.0,
                other => state.variables.push((variable_name(&key).to_owned(), other.value()?)),
            }
        }
        Ok(state)
    }
}

/// A score without its label. The float follows from the exact number.
#[derive(Deserialize)]
struct Number {
    exact: String,
}

#[derive(Deserialize)]
struct DecisionMembers {
    #[serde(default)]
    network: String,
    chosen: Vec<String>,
    scores: Members<Number>,
    runner_up: Option<String>,
    margin: Option<Number>,
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = DecisionMembers::deserialize(deserializer)?;
        let score = |(label, number): (String, Number)| Ok(Score { label, exact: exact(&number.exact)? });
        Ok(Self {
            network: read.network,
            chosen: read.chosen,
            scores: read.scores.0.into_iter().map(score).collect::<Result<_, D::Error>>()?,
            runner_up: read.runner_up.zip(read.margin).map(score).transpose()?,
        })
    }
}

/// What is there, even if it is null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct StepMembers {
    operator: Option<String>,
    #[serde(default, deserialize_with = "given")]
    label: Option<Option<String>>,
    edges: Option<Members<Option<usize>>>,
    outcome: Option<Vec<u32>>,
    probability: Option<String>,
    policy: Option<Decision>,
    state: StateRecord,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = StepMembers::deserialize(deserializer)?;
        let edge = |(automaton, edge)| EdgeTaken { automaton, edge };
        Ok(Self {
            operator: read.operator,
            label: read.label,
            edges: read.edges.map(|edges| edges.0.into_iter().map(edge).collect()),
            outcome: read.outcome,
            probability: read.probability.as_deref().map(exact).transpose()?,
            policy: read.policy,
            state: read.state,
        })
    }
}

#[derive(Deserialize)]
struct WitnessMembers {
    kind: Option<String>,
    property: Option<String>,
    start: StateRecord,
    steps: Vec<Step>,
}

impl<'de> Deserialize<'de> for Witness {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let WitnessMembers { kind, property, start, steps } = WitnessMembers::deserialize(deserializer)?;
        match kind.as_deref() {
            None | Some("run") => Ok(Self { property, start, steps }),
            Some(other) => Err(D::Error::custom(format!("a witness of the kind \"{other}\" is no run"))),
        }
    }
}
