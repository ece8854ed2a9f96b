//! What is read, and what is said about what is not.

mod common;

use common::{holds, number, one_by_one, try_read};
use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_vnnlib::{Names, assignment};

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
    (declare-network f (declare-input X Real [1, 2] \"in\") (declare-output Y real []))
    (assert (and (<= -1 X[0,0]) (<= X[0,0] 1) (<= 0 X [0, 1]) (<= X[0,1] 4)))
    (assert (or (== Y X[0,1]) (!= Y (- X[0,0]))))";

#[test]
fn version_two_with_one_network() {
    let property = try_read(TWO).unwrap();
    assert_eq!(property.inputs, [(number("-1"), number("1")), (number("0"), number("4"))]);
    assert_eq!(property.outputs, 1);
    assert!(matches!(&property.names, Names::Tensors { network, .. } if network == "f"));
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
        (one_by_one("(assert (<= (* X_0 Y_0) 1))"), "2:13", "a product of two variables is not linear"),
        (one_by_one("(assert (<= (/ 1 X_0) 1))"), "2:13", "a quotient by a variable is not linear"),
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
        (two("declare-output", "declare-hidden"), "2:60", "declare-hidden is not supported"),
        (two("<= X[0,0] 1", "<= X[0,1] 1"), "2:5", "the input X[0,0] has no upper bound"),
    ] {
        let error = try_read(&text).expect_err(&text);
        assert!(error.contains(&format!("p.vnnlib:{place}\n")), "{place}: {error}");
        assert!(error.contains(message), "{message}: {error}");
    }
}
