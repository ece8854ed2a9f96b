//! Policies that were compared.

use surefoot_diff::Opinion;
use surefoot_explicit::{Pair, Tally};
use surefoot_model::LabelId;

use super::exploration;
use crate::diff::{Asked, Both, Compared, Difference, Side};
use crate::result::body::About;
use crate::result::diff::{
    AskedRecord, Comparison, DifferenceRecord, LeavingRecord, PairRecord, ReachableRecord, ReusedRecord, SideRecord,
    TallyRecord,
};
use crate::result::subject::PolicySummary;
use crate::result::{Body, Evidence, ResultObject, Subject};
use crate::states::StateNames;

impl ResultObject {
    /// Two policies that were compared, in a region or in reachable states.
    #[must_use]
    pub fn compared(self, both: &Both<'_>, region: Option<&str>, found: &Compared) -> Self {
        let problem = both.problem;
        let label = |label: &LabelId| problem.model().labels[label.0 as usize].to_string();
        let labels = |labels: &[LabelId]| labels.iter().map(label).collect::<Vec<_>>();
        let pair = |(pair, states): (&Pair, &u64)| PairRecord {
            old: labels(&pair.one),
            new: labels(&pair.other),
            states: *states,
        };
        let tally = |tally: &Tally| TallyRecord {
            states: tally.states,
            asked: tally.asked,
            differing: tally.differing,
            share: share(tally),
            pairs: tally.pairs.iter().map(pair).collect(),
        };
        let side = |side: &Side| SideRecord { tally: tally(&side.tally), stopped: side.stopped.clone() };
        let asked = |Asked { questions, nodes }: Asked| AskedRecord {
            condition: region.map(|text| text.trim().to_owned()),
            questions,
            nodes,
        };
        let difference = found.verdict.refutation().map(|found| difference(both, found));
        let reused = found.reused.as_ref().map(|figures| ReusedRecord {
            source: figures.source.clone(),
            inductive: decided(found),
            regions: figures.size.0,
            states: figures.size.1,
            regions_asked: figures.regions.0,
            regions_changed: figures.regions.1,
            states_asked: figures.states.0,
            states_changed: figures.states.1,
            questions: figures.questions,
            nodes: figures.nodes,
            questions_from_nothing: figures.from_nothing,
            questions_of_the_proof: figures.proof_questions,
        });
        let comparison = Comparison {
            other_policy: PolicySummary::of(both.new),
            alike: decided(found).filter(|_| found.reused.is_none()),
            reachable: found.reachable.as_ref().map(|reachable| ReachableRecord {
                old: side(&reachable.old),
                new: reachable.new.as_ref().map(side),
                union: tally(&reachable.union),
            }),
            region: found.region.map(asked),
            difference,
            invariant: reused,
        };
        let statistics = found.reachable.as_ref().map(|reachable| exploration(problem, &reachable.old.figures));
        let run = found.verdict.refutation().and_then(|difference| difference.run.as_ref());
        let about = About { subject: Subject::of(problem), found: Some(comparison) };
        Self {
            statistics: statistics.unwrap_or_default(),
            witness: run.map(|run| Evidence::Run(Box::new(run.witness.clone()))),
            body: Some(Body::Compared(Box::new(about))),
            ..self.by(found.engine).assuming(found.assumptions.iter().cloned()).judged(Some(&found.verdict))
        }
    }
}

/// The answer as a truth value.
fn decided(found: &Compared) -> Option<bool> {
    found.verdict.is_decided().then_some(found.verdict.proof().is_some())
}

/// The states that differ among all.
fn share(tally: &Tally) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a share for people; the counts stand beside it")]
    let share = tally.differing as f64 / tally.states as f64;
    (tally.states > 0).then_some(share)
}

fn difference(both: &Both<'_>, found: &Difference) -> DifferenceRecord {
    let model = both.problem.model();
    let names = StateNames::new(model);
    let labels = |opinion: &Opinion| -> Option<Vec<String>> {
        Some(opinion.as_ref()?.iter().map(|label| model.labels[label.0 as usize].to_string()).collect())
    };
    DifferenceRecord {
        state: names.record(model, &found.state),
        old: labels(&found.old),
        new: labels(&found.new),
        steps: found.run.as_ref().map(|run| run.steps.len() as u64),
        least: found.run.as_ref().map(|_| found.least),
        leaving: found.leaving.as_ref().map(|(operator, successor)| LeavingRecord {
            operator: model.describe_operator(operator),
            successor: names.record(model, successor),
        }),
    }
}
