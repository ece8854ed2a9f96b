//! Reading `.nnet`: a cursor over lines, then the sections in order.

use surefoot_num::Rational;

use super::{NnetError, NnetProblem};
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;
use crate::read::NnetWeights;
use crate::shape::ShapeError;

/// Numbers longer than this are refused: exact decimals must not eat the memory.
const LONGEST_NUMBER: usize = 1_000;

struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    /// The number of the last line delivered, from 1.
    line: usize,
}

/// The values of one line, each with its column.
struct Fields<'a> {
    line: usize,
    values: Vec<(usize, &'a str)>,
}

impl<'a> Lines<'a> {
    /// The next line that is no comment.
    fn next_line(&mut self) -> Option<&'a str> {
        for (index, text) in self.lines.by_ref() {
            self.line = index + 1;
            if !text.trim_start().starts_with("//") {
                return Some(text);
            }
        }
        None
    }

    /// The next line, split at commas; exactly `expected` values when a number is given.
    fn fields(&mut self, what: impl Fn() -> String, expected: Option<usize>) -> Result<Fields<'a>, NnetError> {
        let Some(text) = self.next_line() else {
            let problem = NnetProblem::Truncated { expected: what() };
            return Err(NnetError { line: self.line + 1, column: 1, problem });
        };
        let mut values = Vec::with_capacity(expected.unwrap_or(4).min(text.len()));
        let mut start = 0;
        for part in text.split(',') {
            let lead = part.len() - part.trim_start().len();
            values.push((start + lead + 1, part.trim()));
            start += part.len() + 1;
        }
        // A trailing comma, or an empty line.
        if values.last().is_some_and(|(_, last)| last.is_empty()) {
            values.pop();
        }
        if let Some(expected) = expected.filter(|expected| *expected != values.len()) {
            let problem = NnetProblem::Count { what: what(), expected, found: values.len() };
            let column = values.get(expected).map_or(text.len() + 1, |(column, _)| *column);
            return Err(NnetError { line: self.line, column, problem });
        }
        Ok(Fields { line: self.line, values })
    }
}

fn number_error(line: usize, column: usize, found: &str, expected: &'static str) -> NnetError {
    let mut short: String = found.chars().take(40).collect();
    if short.len() < found.len() {
        short.push_str("...");
    }
    NnetError { line, column, problem: NnetProblem::Number { found: Some(short), expected } }
}

/// Only characters of decimal numbers: keeps `inf`, `nan`, fractions and hexadecimal out.
fn is_decimal(text: &str) -> bool {
    text.len() <= LONGEST_NUMBER
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'))
}

impl Fields<'_> {
    fn sizes(&self) -> Result<Vec<usize>, NnetError> {
        let size = |&(column, text): &(usize, &str)| {
            text.parse().map_err(|_| number_error(self.line, column, text, "non-negative integer"))
        };
        self.values.iter().map(size).collect()
    }

    fn rationals(&self) -> Result<Vec<Rational>, NnetError> {
        let rational = |&(column, text): &(usize, &str)| {
            let value = if is_decimal(text) { text.parse().ok() } else { None };
            value.ok_or_else(|| number_error(self.line, column, text, "decimal number"))
        };
        self.values.iter().map(rational).collect()
    }

    /// Appends the values as weights.
    fn weights_into(&self, precision: NnetWeights, weights: &mut Vec<f64>) -> Result<(), NnetError> {
        for &(column, text) in &self.values {
            let value = match precision {
                _ if !is_decimal(text) => None,
                NnetWeights::F64 => text.parse::<f64>().ok(),
                NnetWeights::F32 => text.parse::<f32>().ok().map(f64::from),
            };
            let Some(value) = value.filter(|value| value.is_finite()) else {
                return Err(number_error(self.line, column, text, "finite decimal number"));
            };
            weights.push(value);
        }
        Ok(())
    }
}

