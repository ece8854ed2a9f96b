//! The states that need arithmetic, with their end components collapsed, in solving order.
//!
//! Let *maybe* be the states whose optimal probability is neither zero nor one. The quotient is again a process,
//! with the same optimal values, on *classes* of maybe states and two sinks (Haddad & Monmege, *Interval iteration
//! algorithm for MDPs and IMDPs*, TCS 2018, section 4; Baier et al., *Ensuring the reliability of your model checker*,
//! CAV 2017):
//!
//! * all states of certain probability one become the sink [`Quotient::one`], those of zero [`Quotient::zero`];
//! * for `Max`, each maximal end component among the maybe states becomes one class with all choices that leave
//!   it. Within it a scheduler can move anywhere with probability one, so its states have the same value; staying
//!   forever gives zero and is never better;
//! * for `Min`, nothing is collapsed: in an end component of open states the minimum is zero, so the maybe states
//!   contain none;
//! * a choice that stays in its class with probability `q < 1` has its other branches divided by `1 - q`. This is
//!   the exact solution of `x = q x + r`, and it takes self-loops out of every iteration.
//!
//! Soundness: afterwards there is no end component except the sinks, so under *every* scheduler a sink is reached
//! with probability one and the Bellman equation has exactly one solution (Baier et al., Lemma 1). Iteration from above
//! converges, and every `l <= T(l)` is a lower bound.
//!
//! Classes are numbered so that each strongly connected component is consecutive and comes after the components
//! it leads to. All probabilities stay exact.
//!
//! A quotient may also be that of a [part](crate::part) of a process: then some states are *borders*, whose bounds are known from elsewhere, and
//! their numbers follow those of the sinks.

use std::ops::Range;

use rustc_hash::FxHashMap;
use surefoot_num::Rational;

use crate::end_components::EndComponents;
use crate::mdp::{Branch, Mdp, number};
use crate::probability::{ProbabilityId, ProbabilityTable};
use crate::set::StateSet;
use crate::strong::{Components, strong_components};

/// See the module documentation.
#[derive(Debug)]
pub(crate) struct Quotient {
    /// Classes `0..classes`, then the sinks `one` and `zero` without choices.
    pub(crate) rows: Mdp,
    /// The choice of the original process behind each choice.
    pub(crate) origin: Vec<u32>,
    /// For each original state its class; the sinks for states outside maybe.
    pub(crate) class_of: Vec<u32>,
    /// Where components begin; one more entry at the end.
    starts: Vec<u32>,
}

/// A class not yet numbered.
const UNNUMBERED: u32 = u32::MAX;

/// A table of probabilities that grows, with the sums and quotients that were asked for already.
#[derive(Debug, Default)]
pub(crate) struct Arithmetic {
    table: ProbabilityTable,
    sums: FxHashMap<(ProbabilityId, ProbabilityId), ProbabilityId>,
    quotients: FxHashMap<(ProbabilityId, ProbabilityId), ProbabilityId>,
}

impl Arithmetic {
    /// Begins with the probabilities of a process.
    pub(crate) fn new(table: &ProbabilityTable) -> Self {
        Self { table: table.clone(), ..Self::default() }
    }

    /// Takes the table back that a quotient was built with.
    pub(crate) fn restore(&mut self, quotient: Quotient) {
        self.table = quotient.rows.table;
    }
}

impl Quotient {
    /// The quotient for the states of `maybe`; `one` are the states of probability one. `ends` are the maximal end
    /// components among maybe, for `Max`.
    pub(crate) fn new(mdp: &Mdp, maybe: &StateSet, one: &StateSet, ends: Option<&EndComponents>) -> Self {
        let components = strong_components(mdp, |state| maybe.contains(state), |_| true);
        let borders = number(mdp.num_states());
        Self::of(mdp, &components, one, borders, ends, &mut Arithmetic::new(&mdp.table))
    }

