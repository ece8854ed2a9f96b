//! Training a policy, and the files that come of it.
//!
//! What the policy reads and chooses is what the job names; else what the policy of the question does, whose networks are only looked at for that; else all that changes,
//! and all labels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_explicit::simulate::Simulation;
use surefoot_files::{Inputs, Kind, Origin, replace};
use surefoot_model::policy::Outputs;
use surefoot_model::{LabelId, Model, SlotId, TermId};
use surefoot_network::{nnet, onnx};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_text::suggest;
use surefoot_train::training::{compete, judge};
use surefoot_train::{Interface, InterfaceError, Options, Progress, TrainError, Trained, chart, curve, train};
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::engine::{Budget, start_failure};
use crate::problem::{Failure, LoadedPolicy, Problem, notice};
use crate::request::{Request, Slicing};
use crate::result::{ResultObject, seeks_unsafe, zoo};

/// The files that are written, in this order: what names others comes last.
const FILES: [&str; 5] = ["curve.csv", "curve.svg", "policy.nnet", "policy.onnx", POLICY];
const POLICY: &str = "policy.policy.json";
/// Who wrote a policy file, as it says itself.
const AUTHOR: &str = "surefoot zoo train";
/// The share of the time that goes to learning; the rest is for judging what was learned.
const LEARNING_SHARE: f64 = 0.9;

/// How to train.
#[derive(Debug, Clone)]
pub struct Training {
    /// All numbers; the seed is that of the task.
    pub options: Options,
    /// What every step earns besides, as text.
    pub reward: Option<String>,
    /// What steps earn the growth of besides, as text.
    pub progress: Option<String>,
    /// The variables that the policy reads; empty where none are named.
    pub inputs: Vec<String>,
    /// The labels that it chooses among; empty where none are named.
    pub labels: Vec<String>,
    /// The folder.
    pub out: PathBuf,
}

/// What runs earn besides goal and unsafety, read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earnings {
    reward: Option<TermId>,
    progress: Option<TermId>,
}

/// What was learned.
#[derive(Debug)]
pub struct Learned {
    /// The network, and how it came about.
    pub trained: Trained,
    /// Random runs under the policy, which end at the goal.
    pub judged: Simulation,
    /// Those that go on after it, where the question does.
    pub past_goal: Option<Simulation>,
    /// What the result says of it.
    pub record: zoo::Trained,
    /// Steps of a run, at most.
    pub run_steps: u64,
}

