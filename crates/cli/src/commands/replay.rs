//! `replay`: steps through a counterexample, exactly and in single precision.

use serde_json::{Value, json};
use surefoot_certificate::{ReadWitness, read_witness};
use surefoot_files::{Kind, escape};
use surefoot_text::diagnostic::{Diagnostic, bounded};
use surefoot_text::source::SourceMap;
use surefoot_text::{load, render};
use surefoot_verify::replay::formula::replay_formula;
use surefoot_verify::replay::result::{self, Shows};
use surefoot_verify::replay::{NotReal, Replayed, WitnessError, replay_witness};
use surefoot_verify::{Failure, Problem, Report, Request, Selection, read_formula};

use super::subject;
use crate::args::ReplayArgs;
use crate::output::{Exit, Output, complain, counted};
use crate::table::{decided_steps, float32_differences, run_table};

pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let opened = Output::new(&args.common).and_then(|mut output| {
        output.protect_files([&args.witness])?;
        output.protect(&args.common.request(&args.model))?;
        Ok(output)
    });
    let mut output = match opened {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let started = args.common.budget().started;
    let mut witness_sources = SourceMap::default();
    let unreadable = |output: &Output, error: Diagnostic, sources: &SourceMap| {
        output.failure(Report::new("replay", args.common.seed), &error.into(), sources)
    };
    let read = match read(&mut witness_sources, args) {
        Ok(read) => read,
        Err(error) => {
            return unreadable(&output, error, &witness_sources);
        }
    };
    let mut request = args.common.request(&args.model);
    // The witness knows what it is about.
    let property_chosen = request.property.is_some();
    let named = read.result.as_ref().and_then(|claims| claims.property.clone().flatten());
    request.property = request.property.or_else(|| read.witness.property.clone()).or(named);
    // What the witness was read from is an input too, and standard input is read once only.
    let mut sources = SourceMap::default();
    sources.inputs.extend(&witness_sources.inputs);
    let shows = match result::shows(&read) {
        Ok(shows) => shows,
        Err(error) => return unreadable(&output, error, &witness_sources),
    };
    let selection = if shows == Shows::Target { Selection::Decide } else { Selection::Optional };
    let mut problem = match Problem::load(&mut sources, &request, selection) {
        Ok(problem) => problem,
        Err(failure) => return output.failure(Report::new("replay", args.common.seed), &failure, &sources),
    };
    if let Err(exit) = output.guard(&sources.inputs) {
        return exit;
    }
    output.notes(&problem.notes, &sources);
    output.notes(&changed_files(&problem, &read), &sources);
    if let Some(claims) = &read.result
        && let Err(error) = result::check_subject(&problem, claims, property_chosen)
    {
        return unreadable(&output, error, &witness_sources);
    }
    let replayed = match carry_out(&mut sources, &mut problem, &request, &read, &shows) {
        Ok(replayed) => replayed,
        Err(failure) => return output.failure(Report::new("replay", args.common.seed), &failure, &sources),
    };
    let result = match replayed {
        Ok(run) => Ok(run),
        Err(WitnessError::NotReal(reason)) => Err(reason),
        Err(WitnessError::OtherModel(state, reason)) => {
            let span = if state == 0 { read.start_span } else { read.step_spans[state - 1] };
            let error = Diagnostic::error(span, format!("the witness is not about this model: {reason}"))
                .with_help("give the model, properties, policy and constants that it was found with");
            return unreadable(&output, error, &witness_sources);
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut report = Report::new("replay", args.common.seed);
    report.describe_problem(&problem);
    report.set("engine", "replay");
    let (text, exit) = match &result {
        Ok(run) => real(&problem, run, &shows, &mut report),
        Err(reason) => {
            let span = match reason {
                NotReal::Start(_) => read.start_span,
                NotReal::Step(step, _) => read.step_spans[step - 1],
                NotReal::End(_) => read.step_spans.last().copied().unwrap_or(read.start_span),
                NotReal::Claim(_) => read.result.as_ref().map_or(read.start_span, |claims| claims.span),
            };
            if !args.common.quiet {
                complain(&render(&Diagnostic::notice(span, format!("not real: {reason}")), &witness_sources));
            }
            report.set("real", false);
            report.set("reason", reason.to_string());
            let step = match reason {
                NotReal::Start(_) => Some(0),
                NotReal::Step(step, _) => Some(*step),
                NotReal::End(_) => Some(read.witness.steps.len()),
                NotReal::Claim(_) => None,
            };
            report.set("step", json!(step));
            // The reason quotes the witness, and what it quotes must not look like lines of ours.
            let reason = bounded(reason.to_string());
            (format!("not real: {reason}\n{}", subject(&problem)), Exit::Violated)
        }
    };
    output.result(&text, &report.finish(seconds), exit)
}

/// Replays the run, and holds it against what it is to show and what the result says.
fn carry_out(
    sources: &mut SourceMap,
    problem: &mut Problem,
    request: &Request,
    read: &ReadWitness,
    shows: &Shows,
) -> Result<Result<Replayed, WitnessError>, Failure> {
    let replayed = match shows {
        Shows::Target => replay_witness(problem, read),
        Shows::Formula(text) => {
            let formula = read_formula(sources, problem, request, Some(text))?;
            replay_formula(problem, &formula, read)?
        }
    };
    if let (Ok(_), Some(claims)) = (&replayed, &read.result)
        && let Err(reason) = result::check_verdict(problem, claims, shows)?
    {
        return Ok(Err(WitnessError::NotReal(reason)));
    }
    Ok(replayed)
}

fn read(sources: &mut SourceMap, args: &ReplayArgs) -> Result<ReadWitness, Diagnostic> {
    let file = load(sources, &args.witness, Kind::Result)?;
    let text = &sources.file(file).text;
    let object = serde_json::from_str::<Value>(text).unwrap_or_default();
    if object["witness"]["kind"] == "tree" {
        let message =
            "the witness is a tree of runs, or stays in a state without successors: there is no run to step through";
        let help = "it was replayed when it was found; run `surefoot ctl` with the same formula to see that again";
        return Err(Diagnostic::error_anywhere(message.to_owned()).refusal().with_help(help));
    }
    read_witness(file, text)
}

/// Files that are not what they were when the witness was found: worth knowing when it fails.
fn changed_files(problem: &Problem, read: &ReadWitness) -> Vec<Diagnostic> {
    let changed = problem
        .inputs
        .iter()
        .filter(|(file, hash)| read.inputs.iter().any(|(known, before)| known == file && before != hash));
    changed
        .map(|(file, _)| {
            let mut note = Diagnostic::error_anywhere(format!("{file} has changed since the witness was found"));
            note.severity = surefoot_text::diagnostic::Severity::Notice;
            note
        })
        .collect()
}

fn real(problem: &Problem, run: &Replayed, shows: &Shows, report: &mut Report) -> (String, Exit) {
    let differences = float32_differences(problem, run);
    report.set("witness", json!(run.witness));
    report.set("real", true);
    let steps: Vec<_> = differences.iter().map(|(step, text)| json!({"step": step, "difference": text})).collect();
    report.set("float32", json!({"agrees": differences.is_empty(), "differences": steps}));
    let steps = counted(run.steps.len() as u64, "step");
    let mut text = match (shows, problem.query.claim) {
        (Shows::Formula(formula), _) => {
            report.set("formula", formula.clone());
            let formula = escape(formula);
            format!(
                "real: {steps} from a start state in which the formula fails, in exact arithmetic\n  formula   {formula}\n"
            )
        }
        (Shows::Target, Some(claim)) if claim.is_avoidance() => {
            format!("real: {steps} from a start state to an unsafe state, in exact arithmetic\n")
        }
        (Shows::Target, _) => {
            format!("real: {steps} from a start state to a state as asked for, in exact arithmetic\n")
        }
    };
    text.push_str(&subject(problem));
    let decided = decided_steps(run);
    match (decided, differences.len()) {
        (0, _) => text.push_str("  float32   no step is decided by the policy's scores\n"),
        (n, 0) => text.push_str(&format!("  float32   the same choices in all {}\n", counted(n as u64, "decision"))),
        (n, different) => {
            text.push_str(&format!("  float32   other choices in {different} of {}:\n", counted(n as u64, "decision")));
            for (step, difference) in &differences {
                text.push_str(&format!("    step {step}: {difference}\n"));
            }
        }
    }
    text.push('\n');
    text.push_str(&run_table(problem, run));
    (text, Exit::Done)
}
