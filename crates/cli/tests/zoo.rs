//! `zoo`: lists domains and generates instances that the other commands read.

mod common;

use common::Folder;
use serde_json::Value;

fn domains(folder: &Folder) -> Vec<Value> {
    let (code, object) = folder.run_json(&["zoo", "list"]);
    assert_eq!(code, 0);
    object["domains"].as_array().expect("domains").clone()
}

#[test]
fn every_domain_generates_without_parameters() {
    let folder = Folder::new();
    let listed = folder.run(&["zoo", "list"]).out;
    for domain in domains(&folder) {
        let name = domain["name"].as_str().expect("a name");
        assert!(listed.contains(&format!("{name}: ")), "{listed}");
        let ran = folder.run(&["zoo", "generate", name, "--out", name]);
        assert_eq!((ran.code, &*ran.err), (0, ""));
        assert!(ran.out.starts_with("done: wrote model.jani, properties.jani, drawing.json"), "{}", ran.out);
        let (model, properties) = (format!("{name}/model.jani"), format!("{name}/properties.jani"));
        let ran = folder.run(&["check", &model, "--properties", &properties]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
    }
}

#[test]
fn replaced_files_are_named() {
    let folder = Folder::new();
    let domains = domains(&folder);
    let name = domains[0]["name"].as_str().expect("a name");
    let (code, object) = folder.run_json(&["zoo", "generate", name, "--out", "a/b"]);
    assert_eq!((code, &object["replaced"]), (0, &Value::Array(vec![])));
    let files = object["files"].clone();
    let ran = folder.run(&["zoo", "generate", name, "--out", "a/b"]);
    assert!(ran.err.contains("notice: in a/b, model.jani, properties.jani"), "{}", ran.err);
    let (_, object) = folder.run_json(&["zoo", "generate", name, "--out", "a/b"]);
    assert_eq!(object["replaced"], files);
}

#[test]
fn an_earlier_policy_is_removed() {
    let folder = Folder::new();
    let ran = folder.run(&["zoo", "generate", "frozenlake", "policy=random", "--out", "d"]);
    assert!(!ran.out.contains("removed"), "{}", ran.out);
    let ran = folder.run(&["zoo", "generate", "racetrack", "map=tiny", "--out", "d"]);
    let expected = "done: wrote model.jani, properties.jani, drawing.json in d\n  removed policy.policy.json, policy.nnet, left by";
    assert!(ran.code == 0 && ran.out.starts_with(expected), "{}{}", ran.out, ran.err);
    assert!(!folder.path().join("d/policy.policy.json").exists() && !folder.path().join("d/policy.nnet").exists());
    let (_, object) = folder.run_json(&["zoo", "generate", "racetrack", "map=tiny", "--out", "d"]);
    assert_eq!(object["removed"], Value::Array(vec![]));
}

#[test]
fn files_of_a_user_stay() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("d")).expect("it can be made");
    let files = [("d/policy.policy.json", r#"{"network": "mine.nnet"}"#), ("d/mine.nnet", "n")];
    files.iter().for_each(|(name, text)| folder.write(name, text));
    assert_eq!(folder.run(&["zoo", "generate", "frozenlake", "--out", "d"]).code, 0);
    let ran = folder.run(&["zoo", "generate", "frozenlake", "policy=random", "--out", "d"]);
    assert!(ran.code == 2 && ran.err.contains("in d, policy.policy.json is there already"), "{}", ran.err);
    assert!(ran.err.contains("help: give another folder by --out"), "{}", ran.err);
    files.iter().for_each(|(name, text)| assert_eq!(folder.read(name), *text));
    folder.write("d/model.jani", "mine");
    assert_eq!(folder.run(&["zoo", "generate", "racetrack", "--out", "d"]).code, 2);
    assert_eq!(folder.read("d/model.jani"), "mine");
    // A given network is the user's, wherever it is.
    folder.run(&["zoo", "generate", "frozenlake", "policy=random", "--out", "made"]);
    std::fs::create_dir(folder.path().join("own")).expect("it can be made");
    folder.write("own/trained.nnet", &folder.read("made/policy.nnet"));
    let trained = folder.path().join("own/trained.nnet");
    let opened = std::fs::File::options().append(true).open(&trained).expect("it is there");
    opened.set_modified(std::time::UNIX_EPOCH).expect("it can be set");
    for _ in 0..2 {
        let ran = folder.run(&["zoo", "generate", "frozenlake", "networks=own", "--out", "own"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let (_, object) = folder.run_json(&["zoo", "generate", "frozenlake", "--out", "own"]);
    assert_eq!(object["removed"], serde_json::json!(["policy.policy.json"]));
    let modified = trained.metadata().and_then(|there| there.modified()).expect("it is there");
    assert_eq!(modified, std::time::UNIX_EPOCH, "it is not even written again");
}

#[test]
fn wrong_use_ends_with_two() {
    let folder = Folder::new();
    folder.write("file", "");
    let name = "racetrack";
    let cases: [(&[&str], &str); 8] = [
        (&["zoo"], "Usage"),
        (&["zoo", "generate", name], "--out"),
        (&["zoo", "generate", "nowhere", "--out", "d"], "there is no domain 'nowhere'; domains are: racetrack, "),
        (&["zoo", "list", "tile"], "there is no domain 'tile' (did you mean 'tiles'?); domains are: racetrack, "),
        (&["zoo", "generate", name, "wings=2", "--out", "d"], "has no parameter 'wings'"),
        (&["zoo", "generate", name, "velocity=99", "--out", "d"], "expected 1..10"),
        (&["zoo", "generate", name, "map=nowhere", "--out", "d"], "as a file it cannot be read"),
        (&["zoo", "generate", name, "--out", "file"], "cannot write into file"),
    ];
    for (args, expected) in cases {
        let ran = folder.run(args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    assert!(!folder.path().join("d").exists());
}

#[test]
fn racetracks_are_verified() {
    let folder = Folder::new();
    let settings = ["map=corridor", "policy=towards-goal", "start=condition", "velocity=3"];
    let ran = folder.run(&[&["zoo", "generate", "racetrack"], &settings[..], &["--out", "r"]].concat());
    assert!(ran.out.contains("policy.policy.json, policy.nnet in r"), "{}{}", ran.out, ran.err);
    let files = ["r/model.jani", "--properties", "r/properties.jani"];
    let (code, safe) = folder.run_json(&[&["verify"], &files[..], &["--property", "no-crash"]].concat());
    assert_eq!((code, &safe["verdict"], &safe["statistics"]["start_states"]), (0, &"holds".into(), &30.into()));
    let policy = ["--property", "arrives", "--policy", "r/policy.policy.json"];
    let (code, _) = folder.run_json(&[&["verify"], &files[..], &policy].concat());
    assert_eq!(code, 0, "the goal is reached");
    let ran = folder.run(&["zoo", "generate", "racetrack", "map=corridor", "failure=25", "--out", "r"]);
    assert_eq!(ran.code, 0);
    let (code, object) =
        folder.run_json(&[&["bounds"], &files[..], &["--property", "arrives-probability", "--exact"]].concat());
    assert_eq!((code, &object["value"]["lo"]), (0, &"1".into()), "{object}");
}

#[test]
fn predicates_halve_domains() {
    let folder = Folder::new();
    folder.run(&["zoo", "generate", "racetrack", "policy=random", "hidden=2", "--out", "r"]);
    let base = ["zoo", "predicates", "r/model.jani", "--out", "p.json", "--count"];
    let ran = folder.run(&[&base[..], &["4"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("done: wrote 4 predicates to p.json\n  car0_x (0..34)  17\n  car0_y (0..11)  6\n"),
        "{}",
        ran.out
    );
    let few = folder.read_json("p.json");
    let named = ["9", "--variables", "car0_dx,car0_crashed"];
    let (code, object) = folder.run_json(&[&base[..], &named].concat());
    assert_eq!((code, object["predicates"].as_array().map(Vec::len)), (0, Some(9)));
    assert_eq!(object["predicates"][1], "car0_crashed");
    let (_, object) = folder.run_json(&[&base[..], &["30", "--policy", "r/policy.policy.json"]].concat());
    assert_eq!(object["predicates"].as_array().expect("a list")[..4], few.as_array().expect("a list")[..]);
    // The file is what the predicates of a property may name.
    folder.write_json(
        "with.jani",
        &serde_json::json!({"properties": [{"name": "p", "expression":
        {"op": "PA", "reach": "car0_crashed", "predicates": {"file": "p.json"}}}]}),
    );
    let ran = folder.run(&["check", "r/model.jani", "--properties", "with.jani", "--property", "p"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = folder.run(&["zoo", "predicates", "r/model.jani", "--out", "r/model.jani", "--count", "1"]);
    assert!(ran.code == 2 && ran.err.contains("would overwrite the input"), "{}", ran.err);
    for (more, expected) in [
        (&["1000"][..], "1000 predicates are too many"),
        (&["4", "--variables", "car0_z"], "no variable 'car0_z' (did you mean '"),
        (&["4", "--variables", "nope"], "no variable 'nope'; variables are: car0_x, car0_y, car0_dx, car0_dy, "),
        (&["many"], "--count"),
    ] {
        let ran = folder.run(&[&base[..], more].concat());
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
}
