//! How far a state can be changed before the decision changes, against trying all changes.

use std::sync::Arc;

use surefoot_fixtures::network::{in_single_precision, random_network, smoothed};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::Network;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, Decision, FullOracle, Limits, MinimalChange, Move, Ties, Variable};

use crate::common::int;

const CASES: u64 = 400;

struct Case {
    variables: Vec<Variable>,
    application: Application,
    point: Vec<Rational>,
    label: usize,
    /// Below this value of the first variable, label 0 is not applicable.
    threshold: Option<i64>,
}

fn applicable(threshold: Option<i64>) -> impl Fn(usize) -> Formula {
    move |label| match threshold {
        Some(least) if label == 0 => {
            Formula::atom(Atom::at_least_zero(Linear::new(vec![(Symbol(0), Rational::ONE)], int(-least))))
        }
        _ => Formula::truth(),
    }
}

/// The label chosen, by the definition: the first maximal output among the applicable ones.
fn chosen(network: &Network, point: &[Rational], threshold: Option<i64>) -> Option<usize> {
    let outputs = network.scores_at(point);
    let ahead = |k: usize, best: usize| outputs.compare(k, best).expect("scores are told apart").is_gt();
    let allowed = |label: &usize| *label != 0 || threshold.is_none_or(|least| point[0] >= int(least));
    let labels = (0..network.output_len()).filter(allowed);
    labels.fold(None, |best: Option<usize>, k| if best.is_none_or(|b| ahead(k, b)) { Some(k) } else { best })
}

fn case(seed: u64) -> Option<Case> {
    let mut random = Random::new(seed);
    let inputs = 1 + random.below(3);
    let labels = 2 + random.below(2);
    let network = random_network(&mut random, inputs, labels);
    let moderate = network.layers().iter().all(|layer| layer.weights().iter().all(|w| w.abs() < 100.0));
    let network = Arc::new(match seed % 4 {
        // Of saturated functions no precision tells one from another.
        0 if moderate => smoothed(&mut random, &network),
        1 => in_single_precision(&network),
        _ => network,
    });
    let variables: Vec<Variable> = (0..inputs).map(|_| Variable::integer(-3, 4)).collect();
    let point: Vec<Rational> = (0..inputs).map(|_| int(random.between(-3, 4))).collect();
    let threshold = random.percent(40).then(|| random.between(-2, 3));
    let label = chosen(&network, &point, threshold)?;
    let inputs: Arc<[Linear]> = (0..inputs).map(|i| Linear::symbol(Symbol::at(i))).collect();
    Some(Case { variables, application: Application { network, inputs }, point, label, threshold })
}

impl Case {
    /// Whether some state within the moves has another decision, by trying all.
    fn changes(&self, moves: &[Move]) -> bool {
        let mut states = vec![self.point.clone()];
        for step in moves {
            let (low, high) = (step.lower.ceil().to_i64().unwrap(), step.upper.floor().to_i64().unwrap());
            let moved = |state: &Vec<Rational>| {
                (low..=high)
                    .map(|value| {
                        let mut state = state.clone();
                        state[step.variable] = int(value);
                        state
                    })
                    .collect::<Vec<_>>()
            };
            states = states.iter().flat_map(moved).collect();
        }
        states.iter().any(|state| chosen(&self.application.network, state, self.threshold) != Some(self.label))
    }
}

/// Moves and reaches are those of all states.
pub(crate) fn of_random_decisions<O: FullOracle + MinimalChange>(make: &impl Fn() -> O) {
    let (mut stayed, mut changed) = (0, 0);
    for seed in seeds(11_000_000, CASES) {
        let Some(case) = case(seed) else { continue };
        let applicable = applicable(case.threshold);
        let decision = Decision {
            variables: &case.variables,
            application: &case.application,
            label: case.label,
            ties: &Ties::First,
            applicable: &applicable,
        };
        let mut oracle = make();
        let limits = Limits::default();
        let mut random = Random::new(seed + 1);
        let moves: Vec<Move> = (0..case.variables.len())
            .filter_map(|variable| {
                let here = &case.point[variable];
                let (down, up) = (int(random.between(0, 3)), int(random.between(0, 3)));
                let step = Move { variable, lower: (here - &down).max(int(-3)), upper: (here + &up).min(int(4)) };
                random.percent(70).then_some(step)
            })
            .collect();
        match oracle.changes(&decision, &case.point, &moves, &limits) {
            Answer::Unsat => assert!(!case.changes(&moves), "seed {seed}"),
            Answer::Sat(state) => {
                assert_ne!(chosen(&case.application.network, &state, case.threshold), Some(case.label), "seed {seed}");
            }
            Answer::Unknown(limit) => panic!("seed {seed}: {limit}"),
        }

        let targets: Vec<(usize, Rational)> =
            (0..=random.below(case.variables.len())).map(|v| (v, int(random.between(-3, 4)))).collect();
        let reach = oracle.reach(&decision, &case.point, &targets, &Rational::ZERO, &limits);
        let within = |share: &Rational| -> Vec<Move> {
            let step = |(variable, target): &(usize, Rational)| {
                let here = &case.point[*variable];
                let end = here + &(share * &(target - here));
                Move { variable: *variable, lower: here.clone().min(end.clone()), upper: here.clone().max(end) }
            };
            targets.iter().map(step).collect()
        };
        assert!(!case.changes(&within(&reach.stays)), "seed {seed}");
        match &reach.changes {
            None => {
                assert_eq!(reach.stays, Rational::ONE, "seed {seed}");
                stayed += 1;
            }
            Some((share, state)) => {
                assert_ne!(chosen(&case.application.network, state, case.threshold), Some(case.label), "seed {seed}");
                assert!(case.changes(&within(share)), "seed {seed}");
                // Nothing between: every smaller share stays, so the least change is exactly there.
                let below = share - &Rational::new(1, 1000).unwrap();
                assert!(!case.changes(&within(&below)), "seed {seed}: {share}");
                changed += 1;
            }
        }
    }
    assert!(stayed > 30 && changed > 30, "{stayed} stayed, {changed} changed");
}
