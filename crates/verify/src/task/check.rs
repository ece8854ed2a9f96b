//! What there is to say about a model, its properties and policies without an engine.
//!
//! A model whose constants are undefined is described as far as it can be without them; that is no error. What cannot be
//! read is one, and is told after everything else that could be found out.

use std::sync::Arc;

use surefoot_certificate::Members;
use surefoot_files::escape;
use surefoot_jani::syntax::{self, PropertyBody};
use surefoot_model::lower::{Lowered, lower, undefined_constants};
use surefoot_model::model::{ModelKind, Slot};
use surefoot_model::policy::Outputs;
use surefoot_model::policy::read::inferences;
use surefoot_model::property::Question;
use surefoot_model::slice::droppable;
use surefoot_model::{Model, TermId};
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::source::{SourceMap, Span};
use surefoot_text::{counted, option};

use super::{Class, Outcome, Told, inputs, scaling};
use crate::engine::{Asked, ENGINES, Purpose, Role};
use crate::problem::{LoadedPolicy, load_policy, read_syntax};
use crate::question::Query;
use crate::request::Request;
use crate::result::check::{
    Check, ClassSummary, DiagnosticRecord, ModelSummary, NetworkInputs, PropertySummary, Structure, UndefinedConstant,
    VariableSummary,
};
use crate::result::subject::{ConstantValue, PolicySummary, constants};
use crate::result::{Body, ResultObject, ties};
use crate::source::PolicySource;

/// Longer lists are cut in the text; the object has everything.
const MAX_LISTED: usize = 12;

/// What was found out.
#[derive(Debug, Default)]
pub struct Checked {
    /// What it is, line by line.
    pub text: String,
    constants: Members<ConstantValue>,
    model: Option<ModelSummary>,
    properties: Vec<PropertySummary>,
    policies: Vec<LoadedPolicy>,
    /// Constants without a value, and their types.
    pub undefined: Vec<(Arc<str>, &'static str)>,
    /// What cannot be read.
    pub errors: Vec<Diagnostic>,
    pub(super) notes: Vec<Diagnostic>,
    inputs: Vec<NetworkInputs>,
    /// What properties read.
    asked: Vec<TermId>,
    class: Option<ClassSummary>,
    assumptions: Vec<String>,
}

/// Finds out what there is to say about a request.
pub(super) fn check(sources: &mut SourceMap, request: &Request) -> Checked {
    let mut checked = Checked { constants: constants(&request.constants), ..Checked::default() };
    checked.read(sources, request);
    checked
}

impl Checked {
    /// Whether everything could be read.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.errors.is_empty()
    }

    pub(super) fn outcome(self, result: ResultObject, sources: &SourceMap) -> Outcome {
        let all = self.errors.iter().chain(&self.notes);
        let record = Check {
            constants: self.constants.clone(),
            readable: self.is_readable(),
            model: self.model.clone(),
            properties: self.properties.clone(),
            ctl: self.class.clone(),
            policies: self.policies.iter().map(PolicySummary::of).collect(),
            network_inputs: self.inputs.clone(),
            undefined_constants: self.undefined.iter().map(undefined).collect(),
            diagnostics: all.map(|diagnostic| diagnostic_record(diagnostic, sources)).collect(),
        };
        let result = ResultObject {
            inputs: Members(sources.inputs.hashes()),
            assumptions: self.assumptions.clone(),
            body: Some(Body::Check(Box::new(record))),
            ..result
        };
        let class = if self.is_readable() { Class::Done } else { Class::Unreadable };
        let (told, last) = (Told::Checked(Box::new(self)), (Vec::new(), None));
        Outcome { class, result, told, problem: None, last, notes: Vec::new(), warnings: Vec::new() }
    }
}

impl Checked {
    fn read(&mut self, sources: &mut SourceMap, request: &Request) {
        let (syntax, notes) = match read_syntax(sources, request, !request.asking.is_question()) {
            Ok(read) => read,
            Err(errors) => return self.errors = errors,
        };
        self.notes = notes;
        let given = |name: &str| request.constants.iter().any(|c| c.name == name);
        self.undefined = undefined_constants(&syntax).into_iter().filter(|(name, _)| !given(name)).collect();
        if !self.undefined.is_empty() {
            return self.describe_syntax(&syntax);
        }
        let mut lowered = match lower(Arc::new(syntax), &request.constants) {
            Ok(lowered) => lowered,
            Err(errors) => return self.errors = errors,
        };
        self.notes.append(&mut lowered.notes.clone());
        self.describe_model(&lowered);
        let selected = request.property.as_deref().map(|wanted| lowered.find_property(Some(wanted))).transpose();
        let selected = match selected {
            Ok(selected) => selected,
            Err(error) => return self.errors.push(error),
        };
        let policies = self.describe_properties(sources, &mut lowered, selected);
        let policies = match &request.policy {
            Some(source) => vec![(source.clone(), None)],
            None => policies,
        };
        if policies.is_empty() && request.filter.is_some() {
            self.errors.push(
                Diagnostic::error_anywhere(format!("{} is about a policy, but there is none", option("filter")))
                    .with_help(format!("give one with {} FILE", option("policy"))),
            );
        }
        for (source, span) in policies {
            match load_policy(&mut lowered, sources, &source, span, request) {
                Ok((policy, notes)) => {
                    self.assumptions.extend(inferences(&notes));
                    self.notes.extend(notes);
                    self.describe_policy(&lowered.model, &policy);
                    self.policies.push(policy);
                }
                Err(errors) => self.errors.extend(errors),
            }
        }
        self.describe_unused(&lowered.model);
        self.describe_class(&lowered.model, sources);
    }

