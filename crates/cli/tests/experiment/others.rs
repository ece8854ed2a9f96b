//! Experiments beside other people's programs and networks: HiGHS, Storm, Z3 and Marabou. What is not installed is skipped, but not on the continuous-integration machine.

use serde_json::json;

use super::common::Folder;
use super::{experiment, number, rows, set};

/// A benchmark set that has the repository's networks of some domains.
fn agents(domains: &[&str]) -> Folder {
    let folder = Folder::new();
    for domain in domains {
        let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/policies").join(domain);
        let to = folder.path().join("set/policies").join(domain);
        std::fs::create_dir_all(&to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("networks") {
            let file = entry.expect("a file").path();
            std::fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy");
        }
    }
    folder.write_json("set/index.json", &json!({"format": 1, "instances": []}));
    folder
}

/// Options that name a Python that has a package, and published data, where they are there.
fn others(package: &str) -> Vec<String> {
    let python = surefoot_fixtures::python_with(env!("CARGO_MANIFEST_DIR"), package);
    let data = surefoot_fixtures::shared_data(env!("CARGO_MANIFEST_DIR"));
    let option = |name: &str, path: Option<std::path::PathBuf>| {
        path.map(|path| [name.to_owned(), path.display().to_string()]).into_iter().flatten()
    };
    option("--python", python).chain(option("--data", data)).collect()
}

#[test]
fn agents_are_asked_in_bounded_ctl() {
    let folder = agents(&["frozenlake", "verticalcas"]);
    let more = others("highspy");
    let has = |name: &str| more.iter().any(|word| word == name);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    experiment(&folder, "frozenlake", &more);
    let lake = rows(&folder, "frozenlake/frozenlake.csv");
    assert_eq!(lake.len(), if has("--data") { 12 } else { 6 });
    for row in &lake {
        let truth = if row["question"] == "safe" { "holds" } else { "violated" };
        assert_eq!((&*row["auto_verdict"], &*row["verdict, paper"]), (truth, truth), "{row:?}");
        for method in ["monolithic", "compositional"] {
            let said = &*row[&format!("{method}_verdict")];
            assert_eq!(said, if has("--python") { truth } else { "refused" }, "{row:?}");
        }
        assert_eq!(row["agree"], if has("--python") || row["policy"] == "published" { "yes" } else { "" });
    }
    assert_eq!((&*lake[2]["k"], &*lake[2]["monolithic, paper"], &*lake[2]["Comp-Par, paper"]), ("3", "0.53", "0.12"));
    // The first three verdicts that the domain's page has, by both networks.
    experiment(&folder, "verticalcas", &more);
    let verdicts = rows(&folder, "verticalcas/verticalcas_verdicts.csv");
    let said: Vec<[&str; 4]> =
        verdicts.iter().map(|row| ["policy", "climb rate", "published", "auto"].map(|column| &*row[column])).collect();
    assert_eq!(said[..2], [["of the set", "-19.5", "+++", "+--"], ["of the set", "-22.5", "..-", "+--"]]);
    if has("--data") {
        assert_eq!(said[2..], [["published", "-19.5", "+++", "+++"], ["published", "-22.5", "..-", "++-"]]);
    }
    for row in &verdicts {
        assert_ne!(row["agree"], "NO", "{row:?}");
        for method in ["monolithic", "compositional"] {
            // Under a limit they may stay open, but are never other than ours.
            let pairs = row["auto"].chars().zip(row[method].chars());
            let open = if has("--python") { '?' } else { 'x' };
            assert!(
                pairs.clone().count() == 3 && pairs.clone().all(|(ours, theirs)| [ours, open, '.'].contains(&theirs))
            );
        }
    }
    assert!(folder.read("verticalcas/verticalcas.md").contains("its times do not stand here"));
}

#[test]
fn storm_computes_what_bounds_says() {
    let folder = set();
    experiment(&folder, "model-checkers", &[]);
    let without = rows(&folder, "model-checkers/model_checkers.csv");
    let checkers: Vec<&str> = without.iter().map(|row| &*row["checker"]).collect();
    let names = ["sparse", "dd", "hybrid", "abstraction"].map(|engine| format!("Storm, {engine}"));
    assert_eq!(checkers, [&["surefoot, auto", "surefoot, paper"], &names.each_ref().map(|name| &**name)[..]].concat());
    // Exactly 31/250.
    assert!((number(&without[0]["lower"]) - 0.124).abs() < 1e-9 && (number(&without[0]["upper"]) - 0.124).abs() < 1e-9);
    assert!(
        without[2..].iter().all(|row| row["reason"].contains("no Python with stormpy") && row["agrees"].is_empty())
    );
    let Some(python) = surefoot_fixtures::python_with(env!("CARGO_MANIFEST_DIR"), "stormpy") else { return };
    let python = python.display().to_string();
    experiment(&folder, "model-checkers", &["--python", &python, "--time-limit", "4"]);
    let with = rows(&folder, "model-checkers/model_checkers.csv");
    for row in &with[2..] {
        match &*row["checker"] {
            "Storm, abstraction" => assert!(row["reason"].contains("not available"), "{row:?}"),
            "Storm, sparse" => {
                assert!((number(&row["value"]) - 0.124).abs() < 1e-4 && number(&row["states"]) > 0.0, "{row:?}");
                assert_eq!(&*row["agrees"], "yes", "{row:?}");
            }
            _ => assert!(["yes", ""].contains(&&*row["agrees"]), "{row:?}"),
        }
    }
    assert!(!folder.read("model-checkers/model-checkers.md").contains("Contradiction"));
}

#[test]
fn the_papers_solvers_build_the_same_abstractions() {
    let Some(python) = surefoot_fixtures::python_with(env!("CARGO_MANIFEST_DIR"), "maraboupy, z3") else { return };
    let folder = set();
    let python = python.display().to_string();
    experiment(&folder, "ppa-predicates", &["--python", &python, "--time-limit", "3"]);
    let all = rows(&folder, "ppa-predicates/ppa_predicates.csv");
    assert_eq!(all.len(), 14);
    let of = |oracle: &str, method: &str| {
        let found = all.iter().find(|row| (&*row["oracle"], &*row["method"]) == (oracle, method));
        found.unwrap_or_else(|| panic!("{oracle} {method}")).clone()
    };
    for method in ["pa", "pa+bb"] {
        let (ours, theirs) = (of("builtin", method), of("paper", method));
        assert!(theirs["complete"] == "no" || theirs["states"] == ours["states"], "{theirs:?}");
        assert!(theirs["complete"] == "yes" || theirs["reason"].contains("limit"), "{theirs:?}");
    }
    assert!(number(&of("paper", "pa")["queries"]) > 0.0, "{:?}", of("paper", "pa"));
}
