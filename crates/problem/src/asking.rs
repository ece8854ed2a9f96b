//! Questions as text: conditions and formulas that a request gives instead of a property, or besides one.
//!
//! | text | means |
//! |---|---|
//! | never | the unsafe states: the `reach` of a property |
//! | start | the start states, instead of those of the property or of the model |
//! | goal | the goal: that of a property's objective |
//! | always-reach | every run reaches the goal: `A[true U goal]` |
//! | within K | within so many steps, positions 0 to K |
//! | formula | a formula of CTL that holds in all start states |
//!
//! Never, always-reach and formula say what is asked: without a property that is named or given in a file, they stand alone, and neither the model's own
//! properties nor a file beside it are looked at. Start and goal only change a question. The texts are inputs of the result, by their hashes,
//! so that a certificate speaks of the same question.

use surefoot_files::Kind;
use surefoot_model::TermId;
use surefoot_model::lower::Lowered;
use surefoot_model::property::{Question, Safety, StartSet};
use surefoot_temporal::{Ctl, Quantifier, lower};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::{FileId, SourceMap};

use crate::question::{Over, Query, Temporal};

/// What a request asks in text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asking {
    /// The unsafe states.
    pub never: Option<String>,
    /// The start states.
    pub start: Option<String>,
    /// The goal.
    pub goal: Option<String>,
    /// Whether every run must reach the goal.
    pub always_reach: bool,
    /// Within how many steps.
    pub within: Option<u64>,
    /// A formula of CTL.
    pub formula: Option<String>,
}

impl Asking {
    /// Whether nothing is asked in text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it says what is asked, so that no property is needed.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.never.is_some() || self.always_reach || self.formula.is_some()
    }

    /// What was asked, by the options' names.
    #[must_use]
    pub fn told(&self) -> Vec<(&'static str, String)> {
        let texts = [("never", &self.never), ("start", &self.start), ("goal", &self.goal), ("formula", &self.formula)];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?)));
        let always = self.always_reach.then(|| ("always-reach", String::new()));
        texts.chain(always).chain(self.within.map(|steps| ("within", steps.to_string()))).collect()
    }

    /// That the texts make one question.
    ///
    /// # Errors
    /// Two questions at once, or a bound on nothing.
    pub fn check(&self) -> Result<(), Diagnostic> {
        let (formula, always, never) = (option("formula"), option("always-reach"), option("never"));
        let two = |one: &str, other: &str| {
            let error = Diagnostic::error_anywhere(format!("{one} and {other} are two questions"));
            Err(error.with_help(format!("ask one after the other, or join them in one {formula}")))
        };
        match (self.formula.is_some(), self.always_reach, self.never.is_some()) {
            (true, true, _) => two(&formula, &always),
            (true, _, true) => two(&formula, &never),
            (_, true, true) => two(&always, &never),
            (true, ..) if self.within.is_some() => {
                let error = Diagnostic::error_anywhere(format!("{} does not change a {formula}", option("within")));
                Err(error.with_help("give its operators bounds, as in AF[<=10] or A[true U<=10 x = 3]"))
            }
            _ => Ok(()),
        }
    }
}

/// The texts of a request, read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    never: Option<TermId>,
    start: Option<StartSet>,
    goal: Option<TermId>,
    formula: Option<Ctl<TermId>>,
}

/// Reads the texts.
///
/// # Errors
/// What is wrong with them, with its place.
pub(crate) fn read(sources: &mut SourceMap, lowered: &mut Lowered, asking: &Asking) -> Result<Read, Diagnostic> {
    asking.check()?;
    let mut text = |name: &str, text: &Option<String>| -> Result<Option<FileId>, Diagnostic> {
        let Some(text) = text else { return Ok(None) };
        // What it is for belongs to it: the same text may stand in two places.
        let hashed = format!("{name}\n{text}");
        let noted = sources.inputs.give(&format!("<{name}>"), hashed.as_bytes(), Kind::Properties);
        noted.map_err(|error| Diagnostic::error_anywhere(format!("cannot use {}: {error}", option(name))))?;
        Ok(Some(sources.add(option(name), text.as_str())))
    };
    let never = text("never", &asking.never)?;
    let start = text("start", &asking.start)?;
    let goal = text("goal", &asking.goal)?;
    let formula = text("formula", &asking.formula)?;
    Ok(Read {
        never: never.map(|file| lower::condition(sources, file, lowered)).transpose()?,
        start: start.map(|file| lower::start(sources, file, lowered)).transpose()?,
        goal: goal.map(|file| lower::condition(sources, file, lowered)).transpose()?,
        formula: formula.map(|file| lower::formula(sources, file, lowered)).transpose()?,
    })
}

