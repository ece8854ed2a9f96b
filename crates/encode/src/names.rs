//! Names that checkers can read: letters, digits and underscores, none twice, none a word of their languages.

use surefoot_export::{distinct, identifiers};
use surefoot_model::{LabelId, Model};

/// Words of SMV that are none of PRISM's language.
const SMV: [&str; 62] = [
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "NAME",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "CONSTRAINT",
    "SIMPWFF",
    "CTLWFF",
    "LTLWFF",
    "PSLWFF",
    "COMPWFF",
    "IN",
    "MIN",
    "MAX",
    "MIRROR",
    "PRED",
    "PREDICATES",
    "process",
    "array",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "next",
    "case",
    "esac",
    "mod",
    "union",
    "self",
    "TRUE",
    "FALSE",
];

/// The names of everything that is written.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    /// Of slots, and of neurons after them.
    slots: Vec<String>,
    labels: Vec<String>,
    /// Of automata, the controller last.
    automata: Vec<String>,
    /// Of the silent moves of every automaton, and of all moves of the environment after them.
    silent: Vec<String>,
}

impl Names {
    pub(crate) fn new<'n>(model: &'n Model, neurons: impl Iterator<Item = &'n str>) -> Self {
        let free = |name: &str| if SMV.contains(&name) { format!("{name}_") } else { name.to_owned() };
        let all = |names: Vec<String>| {
            let plain = identifiers(names.iter().map(String::as_str));
            distinct(plain.iter().map(|name| free(name)), &[])
        };
        let location = |slot: usize| if slot < model.instances.len() { "at_" } else { "" };
        let slots = model.slots.iter().enumerate().map(|(i, slot)| format!("{}{}", location(i), slot.name));
        let slots = all(slots.chain(neurons.map(str::to_owned)).collect());
        let automata = model.instances.iter().map(|instance| instance.name.to_string());
        let automata = all(automata.chain(["controller".to_owned()]).collect());
        let silent = model.instances.iter().map(|instance| format!("silent_{}", instance.name));
        let actions = model.labels.iter().map(ToString::to_string).chain(silent);
        let mut labels = all(actions.chain(["environment".to_owned()]).collect());
        let silent = labels.split_off(model.labels.len());
        Self { slots, labels, automata, silent }
    }

    pub(crate) fn slot(&self, slot: usize) -> &str {
        &self.slots[slot]
    }

    pub(crate) fn label(&self, label: LabelId) -> &str {
        &self.labels[label.0 as usize]
    }

    pub(crate) fn instance(&self, instance: usize) -> &str {
        &self.automata[instance]
    }

    pub(crate) fn controller(&self) -> &str {
        &self.automata[self.automata.len() - 1]
    }

    /// What the controller calls the moves that are not its own.
    pub(crate) fn environment(&self) -> &str {
        &self.silent[self.silent.len() - 1]
    }

    /// What an automaton calls the moves of an action; those of its own have a name too, as the controller takes part in them.
    pub(crate) fn edge_action(&self, instance: usize, action: Option<LabelId>) -> &str {
        action.map_or(&self.silent[instance], |label| self.label(label))
    }

    pub(crate) fn actions(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().chain(&self.silent).map(String::as_str)
    }
}
