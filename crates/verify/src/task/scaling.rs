//! Whether what a policy feeds its networks fits how the headers of their files scale it.
//!
//! A `.nnet` header says of each input its minimum and maximum, a mean and a range; the network sees
//! `(x - mean) / range`. A policy may scale in its inputs' expressions too. The network reads whatever numbers come out,
//! so a lost unit or a normalisation that is done twice shows nowhere but in the verdict. Four things are told, none of
//! them an error, and each once for a policy:
//!
//! * *header*: the header disagrees with itself. The stated minimum and maximum, scaled, are less than 1/20 or more than
//!   20 apart, or the mean is not between them;
//! * *narrow*: over the variables' domains an input fills less than 1/20 of what the header states;
//! * *unbounded*: the policy scales a variable that has no bounds, and the header scales the result again;
//! * *apart*: two networks of the policy see the same variable on scales that differ by a factor of more than 20.
//!
//! The factor is far from what means and deviations of real data do, and below those of units: 60, and 25 between the two
//! scales of the vertical rate that are about for VerticalCAS. Inputs that leave the stated range are told elsewhere
//! ([`super::inputs::outside`]); a header with a range of 1 scales nothing, and is not compared.

use std::collections::BTreeMap;

use surefoot_linear::{Interval, Linear, Symbol};
use surefoot_model::Model;
use surefoot_model::policy::PolicyNetwork;
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Severity};

use super::inputs::{describe, domain, normaliser, shown};

/// Scales that differ by more than this are taken for different units.
const TIMES: i64 = 20;

/// What a header says of one input.
struct Stated<'n> {
    scale: &'n Rational,
    offset: &'n Rational,
    lower: &'n Rational,
    upper: &'n Rational,
}

/// An input of a network with a header that scales it.
struct Read<'n> {
    file: &'n str,
    index: usize,
    form: &'n Linear,
    stated: Stated<'n>,
}

/// All that disagrees, as warnings.
pub(super) fn disagreements(model: &Model, networks: &[PolicyNetwork]) -> Vec<Diagnostic> {
    let read: Vec<Read<'_>> = networks.iter().flat_map(scaled_inputs).collect();
    let unit = "the numbers of the header are for one unit of the input: compare with what the network was trained on";
    let twice = "is it in the network's unit, or normalised twice? The header normalises already";
    let bounds = "leave scaling to the header, or give the variables bounds, so that the two can be compared";
    let same =
        "networks that are asked in turn usually see the same unit: compare their headers and the policy's inputs";
    let warnings = [
        warning(read.iter().filter_map(header), unit),
        warning(read.iter().filter_map(|input| narrow(model, input)), twice),
        warning(read.iter().filter_map(|input| unbounded(model, input)), bounds),
        warning(apart(model, &read).into_iter(), same),
    ];
    warnings.into_iter().flatten().collect()
}

/// The first message, with the number of others.
fn warning(mut messages: impl Iterator<Item = String>, help: &str) -> Option<Diagnostic> {
    let mut message = messages.next()?;
    let more = messages.count();
    if more > 0 {
        message = format!("{message} (and {more} more)");
    }
    let warning = Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) };
    Some(warning.with_help(help))
}

/// The inputs that a header scales.
fn scaled_inputs(network: &PolicyNetwork) -> Vec<Read<'_>> {
    let header = network.network.input_normalisation().zip(network.network.input_bounds());
    let Some((normalisation, bounds)) = header else { return Vec::new() };
    let inputs = network.inputs.iter().zip(bounds).zip(normalisation.scale().iter().zip(normalisation.offset()));
    inputs
        .enumerate()
        .filter(|(_, (_, (scale, _)))| **scale != Rational::ONE)
        .map(|(index, ((form, (lower, upper)), (scale, offset)))| {
            let stated = Stated { scale, offset, lower, upper };
            Read { file: &network.file, index, form, stated }
        })
        .collect()
}

