//! Several nodes split at once, by several threads.
//!
//! Long searches take a *batch* of the most promising nodes, split each of them, and put what is left of all halves back. How large a batch is, which nodes it
//! has, and what their halves are called depends on counted work alone; every node is split as if it were the first of its batch, with memory of its
//! own. So answers, figures and announced steps are the same for any number of threads, one included.
//!
//! A witness ends the search: the first one in the order of the batch, and what comes after it does not count.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use surefoot_linear::Formula;
use surefoot_num::Rational;

use super::compiled::Compiled;
use super::engine::{Ended, Frontier, Search, Sink, as_priority, reborrow};
use super::goal::{Status, Witnesses};
use super::node::Node;
use super::options::Options;
use super::reduce::Reduced;
use super::rounds::{Rounds, Share};
use super::task::Task;
use super::undecided::Undecided;
use super::workspace::Workspace;
use crate::answer::{Limits, Statistics};
use crate::proof::{Split, Step};
use crate::question::Question;

/// What came of splitting a node.
struct Halves {
    open: Vec<Node>,
    witness: Option<Vec<Rational>>,
    statistics: Statistics,
    share: Share,
    undecided: Option<Undecided>,
}

/// A node of a batch, and what came of it.
struct Turn {
    node: Node,
    halves: Option<Halves>,
}

/// What the nodes of a batch have in common: the search as it stood.
struct Batch<'b> {
    question: &'b Question,
    compiled: &'b Compiled<'b>,
    tracked: &'b [Formula],
    reduced: Option<&'b Reduced>,
    limits: &'b Limits,
    options: &'b Options,
    start: u64,
    statistics: Statistics,
    rounds: Rounds,
}

impl Batch<'_> {
    /// Splits a node as if it were the first; halves are numbered from `first` on.
    fn split<G: Witnesses>(
        &self,
        goal: &mut G,
        work: &mut Workspace,
        mut sink: Sink<'_>,
        node: &mut Node,
        first: u64,
    ) -> Halves {
        let Self { question, compiled, tracked, reduced, limits, options, start, .. } = *self;
        let mut statistics = self.statistics;
        work.rounds.clone_from(&self.rounds);
        let task = Task { question, compiled, tracked, reduced, limits, goal };
        let sink = reborrow(&mut sink);
        let mut search = Search { task, options, work, statistics: &mut statistics, start, sink };
        let (open, witness) = search.split(node, first);
        let (share, undecided) = (search.work.rounds.since(&self.rounds), search.work.undecided.take());
        Halves { open, witness, statistics: statistics.since(&self.statistics), share, undecided }
    }
}

