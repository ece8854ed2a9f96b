//! What is claimed of a region: that nothing is lost, that bounds are bounds, that nothing is left.

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_lp::Program;
use surefoot_num::Rational;
use surefoot_oracle::Question;
use surefoot_oracle::proof::{NeuronPhase, Refutation, RowFact, Source};

use super::region::{Bounds, neuron_symbol, source_form};
use super::{Auditor, Goal, exact};

/// A row as a form; `None` where floats were not enough, which bounds nothing.
fn row_form(row: &RowFact<'_>, variables: usize) -> Option<Linear> {
    let terms = row.coefficients[..variables].iter().enumerate();
    let terms: Option<Vec<_>> = terms.map(|(v, a)| Some((Symbol::at(v), Rational::from_f64(*a)?))).collect();
    let constant = &Rational::from_f64(row.constant)? + &Rational::from_f64(row.slack)?;
    Some(Linear::new(terms?, constant))
}

impl Auditor {
    pub(super) fn contracted(&mut self, region: u64, new: Bounds) {
        self.count("contracted");
        let old = self.regions[&region].bounds.clone();
        let mut outside = Vec::new();
        for (v, ((ol, ou), (nl, nu))) in old.iter().zip(&new).enumerate() {
            assert!(ol <= nl && nu <= ou && nl <= nu, "boxes only shrink");
            let x = Linear::symbol(Symbol::at(v));
            if ol < nl {
                outside.push(Formula::Atom(Atom::positive(&Linear::constant_form(nl.clone()) - &x)));
            }
            if nu < ou {
                outside.push(Formula::Atom(Atom::positive(&x - &Linear::constant_form(nu.clone()))));
            }
        }
        self.no_witness(region, Formula::any(outside), "nothing is cut off");
        self.regions.get_mut(&region).expect("there is such a region").bounds = new;
    }

    pub(super) fn neurons(&mut self, region: u64, application: usize, layer: usize, lower: &[f64], upper: &[f64]) {
        let layers = self.question.applications[application].network.layers();
        if layers[layer].activation() != surefoot_network::Activation::Relu {
            return;
        }
        let neurons = layers[layer].output_len();
        self.count("neurons");
        let beyond = |question: &mut Question| {
            let first = neuron_symbol(question, application, layer, 0);
            let z = |i: usize| Linear::symbol(Symbol::at(first.index() + i));
            let of = |value: f64| Rational::from_f64(value).map(Linear::constant_form);
            let below = (0..neurons).filter_map(|i| Some(&of(lower[i])? - &z(i)));
            let above = (0..neurons).filter_map(|i| Some(&z(i) - &of(upper[i])?));
            Formula::any(below.chain(above).map(|form| Formula::Atom(Atom::positive(form))))
        };
        self.no_point(region, beyond, "neurons stay within their bounds");
    }

    /// A row bounds what it is for from above.
    pub(super) fn bounds(&mut self, region: u64, source: Source, row: &RowFact<'_>) {
        let Some(row) = row_form(row, self.question.variables.len()) else { return };
        let mut question = self.regions[&region].points(&self.question);
        let form = source_form(&mut question, Some(&self.formulas), source);
        let above = Formula::Atom(Atom::positive(&form - &row));
        question.formula = Formula::all([question.formula.clone(), above]);
        self.none(&question, "a row bounds its form");
    }

    pub(super) fn refuted(&mut self, region: u64, why: Refutation<'_>) {
        assert!(self.settled.insert(region), "region {region} is refuted once");
        match why {
            Refutation::Combination { rows, sources, multipliers } => {
                self.count("refuted by a combination");
                self.combination(region, rows, multipliers);
                for (row, source) in rows.iter().zip(sources) {
                    self.bounds(region, *source, row);
                }
            }
            Refutation::Exact { rows, sources, multipliers } => {
                self.count("refuted exactly");
                let Question { variables, .. } = self.regions[&region].points(&self.question);
                let bounds = variables.iter().map(|v| (v.lower.clone(), v.upper.clone())).collect();
                assert!(Program { bounds, rows: rows.to_vec() }.refutes(multipliers), "multipliers add up");
                for (row, source) in rows.iter().zip(sources) {
                    let relation = match source {
                        Source::Part(part) => self.formulas.atom(*part).relation,
                        Source::Range { .. } => Relation::AtLeastZero,
                    };
                    assert_eq!(row.relation, relation, "a row says what its source does");
                    let mut question = self.regions[&region].points(&self.question);
                    let form = source_form(&mut question, Some(&self.formulas), *source);
                    let differ = Atom { form: &form - &row.form, relation: Relation::NonZero };
                    question.formula = Formula::all([question.formula.clone(), Formula::Atom(differ)]);
                    self.none(&question, "a row is its form");
                }
            }
            Refutation::Sum { parts, ranges } => {
                self.count("refuted by a sum");
                self.sum(region, parts, ranges);
            }
            Refutation::Conflicts => {
                self.count("refuted by conflicts");
                let conflicts = self.conflicts.get(&region).cloned().unwrap_or_default();
                assert!(contradictory(&conflicts), "some phases are not excluded: {conflicts:?}");
            }
            Refutation::Propagation => self.count("refuted by propagation"),
            Refutation::Neurons { .. } => self.count("refuted by neurons"),
            Refutation::Points => self.count("refuted by points"),
            Refutation::Known => {
                self.count("refuted as known");
                assert!(matches!(self.goal, Goal::All(_)), "assignments were asked for");
            }
            Refutation::Excluded => {
                self.count("refuted as excluded");
                assert!(self.alive(region).is_empty(), "no formula is left");
                return;
            }
        }
        let news = match &self.goal {
            Goal::All(known) => Formula::all(known.iter().map(|assignment| {
                let literal = |(value, f): (bool, &Formula)| if value { f.negated() } else { f.clone() };
                Formula::any(assignment.iter().zip(&self.tracked).map(literal))
            })),
            Goal::One | Goal::Nowhere(_) => Formula::truth(),
        };
        self.no_witness(region, news, "a refuted region holds nothing that is asked for");
    }

