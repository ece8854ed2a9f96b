//! Choices that were explained.

use surefoot_certificate::{Decision, Score};
use surefoot_model::{LabelId, SlotId};
use surefoot_num::Rational;

use crate::explain::{Explanation, Turn};
use crate::problem::Problem;
use crate::result::body::About;
use crate::result::explain::{AloneRecord, Explained, NearestRecord, TurnRecord};
use crate::result::{Body, ResultObject, Subject};
use crate::states::StateNames;

impl ResultObject {
    /// A choice with what it hinges on.
    #[must_use]
    pub fn explained(self, problem: &Problem, explanation: &Explanation) -> Self {
        let (model, names) = (problem.model(), StateNames::new(problem.model()));
        let label = |label: &LabelId| model.labels[label.0 as usize].to_string();
        let labels = |labels: &[LabelId]| labels.iter().map(label).collect::<Vec<_>>();
        let shown = |slot: SlotId, value: &Rational| model.describe_value(slot, value);
        let chosen = &explanation.chosen;
        let best = chosen.runner_up.as_ref();
        let decision = Decision {
            network: problem
                .policy()
                .and_then(|policy| policy.networks.get(chosen.network))
                .map(|n| n.file.clone())
                .unwrap_or_default(),
            chosen: labels(&chosen.labels),
            scores: chosen.scores.iter().map(|(of, exact)| Score { label: label(of), exact: exact.clone() }).collect(),
            runner_up: best.map(|(of, margin)| Score { label: label(of), exact: margin.clone() }),
        };
        let turn = |slot: SlotId, turn: &Option<Turn>| {
            turn.as_ref().map(|turn| TurnRecord { value: shown(slot, &turn.value), chosen: labels(&turn.labels) })
        };
        let alone = explanation.alone.iter().map(|alone| AloneRecord {
            variable: names.slot(alone.slot.index()).to_owned(),
            value: shown(alone.slot, explanation.state.get(alone.slot)),
            below: turn(alone.slot, &alone.below),
            above: turn(alone.slot, &alone.above),
        });
        let nearest = explanation.nearest.as_ref().map(|nearest| NearestRecord {
            distance: nearest.distance.to_string(),
            changed: nearest.changed.iter().map(|slot| names.slot(slot.index()).to_owned()).collect(),
            chosen: labels(&nearest.labels),
            state: names.record(model, &nearest.state),
        });
        let found = Explained {
            state: names.record(model, &explanation.state),
            margin: best.map(|(_, margin)| margin.to_string()),
            same_everywhere: explanation.nearest.is_none() && explanation.stopped.is_none(),
            decision,
            alone: alone.collect(),
            nearest,
        };
        let about = About { subject: Subject::of(problem), found: Some(found) };
        Self { body: Some(Body::Explained(Box::new(about))), ..self.by("oracle") }
    }
}
