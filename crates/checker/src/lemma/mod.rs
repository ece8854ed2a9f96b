//! Certificates that questions about a network have no answer: for each one a tree, which shows that its output is chosen nowhere.
//!
//! The rules are those of regions. A network alone is the policy of a model with one automaton, one location, and for each output an edge of its label that
//! changes nothing; its variables are the inputs. A question is a node of this model: its box, its constraints as known formulas, and one operator that is
//! pending, that of its output. Nothing leads anywhere, so it is settled by not being chosen alone.
//!
//! * [`query`]: questions, read; `model`: that model.

mod model;
pub mod query;

use std::path::Path;
use std::sync::Arc;

use surefoot_certificate::index::{Claim, FORMAT, Subject, VERSION, Verdict};
use surefoot_certificate::token::number;
use surefoot_certificate::{CertificateLines, Index};
use surefoot_files::{Kind, Origin};
use surefoot_model::policy::{Policy, Ties};
use surefoot_network::{Network, ReadOptions, read_with};
use surefoot_problem::{Failure, Problem, Source};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Document;
use surefoot_text::source::SourceMap;

use crate::formula::{Formula, Formulas};
use crate::invariant::{MOST_PARTS, limited};
use crate::judge::OpenError;
use crate::node::Node;
use crate::refused::Refused;
use crate::rules::{Asked, Rules, Workspace};
use crate::subject::{compare, same, subject, tool};
use model::{hull, is_empty, load};
use query::{Constraint, Question, read_queries};

/// How many slots come before those of the inputs.
pub(crate) const LOCATIONS: u32 = 1;

/// The questions of a file, about a network.
#[derive(Debug)]
pub struct Lemmas {
    /// The questions, in order; or why there are no lemmas for one.
    pub questions: Vec<Result<Question, &'static str>>,
    /// Their constraints.
    pub formulas: Formulas,
    /// Those of each question.
    known: Vec<Vec<u32>>,
    /// The model that the network is the policy of, without that.
    pub problem: Problem,
    /// The policy: the first maximal output is chosen, or any.
    policies: [Policy; 2],
}

/// A certificate of questions, read up to its index.
#[derive(Debug)]
pub struct Opened {
    /// What it claims.
    pub index: Index,
    /// The rest of it.
    pub lines: CertificateLines,
    /// What the checker read itself.
    pub lemmas: Lemmas,
}

/// What an accepted certificate shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswerable {
    /// The questions that have no answer, ascending.
    pub queries: Vec<usize>,
    /// How many questions there are.
    pub of: usize,
    /// Bytes of the text.
    pub raw_bytes: u64,
}

impl Unanswerable {
    /// What it shows, in words.
    #[must_use]
    pub fn says(&self) -> String {
        let numbers: Vec<String> = self.queries.iter().map(ToString::to_string).collect();
        let (queries, have) = if numbers.len() == 1 { ("query", "has") } else { ("queries", "have") };
        format!("unsat: {queries} {} of {} {have} no answer", numbers.join(", "), self.of)
    }
}

/// Opens a certificate, and reads the queries and the network that it is about.
///
/// # Errors
/// What cannot be read.
pub fn open(sources: &mut SourceMap, query: &Source, network: &Path, certificate: &Path) -> Result<Opened, OpenError> {
    let problem = |error: Diagnostic| OpenError::Problem(error.into());
    let unusable =
        |error: &dyn std::fmt::Display| Diagnostic::error_anywhere(format!("cannot use the network {error}"));
    let read = read_with(&mut sources.inputs, network, Origin::Named, &ReadOptions::default());
    let network = Arc::new(read.map_err(|error| problem(unusable(&error)))?.0);
    let file = query.load(sources, Kind::Query).map_err(problem)?;
    let text = Arc::clone(&sources.file(file).text);
    let inputs = sources.inputs.hashes();
    let document = Document::parse(file, &text).map_err(problem)?;
    let lemmas = Lemmas::read(&document, network, inputs).map_err(OpenError::Problem)?;
    let mut lines = CertificateLines::open(&mut sources.inputs, certificate).map_err(OpenError::Certificate)?;
    let index = lines.index().map_err(OpenError::Certificate)?;
    Ok(Opened { index, lines, lemmas })
}

