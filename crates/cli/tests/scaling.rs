//! `check` compares how a policy scales the inputs of a network with the header of its `.nnet` file.

mod common;

use common::{Folder, compare, counter, never, property};
use serde_json::{Value, json};
use surefoot_fixtures::Random;

const HEADER: &str = "one of them may be in another unit";
const NARROW: &str = "less than 1/20 of what the network says";
const UNBOUNDED: &str = "normalises it again";
const APART: &str = "see one variable on different scales";
const OUTSIDE: &str = "may not have been trained there";

/// A network of one input and two scores.
fn nnet(lower: i64, upper: i64, mean: i64, range: i64) -> String {
    format!("1,1,2,2,\n1,2,\n0,\n{lower},\n{upper},\n{mean},0,\n{range},1,\n-1,\n0,\n2.5,\n0,\n")
}

/// A counter up to `top` whose policy has one network per text, all with the same input.
fn folder(top: i64, input: &Value, networks: &[String]) -> Folder {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(top, &[property("safe", &never(&compare("=", "x", 1)))]));
    let entry = |(i, text): (usize, &String)| {
        folder.write(&format!("{i}.nnet"), text);
        json!({"file": format!("{i}.nnet"), "when": compare("=", compare("%", "x", networks.len()), i)})
    };
    let entries: Vec<Value> = networks.iter().enumerate().map(entry).collect();
    let policy = json!({"networks": entries, "inputs": [input], "outputs": {"labels": ["up", "down"]}});
    folder.write_json("p.policy.json", &policy);
    folder
}

/// The warnings of `check`.
fn warnings(folder: &Folder, args: &[&str]) -> Vec<String> {
    let (code, object) = folder.run_json(&[&["check"], args].concat());
    assert_eq!(code, 0, "{object}");
    let all = object["diagnostics"].as_array().expect("a list").iter();
    let warnings = all.filter(|d| d["severity"] == "warning");
    warnings.map(|d| d["message"].as_str().expect("a text").to_owned()).collect()
}

fn found(warnings: &[String], words: &str) -> bool {
    warnings.iter().any(|message| message.contains(words))
}

/// Every value of the variable, one by one, against what is said of the ranges.
#[test]
fn what_is_told_is_what_enumeration_finds() {
    let seed = 20;
    let mut random = Random::new(seed);
    // How often each warning was right, and how often its absence.
    let mut seen = [[0; 2]; 3];
    for case in 0..60 {
        let top = *random.pick(&[1, 4, 40]);
        let (numerator, denominator) = (*random.pick(&[-2, 1, 1, 7]), *random.pick(&[1, 1, 1, 30]));
        let lower = random.between(-90, 1);
        let upper = lower + random.pick(&[1, 60, 100, 900]);
        let (mean, range) = (random.between(lower - 4, upper), *random.pick(&[1, 2, 60, 100, 5000]));
        let input = compare("/", compare("*", numerator, "x"), denominator);
        let told = warnings(
            &folder(top, &input, &[nnet(lower, upper, mean, range)]),
            &["m.jani", "--policy", "p.policy.json"],
        );
        // All over the denominator.
        let values: Vec<i64> = (0..=top).map(|x| numerator * x).collect();
        let outside = values.iter().any(|v| *v < lower * denominator || *v > upper * denominator);
        let spread = values.iter().max().expect("a value") - values.iter().min().expect("a value");
        let narrow = range != 1 && !outside && spread * 20 < (upper - lower) * denominator;
        let width = upper - lower;
        let header = range != 1 && (width * 20 < range || width > range * 20 || mean < lower || mean > upper);
        for (kind, (words, expected)) in
            [(OUTSIDE, outside), (NARROW, narrow), (HEADER, header)].into_iter().enumerate()
        {
            assert_eq!(found(&told, words), expected, "seed {seed}, case {case}: {words}: {told:?}");
            seen[kind][usize::from(expected)] += 1;
        }
        assert!(!found(&told, UNBOUNDED) && !found(&told, APART), "seed {seed}, case {case}: {told:?}");
    }
    assert!(seen.iter().flatten().all(|count| *count >= 5), "every answer is there: {seen:?}");
}

