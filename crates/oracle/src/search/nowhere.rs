//! Which of several formulas hold nowhere in a box: one search for all labels that a policy may choose.
//!
//! Asked one by one, every label has a tree of regions of its own, although the trees are much alike and most of the work, the bounds of
//! the neurons, is the same in all of them. Here a region carries the formulas that may still hold in it. In its middle
//! every formula is evaluated; the score that fails worst there (for a label: its distance to the label that is chosen there) is the one
//! that is bounded, one form per formula. Formulas that turn out false are dropped, and the region is split for the sake of
//! the one that is furthest from it, after what no formula's row permits was cut off. A formula that seems to hold in some point is of
//! no interest any more.
//!
//! **Soundness.** A formula holds [nowhere](Holds::Nowhere) only if it was dropped in every region of a partition of the box, by the same
//! bounds as in [`super::examine`]. Points are evaluated in floats, and only ever make it say less. **Termination.** Every split is
//! charged to a formula, and a formula that was charged as often as the limits allow is given up.

use surefoot_linear::Formula;

use super::branch::add_gaps;
use super::compiled::Compiled;
use super::engine::{Ended, Search, Sink, reborrow};
use super::goal::{Goal, Status};
use super::joint::Joint;
use super::node::Node;
use super::oracle::BranchAndBound;
use super::propagation::Propagation;
use super::reduce::Free;
use super::region::{Region, Truth};
use super::task::Task;
use crate::answer::Limits;
use crate::nowhere::Holds;
use crate::proof::{Refutation, RowFact, Split, Step};
use crate::question::Question;

/// A region of which less than this share is left is visited again before it is split.
const WORTHWHILE: f64 = 0.6;

/// Of so many regions that are split for a formula, the corners where rows are largest are tried in one.
const CORNERS: u64 = 16;

/// What comes of a region.
enum Visited {
    /// No formula holds in it, or is of interest.
    Done,
    /// Much was cut off.
    Narrowed,
    /// It is to be split like this, if it can be split at all.
    Split(Option<Split>),
}

/// For every tracked formula that is asked about, where it holds.
pub(super) fn alternatives(
    oracle: &mut BranchAndBound,
    question: &Question,
    compiled: &Compiled<'_>,
    tracked: &[Formula],
    asked: &[bool],
    limits: &Limits,
    mut sink: Sink<'_>,
) -> Vec<Holds> {
    let [setting] = compiled.settings.as_slice() else { return vec![Holds::Unknown; asked.len()] };
    let most = limits.nodes.map_or(u64::MAX, |nodes| nodes / 2);
    let limits = Limits { nodes: None, ..limits.clone() };
    oracle.work.bound_all(1);
    // No rows of scores are kept: formulas are decided by those of their critical scores.
    oracle.work.scores.clear(compiled);
    let mut region = oracle.work.root(compiled);
    region.alternatives.extend((0..).zip(asked).filter(|(_, asked)| **asked).map(|(formula, _)| formula));
    let is_empty = Propagation::new(compiled, &mut region, &oracle.work.scores).run().is_err();
    let mut joint = Joint::new(Free::of(compiled, &region), setting, asked, most);
    let task = Task { question, compiled, tracked, reduced: None, limits: &limits, goal: &mut joint };
    let mut search = oracle.search(task, reborrow(&mut sink));
    search.announce_root();
    if is_empty {
        search.refuted(0, Refutation::Propagation);
        return joint.into_found();
    }
    if search.sink.is_some() {
        search.announce_box(&region, 0, Some(&[compiled.lower.as_slice(), &compiled.upper].concat()));
    }
    let ended = search.branch(Node::root(region));
    if let Ended::Stopped(_, nodes) = ended {
        nodes.iter().for_each(|node| joint.give_up(&node.region.alternatives, &Holds::Unknown));
    }
    joint.into_found()
}

impl Goal for Joint {
    /// Depth first, first halves first: so a formula that holds somewhere is soon known to, and regions are few.
    fn enter(_: &mut Search<'_, Self>, node: &mut Node) -> Status {
        node.priority += 1.0;
        Status::Open
    }

    fn resume(search: &mut Search<'_, Self>, node: &mut Node) -> Status {
        loop {
            let found = &search.task.goal.found;
            node.region.alternatives.retain(|f| found[*f as usize].is_none());
            if node.region.alternatives.is_empty() {
                search.refuted(node.id, Refutation::Excluded);
                return Status::Closed;
            }
            match search.visit(&mut node.region, node.id) {
                Visited::Done => return Status::Closed,
                Visited::Narrowed if search.limit(0).is_none() => {}
                Visited::Split(Some(split)) => {
                    node.split = split;
                    return Status::Open;
                }
                Visited::Narrowed | Visited::Split(None) => {
                    search.task.goal.give_up(&node.region.alternatives, &Holds::Unknown);
                    search.announce_set_aside();
                    search.refuted(node.id, Refutation::Excluded);
                    return Status::Closed;
                }
            }
        }
    }
}

