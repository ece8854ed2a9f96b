//! SlidingTiles: the 8-puzzle and its relatives, with moves that fail and cells on which a tile must not be.
//!
//! Labels and variables are those of the models on which policy predicate abstraction was evaluated: `empty` and
//! `tile_1`, `tile_2`, ... hold cells, counted from 0 row by row; `move_left` moves the empty cell to the left, so a tile to
//! the right. A move of a tile that fails costs: `cost_tile_i` grows up to a bound.
//!
//! * [`board`]: cells, neighbours, goal, unsafe positions;
//! * [`moves`]: the edges, slipping included;
//! * [`drawing`]: the board as a picture.

mod board;
mod drawing;
mod moves;

use serde_json::{Value, json};

use self::board::{Board, MOVES, Unsafe};
use crate::policy::{self, Interface};
use crate::text::{OneAutomaton, all, any, div, eq, int, integer, le, ne, not, safety};
use crate::{Domain, Instance, Parameter, ParameterError, Values};

/// More cells than this are more than anybody needs; the number of edges grows with it.
const MAX_CELLS: usize = 25;

/// The domain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiles;

/// The parameters, read.
#[derive(Debug, Clone)]
struct Puzzle {
    board: Board,
    unsafe_positions: Vec<Unsafe>,
    /// Tiles that may slip; none without slipping.
    hanging: Vec<Unsafe>,
    /// The largest costs of a tile; 0 for no costs at all.
    bound: i64,
    step_cost: bool,
}

/// The name of the variable with a tile's cell.
fn tile(i: usize) -> String {
    format!("tile_{i}")
}

/// The name of the variable with the costs of moving a tile.
fn cost(i: usize) -> String {
    format!("cost_tile_{i}")
}

impl Domain for Tiles {
    fn name(&self) -> &'static str {
        "tiles"
    }

    fn summary(&self) -> &'static str {
        "the 8-puzzle in any size; moves fail and cost; unsafe: a tile on a cell it must not be on"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![
            Parameter::integer("rows", 2, 12, "3", "number of rows"),
            Parameter::integer("columns", 2, 12, "3", "number of columns"),
            Parameter::integer(
                "bound",
                0,
                1000,
                "1",
                "bound of the costs that failed moves of a tile add up to; 0 = none",
            ),
            Parameter::integer("failing", 0, 100, "50", "of a hundred moves so many fail"),
            Parameter::choice("cost_terminal", &["off", "on"], "whether a tile with costs at the bound is stuck"),
            Parameter::choice("step_cost", &["off", "on"], "a variable with the cost of the last move, for rewards"),
            Parameter::text(
                "unsafe",
                "TILE@CELL,...",
                "",
                "unsafe positions, as in 3@7,1@8; empty = tile 3 on the last cell but one",
            ),
            Parameter::integer(
                "slip",
                0,
                100,
                "0",
                "of a hundred moves beside a tile next to its empty unsafe cell, so many slip",
            ),
            Parameter::choice(
                "start",
                &["order", "all", "one"],
                "every tile before the one a row further; any arrangement; tiles in order, the first cell empty",
            ),
            Parameter::choice(
                "wrap",
                &["off", "on"],
                "whether rows end beside the next one, as in the papers' encoding",
            ),
            Parameter::choice("costs", &["aware", "ignoring"], "whether the policy reads the costs"),
            Parameter::choice("filter", &["off", "on"], "whether the policy chooses among possible moves only"),
        ];
        parameters.extend(policy::parameters(&[]));
        parameters
    }

    fn generate(&self, values: &Values) -> Result<Instance, ParameterError> {
        let puzzle = Puzzle::new(values)?;
        let attached = policy::attach(values, &puzzle.interface(values))?;
        let file = attached.as_ref().map(|_| policy::FILE);
        let mut property = safety(
            "unsafe",
            "can a tile get to a cell on which it must not be?",
            condition(&puzzle.start(values.text("start"))),
            condition(&puzzle.is_unsafe()),
            file,
        );
        let goal = condition(&puzzle.goal());
        property["expression"]["objective"] = json!({"op": "objective", "goal": goal, "accumulate": ["steps"]});
        let instance = Instance::new(&puzzle.model(values), &[property]).with_drawing(&drawing::drawing(&puzzle));
        Ok(match attached {
            Some(attached) => instance.with_policy(&attached.policy, attached.networks),
            None => instance,
        })
    }
}

