//! Counterexamples as text, in the form that goes with the file's version.

use std::fmt::{Display, Write};

use crate::{Names, Property};

/// Inputs and outputs as a counterexample: for version 1.0 `((X_0 0.5)` to `(Y_4 1))`, one per line, as VNN-COMP has it; for
/// version 2.0 each tensor's name, type and shape and then its elements, one per line.
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
        Names::Tensors { input, output, .. } => {
            let mut put = |line: &dyn Display| {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{line}");
            };
            put(&format!("{} real {}", input.name, input.shown_shape()));
            inputs.iter().for_each(|value| put(value));
            put(&format!("{} real {}", output.name, output.shown_shape()));
            outputs.iter().for_each(|value| put(value));
        }
    }
    text
}