impl Stated<'_> {
    /// What the network sees of the stated range.
    fn seen(&self) -> Interval {
        Interval::new(self.lower.clone(), self.upper.clone())
            .scaled(self.scale)
            .plus(&Interval::point(self.offset.clone()))
    }

    fn shown(&self) -> String {
        shown(Some(self.lower), Some(self.upper))
    }

    fn normaliser(&self) -> String {
        normaliser(self.scale, self.offset)
    }
}

fn times(value: &Rational) -> Rational {
    value * &Rational::from(TIMES)
}

/// The header alone.
fn header(read: &Read<'_>) -> Option<String> {
    let seen = read.stated.seen();
    // An empty or pointed range says nothing about scales.
    let (lower, upper) = seen.ends().filter(|(lower, upper)| lower < upper)?;
    let width = upper - lower;
    let fits = times(&width) >= Rational::ONE && width <= Rational::from(TIMES);
    let centred = lower.signum() <= 0 && upper.signum() >= 0;
    (!fits || !centred).then(|| {
        format!(
            "the header of the network {} says that input {} is in {} and normalises it as {}, which is in {}: one of them may \
             be in another unit",
            read.file,
            read.index,
            read.stated.shown(),
            read.stated.normaliser(),
            shown(Some(lower), Some(upper)),
        )
    })
}

/// The input's range within the stated one.
fn narrow(model: &Model, read: &Read<'_>) -> Option<String> {
    let range = read.form.range(|symbol| domain(model, symbol));
    let (lower, upper) = range.ends()?;
    let inside = read.stated.lower <= lower && upper <= read.stated.upper;
    let narrow = lower < upper && times(&(upper - lower)) < read.stated.upper - read.stated.lower;
    (inside && narrow).then(|| {
        format!(
            "input {} of the network {}, {}, is in {}, less than 1/{TIMES} of what the network says, {}, and the network \
             normalises it: {}",
            read.index,
            read.file,
            describe(model, read.form),
            shown(Some(lower), Some(upper)),
            read.stated.shown(),
            read.stated.normaliser(),
        )
    })
}

/// The policy's scale on top of the header's, where there is no range to compare.
fn unbounded(model: &Model, read: &Read<'_>) -> Option<String> {
    let unscaled = read.form.constant().is_zero() && read.form.terms().iter().all(|(_, a)| a.abs() == Rational::ONE);
    let bounded = read.form.range(|symbol| domain(model, symbol)).ends().is_some();
    (!unscaled && !bounded).then(|| {
        format!(
            "input {} of the network {} is {}, and the network normalises it again ({}): together {}; without bounds of the \
             variables nothing says whether that fits the network's {}",
            read.index,
            read.file,
            describe(model, read.form),
            read.stated.normaliser(),
            describe(model, &seen_form(read)),
            read.stated.shown(),
        )
    })
}

/// What the network sees, over the variables.
fn seen_form(read: &Read<'_>) -> Linear {
    Linear::constant_form(read.stated.offset.clone()).plus_scaled(read.form, read.stated.scale)
}

/// Networks that see a variable on scales that are far apart: compared with the first one that sees it at the same place.
fn apart(model: &Model, read: &[Read<'_>]) -> Vec<String> {
    let mut first: BTreeMap<(Symbol, usize), (Rational, &Read<'_>)> = BTreeMap::new();
    let mut messages = Vec::new();
    for input in read {
        let form = seen_form(input);
        let [(symbol, scale)] = form.terms() else { continue };
        let scale = scale.abs();
        let (other, before) = first.entry((*symbol, input.index)).or_insert_with(|| (scale.clone(), input));
        if times(&scale) < *other || times(other) < scale {
            messages.push(format!(
                "the networks {} and {} see one variable on different scales: {} and {}",
                before.file,
                input.file,
                describe(model, &seen_form(before)),
                describe(model, &form),
            ));
        }
    }
    messages
}
