//! Steps that random models rarely need: linear refutations over wide domains, alone and with the row of an output.

use std::sync::Arc;

use surefoot_certificate::token::Token;
use surefoot_checker::formula::{Atom, Formula, Formulas};
use surefoot_checker::rules::{Asked, Region, Rules};
use surefoot_limits::Limits;
use surefoot_linear::{Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_network::{Activation, Layer, Network};
use surefoot_prove::search::Search;
use surefoot_testkit::load_text;

/// Three variables from 0 to 1000; `keep` leaves them as they are, `leap` takes the first beyond everything that is proved.
const MODEL: &str = r#"{"jani-version": 1, "name": "wide", "type": "mdp", "actions": [{"name": "keep"}, {"name": "leap"}],
  "variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1000}, "initial-value": 0},
    {"name": "y", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1000}, "initial-value": 0},
    {"name": "z", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1000}, "initial-value": 0}],
  "properties": [{"name": "p", "expression": {"op": "filter", "fun": "∀", "states": {"op": "initial"},
    "values": {"op": "∀", "exp": {"op": "G", "exp": {"op": "≤", "left": "x", "right": 1000}}}}}],
  "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
    {"location": "l", "action": "keep", "destinations": [{"location": "l"}]},
    {"location": "l", "action": "leap", "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": 1000}]}]}]}],
  "system": {"elements": [{"automaton": "a"}], "syncs": [{"synchronise": ["keep"], "result": "keep"}, {"synchronise": ["leap"], "result": "leap"}]}}"#;

/// The tokens of the proof that nothing leads out of one region.
fn proof(lowered: &mut Lowered, policy: Option<&Policy>, atoms: &[Atom]) -> Vec<Token> {
    let target = lowered.model.terms.bool(false);
    let model = &lowered.model;
    let asked = Asked { model, policy, target, terminal: None, initial_only: false, assume_no_errors: false };
    let mut rules = Rules::new(asked).expect("it is supported");
    let mut formulas = Formulas::default();
    let ids = atoms.iter().map(|atom| formulas.push(Formula::Atom(atom.clone())).expect("few")).collect();
    rules.regions.push(Region { bounds: vec![(0, 0, 0)], formulas: ids });
    for (number, label) in (0u32..).zip(["keep", "leap"]) {
        let edge = usize::from(label == "leap");
        rules.operators.number((model.label(label), vec![(0, Some(edge))]), number).expect("once");
    }
    rules.operators.prepare(&[0]).expect("few");
    let limits = Limits::default();
    let locate = |point: &[i64]| (point[1] < 1000).then_some(surefoot_certificate::token::Place::Region(0));
    let ws = rules.workspace(formulas.clone(), 1e-6);
    let mut search = Search::new(&rules, ws, &locate, &limits);
    let node =
        rules.region_node(&rules.regions[0], &rules.workspace(formulas.clone(), 0.0)).expect("formulas are there");
    let proof = search.prove(node.clone()).expect("there is a proof");
    let text: Vec<String> = proof.tokens.iter().map(ToString::to_string).collect();
    for formula in proof.added {
        formulas.push(formula).expect("few");
    }
    rules.check_tree(node, &text.join(" "), &mut rules.workspace(formulas, 0.0)).expect("it is accepted");
    proof.tokens
}

fn atom(terms: &[(u32, i64)], constant: i64) -> Atom {
    Atom { terms: terms.to_vec(), constant }
}

#[test]
fn inequalities_that_contradict_each_other_are_one_step() {
    let mut lowered = load_text(MODEL);
    // x >= y + 3, y >= z, z >= x - 2.
    let atoms = [atom(&[(1, 1), (2, -1)], -3), atom(&[(2, 1), (3, -1)], 0), atom(&[(1, -1), (3, 1)], 2)];
    let tokens = proof(&mut lowered, None, &atoms);
    assert!(matches!(tokens.as_slice(), [Token::Empty(sum)] if sum.len() == 3), "{tokens:?}");
}

#[test]
fn a_row_and_an_inequality_exclude_an_output() {
    let mut lowered = load_text(MODEL);
    // keep scores relu(x + y), leap 500: leap is chosen only below 500, but x + y is at least 600.
    let first = Layer::new(3, vec![1.0, 1.0, 0.0], vec![0.0], Activation::Relu).expect("it fits");
    let last = Layer::new(1, vec![1.0, 0.0], vec![0.0, 500.0], Activation::Identity).expect("it fits");
    let network = Arc::new(Network::new(vec![first, last]).expect("it fits"));
    let inputs = (1..4).map(|slot| Linear::symbol(Symbol(slot))).collect();
    let labels = ["keep", "leap"].map(|label| lowered.model.label(label).expect("it is there")).to_vec();
    let policy = Policy {
        networks: vec![PolicyNetwork { when: None, inputs, network, file: "n".to_owned() }],
        outputs: Outputs::Labels(labels),
        filter: false,
        ties: Ties::First,
    };
    let tokens = proof(&mut lowered, Some(&policy), &[atom(&[(1, 1), (2, 1)], -600), atom(&[(1, -1), (2, -1)], 900)]);
    assert!(tokens.iter().any(|token| matches!(token, Token::Exclude { output: 1, .. })), "{tokens:?}");
    assert!(tokens.len() < 8, "{tokens:?}");
}
