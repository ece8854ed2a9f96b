//! The loops: Algorithm 1 of the paper where there is a threshold, Algorithm 2 (its linear search on thresholds) where there is none.
//!
//! **Termination** (Theorem 7). An iteration that does not end the run adds a predicate that tells apart two concrete states of one abstract state; there are
//! finitely many concrete states.
//!
//! **What the bounds rest on.** The upper one: no adversary of an abstraction exceeds it, by values rounded up, and no error of the model is in the part of
//! the abstraction that was explored. The lower one: a start state and a set of runs that were replayed.

use std::time::Instant;

use surefoot_abstraction::errors::Faults;
use surefoot_abstraction::oracles::Lent;
use surefoot_abstraction::{Drawn, Oracles, PredicateSet, Sketch, Start, StateId, System};
use surefoot_cegar::atoms::atoms;
use surefoot_cegar::profile::Profile;
use surefoot_limits::{Stop, Unit};
use surefoot_model::State;
use surefoot_num::{FloatInterval, Random, Rational};
use surefoot_oracle::{FullOracle, Statistics};

use super::analysis::{Analysis, Context, Finding};
use super::chain::Chain;
use super::concrete::Concrete;
use super::faults::{self, Errors};
use super::fret::Fret;
use super::halt::Halt;
use super::maxprob::{Comparison, Optimum, compare, exactly, expand_all, max_prob};
use super::process::{Lowered, Place, Process};
use crate::answer::{Bounded, Failure, Figures, Narrowed, Observer};
use crate::ask::Asked;
use crate::options::Options;

/// A run.
pub struct Run<'s, 'm, O: FullOracle> {
    system: &'s mut System<'m>,
    asked: &'s Asked<'s>,
    options: &'s Options,
    refinement: surefoot_cegar::Options,
    oracles: &'s Oracles<O>,
    /// For what is asked one by one, and what it had done before.
    oracle: Lent<'s, O>,
    before: Statistics,
    /// What others did.
    other_work: Statistics,
    predicates: PredicateSet,
    concrete: Concrete<'s>,
    profile: Profile,
    random: Random,
    lowered: Lowered,
    faults: Faults,
    starts: Vec<Start>,
    bounds: Bounds,
    figures: Figures,
    /// The last abstraction, where it is to be kept.
    sketch: Option<Sketch>,
}

/// What is known so far.
struct Bounds {
    lower: Rational,
    upper: Rational,
    start: Option<State>,
    /// Errors of the model that the upper bound takes for excluded.
    errors: Errors,
    /// The threshold that is looked at.
    threshold: Rational,
}

/// How an iteration ended.
enum Turn {
    /// With more predicates.
    Refined(PredicateSet, Option<&'static str>),
    /// With bounds that are good enough, but for errors of the model.
    Settled,
}

impl<'s, 'm, O: FullOracle> Run<'s, 'm, O> {
    /// With the atoms of the unsafety condition, and given predicates.
    pub fn new(
        system: &'s mut System<'m>,
        asked: &'s Asked<'s>,
        options: &'s Options,
        oracles: &'s Oracles<O>,
    ) -> Self {
        let space = system.lowering().space();
        let mut initial = Vec::new();
        for formula in std::iter::once(system.reach()).chain(&options.predicates) {
            initial.extend(atoms(space, formula, system.model().instances.len()));
        }
        let (predicates, _) = PredicateSet::new(space, &initial, false);
        let (profile, oracle) = (Profile::new(system), oracles.lend());
        let refinement = surefoot_cegar::Options {
            strategy: options.strategy,
            seed: options.seed,
            limits: options.limits.clone(),
            ..surefoot_cegar::Options::default()
        };
        Self {
            system,
            asked,
            options,
            refinement,
            before: oracle.statistics(),
            oracle,
            oracles,
            other_work: Statistics::default(),
            predicates,
            concrete: Concrete::new(asked),
            profile,
            random: Random::new(options.seed),
            lowered: Lowered::default(),
            faults: Faults::default(),
            starts: Vec::new(),
            bounds: Bounds {
                lower: Rational::ZERO,
                upper: Rational::ONE,
                start: None,
                errors: Errors::Excluded,
                threshold: asked.threshold.clone().unwrap_or_else(|| options.p_init.clone()),
            },
            figures: Figures::default(),
            sketch: None,
        }
    }

