//! Paths from the start, composed step by step.
//!
//! A path is the path before it and one rule. Its values are affine forms over the symbols of its *base*: the start state's slots and
//! the choices since. Where all values have become constants, it is a base itself: what may follow depends on that one
//! state, and nothing before it is asked again.
//!
//! Invariant: a path that is kept is real. Its point is a start state and choices that follow it under the policy.

use std::sync::Arc;

use surefoot_abstraction::chooser::chosen;
use surefoot_abstraction::compose::Choices;
use surefoot_abstraction::{Chooser, Rule};
use surefoot_linear::{Formula, Linear, Space, Symbol, SymbolRange};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question, Variable};

/// A path, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathId(u32);

impl PathId {
    /// The path of an index.
    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 paths"))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a path comes from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// It is a start.
    Start,
    /// A path and a step.
    Step(PathId),
    /// A path and a step to a single state, and the point of the base before at which it is reached.
    Concrete(PathId, Vec<Rational>),
}

/// A path.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    /// Where it comes from.
    pub origin: Origin,
    /// Its steps.
    pub depth: u32,
    /// The path whose symbols its values are over.
    pub base: PathId,
    /// Locations at its end.
    pub locations: Box<[u32]>,
    /// The values of all slots at its end; locations are constants.
    pub values: Arc<[Linear]>,
    /// The symbols of the base and of the choices since.
    pub space: Arc<Space>,
    /// What the last step adds: where it is enabled, or the start condition.
    pub condition: Formula,
    /// The networks that may choose the last step, over the base; `None` where the policy has no say.
    pub decision: Option<Arc<[Chooser]>>,
    /// Values of the symbols for which it is real.
    pub point: Vec<Rational>,
}

impl Path {
    /// The bytes that it takes, roughly: values and conditions have a few terms each, choosers an input per network's.
    fn bytes(&self) -> usize {
        const FORM: usize = size_of::<Linear>() + 2 * size_of::<(Symbol, Rational)>();
        let chooser = |chooser: &Chooser| {
            let formulas = chooser.applicable.iter().map(Formula::size).sum::<usize>() + chooser.asked.size();
            (chooser.inputs.len() + formulas) * FORM
        };
        let decision = self.decision.iter().flat_map(|choosers| choosers.iter()).map(chooser).sum::<usize>();
        let own = size_of::<Self>() + self.point.len() * size_of::<Rational>();
        own + (self.values.len() + self.condition.size()) * FORM
            + decision
            + self.space.len() * size_of::<SymbolRange>()
    }

    /// Whether it ends in one state, whatever its symbols.
    pub(crate) fn is_concrete(&self) -> bool {
        self.values.iter().all(Linear::is_constant)
    }

    /// A formula over the slots at its end.
    pub(crate) fn at_end(&self, formula: &Formula) -> Formula {
        self.space.substitute(formula, &|symbol| self.values.get(symbol.index()).cloned())
    }

    /// The choosers of its end, over the base.
    pub(crate) fn choosers(&self, choosers: &[Chooser]) -> Arc<[Chooser]> {
        let choices = Choices::default();
        choosers.iter().map(|chooser| composed(chooser, &|symbol| choices.form(&self.values, symbol))).collect()
    }

    /// The state that it ends in at a point.
    pub(crate) fn end(&self, point: &[Rational]) -> State {
        State(self.values.iter().map(|form| form.eval(|symbol| point[symbol.index()].clone())).collect())
    }
}

/// A path with one more step, of which it is not known whether it is real.
#[derive(Debug, Clone)]
pub(crate) struct Extended {
    pub space: Arc<Space>,
    pub values: Arc<[Linear]>,
    pub condition: Formula,
    pub decision: Option<Arc<[Chooser]>>,
}

