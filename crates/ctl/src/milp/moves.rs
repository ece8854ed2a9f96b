//! What can happen in a state: moves with conditions, and when nothing can.
//!
//! A move is one case of one outcome of one operator: a condition under which it is possible, and forms for the slots after it. Then
//! `EX f` is "some move is possible, and `f` after it", `AX f` is "every move is impossible, or `f` after it", and where no operator is
//! enabled the state is its own successor, which is a move of its own. The paper pads states with invalid successors instead (Lemma 1),
//! which no formula under `AX` holds in.
//!
//! The policy permits output `a` where its network is asked and `a` is not beaten: strictly by none after it, and not even matched by
//! one before it (ties go to the first).

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Interval, Linear, Region, Symbol};
use surefoot_model::policy::{Outputs, Ties};
use surefoot_num::Rational;
use surefoot_symbolic::SymbolicOperator;

use super::encoder::{Encoder, renamed};
use super::state::{StateId, View};
use crate::explore::Trouble;
use crate::explore::step::choices;
use crate::system::Local;

/// More combinations of locations are refused.
const MOST_LOCATIONS: usize = 4096;

/// One way to go on.
#[derive(Debug, Clone)]
pub(super) struct Move {
    /// Where it is possible.
    pub(super) enabled: Formula,
    /// Where the state after it is in the domains; elsewhere the model is in error.
    pub(super) fits: Formula,
    /// The slots after it, over the symbols of the state.
    pub(super) effect: Vec<Linear>,
    /// Their bounds, where it is possible.
    pub(super) bounds: Vec<Interval>,
}

/// All ways to go on.
#[derive(Debug)]
pub(super) struct Moves {
    /// Moves that bounds do not rule out.
    pub(super) list: Vec<Move>,
    /// Where no operator is enabled, or the state is terminal.
    pub(super) stutter: Formula,
}

/// Everything about one combination of locations.
struct Place<'p> {
    /// Where the automata are there, and the state is not terminal.
    here: Formula,
    local: &'p Local,
    views: &'p [View],
}

