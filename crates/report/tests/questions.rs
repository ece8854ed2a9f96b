//! The answers to the questions of a served page: against the reference interpreter, all states, and each other.

mod common;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use common::problem;
use common::served::{Client, example, serve};
use serde_json::{Value, json};
use surefoot_model::policy::Outputs;
use surefoot_model::{LabelId, State};
use surefoot_num::Rational;
use surefoot_report::chooser::Chooser;
use surefoot_report::names::Names;
use surefoot_testkit::{all_states, load_text};
use surefoot_verify::Problem;
use surefoot_verify::look::first_start;

const LONG: Duration = Duration::from_secs(60);

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// What can happen, as sets: action, permitted, and outcomes with exact probabilities.
type Moves = BTreeSet<(Option<u32>, bool, BTreeSet<(String, Vec<String>)>)>;

fn told(answer: &Value) -> Moves {
    let outcome = |outcome: &Value| {
        let state = numbers(&outcome["state"]).iter().map(ToString::to_string).collect();
        (outcome["probability"].as_str().expect("text").to_owned(), state)
    };
    let moves = answer["moves"].as_array().expect("a list").iter().map(|told| {
        let action = told["action"].as_u64().map(|action| u32::try_from(action).expect("few"));
        let outcomes = told["outcomes"].as_array().expect("a list").iter().map(outcome).collect();
        (action, told["permitted"] == json!(true), outcomes)
    });
    moves.collect()
}

fn interpreted(problem: &Problem, names: &Names<'_>, state: &State) -> Moves {
    let interpreter = problem.interpreter();
    let permitted = interpreter.permitted_choices(state, problem.policy()).expect("no error");
    let all = interpreter.choices(state).expect("no error");
    let moves = all.iter().map(|choice| {
        let outcomes = choice.outcomes.iter().flat_map(|outcome| {
            let of = |state: &State| {
                (outcome.probability.to_string(), names.values(state).iter().map(ToString::to_string).collect())
            };
            outcome.successors.iter().map(of).collect::<Vec<_>>()
        });
        (choice.label.map(|label| label.0), permitted.contains(choice), outcomes.collect())
    });
    moves.collect()
}

