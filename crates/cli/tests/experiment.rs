//! `zoo experiment`: every experiment in its quick version on a tiny benchmark set, and what its tables say.

mod common;
#[path = "experiment/others.rs"]
mod others;

use std::collections::BTreeMap;
use std::process::Stdio;

use common::Folder;
use serde_json::{Value, json};

/// Blocks that cannot drop, blocks that drop by chance, a car, a truck whose packages drop: each with a random network that the set names.
const INSTANCES: [(&str, &str, &[&str]); 4] = [
    ("still", "blocksworld", &["blocks=3", "failure=never"]),
    ("drops", "blocksworld", &["blocks=3", "drop=on", "policy_seed=5"]),
    ("car", "racetrack", &["map=barto-small"]),
    ("truck", "transport", &["length=3", "packages=2", "drop=on", "policy_seed=4"]),
];

/// A folder with a benchmark set.
fn set() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().join("set/policies")).expect("folders");
    let mut instances = Vec::new();
    for (name, domain, settings) in INSTANCES {
        let out = format!("made/{name}");
        let width = if name == "car" { 16 } else { 8 };
        let hidden = format!("hidden={width},{width}");
        let args = [&["zoo", "generate", domain], settings, &["policy=random", &hidden, "--out", &out]].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let network = format!("policies/{name}.nnet");
        let bytes = std::fs::read(folder.path().join(&out).join("policy.nnet")).expect("a network");
        std::fs::write(folder.path().join("set").join(&network), bytes).expect("a copy");
        let property = if name == "car" { json!("no-crash") } else { json!("unsafe") };
        let settings: Vec<&&str> = settings.iter().filter(|setting| !setting.starts_with("policy")).collect();
        instances.push(json!({
            "name": name, "set": "trained", "domain": domain, "size": "", "settings": settings, "width": width,
            "costs": if domain == "blocksworld" { json!("aware") } else { Value::Null }, "filter": false,
            "probabilistic": name == "drops" || name == "truck", "property": property, "options": [], "network": network,
            "training": if name == "still" { json!(["--steps", "300", "--hidden", "8,8", "--seed", "3", "--runs", "50"]) } else { Value::Null },
            "rates": {"goal": 0.0, "unsafe": 0.0, "stopped": 1.0}, "verdict": null, "value": null,
        }));
    }
    folder.write_json("set/index.json", &json!({"format": 1, "instances": instances}));
    folder
}

/// Carries an experiment out quickly; its result object.
fn experiment(folder: &Folder, name: &str, more: &[&str]) -> Value {
    let args = [&["zoo", "experiment", name, "--quick", "--set", "set/index.json", "--out", name], more].concat();
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["command"]), (0, &json!("zoo experiment")), "{object}");
    assert_eq!(object["experiments"][0]["name"], name);
    for file in object["report"]["files"].as_array().expect("files") {
        let text = folder.read(&format!("{name}/{}", file.as_str().expect("a name")));
        assert!(!text.is_empty() && !text.contains("NaN"), "{file}");
    }
    object
}

/// The rows of a table, by column.
fn rows(folder: &Folder, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = folder.read(file);
    let mut lines = text.lines().map(cells);
    let names = lines.next().expect("a line of names");
    lines.map(|cells| names.iter().cloned().zip(cells).collect()).collect()
}

/// The cells of a line of CSV.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("a cell").push(c),
        }
    }
    cells
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

#[test]
fn engines_agree_and_nothing_is_run_twice() {
    let folder = set();
    let object = experiment(&folder, "agreement", &["--time-limit", "20"]);
    assert_eq!((&object["report"]["made"], &object["report"]["kept"]), (&json!(18), &json!(0)));
    // The truth, by visiting all states.
    let mut truth = BTreeMap::new();
    for row in rows(&folder, "agreement/agreement_verdicts.csv") {
        assert!(row["decided by"].starts_with("4 of 4") || row["instance"] == "car", "{row:?}");
        truth.insert(row["instance"].clone(), row["explicit"].split(',').next().expect("a word").to_owned());
    }
    assert_eq!(truth.len(), 2);
    for (name, said) in &truth {
        let model = format!("agreement/instances/{name}/model.jani");
        let property = if name == "car" { "no-crash" } else { "unsafe" };
        let (_, object) = folder.run_json(&["verify", &model, "--engine", "explicit", "--property", property]);
        assert_eq!(object["verdict"], json!(said), "{name}");
    }
    let chances = rows(&folder, "agreement/agreement_probabilities.csv");
    assert_eq!(chances.iter().map(|row| &*row["instance"]).collect::<Vec<_>>(), ["drops", "truck"]);
    // Exactly 31/250 and 1/10.
    assert!(chances[0]["explicit"].starts_with("[0.124, 0.124]"), "{chances:?}");
    assert!(chances[1]["explicit"].starts_with("[0.1000, 0.100]"), "{chances:?}");
    let page = folder.read("agreement/agreement.md");
    let again = experiment(&folder, "agreement", &["--time-limit", "20", "--jobs", "2"]);
    assert_eq!((&again["report"]["made"], &again["report"]["kept"]), (&json!(0), &json!(18)));
    assert_eq!(folder.read("agreement/agreement.md"), page);
}

