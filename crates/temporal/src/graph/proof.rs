//! A tree of runs on which a formula can be seen to hold.
//!
//! The formula is in negation normal form and stepwise ([`Ctl::stepwise`]), and holds in the first state. Every node is a state with *claims*, parts of the
//! formula that hold there. Conditions speak for themselves; of a conjunction all parts are claimed, of a disjunction one that holds; `EX f` asks for one
//! successor that claims `f`, `AX f` for all of them; until goes on to where it ends, release to where it is released, or for ever: equal nodes are one,
//! so the run comes back to where it was (a lasso).
//!
//! What speaks of all paths is followed where that takes few states. Elsewhere the node *rests* on it: that it holds there is for the
//! labels to say ([`super::Measures::check`]).
//!
//! As with single runs ([`super::Shown`]) the tree is a proposal: whether it shows the formula is for [`crate::tree`] to say, which knows nothing of
//! claims and labels. First successors are taken, so that the same comes out always.

use std::collections::{HashMap, HashSet};

use super::{Graph, Measure, Measures, NEVER, Rank};
use crate::formula::{Ctl, Quantifier};
use crate::tree::Tree;

/// Nodes beyond which nobody reads a tree, nor waits for what it shows.
const MOST_NODES: usize = 5_000;
/// States beyond which all paths are not followed from one on.
const MOST_FOLLOWED: usize = 60;
/// States with several successors beyond which they are not; what goes on for ever is followed only where nothing branches.
const MOST_BRANCHING: usize = 8;

/// A part of a formula that holds in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    /// Its number.
    pub part: usize,
    /// Of `X^k` how many steps are left; of until within how many it ends; of release for how many it is kept at least, `None` = for ever.
    pub left: Option<u64>,
}

/// A state and what is claimed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofNode {
    /// The state.
    pub state: u32,
    /// What is claimed.
    pub claims: Vec<Claim>,
    /// The nodes after it that matter.
    pub steps: Vec<usize>,
    /// Whether these are all that there are.
    pub all: bool,
    /// Numbers of parts that hold here, whatever happens, and are followed no further.
    pub rests: Vec<usize>,
}

/// Why a formula holds in a state, which is that of node 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proof {
    /// The nodes.
    pub nodes: Vec<ProofNode>,
}

impl Proof {
    /// The tree, as far as formulas look at it.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let steps = self.nodes.iter().map(|node| node.steps.clone()).collect();
        Tree { steps, all: self.nodes.iter().map(|node| node.all).collect() }
    }
}

impl Claim {
    /// What is claimed, as a formula; the parts are those of the whole one.
    #[must_use]
    pub fn formula<C: Clone>(self, parts: &[&Ctl<C>]) -> Ctl<C> {
        match parts[self.part] {
            Ctl::Next(_, _, f) if self.left == Some(0) => (**f).clone(),
            Ctl::Next(q, _, f) => Ctl::Next(*q, self.left.unwrap_or_default(), f.clone()),
            // Without a bound people asked for none.
            Ctl::Until(q, Some(_), f, g) => Ctl::Until(*q, self.left, f.clone(), g.clone()),
            Ctl::Release(q, Some(_), f, g) => Ctl::Release(*q, self.left, f.clone(), g.clone()),
            other => other.clone(),
        }
    }
}

impl Graph {
    /// A tree from a state in which a formula holds. Where it would have too many nodes it is the state alone, which rests on the formula.
    #[must_use]
    pub fn prove<C>(&self, formula: &Ctl<C>, measures: &Measures, start: u32) -> Proof {
        for follow in [true, false] {
            let mut builder = Builder::new(self, formula, measures, follow);
            let root = builder.claim(0, start);
            builder.node(start, vec![root]);
            if builder.explain_all() {
                return Proof { nodes: builder.nodes };
            }
        }
        let claims = vec![Claim { part: 0, left: None }];
        let alone = ProofNode { state: start, claims, steps: Vec::new(), all: false, rests: vec![0] };
        Proof { nodes: vec![alone] }
    }
}

struct Builder<'g, C> {
    graph: &'g Graph,
    measures: &'g Measures,
    parts: Vec<&'g Ctl<C>>,
    /// Numbers of the parts of each part.
    inner: Vec<Vec<usize>>,
    /// Whether anything that speaks of all paths is followed.
    follow: bool,
    nodes: Vec<ProofNode>,
    numbers: HashMap<(u32, Vec<Claim>), usize>,
}

