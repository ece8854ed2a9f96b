//! One piece: what the formula is on it, or how it is cut.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_limits::Stop;
use surefoot_num::Rational;

use super::closed::NotClosed;
use super::start::Root;
use crate::explore::cell::Counts;
use crate::explore::image::Shared;
use crate::explore::{Cell, Engine, Memory, Trouble};
use crate::formula::unfold::NodeId;
use crate::region::{Cut, Piece, Truth};

/// A piece to be looked at.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) root: usize,
    pub(super) piece: Piece,
    pub(super) image: Shared,
    pub(super) memory: Arc<Memory>,
}

/// What came of a piece.
pub(super) enum PieceOutcome {
    Decided(Option<bool>),
    Cut(Vec<Piece>),
    Stopped(Stop),
    NotClosed(NotClosed),
    Failed(Trouble),
}

impl Task {
    pub(super) fn new(number: usize, root: &Root, piece: Piece, memory: &Arc<Memory>) -> Self {
        // Parameters of which one value is left are constants: more images are equal then. What was known is about other images.
        let fixed: Vec<Option<Rational>> =
            piece.bounds().iter().map(|(lower, upper)| (lower == upper).then(|| lower.clone())).collect();
        let image = if fixed.iter().any(Option::is_some) {
            Arc::new(root.image.with_known(&|s| fixed[s.index()].clone()))
        } else {
            Arc::clone(&root.image)
        };
        Self { root: number, piece, image, memory: Arc::clone(memory) }
    }
}

impl Engine<'_, '_> {
    /// What the formula is on a piece.
    pub(super) fn look(&self, task: &Task, root: &Root) -> (PieceOutcome, Arc<Memory>, Counts) {
        let mut cell = Cell::new(self, task.piece.clone(), Memory::after(&task.memory));
        let said = match self.decide(&mut cell, task, root, self.formula.root()) {
            Ok(None) => PieceOutcome::Decided(None),
            Ok(Some(Ok(Truth::Holds))) => PieceOutcome::Decided(Some(true)),
            Ok(Some(Ok(Truth::Fails))) => PieceOutcome::Decided(Some(false)),
            Ok(Some(Ok(Truth::Open(cut)))) => self.cut(task, &cut),
            Ok(Some(Err(open))) => PieceOutcome::NotClosed(open),
            Err(Trouble::Open(cut)) => self.cut(task, &cut),
            Err(Trouble::Stopped(limit)) => PieceOutcome::Stopped(limit),
            Err(trouble) => PieceOutcome::Failed(trouble),
        };
        let (memory, counts) = cell.finish();
        (said, Arc::new(memory), counts)
    }

    fn cut(&self, task: &Task, cut: &Cut) -> PieceOutcome {
        match task.piece.apart(cut, &self.limits) {
            // Progress: a cut that leaves everything on one side would be made again for ever.
            Ok(parts) if parts.len() < 2 => {
                PieceOutcome::Failed(Trouble::Internal("a cut leaves a piece whole".to_owned()))
            }
            Ok(parts) => PieceOutcome::Cut(parts),
            Err(stopped) => PieceOutcome::Stopped(stopped.0),
        }
    }

    /// The truth of a node on a piece; `None` where there are no start states.
    fn decide(
        &self,
        cell: &mut Cell<'_, '_, '_>,
        task: &Task,
        root: &Root,
        node: NodeId,
    ) -> Result<Option<Result<Truth, NotClosed>>, Trouble> {
        if let Some(condition) = &root.condition
            && !cell.condition(condition, &task.image)?
        {
            return Ok(None);
        }
        let image = cell.memory.share(Arc::clone(&task.image));
        if self.formula.is_bounded() {
            return cell.evaluate(node, &image).map(|truth| Some(Ok(truth)));
        }
        cell.evaluate_closed(node, &image).map(Some)
    }
}

/// How many steps from a state are known completely.
pub(super) fn decided_steps(image: &Shared, memory: &Memory) -> u64 {
    let mut seen: FxHashSet<Shared> = FxHashSet::from_iter([Arc::clone(image)]);
    let mut level = vec![Arc::clone(image)];
    let mut steps = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            let Some(successors) = memory.successors(state) else { return steps };
            for step in &successors.steps {
                if seen.insert(Arc::clone(&step.target)) {
                    next.push(Arc::clone(&step.target));
                }
            }
        }
        level = next;
        steps += 1;
    }
    steps
}
