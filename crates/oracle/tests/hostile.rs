//! Questions on which floats give wrong answers, answered rightly.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_sign_loss, reason = "the numbers of a test are small")]

mod common;

use std::sync::Arc;

use common::conformance::{fault, generous};
use common::naive::naive;
use common::show::show;
use common::{affine, apply, ask, at_least_zero, float, form, int, network, nonzero, out, positive, r, zero};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Network, Normalisation};
use surefoot_oracle::{BranchAndBound, Kind, Options, Oracle, Question, Reference, Ties, Variable};

/// A question with its answer by reasoning.
struct Case {
    name: &'static str,
    question: Question,
    sat: bool,
}

fn case(name: &'static str, sat: bool, question: Question) -> Case {
    Case { name, question, sat }
}

/// A question about one network, whose inputs are the variables.
fn about(network: Network, variables: Vec<Variable>, formula: impl Fn(&Question) -> Formula) -> Question {
    let inputs: Vec<Linear> = Symbol::first(network.input_len()).map(Linear::symbol).collect();
    ask(variables, vec![apply(&Arc::new(network), inputs)], formula)
}

/// A question about one network, all of whose inputs are the one variable.
fn fan(network: Network, variable: Variable, formula: impl Fn(&Question) -> Formula) -> Question {
    let inputs: Vec<Linear> = (0..network.input_len()).map(|_| Linear::symbol(Symbol(0))).collect();
    ask(vec![variable], vec![apply(&Arc::new(network), inputs)], formula)
}

fn one() -> Variable {
    Variable::integer(1, 1)
}

fn first(q: &Question) -> Linear {
    out(q, 0, 0)
}

/// The first output minus the second.
fn margin(q: &Question) -> Linear {
    &out(q, 0, 0) - &out(q, 0, 1)
}

fn number(value: &str) -> Linear {
    Linear::constant_form(r(value))
}

/// Sums in which a term is lost, or comes back, by rounding.
fn cancellation() -> Vec<Case> {
    let absorbed: &[&[f64]] = &[&[1e16, 0.0], &[1.0, 0.0], &[1e16, 0.0]];
    let half_ulp = 2f64.powi(-53);
    // 10^16 x - 10^16 x + x, and x + 10^16 x - 10^16 x.
    let late = network(&[&[&[1e16, 0.0], &[1e16, 0.0], &[1.0, 0.0]], &[&[1.0, -1.0, 1.0, 0.0]]]);
    let early = network(&[&[&[1.0, 0.0], &[1e16, 0.0], &[1e16, 0.0]], &[&[1.0, 1.0, -1.0, 0.0]]]);
    let orders = [late, early].map(|network| apply(&Arc::new(network), [Linear::symbol(Symbol(0))]));
    let orders = ask(vec![Variable::integer(1, 3)], orders.to_vec(), |q| nonzero(&out(q, 0, 0) - &out(q, 1, 0)));
    let reals =
        |network: Network, formula: fn(&Question) -> Formula| fan(network, Variable::real(r("1"), r("1.5")), formula);
    let dying = || network(&[&[&[1.0, 1e20, -1e20, 0.0]], &[&[1.0, 0.0]]]);
    vec![
        case(
            "10^16 + x - 10^16 > 0",
            true,
            fan(network(&[absorbed, &[&[1.0, 1.0, -1.0, 0.0]]]), one(), |q| positive(first(q))),
        ),
        case("10^16 + x - 10^16 is x, over reals", false, {
            reals(network(&[absorbed, &[&[1.0, 1.0, -1.0, 0.0]]]), |q| nonzero(&first(q) - &Linear::symbol(Symbol(0))))
        }),
        case("the order of a sum does not matter", false, orders),
        case("a ReLU that only rounding kills", true, fan(dying(), one(), |q| positive(first(q)))),
        case("a ReLU that only rounding kills, over reals", false, {
            reals(dying(), |q| at_least_zero(&number("1/2") - &first(q)))
        }),
        case("two half units in the last place make one", true, {
            fan(network(&[&[&[1.0, half_ulp, half_ulp, 0.0]]]), one(), |q| {
                at_least_zero(&first(q) - &Linear::constant_form(float(1.0 + f64::EPSILON)))
            })
        }),
        case("w and -w with something tiny between", true, {
            fan(network(&[&[&[1e300, 1e-300, -1e300, 0.0]]]), one(), |q| positive(first(q)))
        }),
    ]
}

