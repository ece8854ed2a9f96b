//! `--oracle`: other people's solvers, and what a verdict owes them.

mod common;

use std::path::{Path, PathBuf};

use common::Folder;
use common::page::data;
use serde_json::Value;
use surefoot_fixtures::python_with;

/// The Python that has all packages.
fn python() -> Option<PathBuf> {
    let packages = ["z3", "cvc5", "highspy", "maraboupy"];
    packages
        .map(|package| python_with(env!("CARGO_MANIFEST_DIR"), package))
        .into_iter()
        .collect::<Option<Vec<_>>>()?
        .pop()
}

fn example(name: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join(file);
    path.to_str().expect("UTF-8").to_owned()
}

/// Exit code and result object, of a run that may warn that there is no certificate.
fn run(folder: &Folder, args: &[&str]) -> (i32, Value) {
    let ran = folder.run(&[args, &["--json", "-", "--quiet"]].concat());
    assert!(ran.err.is_empty() || ran.err.contains("there is no certificate") || ran.code == 2, "{}", ran.err);
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| Value::from(ran.err)))
}

/// `abstract` of the parking cart, with more options.
fn parking(folder: &Folder, more: &[&str]) -> (i32, Value) {
    let file = |file| example("parking", file);
    let (model, properties, predicates) = (file("model.jani"), file("properties.jani"), file("predicates.json"));
    let args = ["abstract", &model, "--properties", &properties, "--predicates", &predicates];
    run(folder, &[&args, more].concat())
}

fn figures(object: &Value) -> [u64; 4] {
    ["start_states", "reachable_states", "unsafe_states", "transitions"]
        .map(|key| object["statistics"][key].as_u64().expect("a number"))
}

/// What is assumed of solvers.
fn words(object: &Value) -> Vec<&str> {
    let texts = object["assumptions"].as_array().expect("a list").iter().filter_map(Value::as_str);
    texts.filter(|text| text.contains("is right where it says")).collect()
}

#[test]
fn the_papers_methods_by_the_papers_solvers_find_what_the_built_in_one_finds() {
    let Some(python) = python() else { return };
    let (folder, python) = (Folder::new(), python.to_str().expect("UTF-8"));
    let (code, truth) = parking(&folder, &[]);
    assert_eq!((code, truth["verdict"].as_str()), (0, Some("holds")));
    assert!(words(&truth).is_empty());
    for (method, oracle, names) in [
        ("pa+bb", "paper", &["Marabou 2", "Z3 "][..]),
        ("pa+relaxed+smt", "paper", &["Marabou 2", "Z3 "]),
        ("pa+bb", "highs", &["HiGHS 1"]),
        ("pa+relaxed+smt", "cvc5", &["cvc5 1"]),
        ("builtin", "marabou", &["Marabou 2"]),
        ("builtin", "z3", &["Z3 "]),
    ] {
        let more = ["--method", method, "--oracle", oracle, "--python", python, "--certify"];
        let (code, found) = parking(&folder, &more);
        assert_eq!((code, found["verdict"].as_str()), (0, Some("holds")), "{method} by {oracle}: {found}");
        assert_eq!(figures(&found), figures(&truth), "{method} by {oracle}");
        let assumed = words(&found);
        assert_eq!(assumed.len(), names.len(), "{assumed:?}");
        assert!(assumed.iter().zip(names).all(|(text, name)| text.starts_with(name)), "{assumed:?}");
        assert!(found["certificate"].is_null(), "{found}");
        let why = found["no_certificate"].as_str().expect("a reason");
        assert!(why.contains("rests on the word of others"), "{why}");
        assert!(found["engine"].as_str().expect("an engine").contains(" by "), "{}", found["engine"]);
    }
}

/// Refinement and paths: a proof names the solver, a run rests on nobody.
#[test]
fn refinement_and_paths_ask_solvers_too() {
    let Some(python) = python() else { return };
    let (folder, python) = (Folder::new(), python.to_str().expect("UTF-8"));
    let verify = |name: &str, engine: &str, oracle: &str| {
        let (model, properties) = (example(name, "model.jani"), example(name, "properties.jani"));
        let args = ["verify", &model, "--properties", &properties, "--engine", engine];
        let args = [&args[..], &["--oracle", oracle, "--python", python, "--certify"]].concat();
        run(&folder, &args)
    };
    let (code, proof) = verify("lift", "cegar", "marabou");
    assert_eq!(code, 0, "{proof}");
    assert!(words(&proof)[0].starts_with("Marabou 2"), "{proof}");
    assert!(proof["certificate"].is_null() && proof["no_certificate"].is_string(), "{proof}");
    let (code, run) = verify("reservoir", "bmc", "z3");
    assert_eq!(code, 1, "{run}");
    assert!(words(&run).is_empty(), "{run}");
}

