//! Boxes of a query with products, and what is known in them.
//!
//! A *quantity* is a form that occurs as a factor: a variable, an output, an earlier product. A box bounds the variables, and
//! by cuts other quantities; intervals of all quantities and products follow.
//!
//! Soundness: intervals of outputs are outward rounded ([`BoundingNetwork`]); those of products follow from them, in exact
//! arithmetic.

use std::collections::BTreeMap;

use surefoot_linear::{Linear, Symbol};
use surefoot_network::bounds::BoundingNetwork;
use surefoot_num::{FloatInterval, Rational};
use surefoot_oracle::{Question, Variable};

use super::envelope::{Ends, products};
use super::linked::Linked;

/// A query with products, ready to be searched. Variables are those of the query and then the products.
pub(super) struct Shape {
    pub(super) question: Question,
    /// Variables that are no products.
    pub(super) inputs: usize,
    pub(super) quantities: Vec<Linear>,
    pub(super) products: Vec<Product>,
    /// For bounds of outputs that are factors.
    networks: Vec<Option<BoundingNetwork>>,
    /// Quantities to be held fast, so that every product has one.
    pub(super) cover: Vec<usize>,
}

/// A product of two quantities.
pub(super) struct Product {
    pub(super) factors: [usize; 2],
}

/// A box: bounds of the inputs, and of quantities that are no inputs where they were split.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) inputs: Vec<Ends>,
    pub(super) cuts: BTreeMap<usize, Ends>,
}

/// What is known in a box.
pub(super) struct Ranges {
    pub(super) quantities: Vec<Ends>,
    pub(super) products: Vec<Ends>,
}

/// Why a box has no ranges.
pub(super) enum Unbounded {
    /// Nothing is in it.
    Empty,
    /// Bounds of an output are beyond floats.
    Infinite,
}

impl Node {
    /// A box without cuts.
    pub(super) fn new(inputs: Vec<Ends>) -> Self {
        Self { inputs, cuts: BTreeMap::new() }
    }
}

impl Shape {
    /// A query with products.
    pub(super) fn new(linked: &Linked) -> Self {
        let Question { variables, applications, formula } = &linked.question;
        let (inputs, symbols, count) = (variables.len(), linked.question.symbols(), linked.factors.len());
        let moved = |symbol: Symbol| {
            let index = symbol.index();
            Some(Linear::symbol(match index {
                _ if index < inputs => symbol,
                _ if index < symbols => symbol.plus(count),
                _ => Symbol::at(inputs + index - symbols),
            }))
        };
        let mut quantities: Vec<Linear> = Vec::new();
        let mut known: BTreeMap<Linear, usize> = BTreeMap::new();
        let mut quantity = |form: &Linear| {
            let form = form.substitute(&moved);
            *known.entry(form.clone()).or_insert_with(|| {
                quantities.push(form);
                quantities.len() - 1
            })
        };
        let products: Vec<Product> =
            linked.factors.iter().map(|(left, right)| Product { factors: [quantity(left), quantity(right)] }).collect();
        // Ranges of products are those of each box.
        let room = (0..count).map(|_| Variable::real(Rational::ZERO, Rational::ZERO));
        let question = Question {
            variables: variables.iter().cloned().chain(room).collect(),
            applications: applications.clone(),
            formula: formula.substitute(&moved),
        };
        let networks = applications.iter().map(|application| BoundingNetwork::new(&application.network)).collect();
        let cover = cover(&quantities, &products, inputs);
        Self { question, inputs, quantities, products, networks, cover }
    }

    /// Intervals of all quantities and products in a box.
    pub(super) fn ranges(&self, node: &Node) -> Result<Ranges, Unbounded> {
        let outputs = self.outputs(node)?;
        let mut ranges = Ranges { quantities: Vec::new(), products: Vec::new() };
        let first_output = self.question.variables.len();
        let mut known: Vec<Option<Ends>> = vec![None; self.quantities.len()];
        for Product { factors } in &self.products {
            for quantity in factors {
                if known[*quantity].is_some() {
                    continue;
                }
                let end = |symbol: Symbol| match symbol.index() {
                    index if index < self.inputs => &node.inputs[index],
                    index if index < first_output => &ranges.products[index - self.inputs],
                    index => &outputs[index - first_output],
                };
                let own = range(&self.quantities[*quantity], end);
                let narrowed = match node.cuts.get(quantity) {
                    Some((lower, upper)) => (own.0.max(lower.clone()), own.1.min(upper.clone())),
                    None => own,
                };
                if narrowed.0 > narrowed.1 {
                    return Err(Unbounded::Empty);
                }
                known[*quantity] = Some(narrowed);
            }
            let of = |quantity: usize| known[quantity].clone().unwrap_or_default();
            ranges.products.push(products(&of(factors[0]), &of(factors[1]), factors[0] == factors[1]));
        }
        ranges.quantities = known.into_iter().map(Option::unwrap_or_default).collect();
        Ok(ranges)
    }

