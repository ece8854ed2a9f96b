//! A program under construction, and the states in it.
//!
//! Both encodings grow a program from a start state by the same few operations: what a formula says of a state, which networks may
//! be asked in it, and what the state after a move is.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Interval, Linear, Region, Symbol, SymbolRange};
use surefoot_milp::{Kind, VarId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;

use super::rows::Rows;
use super::state::{StateId, Symbolic, View, within};
use crate::check::start::Root;
use crate::explore::{Engine, Trouble};
use crate::formula::unfold::{Node, NodeId};

/// More rows are refused: no solver comes to an end with so many.
const MOST_ROWS: usize = 400_000;

/// A program under construction.
#[derive(Debug)]
pub(super) struct Encoder<'e, 's, 'm> {
    pub(super) engine: &'e Engine<'s, 'm>,
    /// Per node of the formula, the formula over slots and outputs that it is, if nothing in it is temporal.
    booleans: Vec<Option<Formula>>,
    pub(super) rows: Rows,
    pub(super) states: Vec<Arc<Symbolic>>,
    /// Whether bounds leave open that some state is in error: a value without definition, an update out of its domain.
    pub(super) errors_possible: bool,
}

impl<'e, 's, 'm> Encoder<'e, 's, 'm> {
    /// An empty program.
    pub(super) fn new(engine: &'e Engine<'s, 'm>) -> Self {
        let mut booleans: Vec<Option<Formula>> = Vec::with_capacity(engine.formula.nodes().len());
        let mut errors_possible = false;
        for node in engine.formula.nodes() {
            let parts =
                |parts: &[NodeId]| parts.iter().map(|p| booleans[p.index()].clone()).collect::<Option<Vec<_>>>();
            booleans.push(match node {
                Node::State(number) => {
                    let condition = &engine.formula.conditions()[*number as usize];
                    errors_possible |= !condition.defined.is_truth();
                    Some(condition.holds.clone())
                }
                Node::All(list) => parts(list).map(Formula::all),
                Node::Any(list) => parts(list).map(Formula::any),
                Node::Next(..) | Node::Until(..) | Node::Release(..) => None,
            });
        }
        Self { engine, booleans, rows: Rows::new(), states: Vec::new(), errors_possible }
    }

    /// How many slots a state has.
    pub(super) fn slots(&self) -> usize {
        self.engine.system.model().slots.len()
    }

    /// A node as a formula over slots and outputs, if nothing in it is temporal.
    pub(super) fn boolean(&self, node: NodeId) -> Option<&Formula> {
        self.booleans[node.index()].as_ref()
    }

    /// Stops at a limit, or where the program is too large.
    pub(super) fn check_limits(&self) -> Result<(), Trouble> {
        if let Some(limit) = self.engine.limits.stop_now() {
            return Err(Trouble::Stopped(limit));
        }
        let rows = self.rows.program.rows().len() + self.rows.program.indicators().len();
        if rows > MOST_ROWS {
            let what = format!("the mixed-integer program has more than {MOST_ROWS} rows");
            return Err(Trouble::TooLarge(what));
        }
        Ok(())
    }

    /// Adds the start state of a root; with the variables of its parameters. No state if there is none.
    pub(super) fn start(&mut self, root: &Root) -> Result<Option<(StateId, Vec<VarId>)>, Trouble> {
        let mut parameters = Vec::new();
        for ((lower, upper), integer) in root.piece.bounds().iter().zip(root.piece.integer()) {
            let kind = if *integer { Kind::Integer } else { Kind::Continuous };
            parameters.push(self.rows.program.variable(kind, lower.clone(), upper.clone()));
        }
        let slots = root.image.forms().iter().enumerate().map(|(slot, form)| {
            let range = SymbolRange { integer: self.integer(slot), bounds: root.piece.range(form) };
            (form.substitute(&|p| Some(parameters[p.index()].form())), range)
        });
        let state = Symbolic::new(slots.collect());
        let state = self.push(state);
        if let Some(condition) = &root.condition {
            self.errors_possible |= !condition.defined.is_truth();
            let holds = self.local(state, &condition.holds)?;
            if !self.require(state, &holds) {
                return Ok(None);
            }
        }
        Ok(Some((state, parameters)))
    }

    pub(super) fn integer(&self, slot: usize) -> bool {
        self.engine.system.space().symbol(Symbol::at(slot)).integer
    }

    fn push(&mut self, state: Symbolic) -> StateId {
        self.states.push(Arc::new(state));
        StateId(self.states.len() - 1)
    }

    /// A formula of the system over the symbols of a state: by the network that is asked, if it reads outputs.
    pub(super) fn local(&mut self, state: StateId, formula: &Formula) -> Result<Formula, Trouble> {
        let slots = Symbol::at(self.slots());
        let mut reads = false;
        formula.for_each_atom(&mut |atom| reads |= atom.form.terms().iter().any(|(symbol, _)| *symbol >= slots));
        if !reads {
            return Ok(formula.clone());
        }
        self.ask_networks(state)?;
        let views = self.states[state.0].views.iter().flatten();
        Ok(Formula::any(views.map(|view| {
            let renamed = formula.substitute(&|symbol| renamed(symbol, slots, view));
            Formula::all([view.asked.clone(), renamed])
        })))
    }

