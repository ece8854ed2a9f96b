//! From a web of neurons to a chain of layers.
//!
//! The *depth* of an input is 0, that of a neuron one more than the deepest variable it reads. Layer `k` computes all
//! neurons of depth `k`. A variable that is read further on than the next layer is *carried* along. Since a layer has one
//! activation, what does not fit it is rewritten exactly:
//!
//! * in a ReLU layer an identity neuron `z` becomes the two neurons `max(z, 0)` and `max(-z, 0)`, and `z` is their
//!   difference; a carried variable likewise, except that a ReLU neuron is not negative and needs only itself;
//! * in a layer of identity neurons only, everything is itself;
//! * a softplus, GELU or SiLU layer carries like a ReLU layer: `f(z) - f(-z) = z` for each of these, over the reals;
//! * through a layer of other smooth functions nothing can be carried exactly, and LayerNorm takes its vector whole: a web
//!   that needs more there is refused.
//!
//! For a plain chain of affine maps and activations this gives back exactly those layers.

use std::collections::BTreeMap;

use surefoot_num::Rational;
use surefoot_num::function::{Function, Reflection};

use super::error::Fault;
use super::row::Row;
use super::signal::{Builder, Neuron, Output, VarId};
use super::spread::{Line, Size, Slots};
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;
use crate::shape::ShapeError;

/// What a slot of a layer computes: `sign * expression`.
enum Source {
    Own(usize),
    Carried(VarId),
}

struct Level {
    slots: Vec<(Source, f64)>,
    activation: Activation,
}

impl Level {
    fn lines<'b>(&self, builder: &'b Builder) -> Vec<Line<'b>> {
        let line = |(source, sign): &(Source, f64)| match *source {
            Source::Own(index) => Line::Row(&builder.neurons[index].row, *sign),
            Source::Carried(var) => Line::Var(var, *sign),
        };
        self.slots.iter().map(line).collect()
    }
}

