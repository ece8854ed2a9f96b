//! `"semantics"`: the numbers that networks are computed with; and what networks cannot be asked for.

use std::sync::Arc;

use surefoot_network::{Arithmetic, Layer, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Node;

use super::Reading;
use crate::policy::PolicyNetwork;

/// Told of networks with weights of more digits than single precision has.
const ROUNDED: &str = "some weights or constants are no float32 numbers: each of these is rounded to the nearest one";

/// Told of networks from which something was taken off that keeps the order of real numbers.
const HEADS: &str =
    "what was taken off at the end may make close scores equal in float32; the scores before it are compared";

impl Reading<'_> {
    /// Has the networks computed as the policy says.
    pub(super) fn semantics(
        &mut self,
        node: Option<Node<'_>>,
        regression: bool,
        networks: &mut [PolicyNetwork],
    ) -> Result<(), Diagnostic> {
        let Some(node) = node else { return Ok(()) };
        match node.expect_str("\"real\" or \"float32\"")? {
            "real" => return Ok(()),
            "float32" if regression => {
                let message = "\"float32\" is for policies that choose actions, and this one computes variables";
                return Err(Diagnostic::error(node.span(), message).with_help("leave it out: values are exact"));
            }
            "float32" => {}
            other => {
                let message = format!("networks are computed in \"real\" or \"float32\" numbers, not \"{other}\"");
                let help =
                    "\"real\": the function that the stored weights define; \"float32\": as single precision rounds it";
                return Err(Diagnostic::error(node.span(), message).with_help(help));
            }
        }
        for entry in networks {
            let single = Network::clone(&entry.network).with_arithmetic(Arithmetic::Float32);
            let single = single.map_err(|error| {
                let message = format!("the network {} has no float32 semantics: {error}", entry.file);
                Diagnostic::error(node.span(), message).with_help("leave \"semantics\" out")
            })?;
            #[expect(clippy::cast_possible_truncation, reason = "asks whether anything is lost")]
            let is_single = |x: f64| f64::from(x as f32) == x;
            let numbers = || single.layers().iter().flat_map(Layer::numbers);
            if numbers().any(|x| x.abs() > f64::from(f32::MAX)) {
                let message = format!("the network {} has a weight beyond the range of float32", entry.file);
                return Err(Diagnostic::error(node.span(), message).with_help("leave \"semantics\" out"));
            }
            let exactly = |x: &Rational| Rational::from_f64(x.to_f64()).as_ref() == Some(x) && is_single(x.to_f64());
            let scales = [single.input_normalisation(), single.output_normalisation()];
            let constants = |n: &&Normalisation| n.scale().iter().chain(n.offset()).all(exactly);
            if !numbers().all(is_single) || !scales.iter().flatten().all(constants) {
                self.notes.push(Diagnostic::notice(node.span(), format!("{}: {ROUNDED}", entry.file)));
            }
            if single.order_only() {
                self.notes.push(Diagnostic::notice(node.span(), format!("{}: {HEADS}", entry.file)));
            }
            entry.network = Arc::new(single);
        }
        Ok(())
    }

    /// Values of variables are rational numbers, so what computes them must be.
    pub(super) fn refuse_smooth_values(&mut self, outputs: Node<'_>, networks: &[PolicyNetwork]) {
        for entry in networks.iter().filter(|entry| !entry.network.is_piecewise_linear()) {
            let message = format!(
                "the network {} has smooth activations, so its outputs are no rational numbers and cannot be values of variables",
                entry.file
            );
            let help = "let it choose actions (\"labels\"), or train it with ReLU";
            self.errors.push(Diagnostic::error(outputs.span(), message).with_help(help));
        }
    }
}