impl<'g, C> Builder<'g, C> {
    fn new(graph: &'g Graph, formula: &'g Ctl<C>, measures: &'g Measures, follow: bool) -> Self {
        let parts = formula.numbered();
        let inner = parts.iter().enumerate().map(|(number, part)| {
            let sizes = part.parts().into_iter().map(|inner| inner.numbered().len());
            sizes.scan(number + 1, |next, size| Some(std::mem::replace(next, *next + size))).collect()
        });
        let inner = inner.collect();
        Self { graph, measures, parts, inner, follow, nodes: Vec::new(), numbers: HashMap::new() }
    }

    fn holds(&self, part: usize, state: u32) -> bool {
        self.measures.holds(self.parts[part], part, state as usize)
    }

    /// The rank of a part in a state; that of parts without ranks does not matter.
    fn rank(&self, part: usize, state: u32) -> Rank {
        match &self.measures.parts[part] {
            Measure::Within(ranks) | Measure::Breaks(ranks) => ranks[state as usize],
            Measure::Holds(_) | Measure::After(_) => 0,
        }
    }

    /// The strongest claim that a part makes of a state in which it holds.
    fn claim(&self, part: usize, state: u32) -> Claim {
        let rank = self.rank(part, state);
        let left = match self.parts[part] {
            Ctl::Next(_, steps, _) => Some(*steps),
            Ctl::Until(..) => Some(rank.into()),
            Ctl::Release(_, bound, ..) if rank != NEVER => *bound,
            _ => None,
        };
        Claim { part, left }
    }

    /// What a claim asks of a state after the one it is made of; `None` where that is not so.
    fn continued(&self, claim: Claim, state: u32) -> Option<Claim> {
        let before = claim.left.map(|left| left.saturating_sub(1));
        let rank = self.rank(claim.part, state);
        match &self.measures.parts[claim.part] {
            Measure::Holds(_) => None,
            Measure::After(rows) => {
                let row = &rows[usize::try_from(before?).ok()?];
                row[state as usize].then_some(Claim { left: before, ..claim })
            }
            Measure::Within(_) => (u64::from(rank) <= before?).then_some(Claim { left: Some(rank.into()), ..claim }),
            Measure::Breaks(_) if rank == NEVER => Some(Claim { left: None, ..claim }),
            Measure::Breaks(_) => (u64::from(rank) > before?).then_some(Claim { left: before, ..claim }),
        }
    }

    /// Whether a claim asks anything of what comes after a state.
    fn goes_on(&self, claim: Claim, state: u32) -> bool {
        match self.parts[claim.part] {
            Ctl::Next(..) | Ctl::Until(..) => claim.left != Some(0),
            Ctl::Release(..) => claim.left != Some(0) && !self.holds(self.inner[claim.part][0], state),
            _ => false,
        }
    }

    /// Whether few states matter to a claim about all paths.
    fn is_small(&self, claim: Claim, state: u32) -> bool {
        let (mut seen, mut work, mut branching) = (HashSet::from([(claim, state)]), vec![(claim, state)], 0);
        let most_branching = if claim.left.is_none() { 0 } else { MOST_BRANCHING };
        while let Some((claim, state)) = work.pop() {
            if !self.goes_on(claim, state) {
                // What follows `AX` at once belongs to it.
                let inner = self.inner[claim.part][0];
                let next = matches!(self.parts[claim.part], Ctl::Next(..));
                if next && self.parts[inner].quantifier() == Some(Quantifier::All) {
                    let inner = self.claim(inner, state);
                    if !self.is_small(inner, state) {
                        return false;
                    }
                }
                continue;
            }
            let successors = self.graph.successors(state);
            branching += usize::from(successors.len() > 1);
            for next in successors {
                let Some(claim) = self.continued(claim, *next) else { return false };
                if seen.insert((claim, *next)) {
                    work.push((claim, *next));
                }
            }
            if seen.len() > MOST_FOLLOWED || branching > most_branching {
                return false;
            }
        }
        true
    }

    /// The number of a node, made if it is new.
    fn node(&mut self, state: u32, mut claims: Vec<Claim>) -> usize {
        claims.sort_unstable();
        claims.dedup();
        let next = self.nodes.len();
        let number = *self.numbers.entry((state, claims.clone())).or_insert(next);
        if number == next {
            self.nodes.push(ProofNode { state, claims, steps: Vec::new(), all: false, rests: Vec::new() });
        }
        number
    }

