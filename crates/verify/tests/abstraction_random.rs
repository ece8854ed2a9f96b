//! What abstractions say about random models under random policies, against the explicit engine.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::cell::Cell;

use common::{budget, problem};
use surefoot_fixtures::seeds;
use surefoot_model::model::Domain;
use surefoot_model::property::Question;
use surefoot_model::term::CmpOp;
use surefoot_model::{SlotId, TermId};
use surefoot_num::Rational;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Case, Size, for_seeds, load_text, random_policy};
use surefoot_verdict::Silent;
use surefoot_verify::certify::{Certifying, Subject};
use surefoot_verify::{AbstractOptions, EngineChoice, Failure, Verdict, abstraction, verify};

const CASES: u64 = 150;
/// Variables with more values are split less finely.
const MOST_CUTS: i64 = 6;

#[test]
fn what_is_proved_is_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let certifying = Certifying { file: None, check: Some(folder.path().to_owned()) };
    let certified = Cell::new(0u32);
    let (proved, erred, stuck) = (Cell::new(0u32), Cell::new(0u32), Cell::new(0u32));
    for_seeds(seeds(24_000_000, CASES), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let mut conditions: Vec<TermId> = Vec::new();
        for property in 0..PROPERTIES {
            let Ok(Question::Safety(safety)) = lowered.question(property) else { panic!("not a safety property") };
            conditions.extend(safety.reach);
        }
        let policy =
            if random.percent(80) { random_policy(&mut random, &lowered.model, &conditions[1..]) } else { None };
        let mut predicates = conditions.clone();
        for slot in lowered.model.instances.len()..lowered.model.slots.len() {
            let Domain::Int { .. } = lowered.model.slots[slot].domain else { continue };
            let Some((lower, upper)) = lowered.model.slots[slot].domain.int_bounds() else { continue };
            let ty = lowered.model.slots[slot].domain.ty();
            for value in (lower + 1..=upper).take(MOST_CUTS as usize) {
                let terms = &mut lowered.model.terms;
                let (slot, value) = (terms.slot(SlotId::at(slot), ty), terms.num(Rational::from(value)));
                predicates.push(terms.cmp(CmpOp::Le, value, slot));
            }
        }
        let problem = problem(lowered, policy, 0);
        let options = AbstractOptions { deadlocks: true, keep: true, ..AbstractOptions::default() };
        let result = match abstraction(&problem, &predicates, &options, &budget(1), &Silent) {
            Ok(result) => result,
            // What cannot be lowered.
            Err(failure) if failure.is_refusal() => return,
            // Empty start sets, and errors of the model that were met: exploration meets one too.
            Err(failure) => {
                assert!(matches!(failure, Failure::Input(_)), "{failure:?}");
                let explored = verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(1), &Silent);
                assert!(explored.is_err(), "{failure:?}, and {explored:?}");
                erred.set(erred.get() + 1);
                return;
            }
        };
        for deadlock in result.deadlocks.iter().flat_map(|deadlocks| &deadlocks.found) {
            let Ok(choices) = problem.interpreter().permitted_choices(&deadlock.witness, problem.policy()) else {
                continue;
            };
            let label = &problem.model().labels[deadlock.label.0 as usize];
            let state = deadlock.witness.describe(problem.model());
            assert!(choices.iter().all(|choice| choice.label != Some(deadlock.label)), "{label} in {state}");
            stuck.set(stuck.get() + 1);
        }
        if !matches!(result.conclusion, Some(Verdict::Holds(_))) {
            assert!(matches!(result.conclusion, Some(Verdict::Unknown(_))), "{:?}", result.conclusion);
            return;
        }
        let outcome =
            verify(&problem, &EngineChoice::EXPLICIT.into(), &budget(1), &Silent).expect("errors are excluded");
        assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{:?}", outcome.verdict);
        let subject = Subject { engine: "abstraction", assume_no_errors: false, rests_on: &[] };
        let evidence = result.conclusion.as_ref().and_then(Verdict::evidence);
        let certificate = certifying.certify(&problem, &subject, evidence, &budget(1));
        let certificate = certificate.expect("the checker accepts what is written");
        certified.set(certified.get() + u32::from(certificate.record.is_some_and(|record| record.checked)));
        proved.set(proved.get() + 1);
    });
    let counts = (proved.get(), erred.get(), stuck.get());
    // Some policies have no certificates: those that compute values, and ties within a tolerance.
    assert!(2 * certified.get() > counts.0, "{} of {} are certified", certified.get(), counts.0);
    assert!(counts.0 > 10 && counts.1 > 0 && counts.2 > 10, "{counts:?}");
}
