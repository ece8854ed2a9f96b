//! Ranks: why runs come to an end.
//!
//! A rank falls along some branch of a choice, for one choice that may be taken or for each of them, until a run stops. Ranks are the rounds in which a state is found
//! to be stopped or to have such choices: the least there are.

use surefoot_mdp::{Direction, Mdp, Predecessors, StateSet};

/// The rank of every state; `None` for those that have none.
///
/// `stopped` have rank 0. Another state is ranked once a branch of one of its `usable` choices (`Max`), or of each of its choices (`Min`), leads to a ranked state.
pub(super) fn ranks(
    mdp: &Mdp,
    direction: Direction,
    stopped: &StateSet,
    usable: impl Fn(u32) -> bool,
) -> Vec<Option<u64>> {
    let predecessors = Predecessors::new(mdp);
    let mut ranks: Vec<Option<u64>> = vec![None; mdp.num_states()];
    let mut front: Vec<u32> = stopped.iter().collect();
    front.iter().for_each(|state| ranks[*state as usize] = Some(0));
    // Choices of each state that lead to no ranked state yet.
    let mut missing: Vec<usize> = mdp.states().map(|state| mdp.choices(state).len()).collect();
    let mut led = vec![false; mdp.num_choices()];
    for round in 1.. {
        let mut next = Vec::new();
        for target in front {
            for &choice in predecessors.of(target) {
                let state = predecessors.owner(choice) as usize;
                if std::mem::replace(&mut led[choice as usize], true) || ranks[state].is_some() {
                    continue;
                }
                missing[state] -= 1;
                let found = match direction {
                    Direction::Max => usable(choice),
                    Direction::Min => missing[state] == 0,
                };
                if found {
                    ranks[state] = Some(round);
                    next.push(predecessors.owner(choice));
                }
            }
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    ranks
}
