//! The search: one loop for every goal, one region at a time.
//!
//! **Soundness.** A region is dropped only when it was [refuted](super::examine), by arguments that hold for every
//! real point in it; the halves of a split cover it. **Completeness.** Integers end in regions of few points, which are tried
//! one by one. With real variables, splitting ends in regions in which all phases and disjunctions are fixed, of which
//! there are finitely many; they are decided by exact linear programs. Networks that are not piecewise linear over the reals have no such
//! regions: with real variables, a region that is too narrow to be split is [left open](super::undecided), and so is a point at
//! which no precision tells scores apart; then there is no answer, unless there is a witness elsewhere. **Determinism.** Floats only, in a fixed order;
//! ties are broken by region numbers. Whether somebody listens makes no difference.

use std::collections::BinaryHeap;

use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;

use super::descent::WORK;
use super::goal::{Goal, Status, Witnesses};
use super::node::Node;
use super::options::Options;
use super::phases::multiplications;
use super::reduce::Reduced;
use super::region::Region;
use super::rounds::Rounds;
use super::task::Task;
use super::workspace::Workspace;
use crate::answer::{Answer, Statistics};
use crate::proof::{Parts, ProofSink, Refutation, Split, Step};

/// Who listens, if anybody does.
pub(crate) type Sink<'s> = Option<&'s mut (dyn ProofSink + 's)>;

/// Who listens, for a shorter time.
pub(crate) fn reborrow<'s>(sink: &'s mut Sink<'_>) -> Sink<'s> {
    match sink {
        Some(sink) => Some(&mut **sink),
        None => None,
    }
}

/// A search under way.
pub(crate) struct Search<'a, G> {
    pub(crate) task: Task<'a, G>,
    pub(crate) options: &'a Options,
    pub(crate) work: &'a mut Workspace,
    pub(crate) statistics: &'a mut Statistics,
    /// Nodes before this search.
    pub(crate) start: u64,
    pub(crate) sink: Sink<'a>,
}

/// How a search ended.
pub(crate) enum Ended {
    /// No region is left.
    Exhausted,
    /// With a witness.
    Witness(Vec<Rational>),
    /// At a limit; these nodes were still open.
    Stopped(Stop, Vec<Node>),
}

/// Nodes that are open, and the number of the next region.
pub(crate) struct Frontier {
    pub(super) open: BinaryHeap<Node>,
    pub(super) next: u64,
    /// The region that was opened last comes first, whatever it promises.
    pub(super) deep: bool,
}

impl Frontier {
    /// A root that was examined; regions are numbered from there on.
    pub(crate) fn new(root: Node, next: u64) -> Self {
        Self { open: BinaryHeap::from([root]), next, deep: false }
    }
}

