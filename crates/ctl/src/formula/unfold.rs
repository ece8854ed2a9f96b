//! Operators written out step by step: a graph of conditions, conjunctions, disjunctions and single steps.
//!
//! Every node is in negation normal form, parts come before what they are part of, and equal nodes are one node, so
//! `AX^k f` has `k` nodes besides those of `f`. The expansion laws, with `Q` one of `A` and `E`:
//!
//! * `QX^0 f = f`, `QX^k f = QX QX^(k-1) f`;
//! * `QF[<=0] f = false`, `QF[<=1] f = QX f`, `QF[<=k] f = QX (f | QF[<=k-1] f)`;
//! * `QG[<=0] f = true`, `QG[<=1] f = QX f`, `QG[<=k] f = QX (f & QG[<=k-1] f)`;
//! * `Q[f U<=0 g] = g`, `Q[f U<=k g] = g | (f & QX Q[f U<=k-1 g])`;
//! * `Q[f R<=0 g] = g`, `Q[f R<=k g] = g & (f | QX Q[f R<=k-1 g])`.
//!
//! The law for `AF` reads `AX (f | AF[<=k-1] f)`, not a disjunction of `AX`: all paths get there, not all at the same step. Where
//! there is no bound, [`Node::Until`] and [`Node::Release`] are least and greatest fixpoints of the same laws.

use rustc_hash::FxHashMap;
use surefoot_symbolic::Condition;

use super::{Constraints, Ctl, Quantifier};

/// More nodes are refused: nobody waits for so many steps.
pub const MOST_NODES: usize = 1_000_000;

/// A node of an [`Unfolded`] formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node of a position.
    fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("at most a million nodes"))
    }

    /// Its position among the nodes.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node says of a state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A condition, by its number, holds.
    State(u32),
    /// All of these.
    All(Vec<NodeId>),
    /// At least one of these.
    Any(Vec<NodeId>),
    /// All or some successors satisfy this.
    Next(Quantifier, NodeId),
    /// Unbounded until: the least solution of `x = g | (f & QX x)`.
    Until(Quantifier, NodeId, NodeId),
    /// Unbounded release: the greatest solution of `x = g & (f | QX x)`.
    Release(Quantifier, NodeId, NodeId),
}

/// A formula too large to be written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("written out step by step, the formula has more than {MOST_NODES} parts; use smaller bounds")]
pub struct TooLarge;

/// A formula as a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfolded {
    nodes: Vec<Node>,
    conditions: Vec<Condition>,
    roots: Vec<NodeId>,
    ids: FxHashMap<Node, NodeId>,
}

impl Unfolded {
    /// Writes out a formula.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn new(formula: &Ctl) -> Result<Self, TooLarge> {
        let mut unfolded = Self::default();
        let root = unfolded.add(formula)?;
        unfolded.roots.push(root);
        Ok(unfolded)
    }

    /// Adds a formula to those written out; equal parts are shared.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn add(&mut self, formula: &Ctl) -> Result<NodeId, TooLarge> {
        self.build(&formula.negation_normal())
    }

    /// The node of the formula that it was made from.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.roots[0]
    }

    /// All nodes, parts first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The conditions, by number.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether no node is a fixpoint.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        !self.nodes.iter().any(|node| matches!(node, Node::Until(..) | Node::Release(..)))
    }

    /// Per node, after how many steps at most it looks at a state; meaningless where there are fixpoints.
    #[must_use]
    pub fn horizons(&self) -> Vec<u64> {
        let mut horizons: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |id: &NodeId| horizons[id.index()];
            horizons.push(match node {
                Node::State(_) => 0,
                Node::All(parts) | Node::Any(parts) => parts.iter().map(of).max().unwrap_or(0),
                Node::Next(_, f) => of(f) + 1,
                Node::Until(_, f, g) | Node::Release(_, f, g) => of(f).max(of(g)),
            });
        }
        horizons
    }

    fn push(&mut self, node: Node) -> Result<NodeId, TooLarge> {
        if let Some(id) = self.ids.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MOST_NODES {
            return Err(TooLarge);
        }
        let id = NodeId::at(self.nodes.len());
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        Ok(id)
    }

    fn constant(&mut self, value: bool) -> Result<NodeId, TooLarge> {
        self.push(if value { Node::All(Vec::new()) } else { Node::Any(Vec::new()) })
    }

    fn join(&mut self, conjunction: bool, parts: &[NodeId]) -> Result<NodeId, TooLarge> {
        let mut parts = parts.to_vec();
        parts.dedup();
        match parts[..] {
            [part] => Ok(part),
            _ if conjunction => self.push(Node::All(parts)),
            _ => self.push(Node::Any(parts)),
        }
    }

    fn build(&mut self, formula: &Ctl) -> Result<NodeId, TooLarge> {
        match formula {
            Ctl::State(condition) => {
                let known = self.conditions.iter().position(|known| known == condition);
                let number = known.unwrap_or_else(|| {
                    self.conditions.push(condition.clone());
                    self.conditions.len() - 1
                });
                self.push(Node::State(u32::try_from(number).map_err(|_| TooLarge)?))
            }
            Ctl::Not(_) => unreachable!("there are no negations in negation normal form"),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let parts: Vec<NodeId> = parts.iter().map(|part| self.build(part)).collect::<Result<_, _>>()?;
                self.join(matches!(formula, Ctl::And(_)), &parts)
            }
            Ctl::Next(quantifier, steps, f) => {
                let mut node = self.build(f)?;
                for _ in 0..*steps {
                    node = self.push(Node::Next(*quantifier, node))?;
                }
                Ok(node)
            }
            Ctl::Finally(quantifier, bound, f) => self.along(*quantifier, *bound, f, false),
            Ctl::Globally(quantifier, bound, f) => self.along(*quantifier, *bound, f, true),
            Ctl::Until(quantifier, bound, f, g) => self.between(*quantifier, *bound, f, g, false),
            Ctl::Release(quantifier, bound, f, g) => self.between(*quantifier, *bound, f, g, true),
        }
    }

    /// `F`, or `G` if that is asked for.
    fn along(&mut self, q: Quantifier, bound: Option<u64>, f: &Ctl, globally: bool) -> Result<NodeId, TooLarge> {
        let f = self.build(f)?;
        let Some(bound) = bound else {
            let other = self.constant(!globally)?;
            let rest = if globally { Node::Release(q, other, f) } else { Node::Until(q, other, f) };
            let rest = self.push(rest)?;
            return self.push(Node::Next(q, rest));
        };
        if bound == 0 {
            return self.constant(globally);
        }
        let mut node = self.push(Node::Next(q, f))?;
        for _ in 1..bound {
            let both = self.join(globally, &[f, node])?;
            node = self.push(Node::Next(q, both))?;
        }
        Ok(node)
    }

    /// `U`, or `R` if that is asked for.
    fn between(
        &mut self,
        q: Quantifier,
        bound: Option<u64>,
        f: &Ctl,
        g: &Ctl,
        release: bool,
    ) -> Result<NodeId, TooLarge> {
        let (f, g) = (self.build(f)?, self.build(g)?);
        let Some(bound) = bound else {
            return self.push(if release { Node::Release(q, f, g) } else { Node::Until(q, f, g) });
        };
        let mut node = g;
        for _ in 0..bound {
            let next = self.push(Node::Next(q, node))?;
            let inner = self.join(!release, &[f, next])?;
            node = self.join(release, &[g, inner])?;
        }
        Ok(node)
    }
}
