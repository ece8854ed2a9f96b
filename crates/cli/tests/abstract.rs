//! `abstract` on the shipped examples and small models.

mod common;

use std::path::Path;

use common::{Folder, Ran, compare, counter_folder, filter, quantified, timeless};
use serde_json::{Value, json};

fn at_least(variable: &str, values: std::ops::Range<i64>) -> Vec<Value> {
    values.map(|value| compare("≥", variable, value)).collect()
}

/// An example with a predicate for every value of every variable, so that the abstraction is the state space.
fn split(name: &str) -> (Folder, Vec<String>) {
    let predicates = match name {
        "parking" => [at_least("distance", 1..60), at_least("speed", 1..9), vec![json!("crashed")]].concat(),
        "lift" => {
            let integers = ["position", "target", "waited"].map(|name| at_least(name, 1..9));
            [integers.concat(), vec![json!("door")]].concat()
        }
        _ => [at_least("level", 1..20), at_least("rain", 1..4), vec![json!("spilled")]].concat(),
    };
    let folder = Folder::new();
    folder.write_json("p.json", &json!(predicates));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = |file: &str| example.join(file).to_str().expect("UTF-8").to_owned();
    let args = ["abstract", &text("model.jani"), "--properties", &text("properties.jani"), "--predicates", "p.json"];
    (folder, args.map(str::to_owned).to_vec())
}

fn with<'a>(args: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    args.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

fn figures(object: &Value) -> [u64; 5] {
    ["start_states", "reachable_states", "expanded_states", "unsafe_states", "terminal_states"]
        .map(|key| object["statistics"][key].as_u64().expect("a number"))
}

/// The counter up to 5, which is unsafe, with a predicate for every value.
fn counted() -> Folder {
    let folder = counter_folder(5, &compare("=", "x", 5));
    folder.write_json("p.json", &json!(at_least("x", 1..6)));
    folder
}

const COUNTER: [&str; 6] = ["abstract", "m.jani", "--policy", "counter.policy.json", "--predicates", "p.json"];

fn counter_run(folder: &Folder, more: &[&str]) -> (i32, Value) {
    folder.run_json(&[&COUNTER, more].concat())
}

fn counter_text(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&COUNTER, more].concat())
}

