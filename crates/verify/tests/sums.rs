//! Expected sums (`Emin`, `Emax`, expected steps) and means over start states on random models under random policies, against
//! [`common::sums`] and [`common::truth`].

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::setting::{Setting, compares, operands, size, succeed};
use common::sums::{Adding, Sums, assign, better, keep};
use common::truth::Fault;
use common::{budget, exactly, precise, problem, run, time_limit};
use serde_json::{Value, json};
use surefoot_fixtures::{Random, seeds};
use surefoot_jani::syntax::BinaryOp;
use surefoot_model::property::{Question, Values};
use surefoot_model::{State, Term, TermId};
use surefoot_num::{Direction, Rational};
use surefoot_testkit::shrink::Generator;
use surefoot_testkit::{Case, for_seeds, for_seeds_of, load_text, random_chances, random_model, random_policy};
use surefoot_verdict::{Silent, Verdict};
use surefoot_verify::bounds::expected::{
    ExpectedOutcome, Expecting, Extended, ExtendedInterval, Summed, Until, expect,
};
use surefoot_verify::{Aggregate, Budget, EngineChoice, Failure, Number, Problem, Threshold};

/// The largest process that is solved in fractions here.
const MOST: usize = 40;

/// A random model and something to add up in it.
struct Adds {
    problem: Problem,
    expecting: Expecting,
    adding: Adding,
    /// Whether a step adds what the policy computes.
    computed: bool,
    random: Random,
}

/// A condition of the model's own that reads no transient variable: what these are differs between states and steps.
fn condition(model: &Value, random: &mut Random) -> Value {
    let lasting = |operand: &Value| !["\"t0\"", "\"t1\""].iter().any(|name| operand.to_string().contains(name));
    let all: Vec<Value> = operands(model).into_iter().filter(lasting).collect();
    if all.is_empty() { json!(true) } else { random.pick(&all).clone() }
}

/// What is added up, over the transient variable and over the one that keeps its value.
fn reward(model: &Value, keeps: bool, random: &mut Random) -> [Value; 2] {
    let third = json!({"op": "/", "left": 1, "right": 3});
    let numbers = [json!(0), json!(1), json!(2.5), third];
    let (then, otherwise) = (random.pick(&numbers).clone(), random.pick(&numbers).clone());
    let of_state = json!({"op": "ite", "if": condition(model, random), "then": then, "else": otherwise});
    let way = random.below(4);
    let sign = random.percent(90);
    ["t0", "kept"].map(|name| {
        let assigned = if sign { json!({"op": "abs", "exp": name}) } else { json!(name) };
        match way {
            0 => json!(1),
            1 if keeps => assigned,
            2 if keeps => json!({"op": "+", "left": assigned, "right": of_state}),
            _ => of_state.clone(),
        }
    })
}

