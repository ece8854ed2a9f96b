//! Invariants in words: abstract states as conditions on variables.
//!
//! Literals on single variables are put together to the range that they leave: six predicates on a position say in which places it is, and nobody wants to read all six. What is
//! the same in all abstract states is said once.

use surefoot_abstraction::{AbstractState, Literal, Sketch, SlotRange};
use surefoot_model::{Domain, Model};
use surefoot_num::Rational;
use surefoot_verify::abstraction::words::Words;

use crate::data::{Invariant, Range};
use crate::material::Material;
use crate::names::Names;
use crate::verdict::decided;

/// Regions that are listed.
const MOST_REGIONS: usize = 2_000;

const WHAT: &str =
    "Abstract states that together contain every start state and no unsafe one, and that no move leaves.";

/// Behind what is said of a variable that may have been written in other abstract states.
const UNTOUCHED: &str = ", where nothing has written it";

/// The invariant of a page: that of refinement or of given predicates.
pub(crate) fn invariant(material: &Material<'_>, names: &Names<'_>) -> Option<Invariant> {
    if let Some(sketch) = material.sketch.as_ref().filter(|_| material.proved) {
        return Some(drawn(material.problem.model(), sketch, names));
    }
    let told = decided(material.result).and_then(|body| body.invariant.as_ref())?;
    let untouched = told.untouched.iter();
    Some(Invariant {
        count: told.states,
        what: if material.repeated {
            format!("The result says, and it was not proved again: {WHAT}")
        } else {
            format!("Under the assumptions of the verdict: {WHAT}")
        },
        common: Vec::new(),
        ranges: Vec::new(),
        regions: Vec::new(),
        predicates: told
            .predicates
            .iter()
            .cloned()
            .chain(untouched.map(|value| format!("{value}{UNTOUCHED}")))
            .collect(),
    })
}

fn drawn(model: &Model, sketch: &Sketch, names: &Names<'_>) -> Invariant {
    let words = Words::new(model, &model.space(), &sketch.predicates);
    let within = |number: usize| sketch.within.get(number).map_or(&[][..], |ranges| ranges);
    let states = sketch.states.iter().enumerate();
    let cells: Vec<Cell> =
        states.map(|(number, state)| Cell::new(model, sketch, names, state, within(number))).collect();
    let variables = 0..names.variables.len();
    let same = |variable: &usize| cells.windows(2).all(|pair| pair[0].ranges[*variable] == pair[1].ranges[*variable]);
    let (shared, own): (Vec<usize>, Vec<usize>) = variables.clone().partition(same);
    // What is no range: literals that all cells share, and those that tell them apart.
    let mut shared_rest: Vec<(usize, bool)> = cells.first().map_or_else(Vec::new, |cell| cell.rest.clone());
    cells.iter().for_each(|cell| shared_rest.retain(|literal| cell.rest.binary_search(literal).is_ok()));
    let rest = |cell: &Cell, wanted: bool| {
        let kept = cell.rest.iter().filter(|literal| shared_rest.contains(literal) == wanted);
        kept.map(|(predicate, holds)| words.literal(*predicate, *holds).to_owned()).collect::<Vec<String>>()
    };
    let conditions = |cell: &Cell, of: &[usize]| {
        let told = of.iter().filter_map(|variable| told(model, names, *variable, cell.ranges[*variable]));
        told.collect::<Vec<String>>()
    };
    let common = cells.first().map_or_else(Vec::new, |cell| [conditions(cell, &shared), rest(cell, true)].concat());
    let regions = cells.iter().take(MOST_REGIONS).map(|cell| [conditions(cell, &own), rest(cell, false)].concat());
    let hull = |variable: usize| {
        let (lower, upper) = domain(model, names, variable)?;
        let of = cells.iter().filter_map(|cell| cell.ranges[variable]);
        let (low, high) = of.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))?;
        let (is_location, float) =
            (names.variables[variable].kind == "location", |value| Rational::from(value).to_f64());
        let less = !is_location && (low > lower || high < upper);
        less.then(|| Range { variable, lower: float(low), upper: float(high) })
    };
    Invariant {
        count: sketch.states.len(),
        what: WHAT.to_owned(),
        common,
        ranges: variables.filter_map(hull).collect(),
        regions: regions.collect(),
        predicates: words.predicates().map(str::to_owned).collect(),
    }
}

/// The values of a variable.
fn domain(model: &Model, names: &Names<'_>, variable: usize) -> Option<(i64, i64)> {
    model.slots[names.slots[variable]].domain.int_bounds()
}

/// An abstract state: a range for every variable, and literals that are none.
struct Cell {
    ranges: Vec<Option<(i64, i64)>>,
    /// In the order of the predicates.
    rest: Vec<(usize, bool)>,
}

impl Cell {
    fn new(model: &Model, sketch: &Sketch, names: &Names<'_>, state: &AbstractState, within: &[SlotRange]) -> Self {
        let at = |variable: usize| match state.locations.get(names.slots[variable]) {
            Some(location) => Some((i64::from(*location), i64::from(*location))),
            None => domain(model, names, variable),
        };
        let mut ranges: Vec<Option<(i64, i64)>> = (0..names.variables.len()).map(at).collect();
        let mut rest = Vec::new();
        for (predicate, holds) in state.values.iter().enumerate() {
            let literal = sketch.predicates.literal(predicate, holds);
            let slot = match literal {
                Literal::AtLeast(symbol, _) | Literal::AtMost(symbol, _) => Some(symbol.index()),
                Literal::Formula(_) => None,
            };
            let variable = slot.and_then(|slot| names.slots.iter().position(|known| *known == slot));
            let range = variable.and_then(|variable| ranges[variable].as_mut());
            // Soundness: a bound that is no integer of 64 bits bounds nothing that has those.
            match (literal, range) {
                (Literal::AtLeast(_, least), Some(range)) => {
                    range.0 = range.0.max(least.ceil().to_i64().unwrap_or(range.0));
                }
                (Literal::AtMost(_, most), Some(range)) => {
                    range.1 = range.1.min(most.floor().to_i64().unwrap_or(range.1));
                }
                _ => rest.push((predicate, holds)),
            }
        }
        for range in within {
            let variable = names.slots.iter().position(|known| *known == range.slot.index());
            if let Some((low, high)) = variable.and_then(|variable| ranges[variable].as_mut()) {
                *low = (*low).max(range.lower.ceil().to_i64().unwrap_or(*low));
                *high = (*high).min(range.upper.floor().to_i64().unwrap_or(*high));
            }
        }
        Self { ranges, rest }
    }
}

/// A range in words; nothing where it is all of the domain.
fn told(model: &Model, names: &Names<'_>, variable: usize, range: Option<(i64, i64)>) -> Option<String> {
    let ((low, high), (lower, upper)) = (range?, domain(model, names, variable)?);
    let declared = &names.variables[variable];
    let name = &declared.name;
    if let Some(locations) = &declared.names {
        return Some(format!("{name} at {}", locations.get(usize::try_from(low).ok()?)?));
    }
    if model.slots[names.slots[variable]].domain == Domain::Bool {
        return (low == high).then(|| if low == 1 { name.clone() } else { format!("!{name}") });
    }
    match (low > lower, high < upper) {
        _ if low == high => Some(format!("{name} = {low}")),
        (true, true) => Some(format!("{low} <= {name} <= {high}")),
        (true, false) => Some(format!("{name} >= {low}")),
        (false, true) => Some(format!("{name} <= {high}")),
        (false, false) => None,
    }
}