/// The header's sizes, input layer first.
fn read_sizes(lines: &mut Lines<'_>, bytes: usize) -> Result<Vec<usize>, NnetError> {
    let header = lines.fields(|| "the header (layers,inputs,outputs,largest layer)".to_owned(), Some(4))?;
    let at = |index: usize, problem| NnetError { line: header.line, column: header.values[index].0, problem };
    let [layers, inputs, outputs, _] = header.sizes()?[..] else { unreachable!("four fields were asked for") };
    if layers == 0 {
        return Err(at(0, NnetProblem::Zero { what: "the number of layers" }));
    }
    if layers >= bytes {
        return Err(at(0, NnetProblem::TooLarge { needed: layers, bytes }));
    }
    let fields = lines.fields(|| "the line of layer sizes".to_owned(), Some(layers + 1))?;
    let sizes = fields.sizes()?;
    let here = |index: usize, problem| NnetError { line: fields.line, column: fields.values[index].0, problem };
    if let Some(zero) = sizes.iter().position(|&size| size == 0) {
        return Err(here(zero, NnetProblem::Zero { what: "a layer size" }));
    }
    for (what, header, index) in [("inputs", inputs, 0), ("outputs", outputs, layers)] {
        if header != sizes[index] {
            return Err(here(index, NnetProblem::Disagree { what, header, sizes: sizes[index] }));
        }
    }
    // Before anything is allocated by these sizes: every number takes at least one byte.
    let needed =
        sizes.windows(2).try_fold(0usize, |sum, pair| pair[0].checked_add(1)?.checked_mul(pair[1])?.checked_add(sum));
    match needed {
        Some(needed) if needed <= bytes => Ok(sizes),
        _ => Err(here(0, NnetProblem::TooLarge { needed: needed.unwrap_or(usize::MAX), bytes })),
    }
}

/// Input and output normalisation from the lines of means and ranges.
fn read_normalisation(lines: &mut Lines<'_>, sizes: &[usize]) -> Result<(Normalisation, Normalisation), NnetError> {
    let (inputs, outputs) = (sizes[0], sizes[sizes.len() - 1]);
    let means =
        lines.fields(|| "the line of means (one per input, one for the outputs)".to_owned(), Some(inputs + 1))?;
    let ranges =
        lines.fields(|| "the line of ranges (one per input, one for the outputs)".to_owned(), Some(inputs + 1))?;
    let (mut mean_values, mut range_values) = (means.rationals()?, ranges.rationals()?);
    if let Some(zero) = range_values.iter().position(Rational::is_zero) {
        let column = ranges.values[zero].0;
        return Err(NnetError { line: ranges.line, column, problem: NnetProblem::ZeroRange });
    }
    let mean = mean_values.pop().expect("inputs + 1 means");
    let range = range_values.pop().expect("inputs + 1 ranges");
    // (x - mean) / range = (1 / range) x + (-mean / range).
    let over = |value: &Rational, range: &Rational| value.checked_div(range).expect("no range is zero");
    let scale = range_values.iter().map(|range| over(&Rational::ONE, range)).collect();
    let offset = mean_values.iter().zip(&range_values).map(|(mean, range)| over(&-mean, range)).collect();
    let same_length = "scale and offset come from lines of the same length";
    let input = Normalisation::new(scale, offset).expect(same_length);
    let output = Normalisation::new(vec![range; outputs], vec![mean; outputs]).expect(same_length);
    Ok((input, output))
}

