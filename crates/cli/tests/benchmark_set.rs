//! The committed benchmark set, and the way its instances are made: generated, trained, verified.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::Folder;
use serde_json::Value;

/// The folder of the set.
fn benchmarks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks").canonicalize().expect("the set is committed")
}

fn instances() -> Vec<Value> {
    let text = std::fs::read_to_string(benchmarks().join("index.json")).expect("an index");
    let index: Value = serde_json::from_str(&text).expect("JSON");
    index["instances"].as_array().expect("instances").clone()
}

fn text<'v>(instance: &'v Value, member: &str) -> &'v str {
    instance[member].as_str().unwrap_or_else(|| panic!("{member} of {instance}"))
}

#[test]
fn networks_are_there_and_policies_are_sensible() {
    let instances = instances();
    let mut named = BTreeSet::new();
    for instance in &instances {
        let network = text(instance, "network");
        assert!(benchmarks().join(network).is_file(), "{network} is missing");
        named.insert(network.to_owned());
        let goal = instance["rates"]["goal"].as_f64().expect("a share of runs");
        assert!(instance["probabilistic"] == true || goal >= 0.1, "{instance} has learned nothing");
    }
    // Trained by single networks each; those of real-valued domains are apart.
    for domain in ["blocksworld", "tiles", "transport", "racetrack"] {
        let Ok(folder) = std::fs::read_dir(benchmarks().join("policies").join(domain)) else { continue };
        for file in folder {
            let name = file.expect("an entry").file_name().to_string_lossy().into_owned();
            assert!(named.contains(&format!("policies/{domain}/{name}")), "{name} is of no instance");
        }
    }
    for verdict in ["holds", "violated"] {
        assert!(instances.iter().any(|instance| instance["verdict"] == verdict), "none {verdict}");
    }
    assert!(instances.iter().any(|instance| instance["value"].is_array()));
}

/// The first instance of every domain and size, with and without probabilities: what the set records is what the explicit engine says.
#[test]
fn what_the_set_records_is_so() {
    let folder = Folder::new();
    let mut seen = BTreeSet::new();
    let mut compared = 0;
    for instance in instances() {
        let kind = (text(&instance, "domain").to_owned(), text(&instance, "size").to_owned());
        let recorded = !instance["verdict"].is_null() || !instance["value"].is_null();
        // Probabilities of more than four blocks take exploration too long.
        let large = instance["probabilistic"] == true && ["6 blocks", "8 blocks"].contains(&text(&instance, "size"));
        if !recorded || large || !seen.insert((kind, instance["probabilistic"] == true)) {
            continue;
        }
        let name = text(&instance, "name");
        let settings =
            instance["settings"].as_array().expect("settings").iter().map(|setting| setting.as_str().expect("text"));
        let network = format!("networks={}", benchmarks().join(text(&instance, "network")).display());
        let args: Vec<&str> = ["zoo", "generate", text(&instance, "domain")].into_iter().chain(settings).collect();
        let ran = folder.run(&[&args[..], &[&network, "--out", name]].concat());
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let model = format!("{name}/model.jani");
        let question = [&*model, "--property", text(&instance, "property"), "--engine", "explicit"];
        if let Some(value) = instance["value"].as_array() {
            let (code, object) = folder.run_json(&[&["bounds"], &question[..]].concat());
            assert_eq!(code, 0, "{name}: {object}");
            let end = |value: &Value| value.as_f64().or_else(|| fraction(value.as_str()?)).expect("a number");
            let ends = [&object["value"]["lo"], &object["value"]["hi"]].map(end);
            assert!(
                ends[0] <= end(&value[1]) + 1e-9 && end(&value[0]) <= ends[1] + 1e-9,
                "{name}: {value:?}, {ends:?}"
            );
        } else {
            let (_, object) = folder.run_json(&[&["verify"], &question[..]].concat());
            assert_eq!(object["verdict"], instance["verdict"], "{name}");
        }
        compared += 1;
    }
    assert!(compared >= 6, "only {compared} instances");
}

fn fraction(text: &str) -> Option<f64> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?)
}

/// Domain, settings, question, progress, and the least share of runs to the goal; many of those of tiles cannot get there.
type Row<'r> = (&'r str, &'r [&'r str], &'r [&'r str], &'r str, f64);

/// From the domain to a verdict that two engines share, in a size that takes a moment.
#[test]
fn every_safety_domain_is_generated_trained_and_verified() {
    let tower = "ite(block_0 = 1, 1 + ite(block_1 = 2, 1, 0), 0)";
    let distance = "-(abs(tile_1 - 2) + abs(tile_2 - 1) + abs(tile_3)) / 4";
    let delivered =
        "(ite(package_0 = 1, 3, ite(package_0 = 2, 1, 0)) + ite(package_1 = 1, 3, ite(package_1 = 2, 1, 0))) / 6";
    let domains: [Row<'_>; 5] = [
        ("racetrack", &["map=tiny", "velocity=2"], &["--property", "no-crash"], "0", 0.9),
        ("blocksworld", &["blocks=3", "failure=never"], &["--property", "unsafe"], tower, 0.4),
        ("tiles", &["rows=2", "columns=2", "costs=ignoring"], &["--property", "unsafe"], distance, 0.4),
        ("transport", &["length=2", "packages=2"], &["--property", "unsafe"], delivered, 0.9),
        ("frozenlake", &["size=3"], &["--property", "holes", "--goal", "tile = 9"], "0", 0.7),
    ];
    let folder = Folder::new();
    for (domain, settings, question, progress, least) in domains {
        let args = [&["zoo", "generate", domain], settings, &["policy=random", "--out", domain]].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.code, 0, "{domain}: {}", ran.err);
        let (model, out) = (format!("{domain}/model.jani"), format!("{domain}_trained"));
        let few = [
            "--hidden",
            "16,16",
            "--steps",
            "8000",
            "--run-steps",
            "30",
            "--target-every",
            "100",
            "--evaluations",
            "10",
        ];
        let earned = ["--progress", progress, "--step-reward", "-0.01"];
        let train = ["zoo", "train", &model, "--out", &out];
        let (code, object) = folder.run_json(&[&train[..], question, &few, &earned].concat());
        assert_eq!(code, 0, "{domain}: {object}");
        let goal = object["statistics"]["goal_share"]["mean"].as_f64().expect("a share");
        assert!(goal >= least, "{domain}: {goal}");
        let policy = format!("{out}/policy.policy.json");
        let verdict = |engine: &str| {
            let (_, object) =
                folder.run_json(&[&["verify", &model, "--policy", &policy, "--engine", engine], question].concat());
            object["verdict"].clone()
        };
        let explicit = verdict("explicit");
        assert!(explicit == "holds" || explicit == "violated", "{domain}: {explicit}");
        assert_eq!(verdict("cegar"), explicit, "{domain}");
    }
}
