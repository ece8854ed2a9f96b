//! Concrete states beside the cells: bounds from what really happens.
//!
//! The likely part of the model is explored from start states, equal states merged (`surefoot_explicit::partial`). With the frontier lost it
//! bounds the value from below; with every state of the frontier worth what the abstraction says of its cell, from above. So the abstraction need not be
//! precise where runs are likely, nor the exploration complete where the abstraction knows.
//!
//! (For the smallest value it is the other way round: the frontier won from above, worth its cell from below.)

use rustc_hash::FxHashMap;
use surefoot_explicit::partial::{Partial, PartialError};
use surefoot_explicit::start::StartError;
use surefoot_limits::Limits;
use surefoot_mdp::{Bounds, Direction, Mdp, Options, Scheduler, StateSet, Until, solve};
use surefoot_model::State;
use surefoot_num::Rational;

use super::band::exact;
use super::partition::Partition;
use crate::answer::Failure;
use crate::ask::Asked;

/// Values of cells are rounded outward to so many parts, so that few probabilities are different.
const PARTS: f64 = 1_073_741_824.0;
/// Sweeps that follow runs to the frontier.
const SWEEPS: usize = 48;
/// What is less likely is not followed.
const UNLIKELY: f64 = 1e-9;

/// A growing part of the model.
#[derive(Debug)]
pub(crate) struct Concrete<'m> {
    asked: Asked<'m>,
    partial: Partial<'m>,
    /// The start states that were entered, and their numbers.
    pub(crate) starts: Vec<(State, u32)>,
    /// Per state, whether it is to be reached, and whether runs may pass through it.
    right: Vec<bool>,
    left: Vec<bool>,
}

/// How runs leave the explored part into a cell.
#[derive(Debug, Clone)]
pub(crate) struct Leaving {
    /// How likely, from the start states that are not settled.
    pub(crate) mass: f64,
    /// The likeliest state among those.
    pub(crate) state: Box<[i64]>,
    likeliest: f64,
}

/// The explored part as a process.
pub(crate) struct Explored {
    mdp: Mdp,
    /// The frontier worth what its cells are.
    valued: Until,
    /// The frontier lost; won for the smallest value.
    certain: Until,
}

impl<'m> Concrete<'m> {
    /// Begins with some of the start states.
    pub(crate) fn new(asked: &Asked<'m>, states: &[State]) -> Result<Self, Failure> {
        let partial = Partial::from_states(&asked.task, Some(asked.decided), states).map_err(failure)?;
        let mut concrete =
            Self { asked: asked.clone(), partial, starts: Vec::new(), right: Vec::new(), left: Vec::new() };
        states.iter().for_each(|state| concrete.enter(state));
        Ok(concrete)
    }

    /// Enters a start state.
    pub(crate) fn enter(&mut self, state: &State) {
        let number = self.partial.enter(state);
        if !self.starts.iter().any(|(_, known)| *known == number) {
            self.starts.push((state.clone(), number));
        }
    }

    /// Explores so many more states.
    pub(crate) fn grow(&mut self, count: usize, limits: &Limits) -> Result<(), Failure> {
        self.partial.grow(count, limits).map_err(failure)
    }

    /// Whether all that can be reached from the start states was explored.
    pub(crate) fn is_complete(&self) -> bool {
        self.partial.is_complete()
    }

