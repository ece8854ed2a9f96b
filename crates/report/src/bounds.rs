//! Bounds on probabilities and expected values.

use serde_json::{Value, json};
use surefoot_certificate::StateRecord;
use surefoot_num::{FloatInterval, Rational};
use surefoot_verify::look::Looked;
use surefoot_verify::result::Evidence;
use surefoot_verify::result::body::{Bound, Interval};

use crate::data::{Bounds, Threshold, Weighty};
use crate::material::Material;
use crate::names::Names;
use crate::verdict::decided;

/// An end of an interval as text: exact where it is.
pub(crate) fn text(end: &Bound) -> String {
    match end {
        Bound::Float(value) => value.to_string(),
        Bound::Exact(text) => text.clone(),
    }
}

/// Both ends as floats, rounded outward; none where they are infinite.
fn floats(interval: &Interval) -> [Option<f64>; 2] {
    let end = |end: &Bound, outward: fn(FloatInterval) -> f64| match end {
        Bound::Float(value) => Some(*value).filter(|value| value.is_finite()),
        Bound::Exact(text) => text.parse::<Rational>().ok().map(|value| outward(FloatInterval::tightest(&value))),
    };
    [end(&interval.lo, |around| around.lower), end(&interval.hi, |around| around.upper)]
}

fn pair(interval: &Interval) -> Value {
    json!(floats(interval))
}

/// The bounds of a page.
pub(crate) fn bounds(material: &Material<'_>, names: &Names<'_>, looked: Option<&Looked<'_>>) -> Option<Bounds> {
    let body = decided(material.result)?;
    let value = body.value.as_ref()?;
    let what = match &body.expected {
        Some(expected) => {
            format!("the {}imum expected sum of {} until {}", expected.scheduler, expected.of, expected.until)
        }
        None => "the probability of what the property asks for".to_owned(),
    };
    let threshold = material.problem.query.quantity.as_ref().and_then(|quantity| quantity.threshold.as_ref());
    let [lo, hi] = floats(value);
    Some(Bounds {
        lo,
        hi,
        exact: [text(&value.lo), text(&value.hi)],
        what,
        threshold: threshold.map(|threshold| Threshold {
            op: threshold.op.symbol(),
            value: threshold.bound.to_f64(),
            text: threshold.bound.to_string(),
        }),
        band: body.band.iter().flatten().filter_map(|point| serde_json::to_value(point).ok()).collect(),
        states: weighty(material, names, value, looked),
        starts: body.over_starts.as_ref().map(|over| {
            json!({"count": over.start_states, "smallest": pair(&over.smallest), "largest": pair(&over.largest), "mean": pair(&over.mean)})
        }),
    })
}

/// The start state that has the value, and the states that matter most: how often each is visited from there, times its value. Where they are not known, those in which the environment
/// has a choice.
fn weighty(material: &Material<'_>, names: &Names<'_>, value: &Interval, looked: Option<&Looked<'_>>) -> Vec<Weighty> {
    let Some(Evidence::Scheduler(witness)) = &material.result.witness else { return Vec::new() };
    let [lo, hi] = floats(value);
    let note = Some("the start state whose value is reported".to_owned());
    let state = names.record(&witness.start);
    let (weight, visited) = visited(names, looked, &witness.start).unwrap_or_default();
    let mut all = vec![Weighty { state, lo, hi, action: None, weight, note }];
    all.extend(visited);
    // Where the values are known, and none but zero matters, choices say nothing either.
    if all.len() == 1 && looked.is_none_or(|looked| looked.values.is_none()) {
        all.extend(witness.scheduler.iter().take(MOST_CHOICES).map(|choice| Weighty {
            state: names.record(&choice.state),
            lo: None,
            hi: None,
            action: Some(choice.action.clone()),
            weight: None,
            note: Some(format!("the environment takes its choice {}", choice.choice + 1)),
        }));
    }
    all
}

/// How often runs come to the start state, and the other states that they visit and from which what is asked for can still happen or not, the ones that matter most first.
fn visited(names: &Names<'_>, looked: Option<&Looked<'_>>, start: &StateRecord) -> Option<(Option<f64>, Vec<Weighty>)> {
    let looked = looked?;
    let values = looked.values.as_ref()?;
    let start = (0..looked.graph.starts).find(|state| names.agrees(start, &looked.graph.state(*state)))?;
    let visits = looked.visits(start)?;
    let matters = |state: u32| visits[state as usize] * values.upper[state as usize];
    let states = (0u32..).take(looked.graph.frontier().universe());
    let mut states: Vec<u32> = states.filter(|state| *state != start && matters(*state) > 0.0).collect();
    states.sort_by(|a, b| matters(*b).total_cmp(&matters(*a)).then(a.cmp(b)));
    let weighty = |state: u32| Weighty {
        state: names.values(&looked.graph.state(state)),
        lo: Some(values.lower[state as usize]),
        hi: Some(values.upper[state as usize]),
        action: None,
        weight: Some(visits[state as usize]),
        note: None,
    };
    Some((Some(visits[start as usize]), states.into_iter().take(MOST_VISITED).map(weighty).collect()))
}

/// Visited states that are listed.
const MOST_VISITED: usize = 30;
/// Choices of the environment that are listed.
const MOST_CHOICES: usize = 200;
