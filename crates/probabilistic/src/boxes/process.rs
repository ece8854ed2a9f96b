//! The cells as a Markov decision process, and its guaranteed values.
//!
//! A move is a choice; an outcome that may lead to several cells leaves it to the scheduler to which. Cells that hold states to be reached and others have one
//! more choice: to be there already. For the smallest value a run may also stop wherever that is not excluded.
//!
//! `surefoot_mdp` gives the values as bounds that are rounded outward, end components collapsed, so each is a certified bound of the abstraction; that of
//! an earlier partition is one for the cells of a finer one, and the iteration starts from there.

use surefoot_limits::Limits;
use surefoot_mdp::{
    Bounds, BuildError, Direction, Mdp, MdpBuilder, Options, ProbabilityId, Scheduler, StateSet, Until, solve,
    solve_exact,
};
use surefoot_num::Rational;

use super::partition::{ANYWHERE, Danger, Label, Partition, number};
use super::program::Operator;
use crate::answer::Failure;

/// Work allowed for fractions, in small rational operations.
pub(crate) const EXACT_WORK: u64 = 4_000_000;

/// States before the first cell: where it was reached, and where it never will be.
const REACHED: u32 = 0;
const LOST: u32 = 1;

/// The reachable cells as a process.
#[derive(Debug)]
pub(crate) struct Process {
    /// The process.
    pub(crate) mdp: Mdp,
    /// Its states from the third on, as cells.
    pub(crate) order: Vec<u32>,
    /// Per choice of a cell, its move; `None` for being there already, or stopping.
    pub(crate) moves: Vec<Option<usize>>,
    right: StateSet,
    direction: Direction,
}

impl Process {
    /// The process of cells in a given order, which have moves.
    pub(crate) fn new(partition: &Partition, order: Vec<u32>, direction: Direction) -> Result<Self, Failure> {
        let failed = |error: BuildError| Failure::Internal(format!("the abstraction is no process: {error}"));
        build(partition, order, direction).map_err(failed)
    }

    /// Bounds the values of all cells; better ones are kept in the partition. Returns what the best scheduler chooses.
    pub(crate) fn solve(
        &self,
        partition: &mut Partition,
        precision: f64,
        limits: &Limits,
    ) -> Result<Scheduler, Failure> {
        let failed = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
        let states = self.mdp.num_states();
        let mut warm = Bounds::unknown(states);
        for (state, cell) in (2..).zip(&self.order) {
            let value = partition.cells[*cell as usize].value;
            match self.direction {
                Direction::Max => warm.upper[state] = value,
                Direction::Min => warm.lower[state] = value,
            }
        }
        let options = Options {
            precision,
            warm_start: Some(warm),
            limits: surefoot_mdp::Limits { run: limits.clone(), ..surefoot_mdp::Limits::default() },
            ..Options::default()
        };
        let until = Until::eventually(self.right.clone()).through_vanishing(&self.mdp);
        let solution = solve(&self.mdp, self.direction, &until, &options).map_err(failed)?;
        for (state, cell) in (2..).zip(&self.order) {
            partition.cells[*cell as usize].value = match self.direction {
                Direction::Max => solution.bounds.upper[state],
                Direction::Min => solution.bounds.lower[state],
            };
        }
        Ok(solution.scheduler)
    }

    /// The values of all states as fractions; `None` where that takes too long.
    pub(crate) fn exact(&self, limits: &Limits) -> Option<Vec<Rational>> {
        let limits = surefoot_mdp::Limits {
            run: limits.clone(),
            exact_work: Some(EXACT_WORK),
            ..surefoot_mdp::Limits::default()
        };
        let until = Until::eventually(self.right.clone()).through_vanishing(&self.mdp);
        solve_exact(&self.mdp, self.direction, &until, &limits).ok().map(|solution| solution.values)
    }

    /// Per cell, its position in the order.
    pub(crate) fn positions(&self, partition: &Partition) -> Vec<Option<usize>> {
        let mut positions = vec![None; partition.cells.len()];
        for (at, cell) in self.order.iter().enumerate() {
            positions[*cell as usize] = Some(at);
        }
        positions
    }

