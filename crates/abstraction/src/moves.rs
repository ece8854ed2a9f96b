//! What can happen at given locations, as questions to an oracle.
//!
//! A [`Move`] is one outcome of one operator in one case of its update, at fixed locations. Whether and whereto it leads
//! from an abstract state is a question over the variables that matter: those of the predicates, of the guard and the
//! update, and of the policy's inputs. All that does not depend on the abstract state is prepared here, once per location
//! vector.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_model::{SlotId, State};
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Application, Assignment, Assignments, Limits, Question, Variable};
use surefoot_symbolic::{Atom, Formula, Linear, Relation, Symbol};

use crate::predicate::{Literal, PredicateSet};
use crate::rule::{Chooser, Rule, at_location};
use crate::state::AbstractState;
use crate::system::{System, domain_variable};

/// Where the successor's value of a predicate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The source has it already.
    Copied,
    /// It is always the same.
    Constant(bool),
    /// It is a tracked formula of the question.
    Tracked(usize),
}

/// One outcome of one operator in one case of its update.
#[derive(Debug, Clone)]
pub struct Move {
    /// What it is, whatever the predicates.
    pub rule: Arc<Rule>,
    /// Who decides: one way per network that may be asked, or one for moves of the environment.
    ways: Vec<Way>,
    /// What must hold whoever decides.
    plain: Formula,
    /// The symbols that matter, in the order of the question's variables.
    symbols: Vec<Symbol>,
    /// Their domains.
    variables: Vec<Variable>,
    /// What the truth and the falsity of each predicate say, over the question's symbols.
    literals: Vec<[Literal; 2]>,
    /// Bounds on slots that the guard demands: what can be seen without asking.
    demands: Vec<Literal>,
    next: Vec<Next>,
    /// Predicates on the successor, over the question's symbols.
    pub(crate) tracked: Vec<Formula>,
}

/// What must hold besides the abstract state's literals.
#[derive(Debug, Clone)]
struct Way {
    applications: Vec<Application>,
    formula: Formula,
}

impl Move {
    /// Whether the guard contradicts the box of an abstract state.
    #[must_use]
    pub fn is_excluded(&self, bounds: &[(Rational, Rational)]) -> bool {
        self.demands.iter().any(|demand| match demand {
            Literal::AtLeast(slot, least) => bounds[*slot as usize].1 < *least,
            Literal::AtMost(slot, most) => bounds[*slot as usize].0 > *most,
            Literal::Formula(_) => false,
        })
    }

    /// The question that asks for successors of an abstract state whatever the policy says, and one per way in which the policy
    /// permits the move; nothing where the state's literals contradict a domain.
    pub(crate) fn questions(&self, state: &AbstractState) -> Option<(Question, Vec<Question>)> {
        let mut variables = self.variables.clone();
        let mut parts = Vec::new();
        for (literals, value) in self.literals.iter().zip(state.values.iter()) {
            match &literals[usize::from(!value)] {
                Literal::AtLeast(variable, bound) => {
                    let lower = &mut variables[*variable as usize].lower;
                    if *bound > *lower {
                        lower.clone_from(bound);
                    }
                }
                Literal::AtMost(variable, bound) => {
                    let upper = &mut variables[*variable as usize].upper;
                    if *bound < *upper {
                        upper.clone_from(bound);
                    }
                }
                Literal::Formula(formula) => parts.push(formula.clone()),
            }
        }
        if variables.iter().any(|variable| variable.lower > variable.upper) {
            return None;
        }
        let question = |applications: &[Application], formula: &Formula| Question {
            variables: variables.clone(),
            applications: applications.to_vec(),
            formula: Formula::all(parts.iter().cloned().chain([formula.clone()])),
        };
        let ways = self.ways.iter().map(|way| question(&way.applications, &way.formula)).collect();
        Some((question(&[], &self.plain), ways))
    }