impl Read {
    /// The question with what the texts say; that of a property, or none so far.
    ///
    /// # Errors
    /// Unsafe states beside a property that asks something else.
    pub(crate) fn change(
        &self,
        lowered: &mut Lowered,
        asking: &Asking,
        question: Option<Question>,
    ) -> Result<Option<Question>, Diagnostic> {
        let mut safety = match question {
            Some(Question::Safety(safety)) => safety,
            None if asking.is_empty() => return Ok(None),
            None => Safety {
                start: StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() },
                reach: None,
                goal: None,
                goal_terminal: false,
                predicates: None,
                policy_file: None,
            },
            Some(Question::Filter(filter)) if self.never.is_none() => return Ok(Some(Question::Filter(filter))),
            Some(Question::Filter(filter)) => {
                let message = format!("this property does not speak of unsafe states, which {} gives", option("never"));
                let help = format!("leave the property out, or {}", option("never"));
                return Err(Diagnostic::error(filter.span, message).with_help(help));
            }
        };
        safety.reach = self.never.or(safety.reach);
        safety.goal = self.goal.or(safety.goal);
        if let Some(start) = &self.start {
            safety.start = start.clone();
        }
        Ok(Some(Question::Safety(safety)))
    }

    /// The query with what the texts say and questions cannot.
    ///
    /// # Errors
    /// A goal that is missing; a bound on a question that has none.
    pub(crate) fn ask(&self, lowered: &mut Lowered, asking: &Asking, query: &mut Query) -> Result<(), Diagnostic> {
        query.goal = self.goal.or(query.goal);
        if let Some(start) = &self.start {
            query.start = start.clone();
        }
        let formula = if let Some(formula) = &self.formula {
            formula.clone()
        } else if asking.always_reach {
            let Some(goal) = query.goal else {
                let error = Diagnostic::error_anywhere(format!("{} needs a goal", option("always-reach")));
                let help = format!("say what is to be reached with {} TEXT", option("goal"));
                return Err(error.with_help(help));
            };
            Ctl::reached(Quantifier::All, asking.within, Ctl::State(goal))
        } else if let Some(steps) = asking.within {
            if let Some(quantity) = query.quantity.as_mut().filter(|quantity| quantity.steps.is_none()) {
                quantity.steps = Some(steps);
            }
            let Some(target) = query.target.filter(|_| query.claim.is_some_and(crate::Claim::is_avoidance)) else {
                if query.quantity.is_some() {
                    return Ok(());
                }
                let error = Diagnostic::error_anywhere(format!("{} is about what never happens", option("within")));
                let help = format!("use it with {} or {}", option("never"), option("always-reach"));
                return Err(error.with_help(help));
            };
            let safe = lowered.model.terms.not(target);
            Ctl::kept(Quantifier::All, Some(steps), Ctl::State(safe))
        } else {
            return Ok(());
        };
        let text = asking.formula.as_ref().map_or_else(|| asking.in_words(), |text| text.trim().to_owned());
        query.claim = None;
        query.temporal = Some(Temporal { formula, text, over: Over::All });
        Ok(())
    }
}

impl Asking {
    /// A question about all runs, in words.
    fn in_words(&self) -> String {
        let within = self.within.map_or(String::new(), |steps| format!(" within {steps} steps"));
        if self.always_reach {
            let goal = self.goal.as_ref().map_or_else(|| "the goal".to_owned(), |goal| format!("'{}'", goal.trim()));
            format!("every run reaches {goal}{within}")
        } else {
            let never = self.never.as_ref().map_or_else(|| "an unsafe state".to_owned(), |n| format!("'{}'", n.trim()));
            format!("no run reaches {never}{within}")
        }
    }
}