    /// No wanted point has these phases.
    pub(super) fn conflict(&mut self, region: u64, phases: &[NeuronPhase]) {
        self.count("conflict");
        let mut part = self.regions[&region].clone();
        part.ranges.extend(phases.iter().map(|phase| {
            let NeuronPhase { application, layer, neuron, active } = *phase;
            Source::Range { application, layer, neuron, at: 0.0, above: active }
        }));
        self.regions.insert(u64::MAX, part);
        self.no_witness(u64::MAX, Formula::truth(), "phases exclude each other");
        self.regions.remove(&u64::MAX);
        self.conflicts.entry(region).or_default().push(phases.to_vec());
    }

    /// Parts and ranges times multipliers are negative together in all of a region.
    fn sum(&mut self, region: u64, parts: &[(u32, f64)], multipliers: &[f64]) {
        let (mut question, sum) = self.sum_form(region, parts, multipliers);
        question.formula = Formula::all([question.formula.clone(), Formula::Atom(Atom::at_least_zero(sum))]);
        self.none(&question, "a sum is negative");
    }

    /// A row bounds parts and ranges times multipliers: from here on, points at which it is negative do not matter.
    pub(super) fn kept(&mut self, region: u64, parts: &[(u32, f64)], multipliers: &[f64], row: &RowFact<'_>) {
        self.count("kept");
        let Some(row) = row_form(row, self.question.variables.len()) else { return };
        let (mut question, sum) = self.sum_form(region, parts, multipliers);
        let above = Formula::Atom(Atom::positive(&sum - &row));
        question.formula = Formula::all([question.formula.clone(), above]);
        self.none(&question, "a row bounds a sum");
        let negative = Formula::Atom(Atom::positive(-&row));
        self.no_witness(region, negative, "a row is not negative at a witness");
        self.regions.get_mut(&region).expect("there is such a region").kept.push(row);
    }

    /// Parts and the ranges of a region times multipliers, and the points of the region.
    fn sum_form(&self, region: u64, parts: &[(u32, f64)], multipliers: &[f64]) -> (Question, Linear) {
        let mut question = self.regions[&region].points(&self.question);
        let ranges = self.regions[&region].ranges.clone();
        assert_eq!(ranges.len(), multipliers.len(), "one for each range");
        let parts = parts.iter().map(|(part, multiplier)| (Source::Part(*part), multiplier));
        let mut sum = Linear::default();
        for (source, multiplier) in parts.chain(ranges.into_iter().zip(multipliers)) {
            assert!(*multiplier >= 0.0);
            sum = sum.plus_scaled(&source_form(&mut question, Some(&self.formulas), source), &exact(*multiplier));
        }
        (question, sum)
    }

    /// Rows add up to something negative on the whole box.
    fn combination(&self, region: u64, rows: &[RowFact<'_>], multipliers: &[f64]) {
        let mut sum = Rational::ZERO;
        assert!(multipliers.iter().all(|m| *m >= 0.0));
        for (v, (lower, upper)) in self.regions[&region].bounds.iter().enumerate() {
            let column = rows.iter().zip(multipliers);
            let a: Rational = column.map(|(row, m)| &exact(row.coefficients[v]) * &exact(*m)).sum();
            sum = &sum + &(&a * lower).max(&a * upper);
        }
        for (row, m) in rows.iter().zip(multipliers) {
            sum = &sum + &(&(&exact(row.constant) + &exact(row.slack)) * &exact(*m));
        }
        assert!(sum.signum() < 0, "the combination is negative on the whole box");
    }
}

/// Whether neurons cannot have phases without some that exclude each other: by trying.
fn contradictory(conflicts: &[Vec<NeuronPhase>]) -> bool {
    if conflicts.iter().any(Vec::is_empty) {
        return true;
    }
    let Some(NeuronPhase { application, layer, neuron, .. }) = conflicts.first().map(|conflict| conflict[0]) else {
        return false;
    };
    [true, false].into_iter().all(|active| {
        let given = NeuronPhase { application, layer, neuron, active };
        let other = NeuronPhase { active: !active, ..given };
        let left = conflicts.iter().filter(|conflict| !conflict.contains(&other));
        let left = left.map(|conflict| conflict.iter().filter(|phase| **phase != given).copied().collect());
        contradictory(&left.collect::<Vec<_>>())
    })
}
