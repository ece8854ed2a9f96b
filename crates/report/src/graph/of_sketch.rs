//! Abstract state spaces as graphs: levels are the iterations of refinement, attributes the predicates that these found.

use surefoot_abstraction::{Ranges, Sketch};
use surefoot_verify::Problem;
use surefoot_verify::abstraction::words::Words;
use surefoot_verify::result::body::DiaryEntry;

use super::{About, Attribute, Edge, Level, NO_ACTION, Sketched, mark, up};
use crate::names::Names;

/// Predicates on a level, at most: a group falls into at most so many parts to the power of two.
const MOST_ON_A_LEVEL: usize = 5;

/// An abstract state space before it is arranged, and what it is.
#[must_use]
pub fn sketched(problem: &Problem, names: &Names<'_>, sketch: &Sketch, diary: &[DiaryEntry]) -> (Sketched, About) {
    // Soundness: of one minus a probability these are no bounds from above.
    let complement = problem.query.quantity.as_ref().is_some_and(|quantity| quantity.complement);
    let values = sketch.values.as_deref().filter(|_| !complement);
    if let Some(boxes) = &sketch.boxes {
        return boxed(names, sketch, boxes, values);
    }
    let model = problem.model();
    let words = Words::new(model, &model.space(), &sketch.predicates);
    let located: Vec<usize> =
        (0..names.slots.len()).filter(|variable| names.variables[*variable].kind == "location").collect();
    let mut attributes: Vec<Attribute> = located
        .iter()
        .map(|variable| Attribute {
            name: names.variables[*variable].name.clone(),
            words: None,
            values: names.variables[*variable].names.clone(),
            variable: Some(*variable),
            ranges: None,
        })
        .collect();
    attributes.extend(words.both().map(|[holds, fails]| Attribute {
        name: holds.clone(),
        words: Some([fails.clone(), holds.clone()]),
        values: None,
        variable: None,
        ranges: None,
    }));
    let rows = sketch.states.iter().map(|state| {
        let locations = located.iter().map(|variable| i64::from(state.locations[names.slots[*variable]]));
        locations.chain(state.values.iter().map(i64::from)).collect()
    });
    let sketched = Sketched {
        rows: rows.collect(),
        levels: levels(located.len(), sketch.predicates.len(), diary),
        attributes,
        ..whatever(sketch, values)
    };
    let about = About {
        kind: "abstract",
        title: "The abstraction".to_owned(),
        explained: explained(sketch, diary),
        complete: sketch.complete,
        stopped: None,
    };
    (sketched, about)
}

/// What does not depend on how states are told apart.
fn whatever(sketch: &Sketch, values: Option<&[f64]>) -> Sketched {
    let mut left = vec![false; sketch.states.len()];
    sketch.transitions.iter().for_each(|drawn| left[drawn.source as usize] = true);
    // Soundness: where not all transitions are known, or nobody looked for them, there may be some.
    let all = sketch.complete && sketch.boxes.is_none();
    let of = |index: usize| {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let expanded = sketch.expanded[index] || sketch.is_unsafe[index];
        bit(sketch.start[index], mark::START)
            | bit(sketch.is_unsafe[index], mark::UNSAFE)
            | bit(!expanded, mark::UNEXPANDED)
            | bit(all && sketch.expanded[index] && !left[index], mark::TERMINAL)
    };
    let edge = |drawn: &surefoot_abstraction::Drawn| Edge {
        source: drawn.source,
        target: drawn.target,
        action: drawn.label.map_or(NO_ACTION, |label| u16::try_from(label.0).unwrap_or(NO_ACTION)),
        #[expect(clippy::cast_possible_truncation, reason = "what is drawn is rounded")]
        probability: drawn.probability.unwrap_or(1.0) as f32,
    };
    Sketched {
        marks: (0..sketch.states.len()).map(of).collect(),
        edges: sketch.transitions.iter().map(edge).collect(),
        probable: sketch.transitions.iter().any(|drawn| drawn.probability.is_some()),
        values: values.map(|values| (up(values), None)),
        ..Sketched::default()
    }
}

