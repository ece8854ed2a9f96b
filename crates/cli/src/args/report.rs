//! Options of `report`, `view`, and of commands that write a page besides their result.

use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, ModelArgs};

/// A page besides the result.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Write one HTML file that shows the result and what it rests on: runs, the policy, the abstraction
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) drawing: DrawingArgs,
}

impl PageArgs {
    /// Whether one is wanted.
    pub(crate) fn is_wanted(&self) -> bool {
        self.report.is_some()
    }
}

/// How states are drawn.
#[derive(Debug, Args)]
pub(crate) struct DrawingArgs {
    /// How states are drawn on a page; drawing.json beside the model is found by itself
    #[arg(long, value_name = "FILE.json")]
    pub(crate) drawing: Option<PathBuf>,
}

/// What `view` takes.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The port of the page on this computer; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// The predicates to begin with (an array of JANI expressions) instead of the property's own
    #[arg(long, value_name = "FILE")]
    pub(crate) predicates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) drawing: DrawingArgs,
}

/// What `report` takes.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A result object (what --json writes)
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The page
    #[arg(long, value_name = "FILE.html")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) drawing: DrawingArgs,
}