impl Puzzle {
    fn new(values: &Values) -> Result<Self, ParameterError> {
        let on = |name: &str| values.text(name) == "on";
        let board = Board { rows: values.size("rows"), columns: values.size("columns"), wrap: on("wrap") };
        if board.cells() > MAX_CELLS {
            return Err(ParameterError::new(format!(
                "rows={} and columns={} make {} cells; at most {MAX_CELLS} are possible",
                board.rows,
                board.columns,
                board.cells()
            )));
        }
        let unsafe_positions = board.unsafe_positions(values.text("unsafe"))?;
        // At first tile i is on cell i.
        if values.text("start") == "one"
            && let Some(Unsafe { tile, cell }) = unsafe_positions.iter().find(|u| u.tile == u.cell)
        {
            return Err(ParameterError::new(format!(
                "unsafe={} is not possible with start=one: tile {tile} is on cell {cell} at the start, so the start is \
                 unsafe already; give another cell, or start=order or start=all, which leave unsafe states out",
                values.text("unsafe")
            )));
        }
        let hanging = if values.integer("slip") > 0 { unsafe_positions.clone() } else { Vec::new() };
        let bound = values.integer("bound");
        for name in ["cost_terminal", "step_cost"] {
            if bound == 0 && on(name) {
                return Err(ParameterError::new(format!("{name}=on is about costs, but with bound=0 there are none")));
            }
        }
        Ok(Self { board, unsafe_positions, hanging, bound, step_cost: on("step_cost") })
    }

    fn tiles(&self) -> std::ops::Range<usize> {
        1..self.board.cells()
    }

    fn interface(&self, values: &Values) -> Interface {
        let mut inputs: Vec<String> = std::iter::once("empty".to_owned()).chain(self.tiles().map(tile)).collect();
        if self.bound > 0 && values.text("costs") == "aware" {
            inputs.extend(self.tiles().map(cost));
        }
        let interface = Interface::new(&inputs, &MOVES);
        if values.text("filter") == "on" { interface.filtered() } else { interface }
    }

    fn model(&self, values: &Values) -> Value {
        let mut constants = Vec::new();
        if self.bound > 0 {
            let terminal = values.text("cost_terminal") == "on";
            constants.extend([
                json!({"name": "failing_probability", "type": "real", "value": div(values.integer("failing"), 100)}),
                json!({"name": "item_cost_bound", "type": "int", "value": self.bound}),
                json!({"name": "cost_terminal", "type": "bool", "value": terminal}),
            ]);
        }
        if !self.hanging.is_empty() {
            let value = div(values.integer("slip"), 100);
            constants.push(json!({"name": "slip_probability", "type": "real", "value": value}));
        }
        OneAutomaton {
            name: format!("tiles_{}_{}", self.board.rows, self.board.columns),
            probabilistic: self.bound > 0 || !self.hanging.is_empty(),
            actions: MOVES.map(str::to_owned).to_vec(),
            constants,
            variables: self.variables(),
            restrict_initial: None,
            edges: moves::edges(self),
        }
        .model()
    }

    fn variables(&self) -> Vec<Value> {
        let last = int(self.board.cells()) - 1;
        let mut variables = vec![integer("empty", 0, last, 0)];
        variables.extend(self.tiles().map(|i| integer(&tile(i), 0, last, int(i))));
        variables.extend(self.cost_variables().into_iter().map(|name| {
            let mut variable = integer(&name, 0, self.bound, 0);
            variable["type"]["upper-bound"] = json!("item_cost_bound");
            variable
        }));
        variables
    }

    fn cost_variables(&self) -> Vec<String> {
        let costs = if self.bound > 0 { self.tiles() } else { 1..1 };
        costs.map(cost).chain(self.step_cost.then(|| "step_cost".to_owned())).collect()
    }

    /// Names of everything that is on a cell, in the order of cells at first.
    fn names(&self) -> Vec<String> {
        std::iter::once("empty".to_owned()).chain(self.tiles().map(tile)).collect()
    }

    /// An arrangement, by the cells of the empty cell and of the tiles.
    fn arranged(&self, cells: impl IntoIterator<Item = usize>) -> Value {
        all(self.names().into_iter().zip(cells).map(|(name, cell)| eq(name, cell)))
    }

    fn goal(&self) -> Value {
        self.arranged(self.board.goal())
    }

    fn is_unsafe(&self) -> Value {
        any(self.unsafe_positions.iter().map(|u| eq(tile(u.tile), u.cell)))
    }

    /// Start states have no costs. Those of a condition are neither unsafe nor the goal.
    fn start(&self, kind: &str) -> Value {
        let free = self.cost_variables().into_iter().map(|name| eq(name, 0));
        if kind == "one" {
            return all([self.arranged(0..self.board.cells())].into_iter().chain(free));
        }
        let names = self.names();
        let pairs = names.iter().enumerate().flat_map(|(i, one)| names[i + 1..].iter().map(move |other| (one, other)));
        let mut conditions: Vec<Value> = pairs.map(|(one, other)| ne(one.clone(), other.clone())).collect();
        conditions.extend(self.unsafe_positions.iter().map(|u| ne(tile(u.tile), u.cell)));
        conditions.push(not(self.goal()));
        if kind == "order" {
            let below =
                self.tiles().map(|i| (i, i + self.board.columns)).filter(|(_, other)| *other < self.board.cells());
            conditions.extend(below.map(|(i, other)| le(tile(i), tile(other))));
        }
        all(conditions.into_iter().chain(free))
    }
}

fn condition(expression: &Value) -> Value {
    json!({"op": "state-condition", "exp": expression})
}
