//! Sources to questions: queries in JSON or VNN-LIB, and the network they are about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_checker::lemma::query::CONTAINER;
use surefoot_files::{Kind, Origin};
use surefoot_linear::{Formula, Interval, Space, Symbol, SymbolRange};
use surefoot_model::policy::read::GivenNetwork;
use surefoot_network::{Network, NetworkError, ReadOptions, read_with};
use surefoot_oracle::{Kind as VariableKind, Question, Variable};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind as Json, Node, ObjectReader};
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::{Names, Property};

use super::check::{Input, check, counted};
use super::query::{identity, read_query};
use crate::problem::{Failure, notice};
use crate::source::{Source, note_network};

/// A network, and what the query calls it.
#[derive(Debug, Clone)]
pub struct NetworkSource {
    /// The name, where one is given.
    pub name: Option<String>,
    /// The network.
    pub network: NetworkOrigin,
}

/// Where a network is.
#[derive(Debug, Clone)]
pub enum NetworkOrigin {
    /// In a file.
    File(PathBuf),
    /// In memory, under what messages and results call it.
    Memory(GivenNetwork),
}

impl NetworkOrigin {
    /// A network in memory.
    #[must_use]
    pub fn memory(network: Network) -> Self {
        Self::Memory(("<network>".to_owned(), Arc::new(network)))
    }

    /// The file, if it is in one.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Memory(_) => None,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Memory((name, _)) => name.clone(),
        }
    }

    fn load(&self, sources: &mut SourceMap, options: &ReadOptions) -> Result<Arc<Network>, Diagnostic> {
        match self {
            Self::File(path) => {
                let read = read_with(&mut sources.inputs, path, Origin::Named, options);
                Ok(Arc::new(read.map_err(|error| unusable(&error))?.0))
            }
            Self::Memory(given) => {
                note_network(sources, given)?;
                Ok(Arc::clone(&given.1))
            }
        }
    }
}

impl NetworkSource {
    /// `FILE` or `NAME=FILE`; a file that has `=` in its name is a file.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let word = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match text.split_once('=') {
            Some((name, file)) if word(name) && !Path::new(text).exists() => {
                Self { name: Some(name.to_owned()), network: NetworkOrigin::File(file.into()) }
            }
            _ => Self { name: None, network: NetworkOrigin::File(text.into()) },
        }
    }
}

/// One query.
#[derive(Debug, Clone)]
pub struct Query {
    /// What is asked.
    pub question: Question,
    /// The answer that the file says it has.
    pub expected: Option<String>,
    /// What is odd about it, where something is.
    pub notice: Option<Diagnostic>,
}

/// What there is to decide.
#[derive(Debug)]
pub struct Queries {
    /// The network.
    pub network: Arc<Network>,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
    /// Whether the file is a list, even of one.
    pub is_list: bool,
    /// The property, when the file is VNN-LIB.
    pub property: Option<Property>,
    /// The text that they were read from.
    pub text: Arc<str>,
    /// Notices.
    pub notes: Vec<Diagnostic>,
    /// What answers take for granted: how the network was read, where its file leaves that open.
    pub assumptions: Vec<String>,
    /// Files, texts and values in memory, and their hashes.
    pub inputs: Vec<(String, String)>,
}

impl Queries {
    /// Reads queries and their network.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn load(
        sources: &mut SourceMap,
        query: &Source,
        source: &NetworkSource,
        options: &ReadOptions,
    ) -> Result<Self, Failure> {
        let network = source.network.load(sources, options)?;
        let file = query.load(sources, Kind::Query)?;
        let text = Arc::clone(&sources.file(file).text);
        let path = query.name();
        let (queries, is_list, property) = if is_vnnlib(path, &text) {
            let property = surefoot_vnnlib::read(file, &text)?;
            let query = property_query(&property, &network, path, source)?;
            (vec![query], false, Some(property))
        } else {
            let document = Document::parse(file, &text)?;
            let (queries, is_list) = json_queries(document.root(), &network)?;
            (queries, is_list, None)
        };
        if network.order_only() && queries.iter().any(|query| !compares_outputs_only(&query.question)) {
            let taken_off = network.notices().join("; ");
            let message = format!("the queries are about values that the network file does not end with: {taken_off}");
            let help = "export the network without it, or compare outputs with each other only";
            return Err(Diagnostic::error_anywhere(message).with_help(help).into());
        }
        if let sizes @ [_, ..] = network.choices() {
            let message = format!("the network makes {} choices at once, and a query is about one", sizes.len());
            let help = "export the network in front of them: its scores";
            return Err(Diagnostic::error_anywhere(message).with_help(help).into());
        }
        for query in &queries {
            check_inputs(&query.question)?;
        }
        let shown = source.network.shown();
        let assumptions: Vec<_> = network.notices().iter().map(|text| format!("{shown}: {text}")).collect();
        let mut notes: Vec<_> = assumptions.iter().map(notice).collect();
        notes.extend(queries.iter().filter_map(|query| query.notice.clone()));
        let inputs = sources.inputs.hashes();
        Ok(Self { network, queries, is_list, property, text, notes, assumptions, inputs })
    }
}

