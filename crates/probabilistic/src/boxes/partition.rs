//! The cells: per configuration of the explicit variables, a tree of cuts over the ranges of the others.
//!
//! A configuration comes into being when a move leads to it, with one cell that has all its states; cuts are local to a cell. So cells are disjoint, and
//! every state of a known configuration lies in one of them.
//!
//! What is known of a cell before it is cut is true of its parts: a label that is chosen nowhere in it is chosen nowhere in them, a condition that
//! holds everywhere does so in them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::System;
use surefoot_text::diagnostic::Diagnostic;

use super::program::Program;
use super::range::Range;
use super::slots::Slots;

/// The target that stands for any state at all.
pub(crate) const ANYWHERE: u32 = u32::MAX;

/// A move to more configurations than this may lead anywhere.
pub(crate) const MOST_CONFIGURATIONS: u64 = 1024;

/// Where a label is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Label {
    /// It was not asked.
    Unasked,
    /// Nowhere in the cell.
    Nowhere,
    /// Somewhere, in this point as it seems, or as far as is known.
    Possible(Option<Arc<[i64]>>),
}

/// Whether states are to be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Danger {
    /// It was not asked.
    Unasked,
    /// None of the cell.
    None,
    /// All of the cell.
    All,
    /// Some, as far as is known.
    Some,
}

/// A move: an operator, and per outcome the cells that it may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) operator: usize,
    pub(crate) targets: Box<[Box<[u32]>]>,
}

/// A box of states.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Per slot.
    pub(crate) ranges: Box<[Range]>,
    /// What can happen there.
    pub(crate) program: usize,
    /// The operators whose guards its configuration does not exclude.
    pub(crate) operators: Arc<[usize]>,
    /// Per label of the program.
    pub(crate) labels: Box<[Label]>,
    pub(crate) danger: Danger,
    /// Whether it holds start states.
    pub(crate) start: bool,
    /// Its moves, if they are up to date.
    pub(crate) moves: Option<Vec<Move>>,
    /// Cells that had moves into it.
    sources: Vec<u32>,
    /// The bound of the abstraction on its value.
    pub(crate) value: f64,
    /// Where it was cut, and where its parts are.
    pub(crate) cut: Option<Cut>,
    /// Whether errors of the model are excluded.
    pub(crate) faultless: bool,
    node: u32,
}

/// A cut: states with at most this value of the slot go below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) slot: usize,
    pub(crate) at: i64,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Leaf(u32),
    Inner(Cut, [u32; 2]),
}

/// All cells.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) slots: Slots,
    pub(crate) programs: Vec<Program>,
    by_locations: FxHashMap<Box<[u32]>, usize>,
    roots: FxHashMap<Box<[i64]>, u32>,
    nodes: Vec<Node>,
    pub(crate) cells: Vec<Cell>,
    /// Boxes of start states, by configuration.
    pub(super) starts: FxHashMap<Box<[i64]>, Vec<Box<[Range]>>>,
    /// Cells that hold start states, cut ones among them.
    pub(crate) start_cells: Vec<u32>,
    pub(crate) cuts: u64,
    /// The value of what nothing is known of.
    worst: f64,
}

impl Partition {
    /// No cells. The worst value is that of what nothing is known of.
    pub(crate) fn new(slots: Slots, worst: f64) -> Self {
        Self {
            slots,
            programs: Vec::new(),
            by_locations: FxHashMap::default(),
            roots: FxHashMap::default(),
            nodes: Vec::new(),
            cells: Vec::new(),
            starts: FxHashMap::default(),
            start_cells: Vec::new(),
            cuts: 0,
            worst,
        }
    }

    /// Whether it matters where runs may stop: for the smallest value.
    pub(crate) fn minds_stops(&self) -> bool {
        self.worst == 0.0
    }

    /// The program at given locations.
    fn program(&mut self, system: &mut System<'_>, locations: &[u32]) -> Result<usize, Diagnostic> {
        if let Some(known) = self.by_locations.get(locations) {
            return Ok(*known);
        }
        self.programs.push(Program::new(system, locations, self.minds_stops())?);
        self.by_locations.insert(locations.into(), self.programs.len() - 1);
        Ok(self.programs.len() - 1)
    }

    /// The tree of a configuration, which is made if it is not there.
    pub(super) fn root(
        &mut self,
        system: &mut System<'_>,
        configuration: &[i64],
        value: impl Fn(usize) -> i64,
    ) -> Result<u32, Diagnostic> {
        if let Some(root) = self.roots.get(configuration) {
            return Ok(*root);
        }
        let range = |slot: usize| match self.slots.explicit[slot] {
            true => (value(slot), value(slot)),
            false => self.slots.domains[slot],
        };
        let ranges: Box<[Range]> = (0..self.slots.domains.len()).map(range).collect();
        let instances = system.model().instances.len();
        let locations: Box<[u32]> =
            ranges[..instances].iter().map(|(l, _)| u32::try_from(*l).expect("locations are numbers from 0")).collect();
        let program = self.program(system, &locations)?;
        let node = number(self.nodes.len());
        let operators = self.programs[program].operators.iter().enumerate();
        let possible = operators.filter(|(_, operator)| operator.guard.truth(&ranges) != Some(false));
        let cell = Cell {
            operators: possible.map(|(number, _)| number).collect(),
            ranges,
            program,
            labels: vec![Label::Unasked; self.programs[program].labels].into(),
            danger: Danger::Unasked,
            start: false,
            moves: None,
            sources: Vec::new(),
            value: self.worst,
            cut: None,
            faultless: false,
            node,
        };
        self.nodes.push(Node::Leaf(number(self.cells.len())));
        self.cells.push(cell);
        self.roots.insert(configuration.into(), node);
        Ok(node)
    }

