//! What is read, and what is said about what is not.

mod common;

use common::{holds, number, one_by_one, try_read};
use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_vnnlib::{Kinship, assignment};

/// The values of `Y_0` among -2, -1, ..., 2 that satisfy the conditions for `X_0 = 1/2`.
fn outputs(conditions: &str) -> Vec<i64> {
    let property = try_read(&one_by_one(conditions)).unwrap_or_else(|error| panic!("{error}"));
    let at = |y: &i64| holds(&property, &[number("1/2"), Rational::from(*y)]);
    (-2..=2).filter(at).collect()
}

#[test]
fn every_operator_means_what_it_says() {
    for (condition, expected) in [
        ("(<= Y_0 0)", &[-2, -1, 0][..]),
        ("(< Y_0 0)", &[-2, -1]),
        ("(>= Y_0 1)", &[1, 2]),
        ("(> Y_0 1)", &[2]),
        ("(= Y_0 1)", &[1]),
        ("(== Y_0 1.0)", &[1]),
        ("(distinct Y_0 1)", &[-2, -1, 0, 2]),
        ("(distinct 1 Y_0 2)", &[-2, -1, 0]),
        ("(not (distinct 1 Y_0 2))", &[1, 2]),
        ("(!= Y_0 1)", &[-2, -1, 0, 2]),
        ("(<= 0 Y_0 1)", &[0, 1]),
        ("(not (<= 0 Y_0 1))", &[-2, -1, 2]),
        ("(not (= Y_0 0))", &[-2, -1, 1, 2]),
        ("(and (<= Y_0 1) (>= Y_0 0))", &[0, 1]),
        ("(and)", &[-2, -1, 0, 1, 2]),
        ("(or)", &[]),
        ("(or (<= Y_0 -2) (>= Y_0 2))", &[-2, 2]),
        ("(not (or (<= Y_0 -2) (>= Y_0 2)))", &[-1, 0, 1]),
        ("(=> (>= Y_0 0) (>= Y_0 2))", &[-2, -1, 2]),
        ("(=> (>= Y_0 0) (<= Y_0 1) (= Y_0 0))", &[-2, -1, 0, 2]),
        ("(not (=> (>= Y_0 0) (>= Y_0 2)))", &[0, 1]),
        ("true", &[-2, -1, 0, 1, 2]),
        ("(not true)", &[]),
        ("(<= Y_0 (* 2 X_0))", &[-2, -1, 0, 1]),
        ("(<= Y_0 (- X_0))", &[-2, -1]),
        ("(<= (- Y_0 X_0 0.5) 0)", &[-2, -1, 0, 1]),
        ("(= (/ Y_0 4) X_0)", &[2]),
        ("(= (/ 4 2 2) Y_0)", &[1]),
        ("(= (* 2 Y_0 (+ 1 1)) (+ X_0 X_0 X_0 (+ X_0 (+ X_0 X_0)) 1))", &[1]),
        ("(<= Y_0 1e-3)", &[-2, -1, 0]),
        ("(<= Y_0 15E-1)", &[-2, -1, 0, 1]),
        ("(>= Y_0 3/2)", &[2]),
        ("(let ((a (+ X_0 X_0)) (b (> Y_0 0))) (and b (<= Y_0 a)))", &[1]),
        ("(let ((a 1)) (let ((a 2) (b a)) (= Y_0 (- a b b))))", &[0]),
        ("(= Y_0 (let ((a 1)) (+ a a)))", &[2]),
        ("(let ((b (> Y_0 0))) (not b))", &[-2, -1, 0]),
        ("(let ((a (let ((c (<= Y_0 0))) c))) a)", &[-2, -1, 0]),
        ("(let ((a (let ((c 1)) c))) (= Y_0 a))", &[1]),
        ("(let ((a (let ((c (let ((d (> Y_0 1))) d))) c))) a)", &[2]),
        ("(let ((c (> Y_0 0))) (let ((a (let ((c 1)) c))) (and c (= Y_0 a))))", &[1]),
        ("(let ((c 1)) (let ((a (let ((c (> Y_0 c))) c))) a))", &[2]),
        ("(let ((c (> Y_0 0))) (let ((a (let ((b c)) b))) a))", &[1, 2]),
        ("(let ((a (let ((c (< Y_0 0))) (let ((d c) (c 1)) d)))) a)", &[-2, -1]),
        ("(let ((c 1)) (and (let ((c (< Y_0 2))) c) (= Y_0 c)))", &[1]),
    ] {
        assert_eq!(outputs(&format!("(assert {condition})")), expected, "{condition}");
    }
}

