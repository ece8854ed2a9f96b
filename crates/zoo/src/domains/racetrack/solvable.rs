//! Solvable states: those from which a car can reach the goal.
//!
//! Backwards from the goal. A car at a place with a velocity is moved with a velocity that differs by at most one per
//! coordinate (at the limit too, where accelerating further has no effect), so predecessors need no search.

use std::collections::VecDeque;

use surefoot_num::Random;

use super::track::{Collision, Pair, Track, Travel};

/// A place and a velocity.
pub(super) type Driving = (Pair, Pair);

/// All states from which the goal can be reached, in a fixed order.
pub(super) fn solvable(track: &Track, collision: Collision, limit: i64) -> Vec<Driving> {
    let side = 2 * limit + 1;
    let index = |number: i64| usize::try_from(number).expect("states on the map have numbers from 0 on");
    let number = |((x, y), (dx, dy)): Driving| index(((y * track.width + x) * side + dy + limit) * side + dx + limit);
    let mut seen = vec![false; index(track.width * track.height * side * side)];
    let mut queue = VecDeque::new();
    let near = |d: i64| (d - 1).max(-limit)..=(d + 1).min(limit);
    // Whoever is at the place can be moved with the velocity if the present one is near.
    let mut reach = |place: Pair, velocity: Pair, queue: &mut VecDeque<Driving>| {
        for dy in near(velocity.1) {
            for dx in near(velocity.0) {
                let state = (place, (dx, dy));
                if !std::mem::replace(&mut seen[number(state)], true) {
                    queue.push_back(state);
                }
            }
        }
    };
    let open: Vec<Pair> = track.open().collect();
    for velocity in velocities(limit) {
        for place in &open {
            if matches!(track.travel(*place, velocity, collision), Travel::Finish(_)) {
                reach(*place, velocity, &mut queue);
            }
        }
    }
    while let Some((place, velocity)) = queue.pop_front() {
        let before = (place.0 - velocity.0, place.1 - velocity.1);
        let open = track.open_at(before);
        if open && track.travel(before, velocity, collision) == Travel::Free(place) {
            reach(before, velocity, &mut queue);
        }
    }
    let all = open.iter().flat_map(|place| velocities(limit).map(move |velocity| (*place, velocity)));
    all.filter(|state| seen[number(*state)]).collect()
}

/// All velocities within the limit.
pub(super) fn velocities(limit: i64) -> impl Iterator<Item = Pair> {
    (-limit..=limit).flat_map(move |dy| (-limit..=limit).map(move |dx| (dx, dy)))
}

/// So many different states of a list (all, where there are fewer), by a seeded shuffle: more of them contain fewer.
pub(super) fn sample(mut states: Vec<Driving>, count: usize, seed: u64) -> Vec<Driving> {
    let mut random = Random::new(seed);
    let count = count.min(states.len());
    for i in 0..count {
        let other = i + random.below(states.len() - i);
        states.swap(i, other);
    }
    states.truncate(count);
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forward search from one state, by the rules as they are told.
    fn reaches(track: &Track, collision: Collision, limit: i64, start: Driving) -> bool {
        let (mut todo, mut seen) = (vec![start], std::collections::BTreeSet::from([start]));
        while let Some((place, (dx, dy))) = todo.pop() {
            for (ax, ay) in velocities(1) {
                let velocity = ((dx + ax).clamp(-limit, limit), (dy + ay).clamp(-limit, limit));
                match track.travel(place, velocity, collision) {
                    Travel::Finish(_) => return true,
                    Travel::Free(place) if seen.insert((place, velocity)) => todo.push((place, velocity)),
                    _ => {}
                }
            }
        }
        false
    }

    #[test]
    fn backward_and_forward_search_agree() {
        for (map, limit) in [("tiny", 2), ("tiny", 4), ("corridor", 3)] {
            let track = Track::load(map).unwrap();
            for collision in [Collision::Simple, Collision::Full] {
                let found = solvable(&track, collision, limit);
                for place in track.open() {
                    for velocity in velocities(limit) {
                        let state = (place, velocity);
                        assert_eq!(found.contains(&state), reaches(&track, collision, limit, state), "{state:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn samples_are_nested_and_distinct() {
        let states = solvable(&Track::load("ring").unwrap(), Collision::Simple, 3);
        let few = sample(states.clone(), 20, 7);
        let many = sample(states.clone(), 50, 7);
        assert_eq!(many[..20], few);
        let distinct: std::collections::BTreeSet<_> = many.iter().collect();
        assert_eq!(distinct.len(), 50);
        assert_ne!(sample(states.clone(), 20, 8), few);
        assert_eq!(sample(states.clone(), usize::MAX, 1).len(), states.len());
    }
}
