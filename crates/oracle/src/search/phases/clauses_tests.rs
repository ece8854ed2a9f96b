//! Clauses against all assignments.

use surefoot_fixtures::{Random, seeds};

use super::*;

const NEURONS: usize = 7;

/// Whether an assignment, one bit a neuron, satisfies a clause.
fn satisfies(assignment: usize, clause: &[Literal]) -> bool {
    clause.iter().any(|literal| (assignment >> literal.neuron() & 1 == 1) == literal.is_active())
}

/// A search whose conflicts are given clauses that are false; whether it ends without an assignment. All that it learns follows.
fn refuted(given: &[Vec<Literal>]) -> bool {
    let mut clauses = Clauses::default();
    clauses.reset(NEURONS);
    for _ in 0..10_000 {
        let stored = clauses.clauses.len();
        let models = (0..1 << NEURONS).filter(|a| given.iter().all(|clause| satisfies(*a, clause)));
        for model in models {
            assert!(clauses.clauses[..stored].iter().all(|clause| satisfies(model, clause)), "what is learned follows");
        }
        if let Some(clause) = clauses.propagate() {
            let conflict = clauses.clause(clause).to_vec();
            if !clauses.learn(&conflict) {
                return true;
            }
            continue;
        }
        let is_false = |l: &Literal| clauses.phase(l.neuron()).is_some_and(|phase| phase != l.is_active());
        if let Some(conflict) = given.iter().find(|clause| clause.iter().all(is_false)).cloned() {
            if !clauses.learn(&conflict) {
                return true;
            }
            continue;
        }
        match (0..NEURONS).find(|neuron| clauses.phase(*neuron).is_none()) {
            Some(neuron) => clauses.decide(Literal::new(neuron, neuron % 2 == 0)),
            None => return false,
        }
    }
    panic!("the search does not end");
}

#[test]
fn searches_end_as_all_assignments_say() {
    let mut ends = [0, 0];
    for seed in seeds(33_000_000, 400) {
        let random = &mut Random::new(seed);
        let clauses: Vec<Vec<Literal>> = (0..6 + random.below(24))
            .map(|_| {
                let mut literals: Vec<Literal> =
                    (0..1 + random.below(3)).map(|_| Literal::new(random.below(NEURONS), random.percent(50))).collect();
                literals.sort_unstable();
                literals.dedup_by_key(|literal| literal.neuron());
                literals
            })
            .collect();
        let some = (0..1 << NEURONS).any(|a| clauses.iter().all(|clause| satisfies(a, clause)));
        assert_eq!(refuted(&clauses), !some, "seed {seed}: {clauses:?}");
        ends[usize::from(some)] += 1;
    }
    assert!(ends.iter().all(|end| *end > 40), "{ends:?}");
}
