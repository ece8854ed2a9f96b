//! Slices through the policy: two variables run over their values, the others stay as they are in a base state.
//!
//! Every choice is decided exactly. How many slices there are depends on their size and that of the network alone, so that the page is the same everywhere: pairs of variables that the
//! network reads and a run changes come first. Axes of more values than a screen shows are sampled, and the page says so.

use rustc_hash::FxHashSet;
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_verify::look::Looked;

use crate::chooser::{Chooser, Chosen};
use crate::data::{Base, Map, Run, Slices};
use crate::names::{LARGEST_FLOAT, Names};
use crate::pack::Columns;
use crate::states::Known;

/// Values along an axis, at most.
const MOST_VALUES: usize = 160;
/// Cells on a page, at most.
const MOST_CELLS: usize = 150_000;
/// Weights of networks times cells that slices may cost.
const MOST_WORK: usize = 400_000_000;
/// Bases on a page, at most.
const MOST_BASES: usize = 24;
/// Pairs of variables on a page, at most.
const MOST_PAIRS: usize = 10;
/// Numbers of scores on a page, at most.
const MOST_SCORES: usize = 600_000;

/// The values along an axis, and whether there are more.
fn axis(names: &Names<'_>, variable: usize) -> Option<(Vec<f64>, bool)> {
    let declared = &names.variables[variable];
    let (lower, upper) = match &declared.names {
        #[expect(clippy::cast_precision_loss, reason = "locations are few")]
        Some(locations) => (0.0, locations.len() as f64 - 1.0),
        None => (declared.lower?, declared.upper?),
    };
    let whole = declared.kind != "real";
    // Not every integer beyond is a float, and cells are to be what they say.
    #[expect(clippy::cast_precision_loss, reason = "it is a power of two")]
    let largest = LARGEST_FLOAT as f64;
    if whole && (lower < -largest || upper > largest) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "an axis has few values")]
    let most = MOST_VALUES as f64;
    if whole && upper - lower < most {
        let values = (0..MOST_VALUES).map(|step| lower + f64::from(u16::try_from(step).unwrap_or_default()));
        return Some((values.take_while(|value| *value <= upper).collect(), false));
    }
    let steps = if whole { most - 1.0 } else { 60.0 };
    let value = |step: u16| {
        let value = lower + (upper - lower) * f64::from(step) / steps;
        if whole { value.round() } else { value }
    };
    let mut values: Vec<f64> = (0..=u16::MAX).take_while(|step| f64::from(*step) <= steps).map(value).collect();
    values.dedup();
    Some((values, true))
}

/// One slice through a state; nothing where a variable has no bounds, or there is no more time.
#[expect(clippy::too_many_arguments, reason = "a slice is where it is, through what, and who knows what of it")]
pub(crate) fn map(
    (x, y): (usize, usize),
    (base, state): (i64, &State),
    names: &Names<'_>,
    chooser: &mut Chooser<'_>,
    actions: &[u32],
    known: &Known<'_>,
    columns: &mut Columns,
    over: &dyn Fn() -> bool,
) -> Option<Map> {
    let ((mut xs, more_x), (mut ys, more_y)) = (axis(names, x)?, axis(names, y)?);
    // What is sampled goes through the base all the same.
    for (values, variable) in [(&mut xs, x), (&mut ys, y)] {
        let own = state.0[names.slots[variable]].to_f64();
        if let Err(place) = values.binary_search_by(|value| value.total_cmp(&own)) {
            values.insert(place, own);
        }
    }
    let cells = xs.len() * ys.len();
    let (mut chosen, mut margins, mut marks) =
        (Chosen::default(), Vec::with_capacity(cells), Vec::with_capacity(cells));
    let mut scores = vec![Vec::with_capacity(cells); chooser.outputs()];
    let mut values = state.0.to_vec();
    for row in &ys {
        if over() {
            return None;
        }
        values[names.slots[y]] = Rational::from_f64(*row)?;
        for column in &xs {
            values[names.slots[x]] = Rational::from_f64(*column)?;
            let state = State(values.clone().into());
            let drawn = chooser.drawn(&state);
            chosen.push(drawn.as_ref(), actions);
            margins.push(drawn.as_ref().map_or(f32::NAN, |drawn| drawn.margin));
            marks.push(known.mark(&state));
            for (output, scores) in scores.iter_mut().enumerate() {
                scores.push(drawn.as_ref().and_then(|drawn| drawn.scores.get(output).copied()).unwrap_or(f32::NAN));
            }
        }
    }
    Some(Map {
        x,
        y,
        base,
        sampled: more_x || more_y,
        action: chosen.column(columns),
        margin: columns.f32(&margins),
        mark: columns.u8(&marks),
        scores: (cells * scores.len() <= MOST_SCORES / 4)
            .then(|| scores.iter().map(|scores| columns.f32(scores)).collect()),
        xs,
        ys,
    })
}