#[test]
fn what_the_set_records_wrongly_is_a_contradiction() {
    let folder = set();
    let mut index = folder.read_json("set/index.json");
    index["instances"][1]["value"] = json!([0.999, 1.0]);
    folder.write_json("set/index.json", &index);
    let args =
        ["zoo", "experiment", "agreement", "--quick", "--set", "set/index.json", "--out", "none", "--only", "dorps"];
    let nothing = folder.run(&args);
    assert_eq!(nothing.code, 2);
    assert!(nothing.err.contains("no instance of this experiment has \"dorps\" in its name"), "{}", nothing.err);
    assert!(!folder.path().join("none/agreement.md").exists());
    let ran = folder.run(&["zoo", "experiment", "agreement", "--quick", "--set", "set/index.json", "--only", "drops"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(
        ran.err.contains(
            "two answers about drops contradict each other: what the benchmark set records of it; surefoot bounds"
        ),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("surefoot bounds instances/drops/model.jani --properties"), "{}", ran.err);
    index["instances"][1]["value"] = json!([1.0, 0.0]);
    folder.write_json("index.json", &index);
    let ran = folder.run(&["zoo", "experiment", "agreement", "--quick", "--set", "index.json"]);
    assert!(ran.code == 2 && ran.err.contains("no interval of probabilities"), "{}", ran.err);
    // The runs up to there are kept in the default folder.
    assert!(folder.read("experiments/agreement/journal.jsonl").lines().count() >= 1);
}

#[test]
fn abstractions_are_built_by_all_methods() {
    let folder = set();
    for (name, file, points) in [("ppa-predicates", "ppa_predicates", 2), ("ppa-starts", "ppa_starts", 2)] {
        let object = experiment(&folder, name, &[]);
        assert_eq!(object["report"]["made"], 10, "{object}");
        let rows = rows(&folder, &format!("{name}/{file}.csv"));
        assert_eq!(rows.len(), 5 * points);
        let methods: Vec<&str> = rows[..5].iter().map(|row| &*row["method"]).collect();
        assert_eq!(methods, ["builtin", "pa", "pa+relaxed", "pa+bb", "pa+relaxed+smt"]);
        for row in &rows {
            assert_eq!((&*row["policy"], &*row["width"]), ("of the set", "16"), "{row:?}");
            assert!(["yes", "no"].contains(&&*row["complete"]) && number(&row["seconds"]) > 0.0, "{row:?}");
            // Without the policy there are at least as many states; exact methods agree.
            let same: Vec<&BTreeMap<String, String>> = rows
                .iter()
                .filter(|other| {
                    (&other["predicates"], &other["start_states"]) == (&row["predicates"], &row["start_states"])
                })
                .filter(|other| other["complete"] == "yes")
                .collect();
            let states =
                |method: &str| same.iter().find(|row| row["method"] == method).map(|row| number(&row["states"]));
            if let (Some(ours), Some(all)) = (states("builtin"), states("pa")) {
                assert!(ours <= all, "{row:?}");
            }
            if let (Some(ours), Some(theirs)) = (states("builtin"), states("pa+bb")) {
                assert_eq!(ours, theirs, "{row:?}");
            }
        }
        let page = folder.read(&format!("{name}/{name}.md"));
        assert!(
            page.contains("there are no numbers to set beside ours") && !page.contains("which must not be"),
            "{page}"
        );
    }
}

#[test]
fn strategies_are_compared_over_seeds() {
    let folder = set();
    experiment(&folder, "cegar", &["--time-limit", "10"]);
    let rows = rows(&folder, "cegar/cegar.csv");
    let presets: Vec<&str> = rows.iter().map(|row| &*row["preset"]).collect();
    assert_eq!(presets, ["explain", "vea-w", "bsverix-w", "explicit"]);
    let (_, truth) = folder.run_json(&["verify", "cegar/instances/still/model.jani", "--engine", "explicit"]);
    let verdict = truth["verdict"].as_str().expect("it is decided");
    for row in &rows {
        assert_eq!(row["runs"], if row["preset"] == "explicit" { "1" } else { "2" }, "{row:?}");
        assert_eq!(row[verdict], row["runs"], "{row:?}");
        assert!(number(&row["seconds_min"]) <= number(&row["seconds_mean"]), "{row:?}");
        assert!(number(&row["proof_seconds_mean"]) <= number(&row["seconds_mean"]) + 1e-9, "{row:?}");
    }
    let page = folder.read("cegar/cegar.md");
    assert!(page.contains("not comparable one to one") && page.contains("| 3 Blocks (CA) | 8 | off |"), "{page}");
}

#[test]
fn intervals_and_single_bounds_fit_together() {
    let folder = set();
    experiment(&folder, "probabilistic", &["--time-limit", "10"]);
    let derived = rows(&folder, "probabilistic/probabilistic.csv");
    assert_eq!(derived.len(), 2);
    for row in &derived {
        assert!(number(&row["lower"]) <= number(&row["auto_upper"]) + 1e-12, "{row:?}");
        assert!(number(&row["auto_lower"]) <= number(&row["upper"]) + 1e-12, "{row:?}");
    }
    experiment(&folder, "bounds", &["--time-limit", "10"]);
    let bounds = rows(&folder, "bounds/bounds.csv");
    assert_eq!(bounds.iter().map(|row| &*row["p_u"]).collect::<Vec<_>>(), ["0", "0.1", "0.5"]);
    for row in &bounds {
        let (lower, upper, bound) = (number(&row["lower"]), number(&row["upper"]), number(&row["p_u"]));
        match &*row["p_u alone"] {
            "holds" => assert!(lower <= bound, "{row:?}"),
            "violated" => assert!(upper > bound, "{row:?}"),
            other => assert_eq!(other, "unknown"),
        }
        assert!(!["holds", "violated"].contains(&&*row["incremental"]) || number(&row["seconds incremental"]) > 0.0);
    }
    // The probability is 0.124: near to it the paper's algorithm may take longer than a test.
    for column in ["p_u alone", "incremental"] {
        let said: Vec<&str> = bounds.iter().map(|row| &*row[column]).collect();
        assert!(said[0] == "violated" && ["violated", "unknown"].contains(&said[1]) && said[2] == "holds", "{said:?}");
    }
    experiment(&folder, "prob-overhead", &["--time-limit", "10"]);
    for row in rows(&folder, "prob-overhead/prob_overhead.csv") {
        assert_eq!((&row["states"], &*row["reason"]), (&row["states without"], ""), "{row:?}");
        assert!(number(&row["ratio"]) > 0.0, "{row:?}");
    }
}

#[test]
fn training_again_gives_the_same_network() {
    let folder = set();
    // The set's own network is a random one.
    experiment(&folder, "training", &["--time-limit", "60"]);
    let row = &rows(&folder, "training/training.csv")[0];
    assert_eq!((&*row["instance"], &*row["network"], &*row["steps"]), ("still", "differs", "300"), "{row:?}");
    assert!(folder.read("training/training.md").contains("Networks that differ from those of the set: still"));
    // Now the one that was trained is the set's.
    let trained = std::fs::read(folder.path().join("training/trained/still/policy.nnet")).expect("it was trained");
    std::fs::write(folder.path().join("set/policies/still.nnet"), trained).expect("it can be replaced");
    std::fs::remove_dir_all(folder.path().join("training")).expect("it can be removed");
    experiment(&folder, "training", &["--time-limit", "60"]);
    let row = &rows(&folder, "training/training.csv")[0];
    assert_eq!(&*row["network"], "the same", "{row:?}");
    assert!((0.0..=1.0).contains(&number(&row["stopped"])), "{row:?}");
}

#[test]
fn interrupted_experiments_go_on() {
    let folder = set();
    let args = ["zoo", "experiment", "agreement", "--set", "set/index.json", "--out", "a", "--time-limit", "20"];
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let journal = folder.path().join("a/journal.jsonl");
    let lines = || std::fs::read_to_string(&journal).unwrap_or_default().lines().count();
    while lines() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let status = child.wait().expect("it ends");
    // It may have been faster than the signal.
    assert!(matches!(status.code(), Some(0 | 3)), "{status}");
    let before = lines();
    assert!((2..=18).contains(&before), "{before}");
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["report"]["kept"]), (0, &json!(before)), "{object}");
    assert_eq!(object["report"]["made"], json!(18 - before));
}

