//! States as lines of CSV (RFC 4180).

use std::io::{self, Write};

use surefoot_model::{SlotId, State};

use crate::problem::Problem;
use crate::states::StateNames;

/// The columns of states: locations of automata that have several, as `NAME.location`, then variables.
#[derive(Debug)]
pub(crate) struct StateColumns<'p> {
    problem: &'p Problem,
    slots: Vec<usize>,
}

impl<'p> StateColumns<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let model = problem.model();
        let shown = |slot: &usize| model.instances.get(*slot).is_none_or(|instance| instance.locations.len() > 1);
        Self { problem, slots: (0..model.slots.len()).filter(shown).collect() }
    }

    /// Their names, each after a comma.
    pub(crate) fn names(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = StateNames::new(self.problem.model());
        for slot in &self.slots {
            let kind = if *slot < self.problem.model().instances.len() { ".location" } else { "" };
            write!(out, ",{}", field(&format!("{}{kind}", names.slot(*slot))))?;
        }
        Ok(())
    }

    /// The values of a state, each after a comma.
    pub(crate) fn values(&self, state: &State, out: &mut dyn Write) -> io::Result<()> {
        let model = self.problem.model();
        for slot in &self.slots {
            write!(out, ",{}", field(&model.describe_value(SlotId::at(*slot), &state.0[*slot])))?;
        }
        Ok(())
    }
}

/// A field: quoted where it must be.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
