//! Tensors of VNN-LIB 2.0: a name and a shape, elements counted row by row.

use surefoot_text::diagnostic::Diagnostic;

use crate::tree::Node;

/// A size costs nothing to write down; what is read for each element does.
const MOST_ELEMENTS: usize = 1 << 22;

/// A tensor variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The size of each dimension; none for a scalar.
    pub shape: Vec<usize>,
    /// The name of the node in the ONNX file, where the declaration gives one.
    pub onnx: Option<String>,
    /// Whether its type was written in a way that asks numbers to look like it: `real`, and not `Real`.
    pub(crate) typed: bool,
}

/// A word with brackets as its name and the numbers in the brackets; `None` for no brackets.
pub(crate) fn split<'t>(node: Node<'t>, word: &'t str) -> Result<(&'t str, Option<Vec<usize>>), Diagnostic> {
    let Some((name, rest)) = word.split_once('[') else { return Ok((word, None)) };
    let inside = rest.trim_end_matches(']').trim();
    if inside.is_empty() {
        return Ok((name.trim_end(), Some(Vec::new())));
    }
    let number = |text: &str| {
        let text = text.trim();
        text.parse().map_err(|_| {
            let error = node.error(format!("{} is no index", if text.is_empty() { "nothing" } else { text }));
            error.with_help("indices and sizes are integers from 0, separated by commas: [0,1]")
        })
    };
    let numbers = inside.split(',').map(number).collect::<Result<_, _>>()?;
    Ok((name.trim_end(), Some(numbers)))
}

impl Tensor {
    /// The number of elements; `None` when they are too many to be read.
    #[must_use]
    pub fn len(&self) -> Option<usize> {
        let product = self.shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        product.filter(|product| *product <= MOST_ELEMENTS)
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Its shape as written: `[1,5]`.
    #[must_use]
    pub fn shown_shape(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("[{}]", sizes.join(","))
    }

    /// An element's name, given its number.
    #[must_use]
    pub fn element(&self, number: usize) -> String {
        if self.shape.is_empty() {
            return self.name.clone();
        }
        let mut rest = number;
        let mut indices: Vec<String> = Vec::new();
        for size in self.shape.iter().rev() {
            indices.push((rest % size).to_string());
            rest /= size;
        }
        indices.reverse();
        format!("{}[{}]", self.name, indices.join(","))
    }

    /// The number of the element at some indices.
    pub(crate) fn number(&self, node: Node<'_>, indices: Option<&[usize]>) -> Result<usize, Diagnostic> {
        let help = || format!("{} has the shape {}", self.name, self.shown_shape());
        let indices = indices.unwrap_or_default();
        if indices.len() != self.shape.len() {
            let wanted = match self.shape.len() {
                0 => "no index".to_owned(),
                1 => "1 index".to_owned(),
                more => format!("{more} indices"),
            };
            let message = format!("{} needs {wanted}, found {}", self.name, indices.len());
            return Err(node.error(message).with_help(help()));
        }
        let mut number = 0;
        for (index, size) in indices.iter().zip(&self.shape) {
            if index >= size {
                let message = format!("index {index} is out of range: this dimension has size {size}");
                return Err(node.error(message).with_help(help()));
            }
            number = number * size + index;
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_row_by_row() {
        let tensor = |name: &str, shape: &[usize]| Tensor {
            name: name.to_owned(),
            shape: shape.to_vec(),
            onnx: None,
            typed: true,
        };
        let matrix = tensor("X", &[2, 3]);
        let names: Vec<String> = (0..6).map(|number| matrix.element(number)).collect();
        assert_eq!(names, ["X[0,0]", "X[0,1]", "X[0,2]", "X[1,0]", "X[1,1]", "X[1,2]"]);
        assert_eq!(tensor("s", &[]).element(0), "s");
        assert_eq!(tensor("h", &[usize::MAX, 2]).len(), None);
    }
}
