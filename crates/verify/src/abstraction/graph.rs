//! The abstract state space as JSON, DOT and GraphML.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;
use serde_json::json;
use surefoot_abstraction::{Abstraction, StateId, Transition};
use surefoot_export::{ExportError, dot, graphml};
use surefoot_files::replace;
use surefoot_model::Model;

use crate::abstraction::figures::{edges, is_terminal};
use crate::abstraction::words::{Words, locations};
use crate::result::abstract_path::{AbstractState, AbstractTransition};
use crate::states::StateNames;

/// A format for graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// Everything, as one object.
    Json,
    /// For Graphviz.
    Dot,
    /// For graph editors.
    GraphMl,
}

impl FromStr for GraphFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "json" => Ok(Self::Json),
            "dot" => Ok(Self::Dot),
            "graphml" => Ok(Self::GraphMl),
            _ => Err(()),
        }
    }
}

impl GraphFormat {
    /// The format that the extension of a file names.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.parse().ok()
    }
}

/// An abstract state as an object.
pub(crate) fn node(
    model: &Model,
    names: &StateNames,
    words: &Words,
    abstraction: &Abstraction,
    id: StateId,
) -> AbstractState {
    let state = abstraction.states.get(id);
    let at = locations(model, state).map(|(i, _, location)| (names.instance(i).to_owned(), location.to_owned()));
    AbstractState {
        id: id.0,
        locations: at.collect(),
        predicates: words.literals(state).map(str::to_owned).collect(),
        values: state.values.iter().collect(),
    }
}

/// A transition as an object.
pub(crate) fn edge(
    model: &Model,
    names: &StateNames,
    abstraction: &Abstraction,
    source: StateId,
    transition: &Transition,
    target: StateId,
) -> AbstractTransition {
    let by = by(abstraction, source, transition);
    let label = by.and_then(|by| by.rule.label).map(|label| model.labels[label.0 as usize].to_string());
    AbstractTransition {
        source: source.0,
        target: target.0,
        label,
        operator: by.map(|by| model.describe_operator(&by.rule.operator)),
        outcome: by.map(|by| by.rule.destinations.clone()),
        witness: names.record(model, &transition.witness),
    }
}

fn by<'a>(
    abstraction: &'a Abstraction,
    source: StateId,
    transition: &Transition,
) -> Option<&'a surefoot_abstraction::moves::Move> {
    abstraction.moves.get(&abstraction.states.get(source).locations)?.get(transition.by)
}

fn label(model: &Model, abstraction: &Abstraction, source: StateId, transition: &Transition) -> String {
    let label = by(abstraction, source, transition).and_then(|by| by.rule.label);
    label.map_or_else(|| "(silent)".to_owned(), |label| model.labels[label.0 as usize].to_string())
}

/// What there is to say of a state besides its predicates.
#[derive(Serialize)]
struct Marks {
    start: bool,
    #[serde(rename = "unsafe")]
    is_unsafe: bool,
    terminal: bool,
    expanded: bool,
}

/// A state with its marks, for the file.
#[derive(Serialize)]
struct MarkedState {
    #[serde(flatten)]
    state: AbstractState,
    #[serde(flatten)]
    marks: Marks,
}

fn marks(abstraction: &Abstraction) -> Vec<Marks> {
    let mut expanded = vec![false; abstraction.states.len()];
    abstraction.expanded.iter().for_each(|id| expanded[id.index()] = true);
    let mark = |(id, _): (StateId, _)| Marks {
        start: id.index() < abstraction.start,
        is_unsafe: abstraction.is_unsafe[id.index()],
        terminal: expanded[id.index()] && is_terminal(abstraction, id),
        expanded: expanded[id.index()],
    };
    abstraction.states.iter().map(mark).collect()
}

/// Writes a graph to its file, all or nothing.
///
/// # Errors
/// Where it cannot be written; then nothing has been changed.
pub fn save(
    format: GraphFormat,
    path: &Path,
    model: &Model,
    words: &Words,
    abstraction: &Abstraction,
) -> Result<(), ExportError> {
    let saved = replace(path, |mut out| write(format, model, words, abstraction, &mut out));
    saved.map_err(|error| ExportError::File { path: path.to_owned(), reason: error.to_string() })
}

/// Writes a graph. Edges are those of all operators and outcomes; a drawing joins those between two states.
///
/// # Errors
/// Where it cannot be written.
pub fn write(
    format: GraphFormat,
    model: &Model,
    words: &Words,
    abstraction: &Abstraction,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        GraphFormat::Json => write_json(model, words, abstraction, out),
        GraphFormat::Dot => write_dot(model, words, abstraction, out),
        GraphFormat::GraphMl => write_graphml(model, words, abstraction, out),
    }
}

fn all_edges(abstraction: &Abstraction) -> impl Iterator<Item = (StateId, &Transition, StateId)> {
    abstraction.states.iter().flat_map(|(source, _)| {
        let list = &abstraction.transitions[source.index()];
        edges(abstraction, source).into_iter().map(move |index| (source, &list[index].0, list[index].1))
    })
}

