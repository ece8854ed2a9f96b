//! Racetrack instances read back, and the rules of the game in plain Rust, written without a look at the generator's.
#![allow(clippy::unwrap_used, reason = "for tests only")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "the numbers of a test are small"
)]

use std::collections::{BTreeMap, BTreeSet};

use surefoot_explicit::{Ending, Exploration, Task, explore};
use surefoot_limits::Limits;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Choice, Interpreter, State};
use surefoot_num::Rational;
use surefoot_testkit::{Truth, data, declared_initial_state, load};
use surefoot_verdict::Silent;
use surefoot_zoo::{Instance, ParameterError};

pub(crate) fn generate(settings: &[&str]) -> Result<Instance, ParameterError> {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    surefoot_zoo::generate("racetrack", &settings)
}

/// An instance that was written and read.
pub(crate) struct Race {
    pub(crate) lowered: Lowered,
    pub(crate) safety: Safety,
    pub(crate) policy: Option<Policy>,
}

/// A state, by what its variables mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Car {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) dx: i64,
    pub(crate) dy: i64,
    pub(crate) crashed: bool,
    pub(crate) finished: bool,
}

/// A state and its probability in percent.
pub(crate) type Outcome = (Car, i64);

/// Equal states with the sum of their probabilities; impossible ones left out.
pub(crate) fn merged(outcomes: &[Outcome]) -> BTreeMap<Car, i64> {
    let mut merged = BTreeMap::new();
    for (car, percent) in outcomes.iter().filter(|(_, percent)| *percent > 0) {
        *merged.entry(*car).or_default() += percent;
    }
    merged
}

impl Race {
    pub(crate) fn new(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let instance = generate(settings).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
        instance.write(folder.path()).unwrap();
        let properties = folder.path().join("properties.jani");
        let (mut lowered, mut sources) = load(&folder.path().join("model.jani"), Some(&properties), &[]);
        assert!(lowered.notes.is_empty(), "{}", data::show(&lowered.notes, &sources));
        let question = lowered.question(0).unwrap_or_else(|e| panic!("{}", data::show(&[e], &sources)));
        for other in 1..lowered.syntax().properties.len() {
            lowered.question(other).unwrap_or_else(|e| panic!("{}", data::show(&[e], &sources)));
        }
        let Question::Safety(safety) = question else { panic!("a safety property") };
        let policy = instance.policy.is_some().then(|| {
            let read = read_policy(&mut lowered, &mut sources, &folder.path().join("policy.policy.json"));
            read.unwrap_or_else(|errors| panic!("{}", data::show(&errors, &sources))).0
        });
        Self { lowered, safety, policy }
    }

    pub(crate) fn task<'a>(&'a self, policy: Option<&'a Policy>) -> Task<'a> {
        Task {
            model: &self.lowered.model,
            policy,
            start: &self.safety.start,
            reach: self.safety.reach,
            goal: self.safety.goal,
            goal_terminal: false,
            absorb: None,
            dropped: None,
            stop_at_reach: false,
            threads: 1,
            limits: Limits::default(),
        }
    }

    pub(crate) fn explore(&self, policy: Option<&Policy>) -> Exploration {
        let exploration = explore(&self.task(policy), &Silent);
        assert_eq!(exploration.ending, Ending::Complete);
        exploration
    }

    pub(crate) fn car(&self, state: &State) -> Car {
        let int = |name: &str| state.get(self.lowered.model.slot(name).unwrap()).to_i64().unwrap();
        Car {
            x: int("car0_x"),
            y: int("car0_y"),
            dx: int("car0_dx"),
            dy: int("car0_dy"),
            crashed: int("car0_crashed") == 1,
            finished: int("car0_finished") == 1,
        }
    }

    /// The model's own start.
    pub(crate) fn start(&self) -> Car {
        self.car(&declared_initial_state(&self.lowered.model).unwrap())
    }

    fn label(&self, choice: &Choice) -> Option<&str> {
        choice.label.map(|label| &*self.lowered.model.labels[label.0 as usize])
    }

    /// States after an acceleration, and after the silent move where there is one, with percents.
    pub(crate) fn step(&self, state: &State, ax: i64, ay: i64) -> Vec<(State, i64)> {
        let interpreter = Interpreter::new(&self.lowered.model);
        let name = format!("accel0_{ax}_{ay}");
        let mut choices = interpreter.choices(state).unwrap();
        choices.retain(|choice| self.label(choice) == Some(&name));
        assert!(choices.len() <= 1, "edges of an action exclude each other");
        let outcomes = choices.into_iter().flat_map(|choice| choice.outcomes);
        let settled = outcomes.map(|outcome| {
            let percent = (&outcome.probability * &Rational::from(100)).to_i64().unwrap();
            (self.settle(&interpreter, outcome.successors[0].clone()), percent)
        });
        settled.collect()
    }