    /// The bytes that it takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        // An atom, and the terms of its form.
        const ATOM: usize = size_of::<Formula>() + 64;
        let formulas = self.ways.iter().map(|way| &way.formula).chain(&self.tracked).chain([&self.plain]);
        let atoms: usize = formulas.map(Formula::size).sum();
        size_of::<Self>() + self.literals.len() * size_of::<[Literal; 2]>() + atoms * ATOM
    }

    /// All assignments of the tracked formulas on successors of an abstract state, but for known ones.
    pub fn successors(
        &self,
        state: &AbstractState,
        known: &FxHashSet<Assignment>,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> Assignments {
        let mut all = Assignments { found: BTreeMap::new(), stopped: None };
        let Some((_, ways)) = self.questions(state) else { return all };
        let mut known = known.clone();
        for question in ways {
            // What one network's choice leads to need not be found again for the next.
            let more = oracle.assignments(&question, &self.tracked, &known, limits);
            known.extend(more.found.keys().cloned());
            all.found.extend(more.found);
            all.stopped = all.stopped.or(more.stopped);
        }
        all
    }

    /// Questions whose witnesses are the states from which the move leads from one abstract state into another: one per way
    /// in which the policy permits it.
    #[must_use]
    pub fn into_target(&self, source: &AbstractState, target: &AbstractState) -> Vec<Question> {
        let mut wanted = Vec::new();
        for (next, value) in self.next.iter().zip(target.values.iter()) {
            match next {
                Next::Tracked(index) if value => wanted.push(self.tracked[*index].clone()),
                Next::Tracked(index) => wanted.push(self.tracked[*index].negated()),
                Next::Copied | Next::Constant(_) => {}
            }
        }
        let possible = self.successor_of(source, |index| target.values.get(index)) == *target;
        let Some((_, mut ways)) = self.questions(source).filter(|_| possible) else { return Vec::new() };
        for question in &mut ways {
            let own = std::mem::replace(&mut question.formula, Formula::truth());
            question.formula = Formula::all(wanted.iter().cloned().chain([own]));
        }
        ways
    }

    /// The assignment of the tracked formulas at a point of a question.
    #[must_use]
    pub fn assignment_at(&self, point: &[Rational]) -> Assignment {
        Assignment::new(self.tracked.iter().map(|formula| formula.eval(&|s: Symbol| point[s as usize].clone())))
    }

    /// Whether a policy has a say.
    pub(crate) fn is_governed(&self) -> bool {
        self.ways.iter().any(|way| !way.applications.is_empty())
    }

    /// The successor for an assignment of the tracked formulas.
    #[must_use]
    pub fn successor(&self, state: &AbstractState, found: &Assignment) -> AbstractState {
        let tracked = |predicate: usize| match self.next[predicate] {
            Next::Tracked(index) => found.get(index),
            Next::Copied | Next::Constant(_) => false,
        };
        self.successor_of(state, tracked)
    }

    /// The successor with given values of the predicates that are tracked.
    fn successor_of(&self, state: &AbstractState, tracked: impl Fn(usize) -> bool) -> AbstractState {
        let value = |predicate: usize| match self.next[predicate] {
            Next::Copied => state.values.get(predicate),
            Next::Constant(value) => value,
            Next::Tracked(_) => tracked(predicate),
        };
        let values = Assignment::new((0..self.next.len()).map(value));
        AbstractState { locations: self.rule.after.clone(), values }
    }

    /// A concrete state that a witness describes: variables that do not matter have their smallest value.
    #[must_use]
    pub fn concrete(&self, system: &System<'_>, state: &AbstractState, witness: &[Rational]) -> State {
        let model = system.model();
        let mut values: Vec<Rational> = state.locations.iter().map(|l| Rational::from(i64::from(*l))).collect();
        values.extend((values.len()..model.slots.len()).map(|slot| system.slot_variable(slot as Symbol).lower));
        for (symbol, value) in self.symbols.iter().zip(witness).filter(|(s, _)| (**s as usize) < model.slots.len()) {
            values[*symbol as usize] = value.clone();
        }
        State(values.into())
    }
}