/// One node or edge to a line, written as they come: the whole as one value would take many times the memory of the abstraction.
fn write_json(model: &Model, words: &Words, abstraction: &Abstraction, out: &mut impl Write) -> io::Result<()> {
    let names = StateNames::new(model);
    let nodes = marks(abstraction)
        .into_iter()
        .zip(abstraction.states.iter())
        .map(|(marks, (id, _))| MarkedState { state: node(model, &names, words, abstraction, id), marks });
    let edges = all_edges(abstraction)
        .map(|(source, transition, target)| edge(model, &names, abstraction, source, transition, target));
    writeln!(out, "{{\n  \"model\": {},", json!(&*model.name))?;
    writeln!(out, "  \"predicates\": {},", json!(words.predicates().collect::<Vec<_>>()))?;
    write!(out, "  \"complete\": {},\n  \"nodes\": ", abstraction.stopped.is_none())?;
    write_list(nodes, out)?;
    out.write_all(b",\n  \"edges\": ")?;
    write_list(edges, out)?;
    out.write_all(b"\n}\n")
}

fn write_list<T: Serialize>(values: impl Iterator<Item = T>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, value) in values.enumerate() {
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &value)?;
    }
    out.write_all(b"\n  ]")
}

fn write_dot(model: &Model, words: &Words, abstraction: &Abstraction, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph \"{}\" {{", dot::escape(&model.name))?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\"];")?;
    for (marks, (id, state)) in marks(abstraction).into_iter().zip(abstraction.states.iter()) {
        let text = format!("{}\n{}", id.0, words.line(model, state).replace(", ", "\n"));
        write!(out, "  s{} [label=\"{}\"", id.0, dot::escape(&text))?;
        if marks.start {
            out.write_all(b", peripheries=2")?;
        }
        if marks.is_unsafe {
            out.write_all(b", fillcolor=\"#f4a582\"")?;
        } else if marks.terminal {
            out.write_all(b", fillcolor=\"#d9d9d9\"")?;
        }
        out.write_all(b"];\n")?;
    }
    let mut joined: BTreeMap<(StateId, StateId), Vec<String>> = BTreeMap::new();
    for (source, transition, target) in all_edges(abstraction) {
        let labels = joined.entry((source, target)).or_default();
        let label = label(model, abstraction, source, transition);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    for ((source, target), labels) in joined {
        writeln!(out, "  s{} -> s{} [label=\"{}\"];", source.0, target.0, dot::escape(&labels.join("\n")))?;
    }
    out.write_all(b"}\n")
}

fn write_graphml(model: &Model, words: &Words, abstraction: &Abstraction, out: &mut impl Write) -> io::Result<()> {
    let escape = graphml::escape;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    let mut key = |id: &str, of: &str, name: &str, kind: &str| {
        writeln!(out, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{}\" attr.type=\"{kind}\"/>", escape(name))
    };
    for name in ["start", "unsafe", "terminal"] {
        key(name, "node", name, "boolean")?;
    }
    key("locations", "node", "locations", "string")?;
    for (index, predicate) in words.predicates().enumerate() {
        key(&format!("p{index}"), "node", predicate, "boolean")?;
    }
    for name in ["label", "operator", "outcome", "witness"] {
        key(name, "edge", name, "string")?;
    }
    writeln!(out, "  <graph id=\"{}\" edgedefault=\"directed\">", escape(&model.name))?;
    for (marks, (id, state)) in marks(abstraction).into_iter().zip(abstraction.states.iter()) {
        writeln!(out, "    <node id=\"s{}\">", id.0)?;
        for (name, value) in [("start", marks.start), ("unsafe", marks.is_unsafe), ("terminal", marks.terminal)] {
            writeln!(out, "      <data key=\"{name}\">{value}</data>")?;
        }
        let at: Vec<String> = locations(model, state).map(|(_, name, at)| format!("{name}={at}")).collect();
        writeln!(out, "      <data key=\"locations\">{}</data>", escape(&at.join(", ")))?;
        for (index, value) in state.values.iter().enumerate() {
            writeln!(out, "      <data key=\"p{index}\">{value}</data>")?;
        }
        writeln!(out, "    </node>")?;
    }
    for (source, transition, target) in all_edges(abstraction) {
        writeln!(out, "    <edge source=\"s{}\" target=\"s{}\">", source.0, target.0)?;
        let mut data = |key: &str, text: &str| writeln!(out, "      <data key=\"{key}\">{}</data>", escape(text));
        data("label", &label(model, abstraction, source, transition))?;
        if let Some(by) = by(abstraction, source, transition) {
            data("operator", &model.describe_operator(&by.rule.operator))?;
            let outcome: Vec<String> = by.rule.destinations.iter().map(u32::to_string).collect();
            data("outcome", &outcome.join(" "))?;
        }
        data("witness", &transition.witness.describe(model))?;
        writeln!(out, "    </edge>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}
