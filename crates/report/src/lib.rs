//! Pages that show what was decided: one HTML file with a verdict and all that it rests on.
//!
//! [`report`] makes a page from a [`Material`]: a problem, the result of a command, and what that kept to be looked at. It draws and decides nothing: every choice
//! of the policy on it was decided exactly, and every mark of a state follows from a proof or from a visit of all states.
//!
//! * [`material`]: what a page is made from; [`mod@page`]: the file; [`data`], [`pack`]: what it holds, and how that is written (`PAGE.md`);
//! * `verdict`, `run`, `bounds`, `invariant`, `proof`: what the command said; [`names`]: variables and states;
//! * [`graph`]: states as boxes in boxes; [`states`]: what is known of single states; [`chooser`], `slices`: what the policy chooses where;
//! * [`drawing`]: how states of a domain are drawn; [`serve`]: the page served, and the questions that it asks.

mod assets;
mod bounds;
pub mod chooser;
pub mod data;
pub mod drawing;
pub mod graph;
mod invariant;
pub mod material;
pub mod names;
pub mod pack;
pub mod page;
mod proof;
mod run;
pub mod serve;
mod slices;
pub mod states;
mod verdict;

use surefoot_verify::Problem;
use surefoot_verify::look::{Looked, first_start, look};

use chooser::Chooser;
use data::Page;
use graph::{arrange, of_sketch, of_states};
pub use material::Material;
use names::Names;
use pack::Columns;
use states::{Known, most_states};

/// The page of a command's result, and the columns that it speaks of.
#[must_use]
pub fn report(material: &Material<'_>) -> (Page, Columns) {
    let probable = verdict::decided(material.result).is_some_and(|body| body.value.is_some());
    let mut looked = look(material.problem, material.budget, most_states(material.problem), probable);
    // What a formula asks is not about the states that the property looks for, even where it came with them.
    if let Some(looked) = looked.as_mut().filter(|_| !marks_speak(material)) {
        (looked.target, looked.distance) = (None, None);
    }
    let (page, columns, _) = page_of(material, looked.as_ref());
    (page, columns)
}

/// The same with states that were visited already; also gives their numbers in the graph of the page.
fn page_of(material: &Material<'_>, looked: Option<&Looked<'_>>) -> (Page, Columns, Vec<u32>) {
    let Material { problem, result, .. } = material;
    let names = Names::new(problem);
    let mut columns = Columns::new();
    let (actions, policy_actions) = names::actions(problem);
    let verdict = verdict::verdict(material, looked);
    let mut run = run::run(material, &names);
    let (diary, diary_predicates) = proof::diary(result, &names);
    let known = Known::new(material, looked);
    if let Some(run) = &mut run {
        let mark = |state: &Option<_>| state.as_ref().map_or(states::mark::NOTHING, |state| known.mark(state));
        run.marks = run.exactly.iter().map(mark).collect();
        // It was replayed to there: that needs no visit of all states.
        if let Some(last) = run.marks.last_mut().filter(|_| run::ends_in_target(material)) {
            *last = states::mark::UNSAFE;
        }
    }
    let mut chooser = Chooser::new(problem);
    let start = looked
        .filter(|looked| looked.graph.starts > 0)
        .map(|looked| looked.graph.state(0))
        .or_else(|| first_start(problem));
    // Who interrupts does not want to wait for pictures.
    let over = || material.budget.cancel.stopped().is_some();
    let slices = chooser.as_mut().and_then(|chooser| {
        let (run, start) = (run.as_ref(), start.as_ref());
        slices::slices(run, looked, start, &names, chooser, &policy_actions, &known, &mut columns, &over)
    });
    let states =
        looked.map(|looked| states::states(looked, &names, chooser.as_mut(), &policy_actions, &mut columns, &over));
    let (graph, numbers) = graph(material, &names, looked, &mut columns).unzip();
    let page = Page {
        format: data::FORMAT,
        mode: "report",
        title: title(material, &verdict.headline),
        tool: "surefoot",
        version: result.version.clone(),
        command: serde_json::to_value(result.command)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default(),
        repeat: material.repeat.clone(),
        assumptions: result.assumptions.clone(),
        inputs: verdict::inputs(result),
        subject: verdict::subject(material),
        statistics: verdict::statistics(result),
        invariant: invariant::invariant(material, &names),
        bounds: bounds::bounds(material, &names, looked),
        cover: proof::cover(material),
        formula: proof::formula(result),
        tree: run::tree(result, &names),
        start: start.map(|start| data::Start { state: names.values(&start), exact: names.rounded(&start) }),
        drawing: material.drawing.clone(),
        variables: names.variables,
        verdict,
        actions,
        policy_actions,
        sought: if seeks_unsafe(problem) { "unsafe" } else { "wanted" },
        run,
        diary,
        diary_predicates,
        states,
        slices,
        graph,
        given_predicates: Vec::new(),
    };
    (page, columns, numbers.unwrap_or_default())
}

/// Whether marks of states speak of what is asked: not where a formula is, but for one that unsafe states are not reached within so many steps.
fn marks_speak(material: &Material<'_>) -> bool {
    let problem = material.problem;
    let is_formula = problem.query.temporal.is_some() || verdict::formula(material.result).is_some();
    !is_formula || asks_within(problem)
}

/// Whether the question is that no unsafe state is reached within so many steps: it is decided as a formula.
fn asks_within(problem: &Problem) -> bool {
    let asking = &problem.asking;
    problem.query.temporal.is_some() && asking.within.is_some() && !asking.always_reach && asking.formula.is_none()
}

/// Whether what is looked for is what should not happen.
fn seeks_unsafe(problem: &Problem) -> bool {
    let complement = problem.query.quantity.as_ref().is_some_and(|quantity| quantity.complement);
    complement
        || problem.asking.never.is_some()
        || asks_within(problem)
        || surefoot_verify::result::seeks_unsafe(problem) == Some(true)
}

/// What stands in the title of a window.
fn title(material: &Material<'_>, headline: &str) -> String {
    let model = &material.problem.model().name;
    let said = if material.checked { "" } else { "not checked, said to be: " };
    match (material.result.verdict, &material.problem.property) {
        (Some(word), Some(property)) => format!("{said}{}: {model}, {}", word.word(), property.name),
        (Some(word), None) => format!("{said}{}: {model}", word.word()),
        (None, _) => format!("{model}: {headline}"),
    }
}

/// The abstraction, or else all states; and the numbers of the states in it.
fn graph(
    material: &Material<'_>,
    names: &Names<'_>,
    looked: Option<&Looked<'_>>,
    columns: &mut Columns,
) -> Option<(graph::Graph, Vec<u32>)> {
    let (sketched, about) = match (&material.sketch, looked) {
        (Some(sketch), _) => {
            let diary = verdict::decided(material.result).and_then(|body| body.diary.as_deref()).unwrap_or_default();
            of_sketch::sketched(material.problem, names, sketch, diary)
        }
        (None, Some(looked)) => of_states::sketched(names, looked),
        (None, None) => return None,
    };
    (!sketched.rows.is_empty()).then(|| arrange(sketched, about, columns))
}
