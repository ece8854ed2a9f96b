//! Signals: what flows through the graph, as exact affine expressions over neurons.
//!
//! Interpreting the graph once with [`Element`]s instead of numbers turns it into neurons. An element is a constant, or
//! `scale * base + offset` with rational scale and offset, where the base is a variable (a network input or a neuron) or
//! a not yet named affine row `w . v + b` over variables, with `f64` coefficients. So
//!
//! * scaling and shifting touch scale and offset only, and stay exact whatever the constants are;
//! * ReLU makes a neuron of each entry;
//! * a matrix makes a row of each result.
//!
//! A neuron or a row needs `f64` coefficients. *Folding* a scale or offset into them is done only when every product and
//! sum is exactly representable; otherwise the base becomes an identity neuron of its own and the scale and offset go into
//! the next row, if they are representable themselves; otherwise the graph is refused ([`Fault::NotExact`]).
//!
//! A scale and offset directly on a network input become that input's normalisation, which is rational. The first
//! use of an input decides its normalisation; later uses are expressed through it. Where that cannot be done exactly, the
//! graph is interpreted once more without input normalisation.
//!
//! Soundness: no step rounds. Every `f64` in a row is a stored number or the exact value of the expression it replaces.

use std::collections::BTreeMap;
use std::rc::Rc;

use surefoot_num::Rational;

use super::error::Fault;
use super::tensor::Tensor;
use crate::network::Activation;

/// Rationals beyond this many bits are refused: repeated squaring of constants must not eat the memory.
const MAX_BITS: usize = 16_384;

/// A network input or a neuron, numbered in order of creation: inputs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VarId(pub(super) usize);

/// The linear part of an affine expression; variables are distinct.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) vars: Rc<[VarId]>,
    pub(super) coefficients: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) enum Base {
    Var(VarId),
    /// A row and its bias; no bias yet means zero, and the next constant added may become it.
    Row(Rc<Row>, Option<f64>),
}

/// One entry of a signal.
#[derive(Debug, Clone)]
pub(super) enum Element {
    Const(Rational),
    /// `scale * base + offset`; the scale is not zero.
    Term {
        scale: Rational,
        offset: Rational,
        base: Base,
    },
}

/// A neuron: an activation of an affine expression over earlier variables.
#[derive(Debug)]
pub(super) struct Neuron {
    pub(super) row: Rc<Row>,
    pub(super) bias: f64,
    pub(super) activation: Activation,
}

/// The neurons made so far.
#[derive(Debug)]
pub(super) struct Builder {
    /// Scale and offset of each input, once something used it.
    pub(super) inputs: Vec<Option<(Rational, Rational)>>,
    /// Variable `inputs.len() + i` is neuron `i`.
    pub(super) neurons: Vec<Neuron>,
    /// Rows already made identity neurons, by address and bias; the row is kept so that the address stays taken.
    named: BTreeMap<(usize, u64), (Rc<Row>, VarId)>,
    budget: u64,
}

/// `scale * var + offset`, or a constant when there is no variable.
struct Column {
    var: Option<VarId>,
    scale: Rational,
    offset: Rational,
}

/// The `f64` that is exactly this rational.
pub(super) fn exact_f64(value: &Rational) -> Option<f64> {
    let float = value.to_f64();
    (Rational::from_f64(float).as_ref() == Some(value)).then_some(float)
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("stored numbers are finite")
}

/// `a + b` when that is exact.
fn exact_sum(a: f64, b: f64) -> Option<f64> {
    if a == 0.0 || b == 0.0 {
        return Some(if a == 0.0 { b } else { a });
    }
    exact_f64(&(&exact(a) + &exact(b)))
}

fn not_exact(scale: &Rational, offset: &Rational) -> Fault {
    let short = |value: &Rational| {
        let text = value.to_string();
        if text.len() > 60 { format!("{:e} (rounded)", value.to_f64()) } else { text }
    };
    Fault::NotExact(format!("a scale of {} with an offset of {}, folded into the layer,", short(scale), short(offset)))
}

impl Element {
    pub(super) fn var(var: VarId) -> Self {
        Self::Term { scale: Rational::ONE, offset: Rational::ZERO, base: Base::Var(var) }
    }

    fn row(row: Row, bias: Option<f64>) -> Self {
        Self::Term { scale: Rational::ONE, offset: Rational::ZERO, base: Base::Row(Rc::new(row), bias) }
    }
}