impl Search<'_, Joint> {
    /// Drops the formulas that hold nowhere in a region; says how to split it for the others.
    fn visit(&mut self, region: &mut Region, id: u64) -> Visited {
        self.statistics.nodes += 1;
        let compiled = self.task.compiled;
        if self.propagate(region, id).is_none() {
            self.refuted(id, Refutation::Propagation);
            return Visited::Done;
        }
        if self.drop_false(region, id) {
            return self.done(id);
        }
        let joint = &mut *self.task.goal;
        joint.set_box(compiled, region);
        joint.set_middle(compiled, region);
        joint.evaluate(self.work.kernel, compiled, region, true);
        self.announce_set_aside();
        if region.alternatives.is_empty() || self.drop_contradictory(region, id) {
            return self.done(id);
        }
        let Ok(hardest) = self.task.goal.bound(compiled, &mut self.work.bounders[0], region) else {
            self.refuted(id, Refutation::Neurons { application: 0 });
            return Visited::Done;
        };
        self.announce_bounds(region, id);
        if self.drop_false(region, id) {
            return self.done(id);
        }
        let (joint, bounder) = (&mut *self.task.goal, &self.work.bounders[0]);
        joint.influence.clear();
        joint.influence.resize(joint.lower.len(), 0.0);
        let mut charged = region.alternatives[0];
        if hardest.is_none() {
            // Nothing could be bounded: halve what is widest.
            joint.influence.fill(1.0);
        }
        if let Some(form) = hardest {
            charged = joint.picks[form].formula;
            add_gaps(&joint.setting, bounder, form, region, &mut joint.influence);
            if joint.charged[charged as usize].is_multiple_of(CORNERS) {
                joint.try_corners(self.work.kernel, compiled, region, &bounder.sums);
            }
        }
        joint.charged[charged as usize] += 1;
        if joint.charged[charged as usize] >= joint.most {
            joint.give_up(&[charged], &Holds::Undecided);
        }
        self.announce_set_aside();
        self.contract(region, id)
    }

    /// Every formula is excluded in a region, or set aside.
    fn done(&mut self, id: u64) -> Visited {
        self.refuted(id, Refutation::Excluded);
        Visited::Done
    }

    /// Cuts off what no formula's row permits; says where to split what is left.
    fn contract(&mut self, region: &mut Region, id: u64) -> Visited {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        let before = self.sink.as_ref().map(|_| region.data[..2 * n].to_vec());
        let share = self.task.goal.contract(compiled, &self.work.bounders[0].sums, region);
        self.announce_box(region, id, before.as_deref());
        if share < WORTHWHILE {
            return Visited::Narrowed;
        }
        self.task.goal.set_box(compiled, region);
        Visited::Split(self.task.goal.split(compiled))
    }

    /// Drops the formulas that are false in a region; whether none is left.
    fn drop_false(&mut self, region: &mut Region, id: u64) -> bool {
        let (compiled, nothing) = (self.task.compiled, &self.work.scores);
        let mut formulas = std::mem::take(&mut region.alternatives);
        formulas.retain(|&formula| {
            let (part, _) = compiled.tracked[formula as usize];
            let holds = Propagation::new(compiled, region, nothing).assess(part, false) != Truth::False;
            if let (false, Some(sink)) = (holds, &mut self.sink) {
                sink.step(Step::Excluded { region: id, formula });
            }
            holds
        });
        region.alternatives = formulas;
        region.alternatives.is_empty()
    }

    /// Drops the formulas of which nothing can be bounded and whose rows contradict each other; whether none is left.
    fn drop_contradictory(&mut self, region: &mut Region, id: u64) -> bool {
        let (compiled, nothing) = (self.task.compiled, &self.work.scores);
        if compiled.rows.is_empty() {
            return false;
        }
        let Region { alternatives, data, truth, .. } = region;
        alternatives.retain(|&formula| {
            let mut alone = Region { data: data.clone(), truth: truth.clone(), ..Region::default() };
            alone.extra.push(compiled.tracked[formula as usize].0);
            let holds = self.task.goal.picks.iter().any(|pick| pick.formula == formula)
                || Propagation::new(compiled, &mut alone, nothing).run().is_ok();
            if let (false, Some(sink)) = (holds, &mut self.sink) {
                sink.step(Step::Excluded { region: id, formula });
            }
            holds
        });
        region.alternatives.is_empty()
    }

    /// Tells whoever listens which formulas are no longer asked about.
    fn announce_set_aside(&mut self) {
        for formula in self.task.goal.set_aside.drain(..) {
            if let Some(sink) = &mut self.sink {
                sink.step(Step::SetAside { formula });
            }
        }
    }

    /// Tells whoever listens the bounds of neurons, and the rows that were picked, over all variables.
    fn announce_bounds(&mut self, region: &Region, id: u64) {
        let Some(sink) = &mut self.sink else { return };
        let (joint, sums) = (&*self.task.goal, &self.work.bounders[0].sums);
        for layer in 0..joint.setting.folded.depth() {
            let (low, high) = joint.setting.range(layer);
            let (lower, upper) = (&region.data[low], &region.data[high]);
            sink.step(Step::Neurons { region: id, application: 0, layer, lower, upper });
        }
        for (form, pick) in joint.picks.iter().enumerate() {
            let mut coefficients = vec![0.0; self.task.compiled.integral.len()];
            for (a, v) in sums.coefficients.row(form).iter().zip(&joint.free.variables) {
                coefficients[*v] = *a;
            }
            let (constant, slack) = (sums.constants[form], sums.slacks[form]);
            let row = RowFact { coefficients: &coefficients, constant, slack };
            sink.step(Step::Relaxed { region: id, part: pick.critical.part, row });
        }
    }
}
