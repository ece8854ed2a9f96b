//! The loop: expand, solve, explore, blame, cut.
//!
//! An iteration expands the cells that can be reached, bounds their values, encloses the start states by concrete ones beside, and cuts the cells that are to blame. Both
//! bounds are sound after every step, so it may end anywhere.
//!
//! **Termination.** Every iteration that does not end the run cuts a cell, explores more concrete states, or asks for closer values. Cells have finitely many
//! states, and cells of one state have their real moves as far as the oracle decides: so values become exact, or nothing is left to do and the run gives up.

use surefoot_abstraction::{Oracles, System};
use surefoot_limits::{Stop, Unit};
use surefoot_mdp::{Direction, Scheduler};
use surefoot_model::State;
use surefoot_oracle::{FullOracle, Statistics};

use super::band::Band;
use super::beside::Beside;
use super::cut;
use super::faults::FAULT_ROUNDS;
use super::partition::{ANYWHERE, MOST_CONFIGURATIONS, Partition};
use super::process::Process;
use super::refine::{self, Likely};
use super::sketch;
use crate::answer::{Bounded, Failure, Figures, Narrowed, Observer};
use crate::ask::Asked;
use crate::options::Options;

/// The finest precision that floats are asked for.
const FINEST: f64 = 1e-12;
/// Concrete states among which runs to an error are looked for, before it is left open.
const FAULT_STATES: usize = 200_000;

/// What may be wrong behind a move that may lead anywhere.
const ANYWHERE_FAULT: &str = "an error of the model behind a move with very many targets";

/// A run.
pub(crate) struct Run<'r, 'm, 't, O> {
    system: &'r mut System<'m>,
    asked: &'r Asked<'t>,
    options: &'r Options,
    oracles: &'r Oracles<O>,
    partition: Partition,
    beside: Beside<'t>,
    band: Band,
    /// How closely values are asked for.
    precision: f64,
    figures: Figures,
    work: Statistics,
    fault_rounds: u64,
    /// A cell of the last abstraction in which errors of the model are not excluded.
    open_cell: Option<u32>,
    /// The cells of the last abstraction, where it is to be kept.
    drawn: Option<Vec<u32>>,
}

/// How an iteration ended.
enum Ended {
    /// With something to do for the next one.
    Refined,
    /// With an answer.
    Settled,
    /// With a limit.
    Stopped(Stop),
    /// With an answer, but for an error of the model that is not excluded.
    Open(String, Stop),
}

impl<'r, 'm, 't, O: FullOracle> Run<'r, 'm, 't, O> {
    /// Enters the start states.
    pub(crate) fn new(
        system: &'r mut System<'m>,
        asked: &'r Asked<'t>,
        options: &'r Options,
        oracles: &'r Oracles<O>,
    ) -> Result<Self, Failure> {
        let worst = if asked.direction == Direction::Max { 1.0 } else { 0.0 };
        let (partition, starts) = Partition::of_starts(system, asked, options, worst)?;
        if partition.start_cells.is_empty() && starts.stopped.is_none() {
            return Err(surefoot_abstraction::Failure::NoStart.into());
        }
        let beside = Beside::new(asked, options.concrete_states);
        Ok(Self {
            system,
            asked,
            options,
            oracles,
            partition,
            beside,
            band: Band::new(asked, starts.stopped),
            precision: (options.precision / 8.0).max(FINEST),
            figures: Figures::default(),
            work: Statistics::default(),
            fault_rounds: 0,
            open_cell: None,
            drawn: None,
        })
    }

    /// Bounds until it is known as precisely as wanted, or a limit is met.
    pub(crate) fn run(mut self, observer: &mut dyn Observer) -> Result<Bounded, Failure> {
        let (stopped, open_fault) = loop {
            if let Some(most) = self.options.iterations.filter(|most| self.figures.iterations >= *most) {
                break (Some(Stop::Most(Unit::Iterations, most)), None);
            }
            self.figures.iterations += 1;
            let ended = self.iteration(observer)?;
            match ended {
                Ended::Refined => {}
                Ended::Settled => break (None, None),
                Ended::Stopped(stop) => break (Some(stop), None),
                Ended::Open(what, stop) => break (None, Some((what, stop))),
            }
        };
        let open_fault = open_fault.or_else(|| self.open_fault());
        let (lower, upper) = self.band.ends();
        let stopped = stopped.filter(|_| !self.band.is_settled(self.options.precision));
        Ok(Bounded {
            lower,
            upper,
            start: self.band.witness,
            stopped,
            open_fault,
            predicates: None,
            figures: self.figures,
            sketch: self.drawn.take().map(|order| {
                sketch::drawn(&self.partition, &order, self.system.model().instances.len(), self.asked.direction)
            }),
        })
    }

