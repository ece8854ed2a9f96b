//! FrozenLake: an agent walks over ice to a goal, and slips.
//!
//! The agent chooses a direction; it moves there, or in the direction to the left or to the right of it, and stays where
//! it is at the border. Which of the three happens is the environment's choice (three edges of the same label are enabled
//! in every state), or chance. Nothing is absorbing: holes and goal are tiles like others, and what they mean is
//! up to the properties (Akintunde, Botoeva, Kouvaros, Lomuscio: Formal verification of neural agents in
//! non-deterministic environments, 2022; after the environment of OpenAI Gym).

mod drawing;
mod lake;
mod moves;

use std::path::Path;

use serde_json::{Value, json};

use self::lake::{DIRECTIONS, Lake};
use self::moves::Encoding;
use super::given;
use crate::policy::{self, Attached, Interface};
use crate::text::{OneAutomaton, any, eq, safety};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

/// The largest lake in one-hot encoding: every edge sets all tiles, so models grow with the fourth power of the size.
const MAX_ONE_HOT: usize = 8;

/// The domain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrozenLake;

impl Domain for FrozenLake {
    fn name(&self) -> &'static str {
        "frozenlake"
    }

    fn summary(&self) -> &'static str {
        "an agent that slips on ice, with holes to avoid and a goal to reach"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![
            Parameter::integer("size", 2, 32, "3", "tiles per row, and rows"),
            Parameter::choice("encoding", &["onehot", "coordinates"], "how the position is given to the network"),
            Parameter::choice("map", &["known", "random"], "the known lakes of sizes 3, 4 and 8, else holes at random"),
            Parameter::integer("holes", 0, 90, "20", "of a hundred tiles so many are holes, at random"),
            Parameter::integer("seed", 0, i64::MAX, "1", "which random holes"),
            Parameter::choice(
                "slip",
                &["choice", "chance"],
                "slipping: the environment's choice, or with probability 1/3 each",
            ),
        ];
        parameters.extend(policy::parameters(&[]));
        parameters
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let size = values.size("size");
        let encoding = if values.text("encoding") == "onehot" { Encoding::OneHot } else { Encoding::Coordinates };
        if encoding == Encoding::OneHot && size > MAX_ONE_HOT {
            return Err(ParameterError::new(format!(
                "size={size} is too large for encoding=onehot, where at most {MAX_ONE_HOT} is possible; use encoding=coordinates"
            )));
        }
        let known = if values.text("map") == "known" { Lake::known(size) } else { None };
        let seed = values.integer("seed").unsigned_abs();
        let lake = known.unwrap_or_else(|| Lake::random(size, values.size("holes"), seed));
        let chance = values.text("slip") == "chance";
        let model = OneAutomaton {
            name: format!("frozenlake_{size}x{size}"),
            probabilistic: chance,
            actions: DIRECTIONS.map(str::to_owned).to_vec(),
            variables: encoding.variables(&lake),
            edges: encoding.edges(&lake, chance),
            ..OneAutomaton::default()
        }
        .model();
        let attached = attach(values, &encoding.features(&lake))?;
        let file = attached.as_ref().map(|_| policy::FILE);
        let instance = Instance::new(&model, &properties(&lake, encoding, file)).with_drawing(&drawing::drawing(&lake));
        Ok(match attached {
            Some(attached) => instance.with_policy(&attached.policy, attached.networks),
            None => instance,
        })
    }
}

/// The agent of the given folder, where it has one by that name; else what the shared parameters ask for. Either way the
/// weights of a given `.nnet` are in single precision, as the agent's are.
fn attach(values: &Values, features: &[String]) -> Result<Option<Attached>, ParameterError> {
    let folder = values.text("networks");
    let names = ["nnet", "onnx"].map(|extension| format!("frozenlake_agent.{extension}"));
    let has_agent = !folder.is_empty() && names.iter().any(|name| Path::new(folder).join(name).is_file());
    if !has_agent || values.text("policy") != "none" {
        let attached = policy::attach(values, &Interface::new(features, &DIRECTIONS))?;
        return Ok(attached.map(|attached| if folder.is_empty() { attached } else { in_single_precision(attached) }));
    }
    let given = given::network(folder, &names, features.len(), DIRECTIONS.len())?;
    let policy = json!({"network": given.file.name, "inputs": features, "outputs": {"labels": DIRECTIONS}});
    Ok(Some(in_single_precision(Attached { policy, networks: vec![given.file] })))
}

/// The same with weights of a `.nnet` in single precision.
fn in_single_precision(mut attached: Attached) -> Attached {
    let name = attached.networks.first().map(|file| file.name.clone());
    if let Some(name) = name.filter(|name| name.ends_with(".nnet"))
        && let Some(policy) = attached.policy.as_object_mut()
    {
        policy.remove("network");
        policy.insert("networks".to_owned(), json!([{"file": name, "weights": "f32"}]));
    }
    attached
}

/// Can a hole be reached, and can the goal?
fn properties(lake: &Lake, encoding: Encoding, policy: Option<&str>) -> Vec<Value> {
    let start = || condition(&encoding.on(lake, 1));
    let holes = any(lake.holes.iter().map(|hole| eq("tile", *hole)));
    let goal = eq("tile", lake.goal());
    vec![
        safety("holes", "can the agent fall into a hole?", start(), condition(&holes), policy),
        safety("goal", "can the agent reach the goal?", start(), condition(&goal), policy),
    ]
}

fn condition(expression: &Value) -> Value {
    json!({"op": "state-condition", "exp": expression})
}