    /// Variables that nothing asked can depend on.
    fn describe_unused(&mut self, model: &Model) {
        let policy = self.policies.first().map(|loaded| &loaded.policy);
        let unused = droppable(model, policy, &self.asked);
        let names: Vec<String> = model
            .slots
            .iter()
            .zip(unused)
            .filter(|(_, unused)| *unused)
            .map(|(slot, _)| slot.name.to_string())
            .collect();
        // A policy that is not given may read anything.
        if !names.is_empty() && !self.asked.is_empty() && policy.is_some() {
            self.line("unused", &listed(&names));
            let message = format!("no guard, policy or property depends on these variables: {}", listed(&names));
            self.notes.push(Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) });
        }
    }

    /// Whether `ctl` can do anything with the model, and if not, where the obstacle is.
    fn describe_class(&mut self, model: &Model, sources: &SourceMap) {
        let policy = self.policies.first().map(|loaded| &loaded.policy);
        let outside = crate::ctl::outside(model, policy);
        let text = outside.as_ref().map_or("in its class".to_owned(), |refusal| {
            let place = refusal.span.map_or(String::new(), |span| {
                let (line, column) = sources.line_column(span.file, span.start);
                format!(" ({}:{line}:{column})", sources.path(span.file).display())
            });
            format!("not in its class: {}{place}", refusal.message)
        });
        self.line("ctl", &text);
        self.class = Some(ClassSummary {
            supported: outside.is_none(),
            reason: outside.as_ref().map(|refusal| refusal.message.clone()),
        });
    }

    fn line(&mut self, name: &str, value: &str) {
        self.text.push_str(&format!("  {name:<11} {value}\n"));
    }

    /// What can be said of a model whose constants are not all known.
    fn describe_syntax(&mut self, syntax: &syntax::Model) {
        self.line("model", &format!("{} ({})", syntax.name.value, kind_name(syntax.kind)));
        let names: Vec<String> = self.undefined.iter().map(|(name, ty)| format!("{name} ({ty})")).collect();
        self.line("undefined", &names.join(", "));
        let options: Vec<String> =
            self.undefined.iter().map(|(name, _)| format!("{} {name}=...", option("const"))).collect();
        self.line("", &format!("give {}", options.join(" ")));
        let automata: Vec<String> = syntax.automata.iter().map(|a| a.name.value.to_string()).collect();
        self.line("automata", &listed(&automata));
        let variables: Vec<String> = syntax.variables.iter().map(|v| v.name.value.to_string()).collect();
        self.line("variables", &listed(&variables));
        let actions: Vec<String> = syntax.actions.iter().map(|a| a.value.to_string()).collect();
        self.line("actions", &listed(&actions));
        self.model = Some(ModelSummary {
            name: syntax.name.value.to_string(),
            kind: kind_name(syntax.kind).to_owned(),
            automata,
            variables: variables.into_iter().map(|name| VariableSummary { name, domain: None }).collect(),
            actions,
            structure: None,
        });
        for (index, property) in syntax.properties.iter().enumerate() {
            let kind = property_kind(&property.body);
            let name = property.name.value.to_string();
            let reason = match &property.body {
                PropertyBody::Unsupported(diagnostic) => Some(diagnostic.message.clone()),
                _ => None,
            };
            self.property(index, &name, kind, reason.as_deref(), "not examined without the constants");
        }
    }

    fn describe_model(&mut self, lowered: &Lowered) {
        let (model, syntax) = (&lowered.model, lowered.syntax());
        self.line("model", &format!("{} ({})", model.name, kind_name(model.kind)));
        let instances: Vec<String> = model.instances.iter().map(|i| i.name.to_string()).collect();
        self.line("automata", &listed(&instances));
        let slots = &model.slots[model.instances.len()..];
        let variables: Vec<String> = slots.iter().map(|s| format!("{} {}", s.name, s.domain.describe())).collect();
        self.line("variables", &listed(&variables));
        if !model.transients.is_empty() {
            let transients: Vec<String> = model.transients.iter().map(|t| t.name.to_string()).collect();
            self.line("transient", &listed(&transients));
        }
        let actions: Vec<String> = model.labels.iter().map(|l| l.to_string()).collect();
        self.line("actions", &listed(&actions));
        let edges: usize = model.instances.iter().map(|i| i.edges.len()).sum();
        let operators = model.vectors.iter().fold(0u64, |n, v| n.saturating_add(v.operator_count()));
        let vectors = model.vectors.len();
        self.line(
            "structure",
            &format!(
                "{}, {}, {}",
                counted(edges as u64, "edge"),
                counted(vectors as u64, "synchronisation vector"),
                counted(operators, "operator")
            ),
        );
        if !syntax.constants.is_empty() {
            let constants: Vec<String> = syntax.constants.iter().map(|c| c.name.value.to_string()).collect();
            self.line("constants", &listed(&constants));
        }
        let variable =
            |slot: &Slot| VariableSummary { name: slot.name.to_string(), domain: Some(slot.domain.describe()) };
        self.model = Some(ModelSummary {
            name: model.name.to_string(),
            kind: kind_name(model.kind).to_owned(),
            automata: instances,
            variables: slots.iter().map(variable).collect(),
            actions,
            structure: Some(Structure { edges, vectors, operators, discrete: model.is_discrete() }),
        });
    }

    /// Describes the properties; gives the policies that the selected one, or all, name.
    fn describe_properties(
        &mut self,
        sources: &SourceMap,
        lowered: &mut Lowered,
        selected: Option<usize>,
    ) -> Vec<(PolicySource, Option<Span>)> {
        let mut policies: Vec<(PolicySource, Option<Span>)> = Vec::new();
        for index in 0..lowered.syntax().properties.len() {
            let property = &lowered.syntax().properties[index];
            let (name, span, kind) =
                (property.name.value.to_string(), property.name.span, property_kind(&property.body));
            let question = match lowered.question(index) {
                Ok(question) => question,
                Err(error) => {
                    self.property(index, &name, kind, Some(&sources.veiled(&error).message), "");
                    // A property that is refused by name is described; one that is wrong is an error.
                    if error.refused.is_none() {
                        self.errors.push(error);
                    }
                    continue;
                }
            };
            let (query, refusal) = Query::of(lowered, &question, Some(span));
            self.asked.extend(query.target.iter().chain(&query.goal));
            self.asked.extend(query.quantity.iter().flat_map(|q| q.left.iter().chain([&q.right, &q.decided])));
            self.asked.extend(query.expected.iter().flat_map(|e| [e.value, e.reach]));
            let free = crate::ctl::free_real(&lowered.model, &query.start);
            // States can be listed one by one only where finitely many are start states.
            let infinite =
                free.map(|name| format!("ctl; the start set is infinite in '{name}', so not verify or bounds"));
            let support = infinite.unwrap_or_else(|| supporting(lowered, &query));
            // What no engine answers is refused by what the property was reduced to.
            let reason = refusal.as_ref().filter(|_| support.is_empty()).map(|refusal| &*refusal.message);
            let commands = if support.is_empty() { "explicit" } else { &*support };
            self.property(index, &name, kind, reason, commands);
            if let Question::Safety(safety) = question
                && let Some(file) = safety.policy_file
                && selected.is_none_or(|selected| selected == index)
                && !policies.iter().any(|(known, _)| known.file() == Some(&file.value))
            {
                policies.push((PolicySource::File(file.value), Some(file.span)));
            }
        }
        policies
    }

    fn property(&mut self, index: usize, name: &str, kind: &str, refusal: Option<&str>, otherwise: &str) {
        let support = refusal.map_or_else(|| otherwise.to_owned(), |reason| format!("not supported: {reason}"));
        self.line(if index == 0 { "properties" } else { "" }, &format!("{index}: {name} ({kind}; {support})"));
        self.properties.push(PropertySummary {
            index,
            name: name.to_owned(),
            kind: kind.to_owned(),
            supported: refusal.is_none(),
            reason: refusal.map(str::to_owned),
        });
    }

    fn describe_policy(&mut self, model: &Model, loaded: &LoadedPolicy) {
        let policy = &loaded.policy;
        let filter = if policy.filter { "on" } else { "off" };
        let head = format!("{}: filter {filter}, ties {}", escape(&loaded.name), ties(policy.ties).word());
        self.line("policy", &head);
        let outputs: Vec<String> = match &policy.outputs {
            Outputs::Labels(labels) => labels.iter().map(|l| model.labels[l.0 as usize].to_string()).collect(),
            Outputs::Transients(variables) => {
                variables.iter().map(|t| model.transients[t.0 as usize].name.to_string()).collect()
            }
        };
        let what = if matches!(policy.outputs, Outputs::Labels(_)) { "actions" } else { "variables" };
        self.line("", &format!("outputs ({what}): {}", listed(&outputs)));
        for network in policy.networks.iter().take(MAX_LISTED) {
            let sizes: Vec<String> = std::iter::once(network.network.input_len())
                .chain(network.network.hidden_sizes())
                .chain([network.network.output_len()])
                .map(|n| n.to_string())
                .collect();
            let condition = if network.when.is_some() { ", under a condition" } else { "" };
            self.line("", &format!("network {}: {}{condition}", escape(&network.file), sizes.join(" -> ")));
            let read = inputs::inputs(model, network);
            for (i, input) in read.inputs.iter().enumerate().take(MAX_LISTED) {
                self.line("", &format!("  {}", inputs::line(i, input)));
            }
            if read.inputs.len() > MAX_LISTED {
                self.line("", &format!("  and {} more inputs", read.inputs.len() - MAX_LISTED));
            }
            if let Some(line) = inputs::band_line(&read) {
                self.line("", &format!("  {line}"));
            }
            self.notes.extend(inputs::outside(&read));
            self.inputs.push(read);
        }
        self.notes.extend(scaling::disagreements(model, &policy.networks));
        if policy.networks.len() > MAX_LISTED {
            self.line("", &format!("and {} more networks", policy.networks.len() - MAX_LISTED));
        }
    }
}