    /// The quotient for the states of `components`; the others are in `one`, or of probability zero, and from `borders` on they
    /// are borders. The table of `arithmetic`, with which the numbers of the branches agree, is the quotient's until it is given
    /// [back](Arithmetic::restore).
    pub(crate) fn of(
        mdp: &Mdp,
        components: &Components,
        one: &StateSet,
        borders: u32,
        ends: Option<&EndComponents>,
        arithmetic: &mut Arithmetic,
    ) -> Self {
        let mut end_of: FxHashMap<u32, &[u32]> = FxHashMap::default();
        for component in ends.iter().flat_map(|ends| &ends.components) {
            end_of.extend(component.iter().map(|&state| (state, component.as_slice())));
        }
        let mut class_of = vec![UNNUMBERED; mdp.num_states()];
        let (mut starts, mut members, mut member_starts) = (Vec::new(), Vec::new(), Vec::new());
        for component in components.iter() {
            starts.push(number(member_starts.len()));
            for &state in component {
                if class_of[state as usize] == UNNUMBERED {
                    let class = end_of.get(&state).copied().unwrap_or(std::slice::from_ref(&state));
                    for &member in class {
                        class_of[member as usize] = number(member_starts.len());
                    }
                    member_starts.push(number(members.len()));
                    members.extend_from_slice(class);
                }
            }
        }
        let classes = number(member_starts.len());
        starts.push(classes);
        member_starts.push(number(members.len()));
        for state in mdp.states() {
            if class_of[state as usize] == UNNUMBERED {
                let border = state.checked_sub(borders).map(|border| classes + 2 + border);
                let sink = if one.contains(state) { classes } else { classes + 1 };
                class_of[state as usize] = border.unwrap_or(sink);
            }
        }
        let mut emit = Emit::new(mdp, &class_of, arithmetic);
        for class in 0..classes {
            let range = member_starts[class as usize] as usize..member_starts[class as usize + 1] as usize;
            for &state in &members[range] {
                for choice in mdp.choices(state) {
                    emit.choice(class, choice);
                }
            }
            emit.end_class();
        }
        emit.end_class();
        emit.end_class();
        let (rows, origin) = (emit.rows, emit.origin);
        Self { rows, origin, class_of, starts }
    }

    pub(crate) fn classes(&self) -> u32 {
        number(self.rows.num_states() - 2)
    }

    pub(crate) fn one(&self) -> u32 {
        self.classes()
    }

    #[cfg(test)]
    pub(crate) fn zero(&self) -> u32 {
        self.classes() + 1
    }

    /// The components, each a range of classes; what a component leads to comes before it.
    pub(crate) fn components(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }
}

/// Appends choices to the quotient, with exact arithmetic on probabilities remembered.
struct Emit<'a> {
    mdp: &'a Mdp,
    class_of: &'a [u32],
    rows: Mdp,
    origin: Vec<u32>,
    branches: Vec<Branch>,
    /// Its table is with `rows`.
    arithmetic: &'a mut Arithmetic,
}

impl<'a> Emit<'a> {
    fn new(mdp: &'a Mdp, class_of: &'a [u32], arithmetic: &'a mut Arithmetic) -> Self {
        let rows = Mdp {
            state_choices: vec![0],
            choice_branches: vec![0],
            branches: Vec::with_capacity(mdp.num_branches()),
            table: std::mem::take(&mut arithmetic.table),
            vanishing: 0,
        };
        Self { mdp, class_of, rows, origin: Vec::new(), branches: Vec::new(), arithmetic }
    }

    fn end_class(&mut self) {
        self.rows.state_choices.push(number(self.origin.len()));
    }

    /// Adds `choice` to `class`, unless it stays there with probability one.
    fn choice(&mut self, class: u32, choice: u32) {
        let mut stay: Option<ProbabilityId> = None;
        let mdp = self.mdp;
        self.branches.clear();
        for &Branch { target, probability } in mdp.branches(choice) {
            let target = self.class_of[target as usize];
            if target == class {
                stay = Some(stay.map_or(probability, |mass| self.sum(mass, probability)));
            } else {
                self.branches.push(Branch { target, probability });
            }
        }
        if self.branches.is_empty() {
            return;
        }
        self.merge();
        if let Some(stay) = stay {
            for index in 0..self.branches.len() {
                self.branches[index].probability = self.rescale(self.branches[index].probability, stay);
            }
        }
        self.rows.branches.extend_from_slice(&self.branches);
        self.rows.choice_branches.push(number(self.rows.branches.len()));
        self.origin.push(choice);
    }

    /// One branch per target, in order of targets.
    fn merge(&mut self) {
        self.branches.sort_unstable_by_key(|branch| branch.target);
        let mut kept = 0;
        for index in 1..self.branches.len() {
            let branch = self.branches[index];
            if self.branches[kept].target == branch.target {
                self.branches[kept].probability = self.sum(self.branches[kept].probability, branch.probability);
            } else {
                kept += 1;
                self.branches[kept] = branch;
            }
        }
        self.branches.truncate(kept + 1);
    }

    fn sum(&mut self, a: ProbabilityId, b: ProbabilityId) -> ProbabilityId {
        let table = &mut self.rows.table;
        *self.arithmetic.sums.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let sum = table.exact(a) + table.exact(b);
            intern(table, &sum)
        })
    }

    /// `p / (1 - stay)`.
    fn rescale(&mut self, p: ProbabilityId, stay: ProbabilityId) -> ProbabilityId {
        let table = &mut self.rows.table;
        *self.arithmetic.quotients.entry((p, stay)).or_insert_with(|| {
            let leave = &Rational::ONE - table.exact(stay);
            let value = table.exact(p).checked_div(&leave).expect("a choice with another branch leaves");
            intern(table, &value)
        })
    }
}

fn intern(table: &mut ProbabilityTable, value: &Rational) -> ProbabilityId {
    table.intern(value).expect("2^32 distinct probabilities would not fit the memory")
}