impl<G: Goal> Search<'_, G> {
    /// Splits nodes until none is left, the goal is reached or a limit is met.
    pub(crate) fn branch(&mut self, root: Node) -> Ended {
        let mut frontier = Frontier::new(root, 1);
        loop {
            if let Some(ended) = self.advance(&mut frontier, 0) {
                return ended;
            }
        }
    }

    /// Splits one node; how the search ended, if it did. So many bytes are held elsewhere.
    pub(super) fn advance(&mut self, frontier: &mut Frontier, elsewhere: usize) -> Option<Ended> {
        let compiled = self.task.compiled;
        let Some(mut node) = frontier.open.pop() else { return Some(Ended::Exhausted) };
        let limit = self.limit(elsewhere + (frontier.open.len() + 1) * self.node_bytes());
        let status = if limit.is_none() { G::resume(self, &mut node) } else { Status::Open };
        // A deadline does not un-pass; an interruption that was taken back does.
        let abandoned = node.split == Split::Abandoned && matches!(status, Status::Open);
        if let Some(limit) = limit.or(abandoned.then_some(Stop::Interrupted)) {
            frontier.open.push(node);
            return Some(Ended::Stopped(limit, std::mem::take(&mut frontier.open).into_vec()));
        }
        match status {
            Status::Open => {}
            Status::Witness(point) => return Some(Ended::Witness(point)),
            Status::Closed => {
                self.work.free.push(node.region);
                return None;
            }
        }
        let first = frontier.next;
        self.announce(Step::Split { region: node.id, halves: [first, first + 1], split: node.split });
        for half in 0..2 {
            let mut half = node.half(compiled, self.work, half == 0, first + half);
            match G::enter(self, &mut half) {
                Status::Closed => self.work.free.push(half.region),
                Status::Witness(point) => return Some(Ended::Witness(point)),
                Status::Open => {
                    if frontier.deep {
                        half.priority = as_priority(half.id);
                    }
                    frontier.open.push(half);
                }
            }
        }
        frontier.next += 2;
        self.work.free.push(node.region);
        None
    }

    /// The limit that is met with so many bytes in open nodes.
    pub(crate) fn limit(&self, memory: usize) -> Option<Stop> {
        let limits = self.task.limits;
        if limits.nodes.is_some_and(|most| self.statistics.nodes - self.start >= most) {
            return limits.nodes.map(|nodes| Stop::Most(Unit::Nodes, nodes));
        }
        limits.exceeded(memory)
    }

    /// The bytes of a node, roughly.
    pub(super) fn node_bytes(&self) -> usize {
        self.task.compiled.data_len * size_of::<f64>() + size_of::<Node>()
    }

    /// Tells whoever listens.
    pub(crate) fn announce(&mut self, step: Step<'_>) {
        if let Some(sink) = &mut self.sink {
            sink.step(step);
        }
    }

    /// Tells whoever listens that a region is refuted.
    pub(crate) fn refuted(&mut self, region: u64, why: Refutation<'_>) {
        self.announce(Step::Refuted { region, why });
    }

    /// Tells whoever listens the box of a region, if it is another than before.
    pub(crate) fn announce_box(&mut self, region: &Region, id: u64, before: Option<&[f64]>) {
        let n = self.task.compiled.integral.len();
        if before.is_some_and(|before| *before != region.data[..2 * n]) {
            let (lower, upper) = region.data[..2 * n].split_at(n);
            self.announce(Step::Contracted { region: id, lower, upper });
        }
    }

    /// Tells whoever listens where the search begins.
    pub(crate) fn announce_root(&mut self) {
        let compiled = self.task.compiled;
        if let Some(sink) = &mut self.sink {
            let parts = compiled.described();
            let parts = Parts { parts: &parts, root: compiled.root, tracked: &compiled.tracked };
            sink.step(Step::Root { lower: &compiled.lower, upper: &compiled.upper, parts });
        }
    }
}

