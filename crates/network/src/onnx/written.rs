//! Functions that exporters write out in several operators: GELU, LayerNorm, Softplus.
//!
//! | read as | written out |
//! |---|---|
//! | GELU | `x * 1/2 * (1 + Erf(x / c))`, `c` the square root of 2 |
//! | GELU, approximated | `x * 1/2 * (1 + Tanh(a * (x + b * x^3)))`, `a` the square root of `2 / pi`, `b = 0.044715` |
//! | LayerNorm | `(x - m) / Sqrt(v + epsilon)`, `m = ReduceMean(x)`, `v = ReduceMean((x - m)^2)` |
//! | Softplus | `Log(1 + Exp(x))` |
//! | Softplus | `Where(b * x > t, x, Softplus(b * x) / b)`, `t` at least 20 |
//!
//! Sums and products may be in any order, a quotient by a constant a product, a square or a cube a power or a product.
//!
//! *Matching.* The graph is looked at from the last operator of each such expression backwards, before anything is evaluated
//! (`expressions.rs` says what counts as the same value). Then the last operator is evaluated as the function of `x`, and those
//! between are not looked at, unless something else reads them.
//!
//! Soundness: LayerNorm and `Log(1 + Exp(x))` are equations. Files store `c`, `a` and `b` rounded, and Softplus jumps at `t`; what
//! is then read is another function than the one in the file, so how far they are apart is told each time. A constant that is not the
//! nearest float or double of the right one is no such function.

use surefoot_num::Rational;
use surefoot_num::function::Function;

use super::error::{Fault, problem};
use super::expressions::{DEPTH, Expressions, Product, Scalar};
use super::interpret::describe;
use super::proto::NodeProto;
use super::signal::Builder;
use super::smooth;
use super::tensor;
use super::value::Value;

/// From here on `ln(1 + e^x)` and `x` are the same to 2.07e-9.
const THRESHOLD: f64 = 20.0;

/// What a function is, and what it is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written<'m> {
    form: Form,
    /// The edge that it is a function of.
    pub(super) argument: &'m str,
    /// The most dimensions that a constant inside has: broadcasting must not add any.
    rank: usize,
    /// What the user is told.
    notice: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Smooth(Function),
    LayerNorm {
        axes: Vec<i64>,
        epsilon: f64,
    },
    /// The argument itself.
    Same,
}

impl Written<'_> {
    /// The value of the function.
    pub(super) fn evaluate(&self, argument: &Value, builder: &mut Builder) -> Result<Value, Fault> {
        if self.rank > argument.shape().len() {
            return problem("constants with more dimensions than the values that they are applied to");
        }
        let result = match &self.form {
            Form::Smooth(function) => smooth::apply(argument, *function, builder)?,
            Form::LayerNorm { axes, epsilon } => {
                let rank = argument.shape().len();
                let mut axes: Vec<usize> = axes.iter().map(|&at| tensor::axis(at, rank)).collect::<Result<_, _>>()?;
                axes.sort_unstable();
                let first = rank - axes.len().min(rank);
                if axes != (first..rank).collect::<Vec<_>>() {
                    return problem("takes the mean over other dimensions than the last ones");
                }
                smooth::normalised(&argument.signal()?, first, *epsilon, builder)?
            }
            Form::Same => argument.clone(),
        };
        builder.told(self.notice.clone());
        Ok(result)
    }
}

/// A number that files store rounded.
struct Rounded {
    /// The nearest double.
    exact: f64,
    /// What it is.
    name: &'static str,
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
impl Rounded {
    fn single(&self) -> f64 {
        f64::from(self.exact as f32)
    }