    /// How many states were expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.partial.counts().1
    }

    /// The bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.partial.bytes()
    }

    /// The explored part, every state of the frontier worth what is given.
    pub(crate) fn explored(&mut self, value: impl FnMut(&[i64]) -> Rational) -> Result<Explored, Failure> {
        self.partial.extend_satisfying(self.asked.right, &mut self.right).map_err(Failure::Model)?;
        if let Some(left) = self.asked.left {
            self.partial.extend_satisfying(left, &mut self.left).map_err(Failure::Model)?;
        }
        let (mdp, won) = self.partial.process_with(value).map_err(failure)?;
        let states = won as usize + 2;
        let right = |state: u32| state == won || state < won && self.right[state as usize];
        let passes = |state: u32| self.left.is_empty() || state < won && self.left[state as usize];
        let frontier = |state: u32| state < won && !self.partial.is_expanded(state);
        let until = |left: &dyn Fn(u32) -> bool, right: &dyn Fn(u32) -> bool| {
            let until = Until::constrained(StateSet::from_fn(states, left), StateSet::from_fn(states, right));
            until.through_vanishing(&mdp)
        };
        let valued = until(&passes, &right);
        let certain = match self.asked.direction {
            // A state of the frontier that is to be reached is reached.
            Direction::Max => until(&|state| passes(state) && !frontier(state), &right),
            Direction::Min => until(&passes, &|state| right(state) || frontier(state) && passes(state)),
        };
        Ok(Explored { mdp, valued, certain })
    }

    /// Bounds the values of the start states, and finds out where runs leave; `best` is what the model is known to attain.
    pub(crate) fn enclose(
        &mut self,
        partition: &Partition,
        best: f64,
        precision: f64,
        limits: &Limits,
    ) -> Result<(Vec<[Rational; 2]>, Vec<Leaving>), Failure> {
        let direction = self.asked.direction;
        let explored = self.explored(|values| {
            let cell = partition.cell_of(values).map(|cell| partition.cells[cell as usize].value);
            worth(cell, direction)
        })?;
        let (certain, _) = self.solve(&explored.mdp, &explored.certain, precision, limits)?;
        let (valued, scheduler) = self.solve(&explored.mdp, &explored.valued, precision, limits)?;
        let both = |state: usize| match direction {
            Direction::Max => [certain.lower[state], valued.upper[state]],
            Direction::Min => [valued.lower[state], certain.upper[state]],
        };
        let bounds: Vec<[f64; 2]> = self.starts.iter().map(|(_, number)| both(*number as usize)).collect();
        let leaving = self.leaving(&explored.mdp, &scheduler, &bounds, partition, best, limits);
        Ok((bounds.into_iter().map(|both| both.map(exact)).collect(), leaving))
    }

    fn solve(&self, mdp: &Mdp, until: &Until, precision: f64, limits: &Limits) -> Result<(Bounds, Scheduler), Failure> {
        let options = Options {
            precision,
            initial: Some(self.starts.iter().map(|(_, number)| *number).collect()),
            limits: surefoot_mdp::Limits { run: limits.clone(), ..surefoot_mdp::Limits::default() },
            ..Options::default()
        };
        let failed = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
        let solution = solve(mdp, self.asked.direction, until, &options).map_err(failed)?;
        Ok((solution.bounds, solution.scheduler))
    }

    /// The same in fractions, every state of the frontier worth what is given; `None` where that takes too long.
    pub(crate) fn exact(
        &mut self,
        value: impl FnMut(&[i64]) -> Rational,
        limits: &surefoot_mdp::Limits,
    ) -> Result<Option<Vec<[Rational; 2]>>, Failure> {
        let explored = self.explored(value)?;
        let direction = self.asked.direction;
        let solved = |until: &Until| surefoot_mdp::solve_exact(&explored.mdp, direction, until, limits).ok();
        let (Some(certain), Some(valued)) = (solved(&explored.certain), solved(&explored.valued)) else {
            return Ok(None);
        };
        let both = |(_, number): &(State, u32)| {
            let (certain, valued) = (certain.values[*number as usize].clone(), valued.values[*number as usize].clone());
            if direction == Direction::Max { [certain, valued] } else { [valued, certain] }
        };
        Ok(Some(self.starts.iter().map(both).collect()))
    }

    /// Where runs leave the explored part, from the start states that keep the interval wide.
    fn leaving(
        &self,
        mdp: &Mdp,
        scheduler: &Scheduler,
        bounds: &[[f64; 2]],
        partition: &Partition,
        best: f64,
        limits: &Limits,
    ) -> Vec<Leaving> {
        let mut mass = vec![0.0; mdp.num_states()];
        let open = |[lower, upper]: &[f64; 2]| match self.asked.direction {
            Direction::Max => (upper - best).max(0.0),
            Direction::Min => (best - lower).max(0.0),
        };
        let all: f64 = bounds.iter().map(open).sum();
        if all <= 0.0 {
            return Vec::new();
        }
        for ((_, number), bounds) in self.starts.iter().zip(bounds) {
            mass[*number as usize] = open(bounds) / all;
        }
        let found = u32::try_from(self.partial.counts().0).expect("states have numbers of 32 bits");
        let is_frontier = |state: u32| state < found && !self.partial.is_expanded(state);
        for _ in 0..SWEEPS {
            let mut moved = 0.0;
            for state in mdp.states() {
                if mass[state as usize] < UNLIKELY || is_frontier(state) {
                    continue;
                }
                let Some(choice) = scheduler.choice(state) else { continue };
                let flow = std::mem::take(&mut mass[state as usize]);
                moved += flow;
                for branch in mdp.branches(choice) {
                    mass[branch.target as usize] += flow * mdp.bounds(*branch).lower;
                }
            }
            if moved < 1e-6 || limits.stop().is_some() {
                break;
            }
        }
        let mut cells: FxHashMap<u32, Leaving> = FxHashMap::default();
        let mut values = vec![0; partition.slots.domains.len()];
        for state in (0..found).filter(|state| is_frontier(*state) && mass[*state as usize] > UNLIKELY) {
            self.partial.unpack(state, &mut values);
            let Some(cell) = partition.cell_of(&values) else { continue };
            let mass = mass[state as usize];
            let entry = cells.entry(cell).or_insert_with(|| Leaving {
                mass: 0.0,
                state: values.as_slice().into(),
                likeliest: 0.0,
            });
            entry.mass += mass;
            if mass > entry.likeliest {
                entry.likeliest = mass;
                entry.state.copy_from_slice(&values);
            }
        }
        let mut leaving: Vec<(u32, Leaving)> = cells.into_iter().collect();
        leaving.sort_unstable_by_key(|(cell, _)| *cell);
        leaving.into_iter().map(|(_, leaving)| leaving).collect()
    }
}

/// What a state of the frontier is worth: the value of its cell, rounded outward; the worst where its cell is not known.
fn worth(value: Option<f64>, direction: Direction) -> Rational {
    match direction {
        Direction::Max => value.map_or(Rational::ONE, |value| exact(((value * PARTS).ceil() / PARTS).min(1.0))),
        Direction::Min => value.map_or(Rational::ZERO, |value| exact((value * PARTS).floor() / PARTS)),
    }
}

pub(crate) fn failure(error: PartialError) -> Failure {
    match error {
        PartialError::Start(StartError::Condition(error)) | PartialError::Model(error) => Failure::Model(error),
        PartialError::Start(_) => Failure::Abstraction(surefoot_abstraction::Failure::NoStart),
        PartialError::Record(error) => Failure::Internal(error.to_string()),
    }
}
