//! Branches whose target is chosen after they were drawn, against all combinations of targets.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::r;
use proptest::prelude::*;
use surefoot_mdp::*;
use surefoot_num::Rational;

/// Per state, per choice: two or three outcomes, each with the targets that it may have.
type Plan = Vec<Vec<Vec<Vec<u32>>>>;

fn plan() -> impl Strategy<Value = Plan> {
    (2..6u32).prop_flat_map(|states| {
        let targets = prop::collection::vec(0..states, 1..4);
        let outcomes = prop::collection::vec(targets, 2..4);
        let choices = prop::collection::vec(outcomes, 0..3);
        prop::collection::vec(choices, states as usize)
    })
}

/// Unequal probabilities of two or three outcomes.
fn probabilities(outcomes: usize) -> Vec<Rational> {
    if outcomes == 2 { vec![r("1/3"), r("2/3")] } else { vec![r("1/2"), r("1/5"), r("3/10")] }
}

fn open(plan: &Plan) -> Mdp {
    let mut builder = MdpBuilder::new();
    for choices in plan {
        builder.begin_state().unwrap();
        for outcomes in choices {
            builder.begin_choice().unwrap();
            for (targets, p) in outcomes.iter().zip(probabilities(outcomes.len())) {
                let p = builder.probability(&p).unwrap();
                builder.branch_to_any(targets, p).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

fn combined(plan: &Plan) -> Mdp {
    let mut builder = MdpBuilder::new();
    for choices in plan {
        builder.begin_state().unwrap();
        for outcomes in choices {
            let mut rows: Vec<Vec<u32>> = vec![Vec::new()];
            for targets in outcomes {
                let longer = |row: &Vec<u32>| targets.iter().map(|t| [&row[..], &[*t]].concat()).collect::<Vec<_>>();
                rows = rows.iter().flat_map(longer).collect();
            }
            for row in rows {
                builder.begin_choice().unwrap();
                for (target, p) in row.iter().zip(probabilities(outcomes.len())) {
                    builder.branch_exact(*target, &p).unwrap();
                }
            }
        }
    }
    builder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_all_combinations(plan in plan(), left in prop::option::of(any::<u8>()), right in any::<u8>()) {
        let (open, combined) = (open(&plan), combined(&plan));
        let lasting = plan.len();
        prop_assert_eq!(open.vanishing().start as usize, lasting);
        let set = |bits: u8| StateSet::from_fn(lasting, |state| bits >> state & 1 == 1);
        let until = || match left {
            Some(left) => Until::constrained(set(left), set(right)),
            None => Until::eventually(set(right)),
        };
        let through = until().through_vanishing(&open);
        let limits = &Limits::default();
        for direction in [Direction::Max, Direction::Min] {
            let exact = solve_exact(&combined, direction, &until(), limits).unwrap().values;
            prop_assert_eq!(&solve_exact(&open, direction, &through, limits).unwrap().values[..lasting], &exact[..]);
            let inside = |bounds: &Bounds, exact: &[Rational]| {
                let float = |x: f64| Rational::from_f64(x).unwrap();
                (0..lasting).all(|s| float(bounds.lower[s]) <= exact[s] && exact[s] <= float(bounds.upper[s]))
            };
            let solution = solve(&open, direction, &through, &Options::default()).unwrap();
            prop_assert!(inside(&solution.bounds, &exact));
            prop_assert!((0..lasting).all(|s| solution.bounds.upper[s] - solution.bounds.lower[s] <= 1e-5));
            for steps in 0..5 {
                let exact = solve_bounded_exact(&combined, direction, &until(), steps, limits).unwrap().unwrap();
                let values = solve_bounded_exact(&open, direction, &through, steps, limits).unwrap().unwrap();
                prop_assert_eq!(&values[..lasting], &exact[..], "{} steps", steps);
                let bounds = solve_bounded(&open, direction, &through, steps, limits).unwrap().bounds;
                prop_assert!(inside(&bounds, &exact), "{} steps", steps);
                prop_assert!((0..lasting).all(|s| bounds.upper[s] - bounds.lower[s] <= 1e-9));
            }
        }
    }
}

#[test]
fn branches_with_the_same_targets_share_a_state() {
    let plan = vec![vec![vec![vec![1, 2], vec![2, 1, 2]], vec![vec![0, 1], vec![2]]], vec![], vec![]];
    let mdp = open(&plan);
    assert_eq!((mdp.num_states(), mdp.vanishing()), (5, 3..5));
    assert_eq!((mdp.num_choices(), mdp.num_branches()), (2 + 4, 4 + 4));
    let targets = |choice| mdp.branches(choice).iter().map(|b| b.target).collect::<Vec<_>>();
    assert_eq!((targets(0), targets(1)), (vec![3, 3], vec![4, 2]));
    assert_eq!((targets(2), targets(3)), (vec![1], vec![2]));
}