impl Training {
    /// The files that will be written.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        FILES.iter().map(|name| self.out.join(name)).collect()
    }

    /// The request for the problem: a filter is about the policy to be, not about one that is there.
    pub(super) fn request(request: &Request) -> Request {
        Request { filter: None, slicing: Slicing::Off, ..request.clone() }
    }

    /// A problem that says nothing about who chooses: of a policy that is there, only what it reads and chooses matters.
    pub(super) fn without_policy(mut problem: Problem) -> Problem {
        let files: Vec<String> =
            problem.policy().into_iter().flat_map(|p| &p.networks).map(|n| n.file.clone()).collect();
        let about_policies = |text: &str| {
            let standing = ["no policy:", "the policy is the function"].iter().any(|begin| text.starts_with(begin));
            standing || files.iter().any(|file| text.contains(file))
        };
        problem.notes.retain(|note| !about_policies(&note.message));
        problem.assumptions.retain(|text| !about_policies(text));
        if let Some(loaded) = &problem.policy {
            problem.notes.push(notice(format!("what is read and chosen is as in {}", loaded.name)));
        }
        problem
    }

    /// Makes the folder, and reads the expressions.
    pub(super) fn prepare(&self, sources: &mut SourceMap, problem: &mut Problem) -> Result<Earnings, Failure> {
        self.make_folder()?;
        let mut read = |name: &str, text: &Option<String>| -> Result<Option<TermId>, Failure> {
            let Some(text) = text else { return Ok(None) };
            let file = sources.add(option(name), text.as_str());
            Ok(Some(surefoot_temporal::lower::number(sources, file, &mut problem.lowered)?))
        };
        Ok(Earnings { reward: read("reward", &self.reward)?, progress: read("progress", &self.progress)? })
    }

    /// Makes the folder, unless there is a policy in it that someone else wrote.
    fn make_folder(&self) -> Result<(), Diagnostic> {
        let shown = self.out.display();
        std::fs::create_dir_all(&self.out)
            .map_err(|error| Diagnostic::error_anywhere(format!("cannot make the folder {shown}: {error}")))?;
        let path = self.out.join(POLICY);
        if path.exists() && !wrote(&path) {
            let message = format!("in {shown}, {POLICY} is there already, and was not trained");
            let help = format!("give another folder by {}, or move what is there away", option("out"));
            return Err(Diagnostic::error_anywhere(message).with_help(help));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what the job says, and what every task has")]
    pub(super) fn run(
        &self,
        mut problem: Problem,
        earnings: Earnings,
        filter: Option<bool>,
        result: ResultObject,
        budget: &Budget,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        // What a property asks to be reached is a goal.
        if seeks_unsafe(&problem) == Some(false) {
            problem.query.goal = problem.query.goal.or(problem.query.target);
            problem.query.target = None;
        }
        something_to_learn(&problem, earnings.reward)?;
        let options = Options { seed, ..self.options.clone() };
        let share = budget.time.and_then(|time| budget.started.checked_add(time.mul_f64(LEARNING_SHARE)));
        let learning = surefoot_train::Problem {
            model: problem.model(),
            start: &problem.query.start,
            goal: problem.query.goal,
            avoid: problem.query.target,
            reward: earnings.reward,
            progress: earnings.progress,
            ends_at_goal: true,
            threads: budget.threads.max(1),
            limits: budget.limits().until(share),
        };
        let starts = learning.starts().map_err(|error| start_failure(&problem, &error))?;
        let interface = self.interface(&problem, filter, || learning.inputs(&starts))?;
        let failed = |error: TrainError| failure(&problem, &error);
        let trained = train(&learning, &starts, &interface, &options, reporter).map_err(failed)?;
        let closing = surefoot_train::Problem { limits: budget.solving_limits(0), ..learning.clone() };
        let trained = compete(&closing, &starts, &interface, &options, trained).map_err(failed)?;
        let judged = judge(&closing, &starts, &interface, &trained.network, &options).map_err(failed)?;
        let mean_return = judged.score(&options.rewards);
        let past_goal = if problem.query.goal.is_some() && !problem.query.goal_terminal {
            let past = surefoot_train::Problem { ends_at_goal: false, reward: None, ..closing };
            Some(judge(&past, &starts, &interface, &trained.network, &options).map_err(failed)?.simulation)
        } else {
            None
        };
        let judged = judged.simulation;
        self.write(&problem, &interface, &trained, seed)?;
        let record = self.record(problem.model(), &interface, &trained, mean_return);
        let stopped = trained.stopped;
        let progress = Progress {
            step: trained.steps,
            of: options.steps,
            episodes: trained.episodes,
            updates: trained.updates,
            shares: share_of(&judged),
        };
        let name = self.out.join(POLICY).display().to_string();
        let policy =
            interface.policy(Arc::clone(&trained.network), &self.out.join("policy.onnx").display().to_string());
        drop((starts, learning));
        problem.policy = Some(LoadedPolicy { policy, name });
        let mut result = result.trained(&problem, &judged, past_goal.as_ref(), record.clone());
        if let Some(stop) = stopped {
            let limit = budget.describe(stop);
            let (made, all) = (trained.steps, options.steps);
            result = result.unknown(format!("{limit} after {made} of {all} steps; the best policy so far was written"));
        }
        let told = Learned { trained, judged, past_goal, record, run_steps: options.run_steps };
        Ok(Outcome::new(result, Told::Trained(Box::new(told)), problem, progress.figures()))
    }

    /// What the policy reads and chooses.
    fn interface(
        &self,
        problem: &Problem,
        filter: Option<bool>,
        changing: impl FnOnce() -> Vec<SlotId>,
    ) -> Result<Interface, Failure> {
        let model = problem.model();
        let pattern = problem.policy().and_then(|policy| match &policy.outputs {
            Outputs::Labels(labels) => Some((policy, labels)),
            Outputs::Transients(_) => None,
        });
        let slots = match (&*self.inputs, pattern) {
            ([], Some((policy, _))) => {
                let mut slots: Vec<SlotId> = Vec::new();
                let read = policy.networks.iter().flat_map(|network| &network.inputs).flat_map(|input| input.terms());
                for slot in read.map(|(symbol, _)| SlotId(symbol.0)) {
                    if !slots.contains(&slot) {
                        slots.push(slot);
                    }
                }
                slots
            }
            ([], None) => changing(),
            (names, _) => names.iter().map(|name| find_slot(model, name)).collect::<Result<_, _>>()?,
        };
        let labels = match (&*self.labels, pattern) {
            ([], Some((_, labels))) => labels.clone(),
            ([], None) => Interface::labels_of(model),
            (names, _) => names.iter().map(|name| find_label(model, name)).collect::<Result<_, _>>()?,
        };
        let filter = filter.or_else(|| pattern.map(|(policy, _)| policy.filter)).unwrap_or(false);
        Interface::new(model, slots, labels, filter).map_err(|error| refused(&error))
    }

    fn write(&self, problem: &Problem, interface: &Interface, trained: &Trained, seed: u64) -> Result<(), Failure> {
        let comment = format!(
            "Trained by deep Q-learning on {}, seed {seed}: kept after {} of {} steps.",
            problem.model().name,
            trained.kept,
            trained.steps
        );
        let mut policy = interface.file(&problem.lowered, &comment, "policy.onnx").map_err(|error| refused(&error))?;
        policy["metadata"] = serde_json::json!({"author": AUTHOR});
        let policy = serde_json::to_string_pretty(&policy).map_err(|error| Failure::Internal(error.to_string()))?;
        let by_nnet = nnet::write(&trained.network).map_err(|error| Failure::Internal(error.to_string()))?;
        let by_onnx = onnx::write(&trained.network).map_err(|error| Failure::Internal(error.to_string()))?;
        let title = format!("{}: random runs under the policy", problem.model().name);
        let contents = [
            curve::csv(&trained.curve).into_bytes(),
            chart::svg(&title, &trained.curve, trained.kept).into_bytes(),
            by_nnet.into_bytes(),
            by_onnx,
            format!("{policy}\n").into_bytes(),
        ];
        for (path, bytes) in self.files().iter().zip(contents) {
            replace(path, |out| out.write_all(&bytes))
                .map_err(|error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display())))?;
        }
        Ok(())
    }

    fn record(&self, model: &Model, interface: &Interface, trained: &Trained, mean_return: f64) -> zoo::Trained {
        let slot = |slot: &SlotId| model.slots[slot.index()].name.to_string();
        let label = |label: &LabelId| model.labels[label.0 as usize].to_string();
        zoo::Trained {
            folder: self.out.display().to_string(),
            files: FILES.iter().map(ToString::to_string).collect(),
            hidden: trained.network.hidden_sizes(),
            network_inputs: interface.slots().iter().map(slot).collect(),
            labels: interface.labels().iter().map(label).collect(),
            of_steps: self.options.steps,
            steps: trained.steps,
            episodes: trained.episodes,
            updates: trained.updates,
            kept_step: trained.kept,
            mean_return,
            unsafe_share_past_goal: None,
        }
    }
}

