//! Questions about policies that PlaJA's own tests ask: relaxed ones, and a car that never accelerates.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::read;
use serde_json::{Value, json};
use surefoot_abstraction::{Abstraction, Configuration, Method, Options, Oracles, PredicateSet, System, search};
use surefoot_fixtures::shared_data;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::property::{Question as Property, Safety};
use surefoot_model::{Model, SlotId, State};
use surefoot_network::{ReadOptions, read_file};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Kind, Limits, Oracle, Question, Variable};
use surefoot_symbolic::Lowering;
use surefoot_testkit::load_text;
use surefoot_verdict::Silent;
use surefoot_verify::{Problem, Request, Selection};

fn plaja() -> Option<PathBuf> {
    Some(shared_data(env!("CARGO_MANIFEST_DIR"))?.join("plaja"))
}

/// Questions over the reals about `for_nn_sat`.
struct Relaxed<'m> {
    lowering: Lowering<'m>,
    variables: Vec<Variable>,
    predicates: Vec<Formula>,
}

impl<'m> Relaxed<'m> {
    fn new(problem: &'m Problem, safety: &Safety) -> Self {
        let mut lowering = Lowering::new(problem.model(), problem.policy()).unwrap();
        let predicates = lowering.safety(safety, None).unwrap().predicates.unwrap();
        let predicates = predicates.iter().map(|predicate| lowering.space().normal(&predicate.holds)).collect();
        let variables = problem.model().slots.iter().map(|slot| {
            let (lower, upper) = slot.domain.int_bounds().unwrap();
            Variable { kind: Kind::Real, ..Variable::integer(lower, upper) }
        });
        Self { variables: variables.collect(), lowering, predicates }
    }

    /// What truth values of the predicates say, after an update.
    fn literals(&self, values: [bool; 4], update: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
        let space = self.lowering.space();
        let literal = |(predicate, value): (&Formula, bool)| {
            let literal = if value { predicate.clone() } else { space.negated(predicate) };
            space.substitute(&literal, update)
        };
        Formula::all(self.predicates.iter().zip(values).map(literal))
    }

    /// Is there a point of the abstract state at which the policy chooses the label, and something else holds?
    fn chooses(&mut self, label: &str, values: [bool; 4], also: Formula) -> bool {
        let policy = self.lowering.policy().unwrap().unwrap();
        let Outputs::Labels(labels) = &policy.outputs else { panic!("no labels") };
        let model = self.lowering.model();
        let output = labels.iter().position(|l| &*model.labels[l.0 as usize] == label).unwrap();
        let [network] = policy.networks.as_slice() else { panic!("one network") };
        let application = Application { network: network.network.clone(), inputs: network.inputs.clone() };
        let frame = Question {
            variables: self.variables.clone(),
            applications: vec![application],
            formula: self.literals(values, &|_| None),
        };
        let chosen = frame.chosen(0, output, &surefoot_oracle::Ties::Any, |_| Formula::truth());
        let question = Question { formula: Formula::all([frame.formula.clone(), chosen, also]), ..frame };
        let mut oracle = BranchAndBound::new(surefoot_oracle::Options::default());
        match oracle.decide(&question, &Limits::default()) {
            Answer::Sat(_) => true,
            Answer::Unsat => false,
            Answer::Unknown(limit) => panic!("{limit}"),
        }
    }
}

fn for_nn_sat(property: usize) -> Option<(Problem, Safety)> {
    let model = plaja()?.join("for_nn_sat.jani");
    let request = Request {
        model: (&model).into(),
        property: Some(property.to_string()),
        plaja_compat: true,
        ..Request::default()
    };
    let mut problem = read(&request, Selection::Abstract);
    let Ok(Property::Safety(safety)) = problem.lowered.question(property) else { panic!("no safety property") };
    Some((problem, safety))
}

const F: bool = false;
const T: bool = true;

#[test]
fn relaxed_selections_in_for_nn_sat() {
    let Some((problem, safety)) = for_nn_sat(0) else { return };
    let mut relaxed = Relaxed::new(&problem, &safety);
    for (first, second, expected) in [(F, F, [T, T, F]), (T, F, [F, T, F]), (T, T, [F, F, T]), (F, T, [F, F, F])] {
        let values = [first, second, T, F];
        let found = ["label1", "label2", "label3"].map(|label| relaxed.chooses(label, values, Formula::truth()));
        assert_eq!(found, expected, "{values:?}");
    }
}

#[test]
fn relaxed_transitions_of_for_nn_sat_with_unused_variables() {
    let Some((problem, safety)) = for_nn_sat(1) else { return };
    let mut relaxed = Relaxed::new(&problem, &safety);
    let model = problem.model();
    let vector = (0..model.vectors.len() as u32)
        .find(|v| model.vectors[*v as usize].label.is_some_and(|label| &*model.labels[label.0 as usize] == "label1"));
    let operators = relaxed.lowering.operators(vector.unwrap(), None, 10).unwrap();
    let [operator] = operators.as_slice() else { panic!("one operator") };
    let operator = relaxed.lowering.operator(operator).unwrap();
    let guard = operator.guard.holds.clone();
    let [outcome] = operator.outcomes.as_slice() else { panic!("one outcome") };
    let [case] = outcome.cases.as_slice() else { panic!("one case") };
    let update = |symbol: Symbol| {
        case.update.iter().find(|(slot, _)| Symbol::from(*slot) == symbol).map(|(_, form)| form.clone())
    };
    let moved = Formula::all([guard.clone(), case.condition.clone(), case.in_domain.clone()]);

    let base = [F, F, T, F];
    assert!(relaxed.chooses("label1", base, Formula::truth()));
    assert!(!relaxed.chooses("label1", base, guard.clone()));
    let source = [T, F, T, F];
    assert!(relaxed.chooses("label1", source, guard));
    assert!(relaxed.chooses("label1", source, moved.clone()));
    for (target, expected) in [(base, F), ([T, F, T, F], F), ([T, T, T, F], T)] {
        let there = relaxed.literals(target, &update);
        assert_eq!(relaxed.chooses("label1", source, Formula::all([moved.clone(), there])), expected, "{target:?}");
    }
}

