//! Who answers single questions, of `abstract` and of `verify --engine cegar` and `bmc`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Other people's solvers")]
pub(crate) struct OracleArgs {
    /// Who answers single questions: builtin, z3, cvc5, marabou, highs, or paper (Z3 where there is no network, Marabou where there is one). A proof
    /// then rests on their word, and has no certificate
    #[arg(long, value_name = "NAME", default_value = "builtin", hide_possible_values = true)]
    pub(crate) oracle: OracleArg,
    /// The Python that has the solvers' packages, with z3 beside it (`make solvers`: .venv/bin/python); else $SUREFOOT_PYTHON; else z3, highs and
    /// python3 beside this program or on the PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) python: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OracleArg {
    Builtin,
    Z3,
    Cvc5,
    Marabou,
    Highs,
    Paper,
}
