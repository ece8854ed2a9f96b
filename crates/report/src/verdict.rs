//! The verdict in words, what it rests on, and what was asked.

use serde_json::{Value, json};
use surefoot_text::counted;
use surefoot_verify::abstraction::words;
use surefoot_verify::look::Looked;
use surefoot_verify::result::body::{Body, Decided};
use surefoot_verify::result::{Command, Evidence, VerdictWord};
use surefoot_verify::{Claim, ResultObject};

use crate::data::{Certificate, Figure, Input, Subject, Verdict};
use crate::material::Material;
use crate::{marks_speak, seeks_unsafe};

/// What `verify` and `bounds` say.
pub(crate) fn decided(result: &ResultObject) -> Option<&Decided> {
    if let Some(Body::Decided(body)) = &result.body { Some(body) } else { None }
}

/// The verdict of a page.
pub(crate) fn verdict(material: &Material<'_>, looked: Option<&Looked<'_>>) -> Verdict {
    let result = material.result;
    Verdict {
        word: result.verdict.map(VerdictWord::word),
        checked: material.checked,
        headline: headline(material),
        reason: result.reason.clone(),
        engine: result.engine.clone(),
        seed: result.seed,
        rests: rests(material, looked),
        certificate: result.certificate.as_ref().map(|record| Certificate {
            file: record.file.clone().unwrap_or_else(|| "written only to be checked".to_owned()),
            bytes: Some(record.bytes),
            // Soundness: what a file says of a checker is nobody's judgement.
            accepted: (record.checked && !material.repeated).then_some(true),
            says: record.checked.then(|| {
                let says = "the checker, which contains no engine, confirmed it";
                if material.repeated { format!("the result says: {says}") } else { says.to_owned() }
            }),
        }),
        no_certificate: result.no_certificate.clone(),
    }
}

/// One sentence: what is so.
fn headline(material: &Material<'_>) -> String {
    let Material { problem, result, .. } = material;
    let avoids = problem.query.claim.is_some_and(Claim::is_avoidance);
    let what = problem.query.claim.map_or("a state as asked for", sought);
    let body = decided(result);
    if let Some(value) = body.and_then(|body| body.value.as_ref()) {
        let [lo, hi] = [&value.lo, &value.hi].map(crate::bounds::text);
        let of =
            if body.is_some_and(|body| body.expected.is_some()) { "the expected value" } else { "the probability" };
        let is = if lo == hi { format!("is {lo}") } else { format!("is between {lo} and {hi}") };
        return match result.verdict {
            Some(word) => format!("{}: {of} {is}", compared(word)),
            None => format!("{of} {is}"),
        };
    }
    if let Some(formula) = formula(result) {
        return match result.verdict {
            Some(VerdictWord::Holds) => format!("the formula holds in every start state: {formula}"),
            Some(VerdictWord::Violated) => format!("the formula fails in a start state: {formula}"),
            _ => "it is not known whether the formula holds".to_owned(),
        };
    }
    let steps = match &result.witness {
        Some(Evidence::Run(run)) => Some(run.steps.len() as u64),
        _ => None,
    };
    if problem.query.initial_only
        && let Some(word @ (VerdictWord::Holds | VerdictWord::Violated)) = result.verdict
    {
        // A condition on the start states themselves.
        let where_it_holds = match (avoids, word) {
            (true, VerdictWord::Holds) => "holds in every start state",
            (true, _) => "fails in a start state",
            (false, VerdictWord::Holds) => "holds in a start state",
            (false, _) => "holds in no start state",
        };
        return format!("the condition {where_it_holds}");
    }
    match (result.verdict, steps) {
        (Some(VerdictWord::Unknown), _) => format!("it is not known whether {what} can be reached"),
        (Some(_), Some(0)) => format!("{what} is among the start states"),
        (Some(_), Some(steps)) => format!("{what} can be reached in {}", counted(steps, "step")),
        (Some(word), None) if (word == VerdictWord::Holds) == avoids => {
            format!("no run from any start state reaches {what}")
        }
        (Some(_), None) => format!("{what} can be reached"),
        (None, _) if matches!(result.command, Command::Abstract) => {
            "an abstraction of the model under the policy".to_owned()
        }
        (None, _) => format!("the model {}", problem.model().name),
    }
}

/// What a comparison with a number came to.
fn compared(word: VerdictWord) -> &'static str {
    match word {
        VerdictWord::Holds => "the comparison holds",
        VerdictWord::Violated => "the comparison fails",
        VerdictWord::Unknown => "it is not known whether the comparison holds",
    }
}

/// The formula that was decided.
pub(crate) fn formula(result: &ResultObject) -> Option<&str> {
    match &result.body {
        Some(Body::Decided(body)) => body.formula.as_ref().map(|found| found.formula.as_str()),
        Some(Body::Formula(about)) => about.found.as_ref().map(|found| found.formula.as_str()),
        _ => None,
    }
}

