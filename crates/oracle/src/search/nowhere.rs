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
//! bounds as in [`super::look`]. Points are evaluated in floats, and only ever make it say less. **Termination.** Every split is
//! charged to a formula, and a formula that was charged as often as the limits allow is given up.

use super::branch::add_gaps;
use super::engine::{BranchAndBound, Task};
use super::joint::{Joint, Open, Visited};
use super::reduce::Free;
use super::region::{Propagation, ScoreRows};
use crate::answer::Limits;
use crate::bounds::Bounder;
use crate::nowhere::{Holds, Nowhere};
use crate::template::{Narrowing, Template};

/// A region of which less than this share is left is looked at again before it is split.
const WORTHWHILE: f64 = 0.6;

/// Of so many regions that are split for a formula, the corners where rows are largest are tried in one.
const CORNERS: u64 = 16;

impl Nowhere for BranchAndBound {
    /// One search for all formulas; those over several networks are not looked at.
    fn nowhere(&mut self, template: &Template, within: Narrowing<'_>, asked: &[bool], limits: &Limits) -> Vec<Holds> {
        self.statistics.questions += 1;
        let empty = |asked: &bool| if *asked { Holds::Nowhere } else { Holds::Unknown };
        self.narrowed(template, within, limits, |oracle, task| oracle.search_jointly(task, asked))
            .unwrap_or_else(|| asked.iter().map(empty).collect())
    }
}

impl BranchAndBound {
    fn search_jointly(&mut self, task: &Task<'_>, asked: &[bool]) -> Vec<Holds> {
        let compiled = task.compiled;
        let [setting] = compiled.settings.as_slice() else { return vec![Holds::Unknown; asked.len()] };
        let most = task.limits.nodes.map_or(u64::MAX, |nodes| nodes / 2);
        let limits = Limits { nodes: None, ..task.limits.clone() };
        let formulas = (0..asked.len() as u32).filter(|f| asked[*f as usize]).collect();
        let mut open = Open { region: self.root(compiled), formulas };
        let mut nothing = ScoreRows::default();
        nothing.clear(compiled);
        let is_empty = Propagation::new(compiled, &mut open.region, &nothing).run().is_err();
        let mut joint = Joint::new(task, Free::of(compiled, &open.region), setting, asked, nothing);
        let mut stack = if is_empty { Vec::new() } else { vec![open] };
        while let Some(mut open) = stack.pop() {
            open.formulas.retain(|f| joint.found[*f as usize].is_none());
            if open.formulas.is_empty() {
                continue;
            }
            let memory = (stack.len() + 1) * (compiled.data_len * size_of::<f64>() + size_of::<Open>());
            let visited = match self.limit(&limits, 0, memory) {
                None => self.visit(&mut joint, &mut open, most),
                Some(_) => Visited::Stuck,
            };
            match visited {
                Visited::Done => {}
                Visited::Stuck => joint.give_up(&open.formulas, &Holds::Unknown),
                Visited::Narrowed => stack.push(open),
                Visited::Split(variable, at) => stack.extend(joint.halves(open, variable, at)),
            }
        }
        // Soundness: what is still searched for was dropped everywhere.
        joint.found.into_iter().map(|found| found.unwrap_or(Holds::Nowhere)).collect()
    }

    /// Drops the formulas that hold nowhere in a region; says how to split it for the others.
    fn visit(&mut self, joint: &mut Joint<'_>, open: &mut Open, most: u64) -> Visited {
        self.statistics.nodes += 1;
        let compiled = joint.task.compiled;
        let empty = Propagation::new(compiled, &mut open.region, &joint.nothing).run().is_err();
        if empty || joint.drop_false(open) {
            return Visited::Done;
        }
        joint.set_box(&open.region);
        joint.set_middle(&open.region);
        joint.evaluate(self.kernel, open, true);
        if open.formulas.is_empty() || joint.drop_contradictory(open) {
            return Visited::Done;
        }
        if self.bounders.is_empty() {
            self.bounders.push(Bounder::new(self.kernel));
        }
        let bounder = &mut self.bounders[0];
        let Ok(hardest) = joint.bound(bounder, &mut open.region) else { return Visited::Done };
        if joint.drop_false(open) {
            return Visited::Done;
        }
        joint.influence.clear();
        joint.influence.resize(joint.lower.len(), 0.0);
        let mut charged = open.formulas[0];
        if hardest.is_none() {
            // Nothing could be bounded: halve what is widest.
            joint.influence.fill(1.0);
        }
        if let Some(form) = hardest {
            charged = joint.picks[form].formula;
            add_gaps(&joint.setting, bounder, form, &open.region, &mut joint.influence);
            if joint.charged[charged as usize].is_multiple_of(CORNERS) {
                joint.try_corners(self.kernel, open, &bounder.sums);
            }
        }
        joint.charged[charged as usize] += 1;
        if joint.charged[charged as usize] >= most {
            joint.give_up(&[charged], &Holds::Undecided);
        }
        if joint.contract(&bounder.sums, open) < WORTHWHILE {
            return Visited::Narrowed;
        }
        joint.set_box(&open.region);
        joint.split()
    }
}