#[test]
fn experiments_are_listed_and_mistakes_named() {
    let folder = Folder::new();
    let (code, object) = folder.run_json(&["zoo", "experiment"]);
    let names: Vec<&str> =
        object["experiments"].as_array().expect("a list").iter().filter_map(|e| e["name"].as_str()).collect();
    assert_eq!(code, 0);
    let all = ["ppa-predicates", "ppa-starts", "cegar", "probabilistic", "bounds", "prob-overhead"];
    let more = ["model-checkers", "frozenlake", "verticalcas", "training", "agreement"];
    assert_eq!(names, [&all[..], &more].concat());
    let ran = folder.run(&["zoo", "experiment", "cegr"]);
    assert!(ran.code == 2 && ran.err.contains("there is no experiment \"cegr\""), "{}", ran.err);
    let ran = folder.run(&["zoo", "experiment", "cegar"]);
    assert!(ran.code == 2 && ran.err.contains("benchmarks/index.json") && ran.err.contains("--set"), "{}", ran.err);
    folder.write("broken.json", "{\"format\": 1,\n \"instances\": [{}]}");
    let ran = folder.run(&["zoo", "experiment", "cegar", "--set", "broken.json"]);
    assert!(ran.code == 2 && ran.err.contains("broken.json") && ran.err.contains("line 2"), "{}", ran.err);
    assert!(!folder.path().join("experiments").exists());
}