/// Which commands answer a question, and by which engines.
fn supporting(lowered: &Lowered, query: &Query) -> String {
    if query.temporal.is_some() {
        return "verify, ctl".to_owned();
    }
    let asked = Asked { lowered, policy: None, query };
    if let Some(expected) = &query.expected {
        let finite = lowered.model.slots.iter().all(|slot| slot.domain.int_bounds().is_some());
        let commands = if expected.threshold.is_some() { "verify, bounds" } else { "bounds" };
        return if finite { format!("{commands}: explicit") } else { String::new() };
    }
    let decided = query.claim.is_some() || query.quantity.as_ref().is_some_and(|q| q.threshold.is_some());
    let by = |purpose: Purpose| -> Vec<&str> {
        let engines = ENGINES.iter().filter(|engine| engine.role() == Role::Alone);
        engines.filter(|engine| engine.supports(&asked, purpose).is_ok()).map(|engine| engine.name()).collect()
    };
    let verify = if decided { by(Purpose::Decide) } else { Vec::new() };
    let bounds = if query.quantity.is_some() { by(Purpose::Bound { exact: false }) } else { Vec::new() };
    match (verify.join(", "), bounds.join(", ")) {
        (verify, bounds) if verify == bounds && !verify.is_empty() => format!("verify, bounds: {verify}"),
        (verify, bounds) if verify.is_empty() && bounds.is_empty() => verify,
        (verify, bounds) if bounds.is_empty() => format!("verify: {verify}"),
        (verify, bounds) if verify.is_empty() => format!("bounds: {bounds}"),
        (verify, bounds) => format!("verify: {verify}; bounds: {bounds}"),
    }
}