fn slot(model: &Model, name: &str) -> SlotId {
    SlotId(model.slots.iter().position(|slot| &*slot.name == name).unwrap() as u32)
}

/// The policy of an old interface: the network reads position and speed, its outputs are the accelerations in the order of
/// the model's actions.
fn driver(model: &Model, file: &Path) -> Policy {
    let inputs = ["car0_x", "car0_y", "car0_dx", "car0_dy"].map(|name| Linear::symbol(slot(model, name).into()));
    let network = Arc::new(read_file(file, &ReadOptions::default()).unwrap());
    let accelerations = (0..model.labels.len()).filter(|label| model.labels[*label].starts_with("accel0_"));
    let labels: Vec<_> = accelerations.map(surefoot_model::LabelId::at).collect();
    assert_eq!(&*model.labels[labels[4].0 as usize], "accel0_0_0");
    let network = PolicyNetwork { when: None, inputs: inputs.into(), network, file: file.display().to_string() };
    Policy { networks: vec![network], outputs: Outputs::Labels(labels), filter: false, ties: Ties::Plaja }
}

/// The small racetrack and its property. Where the map interpolates (by divisions, some of them by zero) it has any value
/// instead: these two assignments are beyond linear constraints, and what is claimed here holds whatever they are.
fn racetrack(folder: &Path) -> Lowered {
    let json =
        |file: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(folder.join(file)).unwrap()).unwrap() };
    let (mut model, more) = (json("for_ppa_racetrack.jani"), json("tiny_c_car_v_car_relaxed.jani"));
    let properties = model["properties"].as_array_mut().unwrap();
    properties.extend(more["properties"].as_array().unwrap().iter().cloned());
    let mut replaced = 0;
    for edge in model["automata"][1]["edges"].as_array_mut().unwrap() {
        let assignments = edge["destinations"][0].get_mut("assignments").and_then(Value::as_array_mut);
        for assignment in assignments.into_iter().flatten().filter(|a| a["value"].to_string().contains("\"/\"")) {
            assert_eq!(assignment["ref"], "next_pos");
            *assignment = json!({"ref": "next_pos", "lower-bound": -5, "upper-bound": 10});
            replaced += 1;
        }
    }
    assert_eq!(replaced, 2);
    load_text(&model.to_string())
}

/// Its abstraction from the initial state with the given speeds.
fn race(dx: i64, dy: i64, method: Method) -> Option<Abstraction> {
    let folder = plaja()?;
    let mut lowered = racetrack(&folder);
    let Ok(Property::Safety(mut safety)) = lowered.question(8) else { panic!("no safety property") };
    let model = &lowered.model;
    let policy = driver(model, &folder.join("for_ppa_racetrack_1.nnet"));
    let locations = model.instances.iter().map(|instance| Rational::from(i64::from(instance.initial_locations[0])));
    let initial = model.slots[model.instances.len()..].iter().map(|slot| slot.initial.clone().unwrap());
    let mut values: Vec<Rational> = locations.chain(initial).collect();
    values[slot(model, "car0_dx").0 as usize] = Rational::from(dx);
    values[slot(model, "car0_dy").0 as usize] = Rational::from(dy);
    safety.start.conditions.clear();
    safety.start.states = vec![State(values.into())];
    let mut system = System::new(model, Some(&policy), &safety, false).unwrap();
    let (set, _) = PredicateSet::new(system.lowering().space(), &system.given.clone().unwrap(), true);
    let abstraction =
        search(&mut system, &set, &Options { method, ..Options::default() }, &Oracles::seeded(0), &Silent).unwrap();
    assert_eq!(abstraction.stopped, None);
    Some(abstraction)
}

/// Whether the car goes back, in each direction, in all abstract states that are reached.
fn goes_back(abstraction: &Abstraction) -> Vec<[bool; 2]> {
    let values = abstraction.states.iter().map(|(_, state)| [state.values.get(2), state.values.get(3)]);
    values.collect()
}

#[test]
fn a_car_that_never_accelerates() {
    for method in [Method::Builtin, Method::Paper(Configuration::RELAXED)] {
        let Some(still) = race(0, 0, method) else { return };
        assert!(still.states.len() > 1);
        assert!(goes_back(&still).iter().all(|speeds| *speeds == [F, F]), "{method:?}");
        let backwards = goes_back(&race(-1, -1, method).unwrap());
        assert!(backwards.iter().all(|speeds| *speeds == [T, T] || *speeds == [F, F]), "{method:?}");
        assert!(backwards.contains(&[F, F]), "it is stopped ({method:?})");
    }
}
