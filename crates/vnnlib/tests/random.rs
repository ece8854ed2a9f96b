//! Random files: those that mean something mean the same as a plain evaluation; those that are broken break nothing.

mod common;

use std::fmt::Write;

use common::{holds, number, try_read};
use surefoot_fixtures::{Random, seeds};
use surefoot_num::Rational;

const INPUTS: usize = 2;
const SYMBOLS: usize = 4;
const BOX: i64 = 3;

/// A term as text, with its value at a point.
fn term(random: &mut Random, point: &[Rational], depth: usize) -> (String, Rational) {
    let leaf = depth == 0 || random.percent(30);
    if leaf && random.percent(60) {
        let symbol = random.below(SYMBOLS);
        return (name(symbol), point[symbol].clone());
    }
    if leaf {
        let (digits, scale) = (random.between(-30, 30), random.below(2));
        let value = format!("{digits}e-{scale}").parse().expect("a number");
        return (format!("{digits}e-{scale}"), value);
    }
    let (left, a) = term(random, point, depth - 1);
    let (right, b) = term(random, point, depth - 1);
    match random.below(6) {
        0 => (format!("(+ {left} {right})"), &a + &b),
        5 => (format!("(* {left} {right} 3)"), &(&a * &b) * &Rational::from(3)),
        1 => (format!("(- {left} {right})"), &a - &b),
        2 => (format!("(- {left})"), -&a),
        3 => (format!("(* -2 {left})"), &a * &Rational::from(-2)),
        _ => (format!("(let ((t {left})) (+ t {right} t))"), &(&a + &a) + &b),
    }
}

fn name(symbol: usize) -> String {
    if symbol < INPUTS { format!("X_{symbol}") } else { format!("Y_{}", symbol - INPUTS) }
}

/// A condition as text, with its truth at a point.
fn condition(random: &mut Random, point: &[Rational], depth: usize) -> (String, bool) {
    if depth == 0 || random.percent(30) {
        let bound = random.percent(40);
        let (left, a) = if bound {
            let symbol = random.below(INPUTS);
            (name(symbol), point[symbol].clone())
        } else {
            term(random, point, 2)
        };
        let (right, b) = if bound {
            let value = random.between(-BOX, BOX);
            (value.to_string(), Rational::from(value))
        } else {
            term(random, point, 2)
        };
        let op = random.word(&["<=", "<", ">=", ">", "=", "distinct"]);
        let truth = match op {
            "<=" => a <= b,
            "<" => a < b,
            ">=" => a >= b,
            ">" => a > b,
            "=" => a == b,
            _ => a != b,
        };
        return (format!("({op} {left} {right})"), truth);
    }
    let (left, a) = condition(random, point, depth - 1);
    let (right, b) = condition(random, point, depth - 1);
    match random.below(5) {
        0 => (format!("(and {left} {right})"), a && b),
        1 => (format!("(or {left} {right})"), a || b),
        2 => (format!("(not {left})"), !a),
        3 => (format!("(=> {left} {right})"), !a || b),
        _ => (format!("(let ((c {left})) (or (and c {right}) (not c)))"), b || !a),
    }
}

fn file(conditions: &[String]) -> String {
    let mut text = String::from("; random\n");
    for symbol in 0..SYMBOLS {
        let _ = writeln!(text, "(declare-const {} Real)", name(symbol));
    }
    for input in 0..INPUTS {
        let _ = writeln!(text, "(assert (and (>= X_{input} -{BOX}) (<= X_{input} {BOX})))");
    }
    for condition in conditions {
        let _ = writeln!(text, "(assert {condition})");
    }
    text
}

#[test]
fn a_property_holds_where_its_text_does() {
    let mut true_somewhere = 0;
    for seed in seeds(0, 1500) {
        let mut random = Random::new(seed);
        let half = |n: i64| Rational::new(n, 2).expect("not zero");
        let point: Vec<Rational> = (0..SYMBOLS).map(|_| half(random.between(-2 * BOX, 2 * BOX))).collect();
        let conditions: Vec<(String, bool)> = (0..2).map(|_| condition(&mut random, &point, 3)).collect();
        let expected = conditions.iter().all(|(_, truth)| *truth);
        let text = file(&conditions.into_iter().map(|(text, _)| text).collect::<Vec<_>>());
        let property = try_read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(holds(&property, &point), expected, "seed {seed} at {point:?}\n{text}\n{property:?}");
        true_somewhere += usize::from(expected);
    }
    assert!(true_somewhere > 100, "{true_somewhere}");
}