/// Reads a `.nnet` network.
///
/// # Errors
/// With line, column and what was expected there.
pub fn from_bytes(bytes: &[u8], precision: NnetWeights) -> Result<Network, NnetError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        let line = valid.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = valid.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        NnetError { line, column, problem: NnetProblem::NotText }
    })?;
    // Editors on Windows put a byte order mark in front.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = Lines { lines: text.lines().enumerate(), line: 0 };
    let sizes = read_sizes(&mut lines, bytes.len())?;
    let inputs = sizes[0];
    lines.fields(|| "the flag line (0)".to_owned(), None)?;
    let mins = lines.fields(|| "the line of input minima".to_owned(), Some(inputs))?.rationals()?;
    let maxs = lines.fields(|| "the line of input maxima".to_owned(), Some(inputs))?.rationals()?;
    let (input, output) = read_normalisation(&mut lines, &sizes)?;

    let mut layers = Vec::with_capacity(sizes.len() - 1);
    for (index, pair) in sizes.windows(2).enumerate() {
        let (columns, rows) = (pair[0], pair[1]);
        let mut weights = Vec::with_capacity(columns * rows);
        let mut bias = Vec::with_capacity(rows);
        for row in 0..rows {
            let what = || format!("the weights of neuron {} in layer {}", row + 1, index + 1);
            lines.fields(what, Some(columns))?.weights_into(precision, &mut weights)?;
        }
        for row in 0..rows {
            let what = || format!("the bias of neuron {} in layer {}", row + 1, index + 1);
            lines.fields(what, Some(1))?.weights_into(precision, &mut bias)?;
        }
        let last = index + 2 == sizes.len();
        let activation = if last { Activation::Identity } else { Activation::Relu };
        layers.push(Layer::new(columns, weights, bias, activation).expect("counted and finite"));
    }
    while let Some(rest) = lines.next_line() {
        if !rest.trim().is_empty() {
            return Err(NnetError { line: lines.line, column: 1, problem: NnetProblem::Trailing });
        }
    }
    let assemble = || -> Result<Network, ShapeError> {
        Network::new(layers)?
            .with_input_normalisation(input)?
            .with_output_normalisation(output)?
            .with_input_bounds(mins.into_iter().zip(maxs).collect())
    };
    Ok(assemble().expect("the sizes chain").with_notice(
        "the input minima and maxima of the .nnet file are reported only: inputs are neither clipped nor restricted to them",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "// comment\n2,2,1,2,\n2,2,1,\n0,\n0,0,\n4,4,\n1,0,0.5\n3,1,2\n\
                         1.0,-2.5\n.5,1e-1,\n0.0,\n-1,\n1.,1\n0.25\n\n";

    fn read(text: &str) -> Result<Network, NnetError> {
        from_bytes(text.as_bytes(), NnetWeights::F64)
    }

    #[test]
    fn a_small_network_is_read_exactly() {
        let network = read(SMALL).unwrap();
        assert_eq!((network.input_len(), network.hidden_sizes(), network.output_len()), (2, vec![2], 1));
        assert_eq!(*network.layers()[0].weights(), [1.0, -2.5, 0.5, 0.1]);
        let normalisation = network.input_normalisation().unwrap();
        assert_eq!(normalisation.scale()[0], "1/3".parse().unwrap());
        assert_eq!(normalisation.offset()[0], "-1/3".parse().unwrap());
        assert!(network.same_parameters(&read(&format!("\u{FEFF}{SMALL}")).unwrap()), "a byte order mark");
        // x' = (0, 1); hidden relu(-2.5) = 0 and relu(0.1 - 1) = 0; output 0.25 * 2 + 0.5.
        let point = [Rational::ONE, Rational::ONE];
        assert_eq!(network.eval_reference(&point), [Rational::ONE]);
        assert_eq!(network.notices().len(), 1);
    }

    #[test]
    fn weights_can_be_rounded_to_single_precision() {
        let network = from_bytes(SMALL.as_bytes(), NnetWeights::F32).unwrap();
        assert_eq!(network.layers()[0].weights()[3], f64::from(0.1f32));
    }

    #[test]
    fn problems_name_their_place() {
        for (from, to, expected) in [
            ("-2.5", "nan", "9:5: 'nan' is no finite decimal number"),
            ("-2.5", "1e400", "9:5: '1e400' is no finite decimal number"),
            ("3,1,2\n", "3,0,2\n", "8:3: a range of 0 would divide by zero; write 1 for 'not normalised'"),
            ("2,2,1,2,", "2,2,1,", "2:7: the header (layers,inputs,outputs,largest layer) needs 4 values, found 3"),
            ("2,2,1,\n", "2,99999999,1,\n", "3:1: the layer sizes need 399999997 numbers"),
            ("2,2,1,2,", "2,3,1,2,", "3:1: the header says 3 inputs, the layer sizes say 2"),
            ("2,2,1,\n", "2,0,1,\n", "3:3: a layer size must be positive"),
            ("1.0,-2.5\n", "1.0,-2.5,7\n", "9:10: the weights of neuron 1 in layer 1 needs 2 values, found 3"),
            ("0.25\n\n", "", "14:1: the file ends here, but the bias of neuron 1 in layer 2 should follow"),
            ("0.25\n\n", "0.25\n7\n", "15:1: the network is complete"),
            ("0,\n0,0,", "0,\n0,1/2,", "5:3: '1/2' is no decimal number"),
        ] {
            assert!(SMALL.contains(from));
            let message = read(&SMALL.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}\n{expected}");
        }
        let error = from_bytes(b"2,2\n\xff", NnetWeights::F64).unwrap_err();
        assert_eq!((error.line, error.column), (2, 1));
    }
}
