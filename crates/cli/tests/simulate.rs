//! `simulate`: traces, estimates, threads, and what is refused.

mod common;

use common::{Folder, compare, counter, counter_folder};
use serde_json::{Value, json};

fn with_policy<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(["--policy", "counter.policy.json"]).collect()
}

#[test]
fn traces_are_the_runs_whatever_the_threads() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let mut seen: Vec<(String, String, Value)> = Vec::new();
    for threads in ["1", "2", "5"] {
        let common = ["simulate", "m.jani", "--runs", "200", "--steps", "30", "--seed", "4", "--threads", threads];
        let csv: Vec<&str> = common.iter().copied().chain(["--traces", "t.csv"]).collect();
        let lines: Vec<&str> = common.iter().copied().chain(["--traces", "t.jsonl"]).collect();
        let (code, object) = folder.run_json(&with_policy(&csv));
        assert_eq!(code, 0, "{object}");
        assert_eq!(folder.run(&with_policy(&lines)).code, 0);
        seen.push((folder.read("t.csv"), folder.read("t.jsonl"), object["statistics"].clone()));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "threads do not show");
    let (csv, jsonl, statistics) = &seen[0];
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["run", "step", "action", "end", "x"]);
    assert_eq!(rows.len() as u64 - 1, 200 + statistics["steps"].as_u64().expect("a number"));
    let ends = |word: &str| rows.iter().filter(|row| row[3] == word).count() as u64;
    assert_eq!(statistics["unsafe_runs"], ends("unsafe"));
    assert_eq!(statistics["step_limit_runs"], ends("step-limit"));
    // The same runs, line by line.
    let mut states = rows[1..].iter();
    for (number, line) in jsonl.lines().enumerate() {
        let run: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(run["run"], number);
        for (step, taken) in run["steps"].as_array().expect("steps").iter().enumerate() {
            let row = states.next().expect("a line per state");
            let action = taken["action"].as_str().unwrap_or_default();
            let value = taken["state"]["x"].to_string();
            assert_eq!(row[..3], [&*number.to_string(), &*step.to_string(), action]);
            assert_eq!(row[4], value);
        }
    }
    assert_eq!(states.next(), None);
}

#[test]
fn shares_have_intervals() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let (_, object) = folder.run_json(&with_policy(&["simulate", "m.jani", "--runs", "50", "--steps", "40"]));
    let statistics = &object["statistics"];
    let number = |value: &Value| value.as_f64().expect("a number");
    for (count, share) in [("unsafe_runs", "unsafe_share"), ("stopped_runs", "stopped_share")] {
        let (mean, share) = (number(&statistics[count]) / 50.0, &statistics[share]);
        assert!((number(&share["mean"]) - mean).abs() < 1e-12, "{statistics}");
        assert!(number(&share["lo"]) <= mean && mean <= number(&share["hi"]), "{statistics}");
        assert!(number(&share["hi"]) - number(&share["lo"]) > 0.02, "{statistics}");
    }
    assert_eq!(statistics.get("goal_share"), None, "there is no goal");
    let ran = folder.run(&with_policy(&["simulate", "m.jani", "--runs", "50", "--steps", "40"]));
    assert!(ran.out.contains("% of runs (95 %: ") && ran.out.contains("on average (95 %: "), "{}", ran.out);
    let (_, object) = folder.run_json(&["simulate", "m.jani", "--runs", "0"]);
    assert_eq!(object["statistics"].get("stopped_share"), None, "no runs say nothing");
}

#[test]
fn errors_of_the_model_are_told_with_their_state() {
    let folder = Folder::new();
    let mut model = counter(5, &[]);
    let edge = &mut model["automata"][0]["edges"][0];
    edge["guard"] = json!({"exp": true});
    folder.write_json("m.jani", &model);
    for threads in ["1", "3"] {
        let ran = folder.run(&["simulate", "m.jani", "--threads", threads, "--traces", "t.csv"]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("outside its domain") && ran.err.contains("in the state x=5"), "{}", ran.err);
        assert!(!folder.path().join("t.csv").exists(), "an error leaves no traces");
    }
}

#[test]
fn files_of_traces_say_their_format_and_are_no_other_file() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&["simulate", "m.jani", "--traces", "t.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("give --traces a file whose name ends in .csv or .jsonl"), "{}", ran.err);
    let ran = folder.run(&["simulate", "m.jani", "--traces", "nowhere/t.csv"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no folder nowhere"), "{}", ran.err);
    let ran = folder.run(&["simulate", "m.jani", "--traces", "t.csv", "--json", "t.csv"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