/// What the verdict rests on, in sentences.
fn rests(material: &Material<'_>, looked: Option<&Looked<'_>>) -> Vec<String> {
    let result = material.result;
    // Soundness: what a file only says is told as that.
    let told = |text: &str| {
        if material.repeated { format!("The result says, and it was not done again: {text}") } else { text.to_owned() }
    };
    let mut rests = Vec::new();
    if material.run.is_some() {
        rests.push("The run was replayed step by step in exact arithmetic by the reference interpreter, which no engine shares.".to_owned());
    } else if let Some(Evidence::Run(_) | Evidence::Tree(_)) = result.witness {
        rests.push(told(
            "What shows it was replayed in exact arithmetic by the reference interpreter when it was found.",
        ));
    }
    let body = decided(result);
    let proof = material.sketch.as_ref().filter(|_| material.proved);
    match (result.verdict, body.and_then(|body| body.invariant.as_ref())) {
        (Some(VerdictWord::Holds), _) if let Some(sketch) = proof => rests.push(format!(
            "An inductive invariant of {}: it contains every start state and no unsafe one, and no move leaves it. Every step of that was decided in exact or outward-rounded arithmetic.",
            counted(sketch.states.len() as u64, "abstract state")
        )),
        // What a file only says, and is not proved again, is said below.
        (Some(VerdictWord::Holds), Some(invariant)) if !material.repeated => rests.push(format!(
            "An inductive invariant of {}, under the assumptions below: other solvers' answers, or errors of the model that are left open, are among them.",
            counted(invariant.states as u64, "abstract state")
        )),
        (Some(VerdictWord::Holds), None) if result.engine.as_deref() == Some("explicit") && result.witness.is_none() => {
            let visited = if material.problem.query.initial_only {
                "The condition was decided exactly in every start state."
            } else {
                "Every reachable state was visited, and its choice decided exactly."
            };
            rests.push(told(visited));
        }
        _ => {}
    }
    if let Some(value) = body.and_then(|body| body.value.as_ref()) {
        let exact = "Both bounds are the same number: it is the value itself.";
        let outward = "The ends of the interval are rounded outward: the value is between them whatever rounding did.";
        rests.push(told(if value.lo == value.hi { exact } else { outward }));
    }
    let problem = material.problem;
    let bounded = problem.query.quantity.as_ref().is_some_and(|quantity| quantity.steps.is_some());
    if bounded || problem.asking.within.is_some() {
        rests.push(
            "The question is about so many steps; what is marked on states here is about runs of any length."
                .to_owned(),
        );
    }
    if let Some(open) = body.and_then(|body| body.open_errors.as_ref()) {
        rests.push(format!("It is open whether the model is in error: {} ({}).", open.what, open.because));
    }
    // What a certificate says stands beside it; a run shows itself.
    let shown = result.witness.is_some() || result.certificate.is_some() || result.no_certificate.is_some();
    if result.verdict == Some(VerdictWord::Holds) && !shown {
        rests.push("No certificate was written: without one the verdict rests on the engine.".to_owned());
    }
    if material.repeated {
        let proof = if material.proved {
            "Its predicates were abstracted anew for this page, and no unsafe abstract state is reached."
        } else {
            "What it says of a proof was not made again."
        };
        rests.push(format!("The verdict was read from a result file. {proof}"));
        rests.extend(looked.and_then(|looked| visited(material, looked)));
        rests.extend(reached_anew(material, looked));
        rests.extend(changed(material));
    }
    rests
}

/// Whether the verdict itself was reached anew, where nothing else that is said shows it.
fn reached_anew(material: &Material<'_>, looked: Option<&Looked<'_>>) -> Option<String> {
    if !material.checked {
        let text = "Nothing that was done for this page shows that the verdict is right: it is what the file says.";
        return Some(text.to_owned());
    }
    let is_decided = material.result.verdict.is_some_and(|word| word != VerdictWord::Unknown);
    let is_shown = material.run.is_some() || looked.is_some_and(|looked| visited(material, looked).is_some());
    let is_proved = material.proved && material.problem.query.claim.is_some();
    (is_decided && !is_shown && !is_proved)
        .then(|| "All reachable states were visited anew for this page, and show the same verdict.".to_owned())
}

/// Files that are not what they were when the result was made.
fn changed(material: &Material<'_>) -> Option<String> {
    let is_now = |name: &str| material.problem.inputs.iter().find(|(known, _)| known == name).map(|(_, hash)| hash);
    let before = &material.result.inputs.0;
    let changed = before.iter().filter(|(name, hash)| is_now(name).is_some_and(|now| now != hash));
    let names: Vec<&str> = changed.map(|(name, _)| name.as_str()).collect();
    let what =
        "the verdict, the figures and the hashes here are of what was read before, all pictures of what is read now";
    (!names.is_empty())
        .then(|| format!("Not the same any more since the result was written: {}; {what}.", names.join(", ")))
}

