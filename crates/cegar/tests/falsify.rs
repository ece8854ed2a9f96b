//! Someone else may end the search with a run, now and then.

use std::cell::Cell;

use surefoot_abstraction::{Oracles, System};
use surefoot_cegar::{Iteration, Observer, Options, Outcome, Strategy, cegar};
use surefoot_fixtures::seeds;
use surefoot_model::State;
use surefoot_testkit::{Case, Instance, Size, for_seeds};

/// Counts refinements and how often it was asked; answers with a run the given time.
struct Asked<'t> {
    instance: &'t Instance,
    starts: &'t [State],
    refinements: u64,
    asked: Vec<u64>,
    answer_at: Option<u64>,
}

impl Observer for Asked<'_> {
    fn iteration(&mut self, iteration: &Iteration<'_>) {
        self.refinements += u64::from(!iteration.added.is_empty());
    }

    fn falsify(&mut self, distance: &dyn Fn(&[i64]) -> u32) -> Option<Vec<State>> {
        self.asked.push(self.refinements);
        let truth = self.instance.truth();
        for state in &self.instance.states {
            if truth.step(state).reached {
                let values = state.to_ints().expect("all variables are integers");
                assert_eq!(distance(&values), 0, "an unsafe state is far from itself: {state:?}");
            }
        }
        (self.answer_at == Some(self.refinements)).then(|| self.starts[..1].to_vec())
    }
}

#[test]
fn the_search_asks_after_powers_of_two_and_ends_with_the_run_it_is_given() {
    let often = Cell::new(0u64);
    // The papers' strategy refines in small steps.
    let strategy = Strategy::by_name("vea-w").expect("a strategy of that name");
    let options = Options { strategy, ..Options::default() };
    for_seeds(seeds(37_000_000, 300), &Size::default(), |case: &Case| {
        let Some(instance) = Instance::new(case, &mut case.random()) else { return };
        let (policy, property) = (instance.policy.as_ref(), &instance.property);
        let starts = instance.starts();
        let run = |answer_at: Option<u64>| {
            let mut system = System::new(instance.model(), policy, property, instance.goal_terminal).ok()?;
            let mut observer =
                Asked { instance: &instance, starts: &starts, refinements: 0, asked: Vec::new(), answer_at };
            let found = cegar(&mut system, &[], &options, &Oracles::seeded(options.seed), &mut observer).ok()?;
            Some((found, observer.refinements, observer.asked))
        };
        let Some((_, refinements, asked)) = run(None) else { return };
        let powers: Vec<u64> = (0..).map(|n| 1 << n).take_while(|power| *power <= refinements).collect();
        assert_eq!(asked, powers);
        let Some(last) = powers.last() else { return };
        let (found, refinements, _) = run(Some(*last)).expect("it ran before");
        assert!(matches!(found.outcome, Outcome::Unsafe(states) if states == starts[..1]));
        assert_eq!(refinements, *last, "it went on");
        often.set(often.get() + 1);
    });
    assert!(often.get() > 3, "{} models with refinements", often.get());
}