    /// Runs until the question is decided, the interval is as narrow as wanted, or a limit is met.
    ///
    /// # Errors
    /// As [`crate::bound`].
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Bounded, Failure> {
        let stopped = loop {
            match self.turn(observer) {
                Ok(true) => break None,
                Ok(false) => {}
                Err(Halt::Stop(stop)) => break Some(stop),
                Err(Halt::Failure(failure)) => return Err(failure),
            }
        };
        self.count();
        let open_fault = match self.bounds.errors {
            _ if self.bounds.upper >= Rational::ONE => None,
            Errors::Excluded => None,
            Errors::Open(what, stop) => Some((what, stop)),
            Errors::Possible(_, what) => Some((what, stopped.unwrap_or(Stop::Time))),
        };
        let Bounds { lower, upper, start, .. } = self.bounds;
        Ok(Bounded {
            lower,
            upper,
            start,
            stopped,
            open_fault,
            predicates: Some(self.predicates),
            figures: self.figures,
            sketch: self.sketch,
        })
    }

    /// One iteration; says whether it was the last.
    fn turn(&mut self, observer: &mut dyn Observer) -> Result<bool, Halt> {
        if let Some(most) = self.options.iterations.filter(|most| self.figures.iterations >= *most) {
            return Err(Stop::Most(Unit::Iterations, most).into());
        }
        self.options.limits.run.check()?;
        self.figures.iterations += 1;
        let (turn, cause) = match self.iteration()? {
            Turn::Refined(predicates, cause) => {
                self.predicates = predicates;
                (false, cause)
            }
            Turn::Settled => match std::mem::replace(&mut self.bounds.errors, Errors::Excluded) {
                Errors::Possible(path, what) => {
                    // Kept for the case that a limit is met.
                    self.bounds.errors = Errors::Possible(path.clone(), what);
                    self.predicates = faults::refute(&mut self.context(), &path)?;
                    (false, Some("error of the model"))
                }
                errors => {
                    self.bounds.errors = errors;
                    (true, None)
                }
            },
        };
        self.count();
        let float = |value: &Rational| FloatInterval::tightest(value);
        let narrowed = Narrowed {
            lower: float(&self.bounds.lower).lower,
            upper: float(&self.bounds.upper).upper,
            p_u: Some(self.bounds.threshold.to_f64()),
            cause,
            figures: self.figures,
        };
        observer.narrowed(&narrowed, Some(&self.predicates));
        Ok(turn)
    }

    fn context(&mut self) -> Context<'_, 'm, O> {
        Context {
            system: self.system,
            predicates: &self.predicates,
            asked: self.asked,
            concrete: &self.concrete,
            profile: &self.profile,
            oracle: &mut *self.oracle,
            options: &self.refinement,
            random: &mut self.random,
            p_eps: &self.options.p_eps,
            exact_policy: self.options.exact_policy,
        }
    }

    fn count(&mut self) {
        let own = self.oracle.statistics().since(&self.before);
        self.figures.questions = own.questions + self.other_work.questions;
        self.figures.nodes = own.nodes + self.other_work.nodes;
    }

