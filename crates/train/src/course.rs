//! Training under way: run after run, an update every few choices, an evaluation now and then.

use std::collections::HashSet;
use std::sync::Arc;

use surefoot_explicit::simulate::{RunEnd, Starts};
use surefoot_limits::{Limits, Stop, Ticker};
use surefoot_model::State;
use surefoot_num::Random;
use surefoot_verdict::Reporter;

use crate::curve::Point;
use crate::dense::{Dense, Shape, uniform};
use crate::environment::{Environment, Standing};
use crate::evaluation::evaluate;
use crate::interface::Interface;
use crate::learner::Learner;
use crate::options::Options;
use crate::problem::Problem;
use crate::replay::{Replay, Transition, fill, words};
use crate::training::{Progress, TrainError, Trained, on_the_way};

/// Choices between looks at the limits.
const STEPS_A_LOOK: u64 = 16;
/// Evaluations have so many choices between them, at least.
const LEAST_EVERY: u64 = 100;
/// So many runs one after the other without a choice are taken as a sign that there is none.
const MOST_EMPTY: u32 = 10_000;
/// States of earlier runs that are kept to begin in, at most.
const MOST_SEEN: usize = 10_000;
/// Updates begin after so many choices for each transition of a batch.
const WARM: u64 = 4;
/// The stream of random numbers of runs and updates.
const LEARNING: u64 = 0;

/// Training under way.
pub(crate) struct Course<'c, 'm> {
    problem: &'c Problem<'m>,
    starts: &'c Starts<'m>,
    interface: &'c Interface,
    options: &'c Options,
    environment: Environment<'m>,
    learner: Learner,
    replay: Replay,
    random: Random,
    /// States in which runs had a choice, where runs may begin in them; in order, and to look them up.
    seen: Vec<State>,
    known: HashSet<State>,
    step: u64,
    episodes: u64,
    /// Since the last evaluation: losses, and what runs earned.
    losses: Mean,
    returns: Mean,
    curve: Vec<Point>,
    best: Option<(f64, u64, Dense)>,
}

/// A mean that grows.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, number: f32) {
        self.sum += f64::from(number);
        self.count += 1;
    }

    /// The mean so far, and from anew.
    fn take(&mut self) -> Option<f64> {
        let Self { sum, count } = std::mem::take(self);
        (count > 0).then(|| sum / f64::from(count))
    }
}

/// What goes on between a choice and the next.
struct Room {
    state: Vec<f32>,
    next: Vec<f32>,
    dead: Vec<u64>,
    allowed: Vec<u64>,
}

impl<'c, 'm> Course<'c, 'm> {
    pub(crate) fn new(
        problem: &'c Problem<'m>,
        starts: &'c Starts<'m>,
        interface: &'c Interface,
        options: &'c Options,
    ) -> Self {
        let mut random = Random::stream(options.seed, LEARNING);
        let (inputs, labels) = (interface.slots().len(), interface.labels().len());
        let sizes = [&[inputs], &options.hidden[..], &[labels]].concat();
        let network = Dense::random(Shape::new(sizes), &mut random);
        // Half of the memory is left for everything else.
        let most = problem.limits.memory.map_or(usize::MAX, |most| most / 2 / Replay::bytes_each(inputs, labels));
        Self {
            problem,
            starts,
            interface,
            options,
            environment: Environment::new(problem, starts, interface, options.rewards, options.run_steps),
            learner: Learner::new(network),
            replay: Replay::new(options.replay.min(most), inputs, labels),
            random,
            seen: Vec::new(),
            known: HashSet::new(),
            step: 0,
            episodes: 0,
            losses: Mean::default(),
            returns: Mean::default(),
            curve: Vec::new(),
            best: None,
        }
    }

    /// Learns until all choices are made; the limit that came first.
    pub(crate) fn run(&mut self, reporter: &dyn Reporter) -> Result<Option<Stop>, TrainError> {
        let labels = words(self.interface.labels().len());
        let inputs = self.interface.slots().len();
        let mut room =
            Room { state: vec![0.0; inputs], next: vec![0.0; inputs], dead: vec![0; labels], allowed: vec![0; labels] };
        let limits = self.problem.limits.clone();
        let mut ticker = Ticker::new(&limits, STEPS_A_LOOK);
        let every = (self.options.steps / self.options.evaluations.max(1)).max(LEAST_EVERY);
        if let Some(stop) = self.evaluate(reporter)? {
            return Ok(Some(stop));
        }
        while self.step < self.options.steps {
            if let Err(stop) = self.begin(&limits)? {
                return Ok(Some(stop));
            }
            let mut earned = 0.0;
            let mut standing = Standing::Choice;
            while standing == Standing::Choice && self.step < self.options.steps {
                if let Err(stop) = ticker.tick() {
                    return Ok(Some(stop));
                }
                standing = self.choose(&mut room)?;
                earned += self.environment.earned();
                self.learn();
                if (self.step.is_multiple_of(every) || self.step == self.options.steps)
                    && let Some(stop) = self.evaluate(reporter)?
                {
                    return Ok(Some(stop));
                }
            }
            if standing != Standing::Choice {
                self.returns.add(earned);
            }
        }
        Ok(None)
    }

    /// Begins a run that has a choice.
    fn begin(&mut self, limits: &Limits) -> Result<Result<(), Stop>, TrainError> {
        for _ in 0..MOST_EMPTY {
            if let Err(stop) = limits.check() {
                return Ok(Err(stop));
            }
            let start = self.somewhere();
            self.episodes += 1;
            if self.environment.begin(&start, &mut self.random)? == Standing::Choice {
                return Ok(Ok(()));
            }
        }
        Err(TrainError::NoChoice)
    }

