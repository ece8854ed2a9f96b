//! Probabilities by definition: states from the reference interpreter, schedulers by policy iteration in fractions or one by one.
//!
//! Nothing here is shared with the engines but the interpreter and exact numbers. A path formula is three things: states where
//! it is won, states where it is lost, and what a run is worth that goes on for ever, or ends, without coming to either.

use std::collections::HashMap;
use std::ops::ControlFlow;

use surefoot_explicit::start::for_each_start;
use surefoot_jani::syntax::PathOp;
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_verify::Problem;

/// Moves of a state: distributions among which the environment chooses.
type Rows = Vec<Vec<(Rational, usize)>>;

/// A path formula: operator, left and right operand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Formula {
    pub(crate) op: PathOp,
    pub(crate) left: Option<TermId>,
    pub(crate) right: TermId,
}

/// The states in which a formula is open, with their moves, and those in which it is not.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) starts: usize,
    pub(crate) states: Vec<State>,
    rows: Vec<Rows>,
    won: Vec<bool>,
    lost: Vec<bool>,
    /// What a run is worth that is never decided.
    open_is_won: bool,
}

/// Why there is no process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The model, or its start condition, is in error.
    Error,
    /// Too large to be solved here.
    Large,
}

/// The number of a state, which is the next one where it is new.
pub(crate) fn numbered(state: &State, states: &mut Vec<State>, numbers: &mut HashMap<State, usize>) -> usize {
    *numbers.entry(state.clone()).or_insert_with(|| {
        states.push(state.clone());
        states.len() - 1
    })
}

/// The start states of a problem.
pub(crate) fn all_starts(problem: &Problem) -> Result<Vec<State>, Fault> {
    let mut starts = Vec::new();
    let found = for_each_start(problem.model(), &problem.query.start, |state| {
        starts.push(state.clone());
        ControlFlow::Continue(())
    });
    found.map(|_| starts).map_err(|_| Fault::Error)
}

impl Process {
    pub(crate) fn of(problem: &Problem, formula: Formula, most: usize) -> Result<Self, Fault> {
        Self::from(problem, formula, all_starts(problem)?, most)
    }

    /// The same from given start states.
    pub(crate) fn from(problem: &Problem, formula: Formula, from: Vec<State>, most: usize) -> Result<Self, Fault> {
        let interpreter = problem.interpreter();
        let (mut states, mut numbers) = (Vec::new(), HashMap::new());
        let mut number = |state: &State, states: &mut Vec<State>| numbered(state, states, &mut numbers);
        for state in from {
            number(&state, &mut states);
        }
        let starts = states.len();
        if starts == 0 {
            return Err(Fault::Error);
        }
        let open_is_won = matches!(formula.op, PathOp::Globally | PathOp::WeakUntil | PathOp::Release);
        let mut process =
            Self { starts, states: Vec::new(), rows: Vec::new(), won: Vec::new(), lost: Vec::new(), open_is_won };
        while let Some(state) = states.get(process.rows.len()).cloned() {
            if states.len() > most {
                return Err(Fault::Large);
            }
            let holds = |term: TermId| interpreter.holds(term, &state).map_err(|_| Fault::Error);
            let left = formula.left.map(holds).transpose()?.unwrap_or(true);
            let right = holds(formula.right)?;
            let (won, lost) = match formula.op {
                PathOp::Finally => (right, false),
                PathOp::Globally => (false, !right),
                PathOp::Until | PathOp::WeakUntil => (right, !right && !left),
                PathOp::Release => (left && right, !right),
            };
            // Goal states are counted even where they are not terminal, so their condition must have a value.
            let goal = problem.query.goal.map(holds).transpose()?.unwrap_or(false);
            let terminal = goal && problem.query.goal_terminal;
            let mut rows = Rows::new();
            if !won && !lost && !terminal {
                for choice in interpreter.permitted_choices(&state, problem.policy()).map_err(|_| Fault::Error)? {
                    // The environment picks a successor for every outcome: all combinations.
                    let mut combinations: Rows = vec![Vec::new()];
                    for outcome in choice.outcomes {
                        if combinations.len() * outcome.successors.len() > 3_000 {
                            return Err(Fault::Large);
                        }
                        let targets: Vec<usize> = outcome.successors.iter().map(|s| number(s, &mut states)).collect();
                        let extended = combinations.iter().flat_map(|row| {
                            targets.iter().map(|t| [&**row, &[(outcome.probability.clone(), *t)]].concat())
                        });
                        combinations = extended.collect();
                    }
                    rows.extend(combinations);
                }
            }
            process.rows.push(rows);
            process.won.push(won);
            process.lost.push(lost);
        }
        process.states = states;
        Ok(process)
    }