impl Builder {
    /// A builder for a network of that many inputs, which may make about `budget` numbers.
    pub(super) fn new(inputs: usize, budget: u64) -> Self {
        Self { inputs: vec![None; inputs], neurons: Vec::new(), named: BTreeMap::new(), budget }
    }

    /// A builder that leaves the inputs as they are: scales on them go into rows, as they do elsewhere.
    pub(super) fn without_normalisation(inputs: usize, budget: u64) -> Self {
        let inputs = vec![Some((Rational::ONE, Rational::ZERO)); inputs];
        Self { inputs, ..Self::new(0, budget) }
    }

    /// Accounts for work and memory before it is spent.
    pub(super) fn charge(&mut self, numbers: usize) -> Result<(), Fault> {
        self.budget = self.budget.checked_sub(numbers as u64).ok_or(Fault::TooLarge)?;
        Ok(())
    }

    /// A rational that was just computed, unless it has grown out of hand.
    pub(super) fn checked(&mut self, value: Rational) -> Result<Rational, Fault> {
        let bits = value.bit_size();
        if bits > MAX_BITS {
            return Err(Fault::TooLarge);
        }
        self.charge(1 + bits / 512)?;
        Ok(value)
    }

    pub(super) fn multiply(&mut self, element: &Element, factor: &Rational) -> Result<Element, Fault> {
        Ok(match element {
            Element::Const(value) => Element::Const(self.checked(value * factor)?),
            Element::Term { .. } if factor.is_zero() => Element::Const(Rational::ZERO),
            Element::Term { scale, offset, base } => Element::Term {
                scale: self.checked(scale * factor)?,
                offset: self.checked(offset * factor)?,
                base: base.clone(),
            },
        })
    }

    pub(super) fn shift(&mut self, element: &Element, by: &Rational) -> Result<Element, Fault> {
        Ok(match element {
            Element::Const(value) => Element::Const(self.checked(value + by)?),
            Element::Term { scale, offset, base: Base::Row(row, None) }
                if *scale == Rational::ONE && offset.is_zero() && exact_f64(by).is_some() =>
            {
                Element::Term {
                    scale: scale.clone(),
                    offset: offset.clone(),
                    base: Base::Row(row.clone(), exact_f64(by)),
                }
            }
            Element::Term { scale, offset, base } => {
                let offset = self.checked(offset + by)?;
                Element::Term { scale: scale.clone(), offset, base: base.clone() }
            }
        })
    }

    /// `a + factor * b`.
    pub(super) fn add(&mut self, a: &Element, factor: i64, b: &Element) -> Result<Element, Fault> {
        let factor = Rational::from(factor);
        match (a, b) {
            (Element::Const(value), _) => {
                let b = self.multiply(b, &factor)?;
                self.shift(&b, value)
            }
            (_, Element::Const(value)) => self.shift(a, &(value * &factor)),
            _ => {
                let b = self.multiply(b, &factor)?;
                if let Some(sum) = self.merged(a, &b)? {
                    return Ok(sum);
                }
                let ones = Tensor { shape: vec![1, 2], data: vec![1.0, 1.0] };
                let mut sum = self.apply(&ones, &[a.clone(), b])?;
                Ok(sum.pop().expect("one row gives one element"))
            }
        }
    }

    /// The sum of two elements as one row, when it needs no rounding.
    fn merged(&mut self, a: &Element, b: &Element) -> Result<Option<Element>, Fault> {
        let (Some((row_a, bias_a)), Some((row_b, bias_b))) = (self.folded(a)?, self.folded(b)?) else {
            return Ok(None);
        };
        self.charge(row_a.vars.len() + row_b.vars.len())?;
        let mut sums: BTreeMap<VarId, f64> = BTreeMap::new();
        for row in [&row_a, &row_b] {
            for (var, coefficient) in row.vars.iter().zip(&row.coefficients) {
                let sum = sums.entry(*var).or_insert(0.0);
                match exact_sum(*sum, *coefficient) {
                    Some(exact) => *sum = exact,
                    None => return Ok(None),
                }
            }
        }
        let Some(bias) = exact_sum(bias_a, bias_b) else { return Ok(None) };
        let (vars, coefficients): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
        Ok(Some(Element::row(Row { vars: vars.into(), coefficients }, Some(bias))))
    }