    /// Search, and analysis of what it finds.
    fn iteration(&mut self) -> Result<Turn, Halt> {
        let predicates = self.predicates.clone();
        let limits = self.options.limits.clone();
        self.figures.predicates = predicates.len() as u64;
        let mut process =
            Process::new(self.system, &predicates, &mut self.lowered, &mut self.starts, self.oracles, &limits)?;
        let mut turn = Iteration {
            asked: self.asked,
            options: self.options,
            refinement: &self.refinement,
            concrete: &self.concrete,
            profile: &self.profile,
            oracle: &mut *self.oracle,
            random: &mut self.random,
            faults: &mut self.faults,
            bounds: &mut self.bounds,
            figures: &mut self.figures,
            fret: Fret::new(self.options.seed),
            searched: false,
        };
        let ended = turn.run(&mut process);
        if let Err(Halt::Stop(stop)) = &ended
            && !turn.searched
        {
            // Values are upper bounds at all times; but errors were not looked for.
            let upper = process.starts.iter().map(|start| turn.fret.value(*start)).fold(0.0, f64::max);
            if exactly(upper) < turn.bounds.upper {
                turn.bounds.upper = exactly(upper);
                turn.bounds.errors = Errors::Open("an error of the model".to_owned(), *stop);
            }
        }
        if self.options.sketch {
            self.sketch = Some(drawn(&process, &turn.fret));
        }
        self.figures.start_states = process.starts.len() as u64;
        self.figures.abstract_states = process.states.len() as u64;
        self.figures.transitions = process.transitions as u64;
        self.other_work.questions += process.work.questions;
        self.other_work.nodes += process.work.nodes;
        process.remember();
        ended
    }
}

/// One iteration.
struct Iteration<'a, O> {
    asked: &'a Asked<'a>,
    options: &'a Options,
    refinement: &'a surefoot_cegar::Options,
    concrete: &'a Concrete<'a>,
    profile: &'a Profile,
    oracle: &'a mut O,
    random: &'a mut Random,
    faults: &'a mut Faults,
    bounds: &'a mut Bounds,
    figures: &'a mut Figures,
    fret: Fret,
    /// Whether the search is over.
    searched: bool,
}

/// How many steps of the linear search a distance is. All of them are taken at once: there may be very many.
fn steps(distance: &Rational, step: &Rational) -> Rational {
    distance.checked_div(step).unwrap_or(Rational::ONE)
}

