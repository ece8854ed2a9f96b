//! What an abstraction has to tell besides the interval, and how it says so to people.

use serde_json::Value;
use surefoot_abstraction::Sketch;
use surefoot_probabilistic::{Algorithm, Figures, Narrowed};
use surefoot_text::counted;
use surefoot_verdict::{Event, Figure};

use crate::abstraction::words::Words;
use crate::answer::Number;
use crate::result::body::BandPoint;

/// How an interval was found by abstraction.
#[derive(Debug, Clone)]
pub struct AbstractedBounds {
    /// Who found it.
    pub algorithm: Algorithm,
    /// How spurious paths were refined; the paper's algorithm only.
    pub preset: Option<String>,
    /// The figures.
    pub figures: Figures,
    /// The bound that the paper's linear search was at.
    pub last_p_u: Option<f64>,
    /// The predicates at the end, in words; the paper's algorithm only.
    pub words: Option<Words>,
    /// The same as JANI expressions; `None` for those that properties have no names for.
    pub expressions: Vec<Option<Value>>,
    /// Why the checkpoint could not always be written.
    pub checkpoint_failure: Option<String>,
    /// The band as it narrowed, iteration by iteration.
    pub band: Vec<BandPoint>,
    /// What the last abstraction looks like, where that was to be kept.
    pub sketch: Option<Sketch>,
}

/// What an algorithm is called.
#[must_use]
pub fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Boxes => "boxes",
        Algorithm::Paper => "paper",
    }
}

impl AbstractedBounds {
    /// What was done, line by line: a word for each, and what it says.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let figures = &self.figures;
        let what = if self.algorithm == Algorithm::Paper { "predicate" } else { "cut" };
        let abstracted = format!(
            "{}; {} from {}, {}, in the last iteration",
            counted(figures.predicates, what),
            counted(figures.abstract_states, "abstract state"),
            counted(figures.start_states, "abstract start state"),
            counted(figures.transitions, "transition"),
        );
        let [path, set, policy_path, policy_set] = figures.refinements;
        let mut refined = counted(figures.iterations, "iteration");
        if self.algorithm == Algorithm::Paper {
            refined.push_str(&format!(
                "; refined for paths {path}, for sets of them {set}, for paths under the policy {policy_path}, for sets under it {policy_set}"
            ));
        }
        let mut lines = vec![("abstract", abstracted), ("refined", refined)];
        if figures.concrete_states > 0 {
            lines.push(("explored", counted(figures.concrete_states, "concrete state")));
        }
        if self.algorithm == Algorithm::Paper {
            let paths = counted(figures.most_paths, "path");
            lines.push(("paths", format!("{paths} in the largest set")));
        }
        lines
    }

    /// The algorithm, and what its work took.
    #[must_use]
    pub fn told(&self) -> String {
        let preset = self.preset.as_ref().map_or(String::new(), |preset| format!(", {preset}"));
        let work = format!("{}, {}", counted(self.figures.questions, "question"), counted(self.figures.nodes, "node"));
        format!("({}{preset}); {work}", name(self.algorithm))
    }

    /// The figures of its last event.
    pub(crate) fn last(&self, lower: &Number, upper: &Number) -> Vec<Figure> {
        let (lower, upper) = (lower.approximate(), upper.approximate());
        Narrowed { lower, upper, p_u: self.last_p_u, cause: None, figures: self.figures }.figures()
    }
}