/// Makes the network of the given outputs, over the first `kept` inputs; the others are not read.
pub(crate) fn network(
    builder: &mut Builder,
    outputs: &[Output],
    kept: usize,
) -> Result<Result<Network, ShapeError>, Fault> {
    let inputs = builder.inputs.len();
    let neuron = |var: VarId| var.0.checked_sub(inputs);
    let Depths { depth, last_read, needed, deepest } = depths(builder, outputs);
    builder.charge(depth.len().saturating_mul(4))?;
    let mut by_depth: Vec<Vec<usize>> = vec![Vec::new(); deepest + 1];
    for var in (0..depth.len()).filter(|&var| needed[var]) {
        by_depth[depth[var]].push(var);
    }

    let mut levels: Vec<Level> = Vec::new();
    let mut carried = false;
    // What is there at a level: what stands there, and what is read further on.
    let mut vars: Vec<usize> = Vec::new();
    for (level, own) in by_depth.into_iter().enumerate() {
        vars.retain(|&var| last_read[var] > level);
        vars.extend(own);
        if level == 0 {
            continue;
        }
        vars.sort_unstable();
        builder.charge(vars.len().saturating_mul(4))?;
        let is_relu =
            |var: usize| neuron(VarId(var)).is_some_and(|n| builder.neurons[n].activation == Activation::Relu);
        let own = |var: usize| neuron(VarId(var)).filter(|_| depth[var] == level).map(|n| &builder.neurons[n]);
        if let Some(smooth) = vars.iter().find_map(|&var| own(var).filter(|n| !n.activation.is_piecewise_linear())) {
            let vector = |n: &Neuron| matches!(n.activation, Activation::LayerNorm { .. }).then_some(n.vector);
            let alike = |n: &Neuron| n.activation == smooth.activation && vector(n) == vector(smooth);
            let carries = is_difference(smooth.activation);
            let mut slots = Vec::new();
            for &var in &vars {
                let source = || match own(var) {
                    Some(_) => Source::Own(var - inputs),
                    None => Source::Carried(VarId(var)),
                };
                match own(var) {
                    Some(n) if alike(n) => slots.push((source(), 1.0)),
                    Some(n) if n.activation != Activation::Identity => return Err(beside(smooth.activation)),
                    _ if !carries => return Err(beside(smooth.activation)),
                    _ => {
                        slots.extend([(source(), 1.0), (source(), -1.0)]);
                        carried = true;
                    }
                }
            }
            levels.push(Level { slots, activation: smooth.activation });
            continue;
        }
        let any_relu = vars.iter().any(|&var| depth[var] == level && is_relu(var));
        let mut slots = Vec::new();
        for &var in &vars {
            let source = || match neuron(VarId(var)) {
                Some(index) if depth[var] == level => Source::Own(index),
                _ => Source::Carried(VarId(var)),
            };
            slots.push((source(), 1.0));
            if any_relu && !is_relu(var) {
                slots.push((source(), -1.0));
            }
        }
        let activation = if any_relu { Activation::Relu } else { Activation::Identity };
        levels.push(Level { slots, activation });
    }

    // Where each variable is in the layer before; at the start, the inputs themselves.
    let mut here: Vec<Slots> = vec![Vec::new(); depth.len()];
    for (input, slots) in here.iter_mut().enumerate().take(inputs) {
        *slots = vec![(input, 1.0)];
    }
    let mut width = inputs;
    let mut layers: Vec<Result<Layer, ShapeError>> = Vec::new();
    for level in &levels {
        let size = Size::of(&level.lines(builder), &here, width);
        builder.charge(size.numbers())?;
        let bias = |(source, sign): &(Source, f64)| match *source {
            Source::Own(index) => sign * builder.neurons[index].bias,
            Source::Carried(_) => 0.0,
        };
        let bias = level.slots.iter().map(bias).collect();
        layers.push(size.layer(&level.lines(builder), &here, bias, level.activation));
        let mut next: BTreeMap<usize, Slots> = BTreeMap::new();
        for (slot, (source, sign)) in level.slots.iter().enumerate() {
            let var = match *source {
                Source::Own(index) => inputs + index,
                Source::Carried(var) => var.0,
            };
            next.entry(var).or_default().push((slot, *sign));
        }
        // What is not there any more is not read any more.
        next.into_iter().for_each(|(var, slots)| here[var] = slots);
        width = level.slots.len();
    }
    if !ends_with_outputs(&here, outputs, width, deepest) {
        let lines: Vec<Line<'_>> = outputs.iter().map(|output| Line::Row(&output.row, 1.0)).collect();
        let bias = outputs.iter().map(|output| output.bias).collect();
        let size = Size::of(&lines, &here, width);
        builder.charge(size.numbers())?;
        layers.push(size.layer(&lines, &here, bias, Activation::Identity));
    }
    let network = assemble(builder, layers, outputs, kept);
    Ok(if carried { network.map(Network::with_real_only) } else { network })
}

/// Whether `f(z) - f(-z) = z`, so that a layer of this function can hand on what it was given.
fn is_difference(activation: Activation) -> bool {
    let law = |function: Function| function.reflection() == Some(Reflection { sign: 1, slope: -1, offset: 0 });
    matches!(activation, Activation::Smooth(function) if law(function))
}

fn beside(activation: Activation) -> Fault {
    Fault::Unsupported(format!(
        "a layer of {activation} stands beside something else that is used later (a skip connection, another activation, or \
         parts of different depth); beside it nothing has an exact form. Layers of softplus, GELU, SiLU and ReLU do have one: \
         train with one of these, or without the skip connection"
    ))
}

/// For every variable: its depth, the deepest layer that reads it (outputs read one beyond), and whether it matters.
struct Depths {
    depth: Vec<usize>,
    last_read: Vec<usize>,
    needed: Vec<bool>,
    /// The depth of the deepest variable that an output reads.
    deepest: usize,
}

