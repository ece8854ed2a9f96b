//! What is served: the page of a problem without a verdict, and what answers stand on.
//!
//! A question works on a copy of the problem wherever it reads conditions, so no question changes what another one sees. What takes long is limited, can be stopped, and
//! is stopped by the next question of its kind: a person waits for one of them at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use serde_json::Value;
use surefoot_abstraction::{AbstractState, PredicateSet};
use surefoot_limits::{Cancel, Stop};
use surefoot_model::State;
use surefoot_verify::look::{Looked, look};
use surefoot_verify::{Budget, Problem};

use super::{Reply, Site, questions};
use crate::material::Material;
use crate::names::{self, Names};
use crate::page::{self, policy};
use crate::states::{Known, most_states};

/// What the answer to a question may cost.
#[derive(Debug, Clone)]
pub struct Spending {
    /// The time.
    pub time: Duration,
    /// Megabytes for states.
    pub memory: Option<usize>,
    /// Worker threads.
    pub threads: usize,
    /// Stops everything.
    pub cancel: Cancel,
}

impl Spending {
    /// A budget that begins now, with a switch of its own.
    #[must_use]
    pub fn begin(&self) -> Budget {
        let Self { time, memory, threads, cancel } = self;
        Budget {
            started: Instant::now(),
            time: Some(*time),
            memory: *memory,
            threads: *threads,
            cancel: cancel.child(),
        }
    }
}

/// Questions that take long, each with a switch of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Long {
    Predicates,
    Unfolding,
    Region,
    Slice,
}

/// An abstraction that was asked for: the page shows the last one.
#[derive(Debug)]
pub(super) struct Tried {
    /// Its number, from 1.
    pub(super) number: u64,
    /// The problem that its predicates are terms of.
    pub(super) problem: Problem,
    /// Its predicates.
    pub(super) predicates: PredicateSet,
    /// Its states in the order of the page.
    pub(super) states: Vec<AbstractState>,
    /// Their numbers there.
    pub(super) numbers: FxHashMap<AbstractState, u32>,
}

/// A page and what it is about.
#[derive(Debug)]
pub struct Viewer<'a> {
    pub(super) problem: &'a Problem,
    pub(super) names: Names<'a>,
    /// Of the policy, as the page has them.
    pub(super) actions: Vec<u32>,
    pub(super) looked: Option<&'a Looked<'a>>,
    pub(super) known: Known<'a>,
    /// The numbers of visited states in the graph of the page, and back.
    pub(super) numbers: Vec<u32>,
    pub(super) visited: Vec<u32>,
    spending: Spending,
    switches: [Mutex<Cancel>; 4],
    tried: Mutex<(u64, Option<Arc<Tried>>)>,
    html: String,
    policy: String,
}

/// All states, where there are few enough to be looked at.
#[must_use]
pub fn visit<'p>(problem: &'p Problem, spending: &Spending) -> Option<Looked<'p>> {
    look(problem, &spending.begin(), most_states(problem), false)
}

impl<'a> Viewer<'a> {
    /// The page of a problem. `predicates`: those that are there to begin with, as text.
    ///
    /// # Errors
    /// Pages beyond four gigabytes.
    pub fn new(
        material: &'a Material<'_>,
        looked: Option<&'a Looked<'a>>,
        predicates: Vec<String>,
        spending: Spending,
    ) -> Result<Self, String> {
        let problem = material.problem;
        let (mut shown, columns, numbers) = crate::page_of(material, looked);
        shown.mode = "view";
        shown.given_predicates = predicates;
        let mut visited = vec![0; numbers.len()];
        (0u32..).zip(&numbers).for_each(|(state, number)| visited[*number as usize] = state);
        Ok(Self {
            problem,
            names: Names::new(problem),
            actions: names::actions(problem).1,
            looked,
            known: Known::new(material, looked),
            numbers,
            visited,
            spending,
            switches: Default::default(),
            tried: Mutex::default(),
            html: page::html(&shown, &columns, None)?,
            policy: policy(shown.mode),
        })
    }

    /// What may be spent on a question that takes long; one of its kind that is still being answered is stopped.
    pub(super) fn spend(&self, long: Long) -> Budget {
        let budget = self.spending.begin();
        let mut switch = self.switches[long as usize].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *switch, budget.cancel.clone()).stop(Stop::Interrupted);
        budget
    }

    /// Stops all questions that take long.
    pub(super) fn stop(&self) {
        for switch in &self.switches {
            switch.lock().unwrap_or_else(PoisonError::into_inner).stop(Stop::Interrupted);
        }
    }

    /// The abstraction of a number, as long as it is the last one.
    pub(super) fn tried(&self, number: u64) -> Option<Arc<Tried>> {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.1.clone().filter(|tried| tried.number == number)
    }

    /// Keeps an abstraction under a new number.
    pub(super) fn keep(&self, make: impl FnOnce(u64) -> Tried) -> u64 {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.0 += 1;
        tried.1 = Some(Arc::new(make(tried.0)));
        tried.0
    }

    /// Where a state is in the graph of the page.
    pub(super) fn node(&self, state: &State) -> Option<u32> {
        self.known.number(state).and_then(|number| self.numbers.get(number as usize).copied())
    }
}

impl Site for Viewer<'_> {
    fn page(&self) -> (&str, &str) {
        (&self.html, &self.policy)
    }

    fn answer(&self, path: &str, question: &Value) -> Reply {
        questions::answer(self, path, question).unwrap_or_else(|wrong| wrong)
    }
}
