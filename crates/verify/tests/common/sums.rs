//! Expected sums by definition: states from the reference interpreter, schedulers by policy iteration in fractions or one by one.
//!
//! What a transition assigns to the transient variable `t0` a random model is made to keep in a variable `kept` of its state
//! ([`keep`]), so that what a step adds up is read off the state it leads to. Nothing else is shared with the engines than
//! the interpreter's states and exact numbers.

use std::collections::HashMap;

use serde_json::{Value, json};
use surefoot_fixtures::Random;
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_verify::Problem;

use super::truth::{Fault, all_starts, numbered};

/// What is added up, when, and until when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adding {
    /// In every state that is left.
    pub(crate) exit: Option<TermId>,
    /// In every step, as a term over the state that it leads to.
    pub(crate) steps: Option<TermId>,
    /// Until when.
    pub(crate) reach: TermId,
    /// The variable that keeps what was assigned, and what it is without assignment.
    pub(crate) kept: Option<(usize, i64)>,
}

/// A choice of the environment: what it adds, and where it leads.
type Row = (Rational, Vec<(Rational, usize)>);

/// The states before the end, with their choices.
#[derive(Debug)]
pub(crate) struct Sums {
    pub(crate) starts: Vec<State>,
    rows: Vec<Vec<Row>>,
    reached: Vec<bool>,
    /// Whether some step adds what depends on a non-deterministic assignment.
    pub(crate) open: bool,
    /// Whether something negative is added.
    pub(crate) negative: bool,
}

/// Gives a model without a transient variable `t0` one that some of its destinations assign to.
pub(crate) fn assign(model: &mut Value, random: &mut Random) {
    let variables = model["variables"].as_array_mut().expect("variables");
    if variables.iter().any(|variable| variable["name"] == "t0") {
        return;
    }
    variables.push(json!({"name": "t0", "type": "int", "transient": true, "initial-value": random.between(0, 1)}));
    for automaton in model["automata"].as_array_mut().expect("automata") {
        for edge in automaton["edges"].as_array_mut().expect("edges") {
            for destination in edge["destinations"].as_array_mut().expect("destinations") {
                if random.percent(50) {
                    let assignment = json!({"ref": "t0", "value": random.between(0, 4)});
                    match destination["assignments"].as_array_mut() {
                        Some(assignments) => assignments.push(assignment),
                        None => destination["assignments"] = json!([assignment]),
                    }
                }
            }
        }
    }
}

/// Makes a model keep the last value of `t0`; its initial value, where there is a `t0`.
pub(crate) fn keep(model: &mut Value) -> Option<i64> {
    let variables = model["variables"].as_array_mut().expect("variables");
    let initial = variables.iter().find(|variable| variable["name"] == "t0")?["initial-value"].as_i64()?;
    let bounded = json!({"kind": "bounded", "base": "int", "lower-bound": -30, "upper-bound": 30});
    variables.push(json!({"name": "kept", "type": bounded, "initial-value": initial}));
    for automaton in model["automata"].as_array_mut().expect("automata") {
        for edge in automaton["edges"].as_array_mut().expect("edges") {
            for destination in edge["destinations"].as_array_mut().expect("destinations") {
                let Some(assignments) = destination["assignments"].as_array_mut() else { continue };
                let copies: Vec<Value> = assignments.iter().filter(|a| a["ref"] == "t0").cloned().collect();
                assignments.extend(copies.into_iter().map(|mut copy| {
                    copy["ref"] = json!("kept");
                    copy
                }));
            }
        }
    }
    Some(initial)
}

