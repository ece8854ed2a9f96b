//! The system and its policy as one network of automata: the definition that is written.
//!
//! One automaton more, the **controller**, takes part in every move. It is idle, or it computes:
//!
//! | from | move | to |
//! |---|---|---|
//! | idle | a move of the environment: a vector whose label is no output of the policy, or silent | idle |
//! | idle | silently, where a label that is an output is applicable, and network `k` is the first whose condition holds: the neurons of its first layer | layer 1 of `k` |
//! | layer `i` of `k` | silently: the neurons of layer `i + 1` from those of layer `i`, which become 0 | layer `i + 1` of `k` |
//! | the last layer but one | silently: the scores | decide |
//! | decide | a vector whose label is the output that wins; scores become 0 | idle |
//!
//! So states differ in neurons only while they are computed, and no move comes in between that could change what they were computed from. With the
//! applicability filter a label that is not applicable gets a score below all others. A label that wins and is not
//! applicable moves nowhere: the run ends there. In the idle state before, moves of the environment were possible too, so that
//! which states can be reached, and with what largest probability, is what it is for the policy.
//! Where runs end in goal states, nothing leaves the idle state there.
//!
//! The largest probability of reaching an unsafe state is that of the policy's own system if nothing was rounded. Least probabilities are not the same: whoever
//! resolves choices may let the controller compute an inapplicable label.

use surefoot_linear::{Interval, Symbol};
use surefoot_model::policy::Policy;
use surefoot_model::{LabelId, ScalarType, SlotId, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::chain::chain;
use crate::discrete::{Computed, integers, real};
use crate::options::{MOST_BITS, Options, Target};
use crate::plain::Plain;
use crate::system::{Subject, applicable, governed, neuron, refuse_reals, slot_number, slot_range, wins};

/// A variable of the controller.
#[derive(Debug, Clone)]
pub(crate) struct Neuron {
    pub(crate) name: String,
    /// Its values, 0 among them.
    pub(crate) range: Interval,
}

/// What a controller's edge takes part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing: silent.
    Silent,
    /// Every move of the environment.
    Environment,
    /// The moves of a label.
    Label(LabelId),
}

/// An edge of the controller.
#[derive(Debug, Clone)]
pub(crate) struct ControllerEdge {
    pub(crate) source: usize,
    pub(crate) action: Action,
    pub(crate) guard: TermId,
    pub(crate) assignments: Vec<(SlotId, TermId)>,
    pub(crate) target: usize,
}

/// The composed system.
#[derive(Debug)]
pub(crate) struct Composed {
    /// The model, without what checkers do not have. Slots beyond its own are neurons.
    pub(crate) plain: Plain,
    pub(crate) neurons: Vec<Neuron>,
    /// Integers or reals.
    pub(crate) ty: ScalarType,
    /// The labels that the policy chooses from.
    pub(crate) governed: Vec<LabelId>,
    /// Locations of the controller, idle first.
    pub(crate) locations: Vec<String>,
    pub(crate) edges: Vec<ControllerEdge>,
    pub(crate) unsafe_states: TermId,
    /// What every start state satisfies, and only they.
    pub(crate) start: TermId,
    /// The networks, as they are computed.
    pub(crate) networks: Vec<Computed>,
}