/// Boxes: attributes are the ranges of variables, those with few of them first.
fn boxed(names: &Names<'_>, sketch: &Sketch, boxes: &[Ranges], values: Option<&[f64]>) -> (Sketched, About) {
    let mut told: Vec<(usize, Vec<(i64, i64)>)> = Vec::new();
    for (variable, slot) in names.slots.iter().enumerate() {
        let mut ranges: Vec<(i64, i64)> = boxes.iter().map(|cell| cell[*slot]).collect();
        ranges.sort_unstable();
        ranges.dedup();
        told.push((variable, ranges));
    }
    told.sort_by_key(|(variable, ranges)| (ranges.len(), *variable));
    let written = |variable: usize, value: i64| {
        let known =
            names.variables[variable].names.as_ref().and_then(|names| names.get(usize::try_from(value).ok()?).cloned());
        known.unwrap_or_else(|| value.to_string())
    };
    let attribute = |(variable, ranges): &(usize, Vec<(i64, i64)>)| Attribute {
        name: names.variables[*variable].name.clone(),
        words: None,
        values: Some(
            ranges
                .iter()
                .map(|(low, high)| if low == high { written(*variable, *low) } else { format!("{low} to {high}") })
                .collect(),
        ),
        variable: Some(*variable),
        ranges: Some(ranges.clone()),
    };
    let row = |cell: &[(i64, i64)]| {
        let place = |(variable, ranges): &(usize, Vec<(i64, i64)>)| {
            ranges.binary_search(&cell[names.slots[*variable]]).unwrap_or_default()
        };
        told.iter().map(|own| i64::try_from(place(own)).unwrap_or_default()).collect()
    };
    let sketched = Sketched {
        rows: boxes.iter().map(|cell| row(cell)).collect(),
        levels: (1..)
            .zip(&told)
            .map(|(attributes, (variable, _))| Level { name: names.variables[*variable].name.clone(), attributes })
            .collect(),
        attributes: told.iter().map(attribute).collect(),
        ..whatever(sketch, values)
    };
    let valued = if values.is_some() { " Its value bounds the probability from there." } else { "" };
    let explained = format!(
        "A box is a set of states: every variable is within a range. Groups have the same ranges of some variables.{valued} The transitions show how likely an outcome is at most."
    );
    let about = About {
        kind: "abstract",
        title: "The abstraction".to_owned(),
        explained,
        complete: sketch.complete,
        stopped: None,
    };
    (sketched, about)
}

fn explained(sketch: &Sketch, diary: &[DiaryEntry]) -> String {
    let levels = if diary.is_empty() {
        "Groups are states that agree in the first predicates of the list."
    } else {
        "A group of one iteration falls into its parts of the next by the predicates that this one found."
    };
    let edges = if sketch.complete {
        "All transitions between abstract states are drawn."
    } else {
        "Drawn are the transitions that the search asked about: one into a state that was reached already says nothing new, and is not always among them."
    };
    format!("A box is a set of states for which the same predicates are true. {levels} {edges}")
}

/// The levels: what was given, then an iteration after the other.
fn levels(located: usize, predicates: usize, diary: &[DiaryEntry]) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut known = 0;
    if located > 0 {
        levels.push(Level { name: "locations".to_owned(), attributes: located });
    }
    let mut push = |name: String, until: usize| {
        let until = until.min(predicates);
        let parts = (until - known.min(until)).div_ceil(MOST_ON_A_LEVEL);
        for part in 0..parts {
            let upto = (known + (part + 1) * MOST_ON_A_LEVEL).min(until);
            let name = if parts == 1 { name.clone() } else { format!("{name}, part {} of {parts}", part + 1) };
            levels.push(Level { name, attributes: located + upto });
        }
        known = known.max(until);
    };
    push("predicates that were given".to_owned(), diary.first().map_or(predicates, |entry| entry.predicates));
    for entry in diary {
        push(format!("iteration {}", entry.iteration), entry.predicates.saturating_add(entry.added.len()));
    }
    push("further predicates".to_owned(), predicates);
    levels
}
