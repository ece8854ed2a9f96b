//! `zoo distil`: networks that imitate a domain's own solution.

use std::path::Path;

use surefoot_explicit::simulate::confidence;
use surefoot_files::{Inputs, Kind, Origin, escape, replace};
use surefoot_network::{nnet, onnx};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Event;
use surefoot_verify::result::zoo::{Distilled, DistilledNetwork, TrialRecord};
use surefoot_verify::result::{Body, Command};
use surefoot_verify::{Failure, ResultObject};
use surefoot_zoo::distil::{DistilError, Distillation, Progress, Span, Trial, distil};

use crate::args::distil::ZooDistilArgs;
use crate::output::{Exit, Output, counted};
use crate::process;
use crate::progress::Terminal;

/// The share of the time that goes to learning; the rest is for judging what was learned.
const LEARNING_SHARE: f64 = 0.9;

pub(super) fn run(args: &ZooDistilArgs) -> Result<Exit, Exit> {
    let mut output = Output::to(args.json.as_deref(), args.quiet)?;
    args.events.as_deref().map_or(Ok(()), |path| output.claim("--events", path))?;
    let nothing = || ResultObject::new(Command::ZooDistil, args.seed);
    process::expect(output.free_json(), nothing());
    let fail = |output: &Output, failure: Failure| output.failure(nothing(), &failure, &SourceMap::default());
    let budget = args.budget();
    let share = budget.time.and_then(|time| budget.started.checked_add(time.mul_f64(LEARNING_SHARE)));
    let span = Span { learning: budget.limits().until(share), judging: budget.limits(), threads: budget.threads };
    let names = surefoot_zoo::distil::names(&args.domain).map_err(|error| fail(&output, failure(&error)))?;
    let files: Vec<String> = names.iter().flat_map(|name| ["nnet", "onnx"].map(|e| format!("{name}.{e}"))).collect();
    prepare(args, &mut output, &files).map_err(|error| match error {
        Refused::Exit(exit) => exit,
        Refused::Because(diagnostic) => fail(&output, diagnostic.into()),
    })?;
    let reporter = Terminal::to(args.events.as_deref(), output.is_quiet(), budget.started)?;
    let distilled = distil(&args.domain, &args.settings, &args.options(), &span, &reporter);
    let distillation = match distilled {
        Ok(distillation) => distillation,
        Err(error) => {
            drop(reporter);
            return Err(fail(&output, failure(&error)));
        }
    };
    reporter.end(&progress(args, &distillation).figures(), None);
    drop(reporter);
    write(&args.out, &distillation).map_err(|error| fail(&output, error))?;
    let record = record(args, &distillation, files);
    let mut report = ResultObject { body: Some(Body::Distilled(Box::new(record.clone()))), ..nothing() };
    let mut exit = Exit::Done;
    if let Some(stop) = distillation.stopped {
        let made = distillation.networks.iter().map(|network| network.updates).min().unwrap_or(0);
        let of = args.options().imitation.updates;
        let limit = budget.describe(stop);
        report = report.unknown(format!("{limit} after {made} of {of} updates; the networks were written as they are"));
        exit = Exit::Unknown;
    }
    let report = report.after(budget.started.elapsed().as_secs_f64());
    Ok(output.result(&text(&record, &report), &report, exit))
}

/// Why nothing is begun.
enum Refused {
    Exit(Exit),
    Because(Diagnostic),
}

/// Makes the folder, unless there are networks in it that someone else wrote.
fn prepare(args: &ZooDistilArgs, output: &mut Output, files: &[String]) -> Result<(), Refused> {
    let shown = args.out.display();
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Refused::Because(Diagnostic::error_anywhere(format!("cannot make the folder {shown}: {error}")))
    })?;
    let there: Vec<&str> = files.iter().map(String::as_str).filter(|name| args.out.join(name).exists()).collect();
    if let Some(name) = there.iter().find(|name| !ours(&args.out.join(name))) {
        let message = format!("in {shown}, {name} is there already, and was not distilled");
        let help = "give another folder by --out, or move what is there away";
        return Err(Refused::Because(Diagnostic::error_anywhere(message).with_help(help)));
    }
    for name in files {
        output.claim("--out", &args.out.join(name)).map_err(Refused::Exit)?;
    }
    if !there.is_empty() {
        output.details(&format!("notice: in {shown}, {} will be replaced", there.join(", ")));
    }
    Ok(())
}

/// Whether a file says that this program wrote it.
fn ours(path: &Path) -> bool {
    let bytes = Inputs::default().read(path, Kind::Network, Origin::Reached).unwrap_or_default();
    bytes.windows(8).take(256).any(|window| window == b"surefoot")
}