/// Outputs that tie exactly, or by no more than floats can see.
fn ties() -> Vec<Case> {
    let sum = 0.1 + 0.2;
    let tenths: &[f64] = &[0.1; 10];
    let ten = network(&[&[&[tenths, &[0.0, 0.0]].concat(), &[&[0.0; 10][..], &[0.1, 0.0]].concat()]]);
    let ten_inputs = (0..11).map(|i| form(&[(Symbol(0), if i == 10 { 10 } else { 1 })], 0));
    let ten_tenths =
        ask(vec![one()], vec![apply(&Arc::new(ten), ten_inputs)], |q| q.chosen(0, 0, &Ties::Any, |_| Formula::truth()));
    let twins = Arc::new(network(&[&[&[1.9, 0.0], &[1.9f64.next_up(), 0.0]]]));
    let near = ask(vec![Variable::integer(101, 199)], vec![apply(&twins, [affine(Symbol(0), "1/100", "0")])], |q| {
        q.chosen(0, 0, &Ties::First, |_| Formula::truth())
    });
    let within = about(network(&[&[&[0.0, 0.0], &[0.1, 0.0]]]), vec![one()], |q| {
        q.chosen(0, 0, &Ties::Within(r("0.1")), |_| Formula::truth())
    });
    vec![
        case("0.1 + 0.2 is less than the float nearest to it", false, {
            fan(network(&[&[&[0.1, 0.2, 0.0, 0.0], &[0.0, 0.0, sum, 0.0]]]), one(), |q| at_least_zero(margin(q)))
        }),
        case("and more than the float nearest to 0.3", true, {
            fan(network(&[&[&[0.1, 0.2, 0.0, 0.0], &[0.0, 0.0, 0.3, 0.0]]]), one(), |q| {
                let ulp = Linear::constant_form(float(sum - 0.3));
                at_least_zero(&(&ulp - &margin(q)) - &Linear::constant_form(float(sum - 0.3 - 3e-17)))
            })
        }),
        case("ten times 0.1 ties with ten 0.1s", true, ten_tenths),
        case("one unit in the last place is no tie", false, near),
        case("0.1 is more than a tenth away from 0", false, within),
    ]
}

/// Numbers at the ends of what floats hold.
fn extremes() -> Vec<Case> {
    let small = |weight: f64| network(&[&[&[weight, 0.0]], &[&[weight, 0.0]]]);
    let huge: &[&[&[f64]]] = &[&[&[1e200, 0.0]], &[&[1e200, 0.0], &[2e200, 0.0]]];
    let half = ask(
        vec![one()],
        vec![apply(&Arc::new(network(&[&[&[f64::from_bits(1), 0.0]]])), [affine(Symbol(0), "1/2", "0")])],
        |q| positive(first(q)),
    );
    let subnormal = |q: &Question| zero(&first(q) - &Linear::constant_form(float(f64::from_bits(1))));
    vec![
        case("both overflow, and one is larger", true, {
            about(network(huge), vec![Variable::integer(1, 3)], |q| positive(-&margin(q)))
        }),
        case("both overflow, and one is twice the other", false, {
            about(network(huge), vec![Variable::integer(1, 3)], |q| nonzero(&margin(q) + &first(q)))
        }),
        case("both overflow, over reals", false, {
            about(network(huge), vec![Variable::real(r("1/3"), r("3"))], |q| nonzero(&margin(q) + &first(q)))
        }),
        case("10^-400 is positive", true, about(small(1e-200), vec![one()], |q| positive(first(q)))),
        case("10^-400 is positive, over reals", false, {
            about(small(1e-200), vec![Variable::real(r("0.1"), r("0.2"))], |q| at_least_zero(-&first(q)))
        }),
        case("half the smallest float is positive", true, half),
        case("three quarters of the smallest float are less than it", false, {
            let network = Arc::new(network(&[&[&[f64::from_bits(1), 0.0]]]));
            ask(vec![Variable::integer(3, 3)], vec![apply(&network, [affine(Symbol(0), "1/4", "0")])], subnormal)
        }),
    ]
}