impl Extended {
    /// Extends a path by a rule; nothing where the rule is not enabled anywhere on it.
    pub(crate) fn new(path: &Path, rule: &Rule) -> Option<Self> {
        let choices = Choices::of(rule, path.space.len());
        let mut space = path.space.clone();
        if !rule.choices.is_empty() {
            let own = Arc::make_mut(&mut space);
            rule.choices.iter().for_each(|(_, domain)| {
                own.push(domain.into());
            });
        }
        let map = |symbol: Symbol| choices.form(&path.values, symbol);
        let condition = space.substitute(&rule.formula, &map);
        if condition.is_falsity() {
            return None;
        }
        let values = choices.after(&path.values, rule).into();
        let decision = rule.choosers.as_ref().map(|all| all.iter().map(|chooser| composed(chooser, &map)).collect());
        Some(Self { space, values, condition, decision })
    }
}

/// A chooser over other symbols.
fn composed(chooser: &Chooser, map: &impl Fn(Symbol) -> Option<Linear>) -> Chooser {
    Chooser {
        asked: chooser.asked.substitute(map),
        inputs: chooser.inputs.iter().map(|form| form.substitute(map)).collect(),
        network: chooser.network.clone(),
        output: chooser.output,
        ties: chooser.ties.clone(),
        applicable: chooser.applicable.iter().map(|formula| formula.substitute(map)).collect(),
    }
}

/// All paths.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    all: Vec<Path>,
    bytes: usize,
}

impl Paths {
    pub(crate) fn get(&self, id: PathId) -> &Path {
        &self.all[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a path, which becomes its own base where it is a start or concrete.
    pub(crate) fn add(&mut self, mut path: Path) -> PathId {
        let id = PathId::at(self.all.len());
        match path.origin {
            Origin::Start => path.base = id,
            Origin::Step(before) if path.is_concrete() => {
                path.base = id;
                path.space = Arc::default();
                path.condition = Formula::truth();
                path.decision = None;
                path.origin = Origin::Concrete(before, std::mem::take(&mut path.point));
            }
            Origin::Step(_) | Origin::Concrete(..) => {}
        }
        self.bytes += path.bytes();
        self.all.push(path);
        id
    }

    /// The bytes that they take, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The path and those before it, back to its base.
    pub(crate) fn since_base(&self, id: PathId) -> impl Iterator<Item = &Path> {
        std::iter::successors(Some(self.get(id)), |path| match path.origin {
            Origin::Step(before) => Some(self.get(before)),
            Origin::Start | Origin::Concrete(..) => None,
        })
    }

    /// The question for a point that follows a path, has a property over some symbols, and for which the policy decides as
    /// given at the end.
    pub(crate) fn question(
        &self,
        id: PathId,
        space: &Space,
        property: impl IntoIterator<Item = Formula>,
        decision: Option<&[Chooser]>,
    ) -> Question {
        let mut question = over(space);
        let mut parts: Vec<Formula> = property.into_iter().collect();
        let so_far = self.since_base(id).collect::<Vec<_>>().into_iter().rev();
        let mut decisions = Vec::new();
        for path in so_far {
            parts.push(path.condition.clone());
            decisions.extend(path.decision.as_deref());
        }
        decisions.extend(decision);
        for choosers in decisions {
            parts.push(chosen(&mut question, choosers, &|_| None));
        }
        question.formula = Formula::all(parts);
        question
    }

    /// The states of a run along a path.
    pub(crate) fn run(&self, id: PathId, point: &[Rational]) -> Vec<State> {
        let (mut states, mut at, mut point) = (Vec::new(), id, point);
        loop {
            let path = self.get(at);
            states.push(path.end(point));
            match &path.origin {
                Origin::Start => break,
                Origin::Step(before) => at = *before,
                Origin::Concrete(before, earlier) => (at, point) = (*before, earlier),
            }
        }
        states.reverse();
        states
    }
}

/// A question over the symbols of a space, that asks nothing.
pub(crate) fn over(space: &Space) -> Question {
    let variable = |symbol: usize| {
        let bounds = &space.symbol(Symbol::at(symbol)).bounds;
        let bound = |bound: &Option<Rational>| bound.clone().expect("domains are bounded");
        Variable { kind: Kind::Integer, lower: bound(&bounds.lower), upper: bound(&bounds.upper) }
    };
    Question {
        variables: (0..space.len()).map(variable).collect(),
        applications: Vec::new(),
        formula: Formula::truth(),
    }
}