/// Judges a certificate about questions.
///
/// # Errors
/// The first lemma that fails, and why; or what cannot be read.
pub fn judge(lemmas: &Lemmas, index: &Index, mut lines: CertificateLines) -> Result<Unanswerable, Refused> {
    same("claim", &index.claim, &Claim::Unsat)?;
    same("verdict", &index.verdict, &Verdict::Unsat)?;
    let unfit = |why: String| Refused::rejected("the index: what is claimed", why);
    compare(&lemmas.subject().map_err(unfit)?, &index.subject(), false)?;
    let rules = lemmas.rules().map_err(unfit)?;
    let mut check = Check {
        lemmas,
        workspaces: rules.each_ref().map(|rules| lemmas.workspace(rules, 0.0)),
        rules,
        queries: Vec::new(),
        kept_parts: 0,
    };
    loop {
        let line = lines.next("a formula, a lemma, or `end`")?;
        if line.split(' ').next() == Some("end") {
            break;
        }
        let taken = check.line(line);
        taken.map_err(|why| Refused::rejected(format!("line {}", lines.line()), why))?;
    }
    let (queries, raw_bytes) = (check.queries, lines.raw_bytes());
    if queries.is_empty() {
        return Err(Refused::rejected(format!("line {}", lines.line()), "no query is told to have no answer"));
    }
    lines.finish(&[queries.len() as u64])?;
    Ok(Unanswerable { queries, of: lemmas.questions.len(), raw_bytes })
}

/// A check, line by line.
struct Check<'p> {
    lemmas: &'p Lemmas,
    /// By how ties are broken, as the policies are.
    rules: [Rules<'p>; 2],
    workspaces: [Workspace; 2],
    /// Questions that have no answer.
    queries: Vec<usize>,
    /// How much formulas take.
    kept_parts: usize,
}

impl Check<'_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "a" | "&" | "|" | "!" => {
                let slots = self.rules[0].asked.model.slots.len();
                let formula = Formula::read(kind, rest, slots)?;
                self.kept_parts += formula.size();
                limited(self.kept_parts, MOST_PARTS, "parts of formulas")?;
                self.workspaces.iter_mut().try_for_each(|ws| ws.formulas.push(formula.clone()).map(drop))
            }
            "q" => {
                let (query, tree) = rest.split_once(' ').ok_or("a query and a tree are expected")?;
                let query: u32 = number(query, "a query")?;
                let query = query as usize;
                if self.queries.last().is_some_and(|last| *last >= query) {
                    return Err("queries are to be in ascending order".to_owned());
                }
                self.lemma(query, tree).map_err(|why| format!("query {query}: {why}"))?;
                self.queries.push(query);
                Ok(())
            }
            _ => Err(format!("a line '{}' is not expected here", kind.chars().take(20).collect::<String>())),
        }
    }

    fn lemma(&mut self, query: usize, tree: &str) -> Result<(), String> {
        let ties = by_ties(self.lemmas.question(query)?.ties);
        let (rules, ws) = (&self.rules[ties], &mut self.workspaces[ties]);
        match self.lemmas.node(query, rules, ws)? {
            Some(node) => rules.check_tree(node, tree, ws).map(drop).map_err(|why| why.to_string()),
            None if tree == "." => Ok(()),
            None => Err("its box is empty, so the tree is `.`".to_owned()),
        }
    }
}

/// Which of the policies a rule of ties is.
#[must_use]
pub fn by_ties(ties: Ties) -> usize {
    usize::from(ties != Ties::First)
}

