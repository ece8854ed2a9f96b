//! The probabilistic policy predicate abstraction (Definition 3 of the paper), explored as far as someone wants to see it.
//!
//! A transition is an operator with a distribution: one abstract successor per outcome of the operator (so it is annotated by updates), such that some
//! concrete state of the source, in which the policy permits the operator, has all these successors. It comes with such a state as its witness, unless
//! that is only assumed: what the oracle does not decide counts as possible, which is sound for bounds from above. States that hold an unsafe
//! state are absorbing, whatever else they hold.
//!
//! **Invariants.** States are numbered in the order in which they were entered, whatever the number of threads. A state that is not expanded may lead
//! anywhere.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use surefoot_abstraction::expand::{Effort, Expander};
use surefoot_abstraction::moves::Witness;
use surefoot_abstraction::oracles::{Lent, counted};
use surefoot_abstraction::{
    AbstractState, ByLocations, Joint, Moves, Oracles, PredicateSet, Rules, Start, StateId, States, System, joints,
};
use surefoot_cegar::expansion::Known;
use surefoot_cegar::store::{Record, Store, state_bytes};
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_num::FloatInterval;
use surefoot_oracle::{Answer, Assignment, FullOracle, Limits, Statistics};

use super::halt::Halt;

/// Nodes per label of an expansion, all labels being looked at together.
const CHOICE_NODES: u64 = 4_000;
/// Nodes per operator of an expansion: what is not decided by then is assumed.
const MOVE_NODES: u64 = 4_000;

/// The operators at some locations.
#[derive(Debug)]
pub struct Operators {
    /// They, one combination of cases each.
    pub joints: Vec<Joint>,
    /// The probabilities of their outcomes, rounded up.
    pub upper: Vec<Vec<f64>>,
}

/// An abstract transition.
#[derive(Debug, Clone)]
pub struct Transition {
    /// The operator: an index into those of the source's locations.
    pub by: usize,
    /// The values of what the operator tracks.
    pub assignment: Assignment,
    /// Where it leads, one state per outcome.
    pub targets: Box<[StateId]>,
    /// A concrete state of the source that has it, with choices; `None` where it is only assumed.
    pub witness: Option<Witness>,
}

/// What is known of an abstract state.
#[derive(Debug, Clone)]
pub enum Place {
    /// It holds an unsafe state.
    Unsafe,
    /// Nothing more.
    Open,
    /// All its transitions.
    Expanded(Vec<Transition>),
}

/// What outlives the predicates: operators by locations, and what was found out about them.
#[derive(Debug, Default)]
pub struct Lowered {
    rules: Rules,
    operators: ByLocations<Arc<Operators>>,
    /// What earlier abstractions found out.
    store: Store,
}

impl Lowered {
    /// Makes the operators at some locations, once.
    fn prepare(&mut self, system: &mut System<'_>, locations: &[u32]) -> Result<(), Halt> {
        let Self { rules, operators, .. } = self;
        operators.prepare(locations, || {
            system.prepare_rules(locations, rules)?;
            let joints = joints(system.model(), rules.at(locations))?;
            let up = |joint: &Joint| joint.probabilities.iter().map(|p| FloatInterval::tightest(p).upper).collect();
            let upper = joints.iter().map(up).collect();
            Ok(Arc::new(Operators { joints, upper }))
        })
    }
}

/// The abstraction under a set of predicates, as far as it is explored.
pub struct Process<'a, 'm, O> {
    /// What is abstracted.
    pub system: &'a mut System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// Who is asked.
    pub oracles: &'a Oracles<O>,
    /// Until when.
    pub limits: &'a Limits,
    lowered: &'a mut Lowered,
    moves: ByLocations<Moves>,
    /// The unsafe states.
    reach: ByLocations<Formula>,
    /// The abstract states.
    pub states: States,
    /// What is known of them.
    pub places: Vec<Place>,
    /// The abstract start states.
    pub starts: Vec<StateId>,
    /// By which transition each was first reached: source, operator and outcome.
    reached_by: Vec<Option<(StateId, usize, usize)>>,
    /// What was found out, for later abstractions; and the bytes that it takes.
    records: FxHashMap<AbstractState, Record>,
    record_bytes: usize,
    /// What oracles did.
    pub work: Statistics,
    /// Transitions so far.
    pub transitions: usize,
    bytes: usize,
}

