//! Instances as users meet them: written to a folder, and read again from there.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "for tests only")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use surefoot_explicit::{Ending, Exploration, Task, explore};
use surefoot_limits::Limits;
use surefoot_model::lower::{GivenConstant, Lowered};
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, Safety};
use surefoot_model::{Choice, Interpreter, State};
use surefoot_num::Rational;
use surefoot_testkit::{Truth, data, declared_initial_state, load};
use surefoot_text::diagnostic::Severity;
use surefoot_verdict::Silent;
use surefoot_zoo::{Instance, ParameterError};

/// An instance that was written and read.
pub(crate) struct Loaded {
    pub(crate) lowered: Lowered,
    pub(crate) questions: Vec<(String, Safety)>,
    pub(crate) policy: Option<Policy>,
}

pub(crate) fn try_generate(domain: &str, settings: &[&str]) -> Result<Instance, ParameterError> {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    surefoot_zoo::generate(domain, &settings)
}

pub(crate) fn generate(domain: &str, settings: &[&str]) -> Instance {
    try_generate(domain, settings).unwrap_or_else(|error| panic!("{domain} {settings:?}: {error}"))
}

/// What is wrong with the parameters.
pub(crate) fn error(domain: &str, settings: &[&str]) -> String {
    try_generate(domain, settings).expect_err("parameters that do not fit").to_string()
}

impl Loaded {
    /// Generates, writes and reads; nothing may be worth a warning.
    pub(crate) fn new(domain: &str, settings: &[&str], constants: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        generate(domain, settings).write(folder.path()).unwrap();
        Self::read(folder.path(), constants)
    }

    fn read(folder: &Path, constants: &[&str]) -> Self {
        let constants: Vec<GivenConstant> = constants.iter().map(|c| GivenConstant::parse(c).unwrap()).collect();
        let properties = folder.join("properties.jani");
        let (mut lowered, mut sources) = load(&folder.join("model.jani"), Some(&properties), &constants);
        let overriding = |message: &str| message.contains("constant");
        assert!(lowered.notes.iter().all(|n| overriding(&n.message)), "{}", data::show(&lowered.notes, &sources));
        let names: Vec<String> = lowered.syntax().properties.iter().map(|p| p.name.value.to_string()).collect();
        let questions = (0..names.len()).map(|i| {
            let question = lowered.question(i).unwrap_or_else(|e| panic!("{}", data::show(&[e], &sources)));
            let Question::Safety(safety) = question else { panic!("a safety property") };
            (names[i].clone(), safety)
        });
        let questions = questions.collect();
        let file = folder.join("policy.policy.json");
        let policy = file.is_file().then(|| {
            let read = read_policy(&mut lowered, &mut sources, &file);
            let (policy, notes) = read.unwrap_or_else(|errors| panic!("{}", data::show(&errors, &sources)));
            assert!(notes.iter().all(|n| n.severity == Severity::Notice), "{}", data::show(&notes, &sources));
            policy
        });
        Self { lowered, questions, policy }
    }

    pub(crate) fn safety(&self, name: &str) -> &Safety {
        &self.questions.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no property '{name}'")).1
    }

    /// Explores the states from a property's start.
    pub(crate) fn explore(&self, property: &str, policy: Option<&Policy>) -> Exploration {
        let safety = self.safety(property);
        let task = Task {
            model: &self.lowered.model,
            policy,
            start: &safety.start,
            reach: safety.reach,
            goal: safety.goal,
            goal_terminal: false,
            absorb: None,
            dropped: None,
            stop_at_reach: false,
            threads: 1,
            limits: Limits::default(),
        };
        let exploration = explore(&task, &Silent);
        assert_eq!(exploration.ending, Ending::Complete);
        exploration
    }

    /// The states reachable from some state, whatever anybody chooses.
    pub(crate) fn reachable(&self, from: State) -> BTreeSet<State> {
        let visited = Truth::new(&self.lowered.model, None).reachable(vec![from]);
        assert!(visited.iter().all(|(_, step)| step.errors.is_empty()), "an error of the model");
        visited.into_iter().map(|(state, _)| state).collect()
    }

    /// The declared initial state.
    pub(crate) fn initial(&self) -> State {
        declared_initial_state(&self.lowered.model).expect("one initial state")
    }

    /// A variable's value.
    pub(crate) fn value<'a>(&self, state: &'a State, name: &str) -> &'a Rational {
        state.get(self.lowered.model.slot(name).unwrap_or_else(|| panic!("no variable '{name}'")))
    }

    pub(crate) fn int(&self, state: &State, name: &str) -> i64 {
        self.value(state, name).to_i64().expect("an integer")
    }

    /// All choices of a state by label.
    pub(crate) fn by_label(&self, state: &State) -> BTreeMap<String, Vec<Choice>> {
        let mut found: BTreeMap<String, Vec<Choice>> = BTreeMap::new();
        for choice in Interpreter::new(&self.lowered.model).choices(state).unwrap() {
            let label = choice.label.expect("every edge has a label");
            found.entry(self.lowered.model.labels[label.0 as usize].to_string()).or_default().push(choice);
        }
        found
    }

    /// What the policy permits in a state.
    pub(crate) fn permitted(&self, state: &State) -> Vec<Choice> {
        Interpreter::new(&self.lowered.model).permitted_choices(state, self.policy.as_ref()).unwrap()
    }
}

/// The states that a choice may lead to.
pub(crate) fn successors(choice: Choice) -> Vec<State> {
    choice.outcomes.into_iter().flat_map(|outcome| outcome.successors).collect()
}
