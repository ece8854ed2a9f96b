//! The successors of a state on a piece.
//!
//! Everything that the step depends on is decided all over the piece: which guards hold, which labels the policy permits, which
//! outcomes are possible, which cases of updates apply. Then the successors are affine images again. What cannot be
//! decided is where the piece is cut.
//!
//! Errors of the model (a guard without value, an update that leaves a domain, a state that no network is for) are looked for as the
//! reference interpreter does, and confirmed by it.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear};
use surefoot_model::LabelId;
use surefoot_model::model::Operator;
use surefoot_model::policy::Outputs;
use surefoot_num::Rational;
use surefoot_oracle::KeepStatistics;
use surefoot_symbolic::{SymbolicOperator, SymbolicOutcome};
use surefoot_text::diagnostic::Diagnostic;

use super::cell::View;
use super::image::{Image, Shared};
use super::{Cell, Trouble};
use crate::agent::choice;
use crate::agent::walk::Contest;
use crate::region::Truth;
use crate::system::{Local, MOST_CHOICES};

/// One way to a successor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The operator.
    pub operator: Operator,
    /// Its label; `None` = silent.
    pub label: Option<LabelId>,
    /// The destination taken by each participant.
    pub destinations: Vec<u32>,
    /// The state after it.
    pub target: Shared,
}

/// What happens in a state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Successors {
    /// One step per distinct successor; none where the state is its own.
    pub steps: Vec<Step>,
    /// The network that was asked and the outputs it permits, where the policy had a say.
    pub decision: Option<(usize, Vec<usize>)>,
}