impl System<'_> {
    /// All moves from given locations.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn moves(&mut self, predicates: &PredicateSet, locations: &[u32]) -> Result<Vec<Move>, Diagnostic> {
        let rules = self.rules(locations)?;
        Ok(rules.iter().map(|rule| self.prepared(predicates, rule)).collect())
    }

    /// A rule, ready to be asked about.
    #[must_use]
    pub fn prepared(&self, predicates: &PredicateSet, rule: &Arc<Rule>) -> Move {
        let (locations, space) = (&rule.before, &rule.space);
        let (next, successors) = self.successor_predicates(predicates, rule);
        let sources: Vec<[Formula; 2]> = predicates
            .formulas()
            .iter()
            .map(|predicate| {
                let here = self.lowering.at_all_locations(predicate, locations);
                let negated = space.negated(&here);
                [here, negated]
            })
            .collect();
        let mut matters = Matters::default();
        matters.formula(&rule.formula);
        sources.iter().for_each(|[predicate, _]| matters.formula(predicate));
        successors.iter().for_each(|predicate| matters.formula(predicate));
        for chooser in rule.choosers.iter().flat_map(|choosers| choosers.iter()) {
            matters.formula(&chooser.asked);
            chooser.applicable.iter().for_each(|condition| matters.formula(condition));
            chooser.inputs.iter().for_each(|form| matters.form(form));
        }
        let symbols = matters.symbols();
        let slots = self.model().slots.len() as Symbol;
        let variable = |symbol: &Symbol| {
            let choice = || rule.choices.iter().find(|(choice, _)| choice == symbol);
            if *symbol < slots { self.slot_variable(*symbol) } else { domain_variable(&choice().expect("a choice").1) }
        };
        let map = |symbol: Symbol| symbols.binary_search(&symbol).ok().map(|index| Linear::symbol(index as Symbol));
        let variables: Vec<Variable> = symbols.iter().map(variable).collect();
        let plain = rule.formula.substitute(&map);
        let ways = match &rule.choosers {
            None => vec![Way { applications: Vec::new(), formula: plain.clone() }],
            Some(choosers) => choosers.iter().map(|chooser| way(chooser, &plain, &variables, &map)).collect(),
        };
        let literal = |formula: &Formula| crate::predicate::literal(&formula.substitute(&map));
        Move {
            ways,
            plain,
            variables,
            literals: sources.iter().map(|[yes, no]| [literal(yes), literal(no)]).collect(),
            demands: demands(&rule.formula, slots),
            next,
            tracked: successors.iter().map(|predicate| predicate.substitute(&map)).collect(),
            symbols,
            rule: rule.clone(),
        }
    }

    /// Where the successor's predicates come from, and those that are to be tracked.
    fn successor_predicates(&self, predicates: &PredicateSet, rule: &Rule) -> (Vec<Next>, Vec<Formula>) {
        let (before, after) = (&rule.before, &rule.after);
        let mut tracked: Vec<Formula> = Vec::new();
        let changed =
            |slot: Symbol| rule.update.iter().find(|(SlotId(s), _)| *s == slot).map(|(_, value)| value.clone());
        let mut next = Vec::new();
        for predicate in predicates.formulas() {
            let there = self.lowering.at_all_locations(predicate, after);
            let mut same = there == self.lowering.at_all_locations(predicate, before);
            there.for_each_atom(&mut |atom| same &= atom.form.terms().iter().all(|(s, _)| changed(*s).is_none()));
            if same {
                next.push(Next::Copied);
                continue;
            }
            let there = rule.space.substitute(&there, &changed);
            let formula = rule.space.substitute(&there, &|symbol| at_location(before, symbol));
            if formula.is_truth() || formula.is_falsity() {
                next.push(Next::Constant(formula.is_truth()));
                continue;
            }
            let index = tracked.iter().position(|known| *known == formula).unwrap_or_else(|| {
                tracked.push(formula);
                tracked.len() - 1
            });
            next.push(Next::Tracked(index));
        }
        (next, tracked)
    }
}

/// The bounds on single slots that a conjunction contains.
fn demands(formula: &Formula, slots: Symbol) -> Vec<Literal> {
    let parts = if let Formula::All(parts) = formula { parts.as_slice() } else { std::slice::from_ref(formula) };
    let mut demands = Vec::new();
    for part in parts {
        let Formula::Atom(atom) = part else { continue };
        let bounds = match atom.relation {
            Relation::Zero => vec![atom.form.clone(), -&atom.form],
            _ => vec![atom.form.clone()],
        };
        let relation = if atom.relation == Relation::Zero { Relation::AtLeastZero } else { atom.relation };
        let literals =
            bounds.into_iter().map(|form| crate::predicate::literal(&Formula::Atom(Atom { form, relation })));
        demands.extend(literals.filter(
            |literal| matches!(literal, Literal::AtLeast(slot, _) | Literal::AtMost(slot, _) if *slot < slots),
        ));
    }
    demands
}

fn way(chooser: &Chooser, plain: &Formula, variables: &[Variable], map: &impl Fn(Symbol) -> Option<Linear>) -> Way {
    let applications = vec![chooser.application(map)];
    let frame = Question { variables: variables.to_vec(), applications, formula: Formula::truth() };
    let chosen = chooser.chosen(&frame, 0, map);
    Way { formula: Formula::all([plain.clone(), chosen]), applications: frame.applications }
}

/// Collects the symbols that matter.
#[derive(Debug, Default)]
struct Matters(std::collections::BTreeSet<Symbol>);

impl Matters {
    fn form(&mut self, form: &Linear) {
        self.0.extend(form.terms().iter().map(|(symbol, _)| *symbol));
    }

    fn formula(&mut self, formula: &Formula) {
        formula.for_each_atom(&mut |atom| self.form(&atom.form));
    }

    fn symbols(self) -> Vec<Symbol> {
        self.0.into_iter().collect()
    }
}
