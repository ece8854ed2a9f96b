//! Evidence against a formula as a table: states, actions, scores and margins; a tree where all successors matter.

use surefoot_model::policy::Outputs;
use surefoot_num::Rational;
use surefoot_verify::Problem;
use surefoot_verify::ctl::{CtlWitness, WitnessNode, WitnessStep};
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
    let first = if path.len() == 1 { String::new() } else { beyond(&witness.nodes[path[0]]) };
    let mut lines = vec![
        format!("{:>5}  {:width$}  state", "step", "action"),
        format!("{:>5}  {:width$}  {}{first}", "start", "", witness.nodes[path[0]].state.describe(model)),
    ];
    for (i, pair) in path.windows(2).enumerate() {
        let step = &witness.nodes[pair[0]].steps[0];
        let state = witness.nodes[pair[1]].state.describe(model);
        let last = if i + 2 == path.len() { String::new() } else { beyond(&witness.nodes[pair[1]]) };
        lines.push(format!("{:>5}  {:width$}  {state}{}{last}", i + 1, action(problem, step), scores(problem, step)));
    }
    let last = path.len() - 1;
    if let Some(before) = path[..last].iter().position(|node| *node == path[last]) {
        let place = if before == 0 { "the start".to_owned() } else { format!("step {before}") };
        lines.push(format!("{:>5}  {:width$}  (as after {place}: so it goes on for ever)", "...", ""));
    }
    if witness.nodes[path[last]].unshown {
        lines.push(format!("{:>5}  {:width$}{}", "...", "", beyond(&witness.nodes[path[last]])));
    }
    lines
}

/// Said of states from which nothing that can happen makes a difference.
const UNSHOWN: &str = "(whatever happens from here on, for ever)";

/// Run by run: each goes on by the first step of every node, and others begin where a node has several. A node that was shown before is only named.
fn tree_lines(problem: &Problem, witness: &CtlWitness) -> Vec<String> {
    let model = problem.model();
    let actions = witness.nodes.iter().flat_map(|node| &node.steps).map(|step| action(problem, step).len());
    let width = actions.max().unwrap_or(0).clamp(6, 32);
    let mut lines = vec![format!("{:>5}  {:width$}  state", "node", "action")];
    let mut shown = vec![false; witness.nodes.len()];
    // Where a run begins: at a step of a node, or at the start.
    let mut work: Vec<Option<(usize, usize)>> = vec![None];
    while let Some(begin) = work.pop() {
        if lines.len() > MOST_LINES {
            lines.push(String::new());
            break;
        }
        if let Some((from, step)) = begin {
            let claims = &witness.nodes[witness.nodes[from].steps[step].target].shows;
            let what = if claims.is_empty() { String::new() } else { format!(", to show {}", claims.join(" and ")) };
            lines.push(format!("from node {from}{what}:"));
        }
        let (mut next, mut run) = (begin, Vec::new());
        loop {
            let node = next.map_or(0, |(from, step)| witness.nodes[from].steps[step].target);
            let step = next.map(|(from, step)| &witness.nodes[from].steps[step]);
            let (taken, scored) = step.map_or_else(Default::default, |s| (action(problem, s), scores(problem, s)));
            let state = witness.nodes[node].state.describe(model);
            if std::mem::replace(&mut shown[node], true) {
                let again = if run.contains(&node) { ": so it goes on for ever" } else { ", and on from there" };
                lines.push(format!("{:>5}  {taken:width$}  {state}{scored}  (node {node} again{again})", "..."));
                break;
            }
            let WitnessNode { steps, all, .. } = &witness.nodes[node];
            let every =
                if *all && steps.len() > 1 { format!("  (all {} successors)", steps.len()) } else { String::new() };
            lines.push(format!("{node:>5}  {taken:width$}  {state}{scored}{every}{}", beyond(&witness.nodes[node])));
            run.push(node);
            work.extend((1..steps.len()).rev().map(|step| Some((node, step))));
            if steps.is_empty() || lines.len() > MOST_LINES {
                break;
            }
            next = Some((node, 0));
        }
    }
    lines
}

/// What is said of a state in which something holds whatever happens.
fn beyond(node: &WitnessNode) -> String {
    match (node.unshown, node.rests.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("  {UNSHOWN}"),
        (true, false) => format!("  (whatever happens from here on: {})", node.rests.join(" and ")),
    }
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
