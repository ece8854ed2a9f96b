//! Graphs of states, zoomed by what tells their states apart.
//!
//! A state has a value per *attribute*: a predicate, a variable, the location of an automaton. Attributes come in an order, and *levels* are prefixes of it: for refinement
//! level k has the predicates of the first k iterations, so a group of states that agree up to there is one abstract state of that iteration, and its
//! parts on the next level are what refinement made of it. That is the level-of-detail tree; no clustering has to be invented.
//!
//! Invariants: states are sorted by their attributes, so every group is a range; nodes are in preorder; a node's children share one level, and are two or more.
//!
//! * [`tree`]: groups; [`mod@layout`]: where their boxes are; [`of_sketch`]: abstract state spaces; [`of_states`]: concrete ones.

pub mod layout;
pub mod of_sketch;
pub mod of_states;
pub mod tree;

use serde::Serialize;

use crate::pack::{Column, Columns};
use layout::layout;
use tree::Tree;

/// No action, or several: what a silent step has in a column of 16 bits.
pub const NO_ACTION: u16 = 65_535;

/// Marks of states, as bits.
pub mod mark {
    /// A start state, or one that holds some.
    pub const START: u8 = 1;
    /// Unsafe, or holding unsafe states.
    pub const UNSAFE: u8 = 2;
    /// Nothing leaves it.
    pub const TERMINAL: u8 = 4;
    /// Nobody looked what leaves it.
    pub const UNEXPANDED: u8 = 8;
    /// On the shortest path to an unsafe state.
    pub const ON_PATH: u8 = 16;
    /// A goal state.
    pub const GOAL: u8 = 32;
}

/// What a state may be told apart by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What 0 and 1 say, of a predicate.
    pub words: Option<[String; 2]>,
    /// What its values are called, where they have names.
    pub values: Option<Vec<String>>,
    /// The variable of the page that it is, or whose ranges it has.
    pub variable: Option<usize>,
    /// Between which values the variable is, per value of this.
    pub ranges: Option<Vec<(i64, i64)>>,
}

/// A level: states agree in so many attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// What it is called.
    pub name: String,
    /// How many attributes.
    pub attributes: usize,
}

/// A transition between states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Where it begins.
    pub source: u32,
    /// Where it leads.
    pub target: u32,
    /// By which action.
    pub action: u16,
    /// How likely, where that is known.
    pub probability: f32,
}

/// States and transitions before they are arranged.
#[derive(Debug, Clone, Default)]
pub struct Sketched {
    /// The attributes, those of the coarsest level first.
    pub attributes: Vec<Attribute>,
    /// Per state, its value of each attribute.
    pub rows: Vec<Box<[i64]>>,
    /// The levels, without that of all states.
    pub levels: Vec<Level>,
    /// Per state, its marks but that of a path.
    pub marks: Vec<u8>,
    /// The transitions.
    pub edges: Vec<Edge>,
    /// Whether transitions have probabilities.
    pub probable: bool,
    /// Per state, the most and the least that is possible from there.
    pub values: Option<(Vec<f32>, Option<Vec<f32>>)>,
}

/// A graph of a page.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Graph {
    pub kind: &'static str,
    pub title: String,
    pub explained: String,
    pub count: usize,
    pub complete: bool,
    pub stopped: Option<String>,
    pub attributes: Vec<Attribute>,
    pub columns: Vec<Column>,
    pub levels: Vec<Level>,
    pub tree: TreeColumns,
    pub edges: EdgeColumns,
    pub marks: Column,
    pub layer: Column,
    pub value: Option<Column>,
    pub low: Option<Column>,
    pub path: Option<Vec<u32>>,
    pub path_actions: Option<Vec<Option<u16>>>,
}

/// The tree of groups, and where their boxes are.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct TreeColumns {
    pub count: usize,
    pub lo: Column,
    pub hi: Column,
    pub level: Column,
    pub x: Column,
    pub y: Column,
    pub w: Column,
    pub h: Column,
}

/// The transitions, by their sources.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct EdgeColumns {
    pub offsets: Column,
    pub targets: Column,
    pub action: Column,
    pub probability: Option<Column>,
}