    /// The element as a row and a bias, when that needs no rounding.
    fn folded(&mut self, element: &Element) -> Result<Option<(Rc<Row>, f64)>, Fault> {
        let Element::Term { scale, offset, base: Base::Row(row, bias) } = element else {
            let Column { var, scale, offset } = self.column(element)?;
            let (Some(scale), Some(offset)) = (exact_f64(&scale), exact_f64(&offset)) else { return Ok(None) };
            let vars: Vec<VarId> = var.into_iter().collect();
            let coefficients = vec![scale; vars.len()];
            return Ok(Some((Rc::new(Row { vars: vars.into(), coefficients }), offset)));
        };
        let bias = bias.unwrap_or(0.0);
        if *scale == Rational::ONE {
            let bias = if offset.is_zero() { Some(bias) } else { exact_f64(&self.checked(&exact(bias) + offset)?) };
            return Ok(bias.map(|bias| (row.clone(), bias)));
        }
        self.charge(row.coefficients.len() * (1 + scale.bit_size() / 512))?;
        let scaled: Option<Vec<f64>> = row.coefficients.iter().map(|&c| exact_f64(&(&exact(c) * scale))).collect();
        let bias = exact_f64(&(&(&exact(bias) * scale) + offset));
        let (Some(coefficients), Some(bias)) = (scaled, bias) else { return Ok(None) };
        Ok(Some((Rc::new(Row { vars: row.vars.clone(), coefficients }), bias)))
    }

    fn neuron(&mut self, row: Rc<Row>, bias: f64, activation: Activation) -> VarId {
        self.neurons.push(Neuron { row, bias, activation });
        VarId(self.inputs.len() + self.neurons.len() - 1)
    }

    /// The identity neuron of a row.
    fn name(&mut self, row: &Rc<Row>, bias: f64) -> VarId {
        let key = (Rc::as_ptr(row).addr(), bias.to_bits());
        if let Some((_, var)) = self.named.get(&key) {
            return *var;
        }
        let var = self.neuron(row.clone(), bias, Activation::Identity);
        self.named.insert(key, (row.clone(), var));
        var
    }

    /// The element over a single variable, naming rows as needed.
    fn column(&mut self, element: &Element) -> Result<Column, Fault> {
        Ok(match element {
            Element::Const(value) => Column { var: None, scale: Rational::ZERO, offset: value.clone() },
            Element::Term { base: Base::Row(row, bias), scale, offset } => match self.folded(element)? {
                Some((row, bias)) => {
                    let var = self.name(&row, bias);
                    Column { var: Some(var), scale: Rational::ONE, offset: Rational::ZERO }
                }
                None => {
                    let var = self.name(row, bias.unwrap_or(0.0));
                    Column { var: Some(var), scale: scale.clone(), offset: offset.clone() }
                }
            },
            Element::Term { base: Base::Var(var), scale, offset } if var.0 < self.inputs.len() => {
                let (own_scale, own_offset) =
                    self.inputs[var.0].get_or_insert_with(|| (scale.clone(), offset.clone())).clone();
                // n = own_scale x + own_offset, so scale x + offset = ratio n + (offset - ratio own_offset).
                let ratio = scale.checked_div(&own_scale).expect("scales are not zero");
                let ratio = self.checked(ratio)?;
                let offset = self.checked(offset - &(&ratio * &own_offset))?;
                Column { var: Some(*var), scale: ratio, offset }
            }
            Element::Term { base: Base::Var(var), scale, offset } => {
                Column { var: Some(*var), scale: scale.clone(), offset: offset.clone() }
            }
        })
    }

    /// ReLU of one entry.
    pub(super) fn relu(&mut self, element: &Element) -> Result<Element, Fault> {
        if let Element::Const(value) = element {
            return Ok(Element::Const(value.clone().max(Rational::ZERO)));
        }
        let (row, bias) = match self.folded(element)? {
            Some(folded) => folded,
            None => {
                let Column { var, scale, offset } = self.column(element)?;
                let (Some(factor), Some(bias)) = (exact_f64(&scale), exact_f64(&offset)) else {
                    return Err(not_exact(&scale, &offset));
                };
                let vars: Vec<VarId> = var.into_iter().collect();
                let coefficients = vec![factor; vars.len()];
                (Rc::new(Row { vars: vars.into(), coefficients }), bias)
            }
        };
        self.charge(1 + row.vars.len())?;
        Ok(Element::var(self.neuron(row, bias, Activation::Relu)))
    }

