//! Updates by cases: assignments of equal index at once, those of a larger index after them.
//!
//! A branch is a path with the variables assigned so far. Every assignment splits the branches by the cases of its index,
//! of its value or bounds; cases that contradict the path vanish. Whatever an assignment needs (a value, an index in
//! range, a value to choose, no contradiction with another assignment at once) is collected as an implication from the
//! branch's condition.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Region, Symbol};
use surefoot_model::model::{AssignedTerm, Assignment, Target};
use surefoot_model::term::RoundOp;
use surefoot_model::{Domain, Model, SlotId, TermId, TransientId};
use surefoot_text::source::Span;

use super::arithmetic;
use super::cases::{self, Case};
use super::environment::{Environment, NetworkOutputs};
use super::meaning::Meaning;
use super::outcome::{ChoiceBounds, UpdateCase};
use super::path::Path;
use super::refusal::{MAX_CASES, Obstacle, Refusal};
use super::select;
use super::term::{Memo, Translator};
use super::written::{Written, agree, some_value};

/// A refusal, and the assignment that it was met in.
type Refused = (Refusal, Option<Span>);

#[derive(Debug, Clone)]
struct Branch<'s> {
    path: Path<'s>,
    environment: Environment,
    choices: Vec<ChoiceBounds>,
    /// What the assignments at the current index write; reads do not see it yet.
    slots: Vec<(SlotId, Written)>,
    transients: Vec<(TransientId, Linear)>,
}

/// The assignments of one outcome.
pub(super) struct Updates<'a, 's, 'm> {
    model: &'m Model,
    outputs: Option<&'a NetworkOutputs<'m>>,
    /// Where the operator is enabled.
    region: Region<'s>,
    /// By ascending index, each with its choice where it has one.
    assignments: Vec<(&'a Assignment, Option<Symbol>)>,
    defined: Vec<Formula>,
}