impl Encoder<'_, '_, '_> {
    /// What can happen in a state; adds the networks that may be asked.
    pub(super) fn moves(&mut self, state: StateId) -> Result<Moves, Trouble> {
        self.check_limits()?;
        let system = self.engine.system;
        let mut places = Vec::new();
        for locations in self.locations(state)? {
            let local = system.local(&locations)?;
            places.push((locations, local));
        }
        if system.computes_values() || places.iter().any(|(_, local)| local.governed.iter().any(|g| !g.is_empty())) {
            self.ask_networks(state)?;
        }
        let terminal = match system.terminal() {
            Some(terminal) => {
                self.errors_possible |= !terminal.defined.is_truth();
                self.local(state, &terminal.holds)?
            }
            None => Formula::falsity(),
        };
        let known = Arc::clone(&self.states[state.0]);
        let region = known.region();
        let views = known.views.as_deref().unwrap_or(&[]);
        let alive = known.space.negated(&terminal);
        let mut moves = Moves { list: Vec::new(), stutter: Formula::falsity() };
        let mut dead = vec![terminal];
        for (locations, local) in &places {
            let at = locations.iter().enumerate().map(|(instance, location)| {
                known.space.equals(&Linear::symbol(Symbol::at(instance)), &Rational::from(i64::from(*location)))
            });
            let here = Formula::all(at.chain([alive.clone()]));
            let place = Place { here, local, views };
            self.doubt(&region, &Formula::any([known.space.negated(&place.here), local.guards_defined.clone()]));
            dead.push(self.at_place(&region, &place, &mut moves.list)?);
        }
        let dead = dead.into_iter().filter(|part| region.clone().assume(part)).map(|part| region.simplify(&part));
        moves.stutter = Formula::any(dead);
        Ok(moves)
    }

    /// All combinations of locations within the bounds.
    fn locations(&self, state: StateId) -> Result<Vec<Vec<u32>>, Trouble> {
        let known = &self.states[state.0];
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for instance in Symbol::first(self.engine.system.model().instances.len()) {
            let ends = known.space.symbol(instance).bounds.ends();
            let ends = ends.and_then(|(lower, upper)| Some((lower.to_i64()?, upper.to_i64()?)));
            let (lower, upper) = ends.ok_or_else(|| Trouble::Internal("a location without bounds".to_owned()))?;
            let each = |prefix: &Vec<u32>| {
                let prefix = prefix.clone();
                (lower..=upper).filter_map(move |l| Some([prefix.as_slice(), &[u32::try_from(l).ok()?]].concat()))
            };
            all = all.iter().flat_map(each).collect();
            if all.len() > MOST_LOCATIONS {
                let what = format!("more than {MOST_LOCATIONS} combinations of locations are possible at once");
                return Err(Trouble::TooLarge(what));
            }
        }
        Ok(all)
    }

    /// Adds the moves at a place; tells where there is none.
    fn at_place(&mut self, region: &Region<'_>, place: &Place<'_>, list: &mut Vec<Move>) -> Result<Formula, Trouble> {
        let (local, views) = (place.local, place.views);
        let space = region.space();
        if self.engine.system.computes_values() {
            // Everything may read what the asked network computes.
            let mut dead = Vec::new();
            for view in views {
                let mut idle = vec![place.here.clone(), view.asked.clone()];
                for operator in &local.operators {
                    let condition = Formula::all([place.here.clone(), view.asked.clone()]);
                    let guard = self.operator(region, operator, &condition, Some(view), list)?;
                    idle.push(space.negated(&guard));
                }
                dead.push(Formula::all(idle));
            }
            return Ok(Formula::any(dead));
        }
        let mut idle = vec![place.here.clone()];
        for operator in &local.environment {
            let guard = self.operator(region, &local.operators[*operator], &place.here, None, list)?;
            idle.push(space.negated(&guard));
        }
        let Some(policy) = self.engine.system.symbolic_policy() else { return Ok(Formula::all(idle)) };
        let Outputs::Labels(labels) = &policy.outputs else { return Ok(Formula::all(idle)) };
        if local.governed.iter().all(Vec::is_empty) {
            return Ok(Formula::all(idle));
        }
        let none = Formula::all(local.applicable.iter().map(|applicable| space.negated(applicable)));
        let mut dead = Vec::new();
        for view in views {
            let candidate = |output: usize| {
                if policy.filter { local.applicable[output].clone() } else { Formula::truth() }
            };
            let mut refused = vec![view.asked.clone()];
            for output in 0..labels.len() {
                let chosen = chosen(space, view, output, labels.len(), policy.ties, &candidate);
                let condition = Formula::all([place.here.clone(), view.asked.clone(), chosen.clone()]);
                let inapplicable = space.negated(&local.applicable[output]);
                match policy.ties {
                    // One output is chosen, so nothing happens where it is one of these.
                    Ties::First => dead.push(Formula::all([view.asked.clone(), chosen, inapplicable])),
                    Ties::Any | Ties::Plaja => refused.push(Formula::any([space.negated(&chosen), inapplicable])),
                }
                if !region.clone().assume(&condition) {
                    continue;
                }
                for operator in &local.governed[output] {
                    self.operator(region, &local.operators[*operator], &condition, None, list)?;
                }
            }
            if policy.ties != Ties::First {
                dead.push(Formula::all(refused));
            }
        }
        let covered = Formula::any(views.iter().map(|view| view.asked.clone()));
        // Where no network is asked something applicable is an error; where nothing is applicable none need be.
        self.doubt(region, &Formula::any([space.negated(&place.here), covered.clone(), none.clone()]));
        dead.push(if policy.filter { none } else { Formula::all([space.negated(&covered), none]) });
        let dead =
            dead.into_iter().filter(|part| region.clone().assume(&Formula::all([place.here.clone(), part.clone()])));
        let dead = Formula::any(dead.collect::<Vec<_>>());
        idle.push(dead);
        Ok(Formula::all(idle))
    }

    /// Adds the moves of an operator under a condition; tells its guard.
    fn operator(
        &mut self,
        region: &Region<'_>,
        operator: &SymbolicOperator,
        condition: &Formula,
        view: Option<&View>,
        list: &mut Vec<Move>,
    ) -> Result<Formula, Trouble> {
        let slots = Symbol::at(self.slots());
        let choice_base = Symbol::at(self.engine.system.space().len());
        let guard = rename(&operator.guard.holds, slots, view, choice_base, &[]);
        let enabled = Formula::all([condition.clone(), guard.clone()]);
        let mut there = region.clone();
        if region.truth(&enabled) == Some(false) || !there.assume(&enabled) {
            return Ok(guard);
        }
        self.doubt(&there, &rename(&operator.distribution, slots, view, choice_base, &[]));
        for outcome in &operator.outcomes {
            let possible = rename(&outcome.possible, slots, view, choice_base, &[]);
            let mut likely = there.clone();
            if !likely.assume(&possible) {
                continue;
            }
            for values in choices(operator, outcome)? {
                let local = |formula: &Formula| rename(formula, slots, view, choice_base, &values);
                self.doubt(&likely, &local(&outcome.defined));
                for case in &outcome.cases {
                    let bounds = case.choices.iter().map(|bounds| {
                        let symbol = Linear::symbol(bounds.symbol);
                        let lower = Formula::atom(Atom::at_least_zero(&symbol - &bounds.lower));
                        let upper = Formula::atom(Atom::at_least_zero(&bounds.upper - &symbol));
                        local(&Formula::all([lower, upper]))
                    });
                    let condition = Formula::all(bounds.chain([local(&case.condition)]));
                    let (mut narrowed, fits) = (likely.clone(), local(&case.in_domain));
                    if !narrowed.assume(&condition) {
                        continue;
                    }
                    self.doubt(&narrowed, &fits);
                    if !narrowed.assume(&fits) {
                        continue;
                    }
                    let mut effect: Vec<Linear> = Symbol::first(slots.index()).map(Linear::symbol).collect();
                    for (slot, form) in &case.update {
                        effect[slot.index()] = rename_form(form, slots, view, choice_base, &values);
                    }
                    for (instance, location) in &outcome.locations {
                        effect[*instance] = Linear::constant_form(Rational::from(i64::from(*location)));
                    }
                    let domain = |slot: usize| &self.engine.system.space().symbol(Symbol::at(slot)).bounds;
                    let bounds: Vec<Interval> = effect
                        .iter()
                        .enumerate()
                        .map(|(slot, form)| narrowed.range(form).intersection(domain(slot)))
                        .collect();
                    if bounds.iter().any(Interval::is_empty) {
                        continue;
                    }
                    let enabled = region.simplify(&Formula::all([enabled.clone(), possible.clone(), condition]));
                    list.push(Move { enabled, fits: narrowed.simplify(&fits), effect, bounds });
                }
            }
        }
        Ok(guard)
    }
}

