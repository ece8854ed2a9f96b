//! `zoo predicates`: predicate sets of any size for any model.

use std::collections::BTreeSet;

use surefoot_files::replace;
use surefoot_model::model::{Domain, Slot};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_text::suggest;
use surefoot_verify::result::body::{About, Predicates};
use surefoot_verify::result::{Body, Command, Subject};
use surefoot_verify::{Failure, Problem, ResultObject, Selection};
use surefoot_zoo::predicates::{Variable, choose, file};

use crate::args::zoo::ZooPredicatesArgs;
use crate::output::{Exit, Output, counted};
use crate::process;

pub(super) fn run(args: &ZooPredicatesArgs) -> Result<Exit, Exit> {
    let (common, request) = (&args.common, args.common.request(&args.model));
    let mut output = Output::new(common)?;
    output.protect_files(request.files())?;
    let nothing = || ResultObject::new(Command::ZooPredicates, common.seed);
    process::expect(output.free_json(), nothing());
    let budget = common.budget();
    let mut sources = SourceMap::default();
    let loaded = Problem::load(&mut sources, &request, Selection::Optional);
    let problem = loaded.map_err(|failure| output.failure(nothing(), &failure, &sources))?;
    output.guard(&sources.inputs)?;
    output.notes(&problem.notes, &sources);
    output.claim("--out", &args.out)?;
    output.guard(&sources.inputs)?;
    let fail = |message: String| {
        let failure = Failure::from(Diagnostic::error_anywhere(message));
        output.failure(nothing(), &failure, &sources)
    };
    let variables = variables(&problem, &args.variables).map_err(fail)?;
    let predicates = choose(&variables, args.count).map_err(|error| fail(error.to_string()))?;
    let shown = args.out.display();
    let written = replace(&args.out, |out| out.write_all(file(&predicates).as_bytes()));
    written.map_err(|error| fail(format!("cannot write {shown}: {error}")))?;
    let mut text = format!("done: wrote {} to {shown}\n", counted(predicates.len() as u64, "predicate"));
    for variable in &variables {
        let cuts: BTreeSet<i64> = predicates.iter().filter(|p| p.variable == variable).map(|p| p.least).collect();
        let cuts: Vec<String> = cuts.iter().map(i64::to_string).collect();
        text.push_str(&format!("  {} ({}..{})  {}\n", variable.name, variable.lower, variable.upper, cuts.join(" ")));
    }
    let predicates = predicates.iter().map(|p| p.expression()).collect();
    let found = Some(Predicates { file: shown.to_string(), predicates });
    let about = About { subject: Subject::of(&problem), found };
    let report = ResultObject {
        body: Some(Body::Predicates(Box::new(about))),
        ..ResultObject::about(Command::ZooPredicates, common.seed, &problem)
    };
    Ok(output.result(&text, &report.after(budget.started.elapsed().as_secs_f64()), Exit::Done))
}

/// Those that are named; else those that the policy reads; else all bounded integers.
fn variables(problem: &Problem, named: &[String]) -> Result<Vec<Variable>, String> {
    let model = problem.model();
    let slots = &model.slots[model.instances.len()..];
    if !named.is_empty() {
        return named.iter().map(|name| find(slots, name)).collect();
    }
    let read: BTreeSet<usize> = problem
        .policy
        .iter()
        .flat_map(|loaded| &loaded.policy.networks)
        .flat_map(|network| &network.inputs)
        .flat_map(|input| input.terms().iter().map(|(symbol, _)| symbol.index()))
        .filter(|slot| *slot >= model.instances.len())
        .collect();
    let integers = || slots.iter().filter(|slot| matches!(slot.domain, Domain::Int { .. })).filter_map(variable);
    if read.is_empty() {
        return Ok(integers().collect());
    }
    Ok(read.iter().filter_map(|slot| variable(&model.slots[*slot])).collect())
}

fn find(slots: &[Slot], name: &str) -> Result<Variable, String> {
    let slot = slots.iter().find(|slot| &*slot.name == name).ok_or_else(|| {
        let hint = suggest(name, slots.iter().map(|slot| &*slot.name));
        let hint = hint.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
        format!("the model has no variable '{name}'{hint}; {}", possible(slots))
    })?;
    variable(slot).ok_or_else(|| format!("'{name}' is no bounded integer and no truth value; {}", possible(slots)))
}

/// The variables that can be named; of very many only the first.
fn possible(slots: &[Slot]) -> String {
    const MOST: usize = 40;
    let names: Vec<&str> = slots.iter().filter(|slot| variable(slot).is_some()).map(|slot| &*slot.name).collect();
    match names.len() {
        0 => "there is no bounded integer and no truth value".to_owned(),
        n if n > MOST => format!("variables are: {}, and {} more", names[..MOST].join(", "), n - MOST),
        _ => format!("variables are: {}", names.join(", ")),
    }
}

/// A variable with a discrete domain. JANI names locals without their automaton.
fn variable(slot: &Slot) -> Option<Variable> {
    let (lower, upper) = slot.domain.int_bounds()?;
    let name = if slot.instance.is_some() { slot.name.rsplit('.').next()? } else { &slot.name };
    Some(Variable { name: name.to_owned(), lower, upper, boolean: matches!(slot.domain, Domain::Bool) })
}