/// What a visit of all states says of a verdict that was only read.
fn visited(material: &Material<'_>, looked: &Looked<'_>) -> Option<String> {
    let (problem, result) = (material.problem, material.result);
    let claim = problem.query.claim.filter(|_| formula(result).is_none() && !problem.query.initial_only)?;
    let target = looked.target.as_ref().filter(|_| decided(result).is_some_and(|body| body.value.is_none()))?;
    let (all, is) = (looked.graph.frontier().universe(), if target.count() > 0 { "is" } else { "is not" });
    Some(format!(
        "All reachable states, {all}, were visited anew for this page, and {} {is} among them.",
        sought(claim)
    ))
}

/// What a claim is about.
fn sought(claim: Claim) -> &'static str {
    if claim.is_avoidance() { "an unsafe state" } else { "a state as asked for" }
}

/// What was read.
pub(crate) fn inputs(result: &ResultObject) -> Vec<Input> {
    result.inputs.0.iter().map(|(name, hash)| Input { name: name.clone(), hash: hash.clone() }).collect()
}

/// What was asked.
pub(crate) fn subject(material: &Material<'_>) -> Subject {
    let told = surefoot_verify::result::Subject::of(material.problem);
    let mut question = material.problem.asking.told();
    question.extend(conditions_of(material));
    let constants = told.constants.0.iter().map(|(name, value)| {
        let value = serde_json::to_value(value).unwrap_or_default();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        json!({"name": name, "value": text})
    });
    Subject {
        constants: constants.collect(),
        question: question.into_iter().map(|(name, text)| json!({"name": name, "text": text})).collect(),
        property: told.property.as_ref().and_then(|property| serde_json::to_value(property).ok()),
        policy: told.policy.as_ref().and_then(|policy| serde_json::to_value(policy).ok()),
        model: told.model,
    }
}

/// What the property's file says of start states and of those that are looked for, where the command line did not say it; nothing of conditions that are not linear.
fn conditions_of(material: &Material<'_>) -> Vec<(&'static str, String)> {
    let problem = material.problem;
    let (query, asking) = (&problem.query, &problem.asking);
    let text = |conditions: &[_]| words::conditions(problem, conditions).ok().filter(|texts| !texts.is_empty());
    let mut told = Vec::new();
    if let Some(target) = query.target.filter(|_| asking.never.is_none() && marks_speak(material)) {
        let name = if seeks_unsafe(problem) { "unsafe states" } else { "states asked for" };
        told.extend(text(&[target]).map(|texts| (name, texts.concat())));
    }
    if asking.start.is_none() && query.start.states.is_empty() {
        told.extend(text(&query.start.conditions).map(|texts| ("start states", texts.join(" | "))));
    }
    told.into_iter().map(|(name, text)| (name, clipped(text))).collect()
}

/// The beginning of a text that nobody would read to its end.
fn clipped(text: String) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// Explanations of figures whose names do not say enough.
const HINTS: &[(&str, &str)] = &[
    ("start_states", "States in which runs start."),
    ("reachable_states", "States that runs come to, start states included; of an abstraction, abstract states."),
    ("expanded_states", "States whose successors were looked for."),
    ("choices", "Pairs of a state and something that can happen there."),
    ("transitions", "Pairs of a state and a state that can follow it, by the same choice each counted once."),
    ("deadlocks", "States that nothing can follow."),
    ("oracle_queries", "Questions whether the policy chooses an action somewhere in a region."),
    ("oracle_nodes", "Regions that were looked at to answer the questions."),
    ("iterations", "How often an abstraction was built, and a path in it looked at."),
    (
        "policy_refinements",
        "Iterations in which the model alone could do what the path does, and only the policy does not.",
    ),
    ("exact_decisions", "Choices so close that floats left them open, and exact arithmetic decided."),
    ("terminal_states", "Goal states, in which runs end."),
];

/// The figures of a result, in its order.
pub(crate) fn statistics(result: &ResultObject) -> Vec<Figure> {
    let Ok(Value::Object(members)) = serde_json::to_value(&result.statistics) else { return Vec::new() };
    let figures = members.into_iter().filter(|(key, value)| !value.is_null() && !varies(key));
    // Figures in groups are written one by one.
    let figures = figures.flat_map(|(key, value)| match value {
        Value::Object(parts) => {
            let some = parts.into_iter().filter(|(_, value)| value.as_u64() != Some(0));
            some.map(|(part, value)| (format!("{key} by {part}"), value)).collect()
        }
        value => vec![(key, value)],
    });
    let figure = |(key, value): (String, Value)| Figure {
        name: key.replace('_', " "),
        value: if value.is_number() {
            value
        } else {
            Value::String(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        },
        hint: HINTS.iter().find(|(known, _)| *known == key).map(|(_, hint)| *hint),
        key,
    };
    figures.map(figure).collect()
}

/// Figures that differ from run to run of the same: a page is the same for the same input.
fn varies(key: &str) -> bool {
    ["seconds", "bytes", "per_second"].iter().any(|part| key.contains(part))
}
