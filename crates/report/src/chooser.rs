//! What the policy chooses, state by state: decided exactly, with scores to be drawn.
//!
//! The choice is that of [`Policy::permitted`]; floats decide where their error leaves no doubt, and exact arithmetic does the rest, as in `explicit`. Scores and margins
//! are rounded: they are drawn, and nothing is decided by them.

use surefoot_explicit::compile::{Generator, Worker};
use surefoot_model::policy::{Outputs, Permitted, Policy, Ties, plaja_tolerance};
use surefoot_model::{Interpreter, LabelId, Model, State};
use surefoot_network::eval::FloatScratch;
use surefoot_network::{Arithmetic, Evaluator};
use surefoot_num::Rational;
use surefoot_verify::Problem;

use crate::data::{Choice, Score};

/// What is drawn of a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The outputs whose scores are maximal among those in the running, or count as such; several on a tie, none where the policy has no say.
    pub best: Vec<usize>,
    /// How far the best of the others is behind.
    pub margin: f32,
    /// All scores, in the order of the outputs; no number for those that the filter takes out.
    pub scores: Vec<f32>,
}

/// A policy over actions, ready to be asked in many states.
#[derive(Debug)]
pub struct Chooser<'p> {
    interpreter: Interpreter<'p>,
    policy: &'p Policy,
    labels: &'p [LabelId],
    evaluators: Vec<Evaluator>,
    scratches: Vec<FloatScratch>,
    /// Which labels are applicable, compiled; for models over integers.
    enabled: Option<Enabled<'p>>,
}

/// Compiled guards: which labels are applicable in a state.
#[derive(Debug)]
struct Enabled<'p> {
    generator: Generator<'p>,
    worker: Worker,
    words: Vec<u64>,
}

impl<'p> Enabled<'p> {
    fn new(model: &'p Model) -> Option<Self> {
        if !model.is_discrete() {
            return None;
        }
        let generator = Generator::new(model, None, &vec![None; model.slots.len()], None);
        let (worker, words) = (generator.worker(), vec![0; generator.layout().words()]);
        Some(Self { generator, worker, words })
    }

    /// The labels; nothing where a guard has no value.
    fn labels(&mut self, state: &State) -> Option<Vec<LabelId>> {
        self.words.fill(0);
        self.generator.layout().pack(&state.to_ints()?, &mut self.words);
        self.generator.load(&mut self.worker, &self.words);
        self.generator.look(&mut self.worker).ok()?;
        Some(self.generator.labels(&self.worker).flatten().collect())
    }
}

impl<'p> Chooser<'p> {
    /// The policy of a problem; nothing where there is none that chooses actions.
    #[must_use]
    pub fn new(problem: &'p Problem) -> Option<Self> {
        let policy = problem.policy()?;
        let Outputs::Labels(labels) = &policy.outputs else { return None };
        let evaluators: Vec<Evaluator> =
            policy.networks.iter().map(|network| Evaluator::new(&network.network)).collect();
        let scratches = evaluators.iter().map(|evaluator| evaluator.float().scratch()).collect();
        let enabled = Enabled::new(problem.model());
        Some(Self { interpreter: problem.interpreter(), policy, labels, evaluators, scratches, enabled })
    }

