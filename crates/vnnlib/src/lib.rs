//! VNN-LIB: what a network is asked, as text.
//!
//! A file declares the inputs and outputs of one network and asserts linear conditions on them; it is satisfiable when
//! some input makes all of them true. [`read`] turns it into a [`Property`]: a box for the inputs, and one formula in
//! which symbols `0..inputs` are the inputs and those after them the outputs.
//!
//! * Version 1.0, the SMT-LIB subset of the VNN-COMP benchmarks: `declare-const X_0 Real`, `Y_0`, `assert` with
//!   `<= < >= > = distinct`, `and or not =>`, `+ - * /` and `let`; input boxes may stand inside disjunctions.
//! * Version 2.0 with one network, one input and one output tensor of type `real`.
//!
//! Numbers are exact: `0.1` is 1/10. Errors have a place and advice; whatever is well-formed and not understood is
//! refused by name.
//!
//! ```
//! use surefoot_text::source::SourceMap;
//!
//! let text = "(declare-const X_0 Real) (declare-const Y_0 Real)
//!             (assert (and (>= X_0 -0.5) (<= X_0 0.5)))
//!             (assert (>= Y_0 (* 2 X_0)))";
//! let mut sources = SourceMap::default();
//! let file = sources.add("property.vnnlib", text);
//! let property = surefoot_vnnlib::read(file, text).unwrap();
//! assert_eq!(property.inputs, [("-1/2".parse().unwrap(), "1/2".parse().unwrap())]);
//! assert_eq!(property.outputs, 1);
//! ```

mod connect;
mod declare;
mod expression;
mod hull;
mod linear;
mod number;
mod read;
mod scope;
mod tensor;
mod tree;
mod write;

use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_text::source::Span;

pub use number::{NumberError, parse_number};
pub use read::read;
pub use tensor::Tensor;
pub use write::assignment;

/// What a network is asked: is there an input in the box that satisfies the formula?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// How the file calls inputs and outputs.
    pub names: Names,
    /// The smallest and the largest value of each input: the hull of the boxes in all disjuncts.
    pub inputs: Vec<(Rational, Rational)>,
    /// The number of outputs.
    pub outputs: usize,
    /// What is asserted, but for what the box says already. Symbols are the inputs and then the outputs.
    pub formula: Formula,
    /// An input whose bounds contradict each other, so that nothing satisfies the formula, which is falsity then.
    pub contradictory: Option<usize>,
    /// Where each input is declared, or the one place where all of them are; never empty.
    places: Vec<Span>,
}

impl Property {
    /// What the file calls an input: `X_3`, `X[0,3]`.
    #[must_use]
    pub fn input_name(&self, input: usize) -> String {
        self.names.input(input)
    }

    /// Where an input is declared; in version 2.0, where all of them are.
    #[must_use]
    pub fn declared_at(&self, input: usize) -> Span {
        self.places[input.min(self.places.len() - 1)]
    }
}

/// How a file calls inputs and outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Version 1.0: `X_0`, `X_1`, ... and `Y_0`, `Y_1`, ...
    Flat,
    /// Version 2.0: elements of tensors of a named network.
    Tensors {
        /// The network.
        network: String,
        /// Its input.
        input: Tensor,
        /// Its output.
        output: Tensor,
    },
}

impl Names {
    fn input(&self, number: usize) -> String {
        match self {
            Self::Flat => format!("X_{number}"),
            Self::Tensors { input, .. } => input.element(number),
        }
    }
}
