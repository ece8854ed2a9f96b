//! Clauses over phases, and what follows from them.
//!
//! A *literal* says that a neuron is active, or that it is inactive; a *clause* that one of its literals holds. Clauses with one
//! literal left that is not false make it true (*unit propagation*, with two watched literals per clause: Moskewicz et al., *Chaff*,
//! DAC 2001). A clause without such a literal is a conflict, from which another clause is learned by resolution up to the *first unique
//! implication point* (Marques-Silva and Sakallah, *GRASP*, IEEE Trans. Computers 1999): it follows from the clauses that are there, by
//! unit propagation, and it would have prevented the decisions that were made.
//!
//! At a point where a neuron's sum is zero both of its literals hold. So literals of one neuron exclude each other only as far as the search is
//! concerned, which may choose either one; a clause holds at every wanted point for one choice as for any other.

/// A neuron and a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal(u32);

impl Literal {
    #[expect(clippy::cast_possible_truncation, reason = "networks have far fewer than 2^31 neurons")]
    pub(crate) fn new(neuron: usize, active: bool) -> Self {
        Self(2 * neuron as u32 + u32::from(!active))
    }

    pub(crate) fn neuron(self) -> usize {
        (self.0 / 2) as usize
    }

    pub(crate) fn is_active(self) -> bool {
        self.0.is_multiple_of(2)
    }