    /// The values of the start states for the best or worst scheduler, within so many steps or for ever.
    pub(crate) fn values(&self, maximal: bool, steps: Option<u64>) -> Vec<Rational> {
        let mut values = match steps {
            Some(steps) => self.within(maximal, steps),
            // Whatever maximises winning minimises losing.
            None if self.open_is_won => self.reach(!maximal, &self.lost).iter().map(|v| &Rational::ONE - v).collect(),
            None => self.reach(maximal, &self.won),
        };
        if steps.is_none() && self.schedulers().is_some_and(|n| n <= 200) {
            assert_eq!(values, self.by_enumeration(maximal), "policy iteration and enumeration");
        }
        values.truncate(self.starts);
        values
    }

    /// Directly from the meaning of bounded formulas: what is open after the last step counts as for ever.
    fn within(&self, maximal: bool, steps: u64) -> Vec<Rational> {
        let settled = |s: usize| match (self.won[s], self.lost[s]) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => self.rows[s].is_empty().then_some(self.open_is_won),
        };
        let mut values: Vec<Rational> =
            (0..self.states.len()).map(|s| Rational::from(settled(s).unwrap_or(self.open_is_won))).collect();
        for _ in 0..steps {
            let step = |s: usize| match settled(s) {
                Some(won) => Rational::from(won),
                None => best(self.rows[s].iter().map(|row| expectation(row, &values)), maximal),
            };
            values = (0..self.states.len()).map(step).collect();
        }
        values
    }

    /// Optimal probabilities to come to a target: least fixed point of the Bellman equations, by policy iteration.
    ///
    /// For the maximum: the value of a policy is at most the optimum, which is the least fixed point; so a policy whose value is
    /// a fixed point is optimal. For the minimum the states that can avoid the target are taken out first; what
    /// remains has only one fixed point.
    fn reach(&self, maximal: bool, target: &[bool]) -> Vec<Rational> {
        let n = self.states.len();
        let mut avoiding = vec![false; n];
        if !maximal {
            avoiding = target.iter().map(|t| !t).collect();
            loop {
                let keeps = |s: usize| {
                    self.rows[s].is_empty() || self.rows[s].iter().any(|row| row.iter().all(|(_, t)| avoiding[*t]))
                };
                let next: Vec<bool> = (0..n).map(|s| avoiding[s] && keeps(s)).collect();
                if next == avoiding {
                    break;
                }
                avoiding = next;
            }
        }
        let free = |s: usize| !target[s] && !avoiding[s] && !self.rows[s].is_empty();
        let mut policy = vec![0; n];
        loop {
            let chain = |s: usize| free(s).then(|| &self.rows[s][policy[s]]);
            let values = chain_values(n, chain, target);
            let mut changed = false;
            for s in (0..n).filter(|s| free(*s)) {
                for (r, row) in self.rows[s].iter().enumerate() {
                    let (new, old) = (expectation(row, &values), expectation(&self.rows[s][policy[s]], &values));
                    if if maximal { new > old } else { new < old } {
                        policy[s] = r;
                        changed = true;
                    }
                }
            }
            if !changed {
                return values;
            }
        }
    }

    /// How many memoryless schedulers there are; `None` for too many.
    fn schedulers(&self) -> Option<usize> {
        self.rows
            .iter()
            .filter(|r| !r.is_empty())
            .try_fold(1usize, |n, r| n.checked_mul(r.len()).filter(|n| *n < 10_000))
    }

    /// The best of all memoryless schedulers, each a Markov chain in which runs end up in what they cannot leave.
    fn by_enumeration(&self, maximal: bool) -> Vec<Rational> {
        let n = self.states.len();
        let mut policy = vec![0; n];
        let mut optimal: Option<Vec<Rational>> = None;
        loop {
            let chain = |s: usize| self.rows[s].get(policy[s]);
            // States from which nothing decided can be reached any more.
            let mut decides: Vec<bool> = (0..n).map(|s| self.won[s] || self.lost[s]).collect();
            while let Some(s) =
                (0..n).find(|s| !decides[*s] && chain(*s).is_some_and(|row| row.iter().any(|(_, t)| decides[*t])))
            {
                decides[s] = true;
            }
            let target: Vec<bool> = (0..n).map(|s| self.won[s] || (self.open_is_won && !decides[s])).collect();
            let values = chain_values(n, |s| if target[s] { None } else { chain(s) }, &target);
            optimal = Some(match optimal {
                None => values,
                Some(known) => known.into_iter().zip(values).map(|(a, b)| best([a, b].into_iter(), maximal)).collect(),
            });
            let Some(next) = (0..n).find(|s| policy[*s] + 1 < self.rows[*s].len()) else {
                return optimal.unwrap_or_default();
            };
            policy[next] += 1;
            policy[..next].fill(0);
        }
    }
}

