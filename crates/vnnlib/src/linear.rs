//! Arithmetic on polynomials, which are linear forms over variables and products, with places for what they cannot be.

use surefoot_linear::Linear;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::product::Products;
use crate::tree::Node;

/// Numbers of more bits than this are not computed with: a short text must not eat the memory.
const MOST_BITS: usize = 1 << 17;

/// An operator on numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    pub(crate) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            _ => return None,
        })
    }

    /// The operator applied to its arguments, which stand in `node` and are at least one.
    pub(crate) fn apply(
        self,
        node: Node<'_>,
        arguments: &[Linear],
        products: &mut Products,
    ) -> Result<Linear, Diagnostic> {
        let (first, rest) = arguments.split_first().ok_or_else(|| node.error("expected numbers after the operator"))?;
        let result = match self {
            Self::Add => sum(arguments),
            Self::Subtract if rest.is_empty() => -first,
            Self::Subtract => first - &sum(rest),
            Self::Multiply => product(node, arguments, products)?,
            Self::Divide => rest.iter().try_fold(first.clone(), |left, right| quotient(node, &left, right))?,
        };
        bounded(node, result)
    }
}

fn bounded(node: Node<'_>, form: Linear) -> Result<Linear, Diagnostic> {
    let numbers = form.terms().iter().map(|(_, factor)| factor).chain([form.constant()]);
    if numbers.map(Rational::bit_size).max().unwrap_or(0) > MOST_BITS {
        return Err(node.error("the numbers in this term have too many digits").refusal());
    }
    Ok(form)
}

fn sum(forms: &[Linear]) -> Linear {
    // All at once: adding one by one would sort as often as there are terms.
    let terms = forms.iter().flat_map(|form| form.terms().iter().cloned()).collect();
    Linear::new(terms, forms.iter().map(|form| form.constant().clone()).sum())
}

fn product(node: Node<'_>, factors: &[Linear], products: &mut Products) -> Result<Linear, Diagnostic> {
    let mut constant = Rational::ONE;
    let mut form: Option<Linear> = None;
    for factor in factors {
        if factor.is_constant() {
            constant = &constant * factor.constant();
        } else {
            form = Some(match &form {
                Some(form) => bounded(node, products.multiply(node, form, factor)?)?,
                None => factor.clone(),
            });
        }
        if constant.bit_size() > MOST_BITS {
            return bounded(node, Linear::constant_form(constant));
        }
    }
    Ok(form.map_or_else(|| Linear::constant_form(constant.clone()), |form| &form * &constant))
}

fn quotient(node: Node<'_>, left: &Linear, right: &Linear) -> Result<Linear, Diagnostic> {
    if !right.is_constant() {
        let error = node.error("quotients by variables are not supported").refusal();
        return Err(error.with_help("multiply both sides by the divisor, where its sign is known"));
    }
    let inverse = Rational::ONE.checked_div(right.constant());
    let inverse = inverse.ok_or_else(|| node.error("division by zero").with_help("divide by a number other than 0"))?;
    bounded(node, left * &inverse)
}
