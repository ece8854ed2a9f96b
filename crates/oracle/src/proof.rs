//! What a search tells whoever wants to write a proof.
//!
//! Every step that shrinks or refutes a region is announced, with the numbers that justify it: neuron bounds, rows of
//! relaxations, multipliers of linear combinations. So a certificate can be written without touching the engine. The search
//! is the same whether somebody listens or not, whatever it is for; where nobody does, a step costs a test.
//!
//! Regions are numbered: the root is 0, the halves of a split have numbers of their own. A region is refuted, or split,
//! or holds the witness; a region that is split is refuted when both halves are. What a region stands for:
//!
//! * the points of its box (of the question announced last: [`Step::Root`] or [`Step::Reduced`]),
//! * in which neurons have the phases that splits gave them,
//! * and tracked formulas the truth values that splits gave them,
//! * and which satisfy the formula even if the parts that splits gave up are taken to be false.
//!
//! *Refuted* means, if one witness is asked for, that there is no such point; if all assignments are asked for, that
//! every such point has an assignment of the tracked formulas that was found before or is not asked for; if it is asked
//! which formulas hold nowhere, that each of them is excluded in the region or set aside.

use surefoot_linear::{Atom, Formula};
use surefoot_num::Rational;

use crate::question::Question;

/// A row `a.x + c + slack >= 0` that every wanted point of a region satisfies.
#[derive(Debug, Clone, Copy)]
pub struct RowFact<'a> {
    /// `a`, dense; padding beyond the variables is to be ignored.
    pub coefficients: &'a [f64],
    /// `c`.
    pub constant: f64,
    /// How far float arithmetic may be off.
    pub slack: f64,
}

/// What a row bounds from above: it holds wherever that is at least zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// The form of the atom that a part of the formula is.
    Part(u32),
    /// How far a neuron's pre-activation is above a value if the region takes it to be at least that, else how far below.
    Range {
        /// The application.
        application: usize,
        /// The layer, from 0.
        layer: usize,
        /// The neuron.
        neuron: usize,
        /// The value: zero for ReLUs, where it separates their phases.
        at: f64,
        /// Whether the pre-activation is taken to be at least that.
        above: bool,
    },
}

/// A ReLU and one of its phases, with the border between them: its pre-activation is at least zero, or at most zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeuronPhase {
    /// The application.
    pub application: usize,
    /// The layer, from 0.
    pub layer: usize,
    /// The neuron.
    pub neuron: usize,
    /// At least zero.
    pub active: bool,
}

/// A part of a formula as the search sees it; children by their numbers.
#[derive(Debug, Clone)]
pub enum Part<'a> {
    /// An inequality.
    Atom(&'a Atom),
    /// A conjunction.
    All(&'a [u32]),
    /// A disjunction.
    Any(&'a [u32]),
}

/// The formulas of a question, part by part: equalities are two inequalities, strict inequalities over integers are not strict, and
/// what turns out not to depend on networks does not mention them. On points with integers where they are wanted this
/// means what the question says.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// All parts.
    pub parts: &'a [Part<'a>],
    /// What must hold.
    pub root: u32,
    /// The tracked formulas, each with its negation.
    pub tracked: &'a [(u32, u32)],
}

/// How a region is split in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// First half `x <= at`, second half `x > at` (integers: `x >= at + 1`; reals: `x >= at`).
    Variable {
        /// The variable.
        variable: usize,
        /// Where.
        at: f64,
    },
    /// First half: the neuron's pre-activation is at least a value (`z >= at`); second half: at most (`z <= at`).
    Neuron {
        /// The application.
        application: usize,
        /// The layer, from 0.
        layer: usize,
        /// The neuron.
        neuron: usize,
        /// Where: at zero for ReLUs, whose phases these are.
        at: f64,
    },
    /// Not split: a limit was reached while it was examined.
    Abandoned,
    /// First half: a tracked formula holds; second half: it does not.
    Tracked {
        /// The formula.
        formula: usize,
    },
    /// First half: a disjunction is to hold through this part, all others are given up; second half: this part is given up.
    Part {
        /// The part of the formula.
        part: u32,
    },
}