impl Cell<'_, '_, '_> {
    /// The successors of a state.
    ///
    /// # Errors
    /// [`Trouble`], a cut among it.
    pub fn successors(&mut self, state: &Shared) -> Result<Arc<Successors>, Trouble> {
        if let Some(known) = self.memory.successors(state) {
            return Ok(Arc::clone(known));
        }
        self.decider.check_limits()?;
        let successors = Arc::new(self.expand(state)?);
        self.counts.expanded += 1;
        self.counts.stuttering += u64::from(successors.steps.is_empty());
        self.memory.set_successors(Arc::clone(state), Arc::clone(&successors));
        Ok(successors)
    }

    fn expand(&mut self, state: &Shared) -> Result<Successors, Trouble> {
        let system = self.engine.system;
        let locations = self.locations(state)?;
        let local = system.local(&locations)?;
        let mut view = self.view(state);
        if let Some(terminal) = system.terminal() {
            if !terminal.defined.is_truth() && !self.decided(&terminal.defined, &mut view)? {
                let place = self.concrete(state).describe(system.model());
                let message = format!("the goal condition has no value in the state {place}");
                return Err(Diagnostic::error_anywhere(message).into());
            }
            if self.decided(&terminal.holds, &mut view)? {
                return Ok(Successors::default());
            }
        }
        if !local.guards_defined.is_truth() && !self.decided(&local.guards_defined, &mut view)? {
            return Err(self.error(state));
        }
        let mut enabled = Vec::new();
        for operator in &local.environment {
            if self.is_enabled(&local.operators[*operator], &mut view)? {
                enabled.push(*operator);
            }
        }
        let decision = self.decision(state, &local, &mut view)?;
        for output in decision.iter().flat_map(|(_, outputs)| outputs) {
            for operator in &local.governed[*output] {
                if self.is_enabled(&local.operators[*operator], &mut view)? {
                    enabled.push(*operator);
                }
            }
        }
        enabled.sort_unstable();
        let mut steps: Vec<Step> = Vec::new();
        for operator in enabled {
            self.operator(state, &local.operators[operator], &mut view, &mut steps)?;
        }
        Ok(Successors { steps, decision })
    }

    /// Where the automata are.
    fn locations(&self, state: &Shared) -> Result<Vec<u32>, Trouble> {
        let instances = self.engine.system.model().instances.len();
        let mut locations = Vec::with_capacity(instances);
        for form in &state.forms()[..instances] {
            if !form.is_constant() {
                // Several initial locations: the middle one parts them.
                let range = self.piece().range(form);
                let (lower, upper) = range.ends().expect("parameters are bounded");
                let half = Rational::new(1, 2).expect("not zero");
                let middle = (&(lower + upper) * &half).floor();
                let form = &Linear::constant_form(middle) - form;
                return Err(Trouble::Open(crate::region::Cut { form, border_apart: false }));
            }
            let location = form.constant().to_i64().and_then(|l| u32::try_from(l).ok());
            locations.push(location.ok_or_else(|| Trouble::Internal("a location is no number".to_owned()))?);
        }
        Ok(locations)
    }

    fn is_enabled(&mut self, operator: &SymbolicOperator, view: &mut View) -> Result<bool, Trouble> {
        if operator.guard.holds.is_truth() { Ok(true) } else { self.decided(&operator.guard.holds, view) }
    }

    /// The network that is asked and the outputs it permits; nothing where it has no say.
    fn decision(
        &mut self,
        state: &Shared,
        local: &Local,
        view: &mut View,
    ) -> Result<Option<(usize, Vec<usize>)>, Trouble> {
        let Some(policy) = self.engine.system.symbolic_policy() else { return Ok(None) };
        let Outputs::Labels(labels) = &policy.outputs else { return Ok(None) };
        if local.governed.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        let mut candidates: Vec<usize> = (0..labels.len()).collect();
        if policy.filter {
            let mut applicable = Vec::new();
            for output in candidates {
                if self.decided(&local.applicable[output], view)? {
                    applicable.push(output);
                }
            }
            if applicable.is_empty() {
                return Ok(None);
            }
            candidates = applicable;
        }
        let Some((network, inputs)) = self.network(&view.forms)? else {
            // No network is for this state. That is an error only where one is needed.
            let some = Formula::any(local.applicable.iter().cloned());
            return if self.decided(&some, view)? { Err(self.error(state)) } else { Ok(None) };
        };
        let contest = Contest { candidates: &candidates, ties: policy.ties };
        let prepared = &self.engine.networks[network];
        if let Some(winner) = choice::far_ahead(&self.decider, prepared, &inputs, &contest) {
            return Ok(Some((network, vec![winner])));
        }
        if let Some(cut) = self.memory.border(state)
            && self.decider.parts_by(cut)?
        {
            return Err(Trouble::Open(cut.clone()));
        }
        let before = self.oracle.as_ref().map_or(0, |oracle| oracle.statistics().questions);
        let outputs = choice::permitted(&mut self.decider, &mut self.oracle, prepared, &inputs, &contest);
        let after = self.oracle.as_ref().map_or(0, |oracle| oracle.statistics().questions);
        self.counts.questions += after - before;
        if let Err(Trouble::Open(cut)) = &outputs {
            self.memory.set_border(state, cut);
        }
        Ok(Some((network, outputs?)))
    }

    /// Adds the outcomes of an enabled operator.
    fn operator(
        &mut self,
        state: &Shared,
        operator: &SymbolicOperator,
        view: &mut View,
        steps: &mut Vec<Step>,
    ) -> Result<(), Trouble> {
        if !operator.distribution.is_truth() && !self.decided(&operator.distribution, view)? {
            return Err(self.error(state));
        }
        for outcome in &operator.outcomes {
            if !outcome.possible.is_truth() && !self.decided(&outcome.possible, view)? {
                continue;
            }
            if self.engine.system.updates_read_outputs(outcome) {
                self.fill(view)?;
            }
            for choices in choices(operator, outcome)? {
                let mut view = view.clone();
                view.forms.extend(choices.into_iter().map(Linear::constant_form));
                if let Some(target) = self.update(state, outcome, &mut view)? {
                    let target = self.memory.share(Arc::new(target));
                    if !steps.iter().any(|step| step.target == target) {
                        let (operator, label) = (operator.operator.clone(), operator.label);
                        steps.push(Step { operator, label, destinations: outcome.destinations.clone(), target });
                    }
                }
            }
        }
        Ok(())
    }

    /// The state after an outcome; `view` has the values of choices after everything else. `None` if the choices cannot
    /// have these values.
    fn update(&mut self, state: &Shared, outcome: &SymbolicOutcome, view: &mut View) -> Result<Option<Image>, Trouble> {
        if !outcome.defined.is_truth() && !self.decided(&outcome.defined, view)? {
            return Err(self.error(state));
        }
        let mut possible = true;
        for case in &outcome.cases {
            if !case.condition.is_truth() && !self.decided(&case.condition, view)? {
                continue;
            }
            // Soundness: bounds of choices are part of the state's successors, so they are decided like guards.
            for bounds in &case.choices {
                let symbol = Linear::symbol(bounds.symbol);
                for form in [&symbol - &bounds.lower, &bounds.upper - &symbol] {
                    let atom = Formula::atom(surefoot_linear::Atom::at_least_zero(form));
                    match self.truth(&atom, view)? {
                        Truth::Holds => {}
                        Truth::Fails => possible = false,
                        Truth::Open(cut) => return Err(Trouble::Open(cut)),
                    }
                }
            }
            if !possible {
                return Ok(None);
            }
            if !case.in_domain.is_truth() && !self.decided(&case.in_domain, view)? {
                return Err(self.error(state));
            }
            let mut forms = state.forms().to_vec();
            for (slot, form) in &case.update {
                forms[slot.index()] = form.substitute(&|s| Some(view.forms[s.index()].clone()));
            }
            for (instance, location) in &outcome.locations {
                forms[*instance] = Linear::constant_form(Rational::from(i64::from(*location)));
            }
            return Ok(Some(Image::new(forms)));
        }
        if outcome.choices.is_empty() {
            return Err(Trouble::Internal("no case of an update applies".to_owned()));
        }
        Ok(None)
    }
}

/// All values of an outcome's choices together.
pub(crate) fn choices(operator: &SymbolicOperator, outcome: &SymbolicOutcome) -> Result<Vec<Vec<Rational>>, Trouble> {
    let mut all: Vec<Vec<Rational>> = vec![Vec::new()];
    for choice in &outcome.choices {
        let (lower, upper) = choice.domain.int_bounds().ok_or_else(|| {
            Trouble::Internal("a non-deterministic assignment to a real variable was not refused".to_owned())
        })?;
        let width = upper.checked_sub(lower).and_then(|w| usize::try_from(w).ok()).unwrap_or(usize::MAX);
        if width.saturating_add(1).saturating_mul(all.len()) > MOST_CHOICES {
            let message = format!(
                "the non-deterministic assignments of {} choose from more than {MOST_CHOICES} values",
                operator.label.map_or("a silent operator".to_owned(), |_| "an operator".to_owned())
            );
            let help = "give the variables smaller domains";
            return Err(Diagnostic::error_anywhere(message).refusal().with_help(help).into());
        }
        all = all
            .iter()
            .flat_map(|prefix| {
                (lower..=upper).map(move |value| prefix.iter().cloned().chain([Rational::from(value)]).collect())
            })
            .collect();
    }
    Ok(all)
}