impl Composed {
    /// Puts a system and its policy together.
    pub(crate) fn new(subject: &Subject<'_>, options: &Options) -> Result<Self, Diagnostic> {
        let governed = governed(subject.policy)?;
        if options.target == Target::Storm {
            refuse_reals(subject)?;
        }
        let mut plain = Plain::new(subject.model)?;
        let unsafe_states = plain.term(subject.unsafe_states)?;
        let start = crate::start::condition(&mut plain, subject.start)?;
        let networks = compute(subject, options)?;
        let terminal = subject.terminal.map(|terminal| plain.term(terminal)).transpose()?;
        let going = match terminal {
            Some(terminal) => plain.model.terms.not(terminal),
            None => plain.model.terms.bool(true),
        };
        let idle =
            ControllerEdge { source: 0, action: Action::Environment, guard: going, assignments: Vec::new(), target: 0 };
        let mut composed = Self {
            plain,
            neurons: Vec::new(),
            ty: if options.target == Target::JaniReal { ScalarType::Real } else { ScalarType::Int },
            governed,
            locations: vec!["idle".to_owned()],
            edges: vec![idle],
            unsafe_states,
            start,
            networks,
        };
        if let Some(policy) = subject.policy {
            composed.control(policy, going)?;
        }
        Ok(composed)
    }

    /// Edges that compute and choose.
    fn control(&mut self, policy: &Policy, going: TermId) -> Result<(), Diagnostic> {
        let labels = self.governed.clone();
        let enabled: Vec<TermId> = labels.iter().map(|label| applicable(&mut self.plain.model, *label)).collect();
        let asked = self.plain.model.terms.any(enabled.iter().copied());
        let networks = self.networks.clone();
        let layers = self.declare(&networks, policy.filter);
        let decide = self.locations.len();
        self.locations.push("decide".to_owned());
        let mut rest = self.plain.model.terms.and(going, asked);
        for (k, network) in networks.iter().enumerate() {
            let when = match policy.networks[k].when {
                Some(when) => self.plain.term(when)?,
                None => self.plain.model.terms.bool(true),
            };
            let mut guard = self.plain.model.terms.and(rest, when);
            let not = self.plain.model.terms.not(when);
            rest = self.plain.model.terms.and(rest, not);
            let mut source = 0;
            for (i, step) in network.steps.iter().enumerate() {
                let last = i + 1 == network.steps.len();
                let mut values = Vec::with_capacity(step.rows.len());
                for row in &step.rows {
                    let read = |symbol: Symbol, this: &mut Self| match i {
                        0 => slot_number(&mut this.plain.model, symbol),
                        _ => this.read(layers[i - 1][symbol.index()]),
                    };
                    let known: Vec<(Symbol, TermId)> = row.terms().iter().map(|(s, _)| (*s, read(*s, self))).collect();
                    values.push(neuron(&mut self.plain.model.terms, step, row, &known));
                }
                let written = if last { &layers[layers.len() - 1] } else { &layers[i] };
                let mut assignments: Vec<(SlotId, TermId)> = written.iter().copied().zip(values).collect();
                if last && policy.filter {
                    let Some(below) = below_all(&step.ranges) else { return Err(unbounded(&policy.networks[k].file)) };
                    let below = self.plain.model.terms.num(below);
                    for ((_, value), enabled) in assignments.iter_mut().zip(&enabled) {
                        *value = self.plain.model.terms.ite(*enabled, *value, below);
                    }
                }
                if i > 0 {
                    let zero = self.plain.model.terms.num(Rational::ZERO);
                    let used = network.steps[i - 1].rows.len();
                    assignments.extend(layers[i - 1][..used].iter().map(|slot| (*slot, zero)));
                }
                let target = if last { decide } else { self.locations.len() };
                if !last {
                    self.locations.push(format!("network{k}_layer{}", i + 1));
                }
                self.edges.push(ControllerEdge { source, action: Action::Silent, guard, assignments, target });
                guard = self.plain.model.terms.bool(true);
                source = target;
            }
        }
        self.choose(policy, &labels, &layers[layers.len() - 1], decide);
        Ok(())
    }

    /// Edges that take part in the moves of the label that wins.
    fn choose(&mut self, policy: &Policy, labels: &[LabelId], scores: &[SlotId], decide: usize) {
        let zero = self.plain.model.terms.num(Rational::ZERO);
        let values: Vec<TermId> = scores.iter().map(|slot| self.read(*slot)).collect();
        for (output, label) in labels.iter().enumerate() {
            let guard = wins(&mut self.plain.model.terms, &values, output, policy.ties, None);
            let assignments = scores.iter().map(|slot| (*slot, zero)).collect();
            self.edges.push(ControllerEdge {
                source: decide,
                action: Action::Label(*label),
                guard,
                assignments,
                target: 0,
            });
        }
    }

