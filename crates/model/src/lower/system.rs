//! Synchronisation: which edges move together under which label.
//!
//! With `syncs`, an edge with an action moves only through a vector that asks for it. Without, as JANI tools have it, the
//! actions of a single automaton are free, and those of several automata never happen.

use std::sync::Arc;

use surefoot_text::diagnostic::Diagnostic;

use super::Lowering;
use super::automaton::find_label;
use crate::model::{Instance, LabelId, Participant, Vector, numbered};

impl Lowering<'_> {
    pub(super) fn lower_system(
        &mut self,
        labels: &[Arc<str>],
        instances: &[Instance],
    ) -> Result<Vec<Vector>, Diagnostic> {
        let system = &self.syntax.system;
        let edges_with = |instance: usize, action: Option<LabelId>| -> Vec<u32> {
            let edges = instances[instance].edges.iter().enumerate();
            edges.filter(|(_, e)| e.action == action).map(|(i, _)| numbered(i)).collect()
        };
        let mut vectors = Vec::new();
        for instance in 0..instances.len() {
            let edges = edges_with(instance, None);
            if !edges.is_empty() {
                vectors.push(Vector { label: None, participants: vec![Participant { instance, edges }] });
            }
        }
        let Some(syncs) = &system.syncs else {
            if instances.len() == 1 {
                for label in (0..labels.len()).map(LabelId::at) {
                    let edges = edges_with(0, Some(label));
                    if !edges.is_empty() {
                        let participants = vec![Participant { instance: 0, edges }];
                        vectors.push(Vector { label: Some(label), participants });
                    }
                }
            } else if instances.iter().any(|i| i.edges.iter().any(|e| e.action.is_some())) {
                let message = "the system has no \"syncs\", so edges with an action never happen";
                self.notes.push(
                    Diagnostic::warning(system.span, message)
                        .with_help("list the synchronisation vectors in \"syncs\""),
                );
            }
            return Ok(vectors);
        };
        let mut used: Vec<(usize, LabelId)> = Vec::new();
        for sync in syncs {
            if sync.synchronise.len() != instances.len() {
                let (found, wanted) = (sync.synchronise.len(), instances.len());
                let message = format!("this vector has {found} entries, the system has {wanted} elements");
                return Err(Diagnostic::error(sync.span, message).with_help("use null for those that do not take part"));
            }
            let label = sync.result.as_ref().map(|name| find_label(labels, name)).transpose()?;
            let mut participants = Vec::new();
            for (instance, action) in sync.synchronise.iter().enumerate() {
                if let Some(action) = action {
                    let action = find_label(labels, action)?;
                    used.push((instance, action));
                    participants.push(Participant { instance, edges: edges_with(instance, Some(action)) });
                }
            }
            if participants.is_empty() {
                let message = "this vector has only null entries and is ignored";
                self.notes.push(Diagnostic::warning(sync.span, message));
                continue;
            }
            if participants.iter().all(|p| !p.edges.is_empty()) {
                vectors.push(Vector { label, participants });
            }
        }
        self.warn_unused(labels, instances, &used);
        Ok(vectors)
    }

    /// An action of an automaton that no vector asks for is probably a mistake.
    fn warn_unused(&mut self, labels: &[Arc<str>], instances: &[Instance], used: &[(usize, LabelId)]) {
        for (i, instance) in instances.iter().enumerate() {
            let mut reported: Vec<LabelId> = Vec::new();
            for edge in &instance.edges {
                let Some(action) = edge.action else { continue };
                if edge.number.is_some() && !used.contains(&(i, action)) && !reported.contains(&action) {
                    reported.push(action);
                    let name = &labels[action.0 as usize];
                    let message =
                        format!("no vector synchronises on '{name}' of '{}': it never happens", instance.name);
                    self.notes.push(Diagnostic::warning(edge.span, message));
                }
            }
        }
    }
}
