//! FRET-LRTDP (Kolobov, Mausam, Weld and Geffner, *Heuristic Search for Generalized Stochastic Shortest Path MDPs*; Steinmetz, Hoffmann and Buffet, *Goal
//! Probability Analysis in Probabilistic Planning*): which part of the abstraction does an optimal adversary need?
//!
//! Values begin at 1 and only fall, by Bellman steps with every float rounded up: they are upper bounds at all times. Labelled real-time dynamic
//! programming expands what the greedy adversary comes to, until its graph is consistent up to a residual. Then *traps* are eliminated: end components of the
//! greedy graph, in which an adversary may stay for ever and never fall below the value that it began with. All states of an end component reach each other
//! with certainty, so they have one value, that of the best way out: they are merged into a class, and what leads from the class into itself is left
//! out. Where there is no way out the value is 0. After that search goes on, until there is no trap.

use rustc_hash::FxHashSet;
use surefoot_abstraction::StateId;
use surefoot_mdp::{MdpBuilder, Predecessors, StateSet, maximal_end_components};
use surefoot_num::round::{add_up, mul_up};
use surefoot_num::{Random, Rational};
use surefoot_oracle::FullOracle;

use super::halt::Halt;
use super::process::{Place, Process, Transition};

/// Values that differ by less count as equal: the search is over then. Bounds are made tight on what was explored.
const RESIDUAL: f64 = 1e-6;
/// Steps of a trial, at most.
const LONGEST_TRIAL: usize = 10_000;

/// Values of the states of a process from above, classes of states that have one value, and what is consistent.
#[derive(Debug)]
pub struct Fret {
    /// Per state, its class: the first state of it.
    class: Vec<u32>,
    /// Per class, its states.
    members: Vec<Vec<StateId>>,
    /// Per class, an upper bound.
    value: Vec<f64>,
    solved: Vec<bool>,
    random: Random,
}

/// The best of a class's transitions: what it is worth, whose it is, and its number there.
type Greedy = (f64, StateId, usize);