fn failure(error: &DistilError) -> Failure {
    match error {
        DistilError::Stopped(stop) => Failure::Stopped(*stop),
        DistilError::Diverged(_) => Diagnostic::error_anywhere(error.to_string())
            .with_help("try a smaller --learning-rate, or a larger --temperature")
            .into(),
        DistilError::Parameter(_) | DistilError::Option(_) => Diagnostic::error_anywhere(error.to_string()).into(),
    }
}

fn progress(args: &ZooDistilArgs, distillation: &Distillation) -> Progress {
    let (_, sweeps) = distillation.table;
    let made = distillation.networks.iter().map(|network| network.updates).sum();
    let of = args.options().imitation.updates.saturating_mul(distillation.networks.len() as u64);
    Progress { sweeps: (sweeps, sweeps), updates: (made, of) }
}

fn write(folder: &Path, distillation: &Distillation) -> Result<(), Failure> {
    for distilled in &distillation.networks {
        let by_nnet = nnet::write(&distilled.network).map_err(|error| Failure::Internal(error.to_string()))?;
        let by_onnx = onnx::write(&distilled.network).map_err(|error| Failure::Internal(error.to_string()))?;
        for (ending, bytes) in [("nnet", by_nnet.into_bytes()), ("onnx", by_onnx)] {
            let path = folder.join(format!("{}.{ending}", distilled.name));
            replace(&path, |out| out.write_all(&bytes))
                .map_err(|error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display())))?;
        }
    }
    Ok(())
}

fn record(args: &ZooDistilArgs, distillation: &Distillation, files: Vec<String>) -> Distilled {
    let networks = distillation.networks.iter().map(|distilled| DistilledNetwork {
        name: distilled.name.clone(),
        updates: distilled.updates,
        states: distilled.agreement.states,
        same: distilled.agreement.same,
        // Few digits are read again as they are written.
        regret: (distilled.agreement.regret * 1e9).round() / 1e9,
    });
    let trials = distillation.trials.iter().map(|trial| {
        let Trial { system, runs, unsafe_runs, alerted_runs, alert_steps, reversals } = *trial;
        TrialRecord { system: system.to_owned(), runs, unsafe_runs, alerted_runs, alert_steps, reversals }
    });
    Distilled {
        domain: args.domain.clone(),
        settings: args.settings.clone(),
        folder: args.out.display().to_string(),
        files,
        hidden: args.options().imitation.hidden,
        grid_points: distillation.table.0 as u64,
        sweeps: distillation.table.1 as u64,
        networks: networks.collect(),
        trials: trials.collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shares, for people")]
fn share(part: u64, all: u64) -> f64 {
    part as f64 / all.max(1) as f64
}

fn text(record: &Distilled, report: &ResultObject) -> String {
    let (states, same) = record.networks.iter().fold((0, 0), |sum, n| (sum.0 + n.states, sum.1 + n.same));
    let mut text = match &report.reason {
        Some(reason) => format!("unknown: {reason}\n"),
        None => format!(
            "done: {} choose as the solution does in {:.2} % of states\n",
            counted(record.networks.len() as u64, "network"),
            100.0 * share(same, states)
        ),
    };
    let hidden: String = record.hidden.iter().map(|size| format!("{size} -> ")).collect();
    text.push_str(&format!("  domain    {}\n", record.domain));
    text.push_str(&format!("  table     {} sweeps over {} points\n", record.sweeps, record.grid_points));
    text.push_str(&format!("  networks  hidden layers {}\n", hidden.trim_end_matches(" -> ")));
    for DistilledNetwork { name, updates, states, same, regret } in &record.networks {
        let alike = 100.0 * share(*same, *states);
        let updates = counted(*updates, "update");
        text.push_str(&format!("  {name:<9} {alike:.2} % of {states} states; costs {regret:.6} more; {updates}\n"));
    }
    let runs = record.trials.iter().map(|trial| trial.runs).min().unwrap_or(0);
    text.push_str(&format!("  judged    by {} under each system\n", counted(runs, "random run")));
    for trial in &record.trials {
        let Some(found) = confidence::share(trial.unsafe_runs, trial.runs) else { continue };
        let [mean, lower, upper] = [found.mean, found.lower, found.upper].map(|share| format!("{:.2}", 100.0 * share));
        let alerted = 100.0 * share(trial.alerted_runs, trial.runs);
        let each = share(trial.alert_steps, trial.alerted_runs);
        text.push_str(&format!(
            "  {:<9} {mean} % unsafe (95 %: {lower} to {upper} %); {alerted:.1} % alerted, for {each:.1} steps; {}\n",
            trial.system,
            counted(trial.reversals, "reversal")
        ));
    }
    let (first, last) = (record.files.first(), record.files.last());
    if let (Some(first), Some(last)) = (first, last) {
        text.push_str(&format!("  wrote     {first} to {last} in {}\n", escape(&record.folder)));
    }
    text.push_str(&format!("  seed      {}\n  time      {:.2} s\n", report.seed, report.seconds));
    text
}
