//! What pages show of random models under random policies, against brute force: which states there are and what is known of them, what leads to what, and
//! what the policy chooses where.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Unpacked, budget, problem};
use serde_json::{Value, json};
use surefoot_fixtures::seeds;
use surefoot_linear::{Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{Interpreter, LabelId, State, TermId};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_report::names::Names;
use surefoot_report::states::Known;
use surefoot_report::{Material, report};
use surefoot_testkit::{Case, Size, Truth, all_states, for_seeds, load_text, random_policy};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::result::Command;
use surefoot_verify::{EngineChoice, Problem, ResultObject, Told, Verdict, VerifyOptions, verify};

/// Marks of states.
const NOTHING: f64 = 0.0;
const SAFE: f64 = 1.0;
const DANGEROUS: f64 = 2.0;
const UNSAFE: f64 = 3.0;
const UNREACHED: f64 = 4.0;

/// How many pages had something of a kind: a test that never sees it shows nothing.
#[derive(Default)]
struct Seen {
    states: AtomicUsize,
    slices: AtomicUsize,
    ties: AtomicUsize,
    invariants: AtomicUsize,
    edges: AtomicUsize,
}

fn seen(which: &AtomicUsize) {
    which.fetch_add(1, Ordering::Relaxed);
}

/// A state as a page has it, to be compared.
fn key(values: &[f64]) -> Vec<i64> {
    values.iter().map(|value| Rational::from_f64(*value).unwrap().to_i64().unwrap()).collect()
}

/// Brute force: all reachable states with what can follow them, and whether an unsafe one can be reached.
fn reachable(problem: &Problem) -> Option<BTreeMap<State, (Vec<State>, bool)>> {
    let query = &problem.query;
    let states = all_states(problem.model(), 4_000)?;
    let truth = Truth {
        reach: query.target,
        stop_at_reach: false,
        goal: query.goal.filter(|_| query.goal_terminal),
        goal_terminal: query.goal_terminal,
        ..Truth::new(problem.model(), problem.policy())
    };
    let found = truth.reachable(truth.starts(&query.start, &states));
    if found.iter().any(|(_, step)| step.unclear || !step.errors.is_empty()) || found.is_empty() {
        return None;
    }
    let mut known: BTreeMap<State, (Vec<State>, bool)> =
        found.into_iter().map(|(state, step)| (state, (step.successors, step.reached))).collect();
    loop {
        let more: Vec<State> = known
            .iter()
            .filter(|(_, (successors, can))| !can && successors.iter().any(|next| known[next].1))
            .map(|(state, _)| state.clone())
            .collect();
        if more.is_empty() {
            return Some(known);
        }
        more.into_iter().for_each(|state| known.get_mut(&state).unwrap().1 = true);
    }
}

/// What the policy chooses by the reference: all labels whose scores are maximal; `None` where it is not asked.
fn chosen(problem: &Problem, state: &State) -> Option<BTreeSet<u32>> {
    let mut policy = problem.policy().unwrap().clone();
    if policy.ties == Ties::First {
        policy.ties = Ties::Any;
    }
    let interpreter = problem.interpreter();
    let applicable = interpreter.applicable_labels(state).ok()?;
    let Outputs::Labels(labels) = &policy.outputs else { return None };
    if !labels.iter().any(|label| applicable.contains(label)) {
        return None;
    }
    let permitted = policy.permitted(&interpreter, state, &applicable).ok()?;
    Some(permitted.labels.into_iter().map(|LabelId(label)| label).collect())
}

/// That a column has a choice: an action, a tie or none.
fn check_choice(action: f64, small: bool, expected: Option<&BTreeSet<u32>>, seen_of: &Seen, place: &str) {
    let (none, tie) = if small { (255.0, 254.0) } else { (65_535.0, 65_534.0) };
    match expected.map(|labels| labels.iter().copied().collect::<Vec<u32>>()).as_deref() {
        None | Some([]) => assert_eq!(action, none, "{place}: nothing is chosen"),
        Some([one]) => assert_eq!(action, f64::from(*one), "{place}"),
        Some(_) => {
            seen(&seen_of.ties);
            assert_eq!(action, tie, "{place}: a tie");
        }
    }
}

fn check_slices(
    problem: &Problem,
    page: &Unpacked,
    known: &BTreeMap<State, (Vec<State>, bool)>,
    proved: bool,
    seen_of: &Seen,
) {
    let names = Names::new(problem);
    for map in page.json["slices"]["maps"].as_array().into_iter().flatten() {
        seen(&seen_of.slices);
        let index = |key: &str| usize::try_from(map[key].as_u64().unwrap()).unwrap();
        let numbers =
            |key: &str| map[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<f64>>();
        let base: Vec<f64> = page.json["slices"]["bases"][index("base")]["state"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect();
        let (actions, marks) = (page.column(&map["action"]), page.column(&map["mark"]));
        let small = map["action"]["type"] == "u8";
        let (xs, ys) = (numbers("xs"), numbers("ys"));
        for (row, y) in ys.iter().enumerate() {
            for (column, x) in xs.iter().enumerate() {
                let mut values = base.clone();
                (values[index("x")], values[index("y")]) = (*x, *y);
                let state = names.state(&values).unwrap();
                let cell = row * xs.len() + column;
                check_choice(actions[cell], small, chosen(problem, &state).as_ref(), seen_of, &format!("{values:?}"));
                check_mark(marks[cell], problem, &state, known, proved);
            }
        }
    }
}

fn check_mark(mark: f64, problem: &Problem, state: &State, known: &BTreeMap<State, (Vec<State>, bool)>, proved: bool) {
    let is_unsafe =
        problem.query.target.is_some_and(|target| problem.interpreter().holds(target, state).unwrap_or(false));
    match known.get(state) {
        Some(_) if is_unsafe => assert_eq!(mark, UNSAFE, "{state:?}"),
        Some((_, true)) => assert_eq!(mark, DANGEROUS, "{state:?}"),
        Some((_, false)) => assert_eq!(mark, SAFE, "{state:?}"),
        // An abstraction may hold states that no run comes to.
        None if proved => assert!(mark == UNREACHED || mark == SAFE || mark == NOTHING, "{state:?}: {mark}"),
        None => assert_eq!(mark, UNREACHED, "{state:?}"),
    }
}

/// All states, what is known of them, and what leads to what.
fn check_states(problem: &Problem, page: &Unpacked, known: &BTreeMap<State, (Vec<State>, bool)>, seen_of: &Seen) {
    let names = Names::new(problem);
    let told = &page.json["states"];
    assert!(told.is_object(), "there are few states, and none are shown");
    seen(&seen_of.states);
    let rows = page.rows(&told["values"]);
    let states: BTreeSet<Vec<i64>> = rows.iter().map(|row| key(row)).collect();
    let expected: BTreeSet<Vec<i64>> = known.keys().map(|state| key(&names.values(state))).collect();
    assert_eq!(states, expected);
    assert_eq!(rows.len(), states.len(), "no state is there twice");
    let marks = page.column(&told["mark"]);
    for (row, mark) in rows.iter().zip(marks) {
        check_mark(mark, problem, &names.state(row).unwrap(), known, false);
    }
    if problem.policy().is_some() {
        let actions = page.column(&told["action"]);
        for (row, action) in rows.iter().zip(actions) {
            let expected = chosen(problem, &names.state(row).unwrap());
            check_choice(action, told["action"]["type"] == "u8", expected.as_ref(), seen_of, &format!("{row:?}"));
        }
    }
}

/// The concrete graph: attributes that are variables give the state, edges what follows it.
fn check_graph(problem: &Problem, page: &Unpacked, known: &BTreeMap<State, (Vec<State>, bool)>, seen_of: &Seen) {
    let (names, graph) = (Names::new(problem), &page.json["graph"]);
    if graph["kind"] != "concrete" {
        return;
    }
    let attributes = graph["attributes"].as_array().unwrap();
    let rows = page.rows(&graph["columns"]);
    let state = |row: &Vec<f64>| {
        let mut values = vec![0.0; names.variables.len()];
        for (attribute, value) in attributes.iter().zip(row) {
            if let Some(variable) = attribute["variable"].as_u64() {
                values[usize::try_from(variable).unwrap()] = *value;
            }
        }
        values
    };
    let states: Vec<State> = rows.iter().map(|row| names.state(&state(row)).unwrap()).collect();
    let (offsets, targets) = (page.column(&graph["edges"]["offsets"]), page.column(&graph["edges"]["targets"]));
    let whole = |value: f64| usize::try_from(key(&[value])[0]).unwrap();
    for (number, state) in states.iter().enumerate() {
        let edges = whole(offsets[number])..whole(offsets[number + 1]);
        let found: BTreeSet<&State> = targets[edges].iter().map(|target| &states[whole(*target)]).collect();
        let expected: BTreeSet<&State> = known[state].0.iter().collect();
        assert_eq!(found, expected, "what follows {state:?}");
        seen(&seen_of.edges);
    }
    check_tree(page, graph, &rows);
}

/// The groups of a graph: ranges of states that agree in the attributes of their level, parts that make up the whole.
fn check_tree(page: &Unpacked, graph: &Value, rows: &[Vec<f64>]) {
    let of = |key: &str| page.column(&graph["tree"][key]);
    let (lo, hi, level) = (of("lo"), of("hi"), of("level"));
    let whole = |value: f64| usize::try_from(key(&[value])[0]).unwrap();
    let (x, y, w, h) = (of("x"), of("y"), of("w"), of("h"));
    assert_eq!((lo[0], whole(hi[0])), (0.0, rows.len()));
    for node in 0..lo.len() {
        let agreed = graph["levels"][whole(level[node])]["attributes"].as_u64().unwrap();
        let group = &rows[whole(lo[node])..whole(hi[node])];
        let agreed = usize::try_from(agreed).unwrap();
        assert!(group.windows(2).all(|pair| pair[0][..agreed] == pair[1][..agreed]), "states of a group agree");
        // Its children follow it in preorder.
        let mut next = lo[node];
        let mut child = node + 1;
        let mut parts = 0;
        while child < lo.len() && lo[child] < hi[node] {
            if lo[child] == next {
                next = hi[child];
                parts += 1;
                assert!(x[child] >= x[node] && y[child] >= y[node] && x[child] + w[child] <= x[node] + w[node] + 1e-3);
                assert!(y[child] + h[child] <= y[node] + h[node] + 1e-3);
            }
            child += 1;
        }
        assert!(parts == 0 || next == hi[node], "its parts make up a group");
        assert!(parts != 1, "a group has two parts or none");
    }
}

/// The page of a problem that an engine decided.
fn page(problem: &Problem, engine: EngineChoice) -> Option<(Unpacked, bool)> {
    let options = VerifyOptions { engine, sketch: true, ..VerifyOptions::default() };
    let found = verify(problem, &options, &budget(), &Silent).ok()?;
    let holds = matches!(found.verdict, Verdict::Holds(_));
    let result = ResultObject::about(Command::Verify, 0, problem).verified(problem, &found);
    let told = Told::Verified(Box::new(found));
    let budget = budget();
    let material = Material::of(problem, &result, &told, String::new(), None, &budget);
    check_proof(&material);
    let (page, columns) = report(&material);
    Some((Unpacked::new(&page, &columns), holds))
}

/// From no state that an invariant proves safe an unsafe one is reached; how many states it says that of.
fn check_proof(material: &Material<'_>) -> usize {
    let (problem, known) = (material.problem, Known::new(material, None));
    let Some(states) = all_states(problem.model(), 1_000) else { return 0 };
    let query = &problem.query;
    let goal = query.goal.filter(|_| query.goal_terminal);
    let model = Truth::new(problem.model(), problem.policy());
    let truth = Truth { reach: query.target, stop_at_reach: true, goal, goal_terminal: query.goal_terminal, ..model };
    let safe: BTreeSet<&State> = states.iter().filter(|state| f64::from(known.mark(state)) == SAFE).collect();
    for state in &safe {
        let step = truth.step(state);
        assert!(!step.reached, "{state:?} is unsafe");
        assert!(step.successors.iter().all(|next| safe.contains(next)), "{state:?}: {:?}", step.successors);
    }
    safe.len()
}

/// The policy does what is bad where a number is large, which nothing has made it: only where it is as it was is anything proved.
#[test]
fn states_that_were_written_are_not_proved_safe() {
    let bounded = |most: i64| json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": most});
    let edge = |action: &str, value: i64| json!({"location": "l", "action": action, "destinations": [{"location": "l", "assignments": [{"ref": "p", "value": value}]}]});
    let model = json!({
        "jani-version": 1, "name": "m", "type": "lts", "actions": [{"name": "good"}, {"name": "bad"}],
        "variables": [{"name": "p", "type": bounded(2), "initial-value": 0},
                      {"name": "c", "type": bounded(9), "initial-value": 0}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
                      "edges": [edge("good", 1), edge("bad", 2)]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "q", "expression": {"op": "PA", "reach": {"op": "=", "left": "p", "right": 2}}}],
    });
    let layer = Layer::new(1, vec![-1.0, 1.0], vec![4.5, -4.5], Activation::Identity).unwrap();
    let network = PolicyNetwork {
        when: None,
        inputs: vec![Linear::symbol(Symbol::at(2))],
        network: Arc::new(Network::new(vec![layer]).unwrap()),
        file: "given".to_owned(),
    };
    let labels = (0..2).map(LabelId::at).collect();
    let policy = Policy { networks: vec![network], outputs: Outputs::Labels(labels), filter: false, ties: Ties::First };
    let problem = problem(load_text(&model.to_string()), Some(policy), 0);
    let options = VerifyOptions { engine: EngineChoice::CEGAR, sketch: true, ..VerifyOptions::default() };
    let found = verify(&problem, &options, &budget(), &Silent).unwrap();
    let result = ResultObject::about(Command::Verify, 0, &problem).verified(&problem, &found);
    let (told, budget) = (Told::Verified(Box::new(found)), budget());
    let material = Material::of(&problem, &result, &told, String::new(), None, &budget);
    assert_eq!(check_proof(&material), 2, "what is safe for p up to 1, and c at 0");
    let (page, columns) = report(&material);
    let page = Unpacked::new(&page, &columns);
    assert!(page.json["invariant"].to_string().contains("c = 0"), "{}", page.json["invariant"]);
}

fn check(case: &Case, seen_of: &Seen) {
    let mut random = case.random();
    let lowered = load_text(&case.jani);
    let policy = if random.percent(80) { random_policy(&mut random, &lowered.model, &[]) } else { None };
    let problem = problem(lowered, policy, 0);
    let Some(known) = reachable(&problem) else { return };
    for engine in [EngineChoice::EXPLICIT, EngineChoice::CEGAR] {
        let Some((page, holds)) = page(&problem, engine) else { continue };
        check_states(&problem, &page, &known, seen_of);
        check_graph(&problem, &page, &known, seen_of);
        check_slices(&problem, &page, &known, false, seen_of);
        if engine == EngineChoice::CEGAR && holds {
            seen(&seen_of.invariants);
            check_invariant(&case.jani, &problem, &page, &known);
        }
    }
}

/// A condition in words, read again.
enum Condition {
    Term(TermId),
    At(usize, i64),
}

impl Condition {
    fn new(text: &str, lowered: &mut Lowered) -> Self {
        if let Some((automaton, location)) = text.split_once(" at ") {
            let instances = &lowered.model.instances;
            let instance = instances.iter().position(|instance| *instance.name == *automaton).unwrap();
            let place = instances[instance].locations.iter().position(|known| *known.name == *location).unwrap();
            return Self::At(instance, i64::try_from(place).unwrap());
        }
        let mut sources = SourceMap::default();
        let file = sources.add("words", text);
        let term = surefoot_temporal::lower::condition(&sources, file, lowered);
        Self::Term(term.unwrap_or_else(|error| panic!("'{text}' cannot be read: {}", error.message)))
    }

    fn holds(&self, lowered: &Lowered, state: &State) -> bool {
        match self {
            Self::At(instance, place) => state.0[*instance] == Rational::from(*place),
            Self::Term(term) => Interpreter::new(&lowered.model).holds(*term, state).unwrap(),
        }
    }
}

/// The invariant of refinement: every reachable state is in a box of the abstract graph, and its ranges hold of all of them.
fn check_invariant(jani: &str, problem: &Problem, page: &Unpacked, known: &BTreeMap<State, (Vec<State>, bool)>) {
    let names = Names::new(problem);
    for range in page.json["invariant"]["ranges"].as_array().into_iter().flatten() {
        let variable = usize::try_from(range["variable"].as_u64().unwrap()).unwrap();
        let (lower, upper) = (range["lower"].as_f64().unwrap(), range["upper"].as_f64().unwrap());
        for state in known.keys() {
            let value = names.values(state)[variable];
            assert!(lower <= value && value <= upper, "{state:?} is outside of the range {range}");
        }
    }
    // Every reachable state satisfies what all regions share, and one of them.
    let mut lowered = load_text(jani);
    let invariant = &page.json["invariant"];
    let mut texts = |list: &Value| -> Vec<Condition> {
        let texts = list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned());
        texts.map(|text| Condition::new(&text, &mut lowered)).collect()
    };
    let common = texts(&invariant["common"]);
    let regions: Vec<Vec<Condition>> = invariant["regions"].as_array().into_iter().flatten().map(&mut texts).collect();
    for state in known.keys() {
        assert!(
            common.iter().all(|condition| condition.holds(&lowered, state)),
            "what all regions share fails in {state:?}"
        );
        let within = |region: &Vec<Condition>| region.iter().all(|condition| condition.holds(&lowered, state));
        assert!(regions.iter().any(within), "{state:?} is in no region");
    }
    assert_eq!(page.json["graph"]["kind"], "abstract");
    assert_eq!(page.json["graph"]["count"], page.json["invariant"]["count"]);
}

#[test]
fn pages_show_what_is_so() {
    let seen_of = Seen::default();
    let size = Size { states: 150, ..Size::default() };
    for_seeds(seeds(0, 120), &size, |case| check(case, &seen_of));
    for (what, count) in [
        ("states", &seen_of.states),
        ("slices", &seen_of.slices),
        ("ties", &seen_of.ties),
        ("invariants", &seen_of.invariants),
        ("edges", &seen_of.edges),
    ] {
        assert!(count.load(Ordering::Relaxed) > 0, "no page had {what}");
    }
}
