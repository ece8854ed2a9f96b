//! The search: best first, one region at a time.
//!
//! **Soundness.** A region is dropped only when [`look`](super::look) has refuted it, by arguments that hold for every
//! real point in it; the halves of a split cover it. **Completeness.** Integers end in regions of few points, which are tried
//! one by one. With real variables, splitting ends in regions in which all phases and disjunctions are fixed, of which
//! there are finitely many; they are decided by exact linear programs. **Determinism.** Floats only, in a fixed order;
//! ties are broken by region numbers.

use std::collections::BinaryHeap;

use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;

use super::cache::Cache;
use super::collect::Collected;
use super::compile::Compiled;
use super::layout::compile;
use super::local::LocalSearch;
use super::look::{Looked, Sink};
use super::points::{Certifier, Points};
use super::program::NodeProgram;
use super::reduce::Reduced;
use super::region::{Region, ScoreRows, Truth};
use super::template::Benches;
use crate::answer::{Answer, KeepStatistics, Limits, Oracle, Replicate, Statistics};
use crate::bounds::{Bounder, Kernel, UpperRows};
use crate::change::MinimalChange;
use crate::proof::{ProofSink, Split, Step};
use crate::question::Question;

/// From this many layers on, slopes are optimised.
pub(crate) const DEEP: usize = 4;

/// How to search.
#[derive(Debug, Clone)]
pub struct Options {
    /// Varies where the local search starts.
    pub seed: u64,
    /// Steps of local search before the first region is bounded.
    pub root_steps: usize,
    /// Regions with at most this many integer points are gone through point by point.
    pub enumerate: f64,
    /// Steps of slope optimisation per region, for networks of at least four layers: in shallow ones they cost more
    /// than the regions they save.
    pub slope_steps: usize,
    /// With real variables, or very many integer points: at most this many unstable neurons are split by phase rather than
    /// the box by variables. With 0, phases are split only where boxes are too narrow to be, which may take very long.
    pub phases: usize,
    /// Solve linear programs of regions with at least this many rows.
    pub program_rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, root_steps: 12, enumerate: 6.0, slope_steps: 1, phases: 6, program_rows: 2 }
    }
}

/// Branch and bound over boxes; the default oracle.
#[derive(Debug)]
pub struct BranchAndBound {
    pub(crate) options: Options,
    pub(crate) kernel: Kernel,
    cache: Cache,
    pub(crate) benches: Benches,
    pub(crate) statistics: Statistics,
    pub(crate) bounders: Vec<Bounder>,
    pub(crate) scores: ScoreRows,
    pub(crate) local: LocalSearch,
    pub(crate) certifier: Certifier,
    pub(crate) program: NodeProgram,
    /// What is known of assignments, while they are asked for.
    pub(crate) collected: Option<Collected>,
    free: Vec<Region>,
    pub(crate) influence: Vec<f64>,
    pub(crate) corner: Vec<f64>,
    pub(crate) corners: Points,
    pub(crate) sharp: UpperRows,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) required: Vec<u32>,
    pub(crate) open: Vec<u32>,
}

/// What is being decided.
pub(crate) struct Task<'a> {
    pub(crate) question: &'a Question,
    pub(crate) compiled: &'a Compiled<'a>,
    /// Formulas whose assignments are asked for.
    pub(crate) tracked: &'a [Formula],
    pub(crate) limits: &'a Limits,
    /// What the question was before variables were fixed.
    pub(crate) reduced: Option<&'a Reduced>,
}

impl Task<'_> {
    /// Whether a point lies within the variables' bounds, exactly.
    pub(crate) fn is_inside(&self, point: &[f64]) -> bool {
        let inner = self.compiled.inner.iter().zip(point);
        inner.zip(&self.compiled.integral).all(|(((l, u), x), integral)| *integral || (l <= x && x <= u))
    }
}

