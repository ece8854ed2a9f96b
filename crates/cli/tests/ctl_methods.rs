//! `ctl` by the paper's procedures: what is said of the solver, programs as files, and no solver at all.

mod common;

use std::path::{Path, PathBuf};

use common::Folder;
use serde_json::Value;
use surefoot_fixtures::python_with;

fn solver() -> Option<PathBuf> {
    python_with(env!("CARGO_MANIFEST_DIR"), "highspy")
}

fn arguments(formula: &str, more: &[&str]) -> Vec<String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thermostat");
    let text = |file: &str| example.join(file).to_str().expect("UTF-8").to_owned();
    let base = ["ctl".to_owned(), text("model.jani"), "--policy".to_owned(), text("thermostat.policy.json")];
    let formula = ["--formula".to_owned(), formula.to_owned()];
    base.into_iter().chain(formula).chain(more.iter().map(|word| (*word).to_owned())).collect()
}

fn run(folder: &Folder, formula: &str, more: &[&str]) -> (i32, Value) {
    folder.run_json(&arguments(formula, more).iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_methods_decide_the_thermostat_and_name_their_solver() {
    let Some(python) = solver() else { return };
    let python = python.to_str().expect("UTF-8");
    let folder = Folder::new();
    for method in ["monolithic", "compositional"] {
        let by = |formula: &str| run(&folder, formula, &["--method", method, "--solver", python, "--jobs", "2"]);
        let (code, object) = by("AG[<=3] temperature <= 22.5");
        assert_eq!((code, object["verdict"].as_str()), (0, Some("holds")), "{object}");
        let engine = object["engine"].as_str().expect("an engine");
        assert!(engine.starts_with(&format!("ctl ({method} MILP")), "{engine}");
        if object["statistics"]["infeasible_programs"].as_u64() != Some(0) {
            assert!(engine.contains("HiGHS") && object["assumptions"].to_string().contains("HiGHS"), "{object}");
        }
        let (code, object) = by("AG[<=4] temperature > 18.5");
        assert_eq!((code, object["verdict"].as_str()), (1, Some("violated")), "{object}");
        // What is shown is exact, whoever found it.
        assert!(object["witness"].is_object() && !object["assumptions"].to_string().contains("HiGHS"), "{object}");
        // A border that only exact arithmetic sees: from 20 it heats, from just above it does not.
        assert_eq!(by("temperature = 20 => AX temperature > 20").0, 0);
        assert_eq!(by("(temperature > 20 & temperature < 20.01) => AX temperature < 20").0, 0);
        assert_eq!(by("AX temperature != 21").0, 1);
    }
}

#[test]
fn programs_are_written_for_other_solvers() {
    let Some(python) = solver() else { return };
    let folder = Folder::new();
    let more = ["--method", "monolithic", "--solver", python.to_str().expect("UTF-8"), "--write-lp", "programs"];
    run(&folder, "EX temperature > 19 & AX EX temperature < 22", &more);
    let text = std::fs::read_to_string(folder.path().join("programs/program-0001.lp")).expect("a program");
    assert!(text.starts_with("Maximize") && text.ends_with("End\n") && text.contains(" -> "), "{text}");
}

#[cfg(unix)]
#[test]
fn programs_are_lost_to_no_other_file_and_stay_in_their_folder() {
    let Some(python) = solver() else { return };
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("lp")).expect("it can be made");
    let formula = "EX temperature > 19 & AX EX temperature < 22";
    let run = |more: &[&str]| {
        let python = python.to_str().expect("UTF-8");
        let base = ["--method", "monolithic", "--solver", python, "--write-lp", "lp"];
        let args = arguments(formula, &[&base[..], more].concat());
        folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let ran = run(&["--json", "lp/program-0001.lp"]);
    assert!(ran.code == 2 && ran.err.contains("lies in the folder of --write-lp"), "{}", ran.err);
    assert!(!folder.path().join("lp/program-0001.lp").exists());
    std::os::unix::fs::symlink("../outside.lp", folder.path().join("lp/program-0001.lp")).expect("it can be made");
    let ran = run(&[]);
    assert!(ran.code == 2 && ran.err.contains("program-0001.lp cannot be written: there is a link"), "{}", ran.err);
    assert!(!folder.path().join("outside.lp").exists());
    std::fs::remove_file(folder.path().join("lp/program-0001.lp")).expect("it is there");
    run(&[]);
    assert!(folder.read("lp/program-0001.lp").starts_with("Maximize"));
}

#[test]
fn without_a_solver_there_is_no_answer() {
    let folder = Folder::new();
    let more = ["--method", "compositional", "--solver", "/nowhere/highs"];
    let args = arguments("AX temperature > 0", &more);
    let ran = folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("no MILP solver was found") && ran.err.contains("--method auto"), "{}", ran.err);
    let args = arguments("AG temperature > 0", &["--method", "monolithic"]);
    let ran = folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 2, "{}", ran.err);
}
