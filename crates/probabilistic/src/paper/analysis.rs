//! Counterexample analysis: is an abstract adversary real? (Procedure `CeAna` of the paper's Algorithm 1; line numbers are those of it.)
//!
//! Paths of the adversary's chain are added, most probable first, until they are enough. Four things can be wrong with them: one of them has no
//! concretisation (i-a), or none under the policy (i-b); those that have one have it from different start states, so that no single one has enough of them, whatever the
//! policy says (ii-a) or under it (ii-b). Each has a refinement of its own, and each refinement tells two concrete states of one abstract state apart.
//!
//! A path's concretisations follow its updates through its abstract states; where the other outcomes of its steps lead is not looked at. So more is
//! realisable than by the paper's definition, and it is still real: distinct paths are distinct sequences of updates, one start state has them all, and one
//! adversary, which takes in every abstract state what the abstract one does. ([`super::replay`] makes sure.)
//!
//! In the incremental version the path set and the bound on its probability survive: [`Analysis::run`] may be called again with a larger threshold.

use surefoot_abstraction::{PredicateSet, System};
use surefoot_cegar::path::{AbstractPath, End};
use surefoot_cegar::profile::Profile;
use surefoot_cegar::refine::{Refined, Refiner};
use surefoot_limits::{Stop, Unit};
use surefoot_model::State;
use surefoot_num::{Random, Rational};
use surefoot_oracle::{Answer, FullOracle, Limits};

use super::chain::Chain;
use super::compose::Composition;
use super::concrete::Concrete;
use super::halt::Halt;
use super::paths::{Paths, StepId};
use super::replay::replay;
use super::soft::{Grouped, UnderPolicy};
use super::split::{between, thresholds};
use super::walk::{Point, Scene, Walk};
use super::weighted::maximum;
use crate::ask::Asked;

/// Start states that are kept to try paths on.
const WALKS: usize = 8;
/// A question with more networks than this is not asked: nobody answers it.
const MOST_APPLICATIONS: usize = 200;

/// What is wrong with a counterexample, as [`crate::Figures::refinements`] counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spurious {
    /// (i-a): a path has no concretisation.
    Path,
    /// (ii-a): no start state has enough paths.
    Set,
    /// (i-b): a path has none under the policy.
    PolicyPath,
    /// (ii-b): no start state has all of them under the policy.
    PolicySet,
}

impl Spurious {
    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Set => "set of paths",
            Self::PolicyPath => "path under the policy",
            Self::PolicySet => "set of paths under the policy",
        }
    }
}

/// What came of an analysis.
#[derive(Debug)]
pub enum Finding {
    /// It is real: a start state, and a lower bound that was replayed.
    Real {
        /// What the start state attains.
        lower: Rational,
        /// It.
        start: State,
    },
    /// It is spurious, and these predicates tell why.
    Refined(PredicateSet, Spurious),
}

/// What an analysis works with.
pub struct Context<'a, 'm, O> {
    /// What is abstracted.
    pub system: &'a System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// What is asked.
    pub asked: &'a Asked<'a>,
    /// What happens in concrete states.
    pub concrete: &'a Concrete<'a>,
    /// How the model assigns its variables.
    pub profile: &'a Profile,
    /// Who answers.
    pub oracle: &'a mut O,
    /// How to refine, and until when.
    pub options: &'a surefoot_cegar::Options,
    /// For what may be done one way or another.
    pub random: &'a mut Random,
    /// Paths of less probability are not added to a set that has enough.
    pub p_eps: &'a Rational,
    /// Whether (ii-b) is decided exactly.
    pub exact_policy: bool,
}

/// A path of the set.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its last step.
    pub end: StepId,
    /// Its probability.
    pub probability: Rational,
    /// From where it is realised, whatever the policy says.
    point: Point,
}

/// The analysis of one adversary.
#[derive(Debug)]
pub struct Analysis {
    chain: Chain,
    paths: Paths,
    composition: Option<Composition>,
    /// The path set.
    members: Vec<Member>,
    /// Its probability.
    sum: Rational,
    /// Upper bound on its realisable probability.
    most: Rational,
    /// The adversary's value, rounded up.
    value: Rational,
    /// Whether there are no other paths.
    exhausted: bool,
    /// Start states that realise some of the paths: the best first.
    walks: Vec<Walk>,
}

macro_rules! scene {
    ($self:ident, $context:ident) => {
        Scene {
            system: $context.system,
            predicates: $context.predicates,
            chain: &$self.chain,
            paths: &$self.paths,
            concrete: $context.concrete,
        }
    };
}