impl<'a, 's, 'm> Updates<'a, 's, 'm> {
    /// `choices` has a symbol for every non-deterministic assignment, in order.
    pub(super) fn new(
        model: &'m Model,
        outputs: Option<&'a NetworkOutputs<'m>>,
        region: Region<'s>,
        assignments: &[&'a Assignment],
        choices: &[Symbol],
    ) -> Self {
        let mut choices = choices.iter().copied();
        let mut assignments: Vec<(&Assignment, Option<Symbol>)> = assignments
            .iter()
            .map(|a| (*a, if matches!(a.value, AssignedTerm::Interval(..)) { choices.next() } else { None }))
            .collect();
        assignments.sort_by_key(|(a, _)| a.index);
        Self { model, outputs, region, assignments, defined: Vec::new() }
    }

    /// Where the update is defined, and its cases. `memo` holds terms in the state before the step.
    pub(super) fn run(mut self, memo: &mut Memo) -> Result<(Formula, Vec<UpdateCase>), Refused> {
        let mut branches = vec![Branch {
            path: Path::within_region(self.region.clone()),
            environment: Environment::default(),
            choices: Vec::new(),
            slots: Vec::new(),
            transients: Vec::new(),
        }];
        let assignments = std::mem::take(&mut self.assignments);
        for now in assignments.chunk_by(|a, b| a.0.index == b.0.index) {
            let mut next = Vec::new();
            for branch in branches {
                let mut own = Memo::default();
                let memo = if branch.environment.is_initial() { &mut *memo } else { &mut own };
                let mut open = vec![branch];
                for (assignment, choice) in now {
                    let mut split = Vec::new();
                    for branch in open {
                        self.assign(&branch, assignment, *choice, memo, &mut split)
                            .map_err(|refusal| (refusal, Some(assignment.span)))?;
                        if split.len() > MAX_CASES {
                            return Err((Obstacle::Cases.into(), Some(assignment.span)));
                        }
                    }
                    open = split;
                }
                next.extend(open.into_iter().filter_map(Branch::step));
                if next.len() > MAX_CASES {
                    return Err((Obstacle::Cases.into(), now.first().map(|(a, _)| a.span)));
                }
            }
            branches = next;
        }
        let cases = self.finish(branches).map_err(|obstacle| (obstacle.into(), None))?;
        Ok((Formula::all(self.defined), cases))
    }

    /// One assignment, on one branch.
    fn assign(
        &mut self,
        branch: &Branch<'s>,
        assignment: &Assignment,
        choice: Option<Symbol>,
        memo: &mut Memo,
        out: &mut Vec<Branch<'s>>,
    ) -> Result<(), Refusal> {
        let space = branch.path.space();
        let environment = branch.environment.clone();
        let (model, outputs) = (self.model, self.outputs);
        let mut translator = Translator { model, space, outputs, environment: &environment, memo };
        let mut defined = Vec::new();
        let mut meaning = |term: TermId| -> Result<Arc<Meaning>, Refusal> {
            let meaning = translator.meaning(term)?;
            defined.push(branch.requires(&meaning.defined));
            Ok(meaning)
        };
        match (&assignment.target, assignment.value) {
            (Target::Transient(transient), AssignedTerm::Value(term)) => {
                let declared = &model.transients[transient.0 as usize];
                for case in meaning(term)?.cases(space).iter() {
                    let Some(mut branch) = branch.on(&case.condition) else { continue };
                    if let Some(domain) = &declared.domain {
                        self.defined.push(branch.requires(&branch.path.in_domain(&case.value, domain)?));
                    }
                    branch.transients.push((*transient, case.value.clone()));
                    out.push(branch);
                }
            }
            (Target::Transient(_), AssignedTerm::Interval(..)) => unreachable!("refused when the model is read"),
            (target, value) => {
                let (base, dimensions) = match target {
                    Target::Slot(slot) => (*slot, &[][..]),
                    Target::Cell { base, dimensions } => (*base, &dimensions[..]),
                    Target::Transient(_) => unreachable!("matched above"),
                };
                let domain = &model.slots[base.index()].domain;
                let indices: Vec<(u32, Arc<Meaning>)> = dimensions
                    .iter()
                    .map(|(length, index)| Ok((*length, meaning(*index)?)))
                    .collect::<Result<_, Refusal>>()?;
                let written: Vec<(Formula, Written)> = match value {
                    AssignedTerm::Value(term) => {
                        let cases = meaning(term)?.cases(space).into_owned();
                        cases.into_iter().map(|case| (case.condition, Written::Value(case.value))).collect()
                    }
                    AssignedTerm::Interval(lower, upper) => {
                        let symbol = choice.expect("every non-deterministic assignment has a choice");
                        let (lower, upper) = (meaning(lower)?, meaning(upper)?);
                        let lower = rounded(&branch.path, domain, &lower.cases(space), RoundOp::Ceil)?;
                        let upper = rounded(&branch.path, domain, &upper.cases(space), RoundOp::Floor)?;
                        let pairs = cases::pairs(&branch.path, &lower, &upper)?;
                        let bounds = |lower: &Linear, upper: &Linear| {
                            Written::Chosen(ChoiceBounds { symbol, lower: lower.clone(), upper: upper.clone() })
                        };
                        pairs.into_iter().map(|(path, l, u)| (path.condition, bounds(l, u))).collect()
                    }
                };
                for (slot, branch) in self.targets(branch.clone(), base, &indices) {
                    for (condition, written) in &written {
                        let Some(branch) = branch.on(condition) else { continue };
                        out.extend(self.write(branch, slot, written.clone(), domain));
                    }
                }
            }
        }
        self.defined.extend(defined);
        Ok(())
    }

    /// The slots that a cell may be, each with its branch.
    fn targets(
        &mut self,
        branch: Branch<'s>,
        base: SlotId,
        indices: &[(u32, Arc<Meaning>)],
    ) -> Vec<(SlotId, Branch<'s>)> {
        let mut found = vec![(0u32, branch)];
        for (length, index) in indices {
            let mut next = Vec::new();
            for (offset, branch) in found {
                for case in index.cases(branch.path.space()).iter() {
                    let Some(branch) = branch.on(&case.condition) else { continue };
                    let (positions, inside) = select::positions(&branch.path, &case.value, *length as usize);
                    self.defined.push(branch.requires(&inside));
                    for (position, path) in positions {
                        next.push((
                            offset * length + u32::try_from(position).expect("a cell of the array"),
                            Branch { path, ..branch.clone() },
                        ));
                    }
                }
            }
            found = next;
        }
        found.into_iter().map(|(offset, branch)| (SlotId(base.0 + offset), branch)).collect()
    }

    /// Writes to a slot. A second write at once must write the same.
    fn write(&mut self, mut branch: Branch<'s>, slot: SlotId, written: Written, domain: &Domain) -> Option<Branch<'s>> {
        let space = branch.path.space();
        if let Written::Chosen(bounds) = &written {
            let some = some_value(space, bounds, domain);
            self.defined.push(branch.requires(&some));
            branch = branch.on(&some)?;
        }
        match branch.slots.iter().position(|(other, _)| *other == slot) {
            None => branch.slots.push((slot, written)),
            Some(at) => {
                let same = agree(space, &branch.slots[at].1, &written, domain);
                self.defined.push(branch.requires(&same));
                branch = branch.on(&same)?;
                // A value says more than the choice of the only value there is.
                if matches!(written, Written::Value(_)) {
                    branch.slots[at].1 = written;
                }
            }
        }
        Some(branch)
    }

    /// Joins branches that do the same, and checks domains.
    fn finish(&self, branches: Vec<Branch<'s>>) -> Result<Vec<UpdateCase>, Obstacle> {
        type Effect = (Vec<(SlotId, Linear)>, Vec<ChoiceBounds>);
        let mut joined: Vec<(Effect, Vec<Path<'s>>)> = Vec::new();
        for branch in branches {
            let slots = branch.environment.slots.into_iter();
            let update: Vec<(SlotId, Linear)> =
                slots.filter(|(s, form)| form.as_symbol() != Some(*s)).map(|(s, form)| (SlotId(s.0), form)).collect();
            let effect = (update, branch.choices);
            match joined.iter_mut().find(|(known, _)| *known == effect) {
                Some((_, paths)) => paths.push(branch.path),
                None => joined.push((effect, vec![branch.path])),
            }
        }
        let mut cases = Vec::new();
        for ((update, choices), paths) in joined {
            let condition = Formula::any(paths.iter().map(|path| path.condition.clone()));
            let path = match &paths[..] {
                [path] => path.clone(),
                _ => match Path::within_region(self.region.clone()).and(&condition) {
                    Some(path) => path,
                    None => continue,
                },
            };
            let inside: Result<Vec<Formula>, Obstacle> = update
                .iter()
                .map(|(slot, form)| path.in_domain(form, &self.model.slots[slot.index()].domain))
                .collect();
            cases.push(UpdateCase { condition, update, choices, in_domain: Formula::all(inside?) });
        }
        Ok(cases)
    }
}

impl Branch<'_> {
    fn on(&self, condition: &Formula) -> Option<Self> {
        Some(Self { path: self.path.and(condition)?, ..self.clone() })
    }

    /// On this branch, for all values that its choices may have, the formula holds.
    fn requires(&self, formula: &Formula) -> Formula {
        let required = self.path.implies(formula);
        if required.is_truth() {
            return required;
        }
        let space = self.path.space();
        let beyond = self.choices.iter().map(|bounds| space.negated(&bounds.formula(space)));
        Formula::any(beyond.chain([required.clone()]))
    }

    /// The assignments at one index are done: what they wrote can be read.
    fn step(mut self) -> Option<Self> {
        for (slot, written) in std::mem::take(&mut self.slots) {
            let form = match written {
                Written::Value(form) => form,
                Written::Chosen(bounds) => {
                    let form = Linear::symbol(bounds.symbol);
                    // What is known of the choice decides later cases. It is no condition of the branch.
                    if !self.path.region.assume(&bounds.formula(self.path.space())) {
                        return None;
                    }
                    self.choices.push(bounds);
                    form
                }
            };
            self.environment.slots.insert(Symbol(slot.0), form);
        }
        for (transient, form) in std::mem::take(&mut self.transients) {
            self.environment.transients.insert(transient, form);
        }
        Some(self)
    }
}

/// Bounds of an interval of integers are rounded inwards.
fn rounded(path: &Path<'_>, domain: &Domain, bounds: &[Case], op: RoundOp) -> Result<Vec<Case>, Obstacle> {
    let space = path.space();
    if domain.int_bounds().is_none() || bounds.iter().all(|case| space.is_integral(&case.value)) {
        return Ok(bounds.to_vec());
    }
    arithmetic::unary(space, op, bounds)
}