impl Sums {
    pub(crate) fn of(problem: &Problem, adding: Adding, most: usize) -> Result<Self, Fault> {
        let interpreter = problem.interpreter();
        let (mut states, mut numbers) = (Vec::new(), HashMap::new());
        // What was kept says nothing about what comes: it is forgotten.
        let forget = |state: &State| {
            let mut state = state.clone();
            if let Some((slot, initial)) = adding.kept {
                state.0[slot] = Rational::from(initial);
            }
            state
        };
        let mut number = |state: State, states: &mut Vec<State>| numbered(&state, states, &mut numbers);
        for state in all_starts(problem)? {
            number(forget(&state), &mut states);
        }
        if states.is_empty() {
            return Err(Fault::Error);
        }
        let starts = states.clone();
        let mut sums = Self { starts, rows: Vec::new(), reached: Vec::new(), open: false, negative: false };
        while let Some(state) = states.get(sums.rows.len()).cloned() {
            if states.len() > most {
                return Err(Fault::Large);
            }
            let value = |term: Option<TermId>, state: &State| {
                let value = term.map(|term| interpreter.eval(term, state)).transpose().map_err(|_| Fault::Error)?;
                Ok(value.unwrap_or_default())
            };
            let reached = interpreter.holds(adding.reach, &state).map_err(|_| Fault::Error)?;
            let mut rows: Vec<Row> = Vec::new();
            let permitted = if reached {
                Vec::new()
            } else {
                interpreter.permitted_choices(&state, problem.policy()).map_err(|_| Fault::Error)?
            };
            // Where nothing happens nothing is left.
            let exit = if permitted.is_empty() { Rational::ZERO } else { value(adding.exit, &state)? };
            sums.negative |= exit.signum() < 0;
            for choice in permitted {
                let mut combinations: Vec<Row> = vec![(exit.clone(), Vec::new())];
                for outcome in choice.outcomes {
                    if combinations.len() * outcome.successors.len() > 1_000 {
                        return Err(Fault::Large);
                    }
                    let mut added: Vec<Rational> = Vec::new();
                    for successor in &outcome.successors {
                        added.push(value(adding.steps, successor)?);
                    }
                    sums.open |= added.iter().any(|other| *other != added[0]);
                    sums.negative |= added.iter().any(|added| added.signum() < 0);
                    let p = &outcome.probability;
                    let targets: Vec<usize> =
                        outcome.successors.iter().map(|s| number(forget(s), &mut states)).collect();
                    combinations = combinations
                        .iter()
                        .flat_map(|(sum, row)| {
                            targets.iter().zip(&added).map(move |(target, added)| {
                                (sum + &(p * added), [&**row, &[(p.clone(), *target)]].concat())
                            })
                        })
                        .collect();
                }
                rows.extend(combinations);
            }
            sums.rows.push(rows);
            sums.reached.push(reached);
        }
        Ok(sums)
    }

    /// The values of the start states; `None` where they are infinite.
    pub(crate) fn values(&self, maximal: bool) -> Vec<Option<Rational>> {
        let mut values = if maximal { self.largest() } else { self.smallest() };
        if let Some(enumerated) = self.by_enumeration(maximal) {
            assert_eq!(values, enumerated, "policy iteration and enumeration");
        }
        values.truncate(self.starts.len());
        values
    }

    /// The states from which those of a set can be come to before the end.
    fn coming_to(&self, mut set: Vec<bool>) -> Vec<bool> {
        let leads =
            |s: usize, set: &[bool]| self.rows[s].iter().any(|(_, row)| row.iter().any(|(_, target)| set[*target]));
        while let Some(s) = (0..set.len()).find(|s| !set[*s] && leads(*s, &set)) {
            set[s] = true;
        }
        set
    }

    fn largest(&self) -> Vec<Option<Rational>> {
        // Where a scheduler never comes to the end: a set that it can stay in, or a state in which nothing happens.
        let mut staying: Vec<bool> = self.reached.iter().map(|reached| !reached).collect();
        let keeps = |s: usize, set: &[bool]| {
            self.rows[s].is_empty() || self.rows[s].iter().any(|(_, row)| row.iter().all(|(_, t)| set[*t]))
        };
        while let Some(s) = (0..staying.len()).find(|s| staying[*s] && !keeps(*s, &staying)) {
            staying[s] = false;
        }
        let infinite = self.coming_to(staying);
        let first: Vec<usize> = vec![0; self.rows.len()];
        self.improve(true, &infinite, &|_, _| true, first)
    }

    fn smallest(&self) -> Vec<Option<Rational>> {
        let n = self.rows.len();
        let mut sure = vec![true; n];
        let mut first = vec![0; n];
        loop {
            // The states that come to the end by choices which stay in what may be sure.
            let mut coming = self.reached.clone();
            while let Some((s, row)) = (0..n).filter(|s| !coming[*s]).find_map(|s| {
                let leads = |(_, row): &Row| row.iter().all(|(_, t)| sure[*t]) && row.iter().any(|(_, t)| coming[*t]);
                self.rows[s].iter().position(leads).map(|row| (s, row))
            }) {
                (coming[s], first[s]) = (true, row);
            }
            if coming == sure {
                break;
            }
            sure = coming;
        }
        let infinite: Vec<bool> = sure.iter().map(|sure| !sure).collect();
        let stays = |s: usize, row: usize| self.rows[s][row].1.iter().all(|(_, t)| !infinite[*t]);
        self.improve(false, &infinite, &stays, first.clone())
    }