    /// How many actions it chooses among.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.labels.len()
    }

    /// How much work a state is: weights of the largest network.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.policy.networks.iter().map(|network| network.network.parameter_count()).max().unwrap_or(1).max(1)
    }

    /// What is drawn of its choice in a state; nothing where it cannot be told.
    pub fn drawn(&mut self, state: &State) -> Option<Drawn> {
        let applicable = match &mut self.enabled {
            Some(enabled) => enabled.labels(state)?,
            None => self.interpreter.applicable_labels(state).ok()?,
        };
        // As in runs: where no action of the policy is applicable it is not asked.
        if !self.labels.iter().any(|label| applicable.contains(label)) {
            return Some(Drawn { best: Vec::new(), margin: f32::NAN, scores: Vec::new() });
        }
        let network = self.policy.network_at(&self.interpreter, state).ok()?;
        let forms = &self.policy.networks[network].inputs;
        let exact = || -> Vec<Rational> { forms.iter().map(|form| state.value(form)).collect() };
        // Soundness: each comes with a bound on how far the float is from it, zero where it is one.
        let (inputs, errors): (Vec<f64>, Vec<f64>) = exact().iter().map(Rational::to_f64_within).unzip();
        let error = errors.into_iter().fold(0.0, f64::max);
        let (filter, labels) = (self.policy.filter, self.labels);
        let allowed = |output: usize| !filter || applicable.contains(&labels[output]);
        let outputs = self.evaluators[network].float().eval(&inputs, error, &mut self.scratches[network]);
        let (values, error_of_outputs) = (outputs.values.to_vec(), outputs.error);
        let real = self.policy.networks[network].network.arithmetic() == Arithmetic::Real;
        let best = match clear(&values, error_of_outputs, &allowed).filter(|_| real && self.policy.ties != Ties::Plaja)
        {
            Some(best) => vec![best],
            None => {
                let tolerance = if self.policy.ties == Ties::Plaja { plaja_tolerance() } else { Rational::ZERO };
                self.evaluators[network].within(&inputs, error, allowed, &tolerance, exact).ok()?
            }
        };
        let top = best.first().map(|best| values[*best]);
        let others =
            (0..values.len()).filter(|output| allowed(*output) && !best.contains(output)).map(|output| values[output]);
        let second = others.fold(f64::NEG_INFINITY, f64::max);
        let margin = match top {
            Some(_) if best.len() > 1 => 0.0,
            // Where floats do not show who is ahead, it is by next to nothing.
            Some(top) => (top - second).max(0.0),
            None => f64::NAN,
        };
        #[expect(clippy::cast_possible_truncation, reason = "what is drawn is rounded")]
        let (margin, mut scores) = (margin as f32, values.iter().map(|value| *value as f32).collect::<Vec<f32>>());
        // What was decided exactly is seen in rounded numbers too: equals are equal, and others behind.
        if self.policy.ties != Ties::Plaja {
            let top = best.iter().map(|output| scores[*output]).fold(f32::NEG_INFINITY, f32::max);
            best.iter().for_each(|output| scores[*output] = top);
        }
        let least = best.iter().map(|output| scores[*output]).fold(f32::INFINITY, f32::min);
        for (output, score) in scores.iter_mut().enumerate() {
            if !allowed(output) {
                *score = f32::NAN;
            } else if !best.contains(&output) {
                *score = score.min(least.next_down());
            }
        }
        Some(Drawn { best, margin, scores })
    }

    /// Its choice in a state with exact scores; nothing where it is not asked.
    ///
    /// # Errors
    /// What is in error in the model or the policy.
    pub fn choice(&self, problem: &Problem, state: &State) -> Result<Option<Choice>, String> {
        let failed = |error: surefoot_model::ModelError| problem.model_error(&error).message;
        let applicable = self.interpreter.applicable_labels(state).map_err(failed)?;
        if !self.labels.iter().any(|label| applicable.contains(label)) {
            return Ok(None);
        }
        let permitted = self.policy.permitted(&self.interpreter, state, &applicable);
        let Permitted { outputs, network, labels } =
            permitted.map_err(|error| failed(surefoot_model::ModelError::evaluation(error, state.clone())))?;
        let running = |label: &LabelId| !self.policy.filter || applicable.contains(label);
        let scores: Vec<Score> = self
            .labels
            .iter()
            .zip(&outputs)
            .map(|(label, exact)| Score {
                action: label.0,
                exact: exact.to_string(),
                value: exact.to_f64(),
                out: !running(label),
            })
            .collect();
        let of = |label: &LabelId| self.labels.iter().position(|other| other == label).map(|output| &outputs[output]);
        let others = self.labels.iter().filter(|label| running(label) && !labels.contains(label));
        let runner_up =
            others.filter_map(|label| Some((label, of(label)?))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let margin = labels.first().and_then(of).zip(runner_up).map(|(best, (_, second))| best - second);
        Ok(Some(Choice {
            network: self.policy.networks[network].file.clone(),
            chosen: labels.iter().map(|label| label.0).collect(),
            scores,
            runner_up: runner_up.map(|(label, _)| label.0),
            margin: margin.as_ref().map(Rational::to_f64),
            exact: margin.as_ref().map(ToString::to_string),
        }))
    }
}

/// The output that is larger than all others in the running, where the floats leave no doubt.
///
/// Soundness: each float is within `error` of its output, so an output whose float is more than twice that below another's is below it; the difference and the double are rounded
/// against that.
fn clear(values: &[f64], error: f64, allowed: &impl Fn(usize) -> bool) -> Option<usize> {
    let running = || (0..values.len()).filter(|output| allowed(*output));
    let best = running().max_by(|a, b| values[*a].total_cmp(&values[*b]).then(b.cmp(a)))?;
    let below = |output: usize| (values[best] - values[output]).next_down() > (2.0 * error).next_up();
    running().all(|output| output == best || below(output)).then_some(best)
}

/// A column of choices: the action, a tie, or none.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    actions: Vec<u16>,
}

impl Chosen {
    const NONE: u16 = 65_535;
    const TIE: u16 = 65_534;

    /// Adds what is chosen in the next state; `actions` are those of the page that outputs stand for.
    pub fn push(&mut self, drawn: Option<&Drawn>, actions: &[u32]) {
        self.actions.push(match drawn.map(|drawn| drawn.best.as_slice()) {
            Some([one]) => u16::try_from(actions[*one]).unwrap_or(Self::NONE),
            Some([_, _, ..]) => Self::TIE,
            _ => Self::NONE,
        });
    }

    /// As a column of as few bytes as do.
    pub fn column(&self, columns: &mut crate::pack::Columns) -> crate::pack::Column {
        let small: Option<Vec<u8>> = self
            .actions
            .iter()
            .map(|action| match *action {
                Self::NONE => Some(255),
                Self::TIE => Some(254),
                action => u8::try_from(action).ok().filter(|action| *action < 254),
            })
            .collect();
        match small {
            Some(small) => columns.u8(&small),
            None => columns.u16(&self.actions),
        }
    }
}