impl<G: Witnesses> Search<'_, G> {
    /// Splits the most promising nodes, at most so many; how the search ended, if it did. So many bytes are held elsewhere.
    pub(super) fn advance_together(&mut self, frontier: &mut Frontier, most: usize, elsewhere: usize) -> Option<Ended> {
        let alone = most < 2 || self.task.limits.nodes.is_some() || self.task.goal.elsewhere().is_none();
        if alone || frontier.open.len() < 2 {
            return self.advance(frontier, elsewhere);
        }
        if let Some(limit) = self.limit(elsewhere + frontier.open.len() * self.node_bytes()) {
            return Some(Ended::Stopped(limit, std::mem::take(&mut frontier.open).into_vec()));
        }
        let mut turns = Vec::with_capacity(most.min(frontier.open.len()));
        while turns.len() < most
            && let Some(node) = frontier.open.pop()
        {
            if node.split == Split::Abandoned {
                // Its turn comes alone.
                frontier.open.push(node);
                break;
            }
            turns.push(Turn { node, halves: None });
        }
        if turns.is_empty() {
            return self.advance(frontier, elsewhere);
        }
        self.split_all(&mut turns, frontier.next);
        frontier.next += 2 * turns.len() as u64;
        for Halves { open, witness, statistics, share, undecided } in turns.into_iter().map_while(|turn| turn.halves) {
            self.statistics.add(&statistics);
            self.work.rounds.add(share);
            undecided.into_iter().for_each(|left| self.work.keep_smallest(left));
            if let Some(point) = witness {
                return Some(Ended::Witness(point));
            }
            for mut half in open {
                if frontier.deep {
                    half.priority = as_priority(half.id);
                }
                frontier.open.push(half);
            }
        }
        None
    }

    /// Splits all nodes of a batch, up to the first that has a witness; halves are numbered from `first` on.
    fn split_all(&mut self, turns: &mut [Turn], first: u64) {
        let threads = if self.sink.is_some() { 1 } else { self.options.threads.min(turns.len()) };
        let Task { question, compiled, tracked, reduced, limits, .. } = self.task;
        let (statistics, rounds) = (*self.statistics, self.work.rounds.clone());
        let (options, start) = (self.options, self.start);
        let batch = Batch { question, compiled, tracked, reduced, limits, options, start, statistics, rounds };
        let goals = |_| self.task.goal.elsewhere().expect("a goal that can be looked for elsewhere");
        let mut goals: Vec<G> = (0..threads.max(1)).map(goals).collect();
        let numbered = turns.iter_mut().zip(0u64..).map(|(turn, k)| (turn, first + 2 * k));
        if threads < 2 {
            let undecided = self.work.undecided.take();
            for (turn, first) in numbered {
                let halves = batch.split(&mut goals[0], self.work, reborrow(&mut self.sink), &mut turn.node, first);
                let ended = halves.witness.is_some();
                turn.halves = Some(halves);
                if ended {
                    break;
                }
            }
            self.work.rounds = batch.rounds;
            self.work.undecided = undecided;
            return;
        }
        let mut others = std::mem::take(&mut self.work.others);
        others.resize_with(threads, Workspace::new);
        let numbered: Vec<Mutex<(&mut Turn, u64)>> = numbered.map(Mutex::new).collect();
        // Taken in order, so all turns before one that has a witness come to their end.
        let (next, end) = (AtomicUsize::new(0), AtomicUsize::new(numbered.len()));
        let work = |work: &mut Workspace, goal: &mut G| {
            work.local.reset(compiled);
            work.bound_all(compiled.settings.len());
            work.undecided = None;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= end.load(Ordering::Relaxed) {
                    break;
                }
                let mut turn = numbered[index].lock().unwrap_or_else(PoisonError::into_inner);
                let (turn, first) = &mut *turn;
                let halves = batch.split(goal, work, None, &mut turn.node, *first);
                if halves.witness.is_some() {
                    end.fetch_min(index + 1, Ordering::Relaxed);
                }
                turn.halves = Some(halves);
            }
        };
        std::thread::scope(|scope| {
            let mut workers = others.iter_mut().zip(&mut goals);
            let own = workers.next();
            for (workspace, goal) in workers {
                let work = &work;
                scope.spawn(move || work(workspace, goal));
            }
            own.into_iter().for_each(|(workspace, goal)| work(workspace, goal));
        });
        self.work.others = others;
    }

    /// Splits a node: the halves that are open, and a witness if there is one in either.
    fn split(&mut self, node: &mut Node, first: u64) -> (Vec<Node>, Option<Vec<Rational>>) {
        let compiled = self.task.compiled;
        self.announce(Step::Split { region: node.id, halves: [first, first + 1], split: node.split });
        let mut open = Vec::with_capacity(2);
        for half in 0..2 {
            let mut half = node.half(compiled, self.work, half == 0, first + half);
            match G::enter(self, &mut half) {
                Status::Closed => self.work.free.push(half.region),
                Status::Witness(point) => return (open, Some(point)),
                Status::Open => open.push(half),
            }
        }
        self.work.free.push(std::mem::take(&mut node.region));
        (open, None)
    }
}