#[test]
fn split_to_the_last_value_it_is_the_state_space() {
    for (name, expected) in [("parking", [105, 277, 277, 0, 0]), ("lift", [5, 121, 121, 0, 0])] {
        let (folder, args) = split(name);
        let (code, object) = folder.run_json(&with(&args, &[]));
        assert_eq!((code, &object["verdict"], figures(&object)), (0, &json!("holds"), expected), "{name}");
        assert_eq!((&object["reason"], &object["abstract_path"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn nine_predicates_are_enough_for_parking() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/parking");
    let text = |file: &str| example.join(file).to_str().expect("UTF-8").to_owned();
    let (model, properties, predicates) = (text("model.jani"), text("properties.jani"), text("predicates.json"));
    let args = ["abstract", &model, "--properties", &properties, "--predicates", &predicates];
    let (code, object) = Folder::new().run_json(&args);
    assert_eq!((code, figures(&object)), (0, [5, 31, 31, 0, 0]));
    assert_eq!((&object["statistics"]["predicates"], &object["statistics"]["transitions"]), (&json!(9), &json!(50)));
}

#[test]
fn an_unsafe_abstract_state_is_no_violation() {
    let (folder, args) = split("reservoir");
    let (code, object) = folder.run_json(&with(&args, &[]));
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    assert_eq!(object["reason"], "an abstract unsafe state is reached");
    assert_eq!(object["witness"], Value::Null);
    let steps = object["abstract_path"]["steps"].as_array().expect("steps");
    let labels: Vec<&str> = steps.iter().filter_map(|step| step["label"].as_str()).collect();
    assert_eq!(labels, ["shut", "worsen", "shut", "worsen", "shut"]);
    let last = steps.last().expect("a step")["state"]["predicates"].as_array().expect("literals");
    assert!(last.contains(&json!("spilled")), "{last:?}");
    let ran = folder.run(&with(&args, &["--quiet"]));
    assert!(ran.out.starts_with("unknown: an abstract unsafe state is reached\n"), "{}", ran.out);
    assert!(ran.out.contains("which need not be one of the model"), "{}", ran.out);
    let expanded = folder.run_json(&with(&args, &["--expand-unsafe"])).1;
    assert_eq!(expanded["statistics"]["expanded_states"], expanded["statistics"]["reachable_states"]);
    let first = folder.run_json(&with(&args, &["--first-unsafe"])).1;
    assert!(first["statistics"]["expanded_states"].as_u64() < object["statistics"]["expanded_states"].as_u64());
}

#[test]
fn methods_agree_but_for_the_one_without_the_policy() {
    let folder = counted();
    let (code, builtin) = counter_run(&folder, &[]);
    assert_eq!((code, figures(&builtin)), (0, [1, 4, 4, 0, 0]));
    for method in ["pa+relaxed", "pa+bb", "pa+relaxed+smt"] {
        let (code, object) = counter_run(&folder, &["--method", method]);
        assert_eq!((code, figures(&object)), (0, figures(&builtin)), "{method}");
        assert_eq!(object["engine"], format!("abstraction ({method})"));
    }
    let (code, plain) = counter_run(&folder, &["--method", "pa"]);
    assert_eq!((code, figures(&plain)), (3, [1, 6, 5, 1, 0]));
}

#[test]
fn the_same_on_any_number_of_threads() {
    for name in ["lift", "reservoir"] {
        let (folder, args) = split(name);
        let run = |threads: &str, graph: &str| {
            let object = folder.run_json(&with(&args, &["--threads", threads, "--graph", graph, "--deadlocks"])).1;
            let mut object = timeless(object);
            object["graph"] = Value::Null;
            (object, folder.read(graph))
        };
        assert_eq!(run("1", "one.json"), run("4", "four.json"), "{name}");
    }
}

#[test]
fn transitions_are_pairs_or_moves() {
    let folder = counter_folder(6, &compare("=", "x", 6));
    // No predicate tells states below 6 apart: all moves are loops.
    folder.write_json("p.json", &json!([compare("≥", "x", 6)]));
    let transitions = |more: &[&str]| counter_run(&folder, more).1["statistics"]["transitions"].clone();
    assert_eq!(transitions(&[]), 2);
    // Up and down, the jump's two outcomes, and the jump to 6.
    assert_eq!(transitions(&["--count", "operator"]), 4);
}

#[test]
fn graphs_in_three_formats() {
    let folder = counted();
    for file in ["g.json", "g.dot", "g.graphml"] {
        let (code, object) = counter_run(&folder, &["--graph", file]);
        assert_eq!((code, &object["graph"]), (0, &json!(file)));
    }
    let graph = folder.read_json("g.json");
    let (nodes, edges) = (graph["nodes"].as_array().expect("nodes"), graph["edges"].as_array().expect("edges"));
    assert_eq!((nodes.len(), &graph["complete"]), (4, &json!(true)));
    assert_eq!(nodes[0]["predicates"], json!(["x <= 0", "x <= 1", "x <= 2", "x <= 3", "x <= 4"]));
    assert_eq!(
        (&nodes[0]["start"], &nodes[0]["unsafe"], &nodes[0]["terminal"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(nodes[0]["locations"], json!({"a": "l"}));
    assert_eq!((&edges[0]["source"], &edges[0]["target"], &edges[0]["label"]), (&json!(0), &json!(1), &json!("up")));
    assert_eq!((&edges[0]["operator"], &edges[0]["outcome"]), (&json!("up (a: edge 0)"), &json!([0])));
    assert_eq!(edges[0]["witness"]["x"], 0);
    let dot = folder.read("g.dot");
    assert!(dot.starts_with("digraph \"counter\" {") && dot.trim_end().ends_with('}'), "{dot}");
    assert!(dot.contains("s0 -> s1 [label=\"up\"];") && dot.contains("peripheries=2"), "{dot}");
    let graphml = folder.read("g.graphml");
    assert_eq!(graphml.matches("<node ").count(), 4);
    assert_eq!(graphml.matches("<edge ").count(), edges.len());
    assert!(graphml.contains("attr.name=\"x &gt;= 1\""), "{graphml}");
    assert_eq!(graphml.matches("<data ").count(), graphml.matches("</data>").count());
}

#[test]
fn deadlocks_of_the_lift() {
    let (folder, args) = split("lift");
    let (_, object) = folder.run_json(&with(&args, &["--deadlocks"]));
    assert_eq!((&object["statistics"]["deadlocks"], &object["deadlocks"]), (&json!(0), &json!([])));
    let (code, object) = folder.run_json(&with(&args, &["--deadlocks", "--filter", "off"]));
    assert_eq!((code, figures(&object)), (0, [5, 96, 96, 0, 25]));
    let deadlocks = object["deadlocks"].as_array().expect("a list");
    assert_eq!(deadlocks.iter().filter(|deadlock| deadlock["terminal"] == true).count(), 25);
    assert_eq!(deadlocks[0]["label"], "open");
    assert_eq!(deadlocks[0]["witness"]["door"], false);
    // Every value is told apart, so an abstract state is a state: all are reached, the first ones at the start.
    assert!(deadlocks.iter().all(|deadlock| deadlock["reached"] == true), "{deadlocks:?}");
    for deadlock in deadlocks {
        let run = deadlock["run"].as_array().expect("a run");
        assert_eq!(run.last(), Some(&deadlock["witness"]));
    }
    let ran = folder.run(&with(&args, &["--deadlocks", "--filter", "off"]));
    assert!(ran.out.contains(&format!("deadlocks {0}, {0} of them reached by a run", deadlocks.len())), "{}", ran.out);
}

#[test]
fn deadlocks_that_runs_come_to_and_others() {
    let folder = Folder::new();
    common::write_policy(&folder);
    folder.write_json("p.json", &json!([]));
    // The policy goes up to 3 and comes back, and back is possible only below a bound.
    let run = |bound: i64, more: &[&str]| {
        let mut model = common::counter(6, &[common::property("safe", &common::never(&compare("=", "x", 6)))]);
        let edges = model["automata"][0]["edges"].as_array_mut().expect("edges");
        edges.truncate(2);
        edges[1]["guard"] = json!({"exp": compare("∧", compare("<", 0, "x"), compare("<", "x", bound))});
        folder.write_json("m.jani", &model);
        let ran = counter_text(&folder, &[&["--deadlocks", "--plaja-compat"], more].concat());
        let object = counter_run(&folder, &[&["--deadlocks", "--plaja-compat"], more].concat()).1;
        assert_eq!((&object["deadlocks"][0]["label"], &object["deadlocks"][1]), (&json!("down"), &Value::Null));
        (object["deadlocks"][0].clone(), ran.out)
    };
    let (deadlock, text) = run(3, &[]);
    let values: Vec<&Value> = deadlock["run"].as_array().expect("a run").iter().map(|state| &state["x"]).collect();
    assert_eq!((&deadlock["reached"], values), (&json!(true), vec![&json!(0), &json!(1), &json!(2), &json!(3)]));
    assert!(text.contains("reached in 3 steps at x=3"), "{text}");
    let (deadlock, text) = run(4, &[]);
    assert_eq!((&deadlock["reached"], &deadlock["run"]), (&json!(false), &Value::Null));
    assert!(deadlock["witness"]["x"].as_i64() > Some(3) && text.contains("never reached"), "{text}");
}

#[test]
fn predicates_in_every_shape() {
    let folder = counted();
    let expected = figures(&counter_run(&folder, &[]).1);
    let list = json!(at_least("x", 1..6));
    let property = json!({"name": "p", "expression": {"op": "PA", "predicates": {"file": "list.json"}}});
    folder.write_json("list.json", &list);
    for shape in [
        json!({"predicates": list}),
        json!({"op": "PA", "predicates": list, "reach": true}),
        json!({"properties": [property]}),
        json!({"file": "list.json"}),
    ] {
        folder.write_json("p.json", &shape);
        let (code, object) = counter_run(&folder, &[]);
        assert_eq!((code, figures(&object)), (0, expected), "{shape}");
        assert!(object["inputs"]["p.json"].is_string(), "{}", object["inputs"]);
    }
}

#[test]
fn constants_and_duplicates_are_dropped_unless_as_plaja_counts() {
    let folder = counted();
    let more = [compare("≥", "x", 0), compare("<", "x", 3), compare(">", "x", 2)];
    folder.write_json("p.json", &json!([at_least("x", 1..6), more.to_vec()].concat()));
    let ran = counter_text(&folder, &[]);
    assert!(ran.err.contains("predicate 5 is left out: it is always true"), "{}", ran.err);
    assert!(ran.err.contains("predicate 6 (x <= 2) is left out: it says as much as x >= 3"), "{}", ran.err);
    let predicates = |more: &[&str]| counter_run(&folder, more).1["statistics"]["predicates"].clone();
    assert_eq!((predicates(&[]), predicates(&["--plaja-compat"])), (json!(5), json!(8)));
}

#[test]
fn plaja_expands_unsafe_start_states() {
    let folder = counter_folder(5, &compare("≤", "x", 1));
    folder.write_json("p.json", &json!(at_least("x", 1..6)));
    assert_eq!(figures(&counter_run(&folder, &[]).1), [1, 1, 0, 1, 0]);
    assert_eq!(figures(&counter_run(&folder, &["--plaja-compat"]).1), [1, 2, 1, 2, 0]);
}

#[test]
fn limits_are_unknown_and_leave_what_was_found() {
    let folder = counted();
    let cases: [(&[&str], &str, u64, u64); 4] = [
        // No question is asked after the time is over, not even for start states.
        (&["--time-limit", "0"], "the time limit of 0 s was reached", 0, 0),
        (&["--memory-limit", "0"], "the memory limit of 0 MB was reached", 1, 0),
        (&["--max-states", "0"], "the limit of 0 abstract states was reached", 1, 0),
        (&["--max-states", "3"], "the limit of 3 abstract states was reached", 3, 2),
    ];
    for (limit, reason, reached, expanded) in cases {
        let (code, object) = counter_run(&folder, &[limit, &["--graph", "g.json"]].concat());
        assert_eq!((code, &object["verdict"], &object["reason"]), (3, &json!("unknown"), &json!(reason)), "{limit:?}");
        assert_eq!(figures(&object), [reached.min(1), reached, expanded, 0, 0], "{limit:?}");
        let graph = folder.read_json("g.json");
        let nodes = graph["nodes"].as_array().expect("nodes");
        assert_eq!((nodes.len() as u64, &graph["complete"]), (reached, &json!(false)), "{limit:?}");
        let marked = nodes.iter().filter(|node| node["expanded"] == true).count() as u64;
        assert_eq!(marked, expanded, "{limit:?}");
        let ran = counter_text(&folder, limit);
        assert!(ran.out.starts_with(&format!("unknown: {reason}\n")), "{}", ran.out);
    }
    let (code, object) = counter_run(&folder, &["--max-states", "4"]);
    assert_eq!((code, figures(&object)), (0, [1, 4, 4, 0, 0]), "as many as there are");
}

#[test]
fn events_tell_how_far_it_is() {
    let folder = counted();
    counter_run(&folder, &["--events", "e.jsonl"]);
    let events = folder.read("e.jsonl");
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [first, .., last] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&first["event"], &first["states"]), (&json!("start"), &json!(0)));
    let figures = ["event", "states", "expanded", "queue", "depth", "verdict"].map(|key| last[key].clone());
    assert_eq!(json!(figures), json!(["end", 4, 4, 0, 4, "holds"]));
    assert!(last["questions"].as_u64() > Some(0), "{last}");
    counter_run(&folder, &["--events", "e.jsonl", "--max-states", "3"]);
    let last: Value = serde_json::from_str(folder.read("e.jsonl").lines().last().expect("a line")).expect("JSON");
    let figures = ["states", "expanded", "queue", "verdict"].map(|key| last[key].clone());
    assert_eq!(json!(figures), json!([3, 2, 1, "unknown"]));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = counted();
    folder.write_json("none.json", &json!({"x": 1}));
    folder.write_json("unknown.json", &json!([compare("≥", "y", 1)]));
    folder.write_json("number.json", &json!([7]));
    let cases: [(&[&str], &str); 9] = [
        (&[], "the property has none of its own"),
        (&["--predicates", "missing.json"], "cannot read missing.json"),
        (&["--predicates", "none.json"], "there are no predicates here"),
        (&["--predicates", "unknown.json"], "y"),
        (&["--predicates", "number.json"], "number.json"),
        (&["--predicates", "p.json", "--graph", "g.pdf"], "names no format for graphs"),
        (&["--predicates", "p.json", "--graph", "p.json"], "would overwrite the input p.json"),
        (&["--predicates", "p.json", "--method", "magic"], "magic"),
        (&["--predicates", "p.json", "--count", "twice"], "twice"),
    ];
    for (args, expected) in cases {
        let args: Vec<&str> = ["abstract", "m.jani"].iter().chain(args).copied().collect();
        let ran = folder.run(&args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    assert_eq!(folder.read_json("p.json").as_array().map(Vec::len), Some(5));
}

#[test]
fn only_safety_can_be_abstracted() {
    let folder = Folder::new();
    let reach = compare("=", "x", 2);
    let properties = [
        common::property("safe", &filter("∀", &quantified("∀", "G", &compare("<", "x", 6)))),
        common::property("reach", &filter("∃", &quantified("∃", "F", &reach))),
        common::property("probability", &filter("max", &quantified("Pmax", "F", &reach))),
        common::property("start", &filter("∀", &reach)),
        common::property("listed", &json!({"op": "PA", "predicates": [reach]})),
    ];
    folder.write_json("m.jani", &common::counter(5, &properties));
    let run = |property: &str, more: &[&str]| {
        folder.run(&[&["abstract", "m.jani", "--quiet", "--property", property], more].concat())
    };
    let ran = run("safe", &["--ignore-predicates"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for property in ["reach", "probability", "start"] {
        assert_eq!(run(property, &["--ignore-predicates"]).code, 2, "{property}");
    }
    let ran = run("listed", &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("done: the property does not say what is unsafe\n"), "{}", ran.out);
    // An empty start set proves nothing.
    let empty = json!({"op": "PA", "start": compare(">", "x", 9), "reach": reach, "predicates": []});
    folder.write_json("m.jani", &common::counter(5, &[common::property("empty", &empty)]));
    assert_eq!(folder.run(&["abstract", "m.jani"]).code, 2);
}
