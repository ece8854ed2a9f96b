//! The proof of a node: settle, tell where operators lead, bound the policy's choice, and split what is left.

use surefoot_certificate::token::{Place, Token};
use surefoot_checker::node::Node;
use surefoot_checker::points;
use surefoot_checker::rules::{Rules, Workspace};
use surefoot_checker::values::Values;
use surefoot_limits::Limits;
use surefoot_model::TermId;

use crate::cut::{Cut, open_condition};
use crate::lead::Led;
use crate::proof::{Proof, Stuck, formula_of};

/// Trees that are deeper are given up: the checker refuses them at some depth, too.
const MOST_DEEP: usize = 2000;
/// Down to this depth nodes are split for the sake of where operators lead before it is asked what the policy chooses.
const EARLY: usize = 8;
/// Boxes with at most so many points are tried point by point where nothing else helps.
const FEW_POINTS: u64 = 64;

/// Where a point is, if it is anywhere.
pub type Locate<'l> = dyn Fn(&[i64]) -> Option<Place> + Sync + 'l;

/// A search for proofs.
pub struct Search<'r, 'p> {
    pub(crate) rules: &'r Rules<'p>,
    pub(crate) ws: Workspace,
    locate: &'r Locate<'r>,
    limits: &'r Limits,
    /// Formulas that were there before.
    first: usize,
    pub(crate) tokens: Vec<Token>,
}

impl<'r, 'p> Search<'r, 'p> {
    /// A search by rules, in a workspace.
    #[must_use]
    pub fn new(rules: &'r Rules<'p>, ws: Workspace, locate: &'r Locate<'r>, limits: &'r Limits) -> Self {
        let first = ws.formulas.len();
        Self { rules, ws, locate, limits, first, tokens: Vec::new() }
    }

    /// A proof of what is pending in a node.
    ///
    /// # Errors
    /// Why there is none.
    pub fn prove(&mut self, node: Node) -> Result<Proof, Stuck> {
        self.tokens.clear();
        self.ws.formulas.truncate(self.first);
        self.node(node, 0)?;
        let tokens = std::mem::take(&mut self.tokens);
        let added = (self.first..self.ws.formulas.len()).filter_map(|id| {
            let id = u32::try_from(id).ok()?;
            self.ws.formulas.get(id).ok().cloned()
        });
        Ok(Proof { tokens, added: added.collect() })
    }

    pub(crate) fn locate(&self, point: &[i64]) -> Option<Place> {
        (self.locate)(point)
    }

