//! Two policies compared: in reachable states, in regions, and by the invariant of one of them.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, compare, counter_folder, timeless};
use serde_json::{Value, json};

/// A policy over the counter whose scores are `up - factor x` and 0, for labels in some order.
fn write_line(folder: &Folder, name: &str, factor: &str, up: &str, labels: &[&str]) {
    let own =
        |label: &str| if label == "up" { (format!("-{factor}"), up.to_owned()) } else { ("0".into(), "0".into()) };
    let (weights, bias): (Vec<String>, Vec<String>) = labels.iter().map(|label| own(label)).unzip();
    let lines: Vec<String> = weights.into_iter().chain(bias).map(|number| format!("{number},\n")).collect();
    let outputs = labels.len();
    let head = format!("1,1,{outputs},{outputs},\n1,{outputs},\n0,\n0,\n9,\n0,0,\n1,1,\n");
    folder.write(&format!("{name}.nnet"), &(head + &lines.concat()));
    folder.write_json(
        &format!("{name}.policy.json"),
        &json!({"network": format!("{name}.nnet"), "inputs": ["x"], "outputs": {"labels": labels}}),
    );
}

/// The counter to 9 without the environment's jumps above 3, an old policy that turns at 3, and others.
fn line_folder(top: i64) -> Folder {
    let folder = counter_folder(top, &compare("=", "x", top));
    write_line(&folder, "old", "1", "2.5", &["up", "down"]);
    // The same choices by other numbers, by other sizes, and in another order.
    write_line(&folder, "double", "2", "5", &["up", "down"]);
    write_line(&folder, "turned", "1", "2.5", &["down", "up"]);
    // A tie at 3: the first label of each wins.
    write_line(&folder, "tie", "1", "3", &["up", "down"]);
    write_line(&folder, "tie-turned", "1", "3", &["down", "up"]);
    write_line(&folder, "far", "1", "7.5", &["up", "down"]);
    folder
}

fn diff(folder: &Folder, new: &str, more: &[&str]) -> (i32, Value) {
    let new = format!("{new}.policy.json");
    folder.run_json(&[&["diff", "m.jani", "--policy", "old.policy.json", "--policy", &new], more].concat())
}