    /// Explains nodes until there are no new ones; whether there were not too many.
    fn explain_all(&mut self) -> bool {
        let mut number = 0;
        while number < self.nodes.len() {
            if self.nodes.len() > MOST_NODES || !self.explain(number) {
                return false;
            }
            number += 1;
        }
        true
    }

    /// Adds the steps that the claims of a node ask for; false where a claim is not so.
    fn explain(&mut self, number: usize) -> bool {
        let (state, claims) = (self.nodes[number].state, self.nodes[number].claims.clone());
        let (mut some, mut all, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        // What a node claims goes on from before, but for the formula itself.
        let mut work: Vec<(Claim, bool)> = claims.into_iter().map(|claim| (claim, number > 0)).collect();
        while let Some((claim, begun)) = work.pop() {
            let inner = &self.inner[claim.part];
            let first = |part: usize| (self.claim(part, state), false);
            let part = self.parts[claim.part];
            match part {
                Ctl::State(_) => {}
                Ctl::And(_) => work.extend(inner.iter().map(|part| first(*part))),
                Ctl::Or(_) => match self.showing_part(inner, state) {
                    Some(part) => work.push(first(part)),
                    None => return false,
                },
                Ctl::Not(_) | Ctl::Finally(..) | Ctl::Globally(..) => return false,
                Ctl::Next(q, ..) | Ctl::Until(q, ..) | Ctl::Release(q, ..) => {
                    let for_all = *q == Quantifier::All;
                    if for_all && !begun && !(self.follow && self.is_small(claim, state)) {
                        rests.push(claim.part);
                        continue;
                    }
                    let goes_on = self.goes_on(claim, state);
                    match part {
                        Ctl::Next(..) if goes_on => {}
                        Ctl::Until(..) if goes_on => work.push(first(inner[0])),
                        Ctl::Next(..) => work.push(first(inner[0])),
                        Ctl::Until(..) => work.push(first(inner[1])),
                        _ => {
                            work.push(first(inner[1]));
                            // Released: by what, is to be shown; kept as long as asked for: by nothing.
                            if !goes_on && claim.left != Some(0) {
                                work.push(first(inner[0]));
                            }
                        }
                    }
                    if goes_on {
                        if for_all { &mut all } else { &mut some }.push(claim);
                    }
                }
            }
        }
        rests.sort_unstable();
        rests.dedup();
        self.nodes[number].rests = rests;
        self.lead(number, &some, &all)
    }

    /// The part of a disjunction that is shown: one that needs no run rather than one that does, and what speaks of all paths last.
    fn showing_part(&self, parts: &[usize], state: u32) -> Option<usize> {
        let effort = |part: &usize| {
            let part = self.parts[*part];
            (!part.is_condition(), part.speaks_of(Quantifier::All))
        };
        parts.iter().copied().filter(|part| self.holds(*part, state)).min_by_key(effort)
    }

    /// Adds steps to a successor for each claim of the first kind, and to all of them where there are some of the second.
    fn lead(&mut self, number: usize, some: &[Claim], all: &[Claim]) -> bool {
        let graph = self.graph;
        let successors = graph.successors(self.nodes[number].state);
        let mut asked: Vec<Vec<Claim>> = vec![Vec::new(); successors.len()];
        for claim in all {
            for (claims, next) in asked.iter_mut().zip(successors) {
                let Some(claim) = self.continued(*claim, *next) else { return false };
                claims.push(claim);
            }
        }
        for claim in some {
            let shows = successors.iter().enumerate().filter_map(|(i, next)| {
                let claim = self.continued(*claim, *next)?;
                let known = self.numbers.contains_key(&(*next, vec![claim]));
                // Soon ended, or kept for ever, and best where the run has been before.
                let cost = match self.parts[claim.part] {
                    Ctl::Release(..) => (u64::from(claim.left.is_some()), !known),
                    _ => (claim.left.unwrap_or_default(), false),
                };
                Some((cost, i, claim))
            });
            let Some((_, i, claim)) = shows.min_by_key(|(cost, ..)| *cost) else { return false };
            asked[i].push(claim);
        }
        for (claims, next) in asked.into_iter().zip(successors) {
            if !claims.is_empty() {
                let target = self.node(*next, claims);
                self.nodes[number].steps.push(target);
            }
        }
        self.nodes[number].all = !all.is_empty();
        true
    }
}
