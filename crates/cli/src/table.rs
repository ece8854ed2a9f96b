//! Runs as tables: step, action, what changed, and how close the policy's decision was.

use surefoot_model::policy::Outputs;
use surefoot_model::{SlotId, State};
use surefoot_num::Rational;
use surefoot_verify::Problem;
use surefoot_verify::replay::{Replayed, ReplayedStep, StepDecision};

/// Longer runs are shown without their middle: so many steps at the beginning, so many at the end.
const FIRST: usize = 40;
const LAST: usize = 20;
/// Wider action columns help nobody.
const WIDEST: usize = 32;

/// The table of a run, with a final line break.
pub(crate) fn run_table(problem: &Problem, run: &Replayed) -> String {
    let model = problem.model();
    let name =
        |step: &ReplayedStep| step.label.map_or("(silent)".to_owned(), |l| model.labels[l.0 as usize].to_string());
    let width = run.steps.iter().map(|step| name(step).chars().count()).max().unwrap_or(0).clamp(6, WIDEST);
    let number = run.steps.len().to_string().len().max(5);
    let mut text = format!("{:>number$}  {:width$}  state\n", "step", "action");
    text.push_str(&format!("{:>number$}  {:width$}  {}\n", "start", "", run.states[0].describe(model)));
    for (i, step) in run.steps.iter().enumerate() {
        let left_out = run.steps.len().saturating_sub(FIRST + LAST);
        if left_out > 1 && (FIRST..FIRST + left_out).contains(&i) {
            if i == FIRST {
                text.push_str(&format!("{:>number$}  {left_out} steps not shown; --json has them all\n", "..."));
            }
            continue;
        }
        let mut line = format!("{:>number$}  {:width$}  {}", i + 1, name(step), changes(problem, run, i));
        if *step.probability.to_string() != *"1" {
            line.push_str(&format!("  [p = {}]", step.probability));
        }
        if let Some(decision) = &step.decision {
            line.push_str(&scores(problem, step, decision));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn changes(problem: &Problem, run: &Replayed, step: usize) -> String {
    let model = problem.model();
    let (State(before), State(after)) = (&run.states[step], &run.states[step + 1]);
    let changed: Vec<String> = (0..before.len())
        .filter(|i| before[*i] != after[*i])
        .map(|i| {
            let show = |value: &Rational| model.describe_value(SlotId::at(i), value);
            format!("{}: {} -> {}", model.slots[i].name, show(&before[i]), show(&after[i]))
        })
        .collect();
    if changed.is_empty() { "(nothing changes)".to_owned() } else { changed.join(", ") }
}

/// The score of the label taken, the best of those that were not chosen, and the margin between them.
fn scores(problem: &Problem, step: &ReplayedStep, decision: &StepDecision) -> String {
    let Some(Outputs::Labels(labels)) = problem.policy().map(|p| &p.outputs) else { return String::new() };
    let Some(taken) = step.label.and_then(|label| labels.iter().position(|l| *l == label)) else {
        return String::new();
    };
    let name = |output: usize| &problem.model().labels[labels[output].0 as usize];
    let score = |output: usize| short(&decision.outputs[output]);
    let mut text = format!("  [{} {}", name(taken), score(taken));
    if let Some(next) = decision.runner_up(taken) {
        text.push_str(&format!(", next {} {}", name(next), score(next)));
        let margin = &decision.outputs[taken] - &decision.outputs[next];
        if margin.is_zero() {
            text.push_str(": a tie");
        } else {
            text.push_str(&format!(", margin {}", short(&margin)));
        }
    }
    text.push(']');
    text
}

/// A number in about five digits.
pub(crate) fn short(number: &Rational) -> String {
    let value = number.to_f64();
    let size = value.abs();
    if number.is_zero() || number.is_integer() && size < 1e6 {
        number.to_string()
    } else if (1e-3..1e6).contains(&size) {
        let digits = format!("{value:.5}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.4e}")
    }
}

/// How many steps the policy decided.
pub(crate) fn decided_steps(run: &Replayed) -> usize {
    run.steps.iter().filter(|step| step.decision.as_ref().is_some_and(|d| !d.chosen.is_empty())).count()
}