    /// The state of the cell at a position of the order.
    pub(crate) fn state(position: usize) -> u32 {
        number(position + 2)
    }

    /// The move of a choice that a scheduler made in the cell at a position of the order.
    pub(crate) fn chosen(&self, scheduler: &Scheduler, position: usize) -> Option<usize> {
        self.moves[scheduler.choice(Self::state(position))? as usize]
    }
}

fn build(partition: &Partition, order: Vec<u32>, direction: Direction) -> Result<Process, BuildError> {
    let mut state_of = vec![LOST; partition.cells.len()];
    for (position, cell) in order.iter().enumerate() {
        state_of[*cell as usize] = Process::state(position);
    }
    // What nothing is known of has the worst value.
    let anywhere = if direction == Direction::Max { REACHED } else { LOST };
    let state = |target: u32| if target == ANYWHERE { anywhere } else { state_of[target as usize] };
    let mut builder = MdpBuilder::new();
    let mut probabilities: Vec<Vec<Vec<ProbabilityId>>> = Vec::new();
    for program in &partition.programs {
        let mut all = Vec::new();
        for operator in &program.operators {
            let own: Result<Vec<ProbabilityId>, BuildError> =
                operator.outcomes.iter().map(|outcome| builder.probability(&outcome.probability)).collect();
            all.push(own?);
        }
        probabilities.push(all);
    }
    let one = builder.probability(&Rational::ONE)?;
    let (mut moves, mut right) = (Vec::new(), vec![REACHED]);
    builder.begin_state()?;
    builder.begin_state()?;
    let mut targets = Vec::new();
    for (position, id) in order.iter().enumerate() {
        builder.begin_state()?;
        let cell = &partition.cells[*id as usize];
        if cell.danger == Danger::All {
            right.push(Process::state(position));
            continue;
        }
        let mut certain = |builder: &mut MdpBuilder, target: u32| {
            builder.begin_choice()?;
            moves.push(None);
            builder.branch(target, one)
        };
        if cell.danger == Danger::Some {
            certain(&mut builder, REACHED)?;
        }
        if direction == Direction::Min && may_stop(partition, *id) {
            certain(&mut builder, LOST)?;
        }
        for (number, step) in cell.moves.as_deref().unwrap_or_default().iter().enumerate() {
            builder.begin_choice()?;
            moves.push(Some(number));
            for (outcome, met) in probabilities[cell.program][step.operator].iter().zip(&step.targets) {
                targets.clear();
                targets.extend(met.iter().map(|target| state(*target)));
                builder.branch_to_any(&targets, *outcome)?;
            }
        }
    }
    let mdp = builder.finish()?;
    let lasting = order.len() + 2;
    let right = StateSet::from_members(lasting, right);
    Ok(Process { mdp, order, moves, right, direction })
}

/// Whether a run may stop in a state of a cell, as far as is known: unless a move of the environment is always possible, or every label that may be chosen has
/// a move wherever it is. Under the filter a label that is always applicable is enough: something is chosen then, and can be done.
///
/// Where an error is not excluded a run may stop, for operators that are errors are absent; where it is, an operator can be taken wherever its guard holds.
fn may_stop(partition: &Partition, id: u32) -> bool {
    let cell = &partition.cells[id as usize];
    let program = &partition.programs[cell.program];
    if !cell.faultless {
        return true;
    }
    let is_always_enabled = |operator: &&Operator| operator.guard.truth(&cell.ranges) == Some(true);
    let always: Vec<&Operator> = program.operators.iter().filter(is_always_enabled).collect();
    if always.iter().any(|operator| operator.labels.is_none() || program.filtered) {
        return false;
    }
    let has_move = |label: usize| always.iter().any(|o| o.labels.as_ref().is_some_and(|own| own.contains(&label)));
    always.is_empty() || cell.labels.iter().enumerate().any(|(label, l)| *l != Label::Nowhere && !has_move(label))
}