fn depths(builder: &Builder, outputs: &[Output]) -> Depths {
    let inputs = builder.inputs.len();
    let count = inputs + builder.neurons.len();
    let (mut depth, mut last_read, mut needed) = (vec![0usize; count], vec![0usize; count], vec![false; count]);
    // Neurons read earlier variables only, so one pass each way suffices. Rows of one matrix share their list of variables, which is
    // looked at once: a sparse matrix has fewer entries than lists of all its rows would have.
    let mut lists: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, neuron) in builder.neurons.iter().enumerate() {
        let mut below = |neuron: &Neuron| {
            let read = || neuron.row.vars.iter().map(|var| depth[var.0]).max().unwrap_or(0);
            *lists.entry(neuron.row.list()).or_insert_with(read)
        };
        depth[inputs + index] = 1 + match neuron.vector {
            None => below(neuron),
            // A smooth layer stands at one depth. None of its neurons reads another of them.
            Some(first) if first == index => builder.neurons[index..]
                .iter()
                .take_while(|n| n.vector == Some(first))
                .map(&mut below)
                .max()
                .unwrap_or(0),
            Some(first) => depth[inputs + first] - 1,
        };
    }
    let lists: BTreeMap<usize, &Row> = outputs.iter().map(|output| (output.row.list(), &*output.row)).collect();
    let read = || lists.values().flat_map(|row| row.vars.iter());
    let deepest = read().map(|var| depth[var.0]).max().unwrap_or(0);
    for var in read() {
        (needed[var.0], last_read[var.0]) = (true, deepest + 1);
    }
    // The deepest reader of each list so far.
    let mut readers: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, neuron) in builder.neurons.iter().enumerate().rev() {
        // LayerNorm looks at its whole vector, read or not; whoever reads it comes after all of it.
        if let (Some(first), Activation::LayerNorm { .. }) = (neuron.vector, neuron.activation)
            && builder.neurons.get(index + 1).and_then(|next| next.vector) != Some(first)
        {
            let read = needed[inputs + first..=inputs + index].iter().any(|needed| *needed);
            needed[inputs + first..=inputs + index].fill(read);
        }
        if !needed[inputs + index] {
            continue;
        }
        let reader = readers.entry(neuron.row.list()).or_insert(0);
        if *reader >= depth[inputs + index] {
            continue;
        }
        *reader = depth[inputs + index];
        for var in neuron.row.vars.iter() {
            needed[var.0] = true;
            last_read[var.0] = last_read[var.0].max(depth[inputs + index]);
        }
    }
    Depths { depth, last_read, needed, deepest }
}

/// Whether the last layer is already the outputs, in order, so that no selection needs to follow.
fn ends_with_outputs(here: &[Slots], outputs: &[Output], width: usize, deepest: usize) -> bool {
    let is_slot = |(index, output): (usize, &Output)| match *output.row.vars {
        [var] => output.row.only() == Some((var, 1.0)) && output.bias == 0.0 && here[var.0] == [(index, 1.0)],
        _ => false,
    };
    deepest > 0 && width == outputs.len() && outputs.iter().enumerate().all(is_slot)
}

fn assemble(
    builder: &Builder,
    layers: Vec<Result<Layer, ShapeError>>,
    outputs: &[Output],
    kept: usize,
) -> Result<Network, ShapeError> {
    let input =
        |normalisation: &Option<(Rational, Rational)>| normalisation.clone().unwrap_or((Rational::ONE, Rational::ZERO));
    let (scale, offset) = builder.inputs[..kept].iter().map(input).unzip();
    let mut layers: Vec<Layer> = layers.into_iter().collect::<Result<_, _>>()?;
    if kept < builder.inputs.len() {
        layers[0] = layers[0].of_first_inputs(kept)?;
    }
    let network = Network::new(layers)?
        .with_input_normalisation(Normalisation::new(scale, offset)?)?
        .with_input_domains(builder.domains[..kept].to_vec())?;
    let (scale, offset) = outputs.iter().map(|o| (o.scale.clone(), o.offset.clone())).unzip();
    network.with_output_normalisation(Normalisation::new(scale, offset)?)
}