impl<'a, 'm, O: FullOracle> Process<'a, 'm, O> {
    /// The abstraction with nothing but its start states, which are refined to the predicates.
    ///
    /// # Errors
    /// A limit; or there is no start state.
    pub fn new(
        system: &'a mut System<'m>,
        predicates: &'a PredicateSet,
        lowered: &'a mut Lowered,
        starts: &mut Vec<Start>,
        oracles: &'a Oracles<O>,
        limits: &'a Limits,
    ) -> Result<Self, Halt> {
        let mut process = Self {
            system,
            predicates,
            oracles,
            limits,
            lowered,
            moves: ByLocations::default(),
            reach: ByLocations::default(),
            states: States::default(),
            places: Vec::new(),
            starts: Vec::new(),
            reached_by: Vec::new(),
            records: FxHashMap::default(),
            record_bytes: 0,
            work: Statistics::default(),
            transitions: 0,
            bytes: 0,
        };
        let mut oracle = oracles.lend();
        let (refined, work) = counted(&mut *oracle, |oracle| {
            if starts.is_empty() {
                *starts = process.system.starts(oracle, limits)?;
            }
            let refine = |start: &Start| start.refine(process.system, predicates, oracle, limits);
            let parts = starts.iter().map(refine).collect::<Result<Vec<_>, Stop>>()?;
            Ok::<_, Stop>(parts.into_iter().flatten().collect::<Vec<Start>>())
        });
        process.count(work);
        *starts = refined?;
        drop(oracle);
        for start in starts.iter() {
            let id = process.enter(start.state.clone(), None)?;
            if !process.starts.contains(&id) {
                process.starts.push(id);
            }
        }
        if process.starts.is_empty() {
            return Err(surefoot_abstraction::Failure::NoStart.into());
        }
        Ok(process)
    }

    fn count(&mut self, work: Statistics) {
        self.work.questions += work.questions;
        self.work.nodes += work.nodes;
    }

    /// The number of a state; a new one is looked at: is it unsafe?
    fn enter(&mut self, state: AbstractState, by: Option<(StateId, usize, usize)>) -> Result<StateId, Halt> {
        let (id, new) = self.states.insert(state);
        if new {
            self.reached_by.push(by);
            let state = self.states.get(id);
            let here = || Ok(self.system.lowering().at_all_locations(self.system.reach(), &state.locations));
            let Ok::<(), std::convert::Infallible>(()) = self.reach.prepare(&state.locations, here);
            let reach = self.reach.at(&state.locations);
            let (answer, work) = counted(&mut *self.oracles.lend(), |oracle| {
                self.system.cell(self.predicates, state).ask(oracle, reach, None, self.limits)
            });
            self.count(work);
            self.places.push(match answer {
                Answer::Unsat => Place::Open,
                Answer::Sat(_) => Place::Unsafe,
                Answer::Unknown(stop) => return Err(stop.into()),
            });
        }
        Ok(id)
    }

    /// The transitions of a state; none where it is unsafe or not expanded.
    #[must_use]
    pub fn transitions(&self, id: StateId) -> &[Transition] {
        if let Place::Expanded(transitions) = &self.places[id.index()] { transitions } else { &[] }
    }

    /// The operators of a state's locations, once it is expanded.
    #[must_use]
    pub fn operators(&self, id: StateId) -> &Arc<Operators> {
        self.lowered.operators.at(&self.states.get(id).locations)
    }

