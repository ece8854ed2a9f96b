//! Products of variables: each gets a symbol of its own, after all inputs and outputs.
//!
//! A polynomial is a linear form over variables and such symbols. A product of more than two factors is a product of the
//! symbol of all factors but the last, in the order of symbols, and the last; so equal monomials have equal symbols,
//! however they are written.

use std::collections::BTreeMap;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::tree::Node;

/// More different products than this are refused.
const MOST_PRODUCTS: usize = 300;
/// Products of more factors are refused.
const MOST_FACTORS: usize = 16;
/// Multiplying out makes at most so many terms.
const MOST_TERMS: usize = 1_000_000;

/// The products of a file.
#[derive(Debug)]
pub(crate) struct Products {
    /// The first symbol that is no variable.
    first: usize,
    known: BTreeMap<Vec<Symbol>, Symbol>,
    /// Of each product, its variables in ascending order.
    monomials: Vec<Vec<Symbol>>,
    /// Of each product, its two factors: variables, or products before it.
    factors: Vec<(Symbol, Symbol)>,
    terms: usize,
}

impl Products {
    /// None yet; so many symbols are variables.
    pub(crate) fn new(first: usize) -> Self {
        Self { first, known: BTreeMap::new(), monomials: Vec::new(), factors: Vec::new(), terms: 0 }
    }

    /// Of each product, its two factors.
    pub(crate) fn into_factors(self) -> Vec<(Symbol, Symbol)> {
        self.factors
    }

    /// The factors of the products that a formula needs, and the formula over these: multiplying out from the left makes
    /// some on the way that nothing is said about.
    pub(crate) fn needed(self, formula: Formula) -> (Formula, Vec<(Symbol, Symbol)>) {
        let mut used = vec![false; self.factors.len()];
        let mut mark = |symbol: Symbol| {
            if let Some(product) = symbol.index().checked_sub(self.first) {
                used[product] = true;
            }
        };
        formula.for_each_atom(&mut |atom| atom.form.terms().iter().for_each(|(symbol, _)| mark(*symbol)));
        for product in (0..used.len()).rev().filter(|product| self.monomials[*product].len() > 2) {
            // The last factor is a variable.
            if used[product] {
                used[self.factors[product].0.index() - self.first] = true;
            }
        }
        if used.iter().all(|used| *used) {
            return (formula, self.factors);
        }
        let places: Vec<usize> = used
            .iter()
            .scan(self.first, |next, used| {
                *next += usize::from(*used);
                Some(*next - 1)
            })
            .collect();
        let moved = |symbol: Symbol| symbol.index().checked_sub(self.first).map_or(symbol, |p| Symbol::at(places[p]));
        let factors = self.factors.iter().zip(&used).filter(|(_, used)| **used);
        let factors = factors.map(|((left, right), _)| (moved(*left), *right)).collect();
        (formula.substitute(&|symbol| (symbol.index() >= self.first).then(|| Linear::symbol(moved(symbol)))), factors)
    }

    /// The product of two polynomials, multiplied out.
    pub(crate) fn multiply(&mut self, node: Node<'_>, left: &Linear, right: &Linear) -> Result<Linear, Diagnostic> {
        self.terms = self.terms.saturating_add((left.terms().len() + 1).saturating_mul(right.terms().len() + 1));
        if self.terms > MOST_TERMS {
            let error = node.error("the products become too large when multiplied out").refusal();
            return Err(error.with_help("multiply single variables, or split the file"));
        }
        let mut terms: Vec<(Symbol, Rational)> = Vec::new();
        for (a, factor) in left.terms() {
            terms.push((*a, factor * right.constant()));
            for (b, other) in right.terms() {
                terms.push((self.symbol(node, *a, *b)?, factor * other));
            }
        }
        terms.extend(right.terms().iter().map(|(b, other)| (*b, other * left.constant())));
        Ok(Linear::new(terms, left.constant() * right.constant()))
    }

    fn variables(&self, symbol: Symbol) -> Vec<Symbol> {
        match symbol.index().checked_sub(self.first) {
            Some(product) => self.monomials[product].clone(),
            None => vec![symbol],
        }
    }

    fn symbol(&mut self, node: Node<'_>, a: Symbol, b: Symbol) -> Result<Symbol, Diagnostic> {
        let mut monomial = self.variables(a);
        monomial.extend(self.variables(b));
        monomial.sort_unstable();
        if monomial.len() > MOST_FACTORS {
            let error = node.error(format!("products of more than {MOST_FACTORS} factors are not supported"));
            return Err(error.refusal().with_help("ask something of a lower degree"));
        }
        let mut symbol = monomial[0];
        for end in 1..monomial.len() {
            let prefix = &monomial[..=end];
            symbol = match self.known.get(prefix) {
                Some(known) => *known,
                None => self.define(node, symbol, prefix)?,
            };
        }
        Ok(symbol)
    }

    fn define(&mut self, node: Node<'_>, before: Symbol, monomial: &[Symbol]) -> Result<Symbol, Diagnostic> {
        if self.factors.len() == MOST_PRODUCTS {
            let error = node.error(format!("more than {MOST_PRODUCTS} different products are not supported"));
            return Err(error.refusal().with_help("split the file"));
        }
        let symbol = Symbol::at(self.first + self.factors.len());
        self.factors.push((before, monomial[monomial.len() - 1]));
        self.monomials.push(monomial.to_vec());
        self.known.insert(monomial.to_vec(), symbol);
        Ok(symbol)
    }
}

#[cfg(test)]
mod tests {
    use surefoot_text::source::FileId;

    use super::*;
    use crate::tree::Tree;

    #[test]
    fn equal_monomials_have_equal_symbols() {
        let tree = Tree::parse(FileId(0), "x").unwrap();
        let node = tree.top().next().unwrap();
        let mut products = Products::new(3);
        let [a, b, c] = [0, 1, 2].map(|index| Linear::symbol(Symbol(index)));
        let mut times = |left: &Linear, right: &Linear| products.multiply(node, left, right).unwrap();
        let (ab, ba) = (times(&a, &b), times(&b, &a));
        assert_eq!((&ab, ab.terms().len()), (&ba, 1));
        let abc = times(&ab, &c);
        let ca = times(&c, &a);
        assert_eq!(abc, times(&ca, &b));
        // (a + 1)(a - 1) = a^2 - 1
        let one = Linear::constant_form(Rational::ONE);
        let square = times(&a, &a);
        assert_eq!(times(&(&a + &one), &(&a - &one)), &square - &one);
        // Products that nothing is said about are left out: ab, abc and aa are needed, ca is not.
        let abc_at_most_aa = Formula::atom(surefoot_linear::Atom::at_least_zero(&times(&a, &a) - &abc));
        let (formula, factors) = products.needed(abc_at_most_aa);
        assert_eq!(factors, [(Symbol(0), Symbol(1)), (Symbol(3), Symbol(2)), (Symbol(0), Symbol(0))]);
        let value = |symbol: Symbol| Rational::from([2, 3, 1, 6, 6, 4][symbol.index()]);
        assert!(!formula.eval(&value), "{formula:?}");
    }
}
