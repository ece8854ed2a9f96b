//! Integers near and beyond 2^53: refused by name where they are not supported, decided by the engines that have them.

mod common;

use common::{Folder, compare, property};
use serde_json::{Value, json};

const TWO_53: i64 = 1 << 53;

/// `x` goes up by one from `first` as long as it is below `last`.
fn up(domain: (i64, i64), first: i64, last: i64, reach: i64) -> Folder {
    let folder = Folder::new();
    let never = json!({"op": "PA", "start": compare("=", "x", first), "reach": compare("=", "x", reach)});
    let mut model = common::counter(5, &[property("safe", &never)]);
    model["variables"][0]["type"]["lower-bound"] = json!(domain.0);
    model["variables"][0]["type"]["upper-bound"] = json!(domain.1);
    model["variables"][0]["initial-value"] = json!(first);
    let edges = model["automata"][0]["edges"].as_array_mut().expect("edges");
    edges.truncate(1);
    edges[0]["guard"] = json!({"exp": compare("<", "x", last)});
    folder.write_json("m.jani", &model);
    folder.write_json("p.json", &json!([compare("≥", "x", first)]));
    folder
}

fn verify(folder: &Folder, engine: &str) -> (i32, Value) {
    let (code, object) = folder.run_json(&["verify", "m.jani", "--engine", engine]);
    (code, object["verdict"].clone())
}

#[test]
fn what_floats_hold_is_decided_by_all_engines() {
    for (domain, first) in [((0, TWO_53), TWO_53 - 5), ((-TWO_53, 0), -TWO_53), ((-TWO_53, TWO_53), (1 << 31) - 2)] {
        for (reach, expected) in [(first + 4, (1, json!("violated"))), (first + 5, (0, json!("holds")))] {
            let folder = up(domain, first, first + 4, reach);
            for engine in ["auto", "explicit", "cegar", "bmc"] {
                assert_eq!(verify(&folder, engine), expected, "{engine} from {first} to {reach}");
            }
        }
    }
}

#[test]
fn what_they_do_not_hold_is_refused_by_name_and_explored() {
    let domains = [(0, TWO_53 + 1), (-TWO_53 - 1, 0), (0, i64::MAX), (i64::MIN, i64::MAX)];
    for domain in domains {
        let first = if domain.1 == 0 { domain.0 } else { domain.1 - 5 };
        for (reach, expected) in [(first + 4, (1, json!("violated"))), (first + 5, (0, json!("holds")))] {
            let folder = up(domain, first, first + 4, reach);
            for engine in ["auto", "explicit"] {
                assert_eq!(verify(&folder, engine), expected, "{engine} from {first} to {reach}");
            }
            let refused: [&[&str]; 3] = [
                &["verify", "m.jani", "--engine", "cegar"],
                &["verify", "m.jani", "--engine", "bmc"],
                &["abstract", "m.jani", "--predicates", "p.json"],
            ];
            for args in refused {
                let ran = folder.run(args);
                assert_eq!(ran.code, 2, "{args:?}: {}", ran.out);
                for part in ["2^53", "variable 'x'", "--> m.jani:1:", "use the explicit engine"] {
                    assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
                }
            }
        }
    }
}

#[test]
fn auto_goes_on_where_there_are_too_many_states_for_the_first_round() {
    // More states than fit into the first megabyte.
    let folder = up((0, TWO_53 + 200_000), TWO_53, TWO_53 + 200_000, 7);
    assert_eq!(verify(&folder, "auto"), (0, json!("holds")));
}

#[test]
fn an_update_beyond_64_bits_is_an_error_of_the_model() {
    let folder = up((0, i64::MAX), i64::MAX - 2, i64::MAX, 7);
    let mut model = folder.read_json("m.jani");
    model["automata"][0]["edges"][0]["guard"] = json!({"exp": true});
    folder.write_json("m.jani", &model);
    for engine in ["auto", "explicit"] {
        let ran = folder.run(&["verify", "m.jani", "--engine", engine, "--quiet"]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("would get the value 9223372036854775808"), "{engine}: {}", ran.err);
    }
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AG[<=5] x > 3", "--quiet"]);
    assert!(ran.code == 2 && ran.err.contains("9223372036854775808"), "{}{}", ran.out, ran.err);
}
