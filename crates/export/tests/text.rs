//! The text formats, to the letter.

mod common;

use common::{chain, small, text};
use surefoot_export::{ExportError, Numbers, Options, dot, drn, graphml, prism};

const DOUBLE: Options = Options { numbers: Some(Numbers::Double), always_mdp: false, any_size: false, deadline: None };

#[test]
fn drn_of_a_decision_process() {
    let expected = "\
// small, exported by Surefoot
@type: MDP
@value_type: rational
@parameters

@reward_models

@nr_states
3
@nr_choices
4
@model
state 0 init start
//[car=here & grid[3]=-2 & on=true]
\taction go
\t\t0 : 1/3
\t\t2 : 2/3
\taction wait_a_bit
\t\t1 : 1
state 1 unsafe
//[car=there & grid[3]=5 & on=false]
\taction __NOLABEL__
\t\t1 : 1
state 2 deadlock unsafe
//[car=there & grid[3]=0 & on=true]
\taction __NOLABEL__
\t\t2 : 1
";
    let owned = small();
    assert_eq!(text(|out| drn::write(&owned.model(), &Options::default(), out).unwrap()), expected);
}

#[test]
fn drn_of_a_chain_with_doubles_and_odd_labels() {
    let expected = "\
// small, exported by Surefoot
@type: DTMC
@value_type: double
@parameters

@reward_models

@nr_states
3
@nr_choices
3
@model
state 0 init start
\taction go
\t\t1 : 0.3333333333333333
\t\t2 : 0.6666666666666666
state 1 \"un'safe <0>\"
\taction __NOLABEL__
\t\t1 : 1
state 2 deadlock \"un'safe <0>\"
\taction __NOLABEL__
\t\t2 : 1
";
    let mut owned = chain();
    owned.variables.clear();
    owned.state_values = vec![Vec::new(); 3];
    assert_eq!(text(|out| drn::write(&owned.model(), &DOUBLE, out).unwrap()), expected);
}

#[test]
fn prism_files_of_a_decision_process() {
    let owned = small();
    let model = owned.model();
    let transitions =
        "3 4 5\n0 0 0 0.3333333333333333 go\n0 0 2 0.6666666666666666 go\n0 1 1 1 wait_a_bit\n1 0 1 1\n2 0 2 1\n";
    assert_eq!(text(|out| prism::transitions(&model, &Options::default(), out).unwrap()), transitions);
    let states = "(car,grid_3,on)\n0:(0,-2,true)\n1:(1,5,false)\n2:(1,0,true)\n";
    assert_eq!(text(|out| prism::states(&model, out).unwrap()), states);
    let labels = "0=\"init\" 1=\"deadlock\" 2=\"start\" 3=\"unsafe\"\n0: 0 2\n1: 3\n2: 1 3\n";
    assert_eq!(text(|out| prism::labels(&model, out).unwrap()), labels);
}

#[test]
fn prism_files_of_a_chain() {
    let mut owned = chain();
    owned.variables.clear();
    owned.state_values = vec![Vec::new(); 3];
    let model = owned.model();
    let exact = Options { numbers: Some(Numbers::Exact), ..Options::default() };
    let transitions = "3 4\n0 1 1/3 go\n0 2 2/3 go\n1 1 1\n2 2 1\n";
    assert_eq!(text(|out| prism::transitions(&model, &exact, out).unwrap()), transitions);
    let as_mdp = Options { always_mdp: true, ..exact };
    let transitions = "3 3 4\n0 0 1 1/3 go\n0 0 2 2/3 go\n1 0 1 1\n2 0 2 1\n";
    assert_eq!(text(|out| prism::transitions(&model, &as_mdp, out).unwrap()), transitions);
    assert_eq!(text(|out| prism::states(&model, out).unwrap()), "(state)\n0:(0)\n1:(1)\n2:(2)\n");
    let labels = "0=\"init\" 1=\"deadlock\" 2=\"start\" 3=\"un_safe__0_\"\n0: 0 2\n1: 3\n2: 1 3\n";
    assert_eq!(text(|out| prism::labels(&model, out).unwrap()), labels);
}

