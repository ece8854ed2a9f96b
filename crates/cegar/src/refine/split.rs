//! Witness splitting (Vinzent et al., *Policy-Specific Abstraction Predicate Selection*, sections 4 and 5).
//!
//! The witness of the abstract transition chooses the label, the state that is really reached does not; both lie in one
//! abstract state. Predicates between the two are added on some of the variables in which they differ: all, the relevant
//! ones (Algorithms 1 and 2), the most sensitive one, or some at random.
//!
//! Every split point lies between the two such that the witness satisfies the predicate and the other state does not, so that each
//! predicate is new.

use surefoot_linear::{Formula, Space, Symbol};
use surefoot_model::State;
use surefoot_num::{Random, Rational};
use surefoot_oracle::{Answer, Kind, Limits, Oracle, Variable};

use crate::atoms::{at_least, at_most};
use crate::decision::Decision;
use crate::options::{SplitPoint, Variables};

/// A pair of states to be told apart.
pub(crate) struct Split<'a> {
    pub(crate) decision: Decision<'a>,
    /// The domains of all slots.
    pub(crate) domains: &'a [Variable],
    /// Where the label is chosen.
    pub(crate) witness: &'a State,
    /// What is really reached.
    pub(crate) reached: &'a State,
    /// Whether relevance is checked over the reals.
    pub(crate) relaxed: bool,
}

/// Variables, and the share of the way from the witness for which they are relevant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relevant {
    pub(crate) variables: Vec<Symbol>,
    pub(crate) epsilon: Rational,
}