impl Fret {
    /// Nothing is known but that probabilities are at most one.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let (class, members, value, solved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { class, members, value, solved, random: Random::new(seed) }
    }

    /// An upper bound on the value of a state.
    #[must_use]
    pub fn value(&self, id: StateId) -> f64 {
        self.class.get(id.index()).map_or(1.0, |class| self.value[*class as usize])
    }

    /// Takes note of upper bounds that someone else has proved.
    pub fn improve(&mut self, id: StateId, upper: f64) {
        if let Some(class) = self.class.get(id.index()) {
            let value = &mut self.value[*class as usize];
            *value = value.min(upper);
        }
    }

    /// Explores until the greedy graph is consistent and has no traps.
    ///
    /// # Errors
    /// A limit; what cannot be lowered.
    pub fn run<O: FullOracle>(&mut self, process: &mut Process<'_, '_, O>) -> Result<(), Halt> {
        loop {
            self.extend(process);
            self.solved.iter_mut().for_each(|solved| *solved = false);
            while let Some(start) = self.unsolved_start(process) {
                self.trial(process, start)?;
                process.limits.run.check()?;
            }
            if !self.eliminate_traps(process)? {
                return Ok(());
            }
        }
    }

    /// Takes note of new states.
    fn extend<O: FullOracle>(&mut self, process: &Process<'_, '_, O>) {
        for id in process.states.since(self.class.len()) {
            self.class.push(id.0);
            self.members.push(vec![id]);
            self.value.push(1.0);
            self.solved.push(false);
        }
    }

    /// The class of the best start state, unless it is solved: then the root is, too.
    fn unsolved_start<O>(&self, process: &Process<'_, '_, O>) -> Option<u32> {
        let mut best: Option<u32> = None;
        for start in &process.starts {
            let class = self.class[start.index()];
            if best.is_none_or(|best| self.value[class as usize] > self.value[best as usize]) {
                best = Some(class);
            }
        }
        best.filter(|class| !self.solved[*class as usize])
    }

    /// The transitions of a class that do not lead from it into itself.
    fn transitions<'p, O: FullOracle>(
        &'p self,
        process: &'p Process<'_, '_, O>,
        class: u32,
    ) -> impl Iterator<Item = (StateId, usize, &'p Transition)> {
        let members = self.members[class as usize].iter();
        let all = members.flat_map(|id| process.transitions(*id).iter().enumerate().map(|(n, t)| (*id, n, t)));
        all.filter(move |(.., t)| t.targets.iter().any(|target| self.class_of(*target) != class))
    }

    /// The class of a state, which may be newer than the classes.
    fn class_of(&self, id: StateId) -> u32 {
        self.class.get(id.index()).copied().unwrap_or(id.0)
    }

    /// What a transition is worth.
    ///
    /// Soundness: probabilities, products and sums are rounded up, and values are upper bounds.
    fn worth<O: FullOracle>(&self, process: &Process<'_, '_, O>, id: StateId, transition: &Transition) -> f64 {
        let upper = &process.operators(id).upper[transition.by];
        let outcomes = upper.iter().zip(transition.targets.iter());
        outcomes.fold(0.0, |sum, (p, target)| add_up(sum, mul_up(*p, self.value(*target)))).min(1.0)
    }

    /// One Bellman step, and the first of the best transitions; the class is expanded where it is not.
    fn backup<O: FullOracle>(
        &mut self,
        process: &mut Process<'_, '_, O>,
        class: u32,
    ) -> Result<(f64, Option<Greedy>), Halt> {
        let first = self.members[class as usize][0];
        match process.places[first.index()] {
            Place::Unsafe => return Ok((1.0, None)),
            Place::Open => process.expand(&[first])?,
            Place::Expanded(_) => {}
        }
        self.extend(process);
        let mut best: Option<Greedy> = None;
        for (id, number, transition) in self.transitions(process, class) {
            let worth = self.worth(process, id, transition);
            if best.is_none_or(|(most, ..)| worth > most) {
                best = Some((worth, id, number));
            }
        }
        let value = best.map_or(0.0, |(worth, ..)| worth).min(self.value[class as usize]);
        Ok((value, best))
    }

    /// One walk of the greedy adversary from a class, updating on the way, and labelling on the way back.
    fn trial<O: FullOracle>(&mut self, process: &mut Process<'_, '_, O>, start: u32) -> Result<(), Halt> {
        let (mut visited, mut at) = (Vec::new(), start);
        while !self.solved[at as usize] && visited.len() < LONGEST_TRIAL {
            visited.push(at);
            let (value, best) = self.backup(process, at)?;
            self.value[at as usize] = value;
            let Some((_, id, number)) = best.filter(|_| value > 0.0) else { break };
            let transition = &process.transitions(id)[number];
            let outcome = self.draw(&process.operators(id).upper[transition.by]);
            at = self.class_of(transition.targets[outcome]);
        }
        while let Some(class) = visited.pop() {
            if !self.check_solved(process, class)? {
                break;
            }
        }
        Ok(())
    }

    /// An outcome by its probability, nearly.
    fn draw(&mut self, probabilities: &[f64]) -> usize {
        #[expect(clippy::cast_precision_loss, reason = "which outcome is looked at first changes no bound")]
        let mut rest = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        for (outcome, probability) in probabilities.iter().enumerate() {
            if rest < *probability {
                return outcome;
            }
            rest -= probability;
        }
        probabilities.len() - 1
    }

    /// Labels a class, and all that the greedy adversary comes to from it, as solved if all of it is consistent; otherwise updates what was seen.
    fn check_solved<O: FullOracle>(&mut self, process: &mut Process<'_, '_, O>, class: u32) -> Result<bool, Halt> {
        let (mut open, mut closed, mut consistent) = (Vec::new(), Vec::new(), true);
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        if !self.solved[class as usize] {
            open.push(class);
            seen.insert(class);
        }
        while let Some(at) = open.pop() {
            closed.push(at);
            let (value, best) = self.backup(process, at)?;
            if self.value[at as usize] - value > RESIDUAL {
                consistent = false;
                continue;
            }
            let Some((_, id, number)) = best.filter(|_| value > 0.0) else { continue };
            for target in &process.transitions(id)[number].targets {
                let next = self.class_of(*target);
                if !self.solved[next as usize] && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        for at in closed.iter().rev() {
            if consistent {
                self.solved[*at as usize] = true;
            } else {
                self.value[*at as usize] = self.backup(process, *at)?.0;
            }
        }
        Ok(consistent)
    }

    /// Merges the end components of the greedy graph; says whether there were any.
    fn eliminate_traps<O: FullOracle>(&mut self, process: &Process<'_, '_, O>) -> Result<bool, Halt> {
        // The greedy graph: all classes and all of their transitions that are as good as the best, from the root on.
        let (mut numbers, mut order): (rustc_hash::FxHashMap<u32, u32>, Vec<u32>) = Default::default();
        let mut graph: Vec<Vec<Vec<u32>>> = Vec::new();
        let enter = |class: u32, order: &mut Vec<u32>, numbers: &mut rustc_hash::FxHashMap<u32, u32>| {
            let next = u32::try_from(order.len()).expect("no more classes than states");
            *numbers.entry(class).or_insert_with(|| {
                order.push(class);
                next
            })
        };
        for start in &process.starts {
            enter(self.class[start.index()], &mut order, &mut numbers);
        }
        let mut next = 0;
        while next < order.len() {
            let class = order[next];
            next += 1;
            let mut choices = Vec::new();
            for (id, _, transition) in self.transitions(process, class) {
                if self.worth(process, id, transition) >= self.value[class as usize] - RESIDUAL {
                    let targets = transition.targets.iter();
                    choices.push(targets.map(|t| enter(self.class_of(*t), &mut order, &mut numbers)).collect());
                }
            }
            graph.push(choices);
        }
        let mut builder = MdpBuilder::new();
        let built = (|| {
            for choices in &graph {
                builder.begin_state()?;
                for targets in choices {
                    let targets: Vec<u32> = targets.clone();
                    builder.begin_choice()?;
                    // Only where they lead matters.
                    let count = i64::try_from(targets.len()).expect("few outcomes");
                    let share = Rational::new(1, count).expect("a transition has an outcome");
                    for target in targets {
                        builder.branch_exact(target, &share)?;
                    }
                }
            }
            builder.finish()
        })();
        let mdp = built.map_err(Halt::internal)?;
        // Classes of value zero are no traps: nothing falls from them.
        let within = StateSet::from_fn(order.len(), |state| self.value[order[state as usize] as usize] > 0.0);
        let found = maximal_end_components(&mdp, &Predecessors::new(&mdp), &within);
        let mut merged = false;
        for component in &found.components {
            if component.len() < 2 {
                continue;
            }
            merged = true;
            let classes: Vec<u32> = component.iter().map(|state| order[*state as usize]).collect();
            let kept = classes[0] as usize;
            for class in &classes[1..] {
                let members = std::mem::take(&mut self.members[*class as usize]);
                for id in &members {
                    self.class[id.index()] = classes[0];
                }
                self.members[kept].extend(members);
                self.value[kept] = self.value[kept].min(self.value[*class as usize]);
            }
        }
        Ok(merged)
    }
}
