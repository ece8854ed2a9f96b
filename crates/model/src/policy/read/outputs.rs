//! What the outputs of a network mean: one choice, several choices at once, or values.
//!
//! A policy with several choices (Gymnasium's `MultiDiscrete`) takes the first largest score of each. The model has one label
//! per combination, and a combination's score is the sum of its parts' scores: the combinations with the largest sum are those
//! of largest scores, and the first of them, with the last choice changing fastest, is the one of the first largest scores.

use std::sync::Arc;

use surefoot_network::encode::combinations;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node};
use surefoot_text::source::Span;

use super::{NetworkRef, Reading, help_with_names};
use crate::model::LabelId;
use crate::policy::Outputs;

/// More combinations than this are no set of actions.
const MAX_COMBINATIONS: usize = 1 << 12;
/// Between the names of components, where nothing else is said.
const SEPARATOR: &str = "_";

/// The sizes of several choices.
pub(super) struct Components {
    pub(super) sizes: Vec<usize>,
    pub(super) span: Span,
}

impl Components {
    /// The number of scores.
    pub(super) fn scores(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn combinations(&self) -> Option<usize> {
        let count = self.sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size))?;
        (count <= MAX_COMBINATIONS).then_some(count)
    }
}

/// What the policy file says about the outputs of its networks.
pub(super) struct Meaning<'a> {
    /// How many outputs it lists where.
    pub(super) listed: Option<(usize, Span)>,
    pub(super) components: Option<&'a Components>,
    /// Whether the outputs are values of variables.
    pub(super) regression: bool,
}

impl Reading<'_> {
    /// The sizes of the components, where there are any; checked against the labels that are listed beside them.
    pub(super) fn components(&mut self, outputs: Node<'_>) -> Result<Option<Components>, Diagnostic> {
        let Some(list) = outputs.get("components") else { return Ok(None) };
        let mut sizes = Vec::new();
        for item in list.expect_array("the components as an array")? {
            sizes.push(match item.kind() {
                Kind::Array => item.items().count(),
                _ => usize::try_from(item.expect_i64("the number of a component's values, or a list of their names")?)
                    .unwrap_or(0),
            });
        }
        let components = Components { sizes, span: list.span() };
        if components.sizes.is_empty() || components.sizes.contains(&0) {
            return Err(Diagnostic::error(list.span(), "each component needs at least one value"));
        }
        let Some(count) = components.combinations() else {
            let message = format!("the components have more than {MAX_COMBINATIONS} combinations");
            return Err(Diagnostic::error(list.span(), message));
        };
        let listed = outputs.get("labels").filter(|labels| labels.kind() == Kind::Array);
        if let Some(labels) = listed.filter(|labels| labels.items().count() != count) {
            let message =
                format!("the components have {count} combinations, but {} labels are listed", labels.items().count());
            let help = "list one label per combination, the last component changing fastest";
            return Err(Diagnostic::error(labels.span(), message).with_help(help));
        }
        Ok(Some(components))
    }

    /// One label per combination of the components' names, joined.
    pub(super) fn combined_labels(
        &mut self,
        list: Node<'_>,
        separator: Option<Node<'_>>,
    ) -> Result<Outputs, Diagnostic> {
        let separator = separator.map_or(Ok(SEPARATOR), |node| node.expect_str("what stands between names"))?;
        let mut names = vec![String::new()];
        for (at, component) in list.expect_array("the components as an array")?.enumerate() {
            let own = component.expect_array("the names of the component's values").map_err(|error| {
                error.with_help("without \"labels\" each component lists the names of its values, which are joined")
            })?;
            let own: Vec<&str> = own.map(|name| name.expect_str("a name")).collect::<Result<_, _>>()?;
            if names.len().saturating_mul(own.len()) > MAX_COMBINATIONS {
                let message = format!("the components have more than {MAX_COMBINATIONS} combinations");
                return Err(Diagnostic::error(list.span(), message));
            }
            let joined = |first: &String| {
                let between = if at == 0 { "" } else { separator };
                own.iter().map(|name| format!("{first}{between}{name}")).collect::<Vec<_>>()
            };
            names = names.iter().flat_map(joined).collect();
        }
        let model = &self.lowered.model;
        let mut labels: Vec<LabelId> = Vec::new();
        for name in &names {
            let label = model.label(name).ok_or_else(|| {
                let error = Diagnostic::error(list.span(), format!("the model has no action '{name}'"));
                let known: Vec<&str> = model.labels.iter().map(|label| &**label).collect();
                help_with_names(error, name, "actions", &known)
            })?;
            if labels.contains(&label) {
                return Err(Diagnostic::error(list.span(), format!("two combinations are called '{name}'"))
                    .with_help("give another \"separator\""));
            }
            labels.push(label);
        }
        Ok(Outputs::Labels(labels))
    }

    /// The network whose outputs are what the policy file lists.
    pub(super) fn meant(
        &mut self,
        network: NetworkRef,
        meaning: &Meaning<'_>,
        span: Span,
    ) -> Result<NetworkRef, Diagnostic> {
        let NetworkRef { network, file } = network;
        if meaning.regression && network.order_only() {
            let message = format!("the network {file} tells only which of its outputs is the largest, and no values");
            let help =
                "export it without the operators at its end that choose or normalise, such as ArgMax and Softmax";
            return Err(Diagnostic::error(span, message).with_help(help));
        }
        let own = network.choices();
        let sizes = |sizes: &[usize]| sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let Some(components) = meaning.components else {
            if own.is_empty() {
                return Ok(NetworkRef { network, file });
            }
            let message = format!("the network {file} makes {} choices at once, of {} scores", own.len(), sizes(own));
            let help = format!(
                "say in \"outputs\" what their combinations are: \"components\": [{}] and one label each",
                sizes(own)
            );
            return Err(Diagnostic::error(span, message).with_help(help));
        };
        if !own.is_empty() && own != components.sizes {
            let message = format!(
                "the network {file} makes choices of {} scores, not of {}",
                sizes(own),
                sizes(&components.sizes)
            );
            return Err(Diagnostic::error(components.span, message));
        }
        let combined = combinations(&network, &components.sizes).map_err(|error| {
            Diagnostic::error(span, format!("the choices of the network {file} cannot be combined: {error}"))
        })?;
        let text = format!(
            "{file}: its outputs are {} choices, of {} scores; each takes its first largest score",
            components.sizes.len(),
            sizes(&components.sizes)
        );
        self.notes.push(Diagnostic::notice(components.span, text));
        Ok(NetworkRef { network: Arc::new(combined), file })
    }
}
