//! The outermost object of a model file or a properties file, and the system composition.

use crate::read::{Fault, Read, Reader};
use crate::syntax::{Element, Model, ModelKind, Pool, Property, Sync, System};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape, shown};
use surefoot_text::suggest;

const MODEL: Shape = Shape::new(
    "a model",
    &["jani-version", "name", "type", "automata", "system"],
    &[
        "features",
        "actions",
        "constants",
        "variables",
        "functions",
        "restrict-initial",
        "properties",
        // PlaJA's, for reuse of text; see `labels`.
        "labels",
    ],
);
const PROPERTY_FILE: Shape = Shape::new("a file of additional properties", &["properties"], &["labels"]);
const ACTION: Shape = Shape::new("an action", &["name"], &[]);
const SYSTEM: Shape = Shape::new("a system", &["elements"], &["syncs"]);
const ELEMENT: Shape = Shape::new("an element of a system", &["automaton"], &["input-enable"]);
const SYNC: Shape = Shape::new("a synchronisation vector", &["synchronise"], &["result"]);

const FEATURES: [&str; 13] = [
    "arrays",
    "cvar-properties",
    "datatypes",
    "derived-operators",
    "edge-priorities",
    "functions",
    "hyperbolic-functions",
    "named-expressions",
    "nondet-selection",
    "quantile-properties",
    "state-exit-rewards",
    "tradeoff-properties",
    "trigonometric-functions",
];

/// Members of models that belong to features we refuse, with what to do instead.
const REFUSED: [(&str, &str); 2] =
    [("datatypes", "use one variable per field"), ("named-expressions", "use \"functions\" without parameters")];

/// Refuses members by name that the format knows and we do not support.
pub(super) fn refuse_members(node: Node<'_>, refused: &[(&str, &str)]) -> Read<()> {
    for (name, span, _) in node.members() {
        if let Some((_, help)) = refused.iter().find(|(member, _)| *member == name) {
            let error = Diagnostic::error(span, format!("\"{name}\" is not supported"));
            return Err(Fault::unsupported(error.with_help(*help)));
        }
    }
    Ok(())
}

