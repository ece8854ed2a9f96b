//! Questions as text: short enough to read, complete enough to type in again.

use std::fmt::Write as _;
use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_network::{Activation, Arithmetic, Network, Normalisation};
use surefoot_oracle::{Kind, Question};

/// Variables `x`, networks `N`, outputs `y<application>.<output>`.
pub(crate) fn show(question: &Question) -> String {
    let mut text = String::new();
    for (index, variable) in question.variables.iter().enumerate() {
        let kind = if variable.kind == Kind::Integer { "integer" } else { "real" };
        writeln!(text, "x{index}: {kind} [{}, {}]", variable.lower, variable.upper).unwrap();
    }
    let mut networks: Vec<&Arc<Network>> = Vec::new();
    let name = |symbol: Symbol| symbol_name(question, symbol);
    for (index, application) in question.applications.iter().enumerate() {
        let known = networks.iter().position(|network| Arc::ptr_eq(network, &application.network));
        let number = known.unwrap_or(networks.len());
        if known.is_none() {
            networks.push(&application.network);
            writeln!(text, "N{number}: {}", show_network(&application.network)).unwrap();
        }
        let inputs: Vec<String> = application.inputs.iter().map(|form| show_linear(form, &name)).collect();
        writeln!(text, "y{index} = N{number}({})", inputs.join(", ")).unwrap();
    }
    writeln!(text, "{}", show_formula(&question.formula, &name)).unwrap();
    text
}

fn symbol_name(question: &Question, symbol: Symbol) -> String {
    let Some(mut output) = symbol.index().checked_sub(question.variables.len()) else {
        return format!("x{}", symbol.0);
    };
    for (index, application) in question.applications.iter().enumerate() {
        let outputs = application.network.output_len();
        if output < outputs {
            return format!("y{index}.{output}");
        }
        output -= outputs;
    }
    format!("s{}", symbol.0)
}

fn show_network(network: &Network) -> String {
    let normalisation = |title: &str, normalisation: Option<&Normalisation>| match normalisation {
        Some(given) => format!("{title} *{:?} +{:?} ", given.scale(), given.offset()),
        None => String::new(),
    };
    let single = if network.arithmetic() == Arithmetic::Float32 { "float32 " } else { "" };
    let mut text = single.to_owned() + &normalisation("in", network.input_normalisation());
    for layer in network.layers() {
        let rows: Vec<String> = layer.rows().map(|(row, bias)| format!("{row:?} {bias:?}")).collect();
        let activation = match layer.activation() {
            Activation::Identity => String::new(),
            activation => activation.to_string(),
        };
        write!(text, "{activation}[{}] ", rows.join("; ")).unwrap();
    }
    text + &normalisation("out", network.output_normalisation())
}

fn show_linear(form: &Linear, name: &impl Fn(Symbol) -> String) -> String {
    let mut parts: Vec<String> = form.terms().iter().map(|(symbol, a)| format!("{a}*{}", name(*symbol))).collect();
    if parts.is_empty() || !form.constant().is_zero() {
        parts.push(form.constant().to_string());
    }
    parts.join(" + ")
}

fn show_formula(formula: &Formula, name: &impl Fn(Symbol) -> String) -> String {
    let joined = |title: &str, parts: &[Formula]| {
        let parts: Vec<String> = parts.iter().map(|part| show_formula(part, name)).collect();
        format!("{title}({})", parts.join(", "))
    };
    match formula {
        Formula::Atom(Atom { form, relation }) => {
            let relation = match relation {
                Relation::AtLeastZero => ">=",
                Relation::Positive => ">",
                Relation::Zero => "=",
                Relation::NonZero => "!=",
            };
            format!("{} {relation} 0", show_linear(form, name))
        }
        Formula::All(parts) => joined("all", parts),
        Formula::Any(parts) => joined("any", parts),
    }
}
