//! Transport: trucks carry packages along a line of positions, and must neither drop nor overload.
//!
//! `truck_t` is a truck's position, `package_p` a package's: the number of a position where it lies, or `length + t` when it
//! is on truck `t`; `load_t` counts the packages on a truck. Loading a package onto a truck that carries one already may drop
//! it; loading onto a full truck overloads it. Both are accidents, after which nothing moves any more.
//!
//! * [`moves`]: the edges;
//! * [`conditions`]: start, goal and unsafe conditions;
//! * [`drawing`]: a state as a picture;
//! * [`script`]: policies that are written down rather than learned.

mod conditions;
mod drawing;
mod moves;
mod script;

use serde_json::Value;

use crate::policy::{self, Interface};
use crate::text::{OneAutomaton, integer};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

/// Who decides whether a package drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drop {
    /// Packages do not drop.
    Off,
    /// They drop with a probability.
    Chance,
    /// The environment decides.
    Choice,
}

/// Where runs start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Everything at the first position.
    One,
    /// Trucks anywhere, packages on the ground in the order of their numbers.
    Order,
    /// Trucks and packages anywhere, packages on the ground.
    Ground,
    /// Trucks anywhere, packages on the ground or on trucks.
    Any,
}

/// The parameters, read.
#[derive(Debug, Clone, Copy)]
struct World {
    length: i64,
    trucks: i64,
    packages: i64,
    capacity: i64,
    start: Start,
    drop: Drop,
    drop_percent: i64,
}

/// The name of the variable that says where a truck is.
fn truck(t: i64) -> String {
    format!("truck_{t}")
}

/// The name of the variable that says where a package is.
fn package(p: i64) -> String {
    format!("package_{p}")
}

/// The name of the variable that counts the packages on a truck.
fn load(t: i64) -> String {
    format!("load_{t}")
}

impl World {
    fn new(values: &Values) -> Result<Self, ParameterError> {
        let (packages, drops) = (values.integer("packages"), values.text("drop") != "off");
        if packages == 1 && !drops {
            return Err(ParameterError::new(
                "packages=1 is not possible with drop=off: one package can never be unsafe, since a truck takes at least one; \
                 give packages=2 or more",
            ));
        }
        let capacity = match values.integer("capacity") {
            // Where nothing drops, a truck must not be able to take everything.
            0 if !drops => (packages - 1).min(2),
            0 => 2,
            given => given,
        };
        let world = Self {
            length: values.integer("length"),
            trucks: values.integer("trucks"),
            packages,
            capacity,
            start: match values.text("start") {
                "one" => Start::One,
                "order" => Start::Order,
                "any" => Start::Any,
                _ => Start::Ground,
            },
            drop: match values.text("drop") {
                "on" => Drop::Chance,
                "choice" => Drop::Choice,
                _ => Drop::Off,
            },
            drop_percent: values.integer("drop_percent"),
        };
        if world.drop == Drop::Off && world.capacity >= world.packages {
            return Err(ParameterError::new(format!(
                "capacity={} is not possible with packages={} and drop=off: a truck would take all packages, and nothing \
                 could go wrong; give at most capacity={}, or drop=on",
                world.capacity,
                world.packages,
                world.packages - 1
            )));
        }
        Ok(world)
    }

    /// Labels in the order of the policy's outputs.
    fn actions(&self) -> Vec<String> {
        let mut actions = Vec::new();
        for t in 0..self.trucks {
            actions.push(format!("drive_left_{t}"));
            actions.push(format!("drive_right_{t}"));
            actions.extend((0..self.packages).map(|p| format!("load_{p}_{t}")));
            actions.extend((0..self.packages).map(|p| format!("unload_{p}_{t}")));
        }
        actions
    }

    /// What the policy reads: everything but whether there was an accident.
    fn inputs(&self) -> Vec<String> {
        let trucks = (0..self.trucks).map(truck);
        trucks.chain((0..self.packages).map(package)).chain((0..self.trucks).map(load)).collect()
    }

    fn variables(&self) -> Vec<Value> {
        let mut variables: Vec<Value> = (0..self.trucks).map(|t| integer(&truck(t), 0, self.length - 1, 0)).collect();
        let last = self.length + self.trucks - 1;
        variables.extend((0..self.packages).map(|p| integer(&package(p), 0, last, 0)));
        variables.extend((0..self.trucks).map(|t| integer(&load(t), 0, self.capacity + 1, 0)));
        variables.push(integer("accident", 0, 2, 0));
        variables
    }

    fn model(&self) -> Value {
        let automaton = OneAutomaton {
            name: format!("transport_{}_{}_{}_{}", self.length, self.trucks, self.packages, self.capacity),
            probabilistic: self.drop == Drop::Chance,
            actions: self.actions(),
            constants: Vec::new(),
            variables: self.variables(),
            restrict_initial: None,
            edges: moves::edges(self),
        };
        automaton.model()
    }
}

/// The domain.
pub(crate) struct Transport;

impl Domain for Transport {
    fn name(&self) -> &'static str {
        "transport"
    }

    fn summary(&self) -> &'static str {
        "trucks carry packages along a line; unsafe: a package drops or a truck is overloaded"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let own = vec![
            Parameter::integer("length", 2, 100, "5", "number of positions"),
            Parameter::integer("trucks", 1, 4, "1", "number of trucks"),
            Parameter::integer("packages", 1, 12, "3", "number of packages"),
            Parameter::integer(
                "capacity",
                0,
                12,
                "0",
                "most packages on a truck; 0 = two, or one for two packages that do not drop",
            ),
            Parameter::choice(
                "start",
                &["ground", "one", "order", "any"],
                "packages on the ground; all at the first position; on the ground in order; on the ground or on trucks",
            ),
            Parameter::choice(
                "drop",
                &["off", "on", "choice"],
                "whether a second package on a truck may drop: no; by chance; if the environment wants it",
            ),
            Parameter::integer("drop_percent", 1, 99, "10", "how likely it drops by chance"),
            Parameter::choice("filter", &["off", "on"], "whether the policy chooses among applicable labels only"),
        ];
        own.into_iter().chain(policy::parameters(&["single", "greedy"])).collect()
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let world = World::new(values)?;
        let mut interface = Interface::new(&world.inputs(), &world.actions());
        interface.filter = values.text("filter") == "on";
        let attached = match policy::attach(values, &interface)? {
            None => script::script(&world, &interface, values.text("policy"))?,
            attached => attached,
        };
        let property = conditions::property(&world, attached.as_ref().map(|_| policy::FILE));
        let instance = Instance::new(&world.model(), &[property]).with_drawing(&drawing::drawing(&world));
        Ok(match attached {
            Some(attached) => instance.with_policy(&attached.policy, attached.networks),
            None => instance,
        })
    }
}