impl<G: Witnesses> Search<'_, G> {
    /// Looks for witnesses; `Unsat` when there are none (left).
    pub(crate) fn run(&mut self) -> Answer {
        if let Some(limit) = self.task.limits.stop_now() {
            return Answer::Unknown(limit);
        }
        let compiled = self.task.compiled;
        self.work.local.reset(compiled);
        self.work.bound_all(compiled.settings.len());
        self.work.undecided = None;
        self.work.rounds = Rounds::new(self.options);
        self.announce_root();
        let mut root = Node::root(self.work.root(compiled));
        match G::enter(self, &mut root) {
            Status::Closed => return self.answered(Ended::Exhausted),
            Status::Witness(point) => return Answer::Sat(point),
            Status::Open => {}
        }
        if let Some(answer) = self.run_reduced(&root) {
            return answer;
        }
        let ended = self.take_turns(root);
        self.answered(ended)
    }

    /// Splits nodes, and now and then begins again with [rounds](super::rounds) of searches over phases.
    fn take_turns(&mut self, root: Node) -> Ended {
        let again = root.region.clone();
        let least = self.least_phases(&again);
        let descent = WORK * self.task.compiled.settings.iter().map(|setting| multiplications(setting)).sum::<u64>();
        let mut frontier = Frontier::new(root, 1);
        loop {
            if self.work.rounds.is_due(least) {
                let held = frontier.open.len() * self.node_bytes();
                match self.round(&again, &mut frontier.next, held) {
                    Some(Ended::Stopped(limit, _)) => return Ended::Stopped(limit, frontier.open.into_vec()),
                    Some(ended) => return ended,
                    None => {}
                }
            }
            if let Some(descents) = self.work.rounds.descent(descent)
                && let Some(point) = self.descend(&again, 0, descents)
            {
                return Ended::Witness(point);
            }
            let batch = self.work.rounds.batch();
            if let Some(ended) = self.advance_together(&mut frontier, batch, 0) {
                return ended;
            }
        }
    }

    /// Begins again at the root, searching phases; `None` if that failed too often.
    fn round(&mut self, root: &Region, next: &mut u64, elsewhere: usize) -> Option<Ended> {
        self.work.rounds.begin();
        let mut root = Node { priority: 0.0, id: *next, region: root.clone(), split: Split::Abandoned };
        self.announce(Step::Again { region: root.id });
        *next += 1;
        let ended = match G::enter(self, &mut root) {
            Status::Closed => Some(Ended::Exhausted),
            Status::Witness(point) => Some(Ended::Witness(point)),
            Status::Open => {
                let mut frontier = Frontier { deep: true, ..Frontier::new(root, *next) };
                let mut ended = None;
                while ended.is_none() && !self.work.rounds.is_over() {
                    let batch = self.work.rounds.batch_of_round();
                    ended = self.advance_together(&mut frontier, batch, elsewhere);
                }
                *next = frontier.next;
                self.work.free.extend(frontier.open.drain().map(|node| node.region));
                ended
            }
        };
        self.work.rounds.end();
        ended
    }

    /// Goes on with the free variables alone, if many are fixed.
    fn run_reduced(&mut self, root: &Node) -> Option<Answer> {
        let reduced = Reduced::new(&self.task, &root.region)?;
        let compiled = reduced.compile(self.task.compiled)?;
        let (region, split) = reduced.root(&root.region, &compiled, root.split)?;
        self.work.local.reset(&compiled);
        self.task.goal.reduce(&reduced);
        let Reduced { question, tracked, .. } = &reduced;
        if let Some(sink) = &mut self.sink {
            let parts = compiled.described();
            let parts = Parts { parts: &parts, root: compiled.root, tracked: &compiled.tracked };
            sink.step(Step::Reduced { question, tracked, free: reduced.free_variables(), parts });
        }
        let (limits, goal) = (self.task.limits, &mut *self.task.goal);
        let mut search = Search {
            task: Task { question, compiled: &compiled, tracked, reduced: Some(&reduced), limits, goal },
            options: self.options,
            work: self.work,
            statistics: self.statistics,
            start: self.start,
            sink: reborrow(&mut self.sink),
        };
        let ended = search.take_turns(Node { priority: root.priority, id: 0, region, split });
        let answer = search.answered(ended);
        Some(if let Answer::Sat(point) = answer { Answer::Sat(reduced.full(&point)) } else { answer })
    }

    /// What the end of a search for witnesses says.
    fn answered(&self, ended: Ended) -> Answer {
        match (ended, &self.work.undecided) {
            // Soundness: what was left open may hold a witness.
            (Ended::Exhausted, Some(undecided)) => Answer::Unknown(undecided.stop),
            (Ended::Exhausted, None) => Answer::Unsat,
            (Ended::Witness(point), _) => Answer::Sat(point),
            (Ended::Stopped(limit, _), _) => Answer::Unknown(limit),
        }
    }
}

/// Later regions come first.
#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 regions")]
pub(super) fn as_priority(id: u64) -> f64 {
    id as f64
}
