//! Counterexamples as text, in the form that goes with the file's version.

use std::fmt::{Display, Write};

use crate::{Names, Property};

/// Inputs and outputs as a counterexample: for version 1.0 `((X_0 0.5)` to `(Y_4 1))`, one per line, as VNN-COMP has it; for
/// version 2.0 each tensor's name, type and shape and then its elements, one per line, in the order of the file.
#[must_use]
pub fn assignment(property: &Property, inputs: &[impl Display], outputs: &[impl Display]) -> String {
    let mut text = String::new();
    match &property.names {
        Names::Flat => {
            let named = |letter: char, (i, value): (usize, &dyn Display)| format!("({letter}_{i} {value})");
            let inputs = inputs.iter().enumerate().map(|(i, value)| named('X', (i, value)));
            let outputs = outputs.iter().enumerate().map(|(i, value)| named('Y', (i, value)));
            let lines: Vec<String> = inputs.chain(outputs).collect();
            text.push_str(&format!("({})\n", lines.join("\n ")));
        }
        Names::Networks(networks) => {
            let mut values = [
                inputs.iter().map(|value| value as &dyn Display).collect::<Vec<_>>().into_iter(),
                outputs.iter().map(|value| value as &dyn Display).collect::<Vec<_>>().into_iter(),
            ];
            for network in networks {
                for (tensors, values) in [&network.inputs, &network.outputs].into_iter().zip(&mut values) {
                    for tensor in tensors {
                        // Writing to a string does not fail.
                        let _ = writeln!(text, "{} real {}", tensor.name, tensor.shown_shape());
                        for value in values.by_ref().take(tensor.len().unwrap_or(0)) {
                            let _ = writeln!(text, "{value}");
                        }
                    }
                }
            }
        }
    }
    text
}
