//! Blocksworld: a hand stacks blocks, moves fail, and the table must not fill up.
//!
//! Variables, labels and guards are those of the models on which policy predicate abstraction was evaluated, so that
//! networks trained there fit: `block_i` is 0 in the hand, 1 on the table, and 2, 3, ... on the other blocks in their
//! order. A move of a block that fails costs: `cost_block_i` grows, and a block whose costs are at the bound stays where it
//! is for good.
//!
//! * [`moves`]: the edges;
//! * [`conditions`]: start, goal and unsafe conditions;
//! * [`drawing`]: a state as a picture;
//! * [`script`]: policies that are written down rather than learned.

mod conditions;
mod drawing;
mod moves;
mod script;

use serde_json::{Value, json};

use crate::policy::{self, Interface};
use crate::text::{OneAutomaton, integer};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

/// What happens when a move fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// The environment decides whether a move fails.
    Choice,
    /// Moves fail with a probability.
    Chance,
    /// Moves do not fail.
    Never,
}

/// Where runs start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Blocks only on blocks of a larger number, no costs.
    Order,
    /// One tower, block 0 on top, no costs.
    One,
    /// As `Order`, with any costs.
    Free,
}

/// The parameters, read.
#[derive(Debug, Clone, Copy)]
struct World {
    blocks: usize,
    cost_bound: i64,
    limit: usize,
    start: Start,
    start_table: usize,
    drop: bool,
    failure: Failure,
    /// Whether a failure raises costs to any value up to the bound, and the bound stops no move.
    any_growth: bool,
    step_cost: bool,
}

/// The name of the variable that says where a block is.
fn block(i: usize) -> String {
    format!("block_{i}")
}

/// The name of the flag that says whether a block is clear.
fn clear(i: usize) -> String {
    format!("clear_{i}")
}

/// The name of the variable that holds the costs of moving a block.
fn cost(i: usize) -> String {
    format!("cost_block_{i}")
}

/// The value of `block_i` when it is on block `j`.
fn on(i: usize, j: usize) -> usize {
    if j < i { j + 2 } else { j + 1 }
}

impl World {
    fn new(values: &Values) -> Result<Self, ParameterError> {
        let blocks = values.size("blocks");
        let or_most = |name: &str| match values.size(name) {
            0 => blocks - 1,
            given => given,
        };
        let drop = values.text("drop") == "on";
        let world = Self {
            blocks,
            cost_bound: values.integer("bound"),
            limit: or_most("limit"),
            start: match values.text("start") {
                "one" => Start::One,
                "free" => Start::Free,
                _ => Start::Order,
            },
            start_table: or_most("start_table"),
            drop,
            failure: match values.text("failure") {
                "choice" => Failure::Choice,
                "chance" => Failure::Chance,
                "never" => Failure::Never,
                _ if drop => Failure::Chance,
                _ => Failure::Choice,
            },
            any_growth: values.text("growth") == "any",
            step_cost: values.text("step_cost") == "on",
        };
        if world.limit >= blocks {
            return Err(ParameterError::new(format!(
                "limit={} is not possible with blocks={blocks}: no state has more than {blocks} blocks on the table; give \
                 at most {}",
                world.limit,
                blocks - 1
            )));
        }
        if world.start_table >= blocks {
            return Err(ParameterError::new(format!(
                "start_table={} is not possible with blocks={blocks}: start states have at most {} blocks on the table",
                world.start_table,
                blocks - 1
            )));
        }
        Ok(world)
    }

    fn actions(&self) -> Vec<String> {
        let blocks = (0..self.blocks).map(|i| format!("choose_block_{i}"));
        std::iter::once("choose_table".to_owned()).chain(blocks).collect()
    }

    /// What the policy reads: everything but costs, and these too if it is aware of them.
    fn inputs(&self, aware: bool) -> Vec<String> {
        let mut inputs = vec!["hand-empty".to_owned(), "table-counter".to_owned()];
        inputs.extend((0..self.blocks).map(block));
        inputs.extend((0..self.blocks).map(clear));
        if aware {
            inputs.extend((0..self.blocks).map(cost));
        }
        inputs
    }