    /// The cells that a box meets; new configurations are entered. Nothing where there are too many.
    pub(crate) fn meets(
        &mut self,
        system: &mut System<'_>,
        ranges: &[Range],
        found: &mut Vec<u32>,
    ) -> Result<(), Diagnostic> {
        let open: Vec<usize> =
            (0..ranges.len()).filter(|s| self.slots.explicit[*s] && ranges[*s].0 < ranges[*s].1).collect();
        let width = |slot: &usize| ranges[*slot].1.abs_diff(ranges[*slot].0);
        let count = open.iter().fold(1u64, |count, slot| count.saturating_mul(width(slot).saturating_add(1)));
        if count > MOST_CONFIGURATIONS {
            found.push(ANYWHERE);
            return Ok(());
        }
        let mut values: Vec<i64> = ranges.iter().map(|(lower, _)| *lower).collect();
        loop {
            let configuration = self.slots.configuration(|slot| values[slot]);
            let root = self.root(system, &configuration, |slot| values[slot])?;
            self.leaves(root, ranges, found);
            let Some(last) = open.iter().rposition(|slot| values[*slot] < ranges[*slot].1) else { return Ok(()) };
            values[open[last]] += 1;
            for slot in &open[last + 1..] {
                values[*slot] = ranges[*slot].0;
            }
        }
    }

    /// The leaves below a node that a box meets.
    pub(super) fn leaves(&self, node: u32, ranges: &[Range], found: &mut Vec<u32>) {
        match self.nodes[node as usize] {
            Node::Leaf(cell) => found.push(cell),
            Node::Inner(Cut { slot, at }, [below, above]) => {
                if ranges[slot].0 <= at {
                    self.leaves(below, ranges, found);
                }
                if ranges[slot].1 > at {
                    self.leaves(above, ranges, found);
                }
            }
        }
    }

    /// The cell of a state; `None` where its configuration is not known.
    pub(crate) fn cell_of(&self, values: &[i64]) -> Option<u32> {
        let configuration = self.slots.configuration(|slot| values[slot]);
        let mut node = *self.roots.get(&configuration)?;
        loop {
            match self.nodes[node as usize] {
                Node::Leaf(cell) => return Some(cell),
                Node::Inner(Cut { slot, at }, [below, above]) => node = if values[slot] <= at { below } else { above },
            }
        }
    }

    /// Sets the moves of a cell.
    pub(crate) fn set_moves(&mut self, cell: u32, moves: Vec<Move>) {
        for target in moves.iter().flat_map(|step| &step.targets).flatten().filter(|target| **target != ANYWHERE) {
            let sources = &mut self.cells[*target as usize].sources;
            if sources.last() != Some(&cell) {
                sources.push(cell);
            }
        }
        self.cells[cell as usize].moves = Some(moves);
    }

    /// Cuts a cell; moves into it are out of date then. False where there is nothing to cut.
    pub(crate) fn cut(&mut self, id: u32, cut: Cut) -> bool {
        let cell = &self.cells[id as usize];
        let (lower, upper) = cell.ranges[cut.slot];
        if cell.cut.is_some() || !(lower <= cut.at && cut.at < upper) {
            return false;
        }
        let parts = [(lower, cut.at), (cut.at + 1, upper)].map(|range| self.part(id, cut.slot, range));
        let children = parts.map(|part| {
            let node = number(self.nodes.len());
            self.nodes.push(Node::Leaf(number(self.cells.len())));
            if part.start {
                self.start_cells.push(number(self.cells.len()));
            }
            self.cells.push(Cell { node, ..part });
            node
        });
        let cell = &mut self.cells[id as usize];
        let node = cell.node;
        cell.cut = Some(cut);
        cell.moves = None;
        cell.labels = Box::default();
        for source in std::mem::take(&mut cell.sources) {
            self.cells[source as usize].moves = None;
        }
        self.nodes[node as usize] = Node::Inner(cut, children);
        self.cuts += 1;
        true
    }

    /// A part of a cell: what is known of the whole is known of it.
    fn part(&self, id: u32, slot: usize, range: Range) -> Cell {
        let whole = &self.cells[id as usize];
        let mut ranges = whole.ranges.clone();
        ranges[slot] = range;
        let inside = |point: &Arc<[i64]>| point.iter().zip(&ranges).all(|(v, (lower, upper))| lower <= v && v <= upper);
        // Points were seen by floats only; in a single state labels are decided exactly.
        let several = ranges.iter().any(|(lower, upper)| lower < upper);
        let label = |label: &Label| match label {
            Label::Nowhere => Label::Nowhere,
            Label::Possible(Some(point)) if several && inside(point) => Label::Possible(Some(point.clone())),
            Label::Possible(_) | Label::Unasked => Label::Unasked,
        };
        let configuration = self.slots.configuration(|slot| ranges[slot].0);
        let starts = self.starts.get(&configuration).filter(|_| whole.start);
        let start = starts.is_some_and(|boxes| boxes.iter().any(|start| self.slots.overlap(start, &ranges)));
        Cell {
            program: whole.program,
            operators: whole.operators.clone(),
            labels: whole.labels.iter().map(label).collect(),
            danger: if whole.danger == Danger::Some { Danger::Unasked } else { whole.danger },
            start,
            moves: None,
            sources: Vec::new(),
            value: whole.value,
            cut: None,
            faultless: whole.faultless,
            node: 0,
            ranges,
        }
    }

    /// The bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        // Ranges, labels, and moves with a handful of targets.
        self.cells.len() * (size_of::<Cell>() + self.slots.domains.len() * size_of::<Range>() + 600)
            + self.roots.len() * (self.slots.domains.len() * 8 + 64)
    }
}

/// A number of 32 bits.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 cells")
}
