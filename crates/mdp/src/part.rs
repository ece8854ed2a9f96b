//! A strongly connected component of several states as a process of its own, between borders.
//!
//! What the component leads to has been solved. In the part it is three kinds of states without choices: one *sink* for all states of value
//! one, one for those of value zero, and one *border* for every other state, with its bounds. So graph analysis, end
//! components and the [quotient](crate::quotient) work on the part alone, in memory of its size.
//!
//! States are known to be of value zero or one by their bounds, which are exact there: the invariant of [`step`](crate::step).
//!
//! Soundness of the shortcuts. All states of a component can reach each other. So
//! * if it leads to no state of positive value, all its states have value zero, under every scheduler;
//! * else `Pmax` is positive everywhere; and `Pmin` is one everywhere if nowhere zero and all it leads to has value one, else nowhere
//!   (from each state a state of smaller value can be reached, by choices with positive probability);
//! * in a chain that leads to some state of positive value a run leaves the component with probability one, so the values are one
//!   if they are all ahead, and strictly between zero and one otherwise.

use crate::end_components::{EndComponents, maximal_end_components};
use crate::mdp::{Branch, Mdp, number};
use crate::predecessors::Predecessors;
use crate::prepare::Prepared;
use crate::probability::ProbabilityTable;
use crate::qualitative::{Qualitative, positive_min, surely_max};
use crate::query::{Direction, Until};
use crate::quotient::{Arithmetic, Quotient};
use crate::set::StateSet;
use crate::strong::{Components, strong_components};

/// A component with what it leads to.
#[derive(Debug)]
pub(crate) struct Part {
    /// The members, the sinks of value one and zero, the borders.
    graph: Mdp,
    members: u32,
    /// The bounds of the borders.
    pub(crate) borders: Vec<[f64; 2]>,
    /// Whether it leads to a state of value one, and to one of value zero.
    leads_to_one: bool,
    leads_to_zero: bool,
}

/// What is known of a part without arithmetic, where it leads to something.
#[derive(Debug)]
pub(crate) enum Known {
    /// All members have value one, whatever is chosen.
    One,
    /// No member of a chain has value zero or one.
    Open(Box<Quotient>),
    /// The members differ, or it matters what is chosen.
    Mixed(Box<Prepared>),
}

/// Not a member of the component.
pub(crate) const ELSEWHERE: u32 = u32::MAX;

impl Part {
    /// Whether nothing that `members` lead to but they themselves has a positive value. `place` as for [`Part::new`].
    pub(crate) fn leads_nowhere(mdp: &Mdp, members: &[u32], bounds: &[[f64; 2]], place: &mut [u32]) -> bool {
        for &member in members {
            place[member as usize] = 0;
        }
        let nowhere = members.iter().all(|&member| {
            let mut branches = mdp.choices(member).flat_map(|choice| mdp.branches(choice));
            branches.all(|branch| place[branch.target as usize] == 0 || bounds[branch.target as usize][1] <= 0.0)
        });
        for &member in members {
            place[member as usize] = ELSEWHERE;
        }
        nowhere
    }

    /// The part on `members`; `bounds` are those of all states. `place` has one entry per state, all [`ELSEWHERE`], and has again
    /// afterwards.
    pub(crate) fn new(mdp: &Mdp, members: &[u32], bounds: &[[f64; 2]], place: &mut [u32]) -> Self {
        let count = number(members.len());
        let (one, zero) = (count, count + 1);
        for (index, &member) in members.iter().enumerate() {
            place[member as usize] = number(index);
        }
        let mut part = Self {
            graph: Mdp {
                state_choices: vec![0],
                choice_branches: vec![0],
                branches: Vec::new(),
                table: ProbabilityTable::default(),
                vanishing: 0,
            },
            members: count,
            borders: Vec::new(),
            leads_to_one: false,
            leads_to_zero: false,
        };
        let mut touched = Vec::new();
        for &member in members {
            for choice in mdp.choices(member) {
                for branch in mdp.branches(choice) {
                    let mut target = place[branch.target as usize];
                    if target == ELSEWHERE {
                        let known = bounds[branch.target as usize];
                        target = if known[0] >= 1.0 {
                            part.leads_to_one = true;
                            one
                        } else if known[1] <= 0.0 {
                            part.leads_to_zero = true;
                            zero
                        } else {
                            part.borders.push(known);
                            touched.push(branch.target);
                            place[branch.target as usize] = zero + number(part.borders.len());
                            zero + number(part.borders.len())
                        };
                    }
                    part.graph.branches.push(Branch { target, probability: branch.probability });
                }
                part.graph.choice_branches.push(number(part.graph.branches.len()));
            }
            part.graph.state_choices.push(number(part.graph.choice_branches.len() - 1));
        }
        let choices = number(part.graph.choice_branches.len() - 1);
        part.graph.state_choices.resize(members.len() + 3 + part.borders.len(), choices);
        for &state in members.iter().chain(&touched) {
            place[state as usize] = ELSEWHERE;
        }
        part
    }