    /// Says that a formula over a state's symbols holds; `false` if bounds show that it does not.
    pub(super) fn require(&mut self, state: StateId, formula: &Formula) -> bool {
        let known = &mut self.states[state.0];
        let over = known.over_variables(formula);
        if over.is_falsity() || !Arc::make_mut(known).assume(formula) {
            return false;
        }
        self.rows.require(&over, None);
        true
    }

    /// The state whose slots are given forms of another, where the gate is 1 if there is one. Bounds are those of its slots.
    ///
    /// Soundness: a form that is shared with the state before, or constant, has its value whatever the gate; then the bounds must not be
    /// narrower than those before.
    pub(super) fn after(
        &mut self,
        state: StateId,
        effect: &[Linear],
        bounds: &[Interval],
        gate: Option<VarId>,
    ) -> Result<StateId, Trouble> {
        self.check_limits()?;
        let before = Arc::clone(&self.states[state.0]);
        let mut slots = Vec::with_capacity(effect.len());
        for (slot, (form, bounds)) in effect.iter().zip(bounds).enumerate() {
            let integer = self.integer(slot);
            let (lower, upper) = within(integer, bounds).ok_or_else(unbounded)?;
            let over = before.form_over_variables(form);
            let mut range = SymbolRange { integer, bounds: Interval::new(lower.clone(), upper.clone()) };
            let form = if over.is_constant() {
                range.bounds = Interval::point(over.constant().clone());
                over
            } else if let Some(same) = form.as_symbol() {
                if gate.is_some() {
                    range.bounds = before.space.symbol(same).bounds.clone();
                }
                over
            } else {
                let value = self.value(integer, lower, upper);
                self.rows.row(&Atom::zero(&over - &value), gate);
                value
            };
            slots.push((form, range));
        }
        Ok(self.push(Symbolic::new(slots)))
    }

    /// A state that is one of several, by gates: variables with the hull of the bounds.
    pub(super) fn one_of(
        &mut self,
        state: StateId,
        choices: &[(&[Linear], &[Interval], Option<VarId>)],
    ) -> Result<StateId, Trouble> {
        self.check_limits()?;
        let before = Arc::clone(&self.states[state.0]);
        let mut slots = Vec::with_capacity(self.slots());
        for slot in 0..self.slots() {
            let integer = self.integer(slot);
            let forms: Vec<Linear> =
                choices.iter().map(|(effect, _, _)| before.form_over_variables(&effect[slot])).collect();
            if forms.iter().all(|form| form.is_constant() && *form == forms[0]) {
                let bounds = Interval::point(forms[0].constant().clone());
                slots.push((forms[0].clone(), SymbolRange { integer, bounds }));
                continue;
            }
            let same = choices.iter().all(|(effect, _, _)| effect[slot].as_symbol() == Some(Symbol::at(slot)));
            if same {
                let bounds = before.space.symbol(Symbol::at(slot)).bounds.clone();
                slots.push((forms[0].clone(), SymbolRange { integer, bounds }));
                continue;
            }
            let mut hull: Option<Interval> = None;
            for (_, bounds, _) in choices {
                hull = Some(hull.map_or_else(|| bounds[slot].clone(), |hull| hull.hull(&bounds[slot])));
            }
            let (lower, upper) = hull.as_ref().and_then(|hull| within(integer, hull)).ok_or_else(unbounded)?;
            let value = self.value(integer, lower.clone(), upper.clone());
            for (form, (_, _, gate)) in forms.iter().zip(choices) {
                self.rows.row(&Atom::zero(form - &value), *gate);
            }
            slots.push((value, SymbolRange { integer, bounds: Interval::new(lower, upper) }));
        }
        Ok(self.push(Symbolic::new(slots)))
    }

    /// A new variable, or a multiple of one.
    fn value(&mut self, integer: bool, lower: Rational, upper: Rational) -> Linear {
        if integer {
            return self.rows.program.variable(Kind::Integer, lower, upper).form();
        }
        self.rows.padded(&lower, &upper)
    }

    /// Notes that a state may be in error unless bounds show that a formula holds wherever the region says.
    pub(super) fn doubt(&mut self, region: &Region<'_>, formula: &Formula) {
        if formula.is_truth() || region.truth(formula) == Some(true) {
            return;
        }
        self.errors_possible |= region.clone().assume(&region.space().negated(formula));
    }
}

/// What a symbol of the system is among those of a state, for the outputs of a network; others stay.
pub(super) fn renamed(symbol: Symbol, slots: Symbol, view: &View) -> Option<Linear> {
    (symbol >= slots).then(|| Linear::symbol(view.first.plus(symbol.index() - slots.index())))
}

pub(super) fn unbounded() -> Trouble {
    let message = "there are no finite bounds for a state within the formula's steps";
    let help = format!("use {} auto, which needs none", option("method"));
    Diagnostic::error_anywhere(message).refusal().with_help(help).into()
}
