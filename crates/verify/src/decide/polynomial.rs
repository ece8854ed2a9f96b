//! Branch and bound over products: the oracle knows linear forms only.
//!
//! In a box ([`boxes`](super::boxes)) every product is a variable of its own that is held in its envelope
//! ([`envelope`](super::envelope)). This
//! relaxation is asked of the oracle. Where it has no state, the box has none. A state of it is tried as it is, with the true
//! products; then with one factor of each product held fast, which makes the query linear and the oracle's answer exact. If
//! that fails, the box is split at the product that is farthest from the truth.
//!
//! Soundness: halves of a box overlap in a plane, so nothing is lost between them. A state counts only if the true products satisfy the query.

use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Statistics, Undecided, Variable};

use super::boxes::{Node, Product, Ranges, Shape, Unbounded};
use super::envelope::{Ends, rows};
use super::linked::Linked;
use super::{Solved, Solver};

/// Boxes looked at, at most.
const MOST_BOXES: u64 = 50_000;
/// Nodes of the oracle's search in one box; what is too much at once may be decided in parts.
const NODES: u64 = 20_000;
/// Intervals are not split below this part of what they were.
const FINEST: f64 = 1e-12;
/// The first so many boxes are all tried with factors held fast, later ones now and then.
const TRIED: u64 = 8;

/// A search under way.
struct Search<'a> {
    shape: Shape,
    solver: &'a Solver<'a>,
    is_witness: &'a dyn Fn(&[Rational]) -> bool,
    statistics: Statistics,
}

/// Decides a query with products; `is_witness` is its definition.
pub(super) fn decide(
    linked: &Linked,
    solver: &Solver<'_>,
    is_witness: &dyn Fn(&[Rational]) -> bool,
    limits: &Limits,
) -> Solved {
    Search { shape: Shape::new(linked), solver, is_witness, statistics: Statistics::default() }.run(limits)
}