    /// Variables for the neurons of hidden layers, and for the scores, which come last. Networks share them: only one is computed at a time.
    fn declare(&mut self, networks: &[Computed], filter: bool) -> Vec<Vec<SlotId>> {
        let depth = networks.iter().map(|network| network.steps.len() - 1).max().unwrap_or(0);
        let mut layers = Vec::with_capacity(depth + 1);
        for layer in 0..=depth {
            let score = layer == depth;
            let mut ranges: Vec<Interval> = Vec::new();
            for network in networks {
                let hidden = network.steps.len() - 1;
                if !score && layer >= hidden {
                    continue;
                }
                let step = if score { &network.steps[hidden] } else { &network.steps[layer] };
                let lowest = if score && filter { below_all(&step.ranges) } else { None };
                for (i, range) in step.ranges.iter().enumerate() {
                    let range =
                        lowest.iter().fold(range.clone(), |range, low| range.hull(&Interval::point(low.clone())));
                    match ranges.get_mut(i) {
                        Some(known) => *known = known.hull(&range),
                        None => ranges.push(range.hull(&Interval::point(Rational::ZERO))),
                    }
                }
            }
            let mut slots = Vec::with_capacity(ranges.len());
            for (i, range) in ranges.into_iter().enumerate() {
                let name = match score {
                    true => format!("score_{}", self.plain.model.labels[self.governed[i].0 as usize]),
                    false => format!("n{}_{i}", layer + 1),
                };
                slots.push(SlotId::at(self.plain.model.slots.len() + self.neurons.len()));
                self.neurons.push(Neuron { name, range });
            }
            layers.push(slots);
        }
        layers
    }

    /// The value of a neuron.
    fn read(&mut self, slot: SlotId) -> TermId {
        self.plain.model.terms.slot(slot, self.ty)
    }
}

/// The networks of a policy as they are computed.
fn compute(subject: &Subject<'_>, options: &Options) -> Result<Vec<Computed>, Diagnostic> {
    let slots = |symbol: Symbol| slot_range(subject.model, symbol);
    let networks = subject.policy.map(|policy| policy.networks.as_slice()).unwrap_or_default();
    let one = |network| {
        let layers = chain(network);
        if options.target == Target::JaniReal {
            return Ok(real(&layers, &slots));
        }
        integers(&layers, &slots, options.precision).map_err(|most| {
            let most = most.map_or("without bound".to_owned(), |most| format!("up to 2^{}", most.ceil().bit_size()));
            let message = format!(
                "{}: the integers for its neurons are {most}, and checkers compute exactly below 2^53 only",
                network.file
            );
            let help = match options.precision {
                Some(bits) => format!(
                    "ask for fewer bits than {bits} with {} (1 to {MOST_BITS})",
                    surefoot_text::option("precision")
                ),
                None => format!("use {} jani-real", surefoot_text::option("target")),
            };
            Diagnostic::error_anywhere(message).with_help(help).refusal()
        })
    };
    networks.iter().map(one).collect()
}

/// A number below all values of the ranges.
fn below_all(ranges: &[Interval]) -> Option<Rational> {
    let lowest = ranges.iter().map(|range| range.lower.clone()).collect::<Option<Vec<_>>>()?;
    lowest.into_iter().min().map(|low| (&low - &Rational::ONE).floor())
}

fn unbounded(file: &str) -> Diagnostic {
    let message = format!(
        "{file}: its scores have no bounds, as a variable that it reads has none, and the applicability filter needs them"
    );
    Diagnostic::error_anywhere(message).with_help("give the variables bounds, or turn the filter off").refusal()
}
