//! Looking for a run to an unsafe state without looking at all states: runs of the policy, directed by a distance.
//!
//! In every step, one time out of two the successor that is nearest to the unsafe states is taken, and else any of them. Runs begin in
//! corners of the start set, then in random start states. The distance is of Hamming: how many conditions have another value than they have in unsafe
//! states; where none is given, the literals of the unsafety condition that do not hold, in the nearest of its cases.
//!
//! Everything is counted, nothing is timed: the same seed gives the same runs. A run that meets an error of the model ends there; it
//! is for the engines that prove things to say what that means.

use surefoot_model::{SlotId, State, TermId};
use surefoot_num::Random;

use crate::compile::{Condition, Expansion, Generator, Worker};
use crate::explore::{fixed_slots, searches};
use crate::start::sample::Wanted;
use crate::start::{StartError, StartSearch};
use crate::task::Task;

/// Boxes looked at for one start state, at most.
const BOXES: usize = 4096;
/// Deeper nesting of conjunctions and disjunctions counts as one condition.
const MOST_NESTING: usize = 32;

/// How many and how long runs to make.
#[derive(Debug, Clone, Copy)]
pub struct FalsifyOptions {
    /// Number of runs.
    pub runs: u64,
    /// Steps per run, at most.
    pub steps: u64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// How far a state is from the unsafe ones.
pub type Distance<'d> = &'d dyn Fn(&[i64]) -> u32;

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Falsification {
    /// The states of a run from a start state to a state of `reach`.
    pub run: Option<Vec<State>>,
    /// Runs made.
    pub runs: u64,
    /// Steps taken in all of them.
    pub steps: u64,
}

/// Makes runs until one ends in a state of `reach`. All variables are kept, whatever the task drops. No runs are made of models with real
/// variables, and after the deadline.
///
/// # Errors
/// Where there is no start state, or a start condition has no value.
pub fn falsify(
    task: &Task<'_>,
    options: &FalsifyOptions,
    distance: Option<Distance<'_>>,
) -> Result<Falsification, StartError> {
    let mut result = Falsification::default();
    let Some(reach) = task.reach.filter(|_| task.model.is_discrete()) else { return Ok(result) };
    let task = Task { dropped: None, ..task.clone() };
    let searches = searches(&task)?;
    let mut random = Random::new(options.seed);
    let mut runner = Runner::new(&task, reach, distance, &searches);
    let mut corners = corners(&task, &searches).into_iter();
    for _ in 0..options.runs {
        if task.limits.stop().is_some() {
            break;
        }
        let start = match corners.next() {
            Some((search, wanted)) => searches[search].one(wanted, BOXES, &mut random),
            None => any_start(&task, &searches, &mut random),
        };
        let start = match start {
            Err(StartError::Stopped(_)) => break,
            other => other?,
        };
        // A condition that is hard to satisfy may give nothing this time.
        let Some(start) = start else { continue };
        result.runs += 1;
        let reached = runner.run(&start, options.steps, &mut random);
        result.steps += runner.steps() as u64;
        if reached {
            result.run = Some(runner.states());
            break;
        }
    }
    Ok(result)
}

/// What to look for in which condition: smallest and largest values of every variable that has several.
fn corners(task: &Task<'_>, searches: &[StartSearch<'_>]) -> Vec<(usize, Wanted)> {
    let mut corners = Vec::new();
    for (number, search) in searches.iter().enumerate() {
        let Some(bounds) = search.bounds() else { continue };
        for slot in (0..task.model.slots.len()).filter(|slot| bounds[*slot].0 < bounds[*slot].1) {
            let slot = SlotId::at(slot);
            corners.extend([(number, Wanted::Smallest(slot)), (number, Wanted::Largest(slot))]);
        }
    }
    corners
}