    /// Intervals of all outputs; nothing where no factor is one.
    fn outputs(&self, node: &Node) -> Result<Vec<Ends>, Unbounded> {
        if node.inputs.iter().any(|(lower, upper)| lower > upper) {
            return Err(Unbounded::Empty);
        }
        let first = Symbol::at(self.question.variables.len());
        if !self.quantities.iter().any(|form| form.terms().last().is_some_and(|(symbol, _)| *symbol >= first)) {
            return Ok(Vec::new());
        }
        let bounds: Vec<FloatInterval> =
            node.inputs.iter().map(|(lower, upper)| FloatInterval::around(lower, upper)).collect();
        let mut outputs = Vec::new();
        for (application, network) in self.question.applications.iter().zip(&self.networks) {
            let enclosed = network.as_ref().and_then(|network| network.enclose(&application.inputs, &bounds));
            let enclosed = enclosed.ok_or(Unbounded::Infinite)?;
            for output in 0..application.network.output_len() {
                let FloatInterval { lower, upper } = enclosed.output(output);
                let ends = Rational::from_f64(lower).zip(Rational::from_f64(upper));
                outputs.push(ends.ok_or(Unbounded::Infinite)?);
            }
        }
        Ok(outputs)
    }

    /// Narrows a box to an interval of a quantity: its variable's where it is one, else by a cut.
    pub(super) fn narrow(&self, node: &mut Node, quantity: usize, (lower, upper): &Ends) {
        let form = &self.quantities[quantity];
        if let [(symbol, factor)] = form.terms()
            && symbol.index() < self.inputs
            && let (Some(a), Some(b)) =
                ((lower - form.constant()).checked_div(factor), (upper - form.constant()).checked_div(factor))
        {
            let own = &mut node.inputs[symbol.index()];
            let (least, most) = if a <= b { (a, b) } else { (b, a) };
            *own = (own.0.clone().max(least), own.1.clone().min(most));
            return;
        }
        let own = node.cuts.entry(quantity).or_insert_with(|| (lower.clone(), upper.clone()));
        *own = (own.0.clone().max(lower.clone()), own.1.clone().min(upper.clone()));
    }
}

/// Quantities such that every product has one of them: those of most products first, outputs last.
fn cover(quantities: &[Linear], products: &[Product], inputs: usize) -> Vec<usize> {
    let mut open: Vec<&Product> = products.iter().collect();
    let mut cover = Vec::new();
    while !open.is_empty() {
        let of_inputs =
            |quantity: usize| quantities[quantity].terms().iter().all(|(symbol, _)| symbol.index() < inputs);
        let count = |quantity: usize| open.iter().filter(|product| product.factors.contains(&quantity)).count();
        let rank = |quantity: &usize| {
            let count = count(*quantity);
            (count > 0, of_inputs(*quantity), count, std::cmp::Reverse(*quantity))
        };
        let Some(next) = (0..quantities.len()).max_by_key(rank) else { break };
        open.retain(|product| !product.factors.contains(&next));
        cover.push(next);
    }
    cover
}

/// The interval of a form.
fn range<'e>(form: &Linear, end: impl Fn(Symbol) -> &'e Ends) -> Ends {
    let (mut lower, mut upper) = (form.constant().clone(), form.constant().clone());
    for (symbol, factor) in form.terms() {
        let (least, most) = end(*symbol);
        let (least, most) = if factor.signum() > 0 { (least, most) } else { (most, least) };
        lower = &lower + &(factor * least);
        upper = &upper + &(factor * most);
    }
    (lower, upper)
}
