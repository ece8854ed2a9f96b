//! Our `.policy.json`: several networks with conditions, linear inputs, labels or transient variables as outputs.

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};
use surefoot_text::option;
use surefoot_text::source::Span;

use super::options::options;
use super::outputs::Meaning;
use super::piecewise::Entry;
use super::{NetworkRef, Reading};
use crate::policy::{NO_FILTER, NO_FILTER_HELP, Outputs, Policy, PolicyNetwork, Ties};
use crate::term::TermId;

const POLICY: Shape =
    Shape::new("a policy", &["outputs"], &["network", "networks", "inputs", "filter", "ties", "semantics"]);
const NETWORK: Shape =
    Shape::new("a network of a policy", &["file"], &["when", "inputs", "weights", "output", "activation"]);
const OUTPUTS: Shape = Shape::new("\"outputs\"", &[], &["labels", "variables", "components", "separator"]);

/// Inputs and where the file lists them.
struct Inputs {
    entries: Vec<Entry>,
    span: Span,
}

impl Inputs {
    fn len(&self) -> usize {
        self.entries.iter().map(Entry::len).sum()
    }
}

impl Reading<'_> {
    /// The policy, or nothing when errors have been noted.
    pub(super) fn native_policy(&mut self, root: Node<'_>) -> Result<Option<Policy>, Diagnostic> {
        let object = ObjectReader::new(root, &POLICY)?;
        // With these members it is a policy file, whoever named it.
        self.sources.unveil(root.span().file);
        let entries: Vec<Node<'_>> = match (object.optional("network"), object.optional("networks")) {
            (Some(one), None) => {
                one.expect_str("the path of a network file")
                    .map_err(|error| error.with_help("a network with more to say about it stands in \"networks\""))?;
                vec![one]
            }
            (None, Some(list)) => list.expect_array("the networks as an array")?.collect(),
            (Some(_), Some(list)) => {
                let error = Diagnostic::error(list.span(), "\"network\" and \"networks\" cannot be given together");
                return Err(error.with_help("put all networks into \"networks\""));
            }
            (None, None) => {
                let error = Diagnostic::error(root.span(), "a policy needs \"network\" or \"networks\"");
                return Err(error.with_help("\"network\": \"FILE\" is enough when there is one for all states"));
            }
        };
        if entries.is_empty() {
            let span = object.optional("networks").map_or(root.span(), Node::span);
            return Err(Diagnostic::error(span, "a policy needs at least one network")
                .with_help("add the path of a network file"));
        }
        let outputs_node = object.required("outputs");
        // Whatever else it may be is told below.
        let filtered = object.optional("filter").is_some_and(|node| node.expect_bool("true or false") == Ok(true));
        let outputs = self.outputs(outputs_node, filtered);
        let outputs = self.note(outputs);
        let components = self.components(outputs_node);
        let components = self.note(components).flatten();
        let regression = outputs_node.get("variables").is_some();
        let filter = object.optional("filter").map_or(Ok(false), |node| {
            refuse_for_regression(node, regression, "filter")?;
            node.expect_bool("true or false")
        });
        let filter = self.note(filter).unwrap_or_default();
        let ties = object.optional("ties").map_or(Ok(Ties::First), |node| {
            refuse_for_regression(node, regression, "ties")?;
            ties(node)
        });
        let ties = self.note(ties).unwrap_or_default();
        let shared = object.optional("inputs").map(|node| self.inputs(node));
        let shared = shared.and_then(|inputs| self.note(inputs));
        let listed = match (&components, outputs_list(outputs_node)) {
            (Some(components), _) => Some((components.scores(), components.span)),
            (None, list) => list.map(|list| (list.items().count(), list.span())),
        };
        let meaning = Meaning { listed, components: components.as_ref(), regression };
        let mut networks = Vec::new();
        for entry in &entries {
            let network = self.network_entry(*entry, shared.as_ref(), object.optional("inputs").is_some(), &meaning);
            networks.extend(self.note(network).flatten());
        }
        if let Some(node) = object.optional("inputs").filter(|_| entries.iter().all(|e| e.get("inputs").is_some())) {
            let message = "these inputs are not used: every network has its own";
            self.notes.push(Diagnostic::warning(node.span(), message));
        }
        self.warn_about_conditions(&entries, &networks);
        if let (Some(components), Some("float32")) = (&components, object.optional("semantics").and_then(Node::as_str))
        {
            let message = "several choices at once have no float32 semantics here: the sums of scores would round";
            self.errors.push(Diagnostic::error(components.span, message).with_help("leave \"semantics\" out"));
        }
        let semantics = self.semantics(object.optional("semantics"), regression, &mut networks);
        self.note(semantics);
        if regression {
            self.refuse_smooth_values(outputs_node, &networks);
        }
        let policy = outputs.map(|outputs| Policy { networks, outputs, filter, ties });
        if filter && policy.as_ref().is_some_and(|policy| !policy.can_filter()) {
            let span = object.optional("filter").map_or(root.span(), Node::span);
            return Err(Diagnostic::error(span, NO_FILTER).with_help(NO_FILTER_HELP));
        }
        Ok(policy)
    }

    fn inputs(&mut self, node: Node<'_>) -> Result<Inputs, Diagnostic> {
        Ok(Inputs { entries: self.input_entries(node)?, span: node.span() })
    }

    /// One network: a path alone, or an object. `None` when an error has been noted already.
    fn network_entry(
        &mut self,
        node: Node<'_>,
        shared: Option<&Inputs>,
        has_shared: bool,
        meaning: &Meaning<'_>,
    ) -> Result<Option<PolicyNetwork>, Diagnostic> {
        let (file, object) = match node.kind() {
            Kind::String => (node, None),
            Kind::Object => {
                let object = ObjectReader::new(node, &NETWORK)?;
                (object.required("file"), Some(object))
            }
            _ => return Err(node.mismatch("a network: the path of its file, or an object")),
        };
        let member = |name: &str| object.and_then(|object| object.optional(name));
        let when = member("when").map(|when| self.when(when)).transpose();
        let when = self.note(when);
        let options = options(file, member("weights"), member("output"), member("activation"))?;
        let network = self.network(file, &options)?;
        let own = member("inputs").map(|inputs| self.inputs(inputs)).transpose();
        let Some(own) = self.note(own) else { return Ok(None) };
        let inputs = match own.as_ref().or(shared) {
            Some(inputs) => inputs,
            None if has_shared => return Ok(None),
            None => {
                let error = Diagnostic::error(node.span(), "there are no \"inputs\" for this network");
                return Err(
                    error.with_help("list them in the policy, for all networks, or in the network's own object")
                );
            }
        };
        let before = self.errors.len();
        self.check_sizes(&network, (inputs.len(), inputs.span), meaning.listed);
        let Some(when) = when else { return Ok(None) };
        if self.errors.len() > before {
            return Ok(None);
        }
        let NetworkRef { network, file } = self.meant(network, meaning, node.span())?;
        let (forms, network) = self.encoded(&inputs.entries, &network, inputs.span)?;
        let network = NetworkRef { network, file };
        self.check_domains(&network, &forms, inputs.span);
        let NetworkRef { network, file } = network;
        Ok(Some(PolicyNetwork { when, inputs: forms, network, file }))
    }

    /// A condition over the state.
    fn when(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        let expression = self.expression(node)?;
        let condition = self.lowered.lower_condition(expression)?;
        if let Some(name) = self.transient_read(condition) {
            let span = self.place_of_name(expression, name);
            let message = format!("\"when\" cannot depend on the transient variable '{name}'");
            return Err(Diagnostic::error(span, message).with_help("use variables and locations of the state"));
        }
        Ok(condition)
    }

    /// Networks that are never asked are probably a mistake.
    fn warn_about_conditions(&mut self, entries: &[Node<'_>], networks: &[PolicyNetwork]) {
        if entries.len() != networks.len() {
            return;
        }
        let constant = |network: &PolicyNetwork| match network.when {
            None => Some(true),
            Some(when) => self.lowered.model.terms.constant(when).map(|value| !value.is_zero()),
        };
        let mut reached = true;
        for (entry, network) in entries.iter().zip(networks) {
            let holds = constant(network);
            let message = match holds {
                _ if !reached => "this network is never asked: one before it is asked in all states",
                Some(false) => "this network is never asked: its condition is always false",
                _ => "",
            };
            if !message.is_empty() {
                self.notes.push(Diagnostic::warning(entry.span(), message));
            }
            reached &= holds != Some(true);
        }
    }

    fn outputs(&mut self, node: Node<'_>, filter: bool) -> Result<Outputs, Diagnostic> {
        let object = ObjectReader::new(node, &OUTPUTS)?;
        match (object.optional("labels"), object.optional("variables"), object.optional("components")) {
            (Some(labels), None, _) => self.labels(labels, filter),
            (None, Some(variables), None) => self.variables(variables),
            (None, None, Some(components)) => self.combined_labels(components, object.optional("separator")),
            _ => {
                let message = "\"outputs\" has \"labels\", \"variables\" or \"components\"";
                let help = "a policy scores actions, or computes values of transient variables";
                Err(Diagnostic::error(node.span(), message).with_help(help))
            }
        }
    }
}

fn outputs_list(outputs: Node<'_>) -> Option<Node<'_>> {
    outputs.get("labels").or_else(|| outputs.get("variables")).filter(|list| list.kind() == Kind::Array)
}

fn refuse_for_regression(node: Node<'_>, regression: bool, name: &str) -> Result<(), Diagnostic> {
    if !regression {
        return Ok(());
    }
    let message = format!("\"{name}\" says how actions are chosen, but this policy computes variables");
    Err(Diagnostic::error(node.span(), message).with_help("leave it out"))
}

fn ties(node: Node<'_>) -> Result<Ties, Diagnostic> {
    match node.expect_str("\"first\" or \"any\"")? {
        "first" => Ok(Ties::First),
        "any" => Ok(Ties::Any),
        other => {
            let error =
                Diagnostic::error(node.span(), format!("ties are broken by \"first\" or \"any\", not \"{other}\""));
            Err(if other == "plaja" {
                error.with_help(format!("the command-line option {} breaks them as PlaJA does", option("plaja-compat")))
            } else {
                error.with_help("\"first\": the first maximal output; \"any\": each of them is possible")
            })
        }
    }
}