impl Adds {
    /// One of several questions about a model.
    fn of(case: &Case, attempt: u64) -> Self {
        let mut random = Random::new(case.seed.wrapping_mul(31).wrapping_add(attempt));
        let mut model: Value = serde_json::from_str(&case.jani).unwrap_or_else(|error| panic!("{error}"));
        if random.percent(70) {
            assign(&mut model, &mut random);
        }
        let initial = keep(&mut model);
        let [asked, known] = reward(&model, initial.is_some(), &mut random);
        let (exit, steps) = *random.pick(&[(true, false), (false, true), (true, true)]);
        let kinds: Vec<&str> =
            [("exit", exit), ("steps", steps)].into_iter().filter(|(_, given)| *given).map(|(kind, _)| kind).collect();
        let (op, function) = (*random.pick(&["Emax", "Emin"]), *random.pick(&["max", "min"]));
        let mut reach = condition(&model, &mut random);
        for _ in 0..random.below(4) {
            reach = json!({"op": "∨", "left": reach, "right": condition(&model, &mut random)});
        }
        let filter = |fun: &str, exp: &Value| {
            let values = json!({"op": op, "exp": exp, "accumulate": kinds, "reach": reach});
            json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}})
        };
        let kept = json!({"op": "=", "left": "kept", "right": initial.unwrap_or(0)});
        let kept = if initial.is_some() { kept } else { json!(true) };
        let properties = model["properties"].as_array_mut().unwrap_or_else(|| panic!("properties"));
        let first = properties.len();
        properties.push(json!({"name": "asked", "expression": filter(function, &asked)}));
        properties.push(json!({"name": "known", "expression": filter("max", &known)}));
        properties.push(json!({"name": "kept", "expression": {"op": "PA", "reach": kept}}));
        let mut lowered = load_text(&model.to_string());
        let mut sum = |p: usize| match lowered.question(p) {
            Ok(Question::Filter(filter)) => match filter.values {
                Values::Expected(sum) => sum,
                other => panic!("not an expected value: {other:?}"),
            },
            other => panic!("not a filter: {other:?}"),
        };
        let (asked, known) = (sum(first), sum(first + 1));
        let mut safety = |p: usize| match lowered.question(p) {
            Ok(Question::Safety(safety)) => safety,
            other => panic!("not a safety property: {other:?}"),
        };
        let (other, forgotten) = (safety(0), safety(first + 2).reach);
        let policy = if random.percent(60) { random_policy(&mut random, &lowered.model, &[]) } else { None };
        let slot = lowered.model.slots.iter().position(|slot| &*slot.name == "kept");
        let mut problem = problem(lowered, policy, first);
        // Filters are over the initial states; more of them make more of the aggregation.
        if random.percent(60) {
            let terms = &mut problem.lowered.model.terms;
            let both = |condition: &TermId| forgotten.map_or(*condition, |kept| terms.and(*condition, kept));
            let conditions = other.start.conditions.iter().map(both).collect();
            problem.query.start.conditions = conditions;
        }
        let expected = problem.query.expected.clone().unwrap_or_else(|| panic!("an expected value was asked for"));
        let adding = Adding {
            exit: exit.then_some(asked.value),
            steps: steps.then_some(known.value),
            reach: asked.reach,
            kept: slot.zip(initial),
        };
        let terms = &problem.model().terms;
        let computes = |id| match terms.get(id) {
            Term::Transient(transient) => problem.policy().and_then(|p| p.output_of_transient(*transient)).is_some(),
            _ => false,
        };
        let computed = steps && terms.reachable(asked.value).into_iter().any(computes);
        Self { expecting: Expecting::asked(&expected, None), problem, adding, computed, random }
    }

    fn expect(&self, expecting: &Expecting, exact: bool, budget: &Budget) -> Result<ExpectedOutcome, Failure> {
        expect(&self.problem, expecting.clone(), (1e-6, exact), budget, &Silent)
    }
}

/// Weights over start states: a term, and what it is.
fn weights(problem: &mut Problem, condition: TermId, random: &mut Random) -> (TermId, [Rational; 2]) {
    let numbers = ["0", "1", "5/7", "1000000007"].map(common::rational);
    let both = [random.pick(&numbers).clone(), random.pick(&numbers).clone()];
    let terms = &mut problem.lowered.model.terms;
    let [then, otherwise] = both.clone().map(|number| terms.num(number));
    (terms.ite(condition, then, otherwise), both)
}

/// The weights of some start states, by the interpreter.
fn weigh(problem: &Problem, condition: TermId, [then, otherwise]: &[Rational; 2], starts: &[State]) -> Vec<Rational> {
    let holds = |state: &State| problem.interpreter().holds(condition, state).unwrap_or_else(|e| panic!("{e:?}"));
    starts.iter().map(|state| if holds(state) { then.clone() } else { otherwise.clone() }).collect()
}

/// A mean by definition; infinite where something that counts is.
fn mean(values: &[Option<Rational>], weights: &[Rational]) -> Option<Rational> {
    let total: Rational = weights.iter().cloned().sum();
    let mut sum = Rational::ZERO;
    for (value, weight) in values.iter().zip(weights).filter(|(_, weight)| !weight.is_zero()) {
        sum = &sum + &(value.as_ref()? * weight);
    }
    sum.checked_div(&total)
}