impl Search<'_> {
    fn run(mut self, limits: &Limits) -> Solved {
        let ends = |variable: &Variable| (variable.lower.clone(), variable.upper.clone());
        let inputs: Vec<Ends> = self.shape.question.variables[..self.shape.inputs].iter().map(ends).collect();
        let root = Node::new(inputs);
        let widest = match self.shape.ranges(&root) {
            Ok(widest) => widest,
            Err(Unbounded::Empty) => return self.solved(Answer::Unsat, None),
            Err(Unbounded::Infinite) => return self.solved(Answer::Unknown(Stop::Narrow), Some(&root)),
        };
        let width = |(lower, upper): &Ends| (upper - lower).to_f64();
        let widths: Vec<f64> = widest.quantities.iter().map(width).collect();
        let mut open = vec![root];
        let mut left: Option<Node> = None;
        let mut boxes = 0;
        while let Some(node) = open.pop() {
            if boxes == MOST_BOXES {
                return self.solved(Answer::Unknown(Stop::Most(Unit::Nodes, MOST_BOXES)), None);
            }
            boxes += 1;
            let ranges = match self.shape.ranges(&node) {
                Ok(ranges) => ranges,
                Err(Unbounded::Empty) => continue,
                Err(Unbounded::Infinite) => {
                    left = Some(node);
                    continue;
                }
            };
            let point = match self.ask(&node, &ranges, limits) {
                Answer::Unsat => continue,
                Answer::Sat(point) => Some(point),
                Answer::Unknown(stop) if stop.is_final() => return self.solved(Answer::Unknown(stop), None),
                Answer::Unknown(_) => None,
            };
            if let Some(point) = &point {
                if let Some(state) = self.truth(point) {
                    return self.solved(Answer::Sat(state), None);
                }
                if (boxes <= TRIED || boxes.is_power_of_two())
                    && let Some(state) = self.held_fast(&node, point, limits)
                {
                    return self.solved(Answer::Sat(state), None);
                }
            }
            match self.split(&node, &ranges, point.as_deref(), &widths) {
                Some(halves) => open.extend(halves),
                None => left = Some(node),
            }
        }
        match left {
            None => self.solved(Answer::Unsat, None),
            Some(node) => self.solved(Answer::Unknown(Stop::Narrow), Some(&node)),
        }
    }

    fn solved(self, answer: Answer, left: Option<&Node>) -> Solved {
        let bounds = |node: &Node| node.inputs.iter().map(|(lower, upper)| (lower.to_f64(), upper.to_f64())).collect();
        let left = left.map(|node| Undecided { stop: Stop::Narrow, bounds: bounds(node) });
        Solved { answer, statistics: self.statistics, left }
    }

    /// Asks the oracle about the relaxation.
    fn ask(&mut self, node: &Node, ranges: &Ranges, limits: &Limits) -> Answer {
        let mut question = self.shape.question.clone();
        let ends = node.inputs.iter().chain(&ranges.products);
        for (variable, (lower, upper)) in question.variables.iter_mut().zip(ends) {
            (variable.lower, variable.upper) = (lower.clone(), upper.clone());
        }
        let mut parts = vec![question.formula];
        for (quantity, (lower, upper)) in &node.cuts {
            let form = &self.shape.quantities[*quantity];
            let constant = |value: &Rational| Linear::constant_form(value.clone());
            for form in [form - &constant(lower), &constant(upper) - form] {
                parts.push(Formula::atom(Atom::at_least_zero(form)));
            }
        }
        for (index, Product { factors: [left, right] }) in self.shape.products.iter().enumerate() {
            let w = Linear::symbol(Symbol::at(self.shape.inputs + index));
            let factor = |quantity: usize| (&self.shape.quantities[quantity], &ranges.quantities[quantity]);
            parts.extend(rows(&w, factor(*left), factor(*right)).into_iter().map(Formula::atom));
        }
        question.formula = Formula::all(parts);
        if question.check().is_err() {
            // Products of numbers that are allowed may be too large to be.
            return Answer::Unknown(Stop::Narrow);
        }
        let limits = Limits { nodes: Some(limits.nodes.unwrap_or(NODES).min(NODES)), run: limits.run.clone() };
        let Solved { answer, statistics, .. } = (self.solver)(&question, &limits);
        self.statistics.questions += statistics.questions;
        self.statistics.nodes += statistics.nodes + 1;
        self.statistics.points += statistics.points;
        self.statistics.programs += statistics.programs;
        answer
    }

    /// The state of a point of the relaxation, if the true products satisfy the query too.
    fn truth(&self, point: &[Rational]) -> Option<Vec<Rational>> {
        let state = &point[..self.shape.inputs];
        (self.is_witness)(state).then(|| state.to_vec())
    }

    /// A state near a point of the relaxation, found with one factor of each product held at its value there.
    fn held_fast(&mut self, node: &Node, point: &[Rational], limits: &Limits) -> Option<Vec<Rational>> {
        let values = self.shape.question.symbol_values(point);
        let mut node = node.clone();
        for quantity in &self.shape.cover {
            let form = &self.shape.quantities[*quantity];
            let value = form.eval(|symbol| values[symbol.index()].clone());
            self.shape.narrow(&mut node, *quantity, &(value.clone(), value));
        }
        let ranges = self.shape.ranges(&node).ok()?;
        match self.ask(&node, &ranges, limits) {
            Answer::Sat(point) => self.truth(&point),
            _ => None,
        }
    }

    /// The two halves of a box, the one with the point last; none where nothing can be split.
    fn split(&self, node: &Node, ranges: &Ranges, point: Option<&[Rational]>, widths: &[f64]) -> Option<[Node; 2]> {
        let values = point.map(|point| self.shape.question.symbol_values(point));
        let value = |form: &Linear| values.as_ref().map(|values| form.eval(|symbol| values[symbol.index()].clone()));
        let width = |quantity: usize| {
            let (lower, upper) = &ranges.quantities[quantity];
            (upper - lower).to_f64()
        };
        let splittable = |quantity: usize| width(quantity) > FINEST * widths[quantity];
        let mut best: Option<(f64, usize)> = None;
        for (index, Product { factors: [left, right] }) in self.shape.products.iter().enumerate() {
            let area = width(*left) * width(*right) / 4.0;
            let gap = match value(&Linear::symbol(Symbol::at(self.shape.inputs + index))) {
                Some(w) => {
                    let factor = |quantity: usize| value(&self.shape.quantities[quantity]).unwrap_or_default();
                    (&w - &(&factor(*left) * &factor(*right))).to_f64().abs()
                }
                None => area,
            };
            let relative = |quantity: usize| width(quantity) / widths[quantity].max(f64::MIN_POSITIVE);
            let [left, right] = [*left, *right].map(|quantity| (relative(quantity), quantity));
            let (_, quantity) = if left.0 >= right.0 { left } else { right };
            if gap > 0.0 && splittable(quantity) && best.is_none_or(|(most, _)| gap > most) {
                best = Some((gap, quantity));
            }
        }
        let (_, quantity) = best?;
        let form = &self.shape.quantities[quantity];
        let (lower, upper) = &ranges.quantities[quantity];
        let fifth = (upper - lower).to_f64() / 5.0;
        let wanted = value(form).map_or_else(|| (lower + upper).to_f64() / 2.0, |value| value.to_f64());
        let wanted = wanted.max(lower.to_f64() + fifth).min(upper.to_f64() - fifth);
        let at = Rational::from_f64(wanted).filter(|at| lower < at && at < upper)?;
        let half = |lower: &Rational, upper: &Rational| {
            let mut half = node.clone();
            self.shape.narrow(&mut half, quantity, &(lower.clone(), upper.clone()));
            half
        };
        let (low, high) = (half(lower, &at), half(&at, upper));
        let below = value(form).is_none_or(|value| value <= at);
        Some(if below { [high, low] } else { [low, high] })
    }
}