#[test]
fn the_box_is_the_hull_of_all_disjuncts() {
    let text = "; boxes inside a disjunction, as some benchmarks have them
        (set-logic QF_LRA)
        (declare-fun X_0 () Real)(declare-fun X_1 () Real)(declare-fun Y_0 () Real)
        (assert (<= X_1 0.5)) (assert (> X_1 -3))
        (assert (or (and (>= X_0 0.1) (<= (* 2 X_0) 0.4) (>= Y_0 0))
                    (and (= X_0 -1) (<= Y_0 0))
                    (and (>= X_0 7) (<= X_0 6))))
        (check-sat)";
    let property = try_read(text).unwrap();
    assert_eq!(property.inputs, [(number("-1"), number("1/5")), (number("-3"), number("1/2"))]);
    let at = |x0: &str, x1: &str, y: &str| holds(&property, &[number(x0), number(x1), number(y)]);
    assert!(at("0.15", "0", "1") && at("-1", "0.5", "-1"));
    assert!(!at("0", "0", "1"), "between the boxes");
    assert!(!at("0.15", "-3", "1"), "a strict bound stays strict");
}

#[test]
fn a_box_says_what_the_formula_need_not() {
    let property = try_read(&one_by_one("(assert (>= Y_0 X_0))")).unwrap();
    assert!(matches!(property.formula, Formula::Atom(_)), "{:?}", property.formula);
    assert!(try_read(&one_by_one("")).unwrap().formula.is_truth());
    let impossible = try_read(&one_by_one("(assert (>= X_0 2))")).unwrap();
    assert!(impossible.formula.is_falsity() && impossible.contradictory == Some(0));
    let impossible = try_read(&one_by_one("(assert (or (>= X_0 2) (<= X_0 -2)))")).unwrap();
    assert!(!impossible.formula.eval(&|_| Rational::ZERO) && impossible.contradictory.is_none());
    let parts = "(assert (or (and (>= X_0 2) (<= X_0 1)) (and (>= X_0 4) (<= X_0 3))))";
    assert_eq!(try_read(&one_by_one(parts)).unwrap().contradictory, Some(0));
    let fine = try_read(&one_by_one("(assert (or (and (>= X_0 2) (<= X_0 1)) (>= Y_0 3)))")).unwrap();
    assert!(!fine.formula.is_falsity() && fine.contradictory.is_none());
    assert_eq!(try_read(&one_by_one("(assert (or))")).unwrap().contradictory, None);
}