    pub(crate) fn node(&mut self, mut node: Node, depth: usize) -> Result<(), Stuck> {
        self.limits.check().map_err(Stuck::Limit)?;
        if depth > MOST_DEEP {
            return Err(Stuck::Open(format!("a proof would be deeper than {MOST_DEEP}")));
        }
        self.rules.settle(&mut node, &mut self.ws);
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(());
        }
        if let Some(sum) = self.refuted(&node)?
            && self.rules.refute(&mut node, &sum, &self.ws).is_ok()
        {
            self.tokens.push(Token::Empty(sum));
            return Ok(());
        }
        if node.covered.is_some() {
            return self.start(node, depth);
        }
        if node.target {
            let conditions = [Some(self.rules.asked.target), self.rules.asked.terminal];
            let cut = conditions.into_iter().flatten().find_map(|term| open_condition(term, &self.rules.values(&node)));
            return self.split(node, cut, depth);
        }
        self.tell_choice(&mut node);
        let sample = self.sample(&node);
        let mut open = self.tell_leads(&mut node, &sample, depth);
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(());
        }
        if self.is_governed(&node) {
            if node.network.is_none() {
                let cut = self.open_network(&node);
                return self.split(node, cut, depth);
            }
            if depth < EARLY && open.is_some() {
                return self.split(node, open, depth);
            }
            if let Some(node) = self.choose(node, depth, &mut open)? {
                let cut = open.or_else(|| self.widest(&node));
                return self.split(node, cut, depth);
            }
            return Ok(());
        }
        self.split(node, open, depth)
    }

    /// Tells what the policy chooses where its inputs are constant: then nothing else needs to lead anywhere.
    pub(crate) fn tell_choice(&mut self, node: &mut Node) -> bool {
        let before = node.operators.len();
        let known = self.is_governed(node) && self.rules.evaluate(node, &mut self.ws).is_ok();
        if known && node.operators.len() < before {
            self.tokens.push(Token::Evaluate);
        }
        known
    }

    /// Tells where operators lead, as far as that is known. Where to split for an operator that is no matter of the policy.
    fn tell_leads(&mut self, node: &mut Node, sample: &[i64], depth: usize) -> Option<Cut> {
        let all = self.rules.operators_at(node);
        let mut open = None;
        for pending in node.operators.clone() {
            let op = &all[pending.index as usize];
            let ready = pending.defined && (op.output.is_none() || node.network.is_some());
            let led = if ready { self.leads(node, op, sample) } else { Led::Unknown };
            let cut = match (led, op.number) {
                (Led::To(targets), Some(number)) => {
                    if self.rules.leads(node, number, Some(&targets), &self.ws).is_ok() {
                        self.tokens.push(Token::Leads { operator: number, targets: Some(targets) });
                        continue;
                    }
                    None
                }
                (Led::Split(cut), _) => Some(cut),
                _ => None,
            };
            if open.is_some() {
                continue;
            }
            if op.output.is_none() {
                let guard = if pending.enabled { None } else { self.open_guard(node, &op.guards) };
                open = guard.or(cut);
                if open.is_none() {
                    self.tell_absent(node, op.number);
                }
            } else if depth < EARLY {
                // Where it leads is known in the parts: better split once now than in every part that the policy's choice asks for.
                open = cut;
            }
        }
        open
    }

    /// Where an operator may be in error but that is assumed not to matter, it is told to be absent.
    pub(crate) fn tell_absent(&mut self, node: &mut Node, number: Option<u32>) {
        let Some(number) = number else { return };
        if self.rules.leads(node, number, None, &self.ws).is_ok() {
            self.tokens.push(Token::Leads { operator: number, targets: None });
        }
    }

    pub(crate) fn open_guard(&self, node: &Node, guards: &[TermId]) -> Option<Cut> {
        let values = self.rules.values(node);
        guards.iter().find_map(|guard| open_condition(*guard, &values))
    }

    fn open_network(&self, node: &Node) -> Option<Cut> {
        let values = self.rules.values(node);
        let networks = &self.rules.asked.policy?.networks;
        networks.iter().filter_map(|network| network.when).find_map(|when| open_condition(when, &values))
    }

    pub(crate) fn is_governed(&self, node: &Node) -> bool {
        let all = self.rules.operators_at(node);
        node.operators.iter().any(|pending| all[pending.index as usize].output.is_some())
    }

    /// Splits a node and proves the parts; where there is nothing to split, its points are tried.
    pub(crate) fn split(&mut self, node: Node, cut: Option<Cut>, depth: usize) -> Result<(), Stuck> {
        if points::count(&node.bounds).is_some_and(|points| points == 1 || (cut.is_none() && points <= FEW_POINTS)) {
            return self.points(node);
        }
        match cut.or_else(|| self.widest(&node)) {
            Some(Cut::Slot(slot, at)) => {
                let (low, high) = self.rules.split(&node, slot, at).map_err(Stuck::Open)?;
                self.tokens.push(Token::Split { slot, at });
                self.node(low, depth + 1)?;
                self.node(high, depth + 1)
            }
            Some(Cut::Atom(atom)) => {
                let formula = formula_of(&atom, self.first, &mut self.ws)?;
                if node.told.iter().any(|(told, _)| *told == formula) {
                    return Err(Stuck::Open(format!("the same inequality is open again: {atom:?}")));
                }
                self.tokens.push(Token::Ask(formula));
                for truth in [true, false] {
                    let mut part = node.clone();
                    part.tell(formula, truth, &self.ws).map_err(Stuck::Open)?;
                    self.node(part, depth + 1)?;
                }
                Ok(())
            }
            Some(Cut::Choice(..)) | None => self.points(node),
        }
    }

    /// Tries every point.
    fn points(&mut self, mut node: Node) -> Result<(), Stuck> {
        let mut places: Vec<Place> = Vec::new();
        let found = self.rules.successors(&node, &self.ws);
        for point in found.map_err(Stuck::Open)? {
            let place = self.locate(&point).ok_or_else(|| Stuck::Open(format!("{point:?} is not in the invariant")))?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        self.rules.try_points(&mut node, &places, &self.ws).map_err(Stuck::Open)?;
        self.tokens.push(Token::Points(places));
        Ok(())
    }

    /// The widest slot, halved.
    pub(crate) fn widest(&self, node: &Node) -> Option<Cut> {
        let width = |(_, (lower, upper)): &(usize, &(i64, i64))| upper.saturating_sub(*lower);
        let (slot, _) = node.bounds.iter().enumerate().max_by_key(width)?;
        crate::cut::middle(u32::try_from(slot).ok()?, &node.bounds)
    }

    /// A point of the node that satisfies what is known, if one is easily found; else its middle.
    pub(crate) fn sample(&self, node: &Node) -> Vec<i64> {
        let middle: Vec<i64> = node.bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2).collect();
        let fits = |point: &[i64]| {
            node.told.iter().all(|(formula, truth)| self.ws.formulas.holds_at(*formula, point) == *truth)
        };
        if fits(&middle) {
            return middle;
        }
        let corner = |upper: bool| node.bounds.iter().map(|bounds| if upper { bounds.1 } else { bounds.0 }).collect();
        let corners: [Vec<i64>; 2] = [corner(false), corner(true)];
        if let Some(found) = corners.into_iter().find(|point| fits(point)) {
            return found;
        }
        if points::count(&node.bounds).is_some_and(|points| points <= 4096) {
            let mut found = None;
            let _ = points::for_each(&node.bounds, |point| {
                if fits(point) {
                    found = Some(point.to_vec());
                    return Err(());
                }
                Ok(())
            });
            return found.unwrap_or(middle);
        }
        middle
    }

    pub(crate) fn values<'n>(&'n self, node: &'n Node) -> Values<'n> {
        self.rules.values(node)
    }
}