impl Lemmas {
    /// Reads questions about a network; `inputs` are both with their hashes.
    ///
    /// # Errors
    /// What is malformed.
    pub fn read(
        document: &Document<'_>,
        network: Arc<Network>,
        inputs: Vec<(String, String)>,
    ) -> Result<Self, Failure> {
        let (input_len, output_len) = (network.input_len(), network.output_len());
        let questions = read_queries(document.root(), input_len, output_len)?;
        let mut formulas = Formulas::default();
        let mut known = Vec::new();
        for question in &questions {
            let mut own = Vec::new();
            for constraint in question.as_ref().map_or(&[][..], |question| &question.constraints) {
                own.push(push(&mut formulas, constraint).map_err(Diagnostic::error_anywhere)?);
            }
            known.push(own);
        }
        let mut problem = load(&hull(&questions, input_len), output_len, network)?;
        let policy = problem.policy.take().ok_or_else(|| Failure::Internal("the policy was not read".to_owned()))?;
        // Notices have places in the text of the model, which nobody has seen.
        (problem.property, problem.inputs, problem.notes) = (None, inputs, Vec::new());
        let with = |ties| Policy { ties, ..policy.policy.clone() };
        let policies = [with(Ties::First), with(Ties::Any)];
        Ok(Self { questions, formulas, known, problem, policies })
    }

    /// What certificates about them are about: queries and network, and the slots and labels that trees mean.
    fn subject(&self) -> Result<Subject, String> {
        let of_model = subject(&self.problem, false)?;
        let outputs = of_model.actions.clone();
        Ok(Subject { outputs, ..of_model })
    }

    /// The index of a certificate about them.
    ///
    /// # Errors
    /// What there are no certificates for, in words.
    pub fn index(&self, engine: &str) -> Result<Index, String> {
        let Subject { inputs, constants, property, semantics, slots, locations, actions, outputs } = self.subject()?;
        Ok(Index {
            format: FORMAT.to_owned(),
            version: VERSION,
            claim: Claim::Unsat,
            verdict: Verdict::Unsat,
            tool: tool(),
            engine: engine.to_owned(),
            inputs,
            constants,
            property,
            semantics,
            slots,
            locations,
            actions,
            outputs,
        })
    }

    /// A question.
    ///
    /// # Errors
    /// Where there is none of that number, or there are no lemmas for it.
    pub fn question(&self, query: usize) -> Result<&Question, String> {
        let question = self.questions.get(query).ok_or_else(|| format!("there are only {}", self.questions.len()))?;
        question.as_ref().map_err(|why| format!("there are no certificates for it: {why}"))
    }

    /// The rules, by [ties](by_ties).
    ///
    /// # Errors
    /// Where the network cannot be a policy.
    pub fn rules(&self) -> Result<[Rules<'_>; 2], String> {
        let [first, any] = self.policies.each_ref().map(|policy| {
            let target = self.problem.query.target.ok_or("nothing is asked")?;
            let mut rules = Rules::new(Asked {
                model: self.problem.model(),
                policy: Some(policy),
                target,
                terminal: None,
                initial_only: false,
                assume_no_errors: false,
            })?;
            rules.operators.prepare(&[0; LOCATIONS as usize])?;
            Ok::<_, String>(rules)
        });
        Ok([first?, any?])
    }

    /// Scratch space in which the constraints of all questions are numbered.
    #[must_use]
    pub fn workspace(&self, rules: &Rules<'_>, margin: f64) -> Workspace {
        rules.workspace(self.formulas.clone(), margin)
    }

    /// What is to be shown of a question; nothing where its box is empty.
    ///
    /// # Errors
    /// As [`Lemmas::question`].
    pub fn node(&self, query: usize, rules: &Rules<'_>, ws: &Workspace) -> Result<Option<Node>, String> {
        let question = self.question(query)?;
        if is_empty(&question.bounds) {
            return Ok(None);
        }
        let bounds = std::iter::repeat_n((0, 0), LOCATIONS as usize).chain(question.bounds.iter().copied());
        let mut node = rules.question_node(bounds.collect(), question.label)?;
        for formula in &self.known[query] {
            node.tell(*formula, true, ws)?;
        }
        Ok(Some(node))
    }
}

/// Numbers a constraint.
fn push(formulas: &mut Formulas, constraint: &Constraint) -> Result<u32, String> {
    match constraint {
        Constraint::Atom(atom) => formulas.push(Formula::Atom(atom.clone())),
        Constraint::Either(one, other) => {
            let parts = [one, other].map(|atom| formulas.push(Formula::Atom(atom.clone())));
            let parts = parts.into_iter().collect::<Result<Vec<u32>, _>>()?;
            formulas.push(Formula::Any(parts))
        }
    }
}