/// A random start state: a condition or a listed state, then one of the condition's.
fn any_start(
    task: &Task<'_>,
    searches: &[StartSearch<'_>],
    random: &mut Random,
) -> Result<Option<Vec<i64>>, StartError> {
    let listed = &task.start.states;
    let sources = searches.len() + listed.len();
    if sources == 0 {
        return Err(StartError::Empty);
    }
    let source = random.below(sources);
    match searches.get(source) {
        Some(search) => search.one(Wanted::Any, BOXES, random),
        None => Ok(listed[source - searches.len()].to_ints()),
    }
}

/// The literals of a condition.
#[derive(Debug)]
enum Literals {
    One(Condition),
    /// How many do not hold.
    Sum(Vec<Literals>),
    /// The least of several.
    Least(Vec<Literals>),
}

impl Literals {
    fn of(generator: &mut Generator<'_>, term: TermId, nesting: usize) -> Self {
        let terms = &generator.model().terms;
        let (all, any) = (terms.conjuncts(term), terms.disjuncts(term));
        if nesting == 0 || (all.len() == 1 && any.len() == 1) {
            return Self::One(generator.condition(term));
        }
        let mut parts = |terms: Vec<TermId>| terms.into_iter().map(|t| Self::of(generator, t, nesting - 1)).collect();
        if all.len() > 1 { Self::Sum(parts(all)) } else { Self::Least(parts(any)) }
    }

    /// How many do not hold; one without value does not.
    fn missing(&self, generator: &Generator<'_>, worker: &Worker) -> u32 {
        match self {
            Self::One(condition) => u32::from(!generator.holds(condition, worker).unwrap_or(false)),
            Self::Sum(parts) => parts.iter().map(|part| part.missing(generator, worker)).sum(),
            Self::Least(parts) => parts.iter().map(|part| part.missing(generator, worker)).min().unwrap_or(0),
        }
    }
}

/// Makes one run after the other.
struct Runner<'m, 'd> {
    generator: Generator<'m>,
    distance: Option<Distance<'d>>,
    literals: Literals,
    reach: Condition,
    /// States without moves.
    last: Vec<Condition>,
    worker: Worker,
    /// For looking at successors.
    scout: Worker,
    expansion: Expansion,
    /// Packed states of the run.
    path: Vec<u64>,
    stride: usize,
}

impl<'m, 'd> Runner<'m, 'd> {
    fn new(task: &Task<'m>, reach: TermId, distance: Option<Distance<'d>>, searches: &[StartSearch<'m>]) -> Self {
        let mut generator = Generator::new(task.model, task.policy, &fixed_slots(task, searches), None);
        let literals = Literals::of(&mut generator, reach, MOST_NESTING);
        let last = task.goal.filter(|_| task.goal_terminal).into_iter().chain(task.absorb);
        let last = last.map(|term| generator.condition(term)).collect();
        let reach = generator.condition(reach);
        let (worker, scout, stride) = (generator.worker(), generator.worker(), generator.layout().words());
        let (expansion, path) = (Expansion::default(), Vec::new());
        Self { generator, distance, literals, reach, last, worker, scout, expansion, path, stride }
    }

    /// Makes a run; whether it ends in a state of `reach`.
    fn run(&mut self, start: &[i64], steps: u64, random: &mut Random) -> bool {
        self.path.clear();
        self.path.resize(self.stride, 0);
        self.generator.layout().pack(start, &mut self.path);
        for step in 0.. {
            self.generator.load(&mut self.worker, &self.path[self.path.len() - self.stride..]);
            if self.generator.holds(&self.reach, &self.worker).unwrap_or(false) {
                return true;
            }
            let is_last = |condition| self.generator.holds(condition, &self.worker).unwrap_or(true);
            if step == steps || self.last.iter().any(is_last) {
                return false;
            }
            if self.generator.expand(&mut self.worker, &mut self.expansion).is_err() {
                return false;
            }
            let Some(next) = self.choose(random) else { return false };
            self.path.extend_from_slice(&self.expansion.successors[next * self.stride..(next + 1) * self.stride]);
        }
        false
    }

    /// One of the successors.
    fn choose(&mut self, random: &mut Random) -> Option<usize> {
        let count = self.expansion.successors.len() / self.stride;
        if count <= 1 {
            return count.checked_sub(1);
        }
        let any = random.below(count);
        if random.below(2) == 0 {
            return Some(any);
        }
        let mut distance = |successor: usize| {
            let words = &self.expansion.successors[successor * self.stride..(successor + 1) * self.stride];
            self.generator.load(&mut self.scout, words);
            self.distance.map_or_else(
                || self.literals.missing(&self.generator, &self.scout),
                |distance| distance(&self.scout.values),
            )
        };
        // From a random one on, so that none of the nearest is preferred.
        (0..count).map(|offset| (any + offset) % count).min_by_key(|successor| distance(*successor))
    }

    fn steps(&self) -> usize {
        self.path.len() / self.stride - 1
    }

    fn states(&self) -> Vec<State> {
        let mut values = vec![0; self.generator.model().slots.len()];
        let unpack = |words: &[u64]| {
            self.generator.layout().unpack(words, &mut values);
            State::from_ints(&values)
        };
        self.path.chunks(self.stride).map(unpack).collect()
    }
}
