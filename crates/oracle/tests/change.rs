//! How far a state can be changed before the decision changes: cases that are known.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Application, BranchAndBound, Decision, Limits, MinimalChange, Options, Ties, Variable};

use common::int;

#[test]
fn sensitivities_are_sums_of_output_changes() {
    // Outputs x + 2 y and |x|: over [-3, 4] at (1, 0), x changes them by 7 and 1, y by 14 and 0.
    let network = common::network(&[
        &[&[1.0, 2.0, 0.0], &[-1.0, -2.0, 0.0], &[1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]],
        &[&[1.0, -1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 1.0, 0.0]],
    ]);
    let inputs: Arc<[Linear]> = Symbol::first(2).map(Linear::symbol).collect();
    let variables = [Variable::integer(-3, 4), Variable::integer(-3, 4)];
    let application = Application { network: Arc::new(network), inputs };
    let decision = Decision {
        variables: &variables,
        application: &application,
        label: 0,
        ties: &Ties::First,
        applicable: &|_| Formula::truth(),
    };
    assert_eq!(decision.sensitivities(&[int(1), int(0)]), vec![int(8), int(14)]);
}

#[test]
fn a_real_variable_reaches_as_far_as_asked_for() {
    // Label 0 while x < 1/3 (outputs 1 and 3 x, first wins ties).
    let network = common::network(&[&[&[0.0, 1.0], &[3.0, 0.0]]]);
    let inputs: Arc<[Linear]> = [Linear::symbol(Symbol(0))].into();
    let variables = [Variable::real(int(0), int(1))];
    let application = Application { network: Arc::new(network), inputs };
    let decision = Decision {
        variables: &variables,
        application: &application,
        label: 0,
        ties: &Ties::First,
        applicable: &|_| Formula::truth(),
    };
    let mut oracle = BranchAndBound::new(Options::default());
    let precision = Rational::new(1, 1_000_000).unwrap();
    let reach = oracle.reach(&decision, &[int(0)], &[(0, int(1))], &precision, &Limits::default());
    let third = Rational::new(1, 3).unwrap();
    let (share, _) = reach.changes.unwrap();
    assert!(reach.stays <= third && third < share && &share - &reach.stays <= precision);
}
