//! Questions written by hand, one or a few per feature, with verdicts by reasoning.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_network::{Network, Normalisation};
use surefoot_oracle::{Question, Ties, Variable};

use super::{affine, apply, ask, at_least_zero, form, int, network, nonzero, out, positive, r, zero};

/// A question whose answer is known.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) question: Question,
    pub(crate) sat: bool,
}

fn case(name: &'static str, sat: bool, question: Question) -> Case {
    Case { name, question, sat }
}

/// The outputs `x`, `-x` and 0.
fn signs() -> Arc<Network> {
    Arc::new(network(&[&[&[1.0, 0.0], &[-1.0, 0.0]], &[&[1.0, -1.0, 0.0], &[-1.0, 1.0, 0.0], &[0.0, 0.0, 0.0]]]))
}

/// The absolute value.
fn absolute() -> Arc<Network> {
    Arc::new(network(&[&[&[1.0, 0.0], &[-1.0, 0.0]], &[&[1.0, 1.0, 0.0]]]))
}

fn x() -> Linear {
    Linear::symbol(Symbol(0))
}

fn integers(count: usize, low: i64, high: i64) -> Vec<Variable> {
    vec![Variable::integer(low, high); count]
}

fn real(low: &str, high: &str) -> Vec<Variable> {
    reals(1, low, high)
}

fn reals(count: usize, low: &str, high: &str) -> Vec<Variable> {
    vec![Variable::real(r(low), r(high)); count]
}

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    [without_network(), boxes(), ties(), filters(), thresholds(), borders(), paths(), normalisations()]
        .into_iter()
        .flatten()
        .collect()
}

fn without_network() -> Vec<Case> {
    let plain = |variables: Vec<Variable>, formula: Formula| ask(variables, Vec::new(), |_| formula.clone());
    let constant = |relation| Formula::Atom(Atom { form: form(&[], 0), relation });
    let (xy, yz, zx) = (
        form(&[(Symbol(0), -1), (Symbol(1), 1)], 0),
        form(&[(Symbol(1), -1), (Symbol(2), 1)], 0),
        form(&[(Symbol(2), -1), (Symbol(0), 1)], 0),
    );
    let cycle = Formula::all([positive(xy.clone()), at_least_zero(yz.clone()), at_least_zero(zx.clone())]);
    let equal = Formula::all(
        [xy, yz, zx].map(at_least_zero).into_iter().chain([nonzero(form(&[(Symbol(0), 1), (Symbol(2), -1)], 0))]),
    );
    let parity = zero(form(&[(Symbol(0), 2), (Symbol(1), -2)], -1));
    let clauses = Formula::all([
        Formula::any([zero(form(&[(Symbol(0), 1)], -1)), zero(form(&[(Symbol(0), 1)], -4))]),
        Formula::any([
            zero(form(&[(Symbol(0), 1)], -2)),
            Formula::all([positive(x()), zero(form(&[(Symbol(0), 1)], -4))]),
        ]),
    ]);
    let clash = Formula::all([clauses.clone(), nonzero(form(&[(Symbol(0), 1)], -4))]);
    let hole = Formula::all([nonzero(form(&[(Symbol(0), 2)], -1)), nonzero(form(&[(Symbol(0), 3)], -1))]);
    let squeezed = Formula::all([
        hole.clone(),
        at_least_zero(form(&[(Symbol(0), 6)], -2)),
        at_least_zero(form(&[(Symbol(0), -6)], 3)),
    ]);
    let third = zero(form(&[(Symbol(0), 3)], -1));
    vec![
        case("nothing asked of nothing", true, plain(Vec::new(), Formula::truth())),
        case("the false asked of nothing", false, plain(Vec::new(), Formula::falsity())),
        case("0 >= 0", true, plain(Vec::new(), constant(Relation::AtLeastZero))),
        case("0 > 0", false, plain(integers(1, 0, 1), constant(Relation::Positive))),
        case("0 = 0", true, plain(real("0", "1"), constant(Relation::Zero))),
        case("0 != 0", false, plain(real("0", "1"), constant(Relation::NonZero))),
        case("a strict cycle of integers", false, plain(integers(3, 0, 9), cycle.clone())),
        case("a strict cycle of reals", false, plain(reals(3, "0", "1000000"), cycle)),
        case("a cycle that forces equality", false, plain(integers(3, 0, 5), equal.clone())),
        case("the same over reals", false, plain(reals(3, "0", "1000000"), equal)),
        case("2x - 2y = 1 over integers", false, plain(integers(2, -9, 9), parity.clone())),
        case("2x - 2y = 1 over reals", true, plain(reals(2, "-9", "9"), parity)),
        case("clauses that agree on 4", true, plain(integers(1, 0, 9), clauses.clone())),
        case("clauses that agree on 4, over reals", true, plain(real("0", "9"), clauses)),
        case("clauses that agree on 4, which is excluded", false, plain(real("0", "9"), clash)),
        case("[1/3, 1/2] without its ends", true, plain(real("0", "1"), squeezed)),
        case("1/3 is the only point, and it is excluded", false, plain(real("1/3", "1/3"), hole)),
        case("an integer third", false, plain(integers(1, 0, 9), third.clone())),
        case("a real third", true, plain(real("0", "9"), third)),
    ]
}

