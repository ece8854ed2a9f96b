//! Options of `bounds` that only abstractions have.

use clap::{Args, ValueEnum};
use surefoot_num::Rational;
use surefoot_verify::{Abstracting, Algorithm};

use super::number::{positive_probability, probability};

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of --engine cegar")]
pub(crate) struct AlgorithmArgs {
    /// Who bounds by abstraction: auto (ours: small domains explicit, boxes of the others, states of the model beside them), or paper (predicates, refined by
    /// the most probable paths)
    #[arg(long, value_name = "auto|paper", hide_possible_values = true)]
    algorithm: Option<AlgorithmArg>,
    /// Paths less probable than this are not added to a set that has enough (--algorithm paper) [default: 1/100000]
    #[arg(long, value_name = "X", value_parser = positive_probability)]
    p_eps: Option<Rational>,
    /// The step of the search for a bound, and its precision (--algorithm paper) [default: 1/20]
    #[arg(long, value_name = "X", value_parser = positive_probability)]
    p_step: Option<Rational>,
    /// Where that search begins (--algorithm paper) [default: 0]
    #[arg(long, value_name = "X", value_parser = probability)]
    p_init: Option<Rational>,
    /// Find the start state with the most probable set of paths under the policy exactly (--algorithm paper)
    #[arg(long)]
    exact_policy: bool,
    /// The most values of a variable that stays explicit (--algorithm auto) [default: as many as suit the start set]
    #[arg(long, value_name = "N")]
    explicit_values: Option<u64>,
    /// States of the model beside the abstraction, at most (--algorithm auto) [default: as many as pay]
    #[arg(long, value_name = "N")]
    concrete_states: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AlgorithmArg {
    Auto,
    Paper,
}

impl AlgorithmArgs {
    /// Whether it is the paper's.
    pub(crate) fn is_paper(&self) -> bool {
        self.algorithm == Some(AlgorithmArg::Paper)
    }

    /// Whether one was named.
    pub(crate) fn is_given(&self) -> bool {
        self.algorithm.is_some()
    }

    /// Whether the step was given, which is the precision.
    pub(crate) fn has_step(&self) -> bool {
        self.p_step.is_some()
    }

    /// An option of the paper's algorithm that was given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--p-eps", self.p_eps.is_some()),
            ("--p-step", self.p_step.is_some()),
            ("--p-init", self.p_init.is_some()),
            ("--exact-policy", self.exact_policy),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// An option of our algorithm that was given, by name.
    pub(crate) fn given_ours(&self) -> Option<&'static str> {
        let options = [
            ("--explicit-values", self.explicit_values.is_some()),
            ("--concrete-states", self.concrete_states.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// How to abstract; the precision, where it was given, is the step.
    pub(crate) fn abstracting(&self, precision: Option<f64>) -> Abstracting {
        let default = Abstracting::default();
        let step = precision.and_then(Rational::from_f64).map(|step| step.min(Rational::ONE));
        Abstracting {
            algorithm: if self.is_paper() { Algorithm::Paper } else { Algorithm::Boxes },
            p_eps: self.p_eps.clone().unwrap_or(default.p_eps),
            p_step: self.p_step.clone().or(step).unwrap_or(default.p_step),
            p_init: self.p_init.clone().unwrap_or(default.p_init),
            exact_policy: self.exact_policy,
            explicit_values: self.explicit_values,
            concrete_states: self.concrete_states,
            refinement: default.refinement,
            sketch: false,
        }
    }
}