    fn iteration(&mut self, observer: &mut dyn Observer) -> Result<Ended, Failure> {
        if let Some(stop) = self.band.starts_missing.or_else(|| self.limit()) {
            return Ok(Ended::Stopped(stop));
        }
        if self.figures.iterations == 1 {
            // The first abstraction may take long; what the model attains is known sooner.
            self.beside.enclose(&self.partition, &mut self.band, self.precision, &self.options.limits.run)?;
            self.figures.concrete_states = self.beside.expanded() as u64;
            observer.narrowed(&self.narrowed(), None);
        }
        let order = match self.reach()? {
            Ok(order) => order,
            Err(stop) => return Ok(Ended::Stopped(stop)),
        };
        let process = Process::new(&self.partition, order, self.asked.direction)?;
        self.drawn = self.options.sketch.then(|| process.order.clone());
        // Behind a move that may lead anywhere there may be errors, too.
        let is_open = |cell: &&u32| {
            let cell = &self.partition.cells[**cell as usize];
            let moves = cell.moves.as_deref().unwrap_or_default();
            !cell.faultless || moves.iter().flat_map(|step| &step.targets).any(|targets| targets.contains(&ANYWHERE))
        };
        self.open_cell = process.order.iter().find(is_open).copied();
        let limits = &self.options.limits.run;
        let scheduler = process.solve(&mut self.partition, self.precision, limits)?;
        self.band.cells(&self.partition);
        let grown = self.beside.enclose(&self.partition, &mut self.band, self.precision, limits)?;
        self.count(&process);
        observer.narrowed(&self.narrowed(), None);
        if !self.band.is_settled(self.options.precision) {
            self.settle_exactly(&process)?;
        }
        if self.band.is_settled(self.options.precision) {
            return Ok(self.exclude_faults(&process));
        }
        Ok(self.refine(&process, &scheduler, grown))
    }

    fn limit(&self) -> Option<Stop> {
        self.options.limits.exceeded(self.partition.bytes() + self.beside.bytes())
    }

    /// Expands all cells that can be reached, and lists them from the start cells on.
    fn reach(&mut self) -> Result<Result<Vec<u32>, Stop>, Failure> {
        self.partition.tidy_starts();
        let mut order: Vec<u32> = self.partition.start_cells.clone();
        let mut seen = vec![false; self.partition.cells.len()];
        order.iter().for_each(|cell| seen[*cell as usize] = true);
        let mut level = 0;
        while level < order.len() {
            if let Some(stop) = self.limit() {
                return Ok(Err(stop));
            }
            let end = order.len();
            let is_stale = |id: &u32| self.partition.cells[*id as usize].moves.is_none();
            let stale: Vec<u32> = order[level..end].iter().copied().filter(is_stale).collect();
            let answers = self.partition.ask(&stale, self.oracles, &self.options.limits);
            for (id, answer) in stale.iter().zip(answers) {
                self.work.questions += answer.work.questions;
                self.work.nodes += answer.work.nodes;
                if let Some(stop) = answer.stopped {
                    return Ok(Err(stop));
                }
                self.partition.learn(*id, answer);
                self.partition.expand(self.system, *id)?;
            }
            seen.resize(self.partition.cells.len(), false);
            for position in level..end {
                let moves = self.partition.cells[order[position] as usize].moves.as_deref().unwrap_or_default();
                for target in moves.iter().flat_map(|step| &step.targets).flatten().filter(|t| **t != ANYWHERE) {
                    if !std::mem::replace(&mut seen[*target as usize], true) {
                        order.push(*target);
                    }
                }
            }
            level = end;
        }
        Ok(Ok(order))
    }

    /// An error that cells did not exclude, where the answer rests on them.
    fn open_fault(&self) -> Option<(String, Stop)> {
        let open = self.open_cell.filter(|_| !self.beside.is_complete() && self.band.rests_on_cells())?;
        let what = self.partition.possible_fault(open).unwrap_or_else(|| ANYWHERE_FAULT.to_owned());
        Some((what, Stop::Most(Unit::Iterations, self.figures.iterations)))
    }

