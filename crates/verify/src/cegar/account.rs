//! What refinement has to tell besides the verdict, and how it says so to people.

use serde_json::Value;
use surefoot_abstraction::Sketch;
use surefoot_cegar::Figures;
use surefoot_text::counted;
use surefoot_verdict::Figure;

use super::diary::Diary;
use super::iteration::refined;
use crate::abstraction::words::Words;
use crate::engine::{Account, Evidence, Outcome, Verdict};
use crate::explicit::REPLAYED;

/// What the loop has to tell besides the verdict.
#[derive(Debug, Clone)]
pub struct CegarDetails {
    /// The strategy.
    pub preset: String,
    /// The figures.
    pub figures: Figures,
    /// The predicates at the end, in words.
    pub words: Words,
    /// What an invariant says of variables that nothing has written, in words.
    pub untouched: Vec<String>,
    /// The predicates as JANI expressions; `None` for those that properties have no names for.
    pub expressions: Vec<Option<Value>>,
    /// Why the checkpoint could not always be written.
    pub checkpoint_failure: Option<String>,
    /// After how many iterations directed runs found the violation, if they did.
    pub falsified: Option<u64>,
    /// What happened, iteration by iteration.
    pub diary: Diary,
    /// What the last abstraction looks like, where that was to be kept.
    pub sketch: Option<Sketch>,
}

impl Account for CegarDetails {
    fn last(&self) -> Vec<Figure> {
        refined(&self.figures, self.words.predicates().len())
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let figures = &self.figures;
        let abstracted = format!(
            "{}; {} from {}, {}, in the last iteration",
            counted(self.words.predicates().len() as u64, "predicate"),
            counted(figures.reachable_states, "abstract state"),
            counted(figures.start_states, "abstract start state"),
            counted(figures.transitions, "transition"),
        );
        let refined = format!(
            "{}; {} of them for the policy, with {}",
            counted(figures.iterations, "iteration"),
            figures.policy_refinements,
            counted(figures.policy_predicates, "predicate"),
        );
        vec![("abstract", abstracted), ("refined", refined)]
    }

    fn told(&self, outcome: &Outcome) -> String {
        let work = format!("{}, {}", counted(self.figures.questions, "question"), counted(self.figures.nodes, "node"));
        let invariant =
            |states: usize| format!("an inductive invariant of {}", counted(states as u64, "abstract state"));
        let evidence = match &outcome.verdict {
            Verdict::Holds(Evidence::Invariant { states, .. }) => invariant(*states),
            Verdict::Unknown(_) => match outcome.open.as_ref().map(|open| &open.proof) {
                Some(Evidence::Invariant { states, .. }) => format!("{} that leaves errors open", invariant(*states)),
                _ => "not decided".to_owned(),
            },
            _ => match self.falsified {
                Some(0) => "the run below was found before refinement, and replayed in exact arithmetic".to_owned(),
                Some(_) => "the run below was found between iterations, and replayed in exact arithmetic".to_owned(),
                None => REPLAYED.to_owned(),
            },
        };
        format!("{} ({}); {evidence}; {work}", outcome.engine, self.preset)
    }
}