    /// Policy iteration from a policy under which the end is sure. What is changed is changed for something strictly better, so it stays sure.
    fn improve(
        &self,
        maximal: bool,
        infinite: &[bool],
        allowed: &dyn Fn(usize, usize) -> bool,
        mut policy: Vec<usize>,
    ) -> Vec<Option<Rational>> {
        let n = self.rows.len();
        loop {
            let values = self.chain(&policy, infinite);
            let worth = |s: usize, row: usize| {
                let (added, targets) = &self.rows[s][row];
                targets.iter().fold(added.clone(), |sum, (p, t)| &sum + &(p * &values[*t]))
            };
            let mut changed = false;
            for s in (0..n).filter(|s| !infinite[*s] && !self.reached[*s]) {
                for row in (0..self.rows[s].len()).filter(|row| allowed(s, *row)) {
                    let (new, old) = (worth(s, row), worth(s, policy[s]));
                    if if maximal { new > old } else { new < old } {
                        (policy[s], changed) = (row, true);
                    }
                }
            }
            if !changed {
                return (0..n).map(|s| (!infinite[s]).then(|| values[s].clone())).collect();
            }
        }
    }

    /// The sums of a chain in which the end is sure, by Gaussian elimination; zero where it is infinite.
    fn chain(&self, policy: &[usize], infinite: &[bool]) -> Vec<Rational> {
        let n = self.rows.len();
        let mut matrix = vec![vec![Rational::ZERO; n + 1]; n];
        for (s, line) in matrix.iter_mut().enumerate() {
            line[s] = Rational::ONE;
            if !infinite[s] && !self.reached[s] {
                let (added, targets) = &self.rows[s][policy[s]];
                line[n] = added.clone();
                for (p, target) in targets {
                    line[*target] = &line[*target] - p;
                }
            }
        }
        for pivot in 0..n {
            let with = (pivot..n).find(|row| !matrix[*row][pivot].is_zero()).expect("the end is sure");
            matrix.swap(pivot, with);
            let scale = Rational::ONE.checked_div(&matrix[pivot][pivot]).expect("not zero");
            let line: Vec<Rational> = matrix[pivot].iter().map(|entry| entry * &scale).collect();
            for (other, entries) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != pivot) {
                let factor = entries[pivot].clone();
                if other != pivot && !factor.is_zero() {
                    for (entry, by) in entries.iter_mut().zip(&line) {
                        *entry = &*entry - &(&factor * by);
                    }
                }
            }
            matrix[pivot] = line;
        }
        matrix.iter().map(|line| line[n].clone()).collect()
    }

    /// The best over all memoryless schedulers, where they are few.
    fn by_enumeration(&self, maximal: bool) -> Option<Vec<Option<Rational>>> {
        let n = self.rows.len();
        let count = self.rows.iter().try_fold(1usize, |count, rows| count.checked_mul(rows.len().max(1)))?;
        if count > 40 {
            return None;
        }
        let mut policy = vec![0; n];
        let mut best: Option<Vec<Option<Rational>>> = None;
        loop {
            let rows: Vec<Vec<Row>> =
                (0..n).map(|s| self.rows[s].get(policy[s]).cloned().into_iter().collect()).collect();
            let (reached, starts) = (self.reached.clone(), self.starts.clone());
            // Of a chain, all are the largest.
            let values = Self { rows, reached, starts, open: false, negative: false }.largest();
            best = Some(match best {
                None => values,
                Some(best) => best.into_iter().zip(values).map(|pair| better(maximal, pair)).collect(),
            });
            let Some(next) = (0..n).find(|s| policy[*s] + 1 < self.rows[*s].len()) else { return best };
            policy[next] += 1;
            policy[..next].fill(0);
        }
    }
}

/// The larger or the smaller of two values; infinite ones are larger than all others.
pub(crate) fn better(maximal: bool, (a, b): (Option<Rational>, Option<Rational>)) -> Option<Rational> {
    match (maximal, a, b) {
        (true, Some(a), Some(b)) => Some(a.max(b)),
        (true, ..) => None,
        (false, Some(a), Some(b)) => Some(a.min(b)),
        (false, a, b) => a.or(b),
    }
}
