//! From a question to the quotient, and from choices in the quotient back to a scheduler.

use crate::end_components::{EndComponents, maximal_end_components};
use crate::limits::Limits;
use crate::mdp::Mdp;
use crate::predecessors::Predecessors;
use crate::qualitative::{Qualitative, qualitative};
use crate::query::{Direction, Until};
use crate::quotient::Quotient;
use crate::scheduler::{Scheduler, towards};
use crate::set::StateSet;

/// A question with everything known about it that needs no arithmetic.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) predecessors: Predecessors,
    pub(crate) qualitative: Qualitative,
    /// The states the quotient stands for.
    pub(crate) maybe: StateSet,
    pub(crate) ends: Option<EndComponents>,
    pub(crate) quotient: Quotient,
}

impl Prepared {
    /// With `initial`, only maybe states reachable from there go into the quotient. `None` when it takes too long: the
    /// limits are looked at between passes over the graph.
    pub(crate) fn new(
        mdp: &Mdp,
        direction: Direction,
        until: &Until,
        initial: Option<&[u32]>,
        limits: &Limits,
    ) -> Option<Self> {
        let in_time = || (!limits.expired()).then_some(());
        in_time()?;
        let predecessors = Predecessors::new(mdp);
        in_time()?;
        let qualitative = qualitative(mdp, &predecessors, direction, until, &|| limits.expired())?;
        in_time()?;
        let is_maybe = |state: u32| !qualitative.zero.contains(state) && !qualitative.one.contains(state);
        let maybe = match initial {
            None => StateSet::from_fn(mdp.num_states(), is_maybe),
            Some(initial) => reachable(mdp, initial, is_maybe),
        };
        in_time()?;
        let ends = match direction {
            Direction::Max => Some(maximal_end_components(mdp, &predecessors, &maybe)),
            Direction::Min => None,
        };
        in_time()?;
        let quotient = Quotient::new(mdp, &maybe, &qualitative.one, ends.as_ref());
        Some(Self { predecessors, qualitative, maybe, ends, quotient })
    }

    /// The scheduler of the process that takes, in every class, the given choice of the quotient.
    ///
    /// It really reaches: where the maximum is one it moves nearer to the target along choices that keep the
    /// maximum at one; in an end component it moves to the state of the chosen leaving choice. And it really avoids:
    /// where the minimum is zero it stays where the minimum is zero.
    pub(crate) fn scheduler(&self, mdp: &Mdp, direction: Direction, until: &Until, choices: &[u32]) -> Scheduler {
        let mut scheduler = Scheduler::first(mdp);
        let Qualitative { zero, one } = &self.qualitative;
        let stays = |choice: u32, set: &StateSet| mdp.branches(choice).iter().all(|b| set.contains(b.target));
        match direction {
            Direction::Max => {
                let inside = |state| one.contains(state) && until.is_open(state);
                let allowed = |choice| stays(choice, one);
                towards(mdp, &self.predecessors, until.right().iter(), inside, allowed, &mut scheduler);
            }
            Direction::Min => {
                for state in zero.iter().filter(|&state| until.is_open(state)) {
                    if let Some(choice) = mdp.choices(state).find(|&choice| stays(choice, zero)) {
                        scheduler.set(state, choice);
                    }
                }
            }
        }
        let mut exits = StateSet::empty(mdp.num_states());
        for &choice in choices {
            let choice = self.quotient.origin[choice as usize];
            let state = self.predecessors.owner(choice);
            exits.insert(state);
            scheduler.set(state, choice);
        }
        if let Some(ends) = &self.ends {
            let inside = |state| self.maybe.contains(state) && !exits.contains(state);
            let allowed = |choice| ends.inner_choices.contains(choice);
            let goals = ends.components.iter().flatten().copied().filter(|&state| exits.contains(state));
            towards(mdp, &self.predecessors, goals, inside, allowed, &mut scheduler);
        }
        scheduler
    }
}

/// The states satisfying `include` that are reachable from `initial` through such states.
///
/// Exploration numbers states so that each but the initial ones is led to by an earlier one: then one pass in the order of their numbers finds all.
pub(crate) fn reachable(mdp: &Mdp, initial: &[u32], include: impl Fn(u32) -> bool) -> StateSet {
    let mut reached = StateSet::empty(mdp.num_states());
    for &state in initial.iter().filter(|&&state| include(state)) {
        reached.insert(state);
    }
    // States that were reached after the pass had come by.
    let mut behind: Vec<u32> = Vec::new();
    for passed in mdp.states().filter(|&state| include(state)) {
        if !reached.contains(passed) {
            continue;
        }
        let mut next = Some(passed);
        while let Some(state) = next {
            for branch in mdp.choices(state).flat_map(|choice| mdp.branches(choice)) {
                let target = branch.target;
                if !reached.contains(target) && include(target) {
                    reached.insert(target);
                    if target < passed {
                        behind.push(target);
                    }
                }
            }
            next = behind.pop();
        }
    }
    reached
}