/// Follows answers from a start state, and holds each against the interpreter.
fn walk(client: &Client, problem: &Problem, most: usize) -> usize {
    let names = Names::new(problem);
    let start = names.values(&first_start(problem).expect("a start state"));
    let (mut open, mut seen) = (VecDeque::from([start.clone()]), vec![start]);
    let chooser = Chooser::new(problem).expect("a policy");
    let (mut asked, mut nodes) = (0, BTreeMap::new());
    while let Some(values) = open.pop_front().filter(|_| asked < most) {
        asked += 1;
        let state = names.state(&values).expect("a state");
        let answer = client.ask("state", &json!({"state": values}));
        assert_eq!(answer["problem"], Value::Null);
        assert_eq!(told(&answer), interpreted(problem, &names, &state), "{values:?}");
        let choice = chooser.choice(problem, &state).expect("no error");
        assert_eq!(answer["choice"], serde_json::to_value(&choice).expect("JSON"));
        assert_eq!(answer["start"], json!(asked == 1 || is_start(problem, &state)), "{values:?}");
        let target = problem.query.target.expect("a target");
        assert_eq!(answer["unsafe"], json!(problem.interpreter().holds(target, &state) == Ok(true)));
        let node = answer["node"].as_u64().expect("all states are in the graph");
        assert_eq!(nodes.insert(node, values.clone()), None, "each state has its own node");
        for told in answer["moves"].as_array().expect("a list").iter().filter(|told| told["permitted"] == json!(true)) {
            for outcome in told["outcomes"].as_array().expect("a list") {
                let next = numbers(&outcome["state"]);
                if !seen.contains(&next) {
                    seen.push(next.clone());
                    open.push_back(next);
                }
            }
        }
    }
    // What unfolding says leads to where the steps lead.
    for (node, values) in &nodes {
        let answer = client.ask("unfold", &json!({"node": node}));
        assert_eq!(numbers(&answer["example"]), *values);
        let moves = client.ask("state", &json!({"state": values}));
        let permitted =
            moves["moves"].as_array().expect("a list").iter().filter(|told| told["permitted"] == json!(true));
        let count: usize = permitted.map(|told| told["outcomes"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!(answer["moves"].as_array().map(Vec::len), Some(count));
    }
    asked
}

fn is_start(problem: &Problem, state: &State) -> bool {
    let holds = |condition: &surefoot_model::TermId| problem.interpreter().holds(*condition, state) == Ok(true);
    problem.query.start.conditions.iter().any(holds) || problem.query.lists(state)
}

#[test]
fn states_are_as_the_interpreter_says() {
    for (name, least) in [("parking", 50), ("lift", 20)] {
        let problem = example(name);
        serve(&problem, LONG, &[], |client| {
            let asked = walk(client, &problem, 60);
            assert!(asked >= least, "{name}: {asked}");
        });
    }
}

#[test]
fn states_that_are_none_are_refused() {
    serve(&example("parking"), LONG, &[], |client| {
        for state in [
            json!([0, 20]),
            json!([0, 20, 0, 2]),
            json!([7, 20, 0, 0]),
            json!([0, 20.5, 0, 0]),
            json!([0, 1e300, 0, 0]),
        ] {
            let answer = client.ask("state", &json!({"state": state}));
            assert!(answer["error"].is_string(), "{state}: {answer}");
        }
        let exact = client.ask("state", &json!({"state": [0, 20, 0, 0], "exact": [null, "x", null, null]}));
        assert!(exact["error"].is_string());
    });
}

#[test]
fn regions_are_as_brute_force_says() {
    let problem = example("parking");
    let states = all_states(problem.model(), 100_000).expect("few states");
    let Some(Outputs::Labels(labels)) = problem.policy().map(|policy| policy.outputs.clone()) else { panic!("labels") };
    let value = |state: &State, name: &str| state.get(problem.model().slot(name).expect("a variable")).clone();
    type Inside<'a> = &'a dyn Fn(&State) -> bool;
    let cases: [(&str, Inside<'_>); 5] = [
        ("", &|_| true),
        ("distance <= 3 & speed >= 2", &|s| {
            value(s, "distance") <= Rational::from(3) && value(s, "speed") >= Rational::from(2)
        }),
        ("distance > 20 & speed = 1", &|s| {
            value(s, "distance") > Rational::from(20) && value(s, "speed") == Rational::ONE
        }),
        ("speed > 0 & distance < 1", &|s| value(s, "speed") > Rational::ZERO && value(s, "distance") < Rational::ONE),
        ("false", &|_| false),
    ];
    let mut seen = [0, 0];
    serve(&problem, LONG, &[], |client| {
        for (text, inside) in cases {
            for (label, other) in labels.iter().flat_map(|label| [(label, false), (label, true)]) {
                let answer = client.ask("region", &json!({"text": text, "action": label.0, "other": other}));
                let shows = |state: &&State| {
                    inside(state) && chosen(&problem, state).iter().any(|chosen| (chosen == label) != other)
                };
                let found = states.iter().find(shows);
                assert_eq!(
                    answer["answer"],
                    json!(if found.is_some() { "yes" } else { "no" }),
                    "{text}, {label:?}, {other}: {answer}"
                );
                seen[usize::from(found.is_some())] += 1;
                if found.is_some() {
                    let state = Names::new(&problem).state(&numbers(&answer["state"])).expect("a state");
                    assert!(shows(&&state), "{answer}");
                }
            }
        }
        let wrong = client.ask("region", &json!({"text": "speed <= ", "action": labels[0].0}));
        assert!(wrong["error"].is_string() && wrong["place"] == json!([9, 9]), "{wrong}");
        let unicode = client.ask("region", &json!({"text": "🚗 = 1", "action": labels[0].0}));
        assert_eq!(unicode["place"][0], json!(0), "{unicode}");
        assert!(client.ask("region", &json!({"text": "", "action": 99}))["error"].is_string());
    });
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

/// What may be chosen in a state in which the policy is asked.
fn chosen(problem: &Problem, state: &State) -> Vec<LabelId> {
    let interpreter = problem.interpreter();
    let policy = problem.policy().expect("a policy");
    let Outputs::Labels(labels) = &policy.outputs else { panic!("labels") };
    let applicable = interpreter.applicable_labels(state).expect("no error");
    if !labels.iter().any(|label| applicable.contains(label)) {
        return Vec::new();
    }
    policy.permitted(&interpreter, state, &applicable).expect("no error").labels
}

#[test]
fn a_region_that_takes_too_long_is_not_known() {
    serve(&example("parking"), Duration::ZERO, &[], |client| {
        let answer = client.ask("region", &json!({"text": "distance > 3", "action": 0}));
        assert_eq!(answer["answer"], json!("unknown"), "{answer}");
    });
}

/// Nine predicates that prove the example, as its README has them.
const PREDICATES: [&str; 9] = [
    "speed <= 0",
    "speed <= 1",
    "speed <= 2",
    "speed <= 3",
    "distance >= 1",
    "distance >= 3",
    "distance >= 6",
    "distance >= 10",
    "crashed",
];

#[test]
fn tried_predicates_make_an_abstraction_that_can_be_unfolded() {
    let problem = example("parking");
    serve(&problem, LONG, &PREDICATES, |client| {
        let coarse = client.unpack("predicates", &json!({"texts": []}));
        assert_eq!((&coarse.json["proved"], &coarse.json["graph"]["number"]), (&json!(false), &json!(1)));
        let fine = client.unpack("predicates", &json!({"texts": PREDICATES}));
        let graph = &fine.json["graph"];
        let count = graph["count"].as_u64().expect("a number");
        assert!(count > coarse.json["graph"]["count"].as_u64().expect("a number"));
        assert_eq!(graph["complete"], json!(true));
        assert_eq!(fine.json["added"].as_array().map(Vec::len), Some(PREDICATES.len()));
        let targets = fine.column(&graph["edges"]["targets"]);
        let offsets = fine.column(&graph["edges"]["offsets"]);
        let marks = fine.column(&graph["marks"]);
        let number = &graph["number"];
        for node in 0..count {
            let answer = client.ask("unfold", &json!({"node": node, "graph": number}));
            assert!(!answer["example"].is_null(), "{answer}");
            let found: BTreeSet<u64> = answer["moves"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|told| told["node"].as_u64().expect("it is in the graph"))
                .collect();
            let at = |index: u64| offsets[usize::try_from(index).expect("few")];
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are whole and small")]
            let drawn: BTreeSet<u64> =
                targets[at(node) as usize..at(node + 1) as usize].iter().map(|target| *target as u64).collect();
            assert_eq!(found, drawn, "state {node}");
            for told in answer["moves"].as_array().expect("a list") {
                let node = usize::try_from(told["node"].as_u64().expect("a number")).expect("few");
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "marks are bits")]
                let is_unsafe = marks[node] as u8 & 2 != 0;
                assert_eq!(told["unsafe"], json!(is_unsafe));
            }
        }
        // A state is found in its abstract state.
        let start = Names::new(&problem).values(&first_start(&problem).expect("a start state"));
        let node = client.ask("state", &json!({"state": start, "graph": number}))["node"].clone();
        assert!(node.as_u64().is_some_and(|node| node < count), "{node}");
        // Of the first one nothing is kept.
        assert!(client.ask("unfold", &json!({"node": 0, "graph": 1}))["error"].is_string());
        assert!(client.ask("unfold", &json!({"node": count, "graph": number}))["error"].is_string());
    });
}

#[test]
fn predicates_that_cannot_be_read_are_told_with_their_place() {
    serve(&example("parking"), LONG, &[], |client| {
        let answer = client.ask("predicates", &json!({"texts": ["speed <= 1", "speed <= nothing"]}));
        assert_eq!((&answer["index"], &answer["place"]), (&json!(1), &json!([9, 16])), "{answer}");
        let left_out = client.unpack("predicates", &json!({"texts": ["true", "speed <= 1", "speed < 2"]}));
        let dropped: Vec<&Value> =
            left_out.json["dropped"].as_array().expect("a list").iter().map(|d| &d["index"]).collect();
        assert_eq!(dropped, [&json!(0), &json!(2)], "{}", left_out.json["dropped"]);
    });
}

#[test]
fn slices_are_as_the_policy_chooses() {
    let problem = example("parking");
    let names = Names::new(&problem);
    let variable = |name: &str| names.variables.iter().position(|variable| variable.name == name).expect("a variable");
    let (x, y) = (variable("distance"), variable("speed"));
    let base = names.values(&first_start(&problem).expect("a start state"));
    let chooser = Chooser::new(&problem).expect("a policy");
    serve(&problem, LONG, &[], |client| {
        let answer = client.unpack("slice", &json!({"x": x, "y": y, "state": base}));
        let map = &answer.json["map"];
        let (xs, ys) = (numbers(&map["xs"]), numbers(&map["ys"]));
        let actions = answer.column(&map["action"]);
        for (row, y_value) in ys.iter().enumerate() {
            for (column, x_value) in xs.iter().enumerate() {
                let mut values = base.clone();
                (values[x], values[y]) = (*x_value, *y_value);
                let choice = chooser.choice(&problem, &names.state(&values).expect("a state")).expect("no error");
                let best = choice.as_ref().and_then(|choice| {
                    choice.scores.iter().filter(|score| !score.out).map(|score| score.value).reduce(f64::max)
                });
                let tied = choice
                    .iter()
                    .flat_map(|choice| &choice.scores)
                    .filter(|score| !score.out && Some(score.value) == best)
                    .count();
                let wanted = match (&choice, tied) {
                    (None, _) => 255.0,
                    (Some(choice), 1) => f64::from(choice.chosen[0]),
                    _ => 254.0,
                };
                assert_eq!(actions[row * xs.len() + column], wanted, "{values:?}");
            }
        }
        for wrong in [json!({"x": x, "y": x, "state": base}), json!({"x": x, "y": 99, "state": base})] {
            assert!(client.ask("slice", &wrong)["error"].is_string());
        }
    });
}

#[test]
fn questions_that_take_long_can_be_stopped() {
    serve(&example("parking"), LONG, &[], |client| {
        assert_eq!(client.ask("stop", &json!({})), json!({}));
        // The next question is another one.
        assert_eq!(client.ask("region", &json!({"text": "false", "action": 0}))["answer"], json!("no"));
    });
}

/// Numbers that no float is are told as text, and a question about such a state is about that very one.
#[test]
fn what_unfolding_says_of_large_integers_is_exact() {
    let last = i64::MAX;
    let edge = |from: i64, to: i64| {
        json!({"location": "l", "action": "go", "guard": {"exp": {"op": "=", "left": "x", "right": from}},
            "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": to}]}]})
    };
    let model = json!({
        "jani-version": 1, "name": "large", "type": "mdp", "actions": [{"name": "go"}],
        "variables": [{"name": "x", "initial-value": last - 2,
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": last}}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
            "edges": [edge(last - 2, last - 1), edge(last - 1, last)]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": {"op": "filter", "fun": "∀", "states": {"op": "initial"},
            "values": {"op": "∀", "exp": {"op": "G", "exp": {"op": "≠", "left": "x", "right": 0}}}}}],
    });
    let problem = problem(load_text(&model.to_string()), None, 0);
    serve(&problem, LONG, &[], |client| {
        let mut seen = BTreeSet::new();
        for node in 0..3 {
            let answer = client.ask("unfold", &json!({"node": node}));
            let exact = answer["exact"][0].as_str().expect("text").to_owned();
            for told in answer["moves"].as_array().expect("a list") {
                assert_eq!((&told["from"], &told["from_exact"][0]), (&answer["example"], &json!(exact)));
            }
            let asked = client.ask("state", &json!({"state": answer["example"], "exact": answer["exact"]}));
            assert_eq!(asked["node"], json!(node), "{asked}");
            seen.insert(exact);
        }
        assert_eq!(seen, (last - 2..=last).map(|value| value.to_string()).collect());
        // What is no value of the variable is none as text either.
        for wrong in ["-1", "1/2", "9223372036854775808"] {
            let answer = client.ask("state", &json!({"state": [0], "exact": [wrong]}));
            assert!(
                answer["error"].as_str().is_some_and(|error| error.contains("no value of 'x'")),
                "{wrong}: {answer}"
            );
        }
    });
}
