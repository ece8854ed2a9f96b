//! What a network reads: each input with its expression, its range over the model's domains, and what the network says of it.

use surefoot_linear::{Interval, Linear, Symbol};
use surefoot_model::policy::PolicyNetwork;
use surefoot_model::{Domain, Model, SlotId};
use surefoot_network::band::Band;
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Severity};

use crate::result::check::{InputSummary, NetworkInputs};

/// The inputs of a network, in order.
pub(super) fn inputs(model: &Model, network: &PolicyNetwork) -> NetworkInputs {
    let normalisation = network.network.input_normalisation();
    let stated = network.network.input_bounds();
    let input = |(i, form): (usize, &Linear)| {
        let range = form.range(|symbol| domain(model, symbol));
        let stated = stated.and_then(|bounds| bounds.get(i));
        let outside = stated.is_some_and(|(lower, upper)| {
            range.lower.as_ref().is_none_or(|low| low < lower) || range.upper.as_ref().is_none_or(|up| up > upper)
        });
        InputSummary {
            expression: describe(model, form),
            range: shown(range.lower.as_ref(), range.upper.as_ref()),
            normaliser: normalisation.map(|n| normaliser(&n.scale()[i], &n.offset()[i])),
            stated_range: stated.map(|(lower, upper)| shown(Some(lower), Some(upper))),
            outside,
        }
    };
    NetworkInputs {
        network: network.file.clone(),
        inputs: network.inputs.iter().enumerate().map(input).collect(),
        float32_band: band(model, network),
    }
}

/// How close scores must be for single precision to order them otherwise than the reals do, somewhere in the model's domains.
fn band(model: &Model, network: &PolicyNetwork) -> Option<f64> {
    let largest = |form: &Linear| {
        let range = form.range(|symbol| domain(model, symbol));
        let ends = [range.lower?.abs(), range.upper?.abs()];
        ends.iter().map(|end| end.to_f64().next_up()).reduce(f64::max)
    };
    let largest: Vec<f64> = network.inputs.iter().map(largest).collect::<Option<_>>()?;
    let width = Band::new(&network.network, &largest).width(&network.network);
    width.is_finite().then_some(width)
}

/// The band on one line.
pub(super) fn band_line(read: &NetworkInputs) -> Option<String> {
    let width = read.float32_band?;
    Some(format!("scores within {width:.1e} of each other may come out in another order in float32"))
}

/// A warning where inputs may lie outside of what the network says its inputs are.
pub(super) fn outside(inputs: &NetworkInputs) -> Option<Diagnostic> {
    let mut found = inputs.inputs.iter().enumerate().filter(|(_, input)| input.outside);
    let (i, first) = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let stated = first.stated_range.as_deref().unwrap_or_default();
    let message = format!(
        "input {i} of the network {}, {}, is in {}{more}, but the network says {stated}: it may not have been trained there",
        inputs.network, first.expression, first.range
    );
    let warning = Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) };
    Some(warning.with_help("what a network says of its inputs restricts nothing: compare with what it was trained on"))
}

/// An input on one line.
pub(super) fn line(i: usize, input: &InputSummary) -> String {
    let normaliser = input.normaliser.as_ref().map_or(String::new(), |text| format!(", normalised: {text}"));
    let outside = input.stated_range.as_ref().filter(|_| input.outside);
    let outside = outside.map_or(String::new(), |stated| format!(", outside of the network's {stated}"));
    format!("input {i}: {} in {}{normaliser}{outside}", input.expression, input.range)
}

pub(super) fn domain(model: &Model, symbol: Symbol) -> Interval {
    let slot = symbol.index();
    if let Some(instance) = model.instances.get(slot) {
        let last = i64::try_from(instance.locations.len()).unwrap_or(i64::MAX).saturating_sub(1);
        return Interval::new(Rational::ZERO, Rational::from(last));
    }
    match &model.slots[slot].domain {
        Domain::Real { lower, upper } => Interval { lower: lower.clone(), upper: upper.clone() },
        discrete => {
            let (lower, upper) = discrete.int_bounds().unwrap_or((i64::MIN, i64::MAX));
            Interval::new(Rational::from(lower), Rational::from(upper))
        }
    }
}

pub(super) fn shown(lower: Option<&Rational>, upper: Option<&Rational>) -> String {
    let end = |value: Option<&Rational>, none: &str| value.map_or(none.to_owned(), ToString::to_string);
    format!("[{}, {}]", end(lower, "-inf"), end(upper, "inf"))
}

/// `scale * v + offset`.
pub(super) fn normaliser(scale: &Rational, offset: &Rational) -> String {
    let scaled = if *scale == Rational::ONE { "v".to_owned() } else { format!("{scale} * v") };
    if offset.is_zero() { scaled } else { format!("{scaled} + {offset}") }
}

pub(super) fn describe(model: &Model, form: &Linear) -> String {
    let name = |symbol: Symbol| model.slots[SlotId::at(symbol.index()).index()].name.to_string();
    let part = |(symbol, factor): &(Symbol, Rational)| match factor {
        factor if *factor == Rational::ONE => name(*symbol),
        factor => format!("{factor} * {}", name(*symbol)),
    };
    let mut parts: Vec<String> = form.terms().iter().map(part).collect();
    if parts.is_empty() || !form.constant().is_zero() {
        parts.push(form.constant().to_string());
    }
    parts.join(" + ")
}
