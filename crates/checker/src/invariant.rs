//! Certificates that a target is unreachable: an inductive invariant of regions and states, line by line.
//!
//! Lines are read once, in order. Formulas, operators, regions and states come first and are kept; then come the proofs, each of which is checked
//! as it is read and forgotten (but for short trees, which others may share).

use surefoot_certificate::CertificateLines;
use surefoot_certificate::token::{Place, number};
use surefoot_model::{LabelId, State};
use surefoot_problem::Problem;

use crate::formula::{Formula, Formulas, read_slot};
use crate::refused::Refused;
use crate::rules::{Asked, Region, Rules, States, Workspace};

/// Trees of more bytes are not shared.
pub const MOST_SHARED: usize = 256;

/// More parts of all formulas together are refused, and more operators.
pub(crate) const MOST_PARTS: usize = 1 << 22;
/// More bounds and formulas of all regions together are refused.
const MOST_BOUNDS: usize = 1 << 25;
/// More values of all states together are refused.
const MOST_VALUES: usize = 1 << 26;
/// More formulas of one region are refused.
const MOST_FORMULAS: usize = 1000;

/// What was found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// Regions.
    pub regions: u64,
    /// States that are listed.
    pub states: u64,
    /// Tokens of all trees.
    pub tokens: u64,
}

/// Checks the lines of a certificate behind its index: what they show, and how many bytes of text there are.
///
/// # Errors
/// The first line that is not right, and why.
pub fn check(problem: &Problem, assume_no_errors: bool, lines: CertificateLines) -> Result<(Shown, u64), Refused> {
    check_keeping(problem, assume_no_errors, lines).map(|(shown, raw_bytes, _)| (shown, raw_bytes))
}

/// The invariant of a certificate.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// Formulas that regions mention, and others.
    pub formulas: Formulas,
    /// Regions.
    pub regions: Vec<Region>,
    /// States.
    pub states: States,
}

/// The same as [`check`], and the invariant that was found to be inductive.
///
/// # Errors
/// As [`check`].
pub fn check_keeping(
    problem: &Problem,
    assume_no_errors: bool,
    mut lines: CertificateLines,
) -> Result<(Shown, u64, Kept), Refused> {
    let unfit = |why: String| Refused::rejected("the index: what is claimed", why);
    let mut check = InvariantCheck::new(problem, assume_no_errors).map_err(unfit)?;
    while !check.is_complete() {
        let taken = check.line(lines.next("a line of the invariant or its proof, or `end`")?);
        taken.map_err(|why| Refused::rejected(format!("line {}", lines.line()), why))?;
    }
    let shown = check.shown();
    let raw_bytes = lines.raw_bytes();
    lines.finish(&[shown.regions, shown.states])?;
    let InvariantCheck { rules, ws, .. } = check;
    Ok((shown, raw_bytes, Kept { formulas: ws.formulas, regions: rules.regions, states: rules.states }))
}

/// What a check is up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    /// Formulas, operators, regions, states.
    Invariant,
    /// Start conditions.
    Conditions,
    /// Start states that are listed.
    Listed,
    /// Regions.
    Trees,
    /// Nothing more.
    End,
}

/// A check of an invariant.
#[derive(Debug)]
pub struct InvariantCheck<'p> {
    problem: &'p Problem,
    rules: Rules<'p>,
    ws: Workspace,
    section: Section,
    operators: u32,
    /// Parts of formulas, bounds of regions and values of states that are kept.
    kept_parts: usize,
    kept_bounds: usize,
    kept_values: usize,
    /// Start conditions and listed states that were covered.
    conditions: usize,
    listed: usize,
    /// Trees so far, as far as they can be shared.
    trees: Vec<Option<Box<str>>>,
    tokens: u64,
}