fn boxes() -> Vec<Case> {
    let positive_output = |question: &Question| at_least_zero(out(question, 0, 0));
    let asked = |variable: Variable| ask(vec![variable], vec![apply(&absolute(), [x()])], positive_output);
    let integer = |low: &str, high: &str| Variable { lower: r(low), upper: r(high), ..Variable::integer(0, 0) };
    let beside = |variables: Vec<Variable>| ask(variables, vec![apply(&absolute(), [x()])], positive_output);
    vec![
        case("an empty range of integers", false, asked(Variable::integer(1, 0))),
        case("an empty range of reals", false, asked(Variable::real(r("0.2"), r("0.1")))),
        case("no integer between thirds", false, asked(integer("1/3", "2/3"))),
        case("one integer between thirds", true, asked(integer("-1/3", "1/3"))),
        case("one integer", true, asked(Variable::integer(7, 7))),
        case("one real", true, asked(Variable::real(r("0.1"), r("0.1")))),
        case(
            "an empty range that nothing mentions",
            false,
            beside(vec![Variable::integer(0, 1), integer("0.1", "0.9")]),
        ),
        case(
            "an empty range after a long one",
            false,
            beside(vec![Variable::integer(0, 1 << 40), Variable::integer(3, 2)]),
        ),
    ]
}

fn ties() -> Vec<Case> {
    let twins = Arc::new(network(&[&[&[1.0, 0.5]], &[&[0.1, 0.3], &[0.1, 0.3], &[0.1, 0.3]]]));
    let chosen = |network: &Arc<Network>, variables: Vec<Variable>, label: usize, ties: Ties| {
        ask(variables, vec![apply(network, [x()])], |q| q.chosen(0, label, &ties, |_| Formula::truth()))
    };
    let only_zero = || integers(1, 0, 0);
    let within = |distance: &str| Ties::Within(r(distance));
    vec![
        case("the first of equals is chosen", true, chosen(&twins, integers(1, -3, 3), 0, Ties::First)),
        case("the second of equals is not", false, chosen(&twins, integers(1, -3, 3), 1, Ties::First)),
        case("the second of equals is not, over reals", false, chosen(&twins, real("-3", "3"), 1, Ties::First)),
        case("any of equals may be", true, chosen(&twins, integers(1, -3, 3), 2, Ties::Any)),
        case("any of equals may be, over reals", true, chosen(&twins, real("-3", "3"), 2, Ties::Any)),
        case("a tie at one point, first wanted", true, chosen(&signs(), only_zero(), 0, Ties::First)),
        case("a tie at one point, last wanted", false, chosen(&signs(), only_zero(), 2, Ties::First)),
        case("a tie at one point, any", true, chosen(&signs(), only_zero(), 2, Ties::Any)),
        case("zero is the only real where 0 is largest", true, chosen(&signs(), real("-1", "1"), 2, Ties::Any)),
        case("and there it is not the first", false, chosen(&signs(), real("-1", "1"), 2, Ties::First)),
        case("within 2 of the largest", true, chosen(&signs(), integers(1, 2, 9), 2, within("2"))),
        case("not within 1.9 of it", false, chosen(&signs(), integers(1, 2, 9), 2, within("1.9"))),
        case("within 1.9 of it, over reals", true, chosen(&signs(), real("1.9", "9"), 2, within("1.9"))),
        case("just not within 1.9 of it", false, chosen(&signs(), real("1.9000001", "9"), 2, within("1.9"))),
    ]
}

