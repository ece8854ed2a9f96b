//! Paths of random small processes, against the definitions.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::{build, plan};
use proptest::prelude::*;
use surefoot_mdp::*;
use surefoot_num::Rational;

const CASES: u32 = 400;

/// The largest product of a path of at most `n` steps from each state: longer ones come round, and are no likelier.
fn likeliest(mdp: &Mdp, target: &StateSet) -> Vec<Rational> {
    let mut best: Vec<Rational> = mdp.states().map(|s| Rational::from(target.contains(s))).collect();
    for _ in mdp.states() {
        let before = best.clone();
        for s in mdp.states() {
            for &branch in mdp.choices(s).flat_map(|c| mdp.branches(c)) {
                let product = mdp.exact(branch) * &before[branch.target as usize];
                best[s as usize] = best[s as usize].clone().max(product);
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn paths_are_as_the_definitions_say(plan in plan(8, 3), target in 0u32..8, starts in 1u32..4) {
        let mdp = build(&plan);
        let n = plan.len() as u32;
        let (target, starts) = (StateSet::from_members(plan.len(), [target % n]), starts.min(n));
        let predecessors = Predecessors::new(&mdp);
        let successors = |s: u32| mdp.choices(s).flat_map(|c| mdp.branches(c)).map(|b| b.target);
        // Within how many steps some path has come to the target.
        let mut within: Vec<Option<u32>> = mdp.states().map(|s| target.contains(s).then_some(0)).collect();
        for step in 1..=n {
            let before = within.clone();
            for s in mdp.states().filter(|s| !target.contains(*s)) {
                let led = successors(s).any(|t| before[t as usize].is_some());
                within[s as usize] = within[s as usize].or(led.then_some(step));
            }
        }
        prop_assert_eq!(&distances(&mdp, &predecessors, &target), &within);
        let best = likeliest(&mdp, &target);
        let expected = (0..starts as usize).map(|s| best[s].clone()).max().filter(|best| !best.is_zero());
        let found = likeliest_path(&mdp, starts, &target, &|| false);
        prop_assert_eq!(found.as_ref().map(|path| path.probability.clone()), expected);
        if let Some(LikelyPath { states, probability }) = found {
            prop_assert!(states[0] < starts && target.contains(states[states.len() - 1]));
            // Each step by the likeliest of its branches.
            let step = |pair: &[u32]| {
                let branches = mdp.choices(pair[0]).flat_map(|c| mdp.branches(c)).filter(|b| b.target == pair[1]);
                branches.map(|&b| mdp.exact(b).clone()).max().unwrap()
            };
            let product = states.windows(2).map(step).fold(Rational::ONE, |product, p| &product * &p);
            prop_assert_eq!(product, probability);
        }
    }
}
