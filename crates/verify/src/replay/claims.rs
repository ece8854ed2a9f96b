//! What a witness says of its steps, held against what is so.

use std::path::{Component, Path};

use surefoot_certificate::Step;

use super::ReplayedStep;
use super::run::Replay;

impl Replay<'_> {
    /// The first thing a witness says about a step that is not so, and how far down the list that was.
    pub(super) fn contradiction(&self, step: &ReplayedStep, claim: &Step) -> Option<(usize, String)> {
        let model = self.problem.model();
        let is = self.written(step, &claim.state);
        let shown = |label: &Option<String>| label.as_ref().map_or("silent".to_owned(), |l| format!("'{l}'"));
        if let (Some(claimed), Some(label)) = (&claim.label, &is.label)
            && claimed != label
        {
            return Some((0, format!("the witness says the action is {}, but it is {}", shown(claimed), shown(label))));
        }
        if claim.edges.is_some() && claim.edges != is.edges {
            let operator = model.describe_operator(&step.operator);
            return Some((1, format!("the edges that the witness names are not those that are taken: {operator}")));
        }
        if claim.outcome.is_some() && claim.outcome != is.outcome {
            let message = format!(
                "the outcome that the witness names ({:?}) does not lead to the state after it, but {:?} does",
                claim.outcome.as_deref().unwrap_or_default(),
                step.outcome
            );
            return Some((2, message));
        }
        if let Some(claimed) = claim.probability.as_ref().filter(|p| **p != step.probability) {
            let message = format!("the witness says the probability is {claimed}, but it is {}", step.probability);
            return Some((3, message));
        }
        let Some(claimed) = &claim.policy else { return None };
        let Some(said) = &is.policy else {
            return Some((4, "the witness has a decision of the policy, but the policy has no say in it".to_owned()));
        };
        for score in &claimed.scores {
            match said.scores.iter().find(|s| s.label == score.label) {
                Some(known) if known.exact == score.exact => {}
                Some(known) => {
                    let message = format!(
                        "the witness says the policy's score of '{}' is {}, but it is {}",
                        score.label, score.exact, known.exact
                    );
                    return Some((5, message));
                }
                None => return Some((5, format!("the policy has no score of '{}'", score.label))),
            }
        }
        if claimed.chosen != said.chosen {
            let list = |labels: &[String]| labels.join(", ");
            let message = format!(
                "the witness says the policy chooses {}, but it chooses {}",
                list(&claimed.chosen),
                list(&said.chosen)
            );
            return Some((6, message));
        }
        match (&claimed.runner_up, &said.runner_up) {
            (Some(claimed), Some(is)) if claimed != is => {
                let message = format!(
                    "the witness says the choice is {} ahead of '{}', but it is {} ahead of '{}'",
                    claimed.exact, claimed.label, is.exact, is.label
                );
                Some((7, message))
            }
            (Some(claimed), None) => Some((
                7,
                format!("the witness says the choice is ahead of '{}', but there is none other", claimed.label),
            )),
            _ if !claimed.network.is_empty() && !self.is_network(&claimed.network, &said.network) => {
                let message =
                    format!("the witness says the network is '{}', but it is '{}'", claimed.network, said.network);
                Some((8, message))
            }
            _ => None,
        }
    }
    /// Whether a name that a witness has for a network is one of the network that decides. The policy may have been named by another
    /// path then, so ends of paths are compared: no other network of the policy may fit better.
    fn is_network(&self, claimed: &str, decides: &str) -> bool {
        let others = self.problem.policy().into_iter().flat_map(|policy| &policy.networks);
        fits_best(claimed, decides, others.map(|network| network.file.as_str()))
    }
}

fn fits_best<'n>(claimed: &str, decides: &str, mut all: impl Iterator<Item = &'n str>) -> bool {
    if claimed == decides {
        return true;
    }
    let fit = common_end(claimed, decides);
    fit > 0 && all.all(|other| other == decides || (other != claimed && common_end(claimed, other) <= fit))
}

/// How many components two paths have in common at their ends.
fn common_end(one: &str, other: &str) -> usize {
    let parts = |path| Path::new(path).components().rev().filter(|part| *part != Component::CurDir);
    parts(one).zip(parts(other)).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::fits_best;

    #[test]
    fn networks_are_told_apart_by_the_ends_of_their_paths() {
        let all = ["./d/a/n.nnet", "./d/b/n.nnet", "./d/m.nnet"];
        let fits = |claimed, decides| fits_best(claimed, decides, all.into_iter());
        assert!(fits("d/m.nnet", "./d/m.nnet") && fits("../x/d/a/n.nnet", "./d/a/n.nnet"));
        assert!(fits("d/b/n.nnet", "./d/b/n.nnet") && fits("d/./m.nnet", "./d/m.nnet"));
        assert!(!fits("d/a/n.nnet", "./d/b/n.nnet") && !fits("d/m.nnet", "./d/a/n.nnet"));
        assert!(!fits("d/other.nnet", "./d/m.nnet") && !fits("./d/b/n.nnet", "./d/a/n.nnet"));
        // The very name of another network, whatever else fits.
        assert!(!fits_best("n.nnet", "a/n.nnet", ["n.nnet", "a/n.nnet"].into_iter()));
    }
}
