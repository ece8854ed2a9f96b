//! Options of `--engine cegar`, of `verify` and `bounds`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use surefoot_cegar::Order;
use surefoot_verify::task::refine::Refining;
use surefoot_verify::{Preset, Source};

use super::Switch;

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of --engine cegar")]
pub(crate) struct CegarArgs {
    /// How to refine: explain (the default), explain-only, entailed-whole, plaja, or as the papers do: vea-w, vea-mid, bsverix-w, bsverix-mid,
    /// bsverix-eps, sens-mid, rand, verix
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// The share of the way from witness to concretisation that the preset verix looks at, above 0 and at most 1
    #[arg(long, value_name = "X", value_parser = super::number::share)]
    epsilon: Option<f64>,
    /// Which abstract state is expanded next, whatever the preset says: deepest, shallowest or breadth (the earliest)
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    order: Option<OrderArg>,
    /// Check which variables matter to the policy over the reals (verix presets)
    #[arg(long)]
    relaxed_check: bool,
    /// Predicates to start with: a JANI array of expressions, or an object that has one as its "predicates" [default: the property's own]
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
    /// Write the predicates at the end, whatever the verdict, as a JANI array of expressions
    #[arg(long, value_name = "FILE")]
    pub(crate) predicates_out: Option<PathBuf>,
    /// Write the predicates after every iteration, and go on from them where the file is there
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Make directed runs of the policy before the first iteration and after some [default: off; auto does]
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    falsify: Option<Switch>,
    /// Give up after so many iterations
    #[arg(long, value_name = "N", value_parser = super::number::count)]
    max_iterations: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderArg {
    Deepest,
    Shallowest,
    Breadth,
}

impl CegarArgs {
    /// An option that was given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--preset", self.preset.is_some()),
            ("--epsilon", self.epsilon.is_some()),
            ("--order", self.order.is_some()),
            ("--relaxed-check", self.relaxed_check),
            ("--predicates", self.predicates.is_some()),
            ("--predicates-out", self.predicates_out.is_some()),
            ("--checkpoint", self.checkpoint.is_some()),
            ("--falsify", self.falsify.is_some()),
            ("--max-iterations", self.max_iterations.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// What refinement is to do. A strategy that is none is refused where options are checked.
    pub(crate) fn refining(&self) -> Refining {
        Refining {
            preset: self.preset().unwrap_or_default(),
            iterations: self.max_iterations,
            falsify: self.falsifies(),
            predicates: self.predicates.as_ref().map(Source::from),
            predicates_out: self.predicates_out.clone(),
            checkpoint: self.checkpoint.clone(),
        }
    }

    /// Whether directed runs are made.
    pub(crate) fn falsifies(&self) -> bool {
        matches!(self.falsify, Some(Switch::On))
    }

    /// The strategy asked for, or what is wrong with it.
    pub(crate) fn preset(&self) -> Result<Preset, String> {
        let mut preset = self.preset.clone().unwrap_or_default();
        if let Some(epsilon) = self.epsilon {
            preset = preset.with_epsilon(epsilon)?;
        }
        if self.relaxed_check {
            preset = preset.with_relaxed_check()?;
        }
        Ok(match self.order {
            None => preset,
            Some(OrderArg::Deepest) => preset.with_order(Order::DeepestFirst),
            Some(OrderArg::Shallowest) => preset.with_order(Order::ShallowestFirst),
            Some(OrderArg::Breadth) => preset.with_order(Order::BreadthFirst),
        })
    }
}