impl Split<'_> {
    /// The predicates that a configuration adds.
    pub(crate) fn predicates(
        &self,
        space: &Space,
        variables: Variables,
        point: SplitPoint,
        oracle: &mut impl Oracle,
        limits: &Limits,
        random: &mut Random,
    ) -> Vec<Formula> {
        let relevant = self.select(variables, oracle, limits, random);
        let mut predicates = Vec::new();
        for variable in relevant.variables {
            let (w, s) = (&self.witness.0[variable.index()], &self.reached.0[variable.index()]);
            let at = split_point(w, s, point, &relevant.epsilon, random);
            predicates.push(if w < s { at_most(space, variable, &at) } else { at_least(space, variable, &at) });
        }
        predicates
    }

    /// The variables on which the two states differ and that the decision depends on, ascending.
    pub(crate) fn candidates(&self) -> Vec<Symbol> {
        let differs = |s: &Symbol| self.witness.0[s.index()] != self.reached.0[s.index()];
        self.decision.variables().into_iter().filter(differs).collect()
    }

    fn select(&self, variables: Variables, oracle: &mut impl Oracle, limits: &Limits, random: &mut Random) -> Relevant {
        let all = self.candidates();
        let everything = |variables: Vec<Symbol>| Relevant { variables, epsilon: Rational::ONE };
        match variables {
            Variables::All => everything(all),
            Variables::MostSensitive => everything(self.by_sensitivity().pop().into_iter().collect()),
            Variables::Random => {
                let mut some: Vec<Symbol> = all.iter().copied().filter(|_| random.below(2) == 1).collect();
                if some.is_empty() && !all.is_empty() {
                    some.push(all[random.below(all.len())]);
                }
                everything(some)
            }
            Variables::Verix { epsilon } => {
                let epsilon = Rational::from_f64(epsilon.clamp(0.0, 1.0)).unwrap_or(Rational::ONE);
                let variables = self.relevant(&epsilon, oracle, limits);
                Relevant { variables, epsilon }
            }
            Variables::BinarySearch { precision } => self.least_relevant(precision, oracle, limits),
        }
    }

    /// The candidates from least to most sensitive; equals by number.
    fn by_sensitivity(&self) -> Vec<Symbol> {
        let sensitivity = |v: Symbol| self.decision.sensitivity(&self.witness.0, v, &self.domains[v.index()]);
        let mut order: Vec<(f64, Symbol)> = self.candidates().into_iter().map(|v| (sensitivity(v), v)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, v)| v).collect()
    }

    /// Algorithm 1 (VeriX): a set of variables relevant for a share of the way. CHECK that is not decided counts as failed.
    pub(crate) fn relevant(&self, epsilon: &Rational, oracle: &mut impl Oracle, limits: &Limits) -> Vec<Symbol> {
        let (mut relevant, mut irrelevant): (Vec<Symbol>, Vec<Symbol>) = (Vec::new(), Vec::new());
        for variable in self.by_sensitivity() {
            irrelevant.push(variable);
            if self.stays(&irrelevant, epsilon, oracle, limits) == Answer::Unsat {
                continue;
            }
            irrelevant.pop();
            relevant.push(variable);
        }
        relevant.sort_unstable();
        relevant
    }

    /// CHECK: whether some state within a share of the way on the given variables, the others as in the witness, has another
    /// label; `Unsat` means that the label stays.
    fn stays(&self, moving: &[Symbol], epsilon: &Rational, oracle: &mut impl Oracle, limits: &Limits) -> Answer {
        let mut variables = self.domains.to_vec();
        for (slot, variable) in variables.iter_mut().enumerate() {
            let (w, s) = (&self.witness.0[slot], &self.reached.0[slot]);
            let moves = moving.contains(&(Symbol::at(slot)));
            let end = w + &(epsilon * &(s - w));
            let end = match (moves, self.relaxed) {
                (false, _) => w.clone(),
                (true, true) => end,
                (true, false) => towards(w, &end),
            };
            (variable.lower, variable.upper) = (w.clone().min(end.clone()), w.clone().max(end));
            if moves && self.relaxed {
                variable.kind = Kind::Real;
            }
        }
        self.decision.another_in(oracle, &variables, limits)
    }

    /// Algorithm 2 (BSearch): a set that is relevant for a share of the way, the least up to the precision.
    pub(crate) fn least_relevant(&self, precision: f64, oracle: &mut impl Oracle, limits: &Limits) -> Relevant {
        let precision = Rational::from_f64(precision.clamp(1e-9, 1.0)).unwrap_or(Rational::ONE);
        let half = Rational::new(1, 2).unwrap_or(Rational::ONE);
        let (mut low, mut high) = (Rational::ZERO, Rational::ONE);
        let mut found = Vec::new();
        while &high - &low > precision {
            let epsilon = &half * &(&low + &high);
            let relevant = self.relevant(&epsilon, oracle, limits);
            if relevant.is_empty() {
                low = epsilon;
            } else {
                (found, high) = (relevant, epsilon);
            }
        }
        if found.is_empty() {
            // Line 8: common where variables have two values, as nothing lies between them.
            found = self.relevant(&Rational::ONE, oracle, limits);
        }
        Relevant { variables: found, epsilon: high }
    }
}

/// A value rounded to an integer, towards another.
fn towards(goal: &Rational, value: &Rational) -> Rational {
    if value > goal { value.floor() } else { value.ceil() }
}

/// Where to split between a witness and another value: the witness's side keeps the point.
fn split_point(w: &Rational, s: &Rational, point: SplitPoint, epsilon: &Rational, random: &mut Random) -> Rational {
    let way = s - w;
    let one = if way.signum() > 0 { Rational::ONE } else { -&Rational::ONE };
    let at = match point {
        SplitPoint::Witness => w.clone(),
        SplitPoint::Middle => w + &(&way * &Rational::new(1, 2).unwrap_or(Rational::ZERO)),
        SplitPoint::Epsilon => w + &(&way * epsilon),
        SplitPoint::Random => {
            let steps = way.abs().to_i64().and_then(|steps| usize::try_from(steps).ok()).unwrap_or(1);
            w + &(&one * &Rational::from(i64::try_from(random.below(steps)).unwrap_or(i64::MAX)))
        }
    };
    let (at, last) = (towards(w, &at), s - &one);
    if way.signum() > 0 { at.min(last) } else { at.max(last) }
}

#[cfg(test)]
mod tests {
    use surefoot_abstraction::System;
    use surefoot_fixtures::shared_data;
    use surefoot_model::lower::GivenConstant;
    use surefoot_model::policy::read::read_policy;
    use surefoot_model::property::Question;
    use surefoot_testkit::load;

