//! Experiments whose runs meet their limits: larger sizes are not run, and rows say so.

#![cfg(unix)]

mod common;

use common::{Place, read};
use surefoot_experiments::{Bench, Options, Report, find};
use surefoot_limits::Limits;
use surefoot_verdict::Silent;

/// Meets its limit, always; writes what it is to write.
const LATE: &str = r#"case "$1" in
abstract|ctl) echo '{"tool":"surefoot","verdict":"unknown","reason":"the time limit of 1 s was reached","seconds":1,"statistics":{"reachable_states":3}}'; exit 3;;
*) echo text > "$out"; answer null 0 ',"exact":true,"score_error":"0"'; exit 0;;
esac"#;

fn carry_out(place: &Place, name: &'static str, options: Options) -> (Report, usize) {
    let bench = Bench::open(name, options, &place.program(), Limits::default(), &Silent).expect("it opens");
    (find(name).expect("it is there").carry_out(&bench).expect("it is carried out"), bench.counts().0)
}

#[test]
fn formulas_are_not_asked_for_more_steps() {
    let place = Place::new(LATE, "");
    std::fs::create_dir_all(place.folder.path().join("policies/frozenlake")).unwrap();
    let (report, _) = carry_out(&place, "frozenlake", place.options());
    // Two questions, each for one and two steps; the paper's methods need a Python, and are never called.
    let calls = place.calls();
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(calls.iter().all(|call| call.contains("--method auto") && !call.contains("--solver")), "{calls:?}");
    let page = report.page();
    let lines = |what: &str| page.lines().filter(|line| line.contains(what)).count();
    assert_eq!(lines("| not run: 2 smaller ones in a row met their limits | no Python with highspy was given"), 16);
    // The paper's times stand beside them all the same.
    assert!(page.contains("| holds | 3476.08 | 10.33 | 10.3 |"), "{page}");
    let (report, _) = carry_out(&Place::new(LATE, ""), "verticalcas", Place::new(LATE, "").options());
    assert!(report.page().contains("There are no rows.") && report.page().contains("There is no network to ask about"));
}

#[test]
fn abstractions_are_not_built_for_more_predicates() {
    let place = Place::new(LATE, "");
    let options = Options { only: vec!["racetrack_16_".to_owned()], ..place.options() };
    let (report, made) = carry_out(&place, "ppa-predicates", options.clone());
    assert_eq!((made, report.tables[1].len()), (10, 40 * 5));
    assert!(report.page().contains("| 16 | random | 14 | 1 | not run | not run |"), "{}", report.page());
    // With a Python the paper's methods are run by the paper's solvers as well; a relative path is made absolute.
    let python = std::path::PathBuf::from("some/python");
    let (report, made) = carry_out(&place, "ppa-predicates", Options { python: Some(python.clone()), ..options });
    assert_eq!((made, report.tables[1].len()), (8, 40 * 9));
    let theirs: Vec<String> = place.calls().into_iter().filter(|call| call.contains("--oracle paper")).collect();
    let absolute = std::path::absolute(python).unwrap();
    assert_eq!(theirs.len(), 8);
    assert!(theirs.iter().all(|call| call.contains(&format!("--python {}", absolute.display()))), "{theirs:?}");
    let oracles: Vec<String> = report.tables[1].column("oracle").map(|cell| cell.exact()).collect();
    assert_eq!(oracles[..9].iter().filter(|oracle| *oracle == "paper").count(), 4);
}

#[test]
fn storm_is_asked_by_the_script_of_this_crate() {
    let place = Place::new(LATE, r#"{"name": "a", "domain": "blocksworld", "probabilistic": true}"#);
    let (report, _) = carry_out(&place, "model-checkers", place.options());
    let reasons: Vec<String> = report.tables[0].column("reason").map(|cell| cell.exact()).collect();
    assert_eq!(reasons[2..], ["no Python with stormpy was given (--python)"; 4].map(str::to_owned));
    assert!(read(&place.out().join("checkers.py")).contains("import stormpy"));
}
