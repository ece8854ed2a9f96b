//! MaxProb on the abstraction: the largest probability to reach an unsafe state, over abstract start states and adversaries (the paper, section
//! *Computing abstract counterexamples*).
//!
//! A virtual root leads to all abstract start states. [`Fret`] explores what an optimal adversary needs; interval iteration on the part that is
//! explored then says what that is worth, twice: with states that are not expanded counted as unsafe, which bounds every adversary of the whole abstraction
//! from above, and with them counted as safe, which gives an adversary that is closed (it is defined wherever it comes to) and bounds its value from below.
//! Where the two differ, what the first one's adversary comes to is expanded. [`reference()`] expands everything first.

use rustc_hash::FxHashMap;
use surefoot_abstraction::StateId;
use surefoot_mdp::{
    BuildError, Direction, ExactError, Mdp, MdpBuilder, Options, Scheduler, Solution, StateSet, Until, solve,
    solve_exact,
};
use surefoot_num::Rational;
use surefoot_oracle::{FullOracle, Limits};

use super::fret::Fret;
use super::halt::Halt;
use super::process::{Place, Process};

/// Bounds that are so close count as one value; which side of a threshold it is on is for fractions to say.
const TIGHT: f64 = 1e-8;
/// How close interval iteration is to come.
const PRECISION: f64 = 1e-9;

/// An abstract adversary with its start state: closed, and memoryless.
#[derive(Debug, Clone)]
pub struct Adversary {
    /// Where it starts.
    pub start: StateId,
    /// The number of the transition that it takes, in every state that it comes to and that has one.
    pub takes: FxHashMap<StateId, usize>,
}

/// The largest probability of the abstraction, and who attains it.
#[derive(Debug, Clone)]
pub struct Optimum {
    /// No adversary of the abstraction does better.
    pub upper: Rational,
    /// The adversary does no worse.
    pub lower: Rational,
    /// Who.
    pub adversary: Adversary,
}

/// The explored part as a decision process, with the root as its last state.
fn fragment<O: FullOracle>(process: &Process<'_, '_, O>) -> Result<Mdp, BuildError> {
    let mut builder = MdpBuilder::new();
    for (id, _) in process.states.iter() {
        builder.begin_state()?;
        for transition in process.transitions(id) {
            builder.begin_choice()?;
            let probabilities = &process.operators(id).joints[transition.by].probabilities;
            for (probability, target) in probabilities.iter().zip(transition.targets.iter()) {
                builder.branch_exact(target.0, probability)?;
            }
        }
    }
    builder.begin_state()?;
    for start in &process.starts {
        builder.begin_choice()?;
        builder.branch_exact(start.0, &Rational::ONE)?;
    }
    builder.finish()
}

/// Reaching unsafe states, and those that are not expanded if they count.
fn until<O>(process: &Process<'_, '_, O>, mdp: &Mdp, open_counts: bool) -> Until {
    let counts = |state: u32| match process.places.get(state as usize) {
        Some(Place::Unsafe) => true,
        Some(Place::Open) => open_counts,
        Some(Place::Expanded(_)) | None => false,
    };
    Until::eventually(StateSet::from_fn(mdp.num_states(), counts))
}

fn root(mdp: &Mdp) -> u32 {
    u32::try_from(mdp.num_states() - 1).expect("states are numbered in 32 bits")
}

fn limits(limits: &Limits) -> surefoot_mdp::Limits {
    surefoot_mdp::Limits { run: limits.run.clone(), ..surefoot_mdp::Limits::default() }
}

fn solved<O: FullOracle>(process: &Process<'_, '_, O>, mdp: &Mdp, open_counts: bool) -> Result<Solution, Halt> {
    let options = Options { precision: PRECISION, limits: limits(process.limits), ..Options::default() };
    let solution = solve(mdp, Direction::Max, &until(process, mdp, open_counts), &options).map_err(Halt::internal)?;
    process.limits.run.check()?;
    Ok(solution)
}

/// What a scheduler comes to from the root, and what it takes there.
fn adversary(mdp: &Mdp, scheduler: &Scheduler, goal: &Until) -> Option<Adversary> {
    let target = |choice: u32| mdp.branches(choice).first().map(|branch| branch.target);
    let start = StateId(scheduler.choice(root(mdp)).and_then(target)?);
    let (mut takes, mut queue) = (FxHashMap::default(), vec![start]);
    while let Some(id) = queue.pop() {
        if takes.contains_key(&id) || goal.is_right(id.0) {
            continue;
        }
        let Some(choice) = scheduler.choice(id.0) else { continue };
        takes.insert(id, (choice - mdp.choices(id.0).start) as usize);
        queue.extend(mdp.branches(choice).iter().map(|branch| StateId(branch.target)));
    }
    Some(Adversary { start, takes })
}

/// States that are not expanded and that a scheduler comes to, ascending.
fn frontier<O>(process: &Process<'_, '_, O>, mdp: &Mdp, scheduler: &Scheduler) -> Vec<StateId> {
    let (mut seen, mut queue) = (StateSet::empty(mdp.num_states()), vec![root(mdp)]);
    let mut found = Vec::new();
    while let Some(state) = queue.pop() {
        if !seen.insert(state) {
            continue;
        }
        match process.places.get(state as usize) {
            Some(Place::Open) => found.push(StateId(state)),
            Some(Place::Unsafe) => {}
            Some(Place::Expanded(_)) | None => {
                let choice = scheduler.choice(state);
                queue.extend(choice.iter().flat_map(|choice| mdp.branches(*choice)).map(|branch| branch.target));
            }
        }
    }
    found.sort_unstable();
    found
}