/// Bounds in single precision, rounded up.
pub(crate) fn up(values: &[f64]) -> Vec<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "what was rounded down is taken one step up")]
    let round = |value: &f64| if f64::from(*value as f32) < *value { (*value as f32).next_up() } else { *value as f32 };
    values.iter().map(round).collect()
}

/// The same, rounded down.
pub(crate) fn down(values: &[f64]) -> Vec<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "what was rounded up is taken one step down")]
    let round =
        |value: &f64| if f64::from(*value as f32) > *value { (*value as f32).next_down() } else { *value as f32 };
    values.iter().map(round).collect()
}

/// What a graph is called, and how far it goes.
#[derive(Debug, Clone)]
pub struct About {
    /// `abstract` or `concrete`.
    pub kind: &'static str,
    /// Its title.
    pub title: String,
    /// What is to be seen.
    pub explained: String,
    /// Whether these are all transitions between its states.
    pub complete: bool,
    /// What stopped those who made it.
    pub stopped: Option<String>,
}

/// Arranges states; gives the graph, and the new number of each.
///
/// # Panics
/// Beyond 2^32 states, which do not fit a page.
#[must_use]
pub fn arrange(sketched: Sketched, about: About, columns: &mut Columns) -> (Graph, Vec<u32>) {
    let Sketched { attributes, rows, mut levels, mut marks, edges, probable, values } = sketched;
    let count = rows.len();
    let number = |index: usize| u32::try_from(index).expect("a page has fewer than 2^32 states");
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| rows[*a].cmp(&rows[*b]).then(a.cmp(b)));
    let mut numbers = vec![0; count];
    order.iter().enumerate().for_each(|(new, old)| numbers[*old] = number(new));
    levels.insert(0, Level { name: "all states".to_owned(), attributes: 0 });
    let rows: Vec<&[i64]> = order.iter().map(|old| &*rows[*old]).collect();
    marks = order.iter().map(|old| marks[*old]).collect();
    let edges = Edges::new(count, &edges, &numbers);
    let starts: Vec<u32> = (0..number(count)).filter(|state| marks[*state as usize] & mark::START != 0).collect();
    let (layer, parents) = edges.layers(&starts);
    let path = edges.path_to(|state| marks[state as usize] & mark::UNSAFE != 0, &layer, &parents);
    for state in path.iter().flat_map(|(states, _)| states) {
        marks[*state as usize] |= mark::ON_PATH;
    }
    let tree = Tree::new(&rows, &levels);
    let boxes = layout(&tree, &layer);
    let (path, path_actions) = path.unzip();
    let kept = |values: &[f32]| order.iter().map(|old| values[*old]).collect::<Vec<f32>>();
    let column_of = |columns: &mut Columns, attribute: usize| {
        if attributes[attribute].words.is_some() {
            return columns.bits(rows.iter().map(|row| row[attribute] != 0));
        }
        columns.whole(&rows.iter().map(|row| row[attribute]).collect::<Vec<i64>>())
    };
    let graph = Graph {
        kind: about.kind,
        title: about.title,
        explained: about.explained,
        count,
        complete: about.complete,
        stopped: about.stopped,
        columns: (0..attributes.len()).map(|attribute| column_of(columns, attribute)).collect(),
        levels,
        tree: TreeColumns {
            count: tree.nodes.len(),
            lo: columns.u32(&tree.nodes.iter().map(|node| node.lo).collect::<Vec<u32>>()),
            hi: columns.u32(&tree.nodes.iter().map(|node| node.hi).collect::<Vec<u32>>()),
            level: columns.u16(&tree.nodes.iter().map(|node| node.level).collect::<Vec<u16>>()),
            x: columns.f32(&boxes.iter().map(|b| b.x).collect::<Vec<f32>>()),
            y: columns.f32(&boxes.iter().map(|b| b.y).collect::<Vec<f32>>()),
            w: columns.f32(&boxes.iter().map(|b| b.w).collect::<Vec<f32>>()),
            h: columns.f32(&boxes.iter().map(|b| b.h).collect::<Vec<f32>>()),
        },
        edges: EdgeColumns {
            offsets: columns.u32(&edges.offsets),
            targets: columns.u32(&edges.targets),
            action: columns.u16(&edges.actions),
            probability: probable.then(|| columns.f32(&edges.probabilities)),
        },
        marks: columns.u8(&marks),
        layer: columns.whole(&layer.iter().map(|layer| i64::from(*layer)).collect::<Vec<i64>>()),
        value: values.as_ref().map(|(value, _)| columns.f32(&kept(value))),
        low: values.as_ref().and_then(|(_, low)| low.as_ref()).map(|low| columns.f32(&kept(low))),
        path,
        path_actions: path_actions.map(|actions: Vec<u16>| {
            actions.into_iter().map(|action| (action != NO_ACTION).then_some(action)).collect()
        }),
        attributes,
    };
    (graph, numbers)
}

