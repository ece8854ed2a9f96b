//! Runs of a program that answers, crashes, hangs and prints garbage; experiments that are interrupted, resumed and contradicted.

#![cfg(unix)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{Place, read};
use serde_json::{Value, json};
use surefoot_experiments::{Bench, Error, Measured, Options, Report, Run, find};
use surefoot_limits::{Cancel, Limits, Stop};
use surefoot_verdict::{Event, Reporter, Silent};

const TWO: &str = r#"{"name": "a", "domain": "blocksworld", "width": 16, "verdict": "holds"},
    {"name": "b", "domain": "blocksworld", "probabilistic": true, "filter": true}"#;

/// Answers as an engine that is right.
const RIGHT: &str = r#"case "$engine" in
bmc) answer '"unknown"' 1 ',"open_errors":{"what":"x","because":"y"}'; exit 3;;
*) case "$1" in bounds) answer null 0.25 ',"value":{"lo":0,"hi":"1/8"}';; *) answer '"holds"' 0.5 '';; esac; exit 0;;
esac"#;

fn carry_out(place: &Place, options: Options, limits: Limits, reporter: &dyn Reporter) -> Result<Report, Error> {
    let bench = Bench::open("agreement", options, &place.program(), limits, reporter)?;
    find("agreement")?.carry_out(&bench)
}

fn agreement(place: &Place) -> Result<Report, Error> {
    carry_out(place, place.options(), Limits::default(), &Silent)
}

/// A run of the program by itself.
fn run(place: &Place, engine: &str, time_limit: f64) -> (Measured, f64) {
    let run = Run {
        question: None,
        arguments: ["verify", "m", "--engine", engine].map(str::to_owned).to_vec(),
        inputs: Vec::new(),
        time_limit,
        memory_limit: None,
        watch: surefoot_experiments::events::Watch::Nothing,
        grace: Duration::from_millis(200),
        broken: None,
        by: surefoot_experiments::run::By::Itself,
    };
    let begun = Instant::now();
    let folder = place.folder.path();
    let measured = run.make(&place.program(), folder, &Limits::default()).expect("nothing ends it");
    (measured, begun.elapsed().as_secs_f64())
}

#[test]
fn whatever_a_program_does_is_a_row() {
    let place = Place::new(
        r#"case "$engine" in
crash) kill -SEGV $$;;
hang) exec sleep 60;;
garbage) echo 'not json'; exit 0;;
torn) echo '{"tool":"surefoot","statistics":{},'; exit 0;;
foreign) echo '{"tool":"other","statistics":{},"verdict":"holds"}'; exit 0;;
two) answer '"violated"' 1 ''; exit 0;;
code) echo 'error: out of luck' >&2; exit 77;;
refuse) echo 'notice: x' >&2; echo 'error: no such thing' >&2; exit 2;;
silent) exit 0;;
work) i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; answer '"holds"' 1 ''; exit 0;;
esac"#,
        "",
    );
    for (engine, word, why) in [
        ("crash", "crashed", "signal"),
        ("garbage", "garbage", "no result"),
        ("torn", "garbage", "no result"),
        ("foreign", "garbage", "no result of this program"),
        ("two", "garbage", "no result of this program"),
        ("code", "crashed", "out of luck"),
        ("refuse", "refused", "error: no such thing"),
        ("silent", "garbage", "no result"),
    ] {
        let (measured, _) = run(&place, engine, 30.0);
        assert_eq!(measured.word(), word, "{engine}: {measured:?}");
        assert!(measured.why().contains(why), "{engine}: {measured:?}");
        assert!(!measured.is_decided() && measured.value().is_none(), "{engine}");
    }
    let (measured, seconds) = run(&place, "hang", 0.1);
    assert_eq!((measured.word(), measured.why()), ("killed", "it did not end at its limit of time"));
    assert!((0.3..20.0).contains(&seconds) && measured.wall >= 0.3, "{seconds} {measured:?}");
    let (measured, _) = run(&place, "work", 60.0);
    assert!(measured.is_decided() && measured.wall > 0.0, "{measured:?}");
    if cfg!(target_os = "linux") {
        assert!(measured.cpu > Some(0.0) && measured.peak > Some(100_000) && measured.load.is_some(), "{measured:?}");
    }
    // Nothing is left of the runs.
    let left = std::fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["calls", "index.json", "program"]);
}