fn property_kind(body: &PropertyBody) -> &'static str {
    match body {
        PropertyBody::Pa(_) => "PA",
        PropertyBody::Filter { .. } => "filter",
        PropertyBody::Unsupported(_) => "other",
    }
}

fn kind_name(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Lts => "lts",
        ModelKind::Dtmc => "dtmc",
        ModelKind::Mdp => "mdp",
    }
}

/// How many, and the first of them.
fn listed(names: &[String]) -> String {
    match names.len() {
        0 => "none".to_owned(),
        n if n <= MAX_LISTED => format!("{n}: {}", names.join(", ")),
        n => format!("{n}: {} and {} more", names[..MAX_LISTED].join(", "), n - MAX_LISTED),
    }
}

fn undefined((name, ty): &(Arc<str>, &'static str)) -> UndefinedConstant {
    UndefinedConstant { name: name.to_string(), r#type: (*ty).to_owned() }
}

fn diagnostic_record(diagnostic: &Diagnostic, sources: &SourceMap) -> DiagnosticRecord {
    let diagnostic = &*sources.veiled(diagnostic);
    let place = diagnostic.span.map(|span| (span.file, sources.line_column(span.file, span.start)));
    let severity = match diagnostic.severity {
        Severity::Notice => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    DiagnosticRecord {
        severity: severity.to_owned(),
        message: diagnostic.message.clone(),
        file: place.map(|(file, _)| sources.path(file).display().to_string()),
        line: place.map(|(_, (line, _))| line),
        column: place.map(|(_, (_, column))| column),
        help: diagnostic.help.clone(),
    }
}