/// Transitions by source, in the order of new numbers, each once.
struct Edges {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    actions: Vec<u16>,
    probabilities: Vec<f32>,
}

/// Who led to a state: another state, and the action.
type Parents = Vec<Option<(u32, u16)>>;

impl Edges {
    fn new(count: usize, edges: &[Edge], numbers: &[u32]) -> Self {
        let mut sorted: Vec<Edge> = edges
            .iter()
            .map(|edge| Edge { source: numbers[edge.source as usize], target: numbers[edge.target as usize], ..*edge })
            .collect();
        sorted.sort_by(|a, b| {
            (a.source, a.target, a.action)
                .cmp(&(b.source, b.target, b.action))
                .then(b.probability.total_cmp(&a.probability))
        });
        // Of several outcomes that lead to the same state the likeliest stays.
        sorted.dedup_by_key(|edge| (edge.source, edge.target, edge.action));
        let mut offsets = vec![0u32; count + 1];
        sorted.iter().for_each(|edge| offsets[edge.source as usize + 1] += 1);
        (0..count).for_each(|state| offsets[state + 1] += offsets[state]);
        Self {
            offsets,
            targets: sorted.iter().map(|edge| edge.target).collect(),
            actions: sorted.iter().map(|edge| edge.action).collect(),
            probabilities: sorted.iter().map(|edge| edge.probability).collect(),
        }
    }

    /// The least number of steps from a start state, and by which state it was reached; states that are not reached come after all others.
    fn layers(&self, starts: &[u32]) -> (Vec<u32>, Parents) {
        let count = self.offsets.len() - 1;
        let mut layer = vec![u32::MAX; count];
        let mut parents: Parents = vec![None; count];
        starts.iter().for_each(|start| layer[*start as usize] = 0);
        let (mut frontier, mut depth) = (starts.to_vec(), 0);
        while !frontier.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for state in frontier {
                for edge in self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize {
                    let target = self.targets[edge];
                    if layer[target as usize] == u32::MAX {
                        layer[target as usize] = depth;
                        parents[target as usize] = Some((state, self.actions[edge]));
                        next.push(target);
                    }
                }
            }
            frontier = next;
        }
        layer.iter_mut().filter(|layer| **layer == u32::MAX).for_each(|layer| *layer = depth);
        (layer, parents)
    }

    /// A shortest path to a state of a kind: its states, and the actions between them.
    fn path_to(&self, wanted: impl Fn(u32) -> bool, layer: &[u32], parents: &Parents) -> Option<(Vec<u32>, Vec<u16>)> {
        let reached = |state: &u32| layer[*state as usize] == 0 || parents[*state as usize].is_some();
        let states = (0u32..).zip(layer).map(|(state, _)| state);
        let mut state =
            states.filter(|state| wanted(*state) && reached(state)).min_by_key(|state| layer[*state as usize])?;
        let (mut path, mut actions) = (vec![state], Vec::new());
        while let Some((parent, action)) = parents[state as usize] {
            path.push(parent);
            actions.push(action);
            state = parent;
        }
        path.reverse();
        actions.reverse();
        Some((path, actions))
    }
}
