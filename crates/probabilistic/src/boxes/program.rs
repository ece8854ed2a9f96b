//! What can happen at given locations, compiled for boxes.
//!
//! Rules of the abstraction (one per operator, outcome and case) are put together to operators again: the outcomes of an operator share its guard and the
//! policy's choice, and each has its probability.

use std::sync::Arc;

use surefoot_abstraction::{Chooser, Fault, Rule, System};
use surefoot_linear::{Formula, Symbol};
use surefoot_model::LabelId;
use surefoot_num::Rational;
use surefoot_oracle::Template;
use surefoot_symbolic::Probability;
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use super::range::{Form, Range, Test};

/// What happens to a slot.
#[derive(Debug, Clone)]
pub(crate) enum Written {
    /// It gets the value of a form.
    Form(Form),
    /// It gets any value of its domain, as far as is known.
    Any,
}

/// One case of an outcome.
#[derive(Debug)]
pub(crate) struct Case {
    /// Where it is the one, for given choices.
    pub(crate) condition: Test,
    /// What changes, by ascending slot.
    pub(crate) update: Vec<(usize, Written)>,
    /// The domains of its choices, whose symbols come after the slots.
    pub(crate) choices: Vec<Range>,
    /// Locations after it.
    pub(crate) after: Box<[u32]>,
}

/// An outcome of an operator.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How likely it is.
    pub(crate) probability: Rational,
    /// As a float, for guessing.
    pub(crate) share: f64,
    /// Its cases: where the operator is enabled, exactly one holds for given choices.
    pub(crate) cases: Vec<Case>,
}

/// An operator.
#[derive(Debug)]
pub(crate) struct Operator {
    /// The guard, and that the state is not terminal.
    pub(crate) guard: Test,
    /// What happens.
    pub(crate) outcomes: Vec<Outcome>,
    /// The labels that permit it, numbered through all networks; `None` for moves of the environment.
    pub(crate) labels: Option<Vec<usize>>,
    /// Its label.
    pub(crate) label: Option<LabelId>,
}

/// The labels that one network may choose.
#[derive(Debug)]
pub(crate) struct Network {
    /// Tracks, for each label, that it is chosen.
    pub(crate) template: Template,
    /// The number of its first label.
    pub(crate) first: usize,
    choosers: Vec<Chooser>,
}

/// What can happen at given locations.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) operators: Vec<Operator>,
    pub(crate) networks: Vec<Network>,
    /// How many labels the networks have.
    pub(crate) labels: usize,
    /// Whether the policy chooses among labels that are applicable.
    pub(crate) filtered: bool,
    /// The states to be reached.
    pub(crate) reach: Test,
    pub(crate) reach_formula: Formula,
    /// What may be an error.
    pub(crate) faults: Vec<(Test, Arc<Fault>)>,
}

impl Program {
    /// What can happen at given locations; with `all_labels`, labels that nothing can happen by are told apart, too.
    pub(crate) fn new(system: &mut System<'_>, locations: &[u32], all_labels: bool) -> Result<Self, Diagnostic> {
        let rules = system.rules(locations)?;
        let faults = system.faults(locations)?.into_iter().map(|f| (Test::of(&f.formula), Arc::new(f))).collect();
        let reach_formula = system.lowering().at_all_locations(system.reach(), locations);
        let networks = networks(system, &rules, all_labels);
        let labels = networks.last().map_or(0, |last| last.first + last.choosers.len());
        let mut operators = Vec::new();
        for rules in rules.chunk_by(|a, b| a.operator == b.operator) {
            operators.extend(operator(system, &networks, rules)?);
        }
        let filtered = system.policy().is_some_and(|policy| policy.filter);
        Ok(Self { operators, networks, labels, filtered, reach: Test::of(&reach_formula), reach_formula, faults })
    }
}

/// The networks that choose, each with all labels that it may choose for a move.
fn networks(system: &System<'_>, rules: &[Arc<Rule>], all_labels: bool) -> Vec<Network> {
    let mut groups: Vec<Vec<Chooser>> = Vec::new();
    for chooser in rules.iter().filter_map(|rule| rule.choosers.as_deref()).flatten() {
        // Soundness: a label stands for all choosers with its output, so these must not differ in anything else.
        match groups.iter_mut().find(|group| group[0].is_same_choice(chooser)) {
            Some(group) if group.iter().any(|known| known.output == chooser.output) => {}
            Some(group) => group.push(chooser.clone()),
            None => groups.push(vec![chooser.clone()]),
        }
    }
    for group in groups.iter_mut().filter(|_| all_labels) {
        for output in 0..group[0].network.output_len() {
            if !group.iter().any(|chooser| chooser.output == output) {
                group.push(Chooser { output, ..group[0].clone() });
            }
        }
    }
    let mut first = 0;
    let network = |choosers: Vec<Chooser>| {
        let as_it_is = |_: Symbol| None;
        let mut question = system.question(Formula::truth());
        question.applications.push(choosers[0].application(&as_it_is));
        let chosen = choosers.iter().map(|chooser| chooser.chosen(&question, 0, &as_it_is)).collect();
        first += choosers.len();
        Network { template: Template::new(question, chosen), first: first - choosers.len(), choosers }
    };
    groups.into_iter().map(network).collect()
}

/// The number of a chooser's label.
fn label(networks: &[Network], chooser: &Chooser) -> usize {
    let network = networks.iter().find(|network| network.choosers[0].is_same_choice(chooser));
    let network = network.expect("all choosers were collected");
    let position = network.choosers.iter().position(|known| known.output == chooser.output);
    network.first + position.expect("all labels were collected")
}

/// An operator from its rules; `None` where it is never enabled.
fn operator(system: &System<'_>, networks: &[Network], rules: &[Arc<Rule>]) -> Result<Option<Operator>, Diagnostic> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for cases in rules.chunk_by(|a, b| a.destinations == b.destinations) {
        let Probability::Constant(probability) = &cases[0].probability else {
            return Err(state_dependent(system, &cases[0]));
        };
        outcomes.push(Outcome {
            probability: probability.clone(),
            share: probability.to_f64(),
            cases: cases.iter().map(|rule| case(rule)).collect(),
        });
    }
    // Where an operator is enabled every outcome has a case; outcomes without any were left out of the rules.
    let whole = outcomes.iter().fold(Rational::ZERO, |sum, outcome| &sum + &outcome.probability) == Rational::ONE;
    let labels = rules[0].choosers.as_deref();
    let labels = labels.map(|choosers| choosers.iter().map(|chooser| label(networks, chooser)).collect());
    Ok(whole.then(|| Operator { guard: Test::of(&rules[0].guard), outcomes, labels, label: rules[0].label }))
}

fn case(rule: &Rule) -> Case {
    let written = |form| Form::of(form).map_or(Written::Any, Written::Form);
    Case {
        condition: Test::of(&rule.formula),
        update: rule.update.iter().map(|(slot, form)| (slot.index(), written(form))).collect(),
        choices: rule
            .choices
            .iter()
            .map(|(_, domain)| domain.int_bounds().expect("real variables are refused"))
            .collect(),
        after: rule.after.clone(),
    }
}

fn state_dependent(system: &System<'_>, rule: &Rule) -> Diagnostic {
    let name = system.model().describe_operator(&rule.operator);
    let message = format!("the probabilities of {name} depend on the state, which bounds by abstraction do not cover");
    Diagnostic::error_anywhere(message).with_help("use the explicit engine").refused(Refusal::Construct)
}