    /// Finds all transitions of states that are open. What an earlier abstraction found out is not asked again.
    ///
    /// # Errors
    /// A limit; what cannot be lowered.
    pub fn expand(&mut self, ids: &[StateId]) -> Result<(), Halt> {
        for id in ids {
            self.prepare(*id)?;
        }
        let expander = Expander {
            system: self.system,
            predicates: self.predicates,
            limits: self.limits,
            effort: Effort { choice_nodes: CHOICE_NODES, move_nodes: Some(MOVE_NODES) },
        };
        let expand = |oracle: &mut Lent<'_, O>, id: &StateId| {
            let state = self.states.get(*id);
            let moves = self.moves.at(&state.locations);
            // All distributions are wanted, wherever they lead.
            let known = Known::new(self.system, self.predicates, &self.lowered.store, state, &|_, _| false);
            let (found, work) = counted(&mut **oracle, |oracle| expander.expand(moves, state, &[], &known, oracle));
            let (mut transitions, mut record) = (Vec::new(), Record::default());
            for (by, (step, found)) in moves.iter().zip(found.successors).enumerate() {
                let targets = |assignment: &Assignment| step.targets(state, assignment);
                record.add(by, found.known.values().cloned().collect(), found.assumed.iter().cloned().collect());
                let known = found.known.into_iter().map(|(assignment, witness)| (assignment, Some(witness)));
                let all = known.chain(found.assumed.into_iter().map(|assignment| (assignment, None)));
                transitions.extend(all.map(|(assignment, witness)| (by, targets(&assignment), assignment, witness)));
            }
            (transitions, record, found.stopped, work)
        };
        let expanded: Vec<_> = if ids.len() == 1 {
            let mut oracle = self.oracles.lend();
            ids.iter().map(|id| expand(&mut oracle, id)).collect()
        } else {
            ids.par_iter().map_init(|| self.oracles.lend(), expand).collect()
        };
        for (id, (transitions, record, stopped, work)) in ids.iter().zip(expanded) {
            self.count(work);
            if let Some(stop) = stopped {
                return Err(stop.into());
            }
            let state = self.states.get(*id).clone();
            self.record_bytes += state_bytes(&state) + record.bytes();
            self.records.insert(state, record);
            let mut list = Vec::with_capacity(transitions.len());
            for (by, targets, assignment, witness) in transitions {
                let mut numbers = Vec::with_capacity(targets.len());
                for (outcome, target) in targets.into_iter().enumerate() {
                    numbers.push(self.enter(target, Some((*id, by, outcome)))?);
                }
                self.bytes += size_of::<Transition>() + 8 * numbers.len() + witness.as_ref().map_or(0, |w| 8 * w.len());
                list.push(Transition { by, assignment, targets: numbers.into(), witness });
            }
            self.transitions += list.len();
            self.places[id.index()] = Place::Expanded(list);
        }
        match self.limits.exceeded(self.states.bytes() + self.bytes + self.record_bytes + self.lowered.store.bytes()) {
            Some(stop) => Err(stop.into()),
            None => Ok(()),
        }
    }

    /// Makes the moves of a state's locations.
    fn prepare(&mut self, id: StateId) -> Result<(), Halt> {
        let Self { system, predicates, lowered, moves, states, .. } = self;
        let locations = &states.get(id).locations;
        moves.prepare(locations, || {
            lowered.prepare(system, locations)?;
            Ok(Moves::of_operators(system, predicates, &lowered.operators.at(locations).joints))
        })
    }

    /// Decides transitions that are only assumed, of given states and numbers: those that exist have a witness after that, the others are gone. Says
    /// whether all exist.
    ///
    /// # Errors
    /// A limit.
    pub fn confirm(&mut self, assumed: &[(StateId, usize)]) -> Result<bool, Halt> {
        let decide = |oracle: &mut Lent<'_, O>, (id, number): &(StateId, usize)| {
            let state = self.states.get(*id);
            let Transition { by, assignment, .. } = &self.transitions(*id)[*number];
            let step = self.moves.at(&state.locations).get(*by).expect("transitions are by known operators");
            counted(&mut **oracle, |oracle| {
                let mut open = None;
                for question in step.into_targets(state, assignment) {
                    match oracle.decide(&question, self.limits) {
                        Answer::Sat(point) => return Ok(Some(step.values(self.system, state, &[], &point))),
                        Answer::Unsat => {}
                        Answer::Unknown(stop) => open = Some(stop),
                    }
                }
                open.map_or(Ok(None), Err)
            })
        };
        let decided: Vec<_> = assumed.par_iter().map_init(|| self.oracles.lend(), decide).collect();
        let mut gone = Vec::new();
        for ((id, number), (witness, work)) in assumed.iter().zip(decided) {
            self.count(work);
            let Place::Expanded(transitions) = &mut self.places[id.index()] else { continue };
            match witness? {
                Some(witness) => transitions[*number].witness = Some(witness),
                None => gone.push((*id, *number)),
            }
        }
        gone.sort_unstable();
        for (id, number) in gone.iter().rev() {
            if let Place::Expanded(transitions) = &mut self.places[id.index()] {
                transitions.remove(*number);
            }
        }
        Ok(gone.is_empty())
    }

    /// States that are neither expanded nor unsafe.
    pub fn open(&self) -> impl Iterator<Item = StateId> + '_ {
        let open = |(_, place): &(usize, &Place)| matches!(place, Place::Open);
        self.places.iter().enumerate().filter(open).map(|(index, _)| StateId::at(index))
    }

    /// Keeps what was found out for later abstractions, with these predicates and more.
    pub fn remember(&mut self) {
        let (records, bytes) = (std::mem::take(&mut self.records), std::mem::take(&mut self.record_bytes));
        self.lowered.store.add(self.predicates.len(), records, bytes, self.limits.run.memory);
    }

    /// The way on which a state was first reached: its states, and the operator and outcome of each step.
    #[must_use]
    pub fn way_to(&self, id: StateId) -> (Vec<StateId>, Vec<(usize, usize)>) {
        let (mut states, mut steps, mut at) = (vec![id], Vec::new(), id);
        while let Some((source, by, outcome)) = self.reached_by[at.index()] {
            states.push(source);
            steps.push((by, outcome));
            at = source;
        }
        states.reverse();
        steps.reverse();
        (states, steps)
    }
}