#[test]
fn dot() {
    let expected = r##"digraph "small" {
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];
  edge [fontname="sans-serif"];
  s0 [label="0 start\ncar=here\ngrid[3]=-2\non=true", peripheries=2];
  c0 [shape=point];
  s0 -> c0 [label="go", dir=none];
  c0 -> s2 [label="2/3"];
  c0 -> s0 [label="1/3"];
  s0 -> s1 [label="wait a bit"];
  s1 [label="1 unsafe\ncar=there\ngrid[3]=5\non=false", fillcolor="#f4a582"];
  s1 -> s1 [label=""];
  s2 [label="2 deadlock unsafe\ncar=there\ngrid[3]=0\non=true", fillcolor="#f4a582"];
}
"##;
    let owned = small();
    assert_eq!(text(|out| dot::write(&owned.model(), &Options::default(), out).unwrap()), expected);
}

#[test]
fn graphml() {
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="labels" for="node" attr.name="labels" attr.type="string"/>
  <key id="initial" for="node" attr.name="initial" attr.type="boolean"/>
  <key id="action" for="edge" attr.name="action" attr.type="string"/>
  <key id="choice" for="edge" attr.name="choice" attr.type="int"/>
  <key id="probability" for="edge" attr.name="probability" attr.type="double"/>
  <graph id="small" edgedefault="directed">
    <node id="s0">
      <data key="labels">start</data>
      <data key="initial">true</data>
    </node>
    <node id="s1">
      <data key="labels">un&quot;safe &lt;0&gt;</data>
      <data key="initial">false</data>
    </node>
    <node id="s2">
      <data key="labels">deadlock un&quot;safe &lt;0&gt;</data>
      <data key="initial">false</data>
    </node>
    <edge source="s0" target="s2">
      <data key="action">go</data>
      <data key="choice">0</data>
      <data key="probability">0.6666666666666666</data>
    </edge>
    <edge source="s0" target="s1">
      <data key="action">go</data>
      <data key="choice">0</data>
      <data key="probability">0.3333333333333333</data>
    </edge>
    <edge source="s1" target="s1">
      <data key="choice">0</data>
      <data key="probability">1</data>
    </edge>
  </graph>
</graphml>
"#;
    let mut owned = chain();
    owned.variables.clear();
    owned.state_values = vec![Vec::new(); 3];
    assert_eq!(text(|out| graphml::write(&owned.model(), &Options::default(), out).unwrap()), expected);
}

#[test]
fn labels_must_be_told_apart() {
    for name in ["start", "init", ""] {
        let mut owned = small();
        owned.labels[2].name = name.to_owned();
        let refused = drn::write(&owned.model(), &Options::default(), &mut Vec::new());
        assert!(matches!(refused, Err(ExportError::Label(_))), "{name}");
    }
    // Names that only look alike in a format are told apart there.
    let mut owned = small();
    (owned.labels[1].name, owned.labels[2].name) = ("a\"b".to_owned(), "a'b".to_owned());
    let drn = text(|out| drn::write(&owned.model(), &Options::default(), out).unwrap());
    assert!(drn.contains("state 0 init \"a'b\"\n") && drn.contains("state 1 \"a'b_2\"\n"));
    let labels = text(|out| prism::labels(&owned.model(), out).unwrap());
    assert!(labels.starts_with("0=\"init\" 1=\"deadlock\" 2=\"a_b\" 3=\"a_b_2\"\n"));
}

#[test]
fn probabilities_too_small_for_floats_are_refused() {
    let mut owned = chain();
    let nearly: surefoot_num::Rational = &surefoot_num::Rational::ONE - &"1e-400".parse().unwrap();
    owned.mdp = common::process(&[&[&[(2, &nearly.to_string()), (1, "1e-400")]], &[&[(1, "1")]], &[]]);
    let model = owned.model();
    let refused = |result| assert!(matches!(result, Err(ExportError::Vanishes(_))));
    refused(drn::write(&model, &DOUBLE, &mut Vec::new()));
    refused(prism::transitions(&model, &Options::default(), &mut Vec::new()));
    refused(surefoot_export::umb::write(&model, &DOUBLE, &mut Vec::new()));
    drn::write(&model, &Options::default(), &mut Vec::new()).unwrap();
}