fn is(interval: &ExtendedInterval, value: &Option<Rational>, exact: bool, what: &str) {
    let end = |end: &Extended| match end {
        Extended::Finite(number) => Some(number.exact()),
        Extended::Infinite => None,
    };
    let (lower, upper) = (end(&interval.lower), end(&interval.upper));
    match value {
        None => assert!(lower.is_none() && upper.is_none(), "{what}: infinite, not {interval:?}"),
        Some(value) if exact => {
            assert_eq!((lower.as_ref(), upper.as_ref()), (Some(value), Some(value)), "{what}, exactly");
        }
        Some(value) => {
            let below = lower.is_some_and(|lower| lower <= *value);
            assert!(below && upper.is_none_or(|upper| *value <= upper), "{what}: {value} is not in {interval:?}");
        }
    }
}

fn extreme(values: &[Option<Rational>], maximal: bool) -> Option<Rational> {
    values.iter().cloned().reduce(|a, b| better(maximal, (a, b))).flatten()
}

/// Values, means and what is refused; whether something finite and not zero was compared.
fn check_sums(mut adds: Adds) -> bool {
    let truth = match Sums::of(&adds.problem, adds.adding, MOST) {
        Err(Fault::Large) => return false,
        Err(Fault::Error) => {
            let result = adds.expect(&adds.expecting, false, &budget(1));
            assert!(matches!(result, Err(Failure::Input(_))), "the model is in error: {result:?}");
            return false;
        }
        Ok(truth) => truth,
    };
    if truth.open || truth.negative || adds.computed {
        let result = adds.expect(&adds.expecting, false, &budget(1));
        assert!(matches!(result, Err(Failure::Input(_))), "{truth:?}: {result:?}");
        return false;
    }
    let maximal = adds.expecting.direction == Direction::Max;
    let values = truth.values(maximal);
    let (condition, reach) = (adds.adding.reach, adds.adding.reach);
    let (term, numbers) = weights(&mut adds.problem, condition, &mut adds.random);
    let given = weigh(&adds.problem, condition, &numbers, &truth.starts);
    let once = vec![Rational::ONE; values.len()];
    for weighted in [false, true] {
        adds.expecting.weights = weighted.then_some(term);
        let counted = if weighted { &given } else { &once };
        for exact in [false, true] {
            let result = adds.expect(&adds.expecting, exact, &budget(1));
            if counted.iter().all(Rational::is_zero) {
                assert!(matches!(result, Err(Failure::Input(_))), "all weights are zero: {result:?}");
                continue;
            }
            let found = result.unwrap_or_else(|failure| panic!("{failure:?}"));
            assert_eq!(found.decision, None, "{found:?}");
            assert_eq!(found.starts as usize, values.len());
            is(&found.smallest, &extreme(&values, false), exact, "smallest");
            is(&found.largest, &extreme(&values, true), exact, "largest");
            is(&found.value, &extreme(&values, adds.expecting.aggregate == Aggregate::Max), exact, "value");
            is(&found.mean, &mean(&values, counted), exact, "mean");
        }
    }
    adds.expecting.weights = None;
    check_comparisons(&mut adds, &values);
    // Limits leave what is true.
    for limits in [time_limit(0.0), time_limit(2e-5), Budget { memory: Some(0), ..budget(1) }] {
        if let Ok(found) = adds.expect(&adds.expecting, false, &limits) {
            let largest = extreme(&values, true);
            let lower = |interval: &ExtendedInterval| match &interval.lower {
                Extended::Finite(number) => Some(number.exact()),
                Extended::Infinite => None,
            };
            let below = better(true, (lower(&found.largest), largest.clone())) == largest;
            assert!(below, "with a limit: {found:?} {values:?}");
        }
    }
    // Steps are the reward one, as `--expect` asks for them.
    let one = adds.problem.lowered.model.terms.num(Rational::ONE);
    let steps = Adding { exit: Some(one), steps: None, ..adds.adding };
    if let Ok(truth) = Sums::of(&adds.problem, steps, MOST) {
        let until = Until::Reach(reach);
        let expecting = Expecting { summed: Summed::Steps, until, aggregate: Aggregate::Max, ..adds.expecting.clone() };
        let found = adds.expect(&expecting, true, &budget(2)).unwrap_or_else(|failure| panic!("{failure:?}"));
        is(&found.value, &extreme(&truth.values(maximal), true), true, "steps");
    }
    values.iter().flatten().any(|value| !value.is_zero())
}