impl<O: FullOracle> Iteration<'_, O> {
    fn run(&mut self, process: &mut Process<'_, '_, O>) -> Result<Turn, Halt> {
        let mut optimum = max_prob(process, &mut self.fret)?;
        self.improve(process, optimum.upper.clone())?;
        self.searched = true;
        // Algorithm 2, lines 8 to 14; Algorithm 1 is the case of a threshold that does not move.
        let mut analysis: Option<Analysis> = None;
        loop {
            if self.is_settled() {
                return Ok(Turn::Settled);
            }
            let step = &self.options.p_step;
            if self.asked.threshold.is_none() && self.bounds.upper <= self.bounds.threshold {
                let down = &steps(&(&self.bounds.threshold - &self.bounds.upper), step).floor() + &Rational::ONE;
                self.bounds.threshold = &self.bounds.threshold - &(&down * step);
            }
            let threshold = self.bounds.threshold.clone();
            if optimum.lower <= threshold {
                // It is not proved yet that the adversary exceeds it.
                analysis = None;
                match compare(process, &mut self.fret, optimum.clone(), &threshold)? {
                    Comparison::AtMost(upper) => {
                        self.improve(process, upper.clone())?;
                        optimum.upper = upper;
                        continue;
                    }
                    Comparison::Above(better) => {
                        self.improve(process, better.upper.clone())?;
                        optimum = better;
                    }
                }
            }
            let begin = Instant::now();
            let finding = self.analyse(process, &optimum, &mut analysis, &threshold);
            self.figures.analysis_milliseconds += u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            match finding? {
                Finding::Real { lower, start } => {
                    if lower > self.bounds.lower || self.bounds.start.is_none() {
                        (self.bounds.lower, self.bounds.start) = (lower, Some(start));
                    }
                    if self.asked.threshold.is_none() && self.bounds.lower > self.bounds.threshold {
                        let up = steps(&(&self.bounds.lower - &self.bounds.threshold), step).ceil();
                        self.bounds.threshold = &self.bounds.threshold + &(&up * step);
                    }
                }
                Finding::Refined(predicates, kind) => {
                    self.figures.refinements[kind as usize] += 1;
                    return Ok(Turn::Refined(predicates, Some(kind.words())));
                }
            }
        }
    }

    /// Whether nothing more is wanted.
    fn is_settled(&self) -> bool {
        let Bounds { lower, upper, .. } = &*self.bounds;
        match &self.asked.threshold {
            Some(threshold) => upper <= threshold || lower > threshold,
            None => upper - lower <= self.options.p_step,
        }
    }

    /// Takes note of an upper bound, and looks for the errors of the model that it takes for excluded.
    fn improve(&mut self, process: &mut Process<'_, '_, O>, upper: Rational) -> Result<(), Halt> {
        // A bound that rests on errors which are not excluded is given up for one that may be proved: theirs are paths of this abstraction.
        let worse = upper > self.bounds.upper && matches!(self.bounds.errors, Errors::Excluded);
        if worse || upper >= Rational::ONE {
            return Ok(());
        }
        // What is not expanded counts as reached, which bounds the probability; but an error behind it would be one of the model all the same. So
        // before a bound is the answer, all that is reachable is looked at.
        let settles = match &self.asked.threshold {
            Some(threshold) => upper <= *threshold,
            None => &upper - &self.bounds.lower <= self.options.p_step,
        };
        let looked = if settles { expand_all(process) } else { Ok(()) };
        self.bounds.errors = match looked.and_then(|()| faults::find(process, self.faults)) {
            Ok(errors) => errors,
            Err(Halt::Stop(stop)) => Errors::Open("an error of the model".to_owned(), stop),
            Err(failure @ Halt::Failure(_)) => return Err(failure),
        };
        self.bounds.upper = upper;
        Ok(())
    }

    fn analyse(
        &mut self,
        process: &Process<'_, '_, O>,
        optimum: &Optimum,
        analysis: &mut Option<Analysis>,
        threshold: &Rational,
    ) -> Result<Finding, Halt> {
        let fresh = || Analysis::new(Chain::new(process, &optimum.adversary), optimum.upper.clone());
        let analysis = analysis.get_or_insert_with(fresh);
        let mut context = Context {
            system: process.system,
            predicates: process.predicates,
            asked: self.asked,
            concrete: self.concrete,
            profile: self.profile,
            oracle: self.oracle,
            options: self.refinement,
            random: self.random,
            p_eps: &self.options.p_eps,
            exact_policy: self.options.exact_policy,
        };
        let finding = analysis.run(&mut context, threshold);
        self.figures.most_paths = self.figures.most_paths.max(analysis.size() as u64);
        finding
    }
}

/// An abstraction to be looked at, as far as it was explored, with the bounds on its values.
fn drawn<O: FullOracle>(process: &Process<'_, '_, O>, fret: &Fret) -> Sketch {
    let ids: Vec<StateId> = process.states.since(0).collect();
    let mut transitions = Vec::new();
    for id in &ids {
        for transition in process.transitions(*id) {
            let operators = process.operators(*id);
            let label = operators.joints[transition.by].rules.first().and_then(|rule| rule.label);
            let upper = &operators.upper[transition.by];
            let outcomes = transition.targets.iter().zip(upper);
            transitions.extend(outcomes.map(|(target, upper)| Drawn {
                source: id.0,
                target: target.0,
                label,
                probability: Some(upper.min(1.0)),
            }));
        }
    }
    let is_unsafe = |id: &StateId| matches!(process.places[id.index()], Place::Unsafe);
    Sketch {
        within: Vec::new(),
        predicates: process.predicates.clone(),
        states: process.states.iter().map(|(_, state)| state.clone()).collect(),
        start: ids.iter().map(|id| process.starts.contains(id)).collect(),
        is_unsafe: ids.iter().map(is_unsafe).collect(),
        expanded: ids.iter().map(|id| matches!(process.places[id.index()], Place::Expanded(_))).collect(),
        values: Some(ids.iter().map(|id| if is_unsafe(id) { 1.0 } else { fret.value(*id) }).collect()),
        transitions,
        complete: ids.iter().all(|id| !matches!(process.places[id.index()], Place::Open)),
        boxes: None,
    }
}
