//! Names that are declared twice where only the first would ever be found.

use surefoot_jani::syntax::{FunctionDeclaration, Model};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Name;

/// Refuses automata, locations, functions and parameters of the same name. Constants, variables and actions are checked
/// where they are declared.
pub(super) fn check(syntax: &Model) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    distinct("automaton", syntax.automata.iter().map(|a| &a.name), &mut errors);
    functions(&syntax.functions, &mut errors);
    for automaton in &syntax.automata {
        distinct("location", automaton.locations.iter().map(|l| &l.name), &mut errors);
        distinct("initial location", automaton.initial_locations.iter(), &mut errors);
        functions(&automaton.functions, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn functions(functions: &[FunctionDeclaration], errors: &mut Vec<Diagnostic>) {
    distinct("function", functions.iter().map(|f| &f.name), errors);
    for function in functions {
        distinct("parameter", function.parameters.iter().map(|(name, _)| name), errors);
    }
}

fn distinct<'s>(what: &str, names: impl Iterator<Item = &'s Name>, errors: &mut Vec<Diagnostic>) {
    let mut seen = rustc_hash::FxHashSet::default();
    for name in names {
        if !seen.insert(&name.value) {
            let message = format!("the {what} '{}' is declared twice", name.value);
            errors.push(Diagnostic::error(name.span, message).with_help("rename one of them, or remove it"));
        }
    }
}
