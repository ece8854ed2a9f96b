//! Racetrack: a car with inertia drives to a goal without hitting walls (Barto, Bradtke, Singh 1995; Gros et al. 2020).
//!
//! Nine actions accelerate the car by -1, 0 or 1 in each of two coordinates. The acceleration changes the velocity, which
//! stays within a limit; the new velocity changes the position. A move that ends in (or, with `collision=full`, leads over)
//! a wall, or off the map, crashes: `car0_crashed` is set and the position is kept. One that ends in (leads over) a goal
//! cell finishes there: `car0_finished` is set. In both cases the run is over. Variables and labels are called as in the
//! models of the papers, so their networks fit.
//!
//! * [`track`]: maps and moves; [`solvable`]: random start states; [`encode`]: edges; [`cover`]: sets of cells as conditions; [`drawing`]: the map
//!   and the car.

mod cover;
mod drawing;
mod encode;
mod solvable;
mod track;

use serde_json::{Value, json};

use self::encode::{Rules, accelerations, at, label};
use self::solvable::{Driving, sample, solvable};
use self::track::{Cell, Collision, Pair, Track};
use crate::policy::{self, Attached, Interface};
use crate::text::{OneAutomaton, boolean, int, integer};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

const X: &str = "car0_x";
const Y: &str = "car0_y";
const DX: &str = "car0_dx";
const DY: &str = "car0_dy";
const CRASHED: &str = "car0_crashed";
const FINISHED: &str = "car0_finished";
/// Only with the full check: between the two halves of a step.
const MOVING: &str = "car0_moving";

/// The domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Racetrack;

impl Domain for Racetrack {
    fn name(&self) -> &'static str {
        "racetrack"
    }

    fn summary(&self) -> &'static str {
        "a car with inertia drives over a map to a goal without hitting walls"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![
            Parameter::text(
                "map",
                "tiny | corridor | ring | zigzag | barto-small | FILE",
                "barto-small",
                "the map: one that is known, or a file with a line of x . s g per row",
            ),
            Parameter::integer("velocity", 1, 10, "8", "largest velocity in each coordinate"),
            Parameter::choice(
                "collision",
                &["simple", "full"],
                "a crash is seen where a move ends, or all along its line",
            ),
            Parameter::integer("failure", 0, 99, "0", "in so many of a hundred cases an acceleration has no effect"),
            Parameter::choice(
                "start",
                &["one", "states", "condition"],
                "the first s at rest, random solvable states, or any solvable place at rest",
            ),
            Parameter::integer("count", 1, 100_000, "100", "number of random start states"),
            Parameter::integer("seed", 0, i64::MAX, "1", "which random start states"),
        ];
        parameters.extend(policy::parameters(&["towards-goal"]));
        parameters
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let map = values.text("map");
        let track = Track::load(map)?;
        let collision = if values.text("collision") == "full" { Collision::Full } else { Collision::Simple };
        let (limit, failure) = (values.integer("velocity"), values.integer("failure"));
        let rules = Rules { track: &track, collision, limit, failure };
        let start = track.of(Cell::Start).next().unwrap_or_default();
        let start_set = match values.text("start") {
            "one" => None,
            kind => Some(start_set(&rules, map, kind, values)?),
        };
        let mut variables = vec![
            integer(X, 0, track.width - 1, start.0),
            integer(Y, 0, track.height - 1, start.1),
            integer(DX, -limit, limit, 0),
            integer(DY, -limit, limit, 0),
            boolean(CRASHED, false),
            boolean(FINISHED, false),
        ];
        if collision == Collision::Full {
            variables.push(boolean(MOVING, false));
        }
        let model = OneAutomaton {
            name: format!("racetrack_{}", map_name(map)),
            probabilistic: failure > 0,
            actions: accelerations().map(label).collect(),
            variables,
            edges: rules.edges(),
            ..OneAutomaton::default()
        };
        let attached = policy_of(values, &track)?;
        let file = attached.as_ref().map(|_| policy::FILE);
        let instance = Instance::new(&model.model(), &properties(start_set, failure > 0, file));
        let instance = instance.with_drawing(&drawing::drawing(&track));
        Ok(match attached {
            Some(attached) => instance.with_policy(&attached.policy, attached.networks),
            None => instance,
        })
    }
}