fn filters() -> Vec<Case> {
    // Label 0 beats 2 for x > 0; it may be chosen only where x is at most 3.
    let filtered = |variables: Vec<Variable>, label: usize| {
        ask(variables, vec![apply(&signs(), [x()])], |q| {
            let applicable =
                |k: usize| if k == 0 { at_least_zero(form(&[(Symbol(0), -1)], 3)) } else { Formula::truth() };
            q.chosen(0, label, &Ties::First, applicable)
        })
    };
    let never =
        ask(integers(1, 1, 9), vec![apply(&signs(), [x()])], |q| q.chosen(0, 1, &Ties::First, |_| Formula::falsity()));
    vec![
        case("the runner-up where the best may not be chosen", true, filtered(integers(1, 1, 9), 2)),
        case("the runner-up where the best may be chosen", false, filtered(integers(1, 1, 3), 2)),
        case("the same over reals", false, filtered(real("1/7", "3"), 2)),
        case("the runner-up just after", true, filtered(real("1/7", "3.0000001"), 2)),
        case("the worst is never the runner-up", false, filtered(integers(1, 1, 9), 1)),
        case("whatever is left when nothing else may be chosen", true, never),
    ]
}

fn thresholds() -> Vec<Case> {
    let asked = |variables: Vec<Variable>, formula: fn(&Question) -> Formula| {
        ask(variables, vec![apply(&absolute(), [x()])], formula)
    };
    let dead = Arc::new(network(&[&[&[1.0, -100.0]], &[&[7.0, 0.0], &[0.0, 1.0]]]));
    let over = |formula: fn(&Question) -> Formula| ask(integers(1, -9, 100), vec![apply(&dead, [x()])], formula);
    let clause = |q: &Question| {
        let near = at_least_zero(&Linear::constant_form(int(-1)) - &out(q, 0, 0));
        Formula::any([near, positive(&out(q, 0, 0) - &Linear::constant_form(int(5)))])
    };
    vec![
        case("|x| >= 5", true, asked(integers(1, -5, 4), |q| at_least_zero(&out(q, 0, 0) - &form(&[], 5)))),
        case("|x| > 5", false, asked(integers(1, -5, 4), |q| positive(&out(q, 0, 0) - &form(&[], 5)))),
        case(
            "|x| = 1/2 over integers",
            false,
            asked(integers(1, -5, 4), |q| zero(&(&out(q, 0, 0) * &int(2)) - &form(&[], 1))),
        ),
        case(
            "|x| = 1/2 over reals",
            true,
            asked(real("-5", "0"), |q| zero(&(&out(q, 0, 0) * &int(2)) - &form(&[], 1))),
        ),
        case("|x| < x", false, asked(real("-5", "5"), |q| positive(&x() - &out(q, 0, 0)))),
        case("|x| != x", true, asked(integers(1, -1, 5), |q| nonzero(&x() - &out(q, 0, 0)))),
        case("|x| != x where x >= 0", false, asked(real("0", "5"), |q| nonzero(&x() - &out(q, 0, 0)))),
        case("an output in a clause", true, ask(real("0", "5.1"), vec![apply(&absolute(), [x()])], clause)),
        case("an output in a false clause", false, ask(real("-5", "5"), vec![apply(&absolute(), [x()])], clause)),
        case("a dead ReLU", false, over(|q| nonzero(out(q, 0, 0)))),
        case("a dead ReLU's constant", true, over(|q| zero(&out(q, 0, 1) - &form(&[], 1)))),
    ]
}

