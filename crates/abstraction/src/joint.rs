//! All outcomes of an operator at once, as probabilistic predicate abstraction wants them (Wachter, Zhang and Hermanns, *Probabilistic Model Checking
//! Modulo Theories*; Definition 3 of Vinzent, Hermanns and Hoffmann, *Probabilistic Safety Verification of Neural Policies via Predicate
//! Abstraction*).
//!
//! An abstract transition is an operator with a distribution over abstract successors, one per outcome, such that some concrete state has
//! all of them: the outcomes share the source state, the guard and the policy's choice. An outcome whose update has several cases takes one of them, so
//! a [`Joint`] is a tuple of rules, one case per outcome. Values that assignments choose freely are chosen by the environment after the
//! outcome is drawn. From a given state that is the same as choosing a value per outcome beforehand, and these are separate variables of one
//! question: so every combination is a transition of its own.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Space, Symbol};
use surefoot_model::Model;
use surefoot_num::Rational;
use surefoot_symbolic::{ChoiceBounds, Probability};
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use crate::rule::Rule;

/// More combinations of cases of one operator are refused.
const MOST_COMBINATIONS: usize = 10_000;

/// An operator with one case per outcome, at given locations.
#[derive(Debug, Clone)]
pub struct Joint {
    /// One rule per outcome, as it is alone.
    pub rules: Vec<Arc<Rule>>,
    /// The same with choices that no two of them have in common.
    pub(crate) apart: Vec<Arc<Rule>>,
    /// The probabilities of the outcomes, which add up to one.
    pub probabilities: Vec<Rational>,
}

/// The operators behind the rules of a location vector.
///
/// # Errors
/// Probabilities that depend on the state, which this abstraction does not have; more combinations of cases than can be listed.
pub fn joints(model: &Model, rules: &[Arc<Rule>]) -> Result<Vec<Joint>, Diagnostic> {
    let mut joints = Vec::new();
    for rules in rules.chunk_by(|a, b| a.operator == b.operator) {
        let outcomes: Vec<&[Arc<Rule>]> = rules.chunk_by(|a, b| a.destinations == b.destinations).collect();
        let mut probabilities = Vec::new();
        for outcome in &outcomes {
            match &outcome[0].probability {
                Probability::Constant(probability) => probabilities.push(probability.clone()),
                Probability::Product(_) => return Err(state_dependent(model, &outcome[0])),
            }
        }
        // Where an outcome has no rule it is in error wherever the operator is enabled, so the operator counts as absent.
        if probabilities.iter().cloned().sum::<Rational>() != Rational::ONE {
            continue;
        }
        let combinations = outcomes.iter().map(|cases| cases.len()).try_fold(1usize, usize::checked_mul);
        if combinations.is_none_or(|combinations| combinations > MOST_COMBINATIONS) {
            let name = model.describe_operator(&rules[0].operator);
            let message = format!("the updates of {name} have more than {MOST_COMBINATIONS} combinations of cases");
            return Err(Diagnostic::error_anywhere(&message).refusal());
        }
        let renamed = apart(&outcomes);
        let mut tuples: Vec<Vec<usize>> = vec![Vec::new()];
        for cases in &outcomes {
            let with = |tuple: &Vec<usize>, case: usize| tuple.iter().copied().chain([case]).collect();
            tuples = tuples.iter().flat_map(|tuple| (0..cases.len()).map(move |case| with(tuple, case))).collect();
        }
        for tuple in tuples {
            let rules = outcomes.iter().zip(&tuple).map(|(cases, case)| cases[*case].clone()).collect();
            let apart = renamed.iter().zip(&tuple).map(|(cases, case)| cases[*case].clone()).collect();
            joints.push(Joint { rules, apart, probabilities: probabilities.clone() });
        }
    }
    Ok(joints)
}

fn state_dependent(model: &Model, rule: &Rule) -> Diagnostic {
    let name = model.describe_operator(&rule.operator);
    let message = format!(
        "the probabilities of {name} depend on the state, which probabilistic predicate abstraction does not have"
    );
    Diagnostic::error_anywhere(&message).refused(Refusal::Construct).with_help("use the explicit engine")
}

/// Rules whose choices are numbered apart from those of other outcomes.
fn apart(outcomes: &[&[Arc<Rule>]]) -> Vec<Vec<Arc<Rule>>> {
    let free = outcomes.iter().filter(|cases| !cases[0].choices.is_empty()).count();
    if free == 0 || outcomes.len() == 1 {
        return outcomes.iter().map(|cases| cases.to_vec()).collect();
    }
    // Choices are numbered after all symbols of the model, from the same number in every outcome.
    let model_symbols = |rule: &Rule| rule.space.len() - rule.choices.len();
    let first = model_symbols(&outcomes[0][0]);
    let mut space = Space::default();
    for symbol in Symbol::first(first) {
        space.push(outcomes[0][0].space.symbol(symbol).clone());
    }
    let mut moved = Vec::new();
    for cases in outcomes {
        moved.push(space.len() - first);
        for (symbol, _) in &cases[0].choices {
            space.push(cases[0].space.symbol(*symbol).clone());
        }
    }
    let renamed = |rule: &Rule, by: usize| {
        let to = |symbol: Symbol| if symbol.index() < first { symbol } else { symbol.plus(by) };
        let map = |symbol: Symbol| (symbol.index() >= first).then(|| Linear::symbol(to(symbol)));
        let formula = |formula: &Formula| formula.substitute(&map);
        let limit = |limit: &ChoiceBounds| ChoiceBounds {
            symbol: to(limit.symbol),
            lower: limit.lower.substitute(&map),
            upper: limit.upper.substitute(&map),
        };
        Arc::new(Rule {
            formula: formula(&rule.formula),
            update: rule.update.iter().map(|(slot, form)| (*slot, form.substitute(&map))).collect(),
            choices: rule.choices.iter().map(|(symbol, domain)| (to(*symbol), domain.clone())).collect(),
            limits: rule.limits.iter().map(limit).collect(),
            space: space.clone(),
            ..rule.clone()
        })
    };
    let pairs = outcomes.iter().zip(moved);
    pairs.map(|(cases, by)| cases.iter().map(|rule| renamed(rule, by)).collect()).collect()
}