    /// Solves in fractions where floats come too close to the threshold to tell.
    fn settle_exactly(&mut self, process: &Process) -> Result<(), Failure> {
        if !self.band.is_close(self.asked.threshold.as_ref()) {
            return Ok(());
        }
        let limits = &self.options.limits.run;
        let Some(values) = process.exact(limits) else { return Ok(()) };
        self.band.exact_cells(&self.partition, process, &values);
        self.beside.exact(&self.partition, process, &values, &mut self.band, limits)
    }

    /// Looks for errors of the model in all cells that can be reached; cells that do not exclude them are cut.
    fn exclude_faults(&mut self, process: &Process) -> Ended {
        if self.beside.is_complete() {
            return Ended::Settled;
        }
        let open = self.partition.open_faults(&process.order, self.oracles, &self.options.limits);
        let Some(first) = open.first() else {
            return match self.open_cell {
                Some(_) if self.band.rests_on_cells() => self.leads_anywhere(process),
                _ => Ended::Settled,
            };
        };
        if self.fault_rounds < FAULT_ROUNDS && self.limit().is_none() {
            self.fault_rounds += 1;
            let cuts: Vec<_> = open.iter().filter_map(|open| Some((open.cell, open.cut?))).collect();
            if cuts.into_iter().fold(false, |some, (cell, cut)| self.partition.cut(cell, cut) || some) {
                return Ended::Refined;
            }
        }
        // It may be one that runs come to: exploring meets it then.
        if self.beside.expanded() < FAULT_STATES && self.limit().is_none() {
            let states: Vec<State> = open.iter().filter_map(|open| open.state.clone()).collect();
            if self.beside.look_for(&self.partition, &states).unwrap_or(false) {
                return Ended::Refined;
            }
        }
        Ended::Open(first.what.clone(), first.stop)
    }

    /// Cuts the cells whose moves may lead anywhere, behind which nobody has looked for errors.
    fn leads_anywhere(&mut self, process: &Process) -> Ended {
        let cells = process.order.iter().copied().filter(|id| {
            let moves = self.partition.cells[*id as usize].moves.as_deref().unwrap_or_default();
            moves.iter().flat_map(|step| &step.targets).any(|targets| targets.contains(&ANYWHERE))
        });
        let middle = |id: u32| Some((id, cut::middle(&self.partition.cells[id as usize].ranges)?));
        let cuts: Vec<_> = cells.filter_map(middle).collect();
        let can_go_on = self.limit().is_none() && !cuts.is_empty();
        if can_go_on && cuts.into_iter().fold(false, |some, (cell, cut)| self.partition.cut(cell, cut) || some) {
            return Ended::Refined;
        }
        Ended::Open(ANYWHERE_FAULT.to_owned(), self.limit().unwrap_or(Stop::Most(Unit::States, MOST_CONFIGURATIONS)))
    }

    /// Cuts cells, or says what else is to be done.
    fn refine(&mut self, process: &Process, scheduler: &Scheduler, grown: bool) -> Ended {
        let likely: Likely<'_> = self.beside.likely();
        let from = self.band.open_cells(&self.partition, &likely);
        let cut = refine::refine(&mut self.partition, process, scheduler, &from, &likely, self.asked.direction);
        if cut || grown || self.beside.insist() {
            return Ended::Refined;
        }
        if self.precision > FINEST {
            self.precision = (self.precision * 1e-3).max(FINEST);
            return Ended::Refined;
        }
        // What is left are questions that the oracle did not decide.
        Ended::Stopped(Stop::Most(Unit::Nodes, super::expand::NODES))
    }

    fn count(&mut self, process: &Process) {
        self.figures.start_states = self.partition.start_cells.len() as u64;
        self.figures.abstract_states = process.order.len() as u64;
        self.figures.transitions = process.mdp.num_branches() as u64;
        self.figures.predicates = self.partition.cuts;
        self.figures.concrete_states = self.beside.expanded() as u64;
        self.figures.questions = self.work.questions;
        self.figures.nodes = self.work.nodes;
    }

    fn narrowed(&self) -> Narrowed {
        let (lower, upper) = self.band.floats();
        Narrowed { lower, upper, p_u: None, cause: None, figures: self.figures }
    }
}