/// Where one point decides.
fn borders() -> Vec<Case> {
    let touching = |relation: Relation, variables: Vec<Variable>| {
        // |3x - 1| <= 0, or < 0.
        let image = vec![apply(&absolute(), [affine(Symbol(0), "3", "-1")])];
        ask(variables, image, |q| Formula::Atom(Atom { form: -&out(q, 0, 0), relation }))
    };
    let corner = |relation: Relation| {
        let image = vec![apply(&absolute(), [form(&[(Symbol(0), 1), (Symbol(1), 1)], 0)])];
        let variables = vec![Variable::integer(-2, 3), Variable::real(r("0"), r("0.7"))];
        ask(variables, image, |q| {
            let form = &out(q, 0, 0) - &Linear::constant_form(r("3.7"));
            Formula::Atom(Atom { form, relation })
        })
    };
    vec![
        case("|3x - 1| <= 0", true, touching(Relation::AtLeastZero, real("0", "1"))),
        case("|3x - 1| < 0", false, touching(Relation::Positive, real("0", "1"))),
        case("|3x - 1| <= 0 over integers", false, touching(Relation::AtLeastZero, integers(1, -3, 3))),
        case("|3x - 1| <= 0 just beside", false, touching(Relation::AtLeastZero, real("0.3333334", "1"))),
        case("|3x - 1| <= 0 at the end of the range", true, touching(Relation::AtLeastZero, real("1/3", "1"))),
        case("the largest value, at a corner", true, corner(Relation::AtLeastZero)),
        case("more than the largest value", false, corner(Relation::Positive)),
        case("exactly the largest value", true, corner(Relation::Zero)),
    ]
}

/// The policy goes left (0) from positive and right (1) from negative places; after a step the floor moves by a choice.
fn paths() -> Vec<Case> {
    let policy = signs();
    let walk = |choices: Variable, rest: fn(&Question) -> Formula| {
        let steps = vec![apply(&policy, [x()]), apply(&policy, [form(&[(Symbol(0), 1), (Symbol(1), 1)], -1)])];
        ask(vec![Variable::integer(-5, 5), choices], steps, |q| {
            let first = q.chosen(0, 0, &Ties::First, |_| Formula::truth());
            let second = q.chosen(1, 1, &Ties::First, |_| Formula::truth());
            Formula::all([positive(x()), first, second, rest(q)])
        })
    };
    vec![
        case(
            "left, then right, when the floor may move back",
            true,
            walk(Variable::integer(-1, 1), |_| Formula::truth()),
        ),
        case("left, then right, when it does not", false, walk(Variable::integer(0, 1), |_| Formula::truth())),
        case("with a real choice", true, walk(Variable::real(r("-0.1"), r("1")), |_| Formula::truth())),
        case("with a real choice, from 2", false, {
            walk(Variable::real(r("-0.1"), r("1")), |_| at_least_zero(form(&[(Symbol(0), 1)], -2)))
        }),
        case(
            "outputs of two steps compared",
            true,
            walk(Variable::integer(-2, 1), |q| zero(&out(q, 0, 0) - &out(q, 1, 1))),
        ),
    ]
}

fn normalisations() -> Vec<Case> {
    let thirds = |scale: &str, offset: &str| Normalisation::new(vec![r(scale)], vec![r(offset)]).unwrap();
    let plain = network(&[&[&[1.0, 0.0], &[-1.0, 0.0]], &[&[1.0, 1.0, 0.0]]]);
    let input = Arc::new(plain.clone().with_input_normalisation(thirds("1/3", "-1/7")).unwrap());
    let output = Arc::new(plain.with_output_normalisation(thirds("-1/3", "0.1")).unwrap());
    let asked = |network: &Arc<Network>, variables: Vec<Variable>, formula: fn(&Question) -> Formula| {
        ask(variables, vec![apply(network, [x()])], formula)
    };
    vec![
        case("|x/3 - 1/7| = 0 at 3/7", true, asked(&input, real("0", "1"), |q| zero(out(q, 0, 0)))),
        case("|x/3 - 1/7| = 0 over integers", false, asked(&input, integers(1, -9, 9), |q| zero(out(q, 0, 0)))),
        case(
            "|x/3 - 1/7| > 6/7 at 3 or -3",
            true,
            asked(&input, integers(1, -3, 3), |q| positive(&out(q, 0, 0) - &Linear::constant_form(r("6/7")))),
        ),
        case(
            "|x/3 - 1/7| > 8/7 at 3 or -3",
            false,
            asked(&input, integers(1, -3, 3), |q| positive(&out(q, 0, 0) - &Linear::constant_form(r("8/7")))),
        ),
        case(
            "-|x|/3 + 1/10 = -7/30 at 1",
            true,
            asked(&output, integers(1, 0, 3), |q| zero(&out(q, 0, 0) + &Linear::constant_form(r("7/30")))),
        ),
        case(
            "-|x|/3 + 1/10 > 1/10",
            false,
            asked(&output, real("-3", "3"), |q| positive(&out(q, 0, 0) - &Linear::constant_form(r("0.1")))),
        ),
    ]
}
