//! Evidence against a formula as a table: states, actions, scores and margins; a tree where all successors matter.

use surefoot_model::policy::Outputs;
use surefoot_num::Rational;
use surefoot_verify::Problem;
use surefoot_verify::ctl::{CtlWitness, WitnessStep};
use surefoot_verify::replay::ReplayedStep;

use crate::table::short;

/// More lines help nobody.
const MOST_LINES: usize = 200;

/// The table, with a final line break.
pub(crate) fn evidence_table(problem: &Problem, witness: &CtlWitness) -> String {
    let lines = match witness.path() {
        Some(path) => path_lines(problem, witness, &path),
        None => tree_lines(problem, witness),
    };
    let mut text: String = lines.iter().take(MOST_LINES).map(|line| format!("{}\n", line.trim_end())).collect();
    if lines.len() > MOST_LINES {
        text.push_str(&format!("... {} lines not shown; --json has them all\n", lines.len() - MOST_LINES));
    }
    text
}

fn path_lines(problem: &Problem, witness: &CtlWitness, path: &[usize]) -> Vec<String> {
    let model = problem.model();
    let width = path.iter().flat_map(|node| &witness.nodes[*node].steps).map(|step| action(problem, step).len());
    let width = width.max().unwrap_or(0).clamp(6, 32);
    let mut lines = vec![
        format!("{:>5}  {:width$}  state", "step", "action"),
        format!("{:>5}  {:width$}  {}", "start", "", witness.nodes[path[0]].state.describe(model)),
    ];
    for (i, pair) in path.windows(2).enumerate() {
        let step = &witness.nodes[pair[0]].steps[0];
        let state = witness.nodes[pair[1]].state.describe(model);
        lines.push(format!("{:>5}  {:width$}  {state}{}", i + 1, action(problem, step), scores(problem, step)));
    }
    let last = path.len() - 1;
    if let Some(before) = path[..last].iter().position(|node| *node == path[last]) {
        let place = if before == 0 { "the start".to_owned() } else { format!("step {before}") };
        lines.push(format!("{:>5}  {:width$}  (as after {place}: so it goes on for ever)", "...", ""));
    }
    if witness.nodes[path[last]].unshown {
        lines.push(format!("{:>5}  {:width$}  {UNSHOWN}", "...", ""));
    }
    lines
}

/// Said of states from which nothing that can happen makes a difference.
const UNSHOWN: &str = "(whatever happens from here on, for ever)";

/// Depth first; a node that was shown before is only named.
fn tree_lines(problem: &Problem, witness: &CtlWitness) -> Vec<String> {
    let model = problem.model();
    let mut lines = vec!["  node  what happens".to_owned()];
    let mut shown = vec![false; witness.nodes.len()];
    let mut work = vec![(0usize, 0usize, String::new())];
    while let Some((node, depth, arrow)) = work.pop() {
        let state = witness.nodes[node].state.describe(model);
        let beyond = if witness.nodes[node].unshown { format!("  {UNSHOWN}") } else { String::new() };
        let again = if shown[node] { "  (as above)" } else { beyond.as_str() };
        let indent = "  ".repeat(depth.min(30));
        lines.push(format!("{node:>6}  {indent}{arrow}{state}{again}"));
        if shown[node] || lines.len() > MOST_LINES {
            continue;
        }
        shown[node] = true;
        let all = if witness.nodes[node].all { "every successor: " } else { "" };
        for step in witness.nodes[node].steps.iter().rev() {
            let arrow = format!("{all}{}{} -> ", action(problem, step), scores(problem, step));
            work.push((step.target, depth + 1, arrow));
        }
    }
    lines
}

fn action(problem: &Problem, step: &WitnessStep) -> String {
    match &step.step {
        None => "(stays)".to_owned(),
        Some(step) => {
            step.label.map_or("(silent)".to_owned(), |label| problem.model().labels[label.0 as usize].to_string())
        }
    }
}

/// The score of the action taken, that of the best other one, and the margin between them.
fn scores(problem: &Problem, step: &WitnessStep) -> String {
    let Some(ReplayedStep { label: Some(label), decision: Some(decision), .. }) = &step.step else {
        return String::new();
    };
    let Some(Outputs::Labels(labels)) = problem.policy().map(|p| &p.outputs) else { return String::new() };
    let Some(taken) = labels.iter().position(|l| l == label) else { return String::new() };
    let score = |output: usize| &decision.outputs[output];
    let others = (0..labels.len()).filter(|i| decision.candidates[*i] && *i != taken);
    let Some(next) = others.max_by(|a, b| score(*a).cmp(score(*b)).then(b.cmp(a))) else {
        return format!("  [{}]", short(score(taken)));
    };
    let name = &problem.model().labels[labels[next].0 as usize];
    let margin: Rational = score(taken) - score(next);
    if margin.is_zero() {
        return format!("  [{}, a tie with {name}]", short(score(taken)));
    }
    format!("  [{}, {} ahead of {name}]", short(score(taken)), short(&margin))
}