    /// Where to begin: in a start state, or in a state of an earlier run.
    fn somewhere(&mut self) -> State {
        let restarts = self.options.restarts;
        if restarts > 0.0 && !self.seen.is_empty() && uniform(&mut self.random) < restarts {
            return self.seen[self.random.below(self.seen.len())].clone();
        }
        self.starts.draw(&mut self.random)
    }

    /// Keeps the state that the run is in, once: states that are rarely seen are begun in as often as others.
    fn remember(&mut self) {
        if self.options.restarts == 0.0 {
            return;
        }
        let state = State::from_ints(self.environment.values());
        if !self.known.insert(state.clone()) {
            return;
        }
        if self.seen.len() < MOST_SEEN {
            self.seen.push(state);
        } else {
            let place = self.random.below(MOST_SEEN);
            self.known.remove(&std::mem::replace(&mut self.seen[place], state));
        }
    }

    /// Makes a choice, and keeps what comes of it.
    fn choose(&mut self, room: &mut Room) -> Result<Standing, TrainError> {
        self.remember();
        let (options, interface, environment) = (self.options, self.interface, &mut self.environment);
        let (filter, labels) = (interface.filter(), interface.labels().len());
        interface.observe(environment.values(), &mut room.state);
        let ends = !filter && !environment.others();
        fill(&mut room.dead, |label| ends && !environment.applicable()[label], labels);
        let action = if uniform(&mut self.random) < options.epsilon_at(self.step) {
            // What is not applicable is not worth trying: what comes of it is known, or the same as of any other such label.
            let applicable = environment.applicable();
            let count = applicable.iter().filter(|applicable| **applicable).count();
            let ticket = self.random.below(count.max(1));
            (0..labels).filter(|label| applicable[*label]).nth(ticket).unwrap_or(0)
        } else {
            // A run that goes on shows more than one that ends in a way that is known: so what would end it is not chosen here either.
            self.learner.best(&room.state, |label| !(filter || ends) || environment.applicable()[label])
        };
        let standing = environment.act(action, &mut self.random)?;
        self.step += 1;
        interface.observe(environment.values(), &mut room.next);
        let ended = matches!(standing, Standing::Ended(_));
        let applicable = |label: usize| standing != Standing::Choice || environment.applicable()[label];
        fill(&mut room.allowed, |label| !filter || applicable(label), labels);
        self.replay.push(&Transition {
            state: &room.state,
            dead: &room.dead,
            action,
            reward: environment.earned(),
            discount: if ended { 0.0 } else { options.discount },
            next: &room.next,
            allowed: &room.allowed,
        });
        Ok(standing)
    }

    /// Updates the network where it is time to.
    fn learn(&mut self) {
        let options = self.options;
        if self.step < WARM * options.batch as u64 || !self.step.is_multiple_of(options.update_every) {
            return;
        }
        let rate = options.rate_at(self.step);
        let loss = self.learner.update(&self.replay, options.batch, options.rewards.stuck, rate, &mut self.random);
        self.losses.add(loss);
        if self.learner.updates().is_multiple_of(options.target_every) {
            self.learner.renew();
        }
    }

    /// Evaluates the network as it is, and keeps it if none was better. One that a limit cut short counts only where there is no other.
    fn evaluate(&mut self, reporter: &dyn Reporter) -> Result<Option<Stop>, TrainError> {
        let options = self.options;
        self.converges()?;
        let network = Arc::new(self.interface.network(self.learner.network()));
        let evaluation = evaluate(self.problem, self.starts, self.interface, network, &on_the_way(options))?;
        let stopped = evaluation.simulation.stopped;
        if stopped.is_some() && !self.curve.is_empty() {
            return Ok(stopped);
        }
        let score = evaluation.score(&options.rewards);
        let best = self.best.as_ref().is_none_or(|(other, ..)| score >= *other);
        if best {
            self.best = Some((score, self.step, self.learner.network().clone()));
        }
        let shares = (evaluation.share(RunEnd::Goal), evaluation.share(RunEnd::Reach));
        let (step, episodes, updates) = (self.step, self.episodes, self.learner.updates());
        let (loss, earned) = (self.losses.take(), self.returns.take());
        let epsilon = options.epsilon_at(step);
        self.curve.push(Point { step, episodes, updates, epsilon, loss, earned, evaluation, score, best });
        reporter.tell(&Progress { step, of: options.steps, episodes, updates, shares });
        Ok(stopped)
    }

    /// That all parameters are numbers.
    pub(crate) fn converges(&self) -> Result<(), TrainError> {
        let finite = self.learner.network().parameters().iter().all(|parameter| parameter.is_finite());
        if finite { Ok(()) } else { Err(TrainError::Diverged(self.step)) }
    }

    /// What was learned.
    pub(crate) fn end(self, stopped: Option<Stop>) -> Trained {
        let (kept, network) = match &self.best {
            Some((_, step, network)) => (*step, network),
            None => (self.step, self.learner.network()),
        };
        Trained {
            network: Arc::new(self.interface.network(network)),
            kept,
            last: Arc::new(self.interface.network(self.learner.network())),
            steps: self.step,
            episodes: self.episodes,
            updates: self.learner.updates(),
            curve: self.curve,
            stopped,
        }
    }
}