    /// The part as a process: members first.
    pub(crate) fn graph(&self) -> &Mdp {
        &self.graph
    }

    /// The question about the part: to get to what has value one.
    pub(crate) fn until(&self) -> Until {
        self.reaching(|state| state == self.members)
    }

    fn reaching(&self, right: impl Fn(u32) -> bool) -> Until {
        let states = self.graph.num_states();
        let left = StateSet::from_fn(states, |state| state < self.members);
        Until::constrained(left, StateSet::from_fn(states, right))
    }

    /// What needs no arithmetic, and the quotient of the rest, where the part does not [lead nowhere](Part::leads_nowhere); `None` when `stop` says so.
    pub(crate) fn analyse(
        &self,
        direction: Direction,
        arithmetic: &mut Arithmetic,
        stop: &dyn Fn() -> bool,
    ) -> Option<Known> {
        let (graph, first_border) = (&self.graph, self.members + 2);
        debug_assert!(self.leads_to_one || !self.borders.is_empty(), "what leads nowhere needs no part");
        if graph.num_choices() == self.members as usize {
            if !self.leads_to_zero && self.borders.is_empty() {
                return Some(Known::One);
            }
            let (one, all) = (self.until().right().clone(), Components::all(self.members));
            return Some(Known::Open(Box::new(Quotient::of(graph, &all, &one, first_border, None, arithmetic))));
        }
        let predecessors = Predecessors::new(graph);
        let qualitative = self.qualitative(&predecessors, direction, stop)?;
        let Qualitative { zero, one } = &qualitative;
        let is_maybe = |state| state < self.members && !zero.contains(state) && !one.contains(state);
        let maybe = StateSet::from_fn(graph.num_states(), is_maybe);
        let ends: Option<EndComponents> = match direction {
            Direction::Max => Some(maximal_end_components(graph, &predecessors, &maybe)),
            Direction::Min => None,
        };
        if stop() {
            return None;
        }
        let components = strong_components(graph, |state| maybe.contains(state), |_| true);
        let quotient = Quotient::of(graph, &components, one, first_border, ends.as_ref(), arithmetic);
        Some(Known::Mixed(Box::new(Prepared { predecessors, qualitative, maybe, ends, quotient })))
    }

    /// The states of value zero and one, sinks included, in a part that leads to some state of positive value.
    fn qualitative(
        &self,
        predecessors: &Predecessors,
        direction: Direction,
        stop: &dyn Fn() -> bool,
    ) -> Option<Qualitative> {
        let (graph, until) = (&self.graph, self.until());
        let members = || StateSet::from_fn(graph.num_states(), |state| state < self.members);
        Some(match direction {
            Direction::Max => {
                let mut positive = members();
                positive.insert(self.members);
                // What leads to a border or to zero is not sure; they count as removed from the start.
                let one = match self.leads_to_one {
                    true => surely_max(graph, predecessors, &until, &positive, stop)?,
                    false => until.right().clone(),
                };
                Qualitative { zero: StateSet::from_members(graph.num_states(), [self.members + 1]), one }
            }
            Direction::Min => {
                let zero_sink = self.members + 1;
                let positive = self.reaching(|state| state >= self.members && state != zero_sink);
                let zero = positive_min(graph, predecessors, &positive).complement();
                let sure = !self.leads_to_zero && self.borders.is_empty() && zero.count() == 1;
                let mut one = if sure { members() } else { StateSet::empty(graph.num_states()) };
                one.insert(self.members);
                Qualitative { zero, one }
            }
        })
    }
}