/// A float that is a bound as the number that it is.
pub fn exactly(bound: f64) -> Rational {
    Rational::from_f64(bound).expect("bounds are finite")
}

/// The largest probability of the abstraction, explored as far as that needs.
///
/// # Errors
/// A limit: values of `fret` bound what is asked for from above even then. What cannot be lowered.
pub fn max_prob<O: FullOracle>(process: &mut Process<'_, '_, O>, fret: &mut Fret) -> Result<Optimum, Halt> {
    loop {
        fret.run(process)?;
        let mdp = fragment(process).map_err(Halt::internal)?;
        let above = solved(process, &mdp, true)?;
        for (id, _) in process.states.iter() {
            fret.improve(id, above.bounds.upper[id.index()]);
        }
        let below = solved(process, &mdp, false)?;
        let (upper, lower) = (above.bounds.upper[root(&mdp) as usize], below.bounds.lower[root(&mdp) as usize]);
        let open = frontier(process, &mdp, &above.scheduler);
        if upper - lower > TIGHT && !open.is_empty() {
            process.expand(&open)?;
            continue;
        }
        if let Some(optimum) = closed(process, &mdp, &below.scheduler, exactly(upper), exactly(lower))? {
            return Ok(optimum);
        }
    }
}

/// The optimum by a scheduler, if all transitions that it takes exist: those that were only assumed are decided now.
fn closed<O: FullOracle>(
    process: &mut Process<'_, '_, O>,
    mdp: &Mdp,
    scheduler: &Scheduler,
    upper: Rational,
    lower: Rational,
) -> Result<Option<Optimum>, Halt> {
    let adversary = adversary(mdp, scheduler, &until(process, mdp, false)).ok_or_else(|| Halt::internal("no start"))?;
    let is_assumed = |(id, number): &(StateId, usize)| process.transitions(*id)[*number].witness.is_none();
    let mut assumed: Vec<(StateId, usize)> =
        adversary.takes.iter().map(|(id, number)| (*id, *number)).filter(is_assumed).collect();
    assumed.sort_unstable();
    let all = assumed.is_empty() || process.confirm(&assumed)?;
    Ok(all.then_some(Optimum { upper, lower, adversary }))
}

/// How the optimum compares with a threshold.
#[derive(Debug)]
pub enum Comparison {
    /// No adversary exceeds it: nobody exceeds this, either.
    AtMost(Rational),
    /// This one does.
    Above(Optimum),
}

/// Compares the optimum with a threshold, in fractions where floats do not tell.
///
/// # Errors
/// A limit, and that of exact arithmetic; what cannot be lowered.
pub fn compare<O: FullOracle>(
    process: &mut Process<'_, '_, O>,
    fret: &mut Fret,
    optimum: Optimum,
    threshold: &Rational,
) -> Result<Comparison, Halt> {
    if optimum.upper <= *threshold {
        return Ok(Comparison::AtMost(optimum.upper));
    }
    if optimum.lower > *threshold {
        return Ok(Comparison::Above(optimum));
    }
    loop {
        let mdp = fragment(process).map_err(Halt::internal)?;
        let exact = |open_counts: bool| {
            let until = until(process, &mdp, open_counts);
            solve_exact(&mdp, Direction::Max, &until, &limits(process.limits)).map_err(|error| match error {
                ExactError::Stopped { stop, .. } => Halt::Stop(stop),
                ExactError::Refused(refused) => Halt::internal(refused),
            })
        };
        let above = exact(true)?;
        let upper = above.values[root(&mdp) as usize].clone();
        if upper <= *threshold {
            return Ok(Comparison::AtMost(upper));
        }
        let below = exact(false)?;
        let lower = below.values[root(&mdp) as usize].clone();
        if lower > *threshold {
            if let Some(optimum) = closed(process, &mdp, &below.scheduler, upper, lower)? {
                return Ok(Comparison::Above(optimum));
            }
        } else {
            let open = frontier(process, &mdp, &above.scheduler);
            process.expand(&open)?;
        }
        // Something changed: what floats say is cheaper.
        let optimum = max_prob(process, fret)?;
        if optimum.upper <= *threshold {
            return Ok(Comparison::AtMost(optimum.upper));
        }
        if optimum.lower > *threshold {
            return Ok(Comparison::Above(optimum));
        }
    }
}

/// Bounds on the largest probability by interval iteration on the whole reachable part: the slow sibling of [`max_prob`].
///
/// # Errors
/// A limit; what cannot be lowered.
pub fn reference<O: FullOracle>(process: &mut Process<'_, '_, O>) -> Result<(f64, f64), Halt> {
    expand_all(process)?;
    let mdp = fragment(process).map_err(Halt::internal)?;
    let bounds = solved(process, &mdp, true)?.bounds;
    Ok((bounds.lower[root(&mdp) as usize], bounds.upper[root(&mdp) as usize]))
}

/// Expands all that is reachable, level by level.
///
/// # Errors
/// A limit; what cannot be lowered.
pub fn expand_all<O: FullOracle>(process: &mut Process<'_, '_, O>) -> Result<(), Halt> {
    loop {
        let open: Vec<StateId> = process.open().collect();
        if open.is_empty() {
            return Ok(());
        }
        // Limits are looked at between rounds.
        for round in open.chunks(512) {
            process.expand(round)?;
        }
    }
}