impl Analysis {
    /// Of an adversary's chain, whose value is at most that.
    #[must_use]
    pub fn new(chain: Chain, value: Rational) -> Self {
        let (sum, most) = (Rational::ZERO, Rational::ZERO);
        let (paths, members, walks) = (Paths::default(), Vec::new(), Vec::new());
        Self { chain, paths, composition: None, members, sum, most, value, exhausted: false, walks }
    }

    /// Paths in the set.
    #[must_use]
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The bytes that it takes, roughly.
    fn bytes(&self) -> usize {
        let members = self.members.len() * (size_of::<Member>() + 64);
        let composed = self.composition.as_ref().map_or(0, Composition::bytes);
        self.paths.bytes() + members + composed + self.walks.iter().map(Walk::bytes).sum::<usize>()
    }

    /// Line 9: whether paths may be added.
    fn can_add(&self, threshold: &Rational, p_eps: &Rational) -> bool {
        self.sum <= *threshold || self.members.last().is_none_or(|last| last.probability >= *p_eps)
    }

    /// Decides whether the adversary exceeds a threshold, which its value does: lines 10 to 27.
    ///
    /// # Errors
    /// A limit; or the model is in error.
    pub fn run<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        threshold: &Rational,
    ) -> Result<Finding, Halt> {
        let realised = loop {
            while self.most <= *threshold && !self.exhausted && self.can_add(threshold, context.p_eps) {
                if let Some(stop) = context.options.limits.exceeded(self.bytes()) {
                    return Err(stop.into());
                }
                let Some(end) = self.paths.next(&self.chain) else {
                    self.exhausted = true;
                    break;
                };
                let Some(point) = self.realising(context, end)? else {
                    return self.refute(context, end, false);
                };
                let probability = self.paths.steps[end].probability.clone();
                self.sum = &self.sum + &probability;
                self.most = &self.most + &probability;
                self.members.push(Member { end, probability, point });
            }
            let realised = self.maximise(context)?;
            if self.most > *threshold {
                break realised;
            }
            let unused = if self.exhausted { Rational::ZERO } else { &self.value - &self.sum };
            if &self.most + &unused.max(Rational::ZERO) <= *threshold || !self.can_add(threshold, context.p_eps) {
                return self.split_starts(context, &realised);
            }
        };
        if context.exact_policy
            && let Some(real) = self.maximise_under_policy(context, threshold)?
        {
            return Ok(real);
        }
        self.under_policy(context, &realised)
    }

    /// Line 13: a point that realises a path, whatever the policy says.
    fn realising<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        end: StepId,
    ) -> Result<Option<Point>, Halt> {
        let scene = scene!(self, context);
        if let Some(walk) = self.walks.iter_mut().find_map(|walk| walk.realises(scene, end, false).then_some(walk)) {
            return Ok(Some(walk.point.clone()));
        }
        let composition = self.composition.get_or_insert_with(|| Composition::new(scene));
        let path = composition.path(scene, end);
        let question = composition.question([path]);
        match context.oracle.decide(&question, &context.options.limits) {
            Answer::Sat(values) => {
                let point = composition.point(&values);
                let mut walk = Walk::new(point.clone());
                if !walk.realises(scene, end, false) {
                    return Err(Halt::internal("a point of a path's formula does not walk along it"));
                }
                self.keep(walk);
                Ok(Some(point))
            }
            Answer::Unsat => Ok(None),
            Answer::Unknown(stop) => Err(stop.into()),
        }
    }

    /// Keeps a walk to try paths on, after the best one.
    fn keep(&mut self, walk: Walk) {
        self.walks.insert(self.walks.len().min(1), walk);
        self.walks.truncate(WALKS);
    }

    /// Line 17: the largest probability of paths that one start state realises, whatever the policy says. Says which these are; the point is that of
    /// the first walk then.
    fn maximise<O: FullOracle>(&mut self, context: &mut Context<'_, '_, O>) -> Result<Vec<bool>, Halt> {
        let scene = scene!(self, context);
        let limits = &context.options.limits;
        let ends = self.members.iter().map(|member| member.end);
        if let Some(best) = self.walks.first_mut()
            && realises_all(scene, best, ends, false, limits)?
        {
            self.most = self.sum.clone();
            return Ok(vec![true; self.members.len()]);
        }
        let composition = self.composition.get_or_insert_with(|| Composition::new(scene));
        let formulas: Vec<_> = self.members.iter().map(|member| composition.path(scene, member.end)).collect();
        let weights = self.members.iter().map(|member| &member.probability);
        let known: Vec<_> = self.walks.iter().map(|walk| composition.values(&walk.point)).collect();
        let mut soft = Grouped::new(composition, context.oracle, limits, formulas.into_iter().zip(weights));
        let best =
            maximum(&mut soft, known, None)?.ok_or_else(|| Halt::internal("paths are realised by no start state"))?;
        let realised = soft.spread(&best.holding);
        let walk = Walk::new(composition.point(&best.point));
        self.walks.insert(0, walk);
        self.walks.truncate(WALKS);
        self.most = best.weight;
        Ok(realised)
    }

    /// Lines 14 and 24: predicates that refute a path.
    fn refute<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        end: StepId,
        follows: bool,
    ) -> Result<Finding, Halt> {
        match self.refuted(context, end, follows)? {
            Ok(finding) => Ok(finding),
            Err(_) => Err(Halt::internal("a path is spurious and real")),
        }
    }

    /// The same; or the states of a run along the path, if it is real after all.
    fn refuted<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        end: StepId,
        follows: bool,
    ) -> Result<Result<Finding, Vec<State>>, Halt> {
        let way = self.paths.way(end);
        let spot = |id: &StepId| &self.chain.spots[self.paths.steps[*id].spot];
        let rule = |pair: &[StepId]| spot(&pair[0]).rule(self.paths.steps[pair[1]].outcome).clone();
        let path = AbstractPath {
            states: way.iter().map(|id| spot(id).state.clone()).collect(),
            steps: way.windows(2).map(rule).collect(),
            end: End::Unsafe,
        };
        let mut refiner = context.refiner();
        match refiner.refute(&path, follows) {
            Refined::More { predicates, .. } => {
                let kind = if follows { Spurious::PolicyPath } else { Spurious::Path };
                Ok(Ok(Finding::Refined(predicates, kind)))
            }
            Refined::Real(states) => Ok(Err(states)),
            Refined::Unknown(stop) => Err(stop.into()),
            Refined::NoSuchStep(step) => Err(Halt::internal(format!("step {step} of a path does not exist"))),
            Refined::Nothing => Err(Halt::internal(format!(
                "a spurious path of {} steps, and nothing new to tell it by",
                path.steps.len()
            ))),
        }
    }

    /// Line 21: start witness splitting between the best start state and one for each path that it does not realise.
    fn split_starts<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        realised: &[bool],
    ) -> Result<Finding, Halt> {
        let others = self.members.iter().zip(realised).filter(|(_, realised)| !**realised).map(|(member, _)| member);
        let others: Vec<(StepId, Point)> = others.map(|member| (member.end, member.point.clone())).collect();
        let best = self.walks[0].point.clone();
        self.split(context, &best, &others, Spurious::Set)
    }

    /// Predicates between start states; between states on the way where all start in one.
    fn split<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        first: &Point,
        others: &[(StepId, Point)],
        kind: Spurious,
    ) -> Result<Finding, Halt> {
        let starts: Vec<&State> = [&first.start].into_iter().chain(others.iter().map(|(_, p)| &p.start)).collect();
        let mut added = thresholds(context.system, &starts);
        if added.is_empty() {
            // One start state, and assignments that chose differently: the runs are apart later.
            let scene = scene!(self, context);
            added = others.iter().find_map(|(end, point)| between(scene, first, point, *end)).unwrap_or_default();
        }
        match context.refiner().extended(&added, surefoot_cegar::Cause::Separated, 0) {
            Some(Refined::More { predicates, .. }) => Ok(Finding::Refined(predicates, kind)),
            _ => Err(Halt::internal(format!("a spurious {}, and nothing new to tell it by", kind.words()))),
        }
    }

    /// Lines 22 to 27: the same under the policy.
    fn under_policy<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        realised: &[bool],
    ) -> Result<Finding, Halt> {
        let ends: Vec<StepId> =
            self.members.iter().zip(realised).filter(|(_, realised)| **realised).map(|(m, _)| m.end).collect();
        let mut points: Vec<(StepId, Point)> = Vec::new();
        for end in &ends {
            if let Some(stop) = context.options.limits.stop_now() {
                return Err(stop.into());
            }
            match self.following(context, *end)? {
                Ok(point) => points.push((*end, point)),
                Err(finding) => return Ok(finding),
            }
        }
        // Line 25: is there one for all?
        let scene = scene!(self, context);
        for walk in &mut self.walks {
            if realises_all(scene, walk, ends.iter().copied(), true, &context.options.limits)? {
                return real(scene, context.asked, walk, &ends);
            }
        }
        let composition = self.composition.get_or_insert_with(|| Composition::new(scene));
        let question = composition.under_policy(scene, &ends);
        if question.applications.len() <= MOST_APPLICATIONS {
            match context.oracle.decide(&question, &context.path_limits()) {
                Answer::Sat(values) => {
                    let mut walk = Walk::new(composition.point(&values));
                    return real(scene, context.asked, &mut walk, &ends);
                }
                // Soundness: where it is not known, the set counts as spurious; two start states are told apart whichever it is.
                Answer::Unsat | Answer::Unknown(Stop::Most(Unit::Nodes, _)) => {}
                Answer::Unknown(stop) => return Err(stop.into()),
            }
        }
        let (_, first) = points.swap_remove(0);
        self.split(context, &first, &points, Spurious::PolicySet)
    }

    /// Line 23: a point that realises a path under the policy, or predicates that refute it.
    fn following<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        end: StepId,
    ) -> Result<Result<Point, Finding>, Halt> {
        let scene = scene!(self, context);
        if let Some(walk) = self.walks.iter_mut().find_map(|walk| walk.realises(scene, end, true).then_some(walk)) {
            return Ok(Ok(walk.point.clone()));
        }
        let composition = self.composition.get_or_insert_with(|| Composition::new(scene));
        let question = composition.under_policy(scene, &[end]);
        match context.oracle.decide(&question, &context.path_limits()) {
            Answer::Sat(values) => {
                let point = composition.point(&values);
                let mut walk = Walk::new(point.clone());
                if !walk.realises(scene, end, true) {
                    // The policy permits it, and the interpreter does not: it met an error of the model.
                    replay(scene, context.asked, &mut walk, &[end])?;
                    return Err(Halt::internal("a point of a path under the policy does not walk along it"));
                }
                self.keep(walk);
                return Ok(Ok(point));
            }
            // Soundness: where it is not known, the path counts as spurious; refinement finds out.
            Answer::Unsat | Answer::Unknown(Stop::Most(Unit::Nodes, _)) => {}
            Answer::Unknown(stop) => return Err(stop.into()),
        }
        Ok(match self.refuted(context, end, true)? {
            Ok(finding) => Err(finding),
            Err(states) => {
                let start = states.into_iter().next().ok_or_else(|| Halt::internal("a run without states"))?;
                Ok(Point { start, choices: rustc_hash::FxHashMap::default() })
            }
        })
    }

    /// The exact form of (ii-b): the largest probability of paths that one start state realises under the policy, if that exceeds the threshold. `None`
    /// where it does not, or the oracle does not say.
    fn maximise_under_policy<O: FullOracle>(
        &mut self,
        context: &mut Context<'_, '_, O>,
        threshold: &Rational,
    ) -> Result<Option<Finding>, Halt> {
        let (scene, limits) = (scene!(self, context), context.path_limits());
        let composition = self.composition.get_or_insert_with(|| Composition::new(scene));
        let known: Vec<Point> = self.walks.iter().map(|walk| walk.point.clone()).collect();
        let mut soft = UnderPolicy::new(scene, composition, context.oracle, &limits, &self.members);
        match maximum(&mut soft, known, Some(threshold)) {
            Ok(Some(best)) => {
                let realised = self.members.iter().zip(&best.holding).filter(|(_, holds)| **holds);
                let ends: Vec<StepId> = realised.map(|(member, _)| member.end).collect();
                let mut walk = Walk::new(best.point);
                self.most = best.weight;
                real(scene, context.asked, &mut walk, &ends).map(Some)
            }
            Ok(None) | Err(Stop::Most(Unit::Nodes, _)) => Ok(None),
            Err(stop) => Err(stop.into()),
        }
    }
}

