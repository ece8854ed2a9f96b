//! The system and its policy as SMV.
//!
//! One module. The network is a set of definitions over the variables, exactly, in integers ([`discrete`](crate::discrete) without rounding): a transition of the module is a
//! move of the system under its policy, and nothing has to be computed in between.
//!
//! What moves is an input: `vector`, the synchronisation, and one `move` per automaton, an edge with an outcome, or 0 where it stays. Probabilities are
//! dropped: every outcome that has a positive one is possible. A move whose update would leave a variable's domain, or write two values at once, does not exist; in
//! the model that is an error.

mod expression;

use std::fmt::Write as _;

use surefoot_linear::Symbol;
use surefoot_model::model::{AssignedTerm, Assignment, Target as Assigned};
use surefoot_model::policy::Policy;
use surefoot_model::{Domain, LabelId, SlotId, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::chain::chain;
use crate::discrete::{Computed, discretise};
use crate::names::Names;
use crate::plain::Plain;
use crate::start::{condition, is_written};
use crate::system::{Subject, applicable, governed, neuron, refuse_reals, slot_number, slot_range, wins};

/// A definition: slots beyond those of the model stand for them.
struct Definition {
    name: String,
    value: TermId,
}

/// What is written.
struct Module {
    plain: Plain,
    definitions: Vec<Definition>,
    /// Per label of the policy, when it is chosen.
    chosen: Vec<(LabelId, TermId)>,
}

/// The text, and the networks as they are computed.
pub(crate) fn write(subject: &Subject<'_>) -> Result<(String, Vec<Computed>), Diagnostic> {
    let labels = governed(subject.policy)?;
    refuse_reals(subject)?;
    let mut module = Module { plain: Plain::new(subject.model)?, definitions: Vec::new(), chosen: Vec::new() };
    let start = condition(&mut module.plain, subject.start)?;
    let reach = module.plain.term(subject.unsafe_states)?;
    let going = match subject.terminal {
        Some(terminal) => {
            let terminal = module.plain.term(terminal)?;
            module.plain.model.terms.not(terminal)
        }
        None => module.plain.model.terms.bool(true),
    };
    let slots = |symbol: Symbol| slot_range(subject.model, symbol);
    let networks: Vec<Computed> = subject
        .policy
        .map(|policy| policy.networks.iter().map(|network| discretise(&chain(network), &slots, None)).collect())
        .unwrap_or_default();
    if let Some(policy) = subject.policy {
        module.define(policy, &labels, &networks)?;
    }
    Ok((module.text(start, reach, going)?, networks))
}

impl Module {
    /// A definition, as something to be read.
    fn name(&mut self, name: String, value: TermId) -> TermId {
        let slot = SlotId::at(self.plain.model.slots.len() + self.definitions.len());
        let ty = self.plain.model.terms.ty(value);
        self.definitions.push(Definition { name, value });
        self.plain.model.terms.slot(slot, ty)
    }

    /// Neurons, scores, and who wins.
    fn define(&mut self, policy: &Policy, labels: &[LabelId], networks: &[Computed]) -> Result<(), Diagnostic> {
        let mut enabled = Vec::new();
        for label in labels.iter().filter(|_| policy.filter) {
            let value = applicable(&mut self.plain.model, *label);
            enabled.push(self.name(format!("applicable_{}", self.plain.model.labels[label.0 as usize]), value));
        }
        let mut all: Vec<(TermId, Vec<TermId>)> = Vec::new();
        for (k, network) in networks.iter().enumerate() {
            let when = match policy.networks[k].when {
                Some(when) => self.plain.term(when)?,
                None => self.plain.model.terms.bool(true),
            };
            let mut below: Vec<TermId> = Vec::new();
            for (i, step) in network.steps.iter().enumerate() {
                let mut layer = Vec::new();
                for (j, row) in step.rows.iter().enumerate() {
                    let read: Vec<(Symbol, TermId)> = row
                        .terms()
                        .iter()
                        .map(|(s, _)| {
                            (*s, if i == 0 { slot_number(&mut self.plain.model, *s) } else { below[s.index()] })
                        })
                        .collect();
                    let value = neuron(&mut self.plain.model.terms, step, row, &read);
                    layer.push(self.name(format!("network{k}_n{}_{j}", i + 1), value));
                }
                below = layer;
            }
            all.push((when, below));
        }
        let asked = self.plain.model.terms.any(all.iter().map(|(when, _)| *when).collect::<Vec<_>>());
        let mut scores = Vec::new();
        for (output, label) in labels.iter().enumerate() {
            let mut value = self.plain.model.terms.num(Rational::ZERO);
            for (i, (when, outputs)) in all.iter().enumerate().rev() {
                // Where no network is asked, nothing is chosen, whatever stands here.
                let last = i + 1 == all.len();
                value = if last { outputs[output] } else { self.plain.model.terms.ite(*when, outputs[output], value) };
            }
            scores.push(self.name(format!("score_{}", self.plain.model.labels[label.0 as usize]), value));
        }
        for (output, label) in labels.iter().enumerate() {
            let filter = policy.filter.then_some(enabled.as_slice());
            let wins = wins(&mut self.plain.model.terms, &scores, output, policy.ties, filter);
            let chosen = self.plain.model.terms.and(asked, wins);
            let chosen = self.name(format!("chosen_{}", self.plain.model.labels[label.0 as usize]), chosen);
            self.chosen.push((*label, chosen));
        }
        Ok(())
    }

    fn text(&self, start: TermId, reach: TermId, going: TermId) -> Result<String, Diagnostic> {
        let model = &self.plain.model;
        let inputs = model.instances.iter().map(|instance| format!("move_{}", instance.name));
        let further: Vec<String> =
            self.definitions.iter().map(|d| d.name.clone()).chain(["vector".to_owned()]).chain(inputs).collect();
        let names = Names::new(model, further.iter().map(String::as_str));
        let vector = names.slot(model.slots.len() + self.definitions.len()).to_owned();
        let moving = |instance: usize| names.slot(model.slots.len() + self.definitions.len() + 1 + instance);
        let show = |term: TermId| expression::show(model, &names, term);
        let mut text =
            format!("-- {}, with its policy. Probabilities are dropped.\nMODULE main\nVAR\n", one_line(&model.name));
        for slot in (0..model.slots.len()).filter(|slot| is_written(model, *slot)) {
            let ty = match &model.slots[slot].domain {
                Domain::Bool => "boolean".to_owned(),
                domain => domain.int_bounds().map_or("real".to_owned(), |(lower, upper)| format!("{lower}..{upper}")),
            };
            put(&mut text, format_args!("  {} : {ty};\n", names.slot(slot)));
        }
        let usable: Vec<_> =
            model.vectors.iter().filter(|v| v.participants.iter().all(|p| !p.edges.is_empty())).collect();
        put(&mut text, format_args!("IVAR\n  {vector} : 0..{};\n", usable.len().max(1) - 1));
        for instance in 0..model.instances.len() {
            put(&mut text, format_args!("  {} : 0..{};\n", moving(instance), self.moves(instance).len()));
        }
        if !self.definitions.is_empty() {
            text.push_str("DEFINE\n");
        }
        for (i, definition) in self.definitions.iter().enumerate() {
            let name = names.slot(model.slots.len() + i);
            put(&mut text, format_args!("  {name} := {};\n", show(definition.value)?));
        }
        put(&mut text, format_args!("INIT {};\n", show(start)?));
        put(&mut text, format_args!("TRANS {};\n", show(going)?));
        if usable.is_empty() {
            text.push_str("TRANS FALSE;\n");
        }
        for (number, v) in usable.iter().enumerate() {
            let mut parts = Vec::new();
            if let Some((_, chosen)) = self.chosen.iter().find(|(label, _)| v.label == Some(*label)) {
                parts.push(show(*chosen)?);
            }
            for instance in 0..model.instances.len() {
                let taken: Vec<String> = match v.participants.iter().find(|p| p.instance == instance) {
                    None => vec![format!("{} = 0", moving(instance))],
                    Some(participant) => {
                        let moves = self.moves(instance);
                        let takes = |m: &usize| participant.edges.contains(&moves[*m].0);
                        let numbers =
                            (0..moves.len()).filter(takes).map(|m| format!("{} = {}", moving(instance), m + 1));
                        numbers.collect()
                    }
                };
                parts.push(format!("({})", taken.join(" | ")));
            }
            put(&mut text, format_args!("TRANS {vector} = {number} -> {};\n", parts.join(" & ")));
        }
        let mut writers: Vec<Vec<String>> = vec![Vec::new(); model.slots.len()];
        for instance in 0..model.instances.len() {
            for (m, (edge, destination)) in self.moves(instance).into_iter().enumerate() {
                let condition = format!("{} = {}", moving(instance), m + 1);
                let parts = self.effect(&names, instance, (edge, destination), &condition, &mut writers)?;
                let parts = if parts.is_empty() { "TRUE".to_owned() } else { parts.join(" & ") };
                put(&mut text, format_args!("TRANS {condition} -> {parts};\n"));
            }
        }
        for slot in (0..model.slots.len()).filter(|slot| is_written(model, *slot)) {
            let name = names.slot(slot);
            let kept = format!("next({name}) = {name}");
            match writers[slot].as_slice() {
                [] => put(&mut text, format_args!("TRANS {kept};\n")),
                writers => put(&mut text, format_args!("TRANS {} | {kept};\n", writers.join(" | "))),
            }
        }
        put(&mut text, format_args!("INVARSPEC !({});\n", show(reach)?));
        Ok(text)
    }

    /// The edges of an automaton with each of their outcomes that may have a positive probability.
    fn moves(&self, instance: usize) -> Vec<(u32, u32)> {
        let model = &self.plain.model;
        let possible = |term: TermId| model.terms.constant(term).is_none_or(|probability| !probability.is_zero());
        let edges = (0u32..).zip(&model.instances[instance].edges);
        let outcomes =
            edges.flat_map(|(e, edge)| (0u32..).zip(&edge.destinations).map(move |(d, at)| (e, d, at.probability)));
        outcomes.filter(|(.., probability)| possible(*probability)).map(|(e, d, _)| (e, d)).collect()
    }

    /// When a move is possible, and what it does.
    fn effect(
        &self,
        names: &Names,
        instance: usize,
        (edge, destination): (u32, u32),
        condition: &str,
        writers: &mut [Vec<String>],
    ) -> Result<Vec<String>, Diagnostic> {
        let model = &self.plain.model;
        let show = |term: TermId| expression::show(model, names, term);
        let edge = &model.instances[instance].edges[edge as usize];
        let destination = &edge.destinations[destination as usize];
        let mut parts = Vec::new();
        if is_written(model, instance) {
            let here = names.slot(instance);
            parts.push(format!("{here} = {}", edge.source));
            parts.push(format!("next({here}) = {}", destination.location));
            writers[instance].push(condition.to_owned());
        }
        if model.terms.constant(edge.guard).is_none_or(|guard| guard.is_zero()) {
            parts.push(show(edge.guard)?);
        }
        if model.terms.constant(destination.probability).is_none() {
            parts.push(format!("{} > 0", show(destination.probability)?));
        }
        for Assignment { target, value, index, span } in &destination.assignments {
            if *index != destination.assignments[0].index {
                let message = "assignments one after the other (of several indices) cannot be encoded as SMV";
                return Err(Diagnostic::error(*span, message).refusal());
            }
            let Assigned::Slot(slot) = target else { continue };
            let name = names.slot(slot.index());
            writers[slot.index()].push(condition.to_owned());
            match value {
                AssignedTerm::Value(value) => parts.push(format!("next({name}) = {}", show(*value)?)),
                AssignedTerm::Interval(lower, upper) => {
                    parts.push(format!("next({name}) >= {} & next({name}) <= {}", show(*lower)?, show(*upper)?));
                }
            }
        }
        Ok(parts)
    }
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(arguments);
}

fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