fn expectation(row: &[(Rational, usize)], values: &[Rational]) -> Rational {
    row.iter().map(|(p, t)| p * &values[*t]).sum()
}

fn best(values: impl Iterator<Item = Rational>, maximal: bool) -> Rational {
    let better = |a: Rational, b: Rational| if maximal { a.max(b) } else { a.min(b) };
    values.reduce(better).unwrap_or_default()
}

/// The probabilities to come to a target in a Markov chain, by Gaussian elimination.
fn chain_values<'r>(
    n: usize,
    chain: impl Fn(usize) -> Option<&'r Vec<(Rational, usize)>>,
    target: &[bool],
) -> Vec<Rational> {
    let mut reaches = target.to_vec();
    while let Some(s) =
        (0..n).find(|s| !reaches[*s] && chain(*s).is_some_and(|row| row.iter().any(|(_, t)| reaches[*t])))
    {
        reaches[s] = true;
    }
    let open: Vec<usize> = (0..n).filter(|s| reaches[*s] && !target[*s]).collect();
    let mut column = vec![None; n];
    open.iter().enumerate().for_each(|(i, s)| column[*s] = Some(i));
    let width = open.len() + 1;
    let mut matrix: Vec<Vec<Rational>> = open
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let mut line = vec![Rational::ZERO; width];
            line[i] = Rational::ONE;
            for (p, t) in chain(*s).into_iter().flatten() {
                match column[*t] {
                    Some(j) => line[j] = &line[j] - p,
                    None if target[*t] => line[width - 1] = &line[width - 1] + p,
                    None => {}
                }
            }
            line
        })
        .collect();
    for i in 0..open.len() {
        let pivot =
            (i..open.len()).find(|r| !matrix[*r][i].is_zero()).expect("every state leaves, so there is one solution");
        matrix.swap(i, pivot);
        let scale = Rational::ONE.checked_div(&matrix[i][i]).expect("not zero");
        let line: Vec<Rational> = matrix[i].iter().map(|x| x * &scale).collect();
        for (r, other) in matrix.iter_mut().enumerate() {
            if r != i && !other[i].is_zero() {
                let factor = other[i].clone();
                for j in (i..width).filter(|j| !line[*j].is_zero()) {
                    other[j] = &other[j] - &(&factor * &line[j]);
                }
            }
        }
        matrix[i] = line;
    }
    let value = |s: usize| match column[s] {
        Some(i) => matrix[i][width - 1].clone(),
        None => Rational::from(target[s]),
    };
    (0..n).map(value).collect()
}
