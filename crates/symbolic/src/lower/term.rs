//! Terms to formulas and cases, with the condition under which they have a value.
//!
//! Evaluation is lazy in `∧`, `∨`, `ite` and array selection, so an operand must have a value only where it is looked
//! at: of `a ∧ b`, the operand `b` only where `a` holds. [`Meaning::defined`] says that. Where it fails, the
//! value means nothing.
//!
//! Terms are lowered operands first, with a work list, each once: nesting costs no stack.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_linear::{Formula, Linear, Relation, Space};
use surefoot_model::model::Transient;
use surefoot_model::term::CmpOp;
use surefoot_model::{Model, ScalarType, Term, TermId, TransientId};

use super::arithmetic;
use super::cases::{self, Case};
use super::environment::{Environment, NetworkOutputs};
use super::meaning::{Meaning, Value};
use super::path::Path;
use super::refusal::{Obstacle, Refusal};
use super::select;

/// Terms lowered in one environment.
pub(super) type Memo = FxHashMap<TermId, Arc<Meaning>>;

/// Lowers terms in one environment.
pub(super) struct Translator<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) space: &'a Space,
    pub(super) outputs: Option<&'a NetworkOutputs<'m>>,
    pub(super) environment: &'a Environment,
    pub(super) memo: &'a mut Memo,
}

impl Translator<'_, '_> {
    /// What a term stands for.
    pub(super) fn meaning(&mut self, root: TermId) -> Result<Arc<Meaning>, Refusal> {
        let mut work = vec![root];
        while let Some(id) = work.last().copied() {
            if self.memo.contains_key(&id) {
                work.pop();
                continue;
            }
            let refused = |obstacle| Refusal { obstacle, term: Some(id) };
            let meaning = match self.leaf(id).map_err(refused)? {
                Some(meaning) => meaning,
                None => {
                    let before = work.len();
                    work.extend(self.operands(id).into_iter().filter(|operand| !self.memo.contains_key(operand)));
                    if work.len() > before {
                        continue;
                    }
                    self.combine(id).map_err(refused)?
                }
            };
            meaning.check().map_err(refused)?;
            self.memo.insert(id, Arc::new(meaning));
            work.pop();
        }
        Ok(self.get(root))
    }

    fn get(&self, id: TermId) -> Arc<Meaning> {
        Arc::clone(self.memo.get(&id).expect("operands are lowered before the terms that use them"))
    }

    /// The operands that are lowered first; nested conjunctions and disjunctions count as one.
    fn operands(&self, id: TermId) -> Vec<TermId> {
        let terms = &self.model.terms;
        match terms.get(id) {
            Term::And(..) => terms.conjuncts(id),
            Term::Or(..) => terms.disjuncts(id),
            Term::Transient(TransientId(t)) => vec![self.model.transients[*t as usize].definition],
            _ => {
                let mut operands = Vec::new();
                terms.for_each_operand(id, |operand| operands.push(operand));
                operands
            }
        }
    }

    /// What needs no operands: linear terms, and transient variables that were assigned or that a network computes.
    fn leaf(&self, id: TermId) -> Result<Option<Meaning>, Obstacle> {
        let ty = self.model.terms.ty(id);
        let value = |form: Linear| match ty {
            ScalarType::Bool => Value::Truth(self.space.atom(&form, Relation::NonZero)),
            _ => Value::Number(cases::certain(form)),
        };
        if let Term::Transient(transient) = self.model.terms.get(id) {
            if let Some(assigned) = self.environment.transients.get(transient) {
                return Ok(Some(Meaning::certain(value(assigned.clone()))));
            }
            if let Some(outputs) = self.outputs
                && let Some(symbol) = outputs.symbol(*transient)
            {
                if !outputs.unchanged(self.environment) {
                    let name = &self.model.transients[transient.0 as usize].name;
                    return Err(Obstacle::OutputAfterUpdate(name.to_string()));
                }
                let defined = outputs.covered.clone();
                return Ok(Some(Meaning { value: value(Linear::symbol(symbol)), defined }));
            }
            return Ok(None);
        }
        let form = self.model.terms.linear(id);
        Ok(form.map(|form| Meaning::certain(value(self.environment.resolve(&form)))))
    }

    fn combine(&self, id: TermId) -> Result<Meaning, Obstacle> {
        let space = self.space;
        match self.model.terms.get(id) {
            Term::Bool(_) | Term::Num(_) | Term::Slot(_) => unreachable!("leaves are linear"),
            Term::Not(a) => {
                let a = self.get(*a);
                Ok(Meaning { value: Value::Truth(space.negated(a.truth())), defined: a.defined.clone() })
            }
            Term::And(..) => Ok(self.junction(&self.model.terms.conjuncts(id), true)),
            Term::Or(..) => Ok(self.junction(&self.model.terms.disjuncts(id), false)),
            Term::Cmp(op, a, b) => self.comparison(*op, *a, *b),
            Term::Ite(condition, then, otherwise) => self.choice(*condition, *then, *otherwise),
            Term::Select(items, index) => {
                let items: Vec<Arc<Meaning>> = items.iter().map(|item| self.get(*item)).collect();
                select::select(space, &items, &self.get(*index), self.model.terms.ty(id))
            }
            Term::Arith(op, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let (cases, own) = arithmetic::binary(space, *op, &a.cases(space), &b.cases(space))?;
                let defined = Formula::all([a.defined.clone(), b.defined.clone(), own]);
                Ok(Meaning { value: Value::Number(cases), defined })
            }
            Term::Round(op, a) => {
                let a = self.get(*a);
                let cases = arithmetic::unary(space, *op, &a.cases(space))?;
                Ok(Meaning { value: Value::Number(cases), defined: a.defined.clone() })
            }
            Term::Transient(TransientId(t)) => self.defined_transient(&self.model.transients[*t as usize]),
        }
    }