    /// A matrix (rows by columns) times a vector.
    pub(super) fn apply(&mut self, matrix: &Tensor<f64>, vector: &[Element]) -> Result<Vec<Element>, Fault> {
        self.charge(2 * matrix.data.len() + vector.len())?;
        let mut columns: Vec<Column> = vector.iter().map(|e| self.column(e)).collect::<Result<_, _>>()?;
        if let Some(rows) = self.fold_columns(matrix, &columns)? {
            return Ok(rows);
        }
        let mut culprit = None;
        for column in &mut columns {
            if column.scale == Rational::ONE && column.offset.is_zero() {
                continue;
            }
            let (Some(scale), Some(offset)) = (exact_f64(&column.scale), exact_f64(&column.offset)) else {
                culprit = Some(not_exact(&column.scale, &column.offset));
                continue;
            };
            let vars: Vec<VarId> = column.var.into_iter().collect();
            let coefficients = vec![scale; vars.len()];
            let var = self.neuron(Rc::new(Row { vars: vars.into(), coefficients }), offset, Activation::Identity);
            *column = Column { var: Some(var), scale: Rational::ONE, offset: Rational::ZERO };
        }
        match self.fold_columns(matrix, &columns)? {
            Some(rows) => Ok(rows),
            None => Err(culprit.unwrap_or_else(|| {
                Fault::NotExact("the sum of the weights of an input that is used twice".to_owned())
            })),
        }
    }

    /// The rows of `matrix * columns`, when they need no rounding.
    fn fold_columns(&mut self, matrix: &Tensor<f64>, columns: &[Column]) -> Result<Option<Vec<Element>>, Fault> {
        let mut positions: BTreeMap<VarId, usize> = BTreeMap::new();
        let mut vars: Vec<VarId> = Vec::new();
        let mut place = |var: VarId| {
            *positions.entry(var).or_insert_with(|| {
                vars.push(var);
                vars.len() - 1
            })
        };
        let places: Vec<Option<usize>> = columns.iter().map(|column| column.var.map(&mut place)).collect();
        let vars: Rc<[VarId]> = vars.into();
        let mut rows = Vec::with_capacity(matrix.shape[0]);
        for weights in matrix.data.chunks_exact(columns.len()) {
            let mut coefficients = vec![0.0; vars.len()];
            let mut bias: Option<Rational> = None;
            for ((&weight, column), place) in weights.iter().zip(columns).zip(&places) {
                if let Some(place) = *place {
                    let own = if column.scale == Rational::ONE {
                        Some(weight)
                    } else {
                        let product = self.checked(&exact(weight) * &column.scale)?;
                        exact_f64(&product)
                    };
                    match own.and_then(|own| exact_sum(coefficients[place], own)) {
                        Some(sum) => coefficients[place] = sum,
                        None => return Ok(None),
                    }
                }
                if !column.offset.is_zero() {
                    let so_far = bias.unwrap_or(Rational::ZERO);
                    bias = Some(self.checked(&so_far + &(&exact(weight) * &column.offset))?);
                }
            }
            let bias = match bias.map(|bias| exact_f64(&bias)) {
                None => None,
                Some(Some(bias)) => Some(bias),
                Some(None) => return Ok(None),
            };
            rows.push(Element::row(Row { vars: vars.clone(), coefficients }, bias));
        }
        Ok(Some(rows))
    }

    /// An output: its row and bias, and the scale and offset that remain.
    pub(super) fn output(&mut self, element: &Element) -> Result<Output, Fault> {
        if let Element::Term { scale, offset, base: Base::Row(row, bias) } = element {
            let bias = bias.unwrap_or(0.0);
            return Ok(Output { row: row.clone(), bias, scale: scale.clone(), offset: offset.clone() });
        }
        let Column { var, scale, offset } = self.column(element)?;
        let vars: Vec<VarId> = var.into_iter().collect();
        let coefficients = vec![1.0; vars.len()];
        let row = Rc::new(Row { vars: vars.into(), coefficients });
        Ok(match (var, exact_f64(&offset)) {
            (Some(_), _) => Output { row, bias: 0.0, scale, offset },
            (None, Some(bias)) => Output { row, bias, scale: Rational::ONE, offset: Rational::ZERO },
            (None, None) => Output { row, bias: 0.0, scale: Rational::ONE, offset },
        })
    }
}

/// `scale * (row + bias) + offset`.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) row: Rc<Row>,
    pub(super) bias: f64,
    pub(super) scale: Rational,
    pub(super) offset: Rational,
}