    /// The variables; the initial state is one tower with block 0 on top.
    fn variables(&self) -> Vec<Value> {
        let most = i64::try_from(self.blocks).expect("a handful of blocks");
        let mut variables = vec![integer("hand-empty", 0, 1, 1), integer("table-counter", 0, most, 1)];
        for i in 0..self.blocks {
            let place = if i + 1 == self.blocks { 1 } else { on(i, i + 1) };
            variables.push(integer(&block(i), 0, most, i64::try_from(place).expect("a handful of blocks")));
        }
        variables.extend((0..self.blocks).map(|i| integer(&clear(i), 0, 1, i64::from(i == 0))));
        let costs = (0..self.blocks).map(cost).chain(self.step_cost.then(|| "step_cost".to_owned()));
        variables.extend(costs.map(|name| {
            let mut variable = integer(&name, 0, self.cost_bound, 0);
            variable["type"]["upper-bound"] = json!("item_cost_bound");
            variable
        }));
        variables
    }

    fn model(&self) -> Value {
        let automaton = OneAutomaton {
            name: format!("blocksworld_{}_{}", self.blocks, self.limit),
            probabilistic: self.drop || self.failure == Failure::Chance,
            actions: self.actions(),
            constants: vec![
                json!({"name": "item_cost_bound", "type": "int", "value": self.cost_bound}),
                json!({"name": "table_limit", "type": "int", "value": self.limit}),
            ],
            variables: self.variables(),
            restrict_initial: None,
            edges: moves::edges(self),
        };
        automaton.model()
    }
}

/// The domain.
pub(crate) struct Blocksworld;

impl Domain for Blocksworld {
    fn name(&self) -> &'static str {
        "blocksworld"
    }

    fn summary(&self) -> &'static str {
        "a hand stacks blocks; moves fail or drop them; unsafe: too many blocks on the table"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let own = vec![
            Parameter::integer("blocks", 2, 12, "4", "number of blocks"),
            Parameter::integer(
                "bound",
                0,
                1000,
                "3",
                "bound of the costs that failed moves of a block add up to; 0: nothing moves, unless growth=any",
            ),
            Parameter::integer("limit", 0, 11, "0", "more blocks on the table are unsafe; 0 = all but one"),
            Parameter::choice(
                "start",
                &["order", "one", "free"],
                "blocks only on larger ones; one tower; as order with any costs",
            ),
            Parameter::integer("start_table", 0, 11, "0", "most blocks on the table at the start; 0 = all but one"),
            Parameter::choice("drop", &["off", "on"], "whether blocks may drop on the table, with probability 1/10"),
            Parameter::choice(
                "failure",
                &["auto", "choice", "chance", "never"],
                "who decides whether a move fails; auto = chance if blocks may drop, otherwise the environment's choice",
            ),
            Parameter::choice(
                "growth",
                &["one", "any"],
                "what a failure adds to the costs: one, up to the bound; anything, and the bound stops no move",
            ),
            Parameter::choice("step_cost", &["off", "on"], "a variable with the cost of the last move, for rewards"),
            Parameter::choice("costs", &["aware", "ignoring"], "whether the policy reads the costs"),
            Parameter::choice("filter", &["off", "on"], "whether the policy chooses among applicable labels only"),
        ];
        own.into_iter().chain(policy::parameters(&["stack", "unstack"])).collect()
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let world = World::new(values)?;
        let mut interface = Interface::new(&world.inputs(values.text("costs") == "aware"), &world.actions());
        interface.filter = values.text("filter") == "on";
        let attached = match policy::attach(values, &interface)? {
            None if values.text("policy") == "stack" => Some(script::stack(&world, &interface)),
            None if values.text("policy") == "unstack" => Some(script::unstack(&world, &interface)),
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