/// Why a region is refuted.
#[derive(Debug, Clone, Copy)]
pub enum Refutation<'a> {
    /// Propagation of the constraints and the rows announced before empties the box, or decides the formula.
    Propagation,
    /// A neuron's bounds contradict each other, or the range assumed for it.
    Neurons {
        /// The application.
        application: usize,
    },
    /// The rows times these multipliers, not negative, sum up to something negative on the whole box.
    Combination {
        /// The rows.
        rows: &'a [RowFact<'a>],
        /// What each of them bounds.
        sources: &'a [Source],
        /// One multiplier per row.
        multipliers: &'a [f64],
    },
    /// The exact rows of the region's activation pattern are infeasible (Farkas) over its box, cut to the variables'
    /// exact bounds.
    Exact {
        /// The rows.
        rows: &'a [Atom],
        /// What each of them equals in the region.
        sources: &'a [Source],
        /// One multiplier per row.
        multipliers: &'a [Rational],
    },
    /// The parts times these multipliers, not negative, and the rows of assumed ranges times theirs sum up to something that the relaxation
    /// says is negative on the whole box.
    Sum {
        /// Parts, which are atoms, and their multipliers.
        parts: &'a [(u32, f64)],
        /// One multiplier for each range that the region assumes, in the order of the splits.
        ranges: &'a [f64],
    },
    /// Whatever phases its neurons have, some of them exclude each other ([`Step::Conflict`]).
    Conflicts,
    /// Every integer point of the box was tried.
    Points,
    /// It may hold witnesses, but only with truth assignments of the tracked formulas that are known already.
    Known,
    /// Every formula that is asked about is excluded in it, or set aside.
    Excluded,
}

/// One step of a search.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A search begins, with this box.
    Root {
        /// Lower bounds of the variables.
        lower: &'a [f64],
        /// Upper bounds.
        upper: &'a [f64],
        /// What is asked.
        parts: Parts<'a>,
    },
    /// The root is open, and the search goes on with its free variables alone: in its box, the others have one value. Neurons are
    /// what they were.
    Reduced {
        /// The question over the free variables.
        question: &'a Question,
        /// The tracked formulas over them.
        tracked: &'a [Formula],
        /// The free variables.
        free: &'a [usize],
        /// What is asked.
        parts: Parts<'a>,
    },
    /// The search begins again: this region is the root, as it was left. What is refuted of it is refuted; what is open elsewhere does not
    /// matter once nothing is open below it.
    Again {
        /// The region.
        region: u64,
    },
    /// A region is split.
    Split {
        /// The region.
        region: u64,
        /// The halves.
        halves: [u64; 2],
        /// How.
        split: Split,
    },
    /// Propagation shrank the region's box to this.
    Contracted {
        /// The region.
        region: u64,
        /// Lower bounds of the variables.
        lower: &'a [f64],
        /// Upper bounds.
        upper: &'a [f64],
    },
    /// Bounds of a layer's pre-activations on the region's box.
    Neurons {
        /// The region.
        region: u64,
        /// The application.
        application: usize,
        /// The layer, from 0.
        layer: usize,
        /// Lower bounds.
        lower: &'a [f64],
        /// Upper bounds.
        upper: &'a [f64],
    },
    /// A row that bounds an atom over outputs, from the relaxation over the region's box.
    Relaxed {
        /// The region.
        region: u64,
        /// The part that is the atom.
        part: u32,
        /// The row.
        row: RowFact<'a>,
    },
    /// Parts that must hold, and the rows of ranges that the region assumes, times multipliers that are not negative: this row bounds their sum,
    /// and so is not negative at any wanted point. What is announced of the region from here on, and of what it is split into, is
    /// about points at which it is not negative.
    Kept {
        /// The region.
        region: u64,
        /// The parts, which are atoms, and their multipliers.
        parts: &'a [(u32, f64)],
        /// One multiplier for each range that the region assumes, in the order of the splits.
        ranges: &'a [f64],
        /// The row.
        row: RowFact<'a>,
    },
    /// No wanted point of the region has all of these phases. Unlike what else is announced of a region, this is not about its box alone, and
    /// may be about phases that it does not assume.
    Conflict {
        /// The region.
        region: u64,
        /// The phases.
        phases: &'a [NeuronPhase],
    },
    /// The region is refuted.
    Refuted {
        /// The region.
        region: u64,
        /// Why.
        why: Refutation<'a>,
    },
    /// A tracked formula holds nowhere in the region.
    Excluded {
        /// The region.
        region: u64,
        /// The formula.
        formula: u32,
    },
    /// It is no longer asked where a tracked formula holds: it seems to hold somewhere, or a limit was met.
    SetAside {
        /// The formula.
        formula: u32,
    },
    /// The region holds a witness. That ends the search, unless all assignments are asked for.
    Found {
        /// The region.
        region: u64,
        /// The witness.
        point: &'a [Rational],
    },
}

/// Listens to a search.
pub trait ProofSink {
    /// Takes note of a step.
    fn step(&mut self, step: Step<'_>);
}