/// What is said of safety where there is no verdict is their word too; a limit that is met while they start is a limit.
#[test]
fn what_is_left_open_rests_on_them_as_well() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let (model, properties) = (example("lift", "model.jani"), example("lift", "properties.jani"));
    let python = python.to_str().expect("UTF-8");
    let asked = ["verify", &model, "--properties", &properties, "--python", python];
    let (code, open) = run(&folder, &[&asked[..], &["--engine", "bmc", "--oracle", "z3", "--max-depth", "2"]].concat());
    assert_eq!((code, &open["verdict"]), (3, &Value::from("unknown")), "{open}");
    assert!(words(&open).iter().any(|text| text.starts_with("Z3 ")), "{open}");
    let (code, late) =
        run(&folder, &[&asked[..], &["--engine", "cegar", "--oracle", "marabou", "--time-limit", "0.01"]].concat());
    assert_eq!((code, &late["verdict"]), (3, &Value::from("unknown")), "{late}");
    assert!(late["reason"].as_str().is_some_and(|reason| reason.contains("time limit")), "{late}");
}

/// What a solver does instead of answering is the reason of an unknown verdict.
#[cfg(unix)]
#[test]
fn solvers_that_misbehave_decide_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    for (then, reason) in [
        ("read line; exit 5", "Marabou crashed: the process ended (exit status: 5)"),
        ("read line; echo unsat; sleep 9", "Marabou gave an answer that cannot be used: it said \"unsat\""),
        ("sleep 60", "the time limit of 2 s was reached"),
    ] {
        folder.write("python3", &format!("#!/bin/sh\necho '{{\"version\": \"0\"}}'\n{then}\n"));
        let path = folder.path().join("python3");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let python = path.to_str().expect("UTF-8");
        let more = ["--method", "pa+bb", "--oracle", "marabou", "--python", python, "--time-limit", "2"];
        let (code, found) = parking(&folder, &more);
        assert_eq!((code, found["reason"].as_str()), (3, Some(reason)), "{found}");
    }
    // One that says that nothing satisfies anything is named.
    folder.write(
        "python3",
        "#!/bin/sh\necho '{\"version\": \"0\"}'\nwhile read line; do echo '{\"status\": \"unsat\"}'; done\n",
    );
    let path = folder.path().join("python3");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let ran =
        parking(&folder, &["--method", "pa+bb", "--oracle", "marabou", "--python", path.to_str().expect("UTF-8")]);
    assert!(ran.0 == 2 && ran.1.to_string().contains("this rests on the word of Marabou 0"), "{ran:?}");
    // One that is not there.
    let (code, missing) = parking(&folder, &["--oracle", "z3", "--python", "/nowhere/python3"]);
    assert_eq!(code, 2, "{missing}");
}

#[test]
fn a_page_proves_nothing_by_the_word_of_others() {
    let Some(python) = python() else { return };
    let (folder, python) = (Folder::new(), python.to_str().expect("UTF-8"));
    let (model, properties) = (example("lift", "model.jani"), example("lift", "properties.jani"));
    let verify =
        ["verify", &model, "--properties", &properties, "--engine", "cegar", "--quiet", "--report", "page.html"];
    let decided = "was decided in exact or outward-rounded arithmetic";
    for (more, ours) in [(&[][..], true), (&["--oracle", "z3", "--python", python], false)] {
        let ran = folder.run(&[&verify, more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let page = data(&folder.read("page.html"));
        assert_eq!(page["verdict"]["rests"].to_string().contains(decided), ours);
        // Regions are listed of invariants that were proved.
        assert_eq!(page["invariant"]["regions"].as_array().is_some_and(|regions| !regions.is_empty()), ours);
        assert_eq!(
            page["invariant"]["what"].as_str().is_some_and(|what| what.starts_with("Under the assumptions")),
            !ours
        );
    }
}