    use surefoot_oracle::BranchAndBound;

    use super::*;

    #[test]
    fn split_points_keep_the_witness_and_lose_the_other_state() {
        let mut random = Random::new(3);
        for (w, s) in [(0, 1), (1, 0), (2, 9), (9, 2), (-3, 4), (4, -3), (5, 6)] {
            let (w, s) = (Rational::from(w), Rational::from(s));
            for point in [SplitPoint::Witness, SplitPoint::Middle, SplitPoint::Epsilon, SplitPoint::Random] {
                for epsilon in [Rational::ONE, Rational::new(1, 3).unwrap(), Rational::ZERO] {
                    let c = split_point(&w, &s, point, &epsilon, &mut random);
                    assert!(c.is_integer());
                    let fits = if w < s { w <= c && c < s } else { w >= c && c > s };
                    assert!(fits, "{w} {s} {point:?} {epsilon}: {c}");
                }
            }
        }
        let middle =
            split_point(&Rational::from(2), &Rational::from(7), SplitPoint::Middle, &Rational::ONE, &mut random);
        assert_eq!(middle, Rational::from(4), "rounded towards the witness");
    }

    /// PlaJA's test of variable selection: one variable tells the witness's decision from that of the initial state.
    #[test]
    fn one_variable_is_relevant_in_blocksworld() {
        let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
        let folder = folder.join("plaja/blocksworld");
        let model = folder.join("cost_terminal/models/legacy_enc/blocksworld_4_3.jani");
        let properties =
            "additional_properties/safety_verification/blocksworld_4_3/compact_starts_cost_predicates_afterwards";
        let properties =
            folder.join(properties).join("pa_compact_starts_cost_predicates_afterwards_blocksworld_4_3.jani");
        let constant = |name: &str, value: Rational| GivenConstant { name: name.to_owned(), value, is_bool: false };
        let constants = [
            constant("failing_probability", Rational::new(1, 2).unwrap()),
            constant("item_cost_bound", Rational::from(50)),
        ];
        let (mut lowered, mut sources) = load(&model, Some(&properties), &constants);
        let Ok(Question::Safety(safety)) = lowered.question(1) else { panic!("a safety property") };
        let file = safety.policy_file.clone().unwrap().value;
        let (policy, _) = read_policy(&mut lowered, &mut sources, &file).unwrap();
        let model = &lowered.model;
        let initial: Vec<Rational> = model.slots.iter().map(|s| s.initial.clone().unwrap_or_default()).collect();
        let mut witness = initial.clone();
        for (name, value) in [("hand-empty", 0), ("block_0", 0), ("clear_0", 0), ("clear_1", 1)] {
            let slot = model.slots.iter().position(|s| &*s.name == name).unwrap();
            witness[slot] = Rational::from(value);
        }
        let (witness, reached) = (State(witness.into()), State(initial.into()));
        let mut system = System::new(model, Some(&policy), &safety, false).unwrap();
        let rules = system.rules(&[0]).unwrap();
        let domains = system.slot_variables();
        let mut oracle = BranchAndBound::new(surefoot_oracle::Options::default());
        let limits = Limits::default();
        let at_witness = |slot: usize| Variable {
            lower: witness.0[slot].clone(),
            upper: witness.0[slot].clone(),
            kind: Kind::Integer,
        };
        let point: Vec<Variable> = (0..witness.0.len()).map(at_witness).collect();
        let chosen = rules
            .iter()
            .filter_map(|rule| rule.choosers.as_deref())
            .find(|choosers| Decision { choosers }.another_in(&mut oracle, &point, &limits) == Answer::Unsat);
        let decision = Decision { choosers: chosen.unwrap() };
        let split = Split { decision, domains: &domains, witness: &witness, reached: &reached, relaxed: false };
        assert_eq!(split.candidates().len(), 4);
        assert_eq!(split.relevant(&Rational::ONE, &mut oracle, &limits).len(), 1);
        let least = split.least_relevant(0.05, &mut oracle, &limits);
        assert!(!least.variables.is_empty() && least.epsilon <= Rational::ONE);
    }
}
