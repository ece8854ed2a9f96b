//! VNN-LIB: what a network is asked, as text.
//!
//! A file declares the inputs and outputs of networks and asserts conditions on them; it is satisfiable when some input
//! makes all of them true. [`read`] turns it into a [`Property`]: a box for the inputs, and one formula in which symbols
//! `0..inputs` are the inputs, those after them the outputs, and those after them products of others.
//!
//! * Version 1.0, the SMT-LIB subset of the VNN-COMP benchmarks: `declare-const X_0 Real`, `Y_0`, `assert` with
//!   `<= < >= > = distinct`, `and or not =>`, `+ - * /` and `let`; input boxes may stand inside disjunctions.
//! * Version 2.0 with any number of networks, inputs and outputs of type `real`, held to the grammar and the types of the
//!   standard (`standard`).
//!
//! Conditions may be polynomial ([`Property::products`]).
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
mod examine;
mod expression;
mod hull;
mod linear;
mod names;
mod network;
mod number;
mod product;
mod propagate;
mod read;
mod scope;
mod standard;
mod tensor;
mod tree;
mod write;

use surefoot_linear::{Formula, Symbol};
use surefoot_num::Rational;
use surefoot_text::source::Span;

pub use examine::{Examined, examine};
pub use names::{Kinship, Names, NetworkDeclaration};
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
    /// What is asserted, but for what the box says already. Symbols are the inputs, then the outputs, then the products.
    pub formula: Formula,
    /// The two factors of each product that the formula speaks of: inputs, outputs, or products before it.
    pub products: Vec<(Symbol, Symbol)>,
    /// An input whose bounds contradict each other, so that nothing satisfies the formula, which is falsity then.
    pub contradictory: Option<usize>,
    /// Where each input is declared; never empty.
    places: Vec<Span>,
}

impl Property {
    /// What the file calls an input: `X_3`, `X[0,3]`.
    #[must_use]
    pub fn input_name(&self, input: usize) -> String {
        self.names.input(input)
    }

    /// What the file calls an output: `Y_3`, `Y[0,3]`.
    #[must_use]
    pub fn output_name(&self, output: usize) -> String {
        self.names.output(output)
    }

    /// Where an input is declared; in version 2.0, where its network is.
    #[must_use]
    pub fn declared_at(&self, input: usize) -> Span {
        self.places[input.min(self.places.len() - 1)]
    }
}