    /// A conjunction (or, the other way round, a disjunction): a part is looked at where all before it hold.
    fn junction(&self, parts: &[TermId], all: bool) -> Meaning {
        let parts: Vec<Arc<Meaning>> = parts.iter().map(|part| self.get(*part)).collect();
        let truths = || parts.iter().map(|part| part.truth().clone());
        let value = if all { Formula::all(truths()) } else { Formula::any(truths()) };
        let defined = parts.iter().enumerate().map(|(i, part)| {
            if part.defined.is_truth() {
                return Formula::truth();
            }
            let decides = |before: &Arc<Meaning>| {
                if all { self.space.negated(before.truth()) } else { before.truth().clone() }
            };
            Formula::any(parts[..i].iter().map(decides).chain([part.defined.clone()]))
        });
        Meaning { value: Value::Truth(value), defined: Formula::all(defined) }
    }

    fn comparison(&self, op: CmpOp, a: TermId, b: TermId) -> Result<Meaning, Obstacle> {
        let (space, boolean) = (self.space, self.model.terms.ty(a) == ScalarType::Bool);
        let (a, b) = (self.get(a), self.get(b));
        let (x, y) = (a.cases(space), b.cases(space));
        let defined = Formula::all([a.defined.clone(), b.defined.clone()]);
        let atom = |x: &Linear, y: &Linear| match op {
            CmpOp::Eq => space.equal(x, y),
            CmpOp::Ne => space.atom(&(x - y), Relation::NonZero),
            CmpOp::Lt => space.below(x, y),
            CmpOp::Le => space.at_most(x, y),
        };
        let truth = if boolean && (x.len() > 1 || y.len() > 1) && matches!(op, CmpOp::Eq | CmpOp::Ne) {
            let (p, q) = (a.truth(), b.truth());
            let q = if op == CmpOp::Eq { q.clone() } else { space.negated(q) };
            Formula::any([Formula::all([p.clone(), q.clone()]), Formula::all([space.negated(p), space.negated(&q)])])
        } else {
            let pairs = cases::pairs(&Path::new(space), &x, &y)?;
            if let [(_, x, y)] = pairs[..] {
                atom(x, y)
            } else {
                let part = |(path, x, y): (Path<'_>, &Linear, &Linear)| {
                    let atom = path.region.simplify(&atom(x, y));
                    Formula::all([path.condition, atom])
                };
                Formula::any(pairs.into_iter().map(part))
            }
        };
        Ok(Meaning { value: Value::Truth(truth), defined })
    }

    fn choice(&self, condition: TermId, then: TermId, otherwise: TermId) -> Result<Meaning, Obstacle> {
        let space = self.space;
        let (condition, then, otherwise) = (self.get(condition), self.get(then), self.get(otherwise));
        let holds = condition.truth();
        let fails = space.negated(holds);
        let defined = Formula::all([
            condition.defined.clone(),
            space.implies(holds, then.defined.clone()),
            space.implies(&fails, otherwise.defined.clone()),
        ]);
        let value = match (&then.value, &otherwise.value) {
            (Value::Truth(a), Value::Truth(b)) => {
                // A chain of choices by simple conditions (locations, say) stays a flat list.
                let parts = match (&fails, b) {
                    (Formula::Atom(_), Formula::Any(parts)) => &parts[..],
                    _ => std::slice::from_ref(b),
                };
                // The parts first: they are about more, and may decide the condition.
                let under =
                    |part: &Formula, condition: &Formula| Some(Path::new(space).and(part)?.and(condition)?.condition);
                let rest = parts.iter().filter_map(|part| under(part, &fails));
                let first = under(a, holds);
                Value::Truth(Formula::any(first.into_iter().chain(rest)))
            }
            _ => {
                let mut split = Vec::new();
                for (condition, branch) in [(holds, &then), (&fails, &otherwise)] {
                    for case in branch.cases(space).iter() {
                        let path = Path::new(space).and(&case.condition).and_then(|path| path.and(condition));
                        let Some(path) = path else { continue };
                        split.push(Case { condition: path.condition, value: case.value.clone() });
                    }
                }
                Value::Number(cases::join(split)?)
            }
        };
        Ok(Meaning { value, defined })
    }

    /// A transient variable's definition: its value must be in the domain.
    fn defined_transient(&self, transient: &Transient) -> Result<Meaning, Obstacle> {
        let definition = self.get(transient.definition);
        let inside = match &transient.domain {
            None => Formula::truth(),
            Some(domain) => {
                let cases = definition.cases(self.space);
                let paths = cases.iter().filter_map(|case| {
                    let path = Path::new(self.space).and(&case.condition)?;
                    Some((path, &case.value))
                });
                let inside: Result<Vec<Formula>, Obstacle> =
                    paths.map(|(path, value)| Ok(path.implies(&path.in_domain(value, domain)?))).collect();
                Formula::all(inside?)
            }
        };
        let defined = Formula::all([definition.defined.clone(), inside]);
        Ok(Meaning { value: definition.value.clone(), defined })
    }
}