/// Whether a walk goes along all of some paths; they may be many, and each state of them takes the interpreter a while.
fn realises_all(
    scene: Scene<'_, '_>,
    walk: &mut Walk,
    ends: impl Iterator<Item = StepId>,
    follow: bool,
    limits: &Limits,
) -> Result<bool, Halt> {
    for end in ends {
        if let Some(stop) = limits.stop_now() {
            return Err(stop.into());
        }
        if !walk.realises(scene, end, follow) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A counterexample that is real, replayed.
fn real(scene: Scene<'_, '_>, asked: &Asked<'_>, walk: &mut Walk, ends: &[StepId]) -> Result<Finding, Halt> {
    let lower = replay(scene, asked, walk, ends)?;
    Ok(Finding::Real { lower, start: walk.point.start.clone() })
}

impl<'m, O: FullOracle> Context<'_, 'm, O> {
    /// Finds new predicates.
    pub fn refiner(&mut self) -> Refiner<'_, 'm, O> {
        Refiner {
            system: self.system,
            predicates: self.predicates,
            profile: self.profile,
            oracle: self.oracle,
            options: self.options,
            random: self.random,
        }
    }

    /// Limits of a question about paths under the policy.
    fn path_limits(&self) -> Limits {
        Limits { nodes: Some(self.options.path_nodes), ..self.options.limits.clone() }
    }
}
