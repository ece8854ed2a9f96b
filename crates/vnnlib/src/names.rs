//! What a file calls inputs, outputs and networks.

use surefoot_text::source::Span;

use crate::tensor::Tensor;

/// How a file calls inputs and outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Version 1.0: `X_0`, `X_1`, ... and `Y_0`, `Y_1`, ... of one network.
    Flat,
    /// Version 2.0: elements of the tensors of named networks.
    Networks(Vec<NetworkDeclaration>),
}

/// A network of version 2.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkDeclaration {
    /// Its name.
    pub name: String,
    /// An earlier network that it is like.
    pub kinship: Option<Kinship>,
    /// Its inputs, in the order of the file.
    pub inputs: Vec<Tensor>,
    /// Its outputs, in the order of the file.
    pub outputs: Vec<Tensor>,
    /// Where it is declared.
    pub span: Span,
}

/// How a network is like an earlier one, which is named by its place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// The same network with the same weights.
    EqualTo(usize),
    /// The same layers with other weights.
    IsomorphicTo(usize),
}

impl NetworkDeclaration {
    /// The number of elements of its inputs.
    #[must_use]
    pub fn input_len(&self) -> usize {
        elements(&self.inputs)
    }

    /// The number of elements of its outputs.
    #[must_use]
    pub fn output_len(&self) -> usize {
        elements(&self.outputs)
    }

    /// All its tensors, inputs first.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().chain(&self.outputs)
    }
}

/// Their sizes were checked when they were read.
fn elements(tensors: &[Tensor]) -> usize {
    tensors.iter().map(|tensor| tensor.len().unwrap_or(0)).sum()
}

impl Names {
    /// The networks, as version 2.0 declares them.
    #[must_use]
    pub fn networks(&self) -> &[NetworkDeclaration] {
        match self {
            Self::Flat => &[],
            Self::Networks(networks) => networks,
        }
    }

    /// The name of an input, counted over all networks.
    pub(crate) fn input(&self, number: usize) -> String {
        match self {
            Self::Flat => format!("X_{number}"),
            Self::Networks(networks) => {
                element(networks.iter().flat_map(|network| &network.inputs), number).unwrap_or_default()
            }
        }
    }

    /// The name of an output, counted over all networks.
    pub(crate) fn output(&self, number: usize) -> String {
        match self {
            Self::Flat => format!("Y_{number}"),
            Self::Networks(networks) => {
                element(networks.iter().flat_map(|network| &network.outputs), number).unwrap_or_default()
            }
        }
    }
}

/// The name of an element, counted over several tensors.
fn element<'t>(tensors: impl Iterator<Item = &'t Tensor>, mut number: usize) -> Option<String> {
    for tensor in tensors {
        let len = tensor.len().unwrap_or(0);
        if number < len {
            return Some(tensor.element(number));
        }
        number -= len;
    }
    None
}
