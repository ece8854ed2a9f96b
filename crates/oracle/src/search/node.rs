//! Nodes of the search tree: a region, how to split it, and when its turn comes.

use super::compiled::Compiled;
use super::region::{Region, Truth};
use super::workspace::Workspace;
use crate::proof::Split;

/// A region that is neither refuted nor found to hold a witness.
#[derive(Debug)]
pub(crate) struct Node {
    /// The largest comes first; among equals, the oldest.
    pub(crate) priority: f64,
    pub(crate) id: u64,
    pub(crate) region: Region,
    pub(crate) split: Split,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.priority.total_cmp(&other.priority).then(other.id.cmp(&self.id))
    }
}

impl Node {
    /// The root: nothing is known of it yet.
    pub(crate) fn root(region: Region) -> Self {
        Self { priority: 0.0, id: 0, region, split: Split::Abandoned }
    }

    /// One half of a node that is split, as promising as the whole.
    pub(crate) fn half(&self, compiled: &Compiled<'_>, work: &mut Workspace, first: bool, id: u64) -> Self {
        let mut region = work.free.pop().unwrap_or_default();
        region.data.clone_from(&self.region.data);
        region.truth.clone_from(&self.region.truth);
        region.assumed.clone_from(&self.region.assumed);
        region.extra.clone_from(&self.region.extra);
        region.alternatives.clone_from(&self.region.alternatives);
        region.aim.clone_from(&self.region.aim);
        region.ranges = None;
        let n = compiled.integral.len();
        match self.split {
            Split::Variable { variable, at } if first => region.data[n + variable] = at,
            Split::Variable { variable, at } => {
                region.data[variable] = if compiled.integral[variable] { at + 1.0 } else { at };
            }
            Split::Neuron { .. } => {
                let ranges = self.region.ranges.as_ref().expect("the rows of both sides were kept");
                ranges[usize::from(!first)].impose(compiled, &mut region);
            }
            Split::Tracked { formula } => {
                let (yes, no) = compiled.tracked[formula];
                region.extra.push(if first { yes } else { no });
            }
            Split::Abandoned => unreachable!("the search stops at regions that were abandoned"),
            Split::Part { part } => region.choose(compiled, part, first),
        }
        Self { priority: self.priority, id, region, split: Split::Abandoned }
    }
}

impl Workspace {
    /// The whole box.
    pub(crate) fn root(&mut self, compiled: &Compiled<'_>) -> Region {
        let mut region = self.free.pop().unwrap_or_default();
        region.data.clear();
        region.data.extend_from_slice(&compiled.lower);
        region.data.extend_from_slice(&compiled.upper);
        region.data.resize(compiled.data_len, 0.0);
        for setting in &compiled.settings {
            for layer in (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).is_bounded()) {
                let neurons = setting.folded.layer(layer).len();
                let (low, high) = setting.range(layer);
                region.data[low.start..low.start + neurons].fill(f64::NEG_INFINITY);
                region.data[high.start..high.start + neurons].fill(f64::INFINITY);
            }
        }
        region.truth.clear();
        region.truth.resize(compiled.parts.len(), Truth::Unknown);
        region.assumed.clear();
        region.extra.clear();
        region.alternatives.clear();
        region.aim = None;
        region.ranges = None;
        region
    }
}