    pub(crate) fn negated(self) -> Self {
        Self(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why a literal is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Decision,
    Clause(usize),
}

/// Clauses, and an assignment.
#[derive(Debug, Default)]
pub(crate) struct Clauses {
    clauses: Vec<Vec<Literal>>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<usize>>,
    phases: Vec<Option<bool>>,
    reasons: Vec<Reason>,
    levels: Vec<usize>,
    /// Literals in the order in which they became true.
    trail: Vec<Literal>,
    /// How long the trail was when each decision was made.
    decisions: Vec<usize>,
    /// How much of the trail was propagated.
    propagated: usize,
    seen: Vec<bool>,
}

impl Clauses {
    /// Begins anew, for so many neurons.
    pub(crate) fn reset(&mut self, neurons: usize) {
        self.clauses.clear();
        self.watches.iter_mut().for_each(Vec::clear);
        self.watches.resize_with(2 * neurons, Vec::new);
        self.phases.clear();
        self.phases.resize(neurons, None);
        self.reasons.clear();
        self.reasons.resize(neurons, Reason::Decision);
        self.levels.clear();
        self.levels.resize(neurons, 0);
        self.seen.clear();
        self.seen.resize(neurons, false);
        self.trail.clear();
        self.decisions.clear();
        self.propagated = 0;
    }

    /// The phase that a neuron was given.
    pub(crate) fn phase(&self, neuron: usize) -> Option<bool> {
        self.phases[neuron]
    }

    /// The decisions.
    pub(crate) fn decided(&self) -> impl Iterator<Item = Literal> + '_ {
        self.decisions.iter().map(|position| self.trail[*position])
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.phases[literal.neuron()].map(|phase| phase == literal.is_active())
    }

    fn assign(&mut self, literal: Literal, reason: Reason) {
        let neuron = literal.neuron();
        self.phases[neuron] = Some(literal.is_active());
        self.reasons[neuron] = reason;
        self.levels[neuron] = self.decisions.len();
        self.trail.push(literal);
    }

    /// Decides a literal that is neither true nor false.
    pub(crate) fn decide(&mut self, literal: Literal) {
        debug_assert!(self.value(literal).is_none(), "its neuron has no phase");
        self.decisions.push(self.trail.len());
        self.assign(literal, Reason::Decision);
    }

    /// Takes decisions back, all but the first so many.
    pub(crate) fn return_to(&mut self, level: usize) {
        if level < self.decisions.len() {
            for literal in self.trail.drain(self.decisions[level]..) {
                self.phases[literal.neuron()] = None;
            }
            self.decisions.truncate(level);
            self.propagated = self.propagated.min(self.trail.len());
        }
    }

    /// Makes true what follows; the clause that is false, if one is.
    pub(crate) fn propagate(&mut self) -> Option<usize> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let falsified = literal.negated();
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            let mut kept = 0;
            let mut conflict = None;
            for position in 0..watching.len() {
                let clause = watching[position];
                if conflict.is_some() || !self.watch_another(clause, falsified) {
                    watching[kept] = clause;
                    kept += 1;
                    let first = self.clauses[clause][0];
                    match self.value(first) {
                        _ if conflict.is_some() => {}
                        Some(true) => {}
                        Some(false) => conflict = Some(clause),
                        None => self.assign(first, Reason::Clause(clause)),
                    }
                }
            }
            watching.truncate(kept);
            self.watches[falsified.index()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Has a clause watch another literal than one that became false; if there is none, its first is the only one that may be true.
    fn watch_another(&mut self, clause: usize, falsified: Literal) -> bool {
        let literals = &mut self.clauses[clause];
        if literals[0] == falsified {
            literals.swap(0, 1);
        }
        let phases = &self.phases;
        let is_false = |l: Literal| phases[l.neuron()].is_some_and(|phase| phase != l.is_active());
        if literals.len() < 2 || phases[literals[0].neuron()] == Some(literals[0].is_active()) {
            return false;
        }
        let Some(other) = (2..literals.len()).find(|i| !is_false(literals[*i])) else { return false };
        literals.swap(1, other);
        let watched = literals[1];
        self.watches[watched.index()].push(clause);
        true
    }

    /// A clause of the database.
    pub(crate) fn clause(&self, clause: usize) -> &[Literal] {
        &self.clauses[clause]
    }

    /// Learns from literals that are all false but one of which must hold: goes back to where that would have had consequences, and makes them true.
    /// `false` where nothing is left to be gone back to: the clauses contradict each other.
    pub(crate) fn learn(&mut self, conflict: &[Literal]) -> bool {
        debug_assert!(conflict.iter().all(|l| self.value(*l) == Some(false)), "a conflict");
        let level = conflict.iter().map(|l| self.levels[l.neuron()]).max().unwrap_or(0);
        if level == 0 {
            return false;
        }
        self.return_to(level);
        let learned = self.first_implication_point(conflict, level);
        let back = learned[1..].iter().map(|l| self.levels[l.neuron()]).max().unwrap_or(0);
        self.return_to(back);
        let first = learned[0];
        let reason = self.add(learned);
        self.assign(first, Reason::Clause(reason));
        true
    }

    /// Resolves with reasons until one literal of the last level is left, which comes first, one of the next level second.
    fn first_implication_point(&mut self, conflict: &[Literal], level: usize) -> Vec<Literal> {
        let mut learned = vec![Literal(0)];
        let mut pending = 0;
        let mut position = self.trail.len();
        let mut next: Vec<Literal> = conflict.to_vec();
        let point = loop {
            for literal in next.drain(..) {
                let neuron = literal.neuron();
                if self.levels[neuron] == 0 || std::mem::replace(&mut self.seen[neuron], true) {
                    continue;
                }
                if self.levels[neuron] == level {
                    pending += 1;
                } else {
                    learned.push(literal);
                }
            }
            position =
                (0..position).rev().find(|p| self.seen[self.trail[*p].neuron()]).expect("a literal of the last level");
            let literal = self.trail[position];
            self.seen[literal.neuron()] = false;
            pending -= 1;
            if pending == 0 {
                break literal;
            }
            let Reason::Clause(reason) = self.reasons[literal.neuron()] else {
                unreachable!("a decision is the oldest literal of its level");
            };
            next.extend(self.clauses[reason].iter().filter(|l| **l != literal));
        };
        learned[0] = point.negated();
        self.minimise(&mut learned);
        learned.iter().for_each(|l| self.seen[l.neuron()] = false);
        if let Some(second) = (1..learned.len()).max_by_key(|i| (self.levels[learned[*i].neuron()], usize::MAX - i)) {
            learned.swap(1, second);
        }
        learned
    }

    /// Drops literals whose reasons consist of others.
    fn minimise(&mut self, learned: &mut Vec<Literal>) {
        let implied: Vec<bool> = learned
            .iter()
            .enumerate()
            .map(|(position, literal)| match self.reasons[literal.neuron()] {
                Reason::Clause(reason) if position > 0 => self.clauses[reason]
                    .iter()
                    .all(|l| l.neuron() == literal.neuron() || self.levels[l.neuron()] == 0 || self.seen[l.neuron()]),
                _ => false,
            })
            .collect();
        // Soundness: reasons are older than what they imply, so what is dropped is implied by what stays.
        let dropped: Vec<Literal> =
            learned.iter().zip(&implied).filter(|(_, implied)| **implied).map(|(l, _)| *l).collect();
        let mut position = 0;
        learned.retain(|_| {
            position += 1;
            !implied[position - 1]
        });
        dropped.iter().for_each(|l| self.seen[l.neuron()] = false);
    }

    /// Adds a clause whose first literal may become true, the second being one of the last to become false.
    fn add(&mut self, literals: Vec<Literal>) -> usize {
        let clause = self.clauses.len();
        for literal in literals.iter().take(2) {
            self.watches[literal.index()].push(clause);
        }
        self.clauses.push(literals);
        clause
    }
}

#[cfg(test)]
#[path = "clauses_tests.rs"]
mod tests;
