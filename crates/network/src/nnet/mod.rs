//! The `.nnet` text format (Stanford, 2016; also what PlaJA reads and writes).
//!
//! Comment lines start with `//`. Then, one line each, numbers separated by commas, a trailing comma allowed:
//!
//! ```text
//! layers,inputs,outputs,largest          number of layers without the input layer; the last field is not used
//! inputs,size,...,outputs                layers + 1 sizes
//! 0                                      a flag, not used
//! minimum per input
//! maximum per input
//! mean per input, mean of the outputs
//! range per input, range of the outputs
//! ```
//!
//! and per layer one line of weights per neuron, then one line with the bias per neuron. Hidden layers are ReLU, the
//! last layer is affine.
//!
//! *Meaning.* The network sees `(x - mean) / range`, and its outputs are `y * range + mean` with the last mean and range;
//! these constants are exact rationals. Weights are the nearest `f64` (or `f32`, on request) of the decimal text. The
//! minima and maxima clip nothing: they are reported, and a notice says so (some readers clip their inputs to them).

mod read;
mod write;

pub use read::from_bytes;
pub use write::{NnetWriteError, write};

/// Why a text is no `.nnet` network. Displays as `line:column: problem`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct NnetError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// What was found, what was expected, and what to do.
    pub problem: NnetProblem,
}

/// The kinds of problems in `.nnet` files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NnetProblem {
    /// Not UTF-8.
    #[error("this is not text; is it really a .nnet file?")]
    NotText,
    /// The file ends too early.
    #[error("the file ends here, but {expected} should follow; is it truncated?")]
    Truncated {
        /// What should follow.
        expected: String,
    },
    /// A line with the wrong number of values.
    #[error("{what} needs {expected} values, found {found}")]
    Count {
        /// What the line holds.
        what: String,
        /// Values needed.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// Something that is no number of the wanted kind.
    #[error("{}", not_a_number(found.as_deref(), expected))]
    Number {
        /// The offending text, unless it must not be shown.
        found: Option<String>,
        /// What was expected.
        expected: &'static str,
    },
    /// The sizes promise more numbers than the file can hold.
    #[error("the layer sizes need {needed} numbers, more than a file of {bytes} bytes can hold; check the header")]
    TooLarge {
        /// Numbers needed (saturated).
        needed: usize,
        /// Bytes in the file.
        bytes: usize,
    },
    /// Header and size line disagree.
    #[error("the header says {header} {what}, the layer sizes say {sizes}")]
    Disagree {
        /// Inputs or outputs.
        what: &'static str,
        /// The number in the header.
        header: usize,
        /// The number in the size line.
        sizes: usize,
    },
    /// A size of zero.
    #[error("{what} must be positive")]
    Zero {
        /// Which number.
        what: &'static str,
    },
    /// A normalisation range of zero.
    #[error("a range of 0 would divide by zero; write 1 for 'not normalised'")]
    ZeroRange,
    /// Content after the last bias.
    #[error("the network is complete, but the file goes on; check the layer sizes")]
    Trailing,
}

impl NnetProblem {
    /// Takes out what was in the file.
    pub(crate) fn forget_what_was_found(&mut self) {
        if let Self::Number { found, .. } = self {
            *found = None;
        }
    }
}

fn not_a_number(found: Option<&str>, expected: &str) -> String {
    match found {
        Some(found) => format!("'{found}' is no {expected}"),
        None => format!("this is no {expected}"),
    }
}
