//! What a search tells whoever wants to write a proof.
//!
//! Every step that shrinks or refutes a region is announced, with the numbers that justify it: neuron bounds, rows of
//! relaxations, multipliers of linear combinations. So a certificate can be written without touching the engine. The
//! default listener ignores everything, and costs a test per step.
//!
//! Regions are numbered: the root is 0, the halves of a split have numbers of their own. A region is refuted, or split,
//! or holds the witness; a region that is split is refuted when both halves are.

use surefoot_linear::Atom;
use surefoot_num::Rational;

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
    /// First half: the neuron is active (`z >= 0`); second half: inactive (`z <= 0`).
    Neuron {
        /// The application.
        application: usize,
        /// The layer, from 0.
        layer: usize,
        /// The neuron.
        neuron: usize,
    },
    /// Not split: a limit was reached while it was looked at.
    Abandoned,
    /// First half: a tracked formula holds; second half: it does not.
    Tracked {
        /// The formula.
        formula: usize,
    },
    /// First half: a disjunction is to hold through this part; second half: through another one.
    Part {
        /// The part of the formula, in the engine's numbering.
        part: u32,
    },
}

/// Why a region holds no witness (no new one, when all assignments are asked for).
#[derive(Debug, Clone, Copy)]
pub enum Refutation<'a> {
    /// Propagation of the constraints and the rows announced before empties the box, or decides the formula.
    Propagation,
    /// A neuron's bounds contradict each other, or the phase assumed for it.
    Neurons {
        /// The application.
        application: usize,
    },
    /// The rows times these multipliers, not negative, sum up to something negative on the whole box.
    Combination {
        /// The rows.
        rows: &'a [RowFact<'a>],
        /// One multiplier per row.
        multipliers: &'a [f64],
    },
    /// The exact rows of the region's activation pattern are infeasible (Farkas) over its box, cut to the variables'
    /// exact bounds.
    Exact {
        /// The rows.
        rows: &'a [Atom],
        /// One multiplier per row.
        multipliers: &'a [Rational],
    },
    /// Every integer point of the box was tried.
    Points,
    /// It may hold witnesses, but only with truth assignments of the tracked formulas that are known already.
    Known,
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
    /// A row that holds wherever an atom over outputs does, from the relaxation over the region's box.
    Relaxed {
        /// The region.
        region: u64,
        /// The atom.
        atom: &'a Atom,
        /// The row.
        row: RowFact<'a>,
    },
    /// The region holds no witness.
    Refuted {
        /// The region.
        region: u64,
        /// Why.
        why: Refutation<'a>,
    },
    /// The region holds a witness.
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
