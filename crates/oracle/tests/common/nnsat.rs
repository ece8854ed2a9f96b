//! The shared sets of one-step queries, as questions.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Network, ReadOptions, read_file};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Question, Ties, Variable};

/// A query with the answer that is given for it.
pub(crate) struct Query {
    /// The set and the number in it.
    pub(crate) name: String,
    pub(crate) question: Question,
    pub(crate) sat: bool,
    /// Who confirmed the answer.
    pub(crate) confirmed_by: String,
}

/// The queries of the shared folder; none where there is no such folder.
pub(crate) fn stored() -> Vec<Query> {
    surefoot_fixtures::shared_data(env!("CARGO_MANIFEST_DIR")).map_or(Vec::new(), |folder| all(&folder.join("nnsat")))
}

/// All queries of the folder, set by set in the order of their names.
fn all(folder: &Path) -> Vec<Query> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.iter().flat_map(|path| read_set(path)).collect()
}

/// The queries of one file; the network lies beside it.
fn read_set(path: &Path) -> Vec<Query> {
    let set: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let file = path.with_file_name(set["net"].as_str().unwrap());
    let network = Arc::new(read_file(file, &ReadOptions::default()).unwrap());
    let title = path.file_stem().unwrap().to_string_lossy();
    let queries = set["queries"].as_array().unwrap().iter();
    queries
        .map(|query| Query {
            name: format!("{title}/{}", query["id"]),
            question: question(query, &network),
            sat: match query["verdict"].as_str().unwrap() {
                "sat" => true,
                "unsat" => false,
                other => panic!("{title}/{}: a verdict '{other}'", query["id"]),
            },
            confirmed_by: query["confirmed_by"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// A state in the box that satisfies the constraints, with no output larger than the label's.
fn question(query: &Value, network: &Arc<Network>) -> Question {
    assert_eq!(query["integer"], Value::Bool(true), "only queries over integers are known");
    let variables: Vec<Variable> = query["box"].as_array().unwrap().iter().map(range).collect();
    let inputs = (0..variables.len()).map(|v| Linear::symbol(Symbol::at(v))).collect();
    let applications = vec![Application { network: network.clone(), inputs }];
    let mut question = Question { variables, applications, formula: Formula::truth() };
    let label = query["label"].as_u64().unwrap() as usize;
    let chosen = question.chosen(0, label, &Ties::Any, |_| Formula::truth());
    let constraints = query["constraints"].as_array().unwrap().iter().map(constraint);
    question.formula = Formula::all(constraints.chain([chosen]));
    question.check().unwrap();
    question
}

/// The number as it is written, exactly.
fn number(value: &Value) -> Rational {
    value.to_string().parse().unwrap()
}

fn range(bounds: &Value) -> Variable {
    Variable { lower: number(&bounds[0]), upper: number(&bounds[1]), ..Variable::integer(0, 0) }
}

fn constraint(row: &Value) -> Formula {
    let terms = row["coeffs"].as_object().unwrap().iter();
    let terms = terms.map(|(variable, a)| (Symbol(variable.parse().unwrap()), number(a))).collect();
    let form = Linear::new(terms, -number(&row["rhs"]));
    Formula::atom(match row["op"].as_str().unwrap() {
        ">=" => Atom::at_least_zero(form),
        "<=" => Atom::at_least_zero(-&form),
        "=" => Atom::zero(form),
        other => panic!("an operator '{other}'"),
    })
}