#[test]
fn broken_files_are_errors_and_never_panics() {
    const TWO: &str =
        "(vnnlib-version <2.0>) (declare-network f (declare-input X real [1,2]) (declare-output Y real [2]))
        (assert (and (<= 0.0 X[0,0]) (<= X[0,0] 1.0) (== X[0,1] 2.0)))
        (assert (or (<= Y[0] Y[1]) (>= (* 2.0 Y[1]) X[0,1])))";
    const PARTS: [&str; 24] = [
        "(",
        ")",
        "()",
        "[",
        "]",
        "\"",
        "|",
        ";",
        "\n",
        " ",
        "X_0",
        "Y_9",
        "1e5000",
        "-",
        "/",
        "0",
        "(let ((a b)) c)",
        "<2.0>",
        "(not",
        "(- )",
        "é",
        "\u{0}",
        "X[0,0]",
        "99999999999999999999",
    ];
    let (mut errors, mut fine) = (0, 0);
    for seed in seeds(0, 4000) {
        let mut random = Random::new(seed);
        let point = vec![Rational::ZERO; SYMBOLS];
        let mut text = if random.percent(30) {
            TWO.to_owned()
        } else {
            file(&[condition(&mut random, &point, 3).0, condition(&mut random, &point, 2).0])
        };
        for _ in 0..1 + random.below(3) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let end = text.ceil_char_boundary((at + random.below(12)).min(text.len()));
            match random.below(4) {
                0 => text.replace_range(at..end, ""),
                1 => text.insert_str(at, random.word(&PARTS)),
                2 => text.replace_range(at..end, random.word(&PARTS)),
                _ => {
                    let copy = text[at..end].to_owned();
                    let to = text.floor_char_boundary(random.below(text.len() + 1));
                    text.insert_str(to, &copy);
                }
            }
        }
        match try_read(&text) {
            Ok(_) => fine += 1,
            Err(error) => {
                assert!(error.contains(" --> p.vnnlib:"), "seed {seed}: {error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 1000 && fine > 100, "{errors} errors, {fine} fine");
}

/// On a thread with little stack, as engines use them.
fn with_little_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(check).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn nesting_is_no_danger() {
    with_little_stack(|| {
        const DEEP: usize = 100_000;
        let nested = |open: &str, inner: &str, close: &str| {
            let condition = format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP));
            try_read(&common::one_by_one(&format!("(assert {condition})")))
        };
        assert!(nested("(not ", "(<= Y_0 0)", ")").is_ok());
        assert!(nested("(and ", "(<= Y_0 0)", ")").is_ok());
        assert!(nested("(and true (or false ", "(<= Y_0 0)", "))").is_ok());
        let alternating = nested("(and (<= Y_0 1) (or (<= Y_0 2) ", "(<= Y_0 0)", "))").expect_err("too deep");
        assert!(alternating.contains("alternate more than"), "{alternating}");
        assert!(nested("(<= 0 (+ 1 ", "Y_0", "))").is_err());
        let sum = format!("(assert (<= 0 {}Y_0{}))", "(+ Y_0 ".repeat(DEEP), ")".repeat(DEEP));
        assert!(try_read(&common::one_by_one(&sum)).is_ok());
        assert!(nested("(let ((a ", "1", ")) (<= Y_0 a))").is_err());
        assert!(try_read(&"(".repeat(DEEP)).is_err());
    });
}

/// Thirty thousand lets, inside the body and inside the term of one another: each is looked at a few times, not thirty
/// thousand times.
#[test]
fn many_lets_are_read_at_once() {
    const MANY: usize = 30_000;
    let started = std::time::Instant::now();
    let (mut bodies, mut terms, mut names) = (String::new(), String::new(), String::new());
    for i in 0..MANY {
        let _ = write!(bodies, "(let ((a{i} (+ Y_0 {i}))) ");
        let _ = write!(terms, "(let ((a{i} ");
        let _ = write!(names, ")) a{})", MANY - 1 - i);
    }
    let closing = ")".repeat(MANY);
    for condition in [format!("{bodies}(<= a0 0){closing}"), format!("{terms}(<= Y_0 0){names}")] {
        let property = try_read(&common::one_by_one(&format!("(assert {condition})"))).expect("well-formed");
        let at = |y: &str| holds(&property, &[Rational::ZERO, number(y)]);
        assert!(at("0") && !at("1/2"));
    }
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn short_texts_do_not_grow_without_end() {
    let (mut text, mut closing) = (String::from("(let ((a0 (or (<= Y_0 0) (<= X_0 0)))) "), String::from(")"));
    for i in 1..60 {
        let _ = write!(text, "(let ((a{i} (and (or a{0} (<= Y_0 {i})) a{0}))) ", i - 1);
        closing.push(')');
    }
    let error = try_read(&common::one_by_one(&format!("(assert {text} a59 {closing})"))).expect_err("2^60 conditions");
    assert!(error.contains("too large when written out"), "{error}");
    let power = format!("(assert (<= Y_0 {}1{}))", "(* 1e4000 ".repeat(2_000), ")".repeat(2_000));
    let error = try_read(&common::one_by_one(&power)).expect_err("8 million digits");
    assert!(error.contains("too many digits"), "{error}");
}