#[test]
fn a_normalisation_that_is_done_twice_is_told() {
    // The header of a sensible network over 0..400, and a policy that divides by 400 as well.
    let sensible = [nnet(0, 400, 200, 400)];
    let args = ["m.jani", "--policy", "p.policy.json"];
    assert_eq!(warnings(&folder(400, &json!("x"), &sensible), &args), Vec::<String>::new());
    let twice = folder(400, &compare("/", "x", 400), &sensible);
    let told = warnings(&twice, &args);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("input 0 of the network 0.nnet, 1/400 * x, is in [0, 1]"), "{told:?}");
    assert!(told[0].contains("[0, 400], and the network normalises it: 1/400 * v + -1/2"), "{told:?}");
    let ran = twice.run(&["check", "m.jani", "--policy", "p.policy.json"]);
    assert!(ran.err.contains("normalised twice?"), "{}", ran.err);
}

#[test]
fn networks_of_a_policy_are_compared() {
    let args = ["m.jani", "--policy", "p.policy.json"];
    let (per_second, per_minute) = (nnet(0, 100, 0, 100), nnet(0, 6000, 0, 6000));
    let both = folder(100, &json!("x"), &[per_second.clone(), per_minute.clone(), per_minute]);
    let told = warnings(&both, &args);
    assert!(found(
        &told,
        "the networks 0.nnet and 1.nnet see one variable on different scales: 1/100 * x and 1/6000 * x (and 1 more)"
    ));
    // Networks that were trained on data of their own differ by less.
    let own = folder(100, &json!("x"), &[per_second, nnet(0, 150, 70, 150), nnet(0, 800, 60, 800)]);
    assert_eq!(warnings(&own, &args), Vec::<String>::new());
}

/// Nine networks for VerticalCAS that score nothing; the header divides the rate by `range`.
fn advisers(folder: &Folder, name: &str, range: i64) {
    std::fs::create_dir(folder.path().join(name)).expect("a folder");
    let half = range / 2;
    let header = format!("1,3,9,9,\n3,9,\n0,\n-8000,-{half},0,\n8000,{half},40,\n0,0,20,0,\n16000,{range},40,1,\n");
    let text = header + &"0,0,0,\n".repeat(9) + &"0,\n".repeat(9);
    for i in 1..=9 {
        folder.write(&format!("{name}/vcas_{i}.nnet"), &text);
    }
}

/// Its rate has no bounds, so that only the two scales can be compared: a reading that is not the header's is told.
#[test]
fn the_readings_of_vertical_cas_are_told_by_their_headers() {
    let folder = Folder::new();
    advisers(&folder, "published", 200);
    advisers(&folder, "paper", 5000);
    for (header, units, expected) in [
        ("published", "physical", None),
        (
            "published",
            "paper",
            Some("is 1/25 * v, and the network normalises it again (1/200 * v): together 1/5000 * v"),
        ),
        ("published", "competition", Some("together 1/5000 * v")),
        (
            "published",
            "minute",
            Some("is 12/5 * v, and the network normalises it again (1/200 * v): together 3/250 * v"),
        ),
        ("paper", "paper", None),
        ("paper", "competition", None),
        ("paper", "physical", Some("is 25 * v, and the network normalises it again (1/5000 * v): together 1/200 * v")),
        ("paper", "minute", Some("together 3/250 * v")),
    ] {
        let (networks, units) = (format!("networks={header}"), format!("units={units}"));
        let ran = folder.run(&["zoo", "generate", "verticalcas", &networks, &units, "--out", "cas"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let told =
            warnings(&folder, &["cas/model.jani", "--properties", "cas/properties.jani", "--const", "climb_rate=1"]);
        assert_eq!(found(&told, UNBOUNDED), expected.is_some(), "{header}, {units}: {told:?}");
        assert!(expected.is_none_or(
            |words| found(&told, words) && found(&told, "[-100, 100] (and 8 more)") == (header == "published")
        ));
        assert!(!found(&told, HEADER) && !found(&told, NARROW) && !found(&told, APART), "{header}, {units}: {told:?}");
    }
}
