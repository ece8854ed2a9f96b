//! Regions of an audited search, as questions that the reference decides.

use std::collections::BTreeSet;
use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::proof::{Part, Parts, Source};
use surefoot_oracle::{Application, Question, Variable};

/// Lower and upper bounds.
pub(crate) type Bounds = Vec<(Rational, Rational)>;

/// What the search says it is searching.
#[derive(Default)]
pub(crate) struct Formulas {
    parts: Vec<OwnPart>,
    pub(crate) root: u32,
    pub(crate) tracked: Vec<(u32, u32)>,
}

enum OwnPart {
    Atom(Atom),
    All(Vec<u32>),
    Any(Vec<u32>),
}

/// What is known of a region.
#[derive(Clone, Default)]
pub(crate) struct Region {
    /// Where its search began.
    pub(crate) root: u64,
    pub(crate) bounds: Bounds,
    /// Ranges that its neurons have.
    pub(crate) ranges: Vec<Source>,
    /// Parts that hold in it.
    pub(crate) extra: Vec<u32>,
    /// Parts that are taken to be false.
    pub(crate) given_up: BTreeSet<u32>,
    /// Forms over the variables that are not negative at its wanted points: nothing is said of others.
    pub(crate) kept: Vec<Linear>,
    /// Tracked formulas that hold nowhere in it.
    pub(crate) excluded: BTreeSet<u32>,
}

impl Formulas {
    pub(crate) fn new(parts: Parts<'_>) -> Self {
        let own = |part: &Part<'_>| match part {
            Part::Atom(atom) => OwnPart::Atom((*atom).clone()),
            Part::All(children) => OwnPart::All(children.to_vec()),
            Part::Any(children) => OwnPart::Any(children.to_vec()),
        };
        Self { parts: parts.parts.iter().map(own).collect(), root: parts.root, tracked: parts.tracked.to_vec() }
    }

    /// A part as a formula, if others are taken to be false.
    pub(crate) fn formula(&self, part: u32, given_up: &BTreeSet<u32>) -> Formula {
        let all = |children: &[u32]| children.iter().map(|c| self.formula(*c, given_up)).collect::<Vec<_>>();
        match &self.parts[part as usize] {
            _ if given_up.contains(&part) => Formula::falsity(),
            OwnPart::Atom(atom) => Formula::Atom(atom.clone()),
            OwnPart::All(children) => Formula::All(all(children)),
            OwnPart::Any(children) => Formula::Any(all(children)),
        }
    }

    /// The atom that a part is.
    pub(crate) fn atom(&self, part: u32) -> &Atom {
        match &self.parts[part as usize] {
            OwnPart::Atom(atom) => atom,
            _ => panic!("part {part} is no atom"),
        }
    }

    /// The other parts of the disjunction around a part.
    pub(crate) fn others(&self, part: u32) -> Vec<u32> {
        let around = self.parts.iter().find_map(|p| match p {
            OwnPart::Any(children) if children.contains(&part) => Some(children),
            _ => None,
        });
        let others = around.expect("the part of a disjunction").iter().copied();
        others.filter(|other| *other != part).collect()
    }
}

impl Region {
    /// The points of the region with the ranges of neurons that it assumes, where rows that were kept are not negative, as a question: also those
    /// that are no witnesses.
    pub(crate) fn points(&self, question: &Question) -> Question {
        let cut = |((l, u), variable): (&(Rational, Rational), &Variable)| Variable {
            kind: variable.kind,
            lower: l.clone().max(variable.lower.clone()),
            upper: u.clone().min(variable.upper.clone()),
        };
        let variables = self.bounds.iter().zip(&question.variables).map(cut).collect();
        let applications = question.applications.clone();
        let mut points = Question { variables, applications, formula: Formula::truth() };
        let ranges: Vec<Linear> = self.ranges.iter().map(|range| source_form(&mut points, None, *range)).collect();
        let forms = ranges.into_iter().chain(self.kept.iter().cloned());
        points.formula = Formula::all(forms.map(|form| Formula::Atom(Atom::at_least_zero(form))));
        points
    }

    /// The witnesses of the region.
    pub(crate) fn witnesses(&self, question: &Question, formulas: &Formulas) -> Question {
        let mut witnesses = self.points(question);
        let parts = self.extra.iter().chain([&formulas.root]);
        let parts = parts.map(|part| formulas.formula(*part, &self.given_up));
        witnesses.formula = Formula::all(parts.chain([witnesses.formula.clone()]));
        witnesses
    }
}

/// The form that a row of a source bounds, which may need one more application.
pub(crate) fn source_form(question: &mut Question, formulas: Option<&Formulas>, source: Source) -> Linear {
    match source {
        Source::Part(part) => formulas.expect("parts are known").atom(part).form.clone(),
        Source::Range { application, layer, neuron, at, above } => {
            let symbol = Linear::symbol(neuron_symbol(question, application, layer, neuron));
            let form = &symbol - &Linear::constant_form(super::exact(at));
            if above { form } else { -&form }
        }
    }
}

/// The symbol of a neuron's pre-activation: that of an output of the layers up to it, applied to the same state.
pub(crate) fn neuron_symbol(question: &mut Question, application: usize, layer: usize, neuron: usize) -> Symbol {
    let Application { network, inputs } = question.applications[application].clone();
    let mut layers = network.layers()[..=layer].to_vec();
    let last = layers.pop().expect("there is such a layer");
    let (weights, bias) = (last.weights().to_vec(), last.bias().to_vec());
    layers.push(Layer::new(last.input_len(), weights, bias, Activation::Identity).unwrap());
    let mut first = Network::new(layers).unwrap();
    if let Some(normalisation) = network.input_normalisation() {
        first = first.with_input_normalisation(normalisation.clone()).unwrap();
    }
    question.applications.push(Application { network: Arc::new(first), inputs });
    question.output(question.applications.len() - 1, neuron)
}