/// Refuses inputs that are not what the network asks for: integers, or a range of them.
fn check_inputs(question: &Question) -> Result<(), Diagnostic> {
    let mut space = Space::default();
    for variable in &question.variables {
        let bounds = Interval::new(variable.lower.clone(), variable.upper.clone());
        space.push(SymbolRange { integer: variable.kind == VariableKind::Integer, bounds });
    }
    for application in &question.applications {
        for (index, form) in application.inputs.iter().enumerate() {
            if let Some(problem) = application.network.input_domain(index).excludes(form, &space) {
                let message = format!("input {index} of the network {problem}");
                let help = "declare the variable as an integer within these bounds";
                return Err(Diagnostic::error_anywhere(message).with_help(help));
            }
        }
    }
    Ok(())
}

/// Whether every condition on outputs compares two of them.
fn compares_outputs_only(question: &Question) -> bool {
    let first = Symbol::at(question.variables.len());
    let mut result = true;
    question.formula.for_each_atom(&mut |atom| {
        let on_outputs = atom.form.terms().iter().any(|(symbol, _)| *symbol >= first);
        let compares = match atom.form.terms() {
            [(left, a), (_, b)] => *left >= first && (a + b).is_zero() && atom.form.constant().is_zero(),
            _ => false,
        };
        result &= !on_outputs || compares;
    });
    result
}

/// By the extension, or where that says nothing, by the first character.
fn is_vnnlib(path: &Path, text: &str) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("vnnlib" | "smt2") => true,
        Some("json") => false,
        _ => text.trim_start().starts_with(['(', ';']),
    }
}

fn unusable(error: &NetworkError) -> Diagnostic {
    match error {
        NetworkError::Io { path, source } => {
            let error = Diagnostic::error_anywhere(format!("cannot read the network {}: {source}", path.display()));
            match source.help() {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
        other => {
            let error = Diagnostic::error_anywhere(format!("cannot use the network {other}"));
            match other.help(Some(&format!("say so: {} relu", option("activation")))) {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
    }
}

/// One query, an array of them, or an object that has them as `queries`; and whether it is a list.
fn json_queries(root: Node<'_>, network: &Arc<Network>) -> Result<(Vec<Query>, bool), Diagnostic> {
    let list = match root.kind() {
        Json::Object if root.get("queries").is_none() => return Ok((vec![read_query(root, network)?], false)),
        Json::Object => ObjectReader::new(root, &CONTAINER)?.required("queries"),
        _ => root,
    };
    let items = list.expect_array("a query object, or an array of them")?;
    let mut queries = items.map(|item| read_query(item, network)).collect::<Result<Vec<_>, _>>()?;
    for (index, query) in queries.iter_mut().enumerate() {
        if let Some(notice) = &mut query.notice {
            notice.message = format!("query {index}: {}", notice.message);
        }
    }
    Ok((queries, true))
}

fn property_query(
    property: &Property,
    network: &Arc<Network>,
    path: &Path,
    source: &NetworkSource,
) -> Result<Query, Diagnostic> {
    let (path, file) = (path.display(), source.network.shown());
    if let (Names::Tensors { network, .. }, Some(name)) = (&property.names, &source.name)
        && network != name
    {
        let error = Diagnostic::error_anywhere(format!("{path} is about a network {network}, not {name}"));
        return Err(error.with_help(format!("say {} {network}={file}", option("network"))));
    }
    let sizes =
        |inputs: usize, outputs: usize| format!("{} and {}", counted(inputs, "input"), counted(outputs, "output"));
    let wanted = sizes(property.inputs.len(), property.outputs);
    let found = sizes(network.input_len(), network.output_len());
    if wanted != found {
        let message = format!("{path} is about a network with {wanted}, but {file} has {found}");
        let help =
            format!("declare all inputs and outputs of the network, or name another one: {} FILE", option("network"));
        return Err(Diagnostic::error(property.declared_at(0), message).with_help(help));
    }
    let variables = property.inputs.iter().map(|(lower, upper)| Variable::real(lower.clone(), upper.clone())).collect();
    let formula: Formula = property.formula.clone();
    let question = Question { variables, applications: vec![identity(network)], formula };
    let odd = check(&question, property.declared_at(0), |input| Input {
        name: property.input_name(input),
        span: property.declared_at(input),
    })?;
    let contradictory = property.contradictory.map(|input| {
        let name = property.input_name(input);
        let message = format!("the bounds of {name} contradict each other, so nothing is in the box");
        let help = format!("the answer is unsat whatever the network does; look at the conditions on {name}");
        Diagnostic::notice(property.declared_at(input), message).with_help(help)
    });
    Ok(Query { question, expected: None, notice: odd.or(contradictory) })
}