/// The map's name without folders and extension.
fn map_name(map: &str) -> String {
    let stem = std::path::Path::new(map).file_stem();
    stem.map_or_else(|| "map".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn start_set(rules: &Rules<'_>, map: &str, kind: &str, values: &Values) -> Result<Value, ParameterError> {
    let states = solvable(rules.track, rules.collision, rules.limit);
    if states.is_empty() {
        return Err(ParameterError::new(format!("map={map}: no goal can be reached from anywhere")));
    }
    if kind == "condition" {
        // Solvable states come in the order of places, so these are in rows.
        let resting = states.iter().filter(|(_, velocity)| *velocity == (0, 0)).map(|(place, _)| *place);
        return Ok(at(resting, 0, rules.collision));
    }
    let seed = values.integer("seed").unsigned_abs();
    let chosen = sample(states, values.size("count"), seed);
    let entries: Vec<Value> = chosen.iter().map(values_of).collect();
    Ok(json!({"op": "states-values", "values": entries}))
}

fn values_of(((x, y), (dx, dy)): &Driving) -> Value {
    let variables: Vec<Value> =
        [(X, x), (Y, y), (DX, dx), (DY, dy)].iter().map(|(var, value)| json!({"var": var, "value": value})).collect();
    json!({"variables": variables})
}

/// Never crash; and can the goal be reached from the model's own start, how probably?
fn properties(start: Option<Value>, probabilistic: bool, policy: Option<&str>) -> Vec<Value> {
    let mut safe = json!({"op": "PA", "reach": CRASHED, "objective": {"op": "objective", "goal": FINISHED}});
    if let Some(start) = start {
        safe["start"] = start;
    }
    if let Some(file) = policy {
        safe["file"] = json!(file);
    }
    let filter = |fun: &str, quantifier: &str| {
        let values = json!({"op": quantifier, "exp": {"op": "F", "exp": FINISHED}});
        json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}})
    };
    let mut properties = vec![
        json!({"name": "no-crash", "comment": "The car never crashes.", "expression": safe}),
        json!({"name": "arrives", "comment": "The goal can be reached from the first start cell.",
               "expression": filter("∃", "∃")}),
    ];
    if probabilistic {
        properties.push(json!({"name": "arrives-probability",
            "comment": "How probably the goal is reached from the first start cell.", "expression": filter("max", "Pmax")}));
    }
    properties
}

fn policy_of(values: &Values, track: &Track) -> Result<Option<Attached>, ParameterError> {
    let labels: Vec<String> = accelerations().map(label).collect();
    // The order of the papers' networks.
    let interface = Interface::new(&[Y, X, DY, DX], &labels);
    match policy::attach(values, &interface)? {
        None if values.text("policy") == "towards-goal" => Ok(Some(towards_goal(track, &interface))),
        attached => Ok(attached),
    }
}

/// Accelerates towards the middle of the goal cells, less the faster the car is: with `u = (goal - x) - 2 dx` per
/// coordinate, an acceleration scores `ax ux + ay uy`, less a half per coordinate in which it is not 0.
#[expect(clippy::cast_precision_loss, reason = "coordinates of a map")]
fn towards_goal(track: &Track, interface: &Interface) -> Attached {
    let goals: Vec<Pair> = track.of(Cell::Goal).collect();
    // Whole numbers of cells, so that all weights are exact.
    let middle = |coordinate: fn(&Pair) -> i64| {
        let sum: i64 = goals.iter().map(coordinate).sum();
        let goals = int(goals.len());
        (2 * sum + goals).div_euclid(2 * goals) as f64
    };
    let (goal_x, goal_y) = (middle(|g| g.0), middle(|g| g.1));
    // Inputs are y, x, dy, dx; hidden neurons are the positive parts of ux, -ux, uy, -uy.
    let hidden = [[0.0, -1.0, 0.0, -2.0], [0.0, 1.0, 0.0, 2.0], [-1.0, 0.0, -2.0, 0.0], [1.0, 0.0, 2.0, 0.0]];
    let first = (hidden.concat(), vec![goal_x, -goal_x, goal_y, -goal_y]);
    let (weights, bias): (Vec<[f64; 4]>, Vec<f64>) = accelerations()
        .map(|(ax, ay)| {
            let (x, y) = (ax as f64, ay as f64);
            ([x, 0.0 - x, y, 0.0 - y], -0.5 * (x.abs() + y.abs()))
        })
        .unzip();
    policy::scripted(interface, "Accelerates towards the middle of the goal.", vec![first, (weights.concat(), bias)])
}