impl<'p> InvariantCheck<'p> {
    /// A check that has seen nothing yet.
    ///
    /// # Errors
    /// Where regions cannot answer what the problem asks.
    pub fn new(problem: &'p Problem, assume_no_errors: bool) -> Result<Self, String> {
        let rules = Rules::new(Asked::new(problem, assume_no_errors)?)?;
        let ws = rules.workspace(Formulas::default(), 0.0);
        let section = Section::Invariant;
        Ok(Self {
            problem,
            rules,
            ws,
            section,
            operators: 0,
            kept_parts: 0,
            kept_bounds: 0,
            kept_values: 0,
            conditions: 0,
            listed: 0,
            trees: Vec::new(),
            tokens: 0,
        })
    }

    /// Takes a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn line(&mut self, line: &str) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "a" | "&" | "|" | "!" if self.section < Section::End => self.formula(kind, rest),
            "o" if self.section == Section::Invariant => self.operator(rest),
            "r" if self.section == Section::Invariant => self.region(rest),
            "k" if self.section == Section::Invariant => self.kept(rest),
            "s" if self.section == Section::Invariant => self.state(rest),
            "x" if self.section == Section::Invariant => {
                self.check_states()?;
                self.section = Section::Conditions;
                self.example(rest)
            }
            "c" if self.section == Section::Conditions => self.condition(rest),
            "l" if matches!(self.section, Section::Conditions | Section::Listed) => {
                self.section = Section::Listed;
                self.listed_start(rest)
            }
            "t" if self.section > Section::Invariant && self.section < Section::End => {
                self.section = Section::Trees;
                self.tree(rest)
            }
            "end" if self.section > Section::Invariant && self.section < Section::End => self.end(),
            _ => Err(format!("a line '{}' is not expected here", kind.chars().take(20).collect::<String>())),
        }
    }

    /// Whether the last line has been taken.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.section == Section::End
    }

    /// What was found right so far.
    #[must_use]
    pub fn shown(&self) -> Shown {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let (regions, states) = (count(self.rules.regions.len()), count(self.rules.states.values.len()));
        Shown { regions, states, tokens: self.tokens }
    }

    fn formula(&mut self, kind: &str, rest: &str) -> Result<(), String> {
        let formula = Formula::read(kind, rest, self.rules.asked.model.slots.len())?;
        self.kept_parts += formula.size();
        limited(self.kept_parts, MOST_PARTS, "parts of formulas")?;
        self.ws.formulas.push(formula).map(drop)
    }

    fn slot(&self, text: &str) -> Result<u32, String> {
        read_slot(text, self.rules.asked.model.slots.len())
    }

    fn operator(&mut self, text: &str) -> Result<(), String> {
        let model = self.rules.asked.model;
        let mut parts = text.split(' ');
        let label = match parts.next().unwrap_or("") {
            "-" => None,
            label => {
                let label = LabelId(number(label, "an action")?);
                if label.0 as usize >= model.labels.len() {
                    return Err(format!("there is no action {}", label.0));
                }
                Some(label)
            }
        };
        let mut edges = Vec::new();
        for part in parts {
            let (instance, edge) =
                part.split_once(':').ok_or_else(|| format!("expected an instance and an edge, found '{part}'"))?;
            let instance: u32 = number(instance, "an instance")?;
            if instance as usize >= model.instances.len() {
                return Err(format!("there is no instance {instance}"));
            }
            let edge = if edge == "-" { None } else { Some(number::<u32>(edge, "an edge")? as usize) };
            edges.push((instance as usize, edge));
        }
        limited(self.operators as usize, MOST_PARTS, "operators")?;
        self.rules.operators.number((label, edges), self.operators)?;
        self.operators += 1;
        Ok(())
    }

    fn region(&mut self, text: &str) -> Result<(), String> {
        let mut region = Region::default();
        for part in text.split(' ') {
            if let Some(formula) = part.strip_prefix('f') {
                let formula = number(formula, "a formula")?;
                self.ws.formulas.get(formula)?;
                if region.formulas.last().is_some_and(|before| *before >= formula) {
                    return Err("the formulas of a region are to be in ascending order".to_owned());
                }
                region.formulas.push(formula);
                limited(region.formulas.len(), MOST_FORMULAS, "formulas of a region")?;
                continue;
            }
            let mut numbers = part.split(':');
            let mut next = || numbers.next().ok_or_else(|| format!("expected a slot and two bounds, found '{part}'"));
            let slot = self.slot(next()?)?;
            let (lower, upper): (i64, i64) = (number(next()?, "a bound")?, number(next()?, "a bound")?);
            let domain = self.rules.asked.model.slots[slot as usize].domain.int_bounds();
            if lower > upper || domain.is_none_or(|(least, most)| lower < least || upper > most) {
                return Err(format!("slot {slot} is no part of its domain between {lower} and {upper}"));
            }
            if numbers.next().is_some() || region.bounds.last().is_some_and(|(before, ..)| *before >= slot) {
                return Err("slots are to be in ascending order, with two bounds each".to_owned());
            }
            region.bounds.push((slot, lower, upper));
        }
        let locations = self.rules.asked.locations();
        let fixed =
            region.bounds.iter().take(locations).enumerate().filter(|(i, (slot, l, u))| *slot as usize == *i && l == u);
        if fixed.count() < locations {
            return Err("the locations of a region are to be fixed".to_owned());
        }
        self.kept_bounds += 1 + region.bounds.len() + region.formulas.len();
        limited(self.kept_bounds, MOST_BOUNDS, "bounds of regions")?;
        self.rules.regions.push(region);
        Ok(())
    }

    fn kept(&mut self, text: &str) -> Result<(), String> {
        let kept = text.split(' ').map(|slot| self.slot(slot)).collect::<Result<Vec<u32>, _>>()?;
        let locations = self.rules.asked.locations();
        let has_locations = kept.len() >= locations && (0..locations).all(|i| kept[i] as usize == i);
        if !has_locations || !kept.is_sorted_by(|a, b| a < b) || !self.rules.states.kept.is_empty() {
            return Err("the slots of states are told once, in ascending order, locations among them".to_owned());
        }
        self.rules.states.kept = kept;
        Ok(())
    }

    fn state(&mut self, text: &str) -> Result<(), String> {
        let values = text.split(' ').map(|value| number(value, "a value")).collect::<Result<Box<[i64]>, _>>()?;
        if values.len() != self.rules.states.kept.len() || values.is_empty() {
            return Err(format!("{} values for {} slots", values.len(), self.rules.states.kept.len()));
        }
        for (slot, value) in self.rules.states.kept.iter().zip(&values) {
            let domain = self.rules.asked.model.slots[*slot as usize].domain.int_bounds();
            if domain.is_none_or(|(least, most)| *value < least || *value > most) {
                return Err(format!("{value} is not in the domain of slot {slot}"));
            }
        }
        self.kept_values += 2 + values.len();
        limited(self.kept_values, MOST_VALUES, "values of states")?;
        self.rules.states.values.insert(values);
        Ok(())
    }

    /// All regions and states are there: what they need is laid out, and states are checked.
    fn check_states(&mut self) -> Result<(), String> {
        let locations = self.rules.asked.locations();
        let of_region =
            |region: &Region| region.bounds.iter().take(locations).map(|(_, l, _)| *l).collect::<Vec<i64>>();
        let mut all: Vec<Vec<i64>> = self.rules.regions.iter().map(of_region).collect();
        all.extend(self.rules.states.values.iter().map(|values| values[..locations].to_vec()));
        all.sort_unstable();
        all.dedup();
        for locations in all {
            self.rules.operators.prepare(&locations)?;
        }
        let mut states: Vec<&Box<[i64]>> = self.rules.states.values.iter().collect();
        states.sort_unstable();
        for values in states {
            let checked = self.rules.check_state(values, &mut self.ws);
            checked.map_err(|why| format!("state {}: {why}", words(values)))?;
        }
        Ok(())
    }

    /// The start state that shows that there is one.
    fn example(&self, text: &str) -> Result<(), String> {
        let values = text.split(' ').map(|value| number(value, "a value")).collect::<Result<Vec<i64>, _>>()?;
        let model = self.rules.asked.model;
        let inside = |(slot, value): (usize, &i64)| {
            model.slots[slot].domain.int_bounds().is_some_and(|(least, most)| least <= *value && *value <= most)
        };
        if values.len() != model.slots.len() || !values.iter().enumerate().all(inside) {
            return Err(format!("these are no values of the {} slots", model.slots.len()));
        }
        let (state, interpreter) = (State::from_ints(&values), self.problem.interpreter());
        let start = &self.problem.query.start;
        if start.states.contains(&state) || start.conditions.iter().any(|c| interpreter.holds(*c, &state) == Ok(true)) {
            return Ok(());
        }
        Err("this is no start state".to_owned())
    }

    fn condition(&mut self, tree: &str) -> Result<(), String> {
        let Some(condition) = self.problem.query.start.conditions.get(self.conditions) else {
            return Err(format!("there are only {} start conditions", self.conditions));
        };
        let node = self.rules.start_node(*condition);
        let tokens = self.rules.check_tree(node, tree, &mut self.ws);
        let tokens = tokens.map_err(|why| format!("start condition {}: {why}", self.conditions))?;
        self.tokens += u64::try_from(tokens).unwrap_or(0);
        self.conditions += 1;
        Ok(())
    }

    fn listed_start(&mut self, text: &str) -> Result<(), String> {
        let Some(state) = self.problem.query.start.states.get(self.listed) else {
            return Err(format!("there are only {} listed start states", self.listed));
        };
        let place = if text == "@" { Place::States } else { Place::Region(number(text, "a region")?) };
        let point = state.to_ints().ok_or_else(|| "a start state has values that are no integers".to_owned())?;
        if !self.rules.holds_at(&point, place, &self.ws.formulas) {
            return Err(format!("listed start state {} is not there", self.listed));
        }
        self.listed += 1;
        Ok(())
    }

    fn tree(&mut self, text: &str) -> Result<(), String> {
        let number_of = self.trees.len();
        let Some(region) = self.rules.regions.get(number_of) else {
            return Err(format!("there are only {number_of} regions"));
        };
        let node = self.rules.region_node(region, &self.ws)?;
        let shared = match text.strip_prefix('=') {
            Some(earlier) => {
                let earlier: u32 = number(earlier, "an earlier tree")?;
                let tree = self.trees.get(earlier as usize).and_then(Option::as_ref);
                Some(tree.ok_or_else(|| format!("there is no tree {earlier} before this one that can be shared"))?)
            }
            None => None,
        };
        let tree: &str = shared.map_or(text, |tree| tree);
        let tokens = self.rules.check_tree(node, tree, &mut self.ws);
        let tokens = tokens.map_err(|why| format!("region {number_of}: {why}"))?;
        self.tokens += u64::try_from(tokens).unwrap_or(0);
        let own = shared.is_none() && text.len() <= MOST_SHARED;
        self.trees.push(own.then(|| text.into()));
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        let start = &self.problem.query.start;
        if self.conditions < start.conditions.len() || self.listed < start.states.len() {
            return Err("not all start states are shown to be covered".to_owned());
        }
        let regions = self.rules.regions.len();
        if self.trees.len() < regions {
            return Err(format!("{} trees for {regions} regions", self.trees.len()));
        }
        self.section = Section::End;
        Ok(())
    }
}

/// Values in words.
fn words(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

/// That there are not too many of something.
pub(crate) fn limited(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most { Ok(()) } else { Err(format!("there are more than {most} {what}")) }
}