    fn settle(&self, interpreter: &Interpreter<'_>, state: State) -> State {
        let choices = interpreter.choices(&state).unwrap();
        let silent: Vec<&Choice> = choices.iter().filter(|choice| choice.label.is_none()).collect();
        assert!(silent.is_empty() || choices.len() == 1, "a car on its way does nothing but move");
        silent.first().map_or(state, |choice| choice.outcomes[0].successors[0].clone())
    }

    /// What the policy chooses, and where that leads.
    pub(crate) fn policy_step(&self, state: &State) -> Option<(String, State)> {
        let permitted = Interpreter::new(&self.lowered.model).permitted_choices(state, self.policy.as_ref()).unwrap();
        assert!(permitted.len() <= 1);
        let choice = permitted.first()?;
        Some((self.label(choice)?.to_owned(), choice.outcomes[0].successors[0].clone()))
    }

    /// All reachable states, by the reference interpreter.
    pub(crate) fn reachable(&self) -> BTreeSet<State> {
        let model = &self.lowered.model;
        let visited = Truth::new(model, None).reachable(vec![declared_initial_state(model).unwrap()]);
        assert!(visited.iter().all(|(_, step)| step.errors.is_empty()), "an error of the model");
        visited.into_iter().map(|(state, _)| state).collect()
    }
}

/// The rules of the game.
pub(crate) struct Rules {
    rows: Vec<Vec<char>>,
    limit: i64,
    full: bool,
}

impl Rules {
    pub(crate) fn new(map: &str, limit: i64, full: bool) -> Self {
        Self { rows: map.lines().map(|line| line.chars().collect()).collect(), limit, full }
    }

    /// Those of a built-in map.
    pub(crate) fn of(race: &Race, map: &str, limit: i64) -> Self {
        let file = format!("{}/src/domains/racetrack/maps/{map}.txt", env!("CARGO_MANIFEST_DIR"));
        let full = race.lowered.model.slot("car0_moving").is_some();
        Self::new(&std::fs::read_to_string(file).unwrap(), limit, full)
    }

    pub(crate) fn cell(&self, x: i64, y: i64) -> char {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        row.and_then(|row| row.get(usize::try_from(x).ok()?)).copied().unwrap_or('x')
    }

    pub(crate) fn drive(&self, car: &Car, ax: i64, ay: i64) -> Car {
        let new = |d: i64, a: i64| if (d + a).abs() > self.limit { d } else { d + a };
        let mut after = Car { dx: new(car.dx, ax), dy: new(car.dy, ay), ..*car };
        let steps = after.dx.abs().max(after.dy.abs()).max(1);
        for i in if self.full { 1..=steps } else { steps..=steps } {
            let share = |d: i64| (i as f64 * d as f64 / steps as f64).round() as i64;
            let (x, y) = (car.x + share(after.dx), car.y + share(after.dy));
            match self.cell(x, y) {
                'x' => return Car { x: car.x, y: car.y, crashed: true, ..after },
                'g' => return Car { x, y, finished: true, ..after },
                _ => (after.x, after.y) = (x, y),
            }
        }
        after
    }

    /// All cars that are on their way.
    pub(crate) fn everywhere(&self) -> Vec<Car> {
        let places = (0..self.rows.len() as i64).flat_map(|y| (0..self.rows[0].len() as i64).map(move |x| (x, y)));
        let open = places.filter(|(x, y)| matches!(self.cell(*x, *y), '.' | 's'));
        let speeds: Vec<(i64, i64)> =
            (-self.limit..=self.limit).flat_map(|dx| (-self.limit..=self.limit).map(move |dy| (dx, dy))).collect();
        open.flat_map(|(x, y)| {
            speeds.iter().map(move |(dx, dy)| Car { x, y, dx: *dx, dy: *dy, crashed: false, finished: false })
        })
        .collect()
    }

    /// All cars that one can become.
    pub(crate) fn reachable(&self, start: Car) -> BTreeSet<Car> {
        let (mut open, mut seen) = (vec![start], BTreeSet::from([start]));
        while let Some(car) = open.pop() {
            if car.crashed || car.finished {
                continue;
            }
            for (ax, ay) in (-1..=1).flat_map(|ax| (-1..=1).map(move |ay| (ax, ay))) {
                let next = self.drive(&car, ax, ay);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }

    pub(crate) fn can_finish(&self, car: &Car) -> bool {
        self.reachable(*car).iter().any(|car| car.finished)
    }
}