/// Where an output is permitted, among those that are candidates.
fn chosen(
    space: &surefoot_linear::Space,
    view: &View,
    output: usize,
    outputs: usize,
    ties: Ties,
    candidate: &impl Fn(usize) -> Formula,
) -> Formula {
    let beats = |other: usize| {
        if view.ahead[output][other] {
            return Formula::truth();
        }
        let beats = if view.ahead[other][output] {
            Formula::falsity()
        } else {
            let form = view.difference(output, other);
            let strict = ties == Ties::First && other < output;
            Formula::atom(if strict { Atom::positive(form) } else { Atom::at_least_zero(form) })
        };
        Formula::any([space.negated(&candidate(other)), beats])
    };
    let others = (0..outputs).filter(|other| *other != output).map(beats);
    Formula::all([candidate(output)].into_iter().chain(others))
}

/// A formula of the system over the symbols of a state: outputs are those of a network, choices have values.
fn rename(formula: &Formula, slots: Symbol, view: Option<&View>, base: Symbol, choices: &[Rational]) -> Formula {
    formula.substitute(&|symbol| replace(symbol, slots, view, base, choices))
}

fn rename_form(form: &Linear, slots: Symbol, view: Option<&View>, base: Symbol, choices: &[Rational]) -> Linear {
    form.substitute(&|symbol| replace(symbol, slots, view, base, choices))
}

fn replace(symbol: Symbol, slots: Symbol, view: Option<&View>, base: Symbol, choices: &[Rational]) -> Option<Linear> {
    if symbol >= base {
        return choices.get(symbol.index() - base.index()).cloned().map(Linear::constant_form);
    }
    view.and_then(|view| renamed(symbol, slots, view))
}
