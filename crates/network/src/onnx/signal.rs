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
//! Soundness: no step rounds. Every `f64` in a row is a stored number or the exact value of the expression it replaces; but for
//! normalisations by a batch whose root is no rational number ([`super::batch`]), which is told.

use std::collections::BTreeMap;
use std::rc::Rc;

use surefoot_num::function::Function;
use surefoot_num::{IBig, Rational};

use super::error::Fault;
use super::matrix::Matrix;
use super::row::{Coefficients, Row};
use super::tensor::Tensor;
use crate::domain::InputDomain;
use crate::layer::Activation;
use crate::sparse::SparseRows;

/// Rationals beyond this many bits are refused: repeated squaring of constants must not eat the memory.
const MAX_BITS: usize = 16_384;

/// A network input or a neuron, numbered in order of creation: inputs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VarId(pub(crate) usize);

#[derive(Debug, Clone)]
pub(crate) enum Base {
    Var(VarId),
    /// A row and its bias; no bias yet means zero, and the next constant added may become it.
    Row(Rc<Row>, Option<f64>),
}

/// One entry of a signal.
#[derive(Debug, Clone)]
pub(crate) enum Element {
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
pub(crate) struct Neuron {
    pub(crate) row: Rc<Row>,
    pub(crate) bias: f64,
    pub(crate) activation: Activation,
    /// The first neuron of the smooth layer that it belongs to; LayerNorm takes these together.
    pub(crate) vector: Option<usize>,
}

/// The neurons made so far.
#[derive(Debug)]
pub(crate) struct Builder {
    /// Scale and offset of each input, once something used it.
    pub(crate) inputs: Vec<Option<(Rational, Rational)>>,
    /// What is asked of each input.
    pub(crate) domains: Vec<InputDomain>,
    /// Variable `inputs.len() + i` is neuron `i`.
    pub(crate) neurons: Vec<Neuron>,
    /// What the user should know: what was taken off at the end, what was read as another function.
    pub(crate) notices: Vec<String>,
    /// Whether there are integers of fewer than 64 bits.
    pub(crate) narrow: bool,
    /// The number of rows of ranked entries so far.
    pub(crate) rows: usize,
    /// Activations of single variables: variable, factor and bias.
    pub(crate) single: BTreeMap<(VarId, u64, u64), VarId>,
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
pub(crate) fn exact_f64(value: &Rational) -> Option<f64> {
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

/// The least common denominator of the scales and offsets, if it is small.
fn common_denominator(elements: &[Element]) -> Option<Rational> {
    const LARGEST: i64 = 1 << 20;
    let numbers = elements.iter().flat_map(|element| match element {
        Element::Const(value) => vec![value],
        Element::Term { scale, offset, .. } => vec![scale, offset],
    });
    let mut common = Rational::ONE;
    for number in numbers {
        let rest = Rational::from(IBig::from((number * &common).denominator()));
        common = &common * &rest;
        if common > Rational::from(LARGEST) {
            return None;
        }
    }
    Some(common)
}

fn not_exact(scale: &Rational, offset: &Rational) -> Fault {
    let short = |value: &Rational| {
        let text = value.to_string();
        if text.len() > 60 { format!("{:e} (rounded)", value.to_f64()) } else { text }
    };
    Fault::NotExact(format!("a scale of {} with an offset of {}, folded into the layer,", short(scale), short(offset)))
}

impl Element {
    pub(crate) fn var(var: VarId) -> Self {
        Self::Term { scale: Rational::ONE, offset: Rational::ZERO, base: Base::Var(var) }
    }

    pub(crate) fn row(row: Row, bias: Option<f64>) -> Self {
        Self::Term { scale: Rational::ONE, offset: Rational::ZERO, base: Base::Row(Rc::new(row), bias) }
    }
}

impl Builder {
    /// A builder for a network of that many inputs, which may make about `budget` numbers.
    pub(crate) fn new(inputs: usize, budget: u64) -> Self {
        Self {
            inputs: vec![None; inputs],
            domains: vec![InputDomain::default(); inputs],
            neurons: Vec::new(),
            notices: Vec::new(),
            narrow: false,
            rows: 0,
            single: BTreeMap::new(),
            named: BTreeMap::new(),
            budget,
        }
    }

    /// A builder that leaves the inputs as they are: scales on them go into rows, as they do elsewhere.
    pub(crate) fn without_normalisation(inputs: usize, budget: u64) -> Self {
        Self { inputs: vec![Some((Rational::ONE, Rational::ZERO)); inputs], ..Self::new(inputs, budget) }
    }

    /// With what is asked of the inputs. Integers are left as they are: they are counted, not scaled.
    pub(crate) fn with_domains(mut self, domains: &[InputDomain]) -> Self {
        for (input, domain) in self.inputs.iter_mut().zip(domains).filter(|(_, domain)| domain.integral) {
            debug_assert!(domain.integral, "only those are left as they are");
            *input = Some((Rational::ONE, Rational::ZERO));
        }
        // Types of 64 bits have no bounds.
        self.narrow =
            domains.iter().any(|domain| domain.integral && (domain.lower.is_some() || domain.upper.is_some()));
        self.domains = domains.to_vec();
        self
    }

    /// Keeps a notice for the user.
    pub(crate) fn told(&mut self, notice: String) {
        self.notices.push(notice);
    }

    /// Accounts for work and memory before it is spent.
    pub(crate) fn charge(&mut self, numbers: usize) -> Result<(), Fault> {
        self.budget = self.budget.checked_sub(numbers as u64).ok_or(Fault::TooLarge)?;
        Ok(())
    }

    /// A rational that was just computed, unless it has grown out of hand.
    pub(crate) fn checked(&mut self, value: Rational) -> Result<Rational, Fault> {
        let bits = value.bit_size();
        if bits > MAX_BITS {
            return Err(Fault::TooLarge);
        }
        self.charge(1 + bits / 512)?;
        Ok(value)
    }

    pub(crate) fn multiply(&mut self, element: &Element, factor: &Rational) -> Result<Element, Fault> {
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

    pub(crate) fn shift(&mut self, element: &Element, by: &Rational) -> Result<Element, Fault> {
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
    pub(crate) fn add(&mut self, a: &Element, factor: i64, b: &Element) -> Result<Element, Fault> {
        let factor = Rational::from(factor);
        match (a, b) {
            (Element::Const(value), _) => {
                let b = self.multiply(b, &factor)?;
                self.shift(&b, value)
            }
            (_, Element::Const(value)) => self.shift(a, &(value * &factor)),
            _ => {
                let b = self.multiply(b, &factor)?;
                self.sum(&[a.clone(), b])
            }
        }
    }

    /// The sum of elements; over a common denominator where that makes it exact, as for `a - (a + b + c) / 3`.
    pub(crate) fn sum(&mut self, elements: &[Element]) -> Result<Element, Fault> {
        let error = match self.plain_sum(elements) {
            Err(error @ Fault::NotExact(_)) => error,
            result => return result,
        };
        let Some(common) = common_denominator(elements) else { return Err(error) };
        let scaled: Vec<_> = elements.iter().map(|e| self.multiply(e, &common)).collect::<Result<_, _>>()?;
        let sum = self.plain_sum(&scaled).map_err(|_| error)?;
        let back = Rational::ONE.checked_div(&common).expect("denominators are not zero");
        self.multiply(&sum, &back)
    }

    fn plain_sum(&mut self, elements: &[Element]) -> Result<Element, Fault> {
        if let Some(sum) = self.merged(elements)? {
            return Ok(sum);
        }
        let ones = Matrix::Dense(Tensor { shape: vec![1, elements.len()], data: vec![1.0; elements.len()] });
        let mut sum = self.apply(&ones, elements)?;
        Ok(sum.pop().expect("one row gives one element"))
    }

    /// The sum of elements as one row, when it needs no rounding.
    fn merged(&mut self, elements: &[Element]) -> Result<Option<Element>, Fault> {
        let mut sums: BTreeMap<VarId, f64> = BTreeMap::new();
        let mut bias = 0.0;
        for element in elements {
            let Some((row, own)) = self.folded(element)? else { return Ok(None) };
            self.charge(row.len())?;
            for (var, coefficient) in row.terms() {
                let sum = sums.entry(var).or_insert(0.0);
                match exact_sum(*sum, coefficient) {
                    Some(exact) => *sum = exact,
                    None => return Ok(None),
                }
            }
            match exact_sum(bias, own) {
                Some(exact) => bias = exact,
                None => return Ok(None),
            }
        }
        let (vars, coefficients): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
        Ok(Some(Element::row(Row::dense(vars.into(), coefficients), Some(bias))))
    }

    /// The element as a row and a bias, when that needs no rounding.
    fn folded(&mut self, element: &Element) -> Result<Option<(Rc<Row>, f64)>, Fault> {
        let Element::Term { scale, offset, base: Base::Row(row, bias) } = element else {
            let Column { var, scale, offset } = self.column(element)?;
            let (Some(scale), Some(offset)) = (exact_f64(&scale), exact_f64(&offset)) else { return Ok(None) };
            return Ok(Some((Rc::new(Row::single(var, scale)), offset)));
        };
        let bias = bias.unwrap_or(0.0);
        if *scale == Rational::ONE {
            let bias = if offset.is_zero() { Some(bias) } else { exact_f64(&self.checked(&exact(bias) + offset)?) };
            return Ok(bias.map(|bias| (row.clone(), bias)));
        }
        self.charge(row.len() * (1 + scale.bit_size() / 512))?;
        let scaled = row.mapped(|c| exact_f64(&(&exact(c) * scale)).ok_or(()));
        let bias = exact_f64(&(&(&exact(bias) * scale) + offset));
        let (Ok(scaled), Some(bias)) = (scaled, bias) else { return Ok(None) };
        Ok(Some((Rc::new(scaled), bias)))
    }

    fn neuron(&mut self, row: Rc<Row>, bias: f64, activation: Activation) -> VarId {
        self.neurons.push(Neuron { row, bias, activation, vector: None });
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

    /// The same element as a function of one variable.
    pub(crate) fn single_variable(&mut self, element: &Element) -> Result<Element, Fault> {
        Ok(match element {
            Element::Const(_) | Element::Term { base: Base::Var(_), .. } => element.clone(),
            Element::Term { base: Base::Row(..), .. } => {
                // A row's own variable is a neuron, which is not normalised.
                let Column { var, scale, offset } = self.column(element)?;
                let var = var.expect("only constants have no variable");
                Element::Term { scale, offset, base: Base::Var(var) }
            }
        })
    }

    /// ReLU of one entry.
    pub(crate) fn relu(&mut self, element: &Element) -> Result<Element, Fault> {
        if let Element::Const(value) = element {
            return Ok(Element::Const(value.clone().max(Rational::ZERO)));
        }
        let (row, bias) = self.pre_activation(element)?;
        // The same function of the same variable is the same neuron: one-hot encodings share theirs.
        let key = row.only().map(|(var, factor)| (var, factor.to_bits(), bias.to_bits()));
        if let Some(var) = key.and_then(|key| self.single.get(&key)) {
            return Ok(Element::var(*var));
        }
        let var = self.neuron(row, bias, Activation::Relu);
        self.single.extend(key.map(|key| (key, var)));
        Ok(Element::var(var))
    }

    /// The activation of a layer.
    pub(crate) fn activate(&mut self, elements: &[Element], activation: Activation) -> Result<Vec<Element>, Fault> {
        match activation {
            Activation::Identity => Ok(elements.to_vec()),
            Activation::Relu => elements.iter().map(|element| self.relu(element)).collect(),
            Activation::Smooth(_) | Activation::LayerNorm { .. } => {
                let rows: Vec<_> = elements.iter().map(|e| self.pre_activation(e)).collect::<Result<_, _>>()?;
                let first = self.neurons.len();
                let mut results = Vec::with_capacity(rows.len());
                for (row, bias) in rows {
                    self.neurons.push(Neuron { row, bias, activation, vector: Some(first) });
                    results.push(Element::var(VarId(self.inputs.len() + self.neurons.len() - 1)));
                }
                Ok(results)
            }
        }
    }

    /// `x sigmoid(x)`, where two elements are that.
    pub(crate) fn swish(&mut self, a: &Element, b: &Element) -> Result<Option<Element>, Fault> {
        for (x, gate) in [(a, b), (b, a)] {
            let Element::Term { scale, offset, base: Base::Var(var) } = gate else { continue };
            let Some(neuron) = var.0.checked_sub(self.inputs.len()).map(|index| &self.neurons[index]) else { continue };
            if *scale != Rational::ONE
                || !offset.is_zero()
                || neuron.activation != Activation::Smooth(Function::Sigmoid)
            {
                continue;
            }
            let (row, bias) = (neuron.row.clone(), neuron.bias);
            let Some((own, own_bias)) = self.folded(x)? else { continue };
            if own_bias == bias && own == row {
                return Ok(Some(Element::var(self.neuron(row, bias, Activation::Smooth(Function::Silu)))));
            }
        }
        Ok(None)
    }

    /// The row and bias of a neuron that is a function of this element.
    fn pre_activation(&mut self, element: &Element) -> Result<(Rc<Row>, f64), Fault> {
        let (row, bias) = match self.folded(element)? {
            Some(folded) => folded,
            None => {
                let Column { var, scale, offset } = self.column(element)?;
                let (Some(factor), Some(bias)) = (exact_f64(&scale), exact_f64(&offset)) else {
                    return Err(not_exact(&scale, &offset));
                };
                (Rc::new(Row::single(var, factor)), bias)
            }
        };
        self.charge(1 + row.len())?;
        Ok((row, bias))
    }

    /// A matrix (rows by columns) times a vector.
    pub(crate) fn apply(&mut self, matrix: &Matrix, vector: &[Element]) -> Result<Vec<Element>, Fault> {
        self.charge(2 * matrix.size() + vector.len())?;
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
            let var = self.neuron(Rc::new(Row::single(column.var, scale)), offset, Activation::Identity);
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
    fn fold_columns(&mut self, matrix: &Matrix, columns: &[Column]) -> Result<Option<Vec<Element>>, Fault> {
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
        let matrix = match matrix {
            Matrix::Dense(matrix) => matrix,
            Matrix::Sparse(rows) => return self.fold_sparse(rows, columns, &places, &vars),
        };
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
            rows.push(Element::row(Row::dense(vars.clone(), coefficients), bias));
        }
        Ok(Some(rows))
    }

    /// The same for a matrix that is kept by its non-zero entries.
    fn fold_sparse(
        &mut self,
        matrix: &SparseRows,
        columns: &[Column],
        places: &[Option<usize>],
        vars: &Rc<[VarId]>,
    ) -> Result<Option<Vec<Element>>, Fault> {
        let shifted = columns.iter().any(|column| !column.offset.is_zero());
        let mut rows = Vec::with_capacity(matrix.len());
        for row in 0..matrix.len() {
            let mut coefficients: BTreeMap<usize, f64> = BTreeMap::new();
            let mut bias = Rational::ZERO;
            for (column, weight) in matrix.terms(row) {
                let (place, column) = (places[column], &columns[column]);
                if let Some(place) = place {
                    let own = if column.scale == Rational::ONE {
                        Some(weight)
                    } else {
                        let product = self.checked(&exact(weight) * &column.scale)?;
                        exact_f64(&product)
                    };
                    let sum = coefficients.entry(place).or_insert(0.0);
                    match own.and_then(|own| exact_sum(*sum, own)) {
                        Some(exact) => *sum = exact,
                        None => return Ok(None),
                    }
                }
                if !column.offset.is_zero() {
                    bias = self.checked(&bias + &(&exact(weight) * &column.offset))?;
                }
            }
            let Some(bias) = exact_f64(&bias) else { return Ok(None) };
            let small = |place| u32::try_from(place).expect("there are as many variables as columns, at most");
            let terms = coefficients.into_iter().filter(|(_, factor)| *factor != 0.0);
            let coefficients = Coefficients::Sparse(terms.map(|(place, factor)| (small(place), factor)).collect());
            rows.push(Element::row(Row { vars: vars.clone(), coefficients }, shifted.then_some(bias)));
        }
        Ok(Some(rows))
    }

    /// An output: its row and bias, and the scale and offset that remain.
    pub(crate) fn output(&mut self, element: &Element) -> Result<Output, Fault> {
        if let Element::Term { scale, offset, base: Base::Row(row, bias) } = element {
            let bias = bias.unwrap_or(0.0);
            return Ok(Output { row: row.clone(), bias, scale: scale.clone(), offset: offset.clone() });
        }
        let Column { var, scale, offset } = self.column(element)?;
        let row = Rc::new(Row::single(var, 1.0));
        Ok(match (var, exact_f64(&offset)) {
            (Some(_), _) => Output { row, bias: 0.0, scale, offset },
            (None, Some(bias)) => Output { row, bias, scale: Rational::ONE, offset: Rational::ZERO },
            (None, None) => Output { row, bias: 0.0, scale: Rational::ONE, offset },
        })
    }
}

/// `scale * (row + bias) + offset`.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) row: Rc<Row>,
    pub(crate) bias: f64,
    pub(crate) scale: Rational,
    pub(crate) offset: Rational,
}