fn check_comparisons(adds: &mut Adds, values: &[Option<Rational>]) {
    let tiny = common::rational("1e-30");
    let mut bounds: Vec<Rational> = vec![Rational::ZERO, Rational::ONE];
    bounds.extend(values.iter().flatten().flat_map(|value| [value.clone(), value + &tiny, value - &tiny]));
    let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];
    for _ in 0..4 {
        let (op, bound) = (*adds.random.pick(&ops), adds.random.pick(&bounds).clone());
        let holds = |value: &Option<Rational>| match value {
            Some(value) => compares(op, value, &bound),
            None => matches!(op, BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne),
        };
        for aggregate in [Aggregate::All, Aggregate::Some] {
            let threshold = Some(Threshold { op, bound: bound.clone() });
            let expecting = Expecting { aggregate, threshold, ..adds.expecting.clone() };
            let found = adds.expect(&expecting, false, &budget(1)).unwrap_or_else(|failure| panic!("{failure:?}"));
            let holds = if aggregate == Aggregate::All { values.iter().all(holds) } else { values.iter().any(holds) };
            let decision = if holds { Verdict::Holds(()) } else { Verdict::Violated(()) };
            assert_eq!(found.decision, Some(decision), "{aggregate:?} {op:?} {bound}: {values:?}");
        }
    }
}

/// Means of probabilities over start states, with and without weights; whether there were several start states.
fn check_means(case: &Case) -> bool {
    let mut setting = Setting::of(case);
    let Ok(values) = setting.values() else { return false };
    let Ok(process) = common::truth::Process::of(&setting.problem, setting.formula, common::setting::MOST) else {
        return false;
    };
    let starts = &process.states[..process.starts];
    let condition = setting.formula.right;
    let (term, numbers) = weights(&mut setting.problem, condition, &mut setting.random);
    let given = weigh(&setting.problem, condition, &numbers, starts);
    setting.quantity().aggregate = Aggregate::Max;
    let all: Vec<Option<Rational>> = values.iter().cloned().map(Some).collect();
    let once = vec![Rational::ONE; values.len()];
    for (weights, counted) in [(None, &once), (Some(term), &given)] {
        for options in [precise(1e-6), exactly()] {
            let exact = options.exact;
            let options = surefoot_verify::BoundsOptions { weights, ..options };
            let result = run(&setting.problem, EngineChoice::EXPLICIT, &options, &budget(1));
            if counted.iter().all(Rational::is_zero) {
                assert!(matches!(result, Err(Failure::Input(_))), "all weights are zero: {result:?}");
                continue;
            }
            let over = succeed(result).over_starts.unwrap_or_else(|| panic!("all start states are known"));
            let interval = |(lower, upper): &(Number, Number)| ExtendedInterval {
                lower: Extended::Finite(lower.clone()),
                upper: Extended::Finite(upper.clone()),
            };
            is(&interval(&over.smallest), &extreme(&all, false), exact, "smallest");
            is(&interval(&over.largest), &extreme(&all, true), exact, "largest");
            is(&interval(&over.mean), &mean(&all, counted), exact, "mean");
        }
    }
    values.len() > 1
}

#[test]
fn expected_sums_agree_on_random_models() {
    for (generator, first) in [(random_model as Generator, 21 << 20), (random_chances, 24 << 20)] {
        let told = AtomicUsize::new(0);
        for_seeds_of(generator, seeds(first, 250), &size(), |case| {
            // Most ends are never reached, or at once: ask until one is not.
            let found = (0..6).any(|attempt| check_sums(Adds::of(case, attempt)));
            told.fetch_add(usize::from(found), Ordering::Relaxed);
        });
        let told = told.into_inner();
        assert!(told > 25, "few sums are finite and not zero: {told}");
    }
}

#[test]
fn means_over_start_states_agree_on_random_models() {
    let several = AtomicUsize::new(0);
    for_seeds(seeds(22 << 20, 300), &size(), |case| {
        several.fetch_add(usize::from(check_means(case)), Ordering::Relaxed);
    });
    assert!(several.into_inner() > 60, "few models have several start states");
}