/// Whether a policy file says that training wrote it.
fn wrote(path: &Path) -> bool {
    let bytes = Inputs::default().read(path, Kind::Policy, Origin::Reached).unwrap_or_default();
    let text: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    text["metadata"]["author"] == AUTHOR
}

/// Shares of runs: goal, unsafe.
#[expect(clippy::cast_precision_loss, reason = "shares, for people")]
fn share_of(judged: &Simulation) -> (f64, f64) {
    use surefoot_explicit::simulate::RunEnd;
    let totals = &judged.totals;
    let share = |count: u64| count as f64 / totals.runs.max(1) as f64;
    (share(totals.through_goal), share(totals.ended(RunEnd::Reach)))
}

/// That runs differ in what they earn.
fn something_to_learn(problem: &Problem, reward: Option<TermId>) -> Result<(), Failure> {
    let query = &problem.query;
    if let Some(slot) = problem.model().slots.iter().find(|slot| slot.domain.int_bounds().is_none()) {
        return Err(refused(&InterfaceError::Real(slot.name.to_string())));
    }
    if query.goal.is_some() || query.target.is_some() || reward.is_some() {
        return Ok(());
    }
    let message = "there is nothing to learn: no goal, no unsafe states, and no reward";
    let help = format!(
        "name a property with {}, or say what is wanted with {} TEXT, {} TEXT or {} EXPR",
        option("property"),
        option("goal"),
        option("never"),
        option("reward")
    );
    Err(Diagnostic::error_anywhere(message).with_help(help).into())
}

fn refused(error: &InterfaceError) -> Failure {
    let help = match error {
        InterfaceError::NoInputs => format!("name what it is to read with {}", option("inputs")),
        InterfaceError::NoLabels => "give the edges that the policy is to choose among an action".to_owned(),
        InterfaceError::Real(_) => "bound it, and count in whole units".to_owned(),
        InterfaceError::Twice(_) => "name each once".to_owned(),
        InterfaceError::NoName(_) => format!("leave it out: name the others with {}", option("inputs")),
    };
    Diagnostic::error_anywhere(error.to_string()).with_help(help).into()
}

fn failure(problem: &Problem, error: &TrainError) -> Failure {
    let help = match error {
        TrainError::Model(error) => return problem.model_error(error).into(),
        TrainError::Option(_) => return Diagnostic::error_anywhere(error.to_string()).into(),
        TrainError::NoChoice => "correct the start condition, the goal, or the labels of the policy".to_owned(),
        TrainError::Diverged(_) => format!("try a smaller {}, or smaller rewards", option("learning-rate")),
    };
    Diagnostic::error_anywhere(error.to_string()).with_help(help).into()
}

fn find_slot(model: &Model, name: &str) -> Result<SlotId, Diagnostic> {
    let found = model.slots.iter().position(|slot| &*slot.name == name).map(SlotId::at);
    found.ok_or_else(|| unknown("variable", name, model.slots.iter().map(|slot| &*slot.name)))
}

fn find_label(model: &Model, name: &str) -> Result<LabelId, Diagnostic> {
    let found = model.labels.iter().position(|label| &**label == name).map(LabelId::at);
    found.ok_or_else(|| unknown("action", name, model.labels.iter().map(|label| &**label)))
}

/// A name that the model does not have; of very many that it has only the first are told.
fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Diagnostic {
    const MOST: usize = 20;
    let hint = suggest(name, known.clone()).map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
    let count = known.clone().count();
    let more = if count > MOST { format!(" and {} more", count - MOST) } else { String::new() };
    let names: Vec<&str> = known.take(MOST).collect();
    let message = format!("the model has no {what} '{name}'{hint}");
    Diagnostic::error_anywhere(message).with_help(format!("it has: {}{more}", names.join(", ")))
}
