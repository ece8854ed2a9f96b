//! The shared models, lowered: all of them as a whole, and in some states against the reference interpreter.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::operators::Comparison;
use common::states;
use surefoot_fixtures::{Random, shared_data};
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, Values};
use surefoot_model::{Interpreter, LabelId, Model, State};
use surefoot_symbolic::Lowering;
use surefoot_testkit::data::{constants_of, shared_models};
use surefoot_testkit::{declared_initial_state, load};
use surefoot_text::diagnostic::Diagnostic;

/// Lowers all that there is; the refusals met.
fn lower_all(model: &Model, questions: &[Question]) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut lowering = Lowering::new(model, None)?;
    let mut refusals = Vec::new();
    for vector in model.vector_numbers() {
        match lowering.operators(vector, None, 5_000) {
            Ok(operators) => refusals.extend(operators.iter().filter_map(|o| lowering.operator(o).err())),
            Err(refusal) => refusals.push(refusal),
        }
        lowering.guards_defined(vector)?;
    }
    for label in (0..model.labels.len() as u32).map(LabelId) {
        lowering.applicable(label, None)?;
    }
    for question in questions {
        match question {
            Question::Safety(safety) => drop(lowering.safety(safety, None)?),
            Question::Filter(filter) => match &filter.values {
                Values::Path(formula) | Values::Compare(_, formula, _) => {
                    for term in formula.left.iter().chain([&formula.right]) {
                        lowering.condition(*term, Some(filter.span), "the property")?;
                    }
                }
                Values::Expected(sum) | Values::CompareExpected(_, sum, _) => {
                    lowering.condition(sum.reach, Some(filter.span), "the property")?;
                }
                Values::State(term) => drop(lowering.condition(*term, Some(filter.span), "the property")?),
            },
        }
    }
    Ok(refusals)
}

/// Some states that can be reached, and some others.
fn some_states(model: &Model, most: usize) -> Vec<State> {
    let interpreter = Interpreter::new(model);
    let mut found: Vec<State> = declared_initial_state(model).into_iter().collect();
    let mut next = 0;
    while next < found.len() && found.len() < most {
        for choice in interpreter.choices(&found[next].clone()).unwrap_or_default() {
            for state in choice.outcomes.into_iter().flat_map(|outcome| outcome.successors) {
                if !found.contains(&state) {
                    found.push(state);
                }
            }
        }
        next += 1;
    }
    found.truncate(most);
    found.extend(states(&mut Random::new(most as u64), model, most));
    found
}

#[test]
fn shared_models_are_lowered() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    for (path, constants) in shared_models(&folder) {
        let (mut lowered, _) = load(&path, None, &constants_of(&constants));
        let properties = 0..lowered.syntax().properties.len();
        let questions: Vec<Question> = properties.filter_map(|p| lowered.question(p).ok()).collect();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let refusals = lower_all(&lowered.model, &questions).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
        let expected: (usize, &str) = match &*name {
            // Six stations and channels step at once: 32 million operators, but few at given locations.
            "echoring.jani" => (9, "the synchronisation vector of the 'msg_arrives' action of"),
            // A line through two points: the quotient of two differences times a variable, rounded.
            "for_ppa_racetrack.jani" => (2, "in an assignment of (silent) (map: edge 11)"),
            _ => (0, ""),
        };
        assert_eq!(refusals.len(), expected.0, "{name}: {refusals:?}");
        assert!(refusals.first().is_none_or(|r| r.message.contains(expected.1)), "{name}: {refusals:?}");
        assert!(refusals.iter().all(|r| r.refused.is_some() && r.span.is_some() && r.help.is_some()), "{refusals:?}");
        let mut comparison = Comparison::new(&lowered.model, None).unwrap();
        for state in some_states(&lowered.model, 40) {
            comparison.compare(&state);
        }
        assert!(comparison.compared > 0, "{name}");
    }
}

#[test]
fn shared_policies_are_lowered() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")).map(|data| data.join("plaja")) else { return };
    let costs = serde_json::json!({"failing_probability": 0.5, "item_cost_bound": 3});
    let none = serde_json::json!({});
    let small = "blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani";
    for (model, constants) in [(small, &costs), ("for_ppa_simple.jani", &none), ("for_nn_sat.jani", &none)] {
        let (mut lowered, mut sources) = load(&folder.join(model), None, &constants_of(constants));
        let mut read = 0;
        for property in 0..lowered.syntax().properties.len() {
            let Ok(Question::Safety(safety)) = lowered.question(property) else { continue };
            let Some(file) = &safety.policy_file else { continue };
            let (policy, _) = read_policy(&mut lowered, &mut sources, &file.value).unwrap();
            read += 1;
            let mut lowering = Lowering::new(&lowered.model, Some(&policy)).unwrap();
            let symbolic = lowering.policy().unwrap().unwrap();
            assert_eq!(symbolic.networks.len(), policy.networks.len());
            assert!(symbolic.covered.is_truth());
        }
        assert!(read > 0, "{model} names a policy");
    }
}
