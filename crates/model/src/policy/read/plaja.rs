//! PlaJA's `.jani2nnet`: one network, inputs by name, hidden sizes, actions in the order of the outputs.

use surefoot_linear::Linear;
use surefoot_network::ReadOptions;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Node, ObjectReader, Shape};

use super::names::Owner;
use super::outputs::Meaning;
use super::{NetworkRef, Reading};
use crate::policy::{Policy, PolicyNetwork, Ties};

const POLICY: Shape =
    Shape::new("a jani2nnet policy", &["file", "input", "elements", "output"], &["torch-file", "filter"]);
const VARIABLE: Shape = Shape::new("a variable as input", &["name", "automaton"], &["index"]);
const LOCATION: Shape = Shape::new("a location as input", &["name"], &["index"]);
const AUTOMATON: Shape = Shape::new("the automaton of an input", &["name"], &["index"]);

/// Whether the members are rather PlaJA's than ours.
pub(super) fn looks_like(root: Node<'_>) -> bool {
    let has = |names: &[&str]| names.iter().filter(|name| root.get(name).is_some()).count();
    has(&["file", "torch-file", "input", "elements", "output"]) > has(&["network", "networks", "inputs", "outputs"])
}

impl Reading<'_> {
    /// The policy, or nothing when errors have been noted.
    pub(super) fn plaja_policy(&mut self, root: Node<'_>) -> Result<Option<Policy>, Diagnostic> {
        let object = ObjectReader::new(root, &POLICY)?;
        // With these members it is a policy file, whoever named it.
        self.sources.unveil(root.span().file);
        if let Some(torch) = object.optional("torch-file") {
            let message = "the network of \"torch-file\" is not used; that of \"file\" is";
            self.notes.push(Diagnostic::notice(torch.span(), message));
        }
        let filter = object.optional("filter").map_or(Ok(false), |filter| filter.expect_bool("true or false"));
        let filter = self.note(filter).unwrap_or_default();
        let network = self.network(object.required("file"), &ReadOptions::default());
        let network = self.note(network);
        let inputs = self.plaja_inputs(object.required("input"));
        let inputs = self.note(inputs).unwrap_or_default();
        let outputs = self.labels(object.required("output"), filter)?;
        let Some(network) = network else { return Ok(None) };
        let hidden = self.check_hidden(object.required("elements"), &network);
        self.note(hidden);
        let listed = |name: &str| (object.required(name).items().count(), object.required(name).span());
        self.check_sizes(&network, listed("input"), Some(listed("output")));
        self.check_domains(&network, &inputs, object.required("input").span());
        let meaning = Meaning { listed: None, components: None, regression: false };
        let NetworkRef { network, file } = self.meant(network, &meaning, object.required("file").span())?;
        let networks = vec![PolicyNetwork { when: None, inputs, network, file }];
        Ok(Some(Policy { networks, outputs, filter, ties: Ties::default() }))
    }

    fn plaja_inputs(&mut self, list: Node<'_>) -> Result<Vec<Linear>, Diagnostic> {
        let mut forms = Vec::new();
        for item in list.expect_array("the inputs as an array")? {
            let form = self.plaja_input(item);
            forms.push(self.note(form).unwrap_or_default());
        }
        if forms.is_empty() {
            return Err(Diagnostic::error(list.span(), "a network needs at least one input")
                .with_help("list what the network reads, in its order"));
        }
        Ok(forms)
    }

    /// An input with `automaton` is a variable or the cell of an array, one without is a location.
    fn plaja_input(&mut self, node: Node<'_>) -> Result<Linear, Diagnostic> {
        let term = match node.get("automaton") {
            Some(automaton) => {
                let object = ObjectReader::new(node, &VARIABLE)?;
                let owner = if automaton.is_null() {
                    Owner::Global
                } else {
                    let automaton = ObjectReader::new(automaton, &AUTOMATON)?;
                    Owner::Instance(self.instance(automaton.required("name"), automaton.optional("index"))?)
                };
                let cell = object.optional("index").filter(|index| !index.is_null());
                self.variable(object.required("name"), owner, cell)?
            }
            None => {
                let object = ObjectReader::new(node, &LOCATION)?;
                let name = object.required("name");
                let instance = self.instance(name, object.optional("index")).map_err(|error| {
                    let is_variable = name.as_str().is_some_and(|n| self.lowered.names.globals.contains_key(n));
                    if is_variable {
                        return error.with_help(
                            "an input without \"automaton\" is a location; the variable has \"automaton\": null",
                        );
                    }
                    error
                })?;
                self.location_number(instance)
            }
        };
        self.linear(term, node.span())
    }

    /// `elements` are the sizes of the hidden layers: a different network is probably the wrong one.
    fn check_hidden(&self, elements: Node<'_>, network: &NetworkRef) -> Result<(), Diagnostic> {
        let mut sizes = Vec::new();
        for item in elements.expect_array("the sizes of the hidden layers as an array")? {
            let size = item.expect_i64("the size of a hidden layer")?;
            let size = usize::try_from(size).ok().filter(|size| *size > 0);
            sizes.push(size.ok_or_else(|| Diagnostic::error(item.span(), "a hidden layer has at least one neuron"))?);
        }
        let has = network.network.hidden_sizes();
        if sizes == has {
            return Ok(());
        }
        let shown = |sizes: &[usize]| match sizes {
            [] => "no hidden layers".to_owned(),
            sizes => {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                format!("hidden layers of sizes {}", sizes.join(", "))
            }
        };
        let message = format!("\"elements\" says {}, the network {} has {}", shown(&sizes), network.file, shown(&has));
        Err(Diagnostic::error(elements.span(), message).with_help("is it the right network?"))
    }
}
