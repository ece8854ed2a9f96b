//! What a policy states about the file of a network.

use surefoot_network::{NnetWeights, ReadOptions};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Node;

/// How a network file is read; an option of another format than the file's would do nothing, and is refused.
pub(super) fn options(
    file: Node<'_>,
    weights: Option<Node<'_>>,
    output: Option<Node<'_>>,
    activation: Option<Node<'_>>,
) -> Result<ReadOptions, Diagnostic> {
    let path = file.expect_str("the path of a network file")?.to_ascii_lowercase();
    let only_for = |node: Node<'_>, member: &str, extension: &str| {
        if path.ends_with(extension) {
            return Ok(());
        }
        let message = format!("\"{member}\" is for {extension} files, which this network is not");
        Err(Diagnostic::error(node.span(), message).with_help("leave it out"))
    };
    let mut options = ReadOptions::default();
    if let Some(node) = weights {
        only_for(node, "weights", ".nnet")?;
        options.nnet_weights = Some(match node.expect_str("\"f32\" or \"f64\"")? {
            "f32" => NnetWeights::F32,
            "f64" => NnetWeights::F64,
            other => {
                let message = format!("weights are read as \"f32\" or \"f64\", not \"{other}\"");
                let help = "\"f32\" for networks trained in single precision, \"f64\" otherwise";
                return Err(Diagnostic::error(node.span(), message).with_help(help));
            }
        });
    }
    if let Some(node) = output {
        only_for(node, "output", ".onnx")?;
        options.onnx_output = Some(node.expect_str("the name of an output of the ONNX graph")?.to_owned());
    }
    if let Some(node) = activation {
        only_for(node, "activation", ".safetensors")?;
        let name = node.expect_str("the name of an activation")?;
        options.activation = Some(name.parse().map_err(|text: String| Diagnostic::error(node.span(), text))?);
    }
    Ok(options)
}