/// Solvers that a run began end with it: when it is ended, and when it ends and leaves them.
#[test]
#[cfg(target_os = "linux")]
fn nothing_that_a_run_began_outlives_it() {
    let place = Place::new(
        r#"sleep 300 & echo $! > child
case "$engine" in hang) wait;; *) answer '"holds"' 1 ''; exit 0;; esac"#,
        "",
    );
    for (engine, word) in [("hang", "killed"), ("leave", "holds")] {
        let (measured, _) = run(&place, engine, 0.3);
        assert_eq!(measured.word(), word, "{measured:?}");
        let child = read(&place.folder.path().join("child"));
        let stat = format!("/proc/{}/stat", child.trim());
        let is_gone = || {
            let stat = std::fs::read_to_string(&stat).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, fields)| fields.starts_with('Z'))
        };
        let begun = Instant::now();
        while !is_gone() {
            assert!(begun.elapsed() < Duration::from_secs(10), "{engine}: process {child} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn crashes_do_not_stop_the_others() {
    let cases = format!("case \"$engine\" in cegar) kill -SEGV $$;; esac\n{RIGHT}");
    let place = Place::new(&cases, TWO);
    let report = agreement(&place).unwrap();
    let page = report.page();
    assert!(page.contains("| a | 4 Blocks | 16 | off | holds, 0.500 s | crashed, "), "{page}");
    assert_eq!(report.tables[1].len(), 1);
    assert_eq!(place.calls().len(), 9);
}

#[test]
fn contradictions_name_both_command_lines() {
    let cases = format!("case \"$engine\" in cegar) answer '\"violated\"' 1 ''; exit 1;; esac\n{RIGHT}");
    let place = Place::new(&cases, r#"{"name": "a", "domain": "blocksworld"}"#);
    for jobs in [1, 3] {
        let options = Options { jobs, ..place.options() };
        let error = carry_out(&place, options, Limits::default(), &Silent).unwrap_err();
        assert!(matches!(error, Error::Contradiction { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains("--engine cegar --threads 1 --time-limit 60 said violated"), "{message}");
        assert!(message.contains("said holds") && message.contains("instances/a/model.jani"), "{message}");
    }
    // What was finished is kept all the same, and contradicts again.
    assert!(matches!(agreement(&place), Err(Error::Contradiction { .. })));
    // What the set records counts as well.
    let place = Place::new(RIGHT, r#"{"name": "a", "domain": "blocksworld", "verdict": "violated"}"#);
    let message = agreement(&place).unwrap_err().to_string();
    assert!(message.contains("what the benchmark set records"), "{message}");
}

/// Interrupts when it has been told so often.
struct Impatient {
    left: AtomicUsize,
    cancel: Cancel,
}

impl Reporter for Impatient {
    fn tell(&self, event: &dyn Event) {
        assert!(event.line().contains("agreement: "), "{}", event.line());
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.cancel.stop(Stop::Interrupted);
        }
    }
}

#[test]
fn an_interrupted_experiment_goes_on() {
    let place = Place::new(RIGHT, TWO);
    let limits = Limits::default();
    let impatient = Impatient { left: AtomicUsize::new(4), cancel: limits.cancel.clone() };
    let error = carry_out(&place, place.options(), limits, &impatient).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert_eq!(place.calls().len(), 3);
    // As if the machine had gone down while the third run was being written.
    let journal = place.out().join("journal.jsonl");
    let text = read(&journal);
    assert_eq!(text.lines().count(), 3);
    std::fs::write(&journal, &text[..text.len() - 20]).unwrap();
    let bench = Bench::open("agreement", place.options(), &place.program(), Limits::default(), &Silent).unwrap();
    let resumed = find("agreement").unwrap().carry_out(&bench).unwrap();
    assert_eq!(bench.counts(), (7, 2));
    assert_eq!(place.calls().len(), 3 + 7);
    drop(bench);
    // Nothing is run again, and the pages are the same.
    assert_eq!(agreement(&place).unwrap().page(), resumed.page());
    assert_eq!(place.calls().len(), 10);
    // Other limits are other runs.
    let options = Options { time_limit: Some(7.0), ..place.options() };
    carry_out(&place, options, Limits::default(), &Silent).unwrap();
    assert_eq!(place.calls().len(), 19);
    // So is another program.
    let program = read(&place.program());
    place.program_is(&(program + "\n# newer\n"));
    agreement(&place).unwrap();
    assert_eq!(place.calls().len(), 28);
}

#[test]
fn tables_of_a_fixed_journal_are_these_whatever_the_jobs() {
    let place = Place::new(RIGHT, TWO);
    agreement(&place).unwrap();
    let journal = place.out().join("journal.jsonl");
    let fixed: Vec<String> = read(&journal)
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            for (member, value) in
                [("wall", json!(2.0)), ("cpu", json!(0.125)), ("peak", json!(4096)), ("load", json!(0.5))]
            {
                record["run"][member] = value;
            }
            record.to_string() + "\n"
        })
        .collect();
    std::fs::write(&journal, fixed.concat()).unwrap();
    for jobs in [1, 4] {
        let report = carry_out(&place, Options { jobs, ..place.options() }, Limits::default(), &Silent).unwrap();
        let written = report.write(&place.out(), "agreement").unwrap();
        assert_eq!((written.files.len(), written.rows), (3, 2));
        assert_eq!(read(&place.out().join("agreement.md")), include_str!("golden/agreement.md"));
        assert_eq!(read(&place.out().join("agreement_verdicts.csv")), include_str!("golden/agreement_verdicts.csv"));
    }
}

#[test]
fn instances_are_chosen_by_name() {
    let place = Place::new(RIGHT, TWO);
    let options = Options { only: vec!["b".to_owned()], ..place.options() };
    let report = carry_out(&place, options, Limits::default(), &Silent).unwrap();
    assert_eq!((report.tables[0].len(), report.tables[1].len()), (0, 1));
    assert!(report.page().contains("There are no rows."));
}
