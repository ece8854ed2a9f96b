//! What a page is made from: a problem, what a command says of it, and what it kept to be looked at.

use serde_json::Value;
use surefoot_abstraction::Sketch;
use surefoot_verify::replay::Replayed;
use surefoot_verify::result::VerdictWord;
use surefoot_verify::{Abstracted, Budget, Evidence, Problem, ResultObject, Told, Verdict};

/// What a page is made from.
#[derive(Debug)]
pub struct Material<'a> {
    /// The model, the policy and the question.
    pub problem: &'a Problem,
    /// What the command says.
    pub result: &'a ResultObject,
    /// The run that shows it, replayed.
    pub run: Option<&'a Replayed>,
    /// The abstraction, where the command made one.
    pub sketch: Option<Sketch>,
    /// Whether the abstract states are an inductive invariant that proves the property.
    pub proved: bool,
    /// Whether the result was read from a file, and its proof not made again.
    pub repeated: bool,
    /// Whether its verdict was decided by the command, or else reached anew: not by the word of a file alone.
    pub checked: bool,
    /// The command line that repeats it.
    pub repeat: String,
    /// How states are drawn.
    pub drawing: Option<Value>,
    /// What may be spent on pictures.
    pub budget: &'a Budget,
}

impl<'a> Material<'a> {
    /// What a command has to show.
    #[must_use]
    pub fn of(
        problem: &'a Problem,
        result: &'a ResultObject,
        told: &'a Told,
        repeat: String,
        drawing: Option<Value>,
        budget: &'a Budget,
    ) -> Self {
        let material = |run, sketch, proved| Self {
            problem,
            result,
            run,
            sketch,
            proved,
            repeated: false,
            checked: true,
            repeat,
            drawing,
            budget,
        };
        match told {
            Told::Verified(found) => {
                // Soundness: its states are a proof where the verdict rests on them, on nothing that is open, and on nobody else's word.
                let proved = matches!(found.verdict, Verdict::Holds(Evidence::Invariant { .. }))
                    && found.open.is_none()
                    && found.outside.is_none();
                let sketch = found.refinement().and_then(|details| details.sketch.clone());
                material(found.run(), sketch, proved)
            }
            Told::Reported(reported) => {
                let sketch =
                    reported.abstraction.as_ref().map(|found| Sketch::of(&found.abstraction, &found.predicates));
                let proved = reported.abstraction.as_ref().is_some_and(proves);
                // Soundness: what was not decided needs nobody's judgement.
                let is_decided = reported.read.verdict.is_some_and(|word| word != VerdictWord::Unknown);
                let (repeated, checked) = (true, reported.confirmed || !is_decided);
                Self { repeated, checked, result: &reported.read, ..material(reported.run.as_ref(), sketch, proved) }
            }
            Told::Abstracted(found) => {
                material(None, Some(Sketch::of(&found.abstraction, &found.predicates)), proves(found))
            }
            Told::Bounded(found) => {
                material(None, found.abstracted.as_ref().and_then(|details| details.sketch.clone()), false)
            }
            _ => material(None, None, false),
        }
    }
}

/// Whether no unsafe abstract state is reached, nothing is open, and nobody else's word is taken for it.
fn proves(found: &Abstracted) -> bool {
    found.open.is_none()
        && found.outside.is_none()
        && found.conclusion.as_ref().is_some_and(|verdict| verdict.proof().is_some())
}