    fn is(&self, value: f64) -> bool {
        value == self.exact || value == self.single()
    }
}

const ROOT_OF_TWO: Rounded = Rounded { exact: std::f64::consts::SQRT_2, name: "the square root of 2" };
const INVERSE_ROOT: Rounded = Rounded { exact: std::f64::consts::FRAC_1_SQRT_2, name: "the inverse root of 2" };
const TANH_FACTOR: Rounded = Rounded { exact: 0.797_884_560_802_865_4, name: "the square root of 2/pi" };
const TANH_CUBE: Rounded = Rounded { exact: 0.044_715, name: "0.044715" };

impl<'m> Expressions<'m, '_, '_> {
    /// The function that a node is the last operator of, if it is one.
    pub(super) fn function(&self, node: &'m NodeProto) -> Option<Written<'m>> {
        let output = node.output.first()?.as_str();
        let found = match node.op_type.as_str() {
            "Mul" | "Div" => self.gelu(output).or_else(|| self.layer_norm(output)),
            "Log" => self.log_of_exp(output),
            "Where" => self.softplus_with_jump(output),
            _ => None,
        };
        found.map(|found| Written { notice: format!("node '{}': {}", describe(node), found.notice), ..found })
    }

    /// `x * 1/2 * (1 + g)`: `x` and what it is read as.
    fn gelu(&self, edge: &'m str) -> Option<Written<'m>> {
        let mut outer = Product::default();
        self.product(edge, None, 3, &mut outer)?;
        let gate = |edge: &&'m str| {
            let (one, inner) = self.with_constant(self.inputs(edge, "Add")?)?;
            let inner = (one.value == 1.0).then_some(inner)?;
            let found = self.error_function(inner).or_else(|| self.cubic_tanh(inner))?;
            Some((*edge, Written { rank: found.rank.max(one.rank), ..found }))
        };
        // The argument may be a product itself, and only now is it known where to stop.
        outer.edges.iter().find_map(gate).and_then(|(sum, found)| {
            let mut parts = Product::default();
            self.product(edge, Some(found.argument), 3, &mut parts)?;
            let half = parts.factor == Rational::new(1, 2);
            let both = match parts.edges[..] {
                [a, b] => {
                    (b == sum && self.same(a, found.argument, DEPTH))
                        || (a == sum && self.same(b, found.argument, DEPTH))
                }
                _ => false,
            };
            (half && both).then(|| Written { rank: found.rank.max(parts.rank), ..found })
        })
    }

    /// `Erf(x / c)`.
    ///
    /// Soundness: with `P` and `p` the distribution function and the density of the standard normal distribution, a relative error
    /// `d` of `c` changes `x P(x)` by at most `x^2 d p(x')`, `x'` beside `x`; `x^2 p(x) < 0.294` and `d < 1.72e-8` for the float.
    fn error_function(&self, edge: &'m str) -> Option<Written<'m>> {
        let [inner] = self.inputs(edge, "Erf")?;
        let (x, scale, rounded) = match (self.inputs(inner, "Div"), self.inputs(inner, "Mul")) {
            (Some([x, c]), _) => (x, self.scalar(c)?, &ROOT_OF_TWO),
            (_, Some(pair)) => {
                let (c, x) = self.with_constant(pair)?;
                (x, c, &INVERSE_ROOT)
            }
            _ => return None,
        };
        let notice = format!(
            "written out in several operators, with {} for {}, and read as GELU itself; they differ by at most 6e-9",
            scale.value, rounded.name
        );
        rounded.is(scale.value).then_some(Written {
            form: Form::Smooth(Function::Gelu),
            argument: x,
            rank: scale.rank,
            notice,
        })
    }

    /// `Tanh(a * (x + b * x^3))`.
    ///
    /// Soundness: for floats the relative errors of `a` and `b` are below 2.9e-8 and 3.5e-8, that of the argument `u` of `Tanh` below
    /// their sum; it changes `x/2 (1 + tanh u)` by at most `|x u| / (2 cosh^2 u')` times that, and the first factor is below 0.26.
    fn cubic_tanh(&self, edge: &'m str) -> Option<Written<'m>> {
        let [inner] = self.inputs(edge, "Tanh")?;
        let (a, sum) = self.with_constant(self.inputs(inner, "Mul")?)?;
        let [p, q] = self.inputs(sum, "Add")?;
        let (x, b) = self.cube(q, p).map(|b| (p, b)).or_else(|| self.cube(p, q).map(|b| (q, b)))?;
        let notice = format!(
            "written out in several operators, with {} for {} and {} for {}, and read as GELU in its approximation by tanh; \
             they differ by at most 2e-8",
            a.value, TANH_FACTOR.name, b.value, TANH_CUBE.name
        );
        (TANH_FACTOR.is(a.value) && TANH_CUBE.is(b.value)).then(|| Written {
            form: Form::Smooth(Function::GeluTanh),
            argument: x,
            rank: a.rank.max(b.rank),
            notice,
        })
    }

    /// The factor `b` of `b * x^3`.
    fn cube(&self, edge: &'m str, x: &'m str) -> Option<Scalar> {
        let mut parts = Product::default();
        self.product(edge, Some(x), 3, &mut parts)?;
        let factor = parts.factor?.to_f64();
        let rank = match parts.edges[..] {
            [a, b, c] => [a, b, c].iter().all(|edge| self.same(edge, x, DEPTH)).then_some(0),
            [power] => self.power(power, 3.0).filter(|(base, _)| self.same(base, x, DEPTH)).map(|(_, rank)| rank),
            _ => None,
        }?;
        Some(Scalar { value: factor, rank: parts.rank.max(rank) })
    }

    /// What is divided by the square root of what: as a quotient, or as a product with the inverse.
    fn over_root(&self, edge: &str) -> Option<(&'m str, &'m str, usize)> {
        let root = |edge: &str| {
            let plain = self.inputs(edge, "Sqrt").map(|[under]| (under, 0));
            plain.or_else(|| self.power(edge, 0.5))
        };
        if let Some([above, below]) = self.inputs(edge, "Div") {
            return root(below).map(|(under, rank)| (above, under, rank));
        }
        let [a, b] = self.inputs(edge, "Mul")?;
        let inverse = |edge: &str| {
            let [below] = self.inputs(edge, "Reciprocal")?;
            root(below)
        };
        [(a, b), (b, a)].into_iter().find_map(|(above, by)| inverse(by).map(|(under, rank)| (above, under, rank)))
    }

    /// `(x - m) / Sqrt(v + epsilon)`.
    fn layer_norm(&self, edge: &str) -> Option<Written<'m>> {
        let (centred, under, root_rank) = self.over_root(edge)?;
        let (epsilon, variance) = self.with_constant(self.inputs(under, "Add")?)?;
        let (squared, axes) = self.mean(variance)?;
        let (base, power_rank) = self.square(squared)?;
        let [x, m] = self.inputs(centred, "Sub")?;
        let (averaged, own_axes) = self.mean(m)?;
        let fits = self.same(base, centred, DEPTH) && self.same(averaged, x, DEPTH) && axes == own_axes;
        (fits && epsilon.value > 0.0).then(|| Written {
            form: Form::LayerNorm { axes, epsilon: epsilon.value },
            argument: x,
            rank: epsilon.rank.max(power_rank).max(root_rank),
            notice: "written out in several operators, and read as the LayerNorm that it is".to_owned(),
        })
    }

    /// `Log(1 + Exp(x))`.
    fn log_of_exp(&self, edge: &str) -> Option<Written<'m>> {
        let [sum] = self.inputs(edge, "Log")?;
        let (one, power) = self.with_constant(self.inputs(sum, "Add")?)?;
        let [x] = self.inputs(power, "Exp")?;
        (one.value == 1.0).then(|| Written {
            form: Form::Smooth(Function::Softplus),
            argument: x,
            rank: one.rank,
            notice: "written out in several operators, and read as the Softplus that it is".to_owned(),
        })
    }

    /// `Where(b * x > t, x, Softplus(b * x) / b)`: the softplus, as it would be without the jump at `t`.
    ///
    /// Soundness: `ln(1 + e^u) - u = ln(1 + e^-u) < e^-20 < 2.07e-9` from 20 on, divided by `b`.
    fn softplus_with_jump(&self, edge: &str) -> Option<Written<'m>> {
        let [condition, then, otherwise] = self.inputs(edge, "Where")?;
        let (scaled, threshold) = match (self.inputs(condition, "Greater"), self.inputs(condition, "Less")) {
            (Some([u, t]), _) | (_, Some([t, u])) => (u, self.scalar(t)?),
            _ => return None,
        };
        let (softplus, divisor) = match self.inputs(otherwise, "Div") {
            Some([softplus, by]) => (softplus, Some(self.scalar(by)?)),
            None => (otherwise, None),
        };
        let [inner] = self.inputs(softplus, "Softplus").or_else(|| self.log_of_exp(softplus).map(|w| [w.argument]))?;
        let (x, beta) = match divisor {
            None => (scaled, Scalar { value: 1.0, rank: 0 }),
            Some(divisor) => {
                let (beta, x) = self.with_constant(self.inputs(scaled, "Mul")?)?;
                let rank = beta.rank.max(divisor.rank);
                (x, (beta.value == divisor.value && beta.value > 0.0).then_some(Scalar { rank, ..beta })?)
            }
        };
        let fits = self.same(inner, scaled, DEPTH) && self.same(then, x, DEPTH) && threshold.value >= THRESHOLD;
        // Two digits more than are shown, so that what is shown is no less.
        let off = 2.072e-9 / beta.value;
        (fits && off < 1e-6).then(|| Written {
            form: Form::Same,
            argument: otherwise,
            rank: threshold.rank.max(beta.rank),
            notice: format!(
                "Softplus jumps to its argument at {}; it is read without the jump, which is at most {off:.2e} high",
                threshold.value
            ),
        })
    }
}