/// Exact rationals that are no floats: bounds, thresholds, coefficients, normalisations.
fn fractions() -> Vec<Case> {
    let thirds = Normalisation::new(vec![r("1/3"); 3], vec![r("0"); 3]).unwrap();
    let thirds = network(&[&[&[1.0, 1.0, 1.0, 0.0]]]).with_input_normalisation(thirds).unwrap();
    let part = Normalisation::new(vec![r("1/49")], vec![r("0")]).unwrap();
    let part = network(&[&[&[1.0, 0.0]]]).with_output_normalisation(part).unwrap();
    let identity = || network(&[&[&[1.0, 0.0]], &[&[1.0, 0.0]]]);
    let kink = network(&[&[&[3.0, -1.0]], &[&[1.0, 0.0]]]);
    let large = [((1 << 53) + 1, -(1 << 53))].map(|(a, b)| form(&[(Symbol(0), a), (Symbol(1), b)], 0))[0].clone();
    let tenth = Variable::real(r("0.1"), r("0.1"));
    vec![
        case(
            "three thirds of x are x",
            false,
            fan(thirds, Variable::integer(0, 100), |q| nonzero(&first(q) - &Linear::symbol(Symbol(0)))),
        ),
        case("49 times a 49th is 1", true, about(part, vec![one()], |q| zero(&(&first(q) * &int(49)) - &form(&[], 1)))),
        case(
            "3 times 0.1 is not more than 0.3",
            false,
            about(identity(), vec![tenth.clone()], |q| positive(&(&first(q) * &int(3)) - &number("0.3"))),
        ),
        case(
            "the same without a network",
            false,
            ask(vec![tenth], Vec::new(), |_| positive(&form(&[(Symbol(0), 3)], 0) - &number("0.3"))),
        ),
        case("ten times the float 0.1 is more than 1", true, {
            about(network(&[&[&[0.1, 0.0]]]), vec![Variable::integer(0, 10)], |q| positive(&first(q) - &number("1")))
        }),
        case("ten times the float 0.3 is less than 3", false, {
            about(network(&[&[&[0.3, 0.0]]]), vec![Variable::integer(0, 10)], |q| {
                at_least_zero(&first(q) - &number("3"))
            })
        }),
        case("one third is where the ReLU starts", true, {
            about(kink, vec![Variable::real(r("0"), r("1"))], |q| {
                Formula::all([at_least_zero(-&first(q)), at_least_zero(form(&[(Symbol(0), 3)], -1))])
            })
        }),
        case("2^53 + 1 is not 2^53", false, ask(vec![Variable::integer(1, 2); 2], Vec::new(), |_| zero(large.clone()))),
    ]
}

/// Differences of one between large numbers.
fn large_integers() -> Vec<Case> {
    let top = 1i64 << 40;
    let scaled = |low: i64| {
        let network = network(&[&[&[1_048_576.0, 0.0]], &[&[1.0, 0.0], &[1.0, 1.0]]]);
        about(network, vec![Variable::integer(low, top)], |q| at_least_zero(margin(q)))
    };
    let squared = |low: i64, formula: fn(&Question) -> Formula| {
        let network = Arc::new(network(&[&[&[1_048_577.0, 0.0]], &[&[1_048_577.0, 0.0]]]));
        let inputs = [form(&[(Symbol(0), 1)], 0), form(&[(Symbol(1), 1)], 0)];
        let applications = inputs.map(|input| apply(&network, [input])).to_vec();
        ask(vec![Variable::integer(low, top); 2], applications, formula)
    };
    // Both sides are about 2^80, and 2^20 apart at least.
    let apart = |q: &Question| {
        let difference = &out(q, 0, 0) - &out(q, 1, 0);
        let wanted = &form(&[], 1_048_577) * &int(1_048_577);
        Formula::all([zero(form(&[(Symbol(0), 1), (Symbol(1), -1)], -1)), nonzero(&difference - &wanted)])
    };
    vec![
        case("2^20 x is less than 2^20 x + 1", false, scaled(top - 3)),
        case("2^20 x is less than 2^20 x + 1, on all of 0 to 2^40", false, scaled(0)),
        case("the difference of neighbours is a constant", false, squared(top - 20, apart)),
    ]
}

fn cases() -> Vec<Case> {
    [cancellation(), ties(), extremes(), fractions(), large_integers()].into_iter().flatten().collect()
}

/// How many points the reference can enumerate here.
const ENUMERABLE: u64 = 1000;

/// Asks an oracle everything; `hard` is for what cannot be enumerated.
fn hostile(name: &str, oracle: &mut dyn Oracle, hard: bool) {
    let mut faults = Vec::new();
    for case in cases() {
        if !hard && points(&case.question) > ENUMERABLE {
            continue;
        }
        let answer = oracle.decide(&case.question, &generous());
        if let Some(complaint) = fault(&case.question, &answer, case.sat) {
            faults.push(format!("{name} on '{}': {complaint}\n{}", case.name, show(&case.question)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The points of the integer variables.
fn points(question: &Question) -> u64 {
    let integers = question.variables.iter().filter(|variable| variable.kind == Kind::Integer);
    integers.map(|v| (&v.upper - &v.lower).to_i64().unwrap() as u64 + 1).product()
}

#[test]
fn floats_are_wrong() {
    let cases = cases();
    let right: Vec<&str> = cases.iter().filter(|c| naive(&c.question) == c.sat).map(|c| c.name).collect();
    assert!(right.is_empty(), "these are not hostile: {right:#?}");
}

#[test]
fn the_reference_is_right() {
    hostile("reference", &mut Reference::new(), false);
}

#[test]
fn branch_and_bound_is_right() {
    hostile("branch and bound", &mut BranchAndBound::new(Options::default()), true);
}