/// The slices of a page, through the states of a run or else through one start state; those that are there when it is `over`.
#[expect(clippy::too_many_arguments, reason = "slices are through what, and who knows what of it")]
pub(crate) fn slices(
    run: Option<&Run>,
    looked: Option<&Looked<'_>>,
    start: Option<&State>,
    names: &Names<'_>,
    chooser: &mut Chooser<'_>,
    actions: &[u32],
    known: &Known<'_>,
    columns: &mut Columns,
    over: &dyn Fn() -> bool,
) -> Option<Slices> {
    let mut bases: Vec<(Base, State)> = Vec::new();
    for (step, state) in run.map_or(&[][..], |run| &run.exactly).iter().enumerate().take(MOST_BASES) {
        let Some(state) = state else { continue };
        let name = if step == 0 { "the start of the run".to_owned() } else { format!("state {step} of the run") };
        bases.push(base(name, state, names));
    }
    if bases.is_empty() {
        bases.extend(looked.into_iter().flat_map(|looked| asked(looked, names, chooser)));
        bases.extend(start.map(|start| base("the start state".to_owned(), start, names)));
    }
    let most = MOST_CELLS.min(MOST_WORK / chooser.cost());
    let mut left = most;
    let mut maps = Vec::new();
    for (x, y) in pairs(run, names) {
        let (Some((xs, _)), Some((ys, _))) = (axis(names, x), axis(names, y)) else { continue };
        let cells = xs.len() * ys.len();
        for (number, (_, state)) in (0i64..).zip(&bases) {
            if cells > left {
                break;
            }
            left -= cells;
            maps.extend(map((x, y), (number, state), names, chooser, actions, known, columns, over));
        }
    }
    let shown = |map: &Map| map.x != map.y;
    (!maps.is_empty() && maps.iter().all(shown))
        .then(|| Slices { bases: bases.into_iter().map(|(base, _)| base).collect(), maps })
}

fn base(name: String, state: &State, names: &Names<'_>) -> (Base, State) {
    (Base { name, state: names.values(state) }, state.clone())
}

/// Visited states in which the policy is asked: the first with each combination of locations and truth values.
fn asked(looked: &Looked<'_>, names: &Names<'_>, chooser: &mut Chooser<'_>) -> Vec<(Base, State)> {
    let modes: Vec<usize> =
        (0..names.variables.len()).filter(|v| matches!(names.variables[*v].kind, "location" | "bool")).collect();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    let states = looked.graph.frontier().universe().min(MOST_LOOKED_THROUGH);
    for state in (0u32..).take(states).map(|state| looked.graph.state(state)) {
        let mode: Vec<Rational> = modes.iter().map(|variable| state.0[names.slots[*variable]].clone()).collect();
        if seen.contains(&mode) || chooser.drawn(&state).is_none_or(|drawn| drawn.best.is_empty()) {
            continue;
        }
        let words = modes.iter().zip(&mode).map(|(variable, value)| names.told(*variable, value)).collect::<Vec<_>>();
        let name =
            if words.is_empty() { "a reached state".to_owned() } else { format!("reached: {}", words.join(", ")) };
        found.push(base(name, &state, names));
        seen.insert(mode);
        if found.len() == MOST_MODES {
            break;
        }
    }
    found
}

/// States without a run through which slices go, at most.
const MOST_MODES: usize = 6;
/// Visited states among which they are looked for.
const MOST_LOOKED_THROUGH: usize = 2_000;

/// Pairs of variables, the ones that matter most first.
fn pairs(run: Option<&Run>, names: &Names<'_>) -> Vec<(usize, usize)> {
    let changes = |variable: usize| {
        run.is_some_and(|run| run.states.windows(2).any(|pair| pair[0][variable] != pair[1][variable]))
    };
    let size = |variable: usize| axis(names, variable).map_or(0, |(values, _)| values.len());
    let mut variables: Vec<usize> =
        (0..names.variables.len()).filter(|variable| names.variables[*variable].seen && size(*variable) > 1).collect();
    // Those that change, then those with more values; truth values make dull axes.
    variables.sort_by_key(|variable| (!changes(*variable), size(*variable) <= 2, *variable));
    let few = &variables[..variables.len().min(5)];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (second, y) in few.iter().enumerate() {
        pairs.extend(few[..second].iter().map(|x| (*x.min(y), *x.max(y))));
    }
    pairs.truncate(MOST_PAIRS);
    pairs
}