impl Reader<'_> {
    pub(super) fn model(&mut self, root: Node<'_>) -> Read<Model> {
        if root.kind() == Kind::Object && root.get("properties").is_some() && root.get("type").is_none() {
            let error = Diagnostic::error(root.span(), "this is a file of additional properties, not a model");
            return Err(error.with_help("give it next to the model it belongs to").into());
        }
        refuse_members(root, &REFUSED)?;
        let object = ObjectReader::new(root, &MODEL)?;
        // The kind first: with a kind we do not support, everything else would only be noise.
        let kind = model_kind(object.required("type"))?;
        let version = self.version(object.required("jani-version"));
        self.note(version);
        self.labels(object.optional("labels"));
        let name = self.name(object.required("name"), "the name of the model");
        let name = self.note(name);
        let features = self.each(object.optional("features"), "the features as an array", |reader, node| {
            let name = reader.name(node, "the name of a feature")?;
            if !FEATURES.contains(&&*name.value) && !name.value.starts_with("x-") {
                let warning = Diagnostic::warning(name.span, format!("unknown feature \"{}\"", shown(&name.value)));
                reader.warnings.push(match suggest(&name.value, FEATURES.into_iter()) {
                    Some(meant) => warning.with_help(format!("did you mean \"{meant}\"?")),
                    None => warning,
                });
            }
            Ok(name)
        });
        let actions = self.each(object.optional("actions"), "the actions as an array", |reader, node| {
            let action = ObjectReader::new(node, &ACTION)?;
            reader.name(action.required("name"), "the name of an action")
        });
        let constants = self.each(object.optional("constants"), "the constants as an array", Self::constant);
        let variables = self.each(object.optional("variables"), "the variables as an array", Self::variable);
        let functions = self.each(object.optional("functions"), "the functions as an array", Self::function);
        let restriction = self.restrict_initial(object.optional("restrict-initial"));
        let restrict_initial = self.note(restriction).flatten();
        let automata = self.each(Some(object.required("automata")), "the automata as an array", Self::automaton);
        let system = self.system(object.required("system"));
        let system = self.note(system);
        let properties = self.each(object.optional("properties"), "the properties as an array", Self::property);
        self.check_property_names(&[], &properties);
        let (Some(name), Some(system)) = (name, system) else {
            let last = self.errors.pop().expect("a part that is missing left an error");
            return Err(last.into());
        };
        Ok(Model {
            name,
            kind,
            features,
            actions,
            constants,
            variables,
            functions,
            restrict_initial,
            automata,
            system,
            properties,
            pool: Pool::default(),
        })
    }

    pub(super) fn property_file(&mut self, root: Node<'_>) -> Read<Vec<Property>> {
        if root.kind() == Kind::Object && root.get("automata").is_some() {
            let error = Diagnostic::error(root.span(), "this is a model, not a file of additional properties");
            return Err(error.with_help("such a file is an object with the one member \"properties\"").into());
        }
        let object = ObjectReader::new(root, &PROPERTY_FILE)?;
        self.labels(object.optional("labels"));
        Ok(self.each(Some(object.required("properties")), "the properties as an array", Self::property))
    }

    fn version(&mut self, node: Node<'_>) -> Read<()> {
        let version = node.expect_i64("the version of JANI, 1")?;
        if version != 1 {
            let warning = Diagnostic::warning(node.span(), format!("version {version} of JANI is unknown"));
            self.warnings.push(warning.with_help("the file is read as version 1"));
        }
        Ok(())
    }

    fn labels(&mut self, node: Option<Node<'_>>) {
        if let Some(node) = node {
            let warning = Diagnostic::warning(node.span(), "\"labels\" are ignored");
            self.warnings.push(warning.with_help("write the value where it is used, or put it into a file"));
        }
    }

    fn system(&mut self, node: Node<'_>) -> Read<System> {
        let object = ObjectReader::new(node, &SYSTEM)?;
        let list = object.required("elements");
        let elements = self.each(Some(list), "the elements of the system as an array", |reader, node| {
            let element = ObjectReader::new(node, &ELEMENT)?;
            let mut input_enable = Vec::new();
            if let Some(actions) = element.optional("input-enable") {
                for action in actions.expect_array("the actions that are always enabled, as an array")? {
                    input_enable.push(reader.name(action, "the name of an action")?);
                }
            }
            let automaton = reader.name(element.required("automaton"), "the name of an automaton")?;
            Ok(Element { automaton, input_enable })
        });
        let width = list.items().count();
        if list.kind() == Kind::Array && width == 0 {
            return Err(Diagnostic::error(list.span(), "a system needs at least one element")
                .with_help("list the automata that run in it: {\"automaton\": ...}")
                .into());
        }
        let syncs = object.optional("syncs").map(|syncs| {
            self.each(Some(syncs), "the synchronisation vectors as an array", |reader, node| reader.sync(node, width))
        });
        Ok(System { elements, syncs, span: node.span() })
    }

    fn sync(&mut self, node: Node<'_>, width: usize) -> Read<Sync> {
        let object = ObjectReader::new(node, &SYNC)?;
        let vector = object.required("synchronise");
        let mut synchronise = Vec::new();
        for entry in vector.expect_array("one action or null per element, as an array")? {
            synchronise.push(match entry.kind() {
                Kind::Null => None,
                _ => Some(self.name(entry, "the name of an action, or null")?),
            });
        }
        if synchronise.len() != width {
            let found = synchronise.len();
            let message = format!("the vector has {found} entries, but the system has {width} elements");
            let help = "give one entry per element: an action, or null if the element takes no part";
            return Err(Diagnostic::error(vector.span(), message).with_help(help).into());
        }
        let result = object.optional("result").filter(|result| !result.is_null());
        let result = result.map(|result| self.name(result, "the name of an action")).transpose()?;
        Ok(Sync { synchronise, result, span: node.span() })
    }
}

fn model_kind(node: Node<'_>) -> Read<ModelKind> {
    const KNOWN: [&str; 3] = ["lts", "dtmc", "mdp"];
    let (what, help) = match node.expect_str("the type of the model")? {
        "lts" => return Ok(ModelKind::Lts),
        "dtmc" => return Ok(ModelKind::Dtmc),
        "mdp" => return Ok(ModelKind::Mdp),
        "ctmc" => ("continuous-time Markov chains", "for unbounded reachability, give the embedded dtmc"),
        "ctmdp" => ("continuous-time Markov decision processes", "for unbounded reachability, give the embedded mdp"),
        "ma" => ("Markov automata", "for unbounded reachability, give the embedded mdp"),
        "ta" | "pta" => ("timed automata", "give the digital-clocks model (an lts or mdp) instead"),
        "sta" => ("stochastic timed automata", "only lts, dtmc and mdp models are supported"),
        "ha" | "pha" | "sha" => ("hybrid automata", "only lts, dtmc and mdp models are supported"),
        other => {
            let error = Diagnostic::error(node.span(), format!("there is no model type \"{}\"", shown(other)));
            return Err(match suggest(other, KNOWN.into_iter()) {
                Some(meant) => error.with_help(format!("did you mean \"{meant}\"?")),
                None => error.with_help("the types are \"lts\", \"dtmc\" and \"mdp\""),
            }
            .into());
        }
    };
    let message = format!("models of type {} ({what}) are not supported", node.text());
    Err(Fault::unsupported(Diagnostic::error(node.span(), message).with_help(help)))
}