/// A region that is neither refuted nor found to hold a witness.
#[derive(Debug)]
pub(crate) struct Node {
    /// The largest value that the worst score can still reach.
    priority: f64,
    id: u64,
    pub(crate) region: Region,
    split: Split,
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

impl BranchAndBound {
    /// An oracle with the given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            kernel: Kernel::new(),
            cache: Cache::default(),
            benches: Benches::default(),
            statistics: Statistics::default(),
            bounders: Vec::new(),
            scores: ScoreRows::default(),
            local: LocalSearch::default(),
            certifier: Certifier::default(),
            program: NodeProgram::default(),
            collected: None,
            free: Vec::new(),
            influence: Vec::new(),
            corner: Vec::new(),
            corners: Points::default(),
            sharp: UpperRows::default(),
            lower: Vec::new(),
            upper: Vec::new(),
            required: Vec::new(),
            open: Vec::new(),
        }
    }

    /// The question in the form that the search works on; `None` when a variable has no values.
    pub(crate) fn compile<'q>(&mut self, question: &'q Question, tracked: &'q [Formula]) -> Option<Compiled<'q>> {
        let cache = &mut self.cache;
        compile(question, tracked, |application, magnitude, begin| cache.setting(application, magnitude, begin))
    }

    /// The whole box.
    pub(crate) fn root(&mut self, compiled: &Compiled<'_>) -> Region {
        let mut region = self.free.pop().unwrap_or_default();
        region.data.clear();
        region.data.extend_from_slice(&compiled.lower);
        region.data.extend_from_slice(&compiled.upper);
        region.data.resize(compiled.data_len, 0.0);
        for setting in &compiled.settings {
            for layer in (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).relu) {
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
        region.phases = None;
        region
    }

    /// Decides a question, announcing every step of the search.
    pub fn decide_with_proof(&mut self, question: &Question, limits: &Limits, sink: &mut dyn ProofSink) -> Answer {
        self.run(question, &[], limits, Some(sink))
    }

    /// Decides a question; with tracked formulas, goes through all their assignments and says `Unsat` at the end.
    pub(crate) fn run(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        limits: &Limits,
        sink: Option<&mut dyn ProofSink>,
    ) -> Answer {
        if let Err(error) = question.check() {
            // Soundness: floats could not tell integers apart, and symbols would mean something else.
            panic!("a question that does not pass its check: {error}");
        }
        self.statistics.questions += 1;
        // Whoever asks many questions is not held up by the preparation of each when the time is over.
        if let Some(limit) = limits.stop_now() {
            return Answer::Unknown(limit);
        }
        match self.compile(question, tracked) {
            None => Answer::Unsat,
            Some(compiled) => {
                self.search(&Task { question, compiled: &compiled, tracked, limits, reduced: None }, sink)
            }
        }
    }

    pub(crate) fn search(&mut self, task: &Task<'_>, mut sink: Option<&mut dyn ProofSink>) -> Answer {
        if let Some(limit) = task.limits.stop_now() {
            return Answer::Unknown(limit);
        }
        let compiled = task.compiled;
        let start = self.statistics.nodes;
        self.local.reset(compiled);
        while self.bounders.len() < compiled.settings.len() {
            self.bounders.push(Bounder::new(self.kernel));
        }
        if let Some(sink) = &mut sink {
            sink.step(Step::Root { lower: &compiled.lower, upper: &compiled.upper });
        }
        let mut region = self.root(compiled);
        let (priority, split) = match self.look_at(task, &mut region, 0, &mut sink) {
            Looked::Refuted => return Answer::Unsat,
            Looked::Found(point) => return Answer::Sat(point),
            Looked::Open(priority, split) => (priority, split),
            Looked::Recorded => unreachable!("a recorded witness leads to a split or to a known assignment"),
        };
        if sink.is_none()
            && let Some(answer) = self.search_reduced(task, &region, (priority, split), start)
        {
            return answer;
        }
        self.branch(task, Node { priority, id: 0, region, split }, start, sink)
    }

    /// Goes on with the free variables alone, if many are fixed.
    fn search_reduced(
        &mut self,
        task: &Task<'_>,
        root: &Region,
        (priority, split): (f64, Split),
        start: u64,
    ) -> Option<Answer> {
        let reduced = Reduced::new(task, root)?;
        let compiled = reduced.compile(task.compiled)?;
        let (region, split) = reduced.root(root, &compiled, split)?;
        self.local.reset(&compiled);
        if let Some(collected) = &mut self.collected {
            collected.reduce(&reduced);
        }
        let Reduced { question, tracked, .. } = &reduced;
        let task = Task { question, compiled: &compiled, tracked, limits: task.limits, reduced: Some(&reduced) };
        let answer = self.branch(&task, Node { priority, id: 0, region, split }, start, None);
        Some(if let Answer::Sat(point) = answer { Answer::Sat(reduced.full(&point)) } else { answer })
    }

    /// Splits the root until every region is refuted, or a witness is found.
    fn branch(&mut self, task: &Task<'_>, root: Node, start: u64, mut sink: Option<&mut dyn ProofSink>) -> Answer {
        let compiled = task.compiled;
        let mut heap = BinaryHeap::from([root]);
        let mut regions = 1;
        while let Some(node) = heap.pop() {
            let memory = (heap.len() + 1) * (compiled.data_len * size_of::<f64>() + size_of::<Node>());
            if let Some(limit) = self.limit(task.limits, start, memory) {
                return Answer::Unknown(limit);
            }
            if node.split == Split::Abandoned {
                // A deadline does not un-pass; an interruption that was taken back does.
                return Answer::Unknown(Stop::Interrupted);
            }
            if let Some(sink) = &mut sink {
                sink.step(Step::Split { region: node.id, halves: [regions, regions + 1], split: node.split });
            }
            for half in 0..2 {
                let id = regions + half;
                let mut region = self.half(compiled, &node, half == 0);
                match self.look_at(task, &mut region, id, &mut sink) {
                    Looked::Refuted => self.free.push(region),
                    Looked::Found(point) => return Answer::Sat(point),
                    Looked::Open(priority, split) => heap.push(Node { priority, id, region, split }),
                    Looked::Recorded => unreachable!("a recorded witness leads to a split or to a known assignment"),
                }
            }
            regions += 2;
            self.free.push(node.region);
        }
        Answer::Unsat
    }

    fn look_at(&mut self, task: &Task<'_>, region: &mut Region, id: u64, sink: &mut Sink<'_, '_>) -> Looked {
        match self.collected {
            None => self.look(task, region, id, sink),
            Some(_) => self.look_for_all(task, region, id, sink),
        }
    }

    /// One half of a region that is split.
    fn half(&mut self, compiled: &Compiled<'_>, node: &Node, first: bool) -> Region {
        let mut region = self.free.pop().unwrap_or_default();
        region.data.clone_from(&node.region.data);
        region.truth.clone_from(&node.region.truth);
        region.assumed.clone_from(&node.region.assumed);
        region.extra.clone_from(&node.region.extra);
        region.phases = None;
        let n = compiled.integral.len();
        match node.split {
            Split::Variable { variable, at } if first => region.data[n + variable] = at,
            Split::Variable { variable, at } => {
                region.data[variable] = if compiled.integral[variable] { at + 1.0 } else { at };
            }
            Split::Neuron { .. } => {
                let phases = node.region.phases.as_ref().expect("the rows of both phases were kept");
                phases[usize::from(!first)].impose(compiled, &mut region);
            }
            Split::Tracked { formula } => {
                let (yes, no) = compiled.tracked[formula];
                region.extra.push(if first { yes } else { no });
            }
            Split::Abandoned => unreachable!("the search stops at regions that were abandoned"),
            Split::Part { part } => region.choose(compiled, part, first),
        }
        region
    }

    pub(crate) fn limit(&self, limits: &Limits, start: u64, memory: usize) -> Option<Stop> {
        let nodes = self.statistics.nodes - start;
        if limits.nodes.is_some_and(|most| nodes >= most) {
            return limits.nodes.map(|nodes| Stop::Most(Unit::Nodes, nodes));
        }
        limits.exceeded(memory)
    }
}

impl Oracle for BranchAndBound {
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        // A panic may have left this behind.
        self.collected = None;
        self.run(question, &[], limits, None)
    }
}

impl MinimalChange for BranchAndBound {}

impl KeepStatistics for BranchAndBound {
    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Replicate for BranchAndBound {
    fn replicate(&self) -> Self {
        Self::new(self.options.clone())
    }
}

/// The limit behind an answer, if that is what it is.
pub(crate) fn stopped_by(answer: &Answer) -> Option<Stop> {
    if let Answer::Unknown(limit) = answer { Some(*limit) } else { None }
}