#[test]
fn reachable_states_are_compared_one_by_one() {
    let folder = line_folder(5);
    for new in ["old", "double", "turned", "tie-turned"] {
        let (code, object) = diff(&folder, new, &["--engine", "explicit"]);
        assert_eq!((code, &object["verdict"], &object["alike"]), (0, &json!("holds"), &json!(true)), "{new}: {object}");
        assert_eq!(object["reachable"]["old"]["states"], 4);
        assert_eq!((&object["reachable"]["new"], &object["difference"]), (&Value::Null, &Value::Null));
    }
    let (code, object) = diff(&folder, "far", &[]);
    assert_eq!((code, &object["verdict"], &object["engine"]), (1, &json!("violated"), &json!("explicit")));
    // Up to 3 under the old policy, up to 5 under the new one: they differ at 3, 4 and 5, where both are asked.
    let reachable = &object["reachable"];
    let count = |side: &str| ["states", "asked", "differing"].map(|key| reachable[side][key].as_u64().unwrap());
    assert_eq!((count("old"), count("new"), count("union")), ([4, 4, 1], [6, 6, 3], [6, 6, 3]));
    let pair = |states: u64| json!([{"old": ["down"], "new": ["up"], "states": states}]);
    assert_eq!((&reachable["old"]["pairs"], &reachable["union"]["pairs"]), (&pair(1), &pair(3)));
    assert_eq!(reachable["union"]["share"], 0.5);
    let difference = &object["difference"];
    assert_eq!(
        (&difference["state"]["x"], &difference["steps"], &difference["least"]),
        (&json!(3), &json!(3), &json!(true))
    );
    assert_eq!((&difference["old"], &difference["new"]), (&json!(["down"]), &json!(["up"])));
    let steps = object["witness"]["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[2]["state"]["x"]), (3, &json!(3)));
    // Ties go to the first label, whatever is exactly as large.
    let (code, object) = diff(&folder, "tie", &[]);
    assert_eq!((code, &object["difference"]["state"]["x"]), (1, &json!(3)));
}

#[test]
fn text_begins_with_the_verdict() {
    let folder = line_folder(5);
    let ran = |new: &str, more: &[&str]| {
        let args = [&["diff", "m.jani", "--policy", "old.policy.json", "--policy", new], more].concat();
        let ran = folder.run(&args);
        (ran.code, ran.out)
    };
    let (code, text) = ran("double.policy.json", &[]);
    assert!(
        code == 0 && text.starts_with("holds: both policies choose the same in all 4 reachable states\n"),
        "{text}"
    );
    let (code, text) = ran("far.policy.json", &[]);
    assert!(
        code == 1 && text.starts_with("violated: the policies differ in 3 of 6 reachable states (50.0 %)\n"),
        "{text}"
    );
    for line in [
        "  choice    down -> up in 3 states\n",
        "  example   after 3 steps, none is nearer: x=3\n",
        "  chosen    old: down; new: up\n",
        "  new       far.policy.json (filter off, ties first)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let (code, text) = ran("far.policy.json", &["--region", "x < 3"]);
    assert!(code == 0 && text.starts_with("holds: both policies choose the same in all states with x < 3\n"), "{text}");
    let (code, text) = ran("far.policy.json", &["--time-limit", "0"]);
    assert!(code == 3 && text.starts_with("unknown: the time limit of 0 s was reached\n"), "{text}");
}

#[test]
fn regions_are_compared_reachable_or_not() {
    let folder = line_folder(9);
    for (new, region, code) in [
        ("double", None, 0),
        ("turned", None, 0),
        ("tie-turned", None, 0),
        ("tie", None, 1),
        ("tie", Some("x != 3"), 0),
        ("far", Some("x > 7 | x < 3"), 0),
        ("far", Some("x > 6"), 1),
    ] {
        let region = region.map_or_else(Vec::new, |region| vec!["--region", region]);
        let (found, object) = diff(&folder, new, &[&["--engine", "region"][..], &region].concat());
        assert_eq!((found, &object["engine"]), (code, &json!("region")), "{new} {region:?}: {object}");
        assert_eq!(object["alike"], json!(code == 0));
        if code == 1 {
            let x = if new == "tie" { 3 } else { 7 };
            assert_eq!(object["difference"]["state"]["x"], x);
            assert_eq!((&object["witness"], &object["difference"]["steps"]), (&Value::Null, &Value::Null));
        }
    }
    let (_, object) = diff(&folder, "far", &["--region", "x > 6"]);
    assert_eq!(object["region"]["condition"], "x > 6");
    assert!(object["inputs"].get("<region>").is_some());
}

/// With the filter what is not applicable is not chosen: at the border both go down, and at 0 both go up.
#[test]
fn the_filter_counts() {
    let folder = line_folder(7);
    write_line(&folder, "always", "0", "1", &["up", "down"]);
    let at = |region: &str, filter: &str| {
        let args = ["--engine", "region", "--region", region, "--filter", filter];
        diff(&folder, "always", &args).0
    };
    assert_eq!((at("x = 7", "on"), at("x = 7", "off")), (0, 1));
    assert_eq!((at("x = 6", "on"), at("x = 0", "on")), (1, 0));
    // Nobody is asked where no action of theirs is applicable, and single precision is another policy over the same labels.
    let (code, object) = diff(&folder, "always", &["--engine", "explicit", "--filter", "on"]);
    assert_eq!((code, &object["reachable"]["union"]["differing"]), (1, &json!(4)), "{object}");
    folder.write_json(
        "single.policy.json",
        &json!({"network": "double.nnet", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}, "semantics": "float32"}),
    );
    for engine in ["explicit", "region"] {
        assert_eq!(diff(&folder, "single", &["--engine", engine]).0, 0, "{engine}");
    }
}

/// Where exploration meets the budget, that they are alike in all states of the domains is enough.
#[test]
fn too_many_states_are_compared_as_a_region() {
    let folder = line_folder(4_000_000);
    write_line(&folder, "up", "0", "1", &["up", "down"]);
    write_line(&folder, "up-too", "0", "2", &["up", "down"]);
    let args = ["--engine", "auto", "--memory-limit", "1"];
    let policies = ["diff", "m.jani", "--policy", "up.policy.json", "--policy", "up-too.policy.json"];
    let (code, object) = folder.run_json(&[&policies[..], &args].concat());
    assert_eq!((code, &object["engine"]), (0, &json!("region")), "{object}");
    assert!(object["reachable"]["old"]["stopped"].as_str().is_some_and(|why| why.contains("memory limit")));
    let (code, object) = folder.run_json(&[&policies[..], &["--engine", "explicit", "--memory-limit", "1"]].concat());
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")), "{object}");
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = line_folder(5);
    write_line(&folder, "one", "1", "2.5", &["up"]);
    folder.write("broken.policy.json", "{\"network\": \"old.nnet\", \"inputs\": [\"x\"], ");
    folder.write("junk.cert", "no certificate");
    folder.write("none.json", "{\"certificate\": null}");
    let old = &["diff", "m.jani", "--policy", "old.policy.json"][..];
    let two = &[old, &["--policy", "far.policy.json"]].concat()[..];
    // Its property is a formula: it names no states that must not be reached.
    let thermostat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thermostat");
    let [model, policy] =
        ["model.jani", "thermostat.policy.json"].map(|file| thermostat.join(file).display().to_string());
    let formula = &["diff", &model, "--policy", &policy, "--policy", &policy][..];
    let cases: [(&[&str], &[&str], &str); 17] = [
        (formula, &["--prove"], "--prove needs a property that says which states must not be reached"),
        (old, &[], "the second --policy is missing"),
        (&["diff", "m.jani"], &[], "the second --policy is missing"),
        (two, &["--policy", "tie.policy.json"], "two policies are compared, and --policy names more"),
        (&["verify", "m.jani", "--policy", "a"], &["--policy", "b"], "cannot be used multiple times"),
        (old, &["--policy", "gone.policy.json"], "cannot read gone.policy.json"),
        (old, &["--policy", "broken.policy.json"], "broken.policy.json"),
        (old, &["--policy", "one.policy.json"], "'down' is an output of old.policy.json alone"),
        (two, &["--engine", "magic"], "magic"),
        (two, &["--engine", "explicit", "--region", "x < 3"], "--engine explicit looks at reachable states"),
        (two, &["--region", "y < 3"], "there is no variable 'y'"),
        (two, &["--region", "x +"], "--region"),
        (two, &["--invariant", "gone.cert"], "gone.cert"),
        (two, &["--invariant", "junk.cert"], "the certificate junk.cert cannot be read"),
        (two, &["--invariant", "none.json"], "the result none.json names no certificate"),
        (two, &["--invariant", "junk.cert", "--prove"], "cannot be used with"),
        (two, &["--prove", "--region", "x < 3"], "cannot be used with"),
    ];
    for (first, more, expected) in cases {
        let args = [first, more].concat();
        let ran = folder.run(&args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
}

/// The counter has an invariant that ends at 3 or above; what stays below is inductive under both.
#[test]
fn an_invariant_is_reused() {
    let folder = line_folder(9);
    let never = ["--never", "x = 9", "--start", "x = 0"];
    // The jumps of the environment go up to 6 from 3.
    let verify = [&["verify", "m.jani", "--policy", "old.policy.json", "--engine", "cegar"][..], &never].concat();
    let (code, proof) = folder.run_json(&[&verify[..], &["--certificate", "old.cert"]].concat());
    assert_eq!((code, &proof["verdict"]), (0, &json!("holds")), "{proof}");
    folder.write_json("proof.json", &proof);
    for new in ["double", "turned", "tie-turned"] {
        for how in [&["--invariant", "old.cert"][..], &["--invariant", "proof.json"], &["--prove"]] {
            let (code, object) = diff(&folder, new, &[how, &never].concat());
            assert_eq!(
                (code, &object["verdict"], &object["engine"]),
                (0, &json!("holds"), &json!("invariant")),
                "{object}"
            );
            let found = &object["invariant"];
            assert_eq!((&found["inductive"], &object["alike"]), (&json!(true), &Value::Null));
            assert_eq!((&found["regions_changed"], &found["regions_asked"]), (&json!(0), &found["regions"]));
            let asked = |key: &str| found[key].as_u64().unwrap();
            assert!(asked("questions") <= asked("questions_from_nothing"), "{found}");
            assert_eq!(found["questions_of_the_proof"].is_u64(), how == ["--prove"]);
        }
    }
    // Upwards for ever leaves whatever keeps away from 9.
    write_line(&folder, "always", "0", "1", &["up", "down"]);
    for how in [&["--invariant", "old.cert"][..], &["--prove"]] {
        let (code, object) = diff(&folder, "always", &[how, &never].concat());
        assert_eq!((code, &object["invariant"]["inductive"]), (1, &json!(false)), "{object}");
        let difference = &object["difference"];
        assert_eq!((&difference["old"], &difference["new"]), (&json!(["down"]), &json!(["up"])));
        let x = |state: &Value| state["x"].as_i64().unwrap();
        assert_eq!(x(&difference["leaving"]["successor"]), x(&difference["state"]) + 1);
        assert!(difference["leaving"]["operator"].as_str().unwrap().starts_with("up"));
    }
    // Certificates that list states are looked at state by state.
    let explicit = [&["verify", "m.jani", "--policy", "old.policy.json", "--engine", "explicit"][..], &never].concat();
    assert_eq!(folder.run_json(&[&explicit[..], &["--certificate", "states.cert"]].concat()).0, 0);
    let (code, object) = diff(&folder, "double", &[&["--invariant", "states.cert"][..], &never].concat());
    assert_eq!((code, &object["invariant"]["questions"]), (0, &json!(0)), "{object}");
    assert_eq!(object["invariant"]["states"], object["invariant"]["states_asked"]);
    assert_eq!(diff(&folder, "always", &[&["--invariant", "states.cert"][..], &never].concat()).0, 1);
    // Of another policy, another question, and cut short.
    let other =
        ["diff", "m.jani", "--policy", "far.policy.json", "--policy", "old.policy.json", "--invariant", "old.cert"];
    let ran = folder.run(&[&other[..], &never].concat());
    assert!(ran.code == 2 && ran.err.contains("is not one about this model, property and first policy"), "{}", ran.err);
    let known =
        ["diff", "m.jani", "--policy", "old.policy.json", "--policy", "double.policy.json", "--invariant", "old.cert"];
    let ran = folder.run(&[&known[..], &never, &["--filter", "on"]].concat());
    let words = "semantics, filter: the certificate says false, but it is true";
    assert!(ran.code == 2 && ran.err.contains(words), "{}", ran.err);
    let ran = folder.run(&[&other[..], &["--never", "x = 8", "--start", "x = 0"]].concat());
    assert!(ran.code == 2 && ran.err.contains("old.cert"), "{}", ran.err);
    let bytes = fs::read(folder.path().join("old.cert")).unwrap();
    fs::write(folder.path().join("cut.cert"), &bytes[..bytes.len() / 2]).unwrap();
    let args =
        ["diff", "m.jani", "--policy", "old.policy.json", "--policy", "double.policy.json", "--invariant", "cut.cert"];
    let ran = folder.run(&[&args[..], &never].concat());
    assert!(ran.code == 2 && ran.err.contains("cut.cert"), "{}", ran.err);
    // There is no proof of a policy that is not safe.
    let args = ["diff", "m.jani", "--policy", "always.policy.json", "--policy", "old.policy.json", "--prove"];
    let ran = folder.run(&[&args[..], &never].concat());
    assert!(ran.code == 2 && ran.err.contains("always.policy.json is not safe"), "{}", ran.err);
}

#[test]
fn threads_change_nothing() {
    let folder = line_folder(9);
    let never = ["--never", "x = 9", "--start", "x = 0"];
    for how in [&["--engine", "explicit"][..], &["--engine", "region"], &["--prove"]] {
        for new in ["double", "tie", "far"] {
            let ask = |threads: &str| {
                let (code, object) = diff(&folder, new, &[how, &never, &["--threads", threads]].concat());
                (code, timeless(object))
            };
            assert_eq!(ask("1"), ask("2"), "{how:?} {new}");
        }
    }
}

/// Over reals there are infinitely many start states, and yet an answer for all states.
#[test]
fn real_variables_are_asked_about() {
    let thermostat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thermostat");
    let read = |file: &str| fs::read_to_string(thermostat.join(file)).unwrap();
    let folder = Folder::new();
    for file in ["model.jani", "thermostat.policy.json", "thermostat.nnet"] {
        folder.write(file, &read(file));
    }
    let variant = |name: &str, change: &dyn Fn(f64) -> f64| {
        folder.write(&format!("{name}.nnet"), &changed(&read("thermostat.nnet"), change));
        let text = read("thermostat.policy.json").replace("thermostat.nnet", &format!("{name}.nnet"));
        folder.write(&format!("{name}.policy.json"), &text);
    };
    variant("double", &|w| w * 2.0);
    variant("cooler", &|w| if w.abs() == 20.0 { w * 0.95 } else { w });
    let ask = |new: &str, more: &[&str]| {
        let args = [
            "diff",
            "model.jani",
            "--policy",
            "thermostat.policy.json",
            "--policy",
            new,
            "--start",
            "temperature > 20",
        ];
        folder.run_json(&[&args[..], more].concat())
    };
    let (code, object) = ask("double.policy.json", &[]);
    assert_eq!((code, &object["engine"]), (0, &json!("region")), "{object}");
    // Its start states cannot be listed; that they differ in some state is said.
    let start = ["diff", "model.jani", "--policy", "thermostat.policy.json", "--policy", "cooler.policy.json"];
    let ran = folder.run(&start);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("the start set is infinite") && ran.err.contains("--engine region shows it"),
        "{}",
        ran.err
    );
    // Between 19 and 20 one heats and the other does not.
    let (code, object) = ask("cooler.policy.json", &["--region", "temperature <= 100"]);
    let number = |key: &str| object["difference"]["state"][key].as_f64();
    assert_eq!((code, &object["verdict"]), (1, &json!("violated")), "{object}");
    if let (Some(temperature), Some(trend)) = (number("temperature"), number("trend")) {
        assert!((19.0..=20.0).contains(&(temperature + trend)), "{object}");
    }
    assert_eq!(ask("cooler.policy.json", &["--region", "temperature + trend > 20"]).0, 0);
    let ran = folder.run(&[
        "diff",
        "model.jani",
        "--policy",
        "thermostat.policy.json",
        "--policy",
        "cooler.policy.json",
        "--start",
        "temperature > 20",
    ]);
    assert!(ran.code == 2 && ran.err.contains("the start set is infinite"), "{}", ran.err);
}

/// A `.nnet` file with its weights changed.
fn changed(text: &str, change: &dyn Fn(f64) -> f64) -> String {
    // After comments: seven lines about sizes and normalisation.
    let comments = text.lines().take_while(|line| line.starts_with("//")).count();
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(weight) => change(weight).to_string(),
        Err(_) => text.to_owned(),
    };
    let line = |(i, line): (usize, &str)| match i < comments + 7 {
        true => line.to_owned(),
        false => line.split(',').map(number).collect::<Vec<_>>().join(","),
    };
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Shipped policies, pruned and rounded: what both engines say fits together, and the first difference is what `explain` says of both.
#[test]
fn variants_of_shipped_policies() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut alike, mut apart) = (0, 0);
    for (example, network, policy) in [
        ("parking", "driver.nnet", "driver.policy.json"),
        ("lift", "lift.nnet", "lift.policy.json"),
        ("reservoir", "careful.nnet", "careful.jani2nnet"),
    ] {
        let path = |file: &str| -> PathBuf { examples.join(example).join(file) };
        let folder = Folder::new();
        let weights = fs::read_to_string(path(network)).unwrap();
        for file in ["model.jani", "properties.jani", policy] {
            folder.write(file, &fs::read_to_string(path(file)).unwrap());
        }
        folder.write(network, &weights);
        let variants: [(&str, &dyn Fn(f64) -> f64); 4] = [
            ("fine", &|w| (w * 65536.0).round() / 65536.0),
            ("coarse", &|w| (w * 4.0).round() / 4.0),
            ("pruned", &|w| if w.abs() < 0.3 { 0.0 } else { w }),
            ("scaled", &|w| w * 0.5),
        ];
        for (name, change) in variants {
            folder.write(&format!("{name}.nnet"), &changed(&weights, change));
            let text = folder.read(policy).replace(network, &format!("{name}.nnet"));
            let (stem, extension) = policy.split_once('.').unwrap();
            let new = format!("{stem}-{name}.{extension}");
            folder.write(&new, &text);
            let ask = |more: &[&str]| {
                let args = ["diff", "model.jani", "--policy", policy, "--policy", &new, "--property", "0"];
                folder.run_json(&[&args[..], more].concat())
            };
            let (explicit, region) = (ask(&["--engine", "explicit"]), ask(&["--engine", "region"]));
            assert!(explicit.0 < 2 && region.0 < 2, "{example} {name}: {} {}", explicit.1, region.1);
            // Alike everywhere is alike where runs come.
            assert!(explicit.0 <= region.0, "{example} {name}");
            let found = if explicit.0 == 1 { &explicit.1 } else { &region.1 };
            if explicit.0 == 0 {
                alike += 1;
            } else {
                apart += 1;
            }
            if found["difference"].is_null() {
                continue;
            }
            let state = &found["difference"]["state"];
            let mut parts: Vec<String> = Vec::new();
            for (key, value) in state.as_object().unwrap() {
                match value.as_object() {
                    Some(locations) => {
                        parts.extend(locations.iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap())));
                    }
                    None => parts.push(format!("{key}={value}")),
                }
            }
            for (policy, side) in [(policy, "old"), (new.as_str(), "new")] {
                let state = parts.join(", ");
                let args = ["explain", "model.jani", "--policy", policy, "--state", &state];
                let (code, object) = folder.run_json(&args);
                assert_eq!(
                    (code, &object["decision"]["chosen"]),
                    (0, &found["difference"][side]),
                    "{example} {name} {policy}"
                );
            }
        }
    }
    assert!(alike > 3 && apart > 0, "{alike} {apart}");
}
