//! Single decisions.

use surefoot_certificate::Members;
use surefoot_num::Rational;
use surefoot_oracle::Statistics as Figures;

use crate::decide::{Answered, Queries, Query};
use crate::result::decide::{AnswerRecord, AnswerWord, Answered as Found, ExactNumber};
use crate::result::statistics::{Decisions, Statistics};
use crate::result::{Body, ResultObject, rounded};

impl ResultObject {
    /// Queries that were answered.
    #[must_use]
    pub fn answered(self, queries: &Queries, answers: &[Answered]) -> Self {
        let total = |figure: fn(&Figures) -> u64| answers.iter().map(|a| figure(&a.statistics)).sum::<u64>();
        let statistics = Statistics::Decisions(Decisions {
            oracle_queries: answers.len(),
            oracle_nodes: total(|s| s.nodes),
            oracle_points: total(|s| s.points),
            oracle_programs: total(|s| s.programs),
        });
        let single = if queries.is_list { None } else { answers.first() };
        let records = answers.iter().zip(&queries.queries).map(|(answer, query)| record(answer, query));
        let found = Found { answer: single.map(Answered::kind), answers: records.collect() };
        Self {
            reason: single.and_then(Answered::reason).map(|reason| reason.to_string()),
            inputs: Members(queries.inputs.clone()),
            assumptions: queries.assumptions.clone(),
            statistics,
            body: Some(Body::Answered(found)),
            ..self.by("branch-and-bound")
        }
    }
}

fn record(answered: &Answered, query: &Query) -> AnswerRecord {
    AnswerRecord {
        answer: answered.kind(),
        state: answered.state().map(numbers),
        outputs: answered.state().map(|_| numbers(&answered.outputs)),
        reason: answered.reason().map(|reason| reason.to_string()),
        notice: query.notice.as_ref().map(|notice| notice.message.clone()),
        nodes: answered.statistics.nodes,
        seconds: rounded(answered.seconds),
    }
}

/// Integers as numbers, other numbers as exact fractions in text.
fn numbers(values: &[Rational]) -> Vec<ExactNumber> {
    let number = |value: &Rational| {
        value.to_i64().map_or_else(|| ExactNumber::Fraction(value.to_string()), ExactNumber::Integer)
    };
    values.iter().map(number).collect()
}

impl AnswerWord {
    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::TimedOut => "timed-out",
            Self::Unknown => "unknown",
        }
    }
}