const TWO: &str = "(vnnlib-version <2.0>)
    (declare-network f (declare-input X Real [1, 2] \"in\") (declare-output Y real [] \"out\"))
    (assert (and (<= -1 X[0,0]) (<= X[0,0] 1) (<= 0 X [0, 1]) (<= X[0,1] 4)))
    (assert (or (== Y X[0,1]) (!= Y (- X[0,0]))))";

#[test]
fn version_two_with_one_network() {
    let property = try_read(TWO).unwrap();
    assert_eq!(property.inputs, [(number("-1"), number("1")), (number("0"), number("4"))]);
    assert_eq!(property.outputs, 1);
    let [network] = property.names.networks() else { panic!("{:?}", property.names) };
    assert_eq!((&*network.name, network.inputs[0].onnx.as_deref()), ("f", Some("in")));
    assert!(holds(&property, &[number("1"), number("2"), number("2")]));
    assert!(!holds(&property, &[number("1"), number("2"), number("-1")]));
    assert_eq!(assignment(&property, &[0.5, 2.0], &[-1.0]), "X real [1,2]\n0.5\n2\nY real []\n-1\n");
}

#[test]
fn counterexamples_of_version_one() {
    let property = try_read(&one_by_one("")).unwrap();
    assert_eq!(assignment(&property, &[0.5], &[-1.25]), "((X_0 0.5)\n (Y_0 -1.25))\n");
}

#[test]
fn mistakes_are_told_with_their_place_and_advice() {
    let two = |from: &str, to: &str| TWO.replace(from, to);
    for (text, place, message) in [
        (one_by_one("(assert (<= X_1 0))"), "2:13", "X_1 is not declared"),
        (one_by_one("(assert (<= X_1 0))"), "2:13", "help: the file declares X_0 to X_0 and Y_0 to Y_0"),
        (one_by_one("(assert (=< Y_0 0))"), "2:10", "help: did you mean <=?"),
        (one_by_one("(assert (≥ Y_0 0))"), "2:10", "help: did you mean >=?"),
        (one_by_one("(assert (<> Y_0 0))"), "2:10", "help: did you mean distinct?"),
        (one_by_one("(assert (<= Y_0))"), "2:10", "<= needs at least 2 arguments, found 1"),
        (one_by_one("(assert (<= Y_0))"), "2:10", "help: write (<= X_0 1)"),
        (one_by_one("(assert (=> true))"), "2:10", "help: write (=> (<= X_0 1) (<= Y_0 1))"),
        (one_by_one("(assert (<= 0 (*)))"), "2:16", "help: write (* X_0 1)"),
        (one_by_one("(assert (not))"), "2:10", "help: write (not (<= X_0 1))"),
        (one_by_one("(assert Y_0)"), "2:9", "expected a condition such as (<= X_0 1), found Y_0"),
        (one_by_one("(assert (<= Y_0 (and true)))"), "2:18", "expected a number, but and gives something else"),
        (one_by_one("(assert (+ Y_0 1))"), "2:10", "expected a condition, but + gives something else"),
        (one_by_one("(assert (<= (/ 1 X_0) 1))"), "2:13", "quotients by variables are not supported"),
        (one_by_one("(assert (<= (/ 1 0) 1))"), "2:13", "division by zero"),
        (one_by_one("(assert (<= (/ 1 0) 1))"), "2:13", "help: divide by a number other than 0"),
        (one_by_one("(assert (<= Y_0 1/0))"), "2:17", "1/0 has the denominator zero\n"),
        (one_by_one("(assert (<= Y_0 1e99999999999999999999))"), "2:17", "99 is beyond 5000\n"),
        (one_by_one(&format!("(assert (<= Y_0 0.{}))", "1".repeat(5001))), "2:17", "more than 5000 digits after the"),
        (one_by_one("(assert (<= Y_0 1.2.3))"), "2:17", "1.2.3 is not a number"),
        (one_by_one("(assert (<= Y_0 1/2/3))"), "2:17", "1/2/3 is not a number"),
        (one_by_one("(assert (<= Y_0 1e99999))"), "2:17", "1e99999"),
        (one_by_one("(assert (<= Y_0 (abs X_0)))"), "2:18", "abs is not supported"),
        (one_by_one("(asert (<= Y_0 1))"), "2:2", "help: did you mean assert?"),
        (one_by_one("(assert (<= Y_0 1)"), "2:1", "this parenthesis is never closed"),
        (one_by_one("(assert (<= Y_0 1) true)"), "2:1", "expected one condition in assert"),
        (one_by_one("hello"), "2:1", "expected a command in parentheses"),
        (one_by_one("(push 1)"), "2:2", "the command push is not supported"),
        (one_by_one("(declare-const Z Real)"), "2:16", "Z names neither an input nor an output"),
        (one_by_one("(declare-const X_0 Real)"), "2:16", "X_0 is declared twice"),
        (one_by_one("(declare-const X_0 Real)"), "2:16", "help: remove one of the declarations"),
        (one_by_one("(declare-const X_1 Int)"), "2:20", "variables of type Int are not supported"),
        (one_by_one("(declare-const X_2 Real)"), "2:16", "X_2 is declared, but X_1 is not"),
        (one_by_one("(declare-const X_1 Real)"), "2:16", "the input X_1 has no bounds"),
        (one_by_one("(declare-const X_1 Real)\n(assert (>= X_1 0))"), "2:16", "the input X_1 has no upper bound"),
        (one_by_one("(declare-const X_1 Real)\n(assert (or (= X_1 0) (= Y_0 1)))"), "2:16", "in every part of an or"),
        (String::new(), "1:1", "the file declares no input"),
        ("(declare-const X_0 Real)".to_owned(), "1:1", "the file declares no output"),
        (two("<2.0>", "<3.0>"), "1:17", "VNN-LIB <3.0> is not supported"),
        (two("Real", "float32"), "2:41", "help: write real instead of float32"),
        (two("[0,0]", "[0,2]"), "3:25", "index 2 is out of range"),
        (two("[0,0]", "[0]"), "3:25", "X needs 2 indices, found 1"),
        (two("[1, 2]", "[2]"), "3:25", "X needs 1 index, found 2"),
        (two("(== Y ", "(== Y[0] "), "4:21", "Y needs no index, found 1"),
        (two("[0,0]", "[0,a]"), "3:25", "a is no index"),
        (two("X[0,0]", "Z[0,0]"), "3:25", "Z[0,0] is not declared"),
        (two("declare-output", "declare-hidden"), "2:60", "declare-hidden is not supported: the node out is inside"),
        (two("(vnnlib-version <2.0>)", ""), "2:5", "help: write (vnnlib-version <2.0>) before everything else"),
        (two("<2.0>", "<1.0>"), "1:1", "networks are declared in version 2.0"),
        (two("<2.0>", "2.0"), "1:17", "expected a version such as <2.0>, found 2.0"),
        (two("Real", "int8"), "2:41", "variables of type int8 are not supported"),
        (two("Real", "banana"), "2:41", "there is no element type banana"),
        (two("X Real [1, 2]", "X Real [1, 0]"), "2:41", "a dimension is 0"),
        (two("X Real", "and Real"), "2:39", "expected a name, found and"),
        (two("X Real", "_X Real"), "2:39", "letters, digits and _"),
        (two(" \"out\"", ""), "2:5", "some inputs and outputs of this network have names"),
        (two("\"in\"", "initialized"), "2:53", "a value in the network file"),
        (two("Y real", "X real"), "2:5", "X is declared twice"),
        (two("(<= X[0,0] 1)", "(<= X[0,0] 1e3)"), "3:44", "1e3 is neither an element nor a number"),
        (two("(<= X[0,0] 1)", "(<= -1 X[0,0] 1)"), "3:34", "<= compares 2 terms in version 2.0, found 3"),
        (two("(<= X[0,0] 1)", "(not (> X[0,0] 1))"), "3:34", "help: carry the negation down"),
        (two("(== Y X", "(= Y X"), "4:18", "help: write =="),
        (two("(== Y X[0,1])", "(== Y 1)"), "4:23", "help: write 1.0"),
        (two("(== Y X[0,1])", "(== 1.5 1)"), "4:25", "1 is an integer, and stands beside real numbers"),
        (two("(== Y X[0,1])", "(== Y (/ X[0,1] 2.0))"), "4:24", "version 2.0 has no operator /"),
        (two("(== Y X[0,1])", "(or)"), "4:18", "or needs at least 1 condition"),
        (two("(== Y X[0,1])", "true"), "4:17", "expected a condition"),
        (two("Y X[0,1]", "Y X[]"), "4:23", "an index is missing"),
        (format!("{TWO}(declare-network g)"), "4:51", "networks are declared before the first assertion"),
        (format!("{TWO}(check-sat)"), "4:51", "there is no command check-sat"),
        (
            "(vnnlib-version <2.0>)(declare-const X_0 Real)(declare-const Y_0 Real)".to_owned(),
            "1:1",
            "declares networks",
        ),
        (TWO.split("(assert").next().unwrap().to_owned(), "1:1", "the file asserts nothing"),
        (two("<= X[0,0] 1", "<= X[0,1] 1"), "2:5", "the input X[0,0] has no upper bound"),
    ] {
        let error = try_read(&text).expect_err(&text);
        assert!(error.contains(&format!("p.vnnlib:{place}\n")), "{place}: {error}");
        assert!(error.contains(message), "{message}: {error}");
    }
}

const PAIR: &str = "(vnnlib-version <2.0>)
(declare-network f (declare-input A real [2]) (declare-input B real []) (declare-output Y real [1,2]))
(declare-network g (equal-to f) (declare-input C real [2]) (declare-input D real []) (declare-output Z real [1,2]))
(assert (and (>= A[0] 0.0) (<= A[0] 1.0) (>= A[1] -2.0) (<= A[1] 2.0) (== B 0.5)))
(assert (== C[0] A[0])) (assert (and (<= C[1] (+ A[1] 0.1)) (>= C[1] (- A[1] 0.1)) (== D (* 2.0 B))))
(assert (or (> (- Y[0,0] Z[0,0]) 0.25) (< (* A[0] C[1] A[0]) (* B Z[0,1]))))";

/// Inputs of all networks come first, then all outputs, then products; bounds follow links between networks.
#[test]
fn networks_share_one_formula() {
    let property = try_read(PAIR).unwrap();
    let [f, g] = property.names.networks() else { panic!("{:?}", property.names) };
    assert_eq!((f.kinship, g.kinship, f.input_len(), g.output_len()), (None, Some(Kinship::EqualTo(0)), 3, 2));
    let interval = |lower: &str, upper: &str| (number(lower), number(upper));
    let expected = [("0", "1"), ("-2", "2"), ("0.5", "0.5"), ("0", "1"), ("-2.1", "2.1"), ("1", "1")];
    assert_eq!(property.inputs, expected.map(|(lower, upper)| interval(lower, upper)));
    assert_eq!(
        (property.outputs, property.input_name(4), property.output_name(3)),
        (4, "C[1]".into(), "Z[0,1]".into())
    );
    // A[0] A[0], then that times C[1]; and B Z[0,1].
    let at = |index: u32| surefoot_linear::Symbol(index);
    assert_eq!(property.products, [(at(0), at(0)), (at(10), at(4)), (at(2), at(9))]);
    let text = assignment(&property, &[1, 2, 3, 4, 5, 6], &[7, 8, 9, 10]);
    assert_eq!(
        text,
        "A real [2]\n1\n2\nB real []\n3\nY real [1,2]\n7\n8\nC real [2]\n4\n5\nD real []\n6\nZ real [1,2]\n9\n10\n"
    );
}

#[test]
fn networks_that_are_not_alike() {
    let pair = |from: &str, to: &str| PAIR.replace(from, to);
    let chained = "(declare-network h (isomorphic-to g) (declare-input E real [2]) (declare-input F real []) \
                   (declare-output W real [1,2]))\n(assert (and";
    for (text, place, message) in [
        (pair("equal-to f", "equal-to h"), "3:30", "there is no network h before this one"),
        (pair("equal-to f", "equal-to g"), "3:30", "there is no network g before this one"),
        (pair("network g (equal-to f)", "network f"), "3:18", "two networks are called f"),
        (pair("C real [2]", "C real [1,2]"), "3:30", "g and f are not alike: their inputs differ"),
        (pair("Z real [1,2]", "Z real [2]"), "3:30", "help: the outputs have the shapes [2], those of f [1,2]"),
        (pair("D real", "B real"), "3:1", "B is declared twice"),
        (PAIR.replacen("(assert (and", chained, 1), "4:35", "g is like another network itself"),
        (
            pair("(equal-to f) (declare-input C real [2])", "(declare-input C real [2]) (equal-to f)"),
            "3:48",
            "too late",
        ),
        (pair("(<= C[1] (+ A[1] 0.1)) ", ""), "3:1", "the input C[1] has no upper bound"),
        (pair("A[0] C[1] A[0]", &"A[0] ".repeat(17)), "6:43", "products of more than 16 factors"),
    ] {
        let error = try_read(&text).expect_err(&text);
        assert!(error.contains(&format!("p.vnnlib:{place}\n")), "{place}: {error}");
        assert!(error.contains(message), "{message}: {error}");
    }
    let isomorphic = try_read(&pair("equal-to f", "isomorphic-to f")).unwrap();
    assert_eq!(isomorphic.names.networks()[1].kinship, Some(Kinship::IsomorphicTo(0)));
}

/// Envelopes of hundreds of products are more than any box can be bounded with in time.
#[test]
fn products_that_are_too_many_are_refused() {
    let declared: String = (0..10).map(|i| format!("(declare-const X_{i} Real)(assert (<= -1 X_{i} 1))")).collect();
    let sum = format!("(+ {})", (0..10).map(|i| format!("X_{i} ")).collect::<String>());
    let power =
        |k: usize| format!("{declared}(declare-const Y_0 Real)(assert (>= (* {}) 1))", format!("{sum} ").repeat(k));
    assert!(try_read(&power(2)).is_ok());
    let error = try_read(&power(4)).unwrap_err().to_string();
    assert!(error.contains("more than 300 different products are not supported"), "{error}");
}
