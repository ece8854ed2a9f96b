//! Options of `zoo plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use surefoot_chart::{Kind, Plot};

use super::number::{above_zero, place};
use super::zoo::ZooOutputArgs;

#[derive(Debug, Args)]
pub(crate) struct ZooPlotArgs {
    /// What is drawn
    #[arg(value_enum, value_name = "KIND")]
    pub(crate) kind: KindArg,
    /// The table: CSV with a line of names; an empty cell is nothing, - is a run that did not end; - for standard input
    #[arg(value_name = "FILE.csv")]
    pub(crate) file: PathBuf,
    /// The column from left to right; bands have a row for each value that is no number
    #[arg(long, value_name = "[NAME=]COL")]
    x: Option<String>,
    /// A column from bottom to top; several for several series. Those that end in _ms and _us are read as seconds
    #[arg(long, value_name = "[NAME=]COL")]
    y: Vec<String>,
    /// The column of the lower numbers of a band
    #[arg(long, value_name = "COL", requires = "upper")]
    lower: Option<String>,
    /// The column of the upper numbers of a band
    #[arg(long, value_name = "COL", requires = "lower")]
    upper: Option<String>,
    /// A column whose values tell series apart
    #[arg(long, value_name = "COL")]
    by: Vec<String>,
    /// Only rows with this value; several for one column are alternatives
    #[arg(long = "where", value_name = "COL=VALUE")]
    only: Vec<String>,
    /// As much, or more, means that a run did not end
    #[arg(long, value_name = "N", value_parser = above_zero)]
    limit: Option<f64>,
    /// A line that is no data, at this number
    #[arg(long, value_name = "N", value_parser = place, allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Less counts as this much: for times that a clock cannot tell from zero
    #[arg(long, value_name = "N", value_parser = above_zero)]
    least: Option<f64>,
    /// The title [default: none]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The title of the axis from left to right [default: the column]
    #[arg(long, value_name = "TEXT")]
    x_title: Option<String>,
    /// The title of the axis from bottom to top [default: the column]
    #[arg(long, value_name = "TEXT")]
    y_title: Option<String>,
    /// How numbers grow from left to right [default: linear, for scatter log]
    #[arg(long, value_enum, value_name = "SCALE")]
    x_scale: Option<ScaleArg>,
    /// How numbers grow from bottom to top [default: log, for band linear]
    #[arg(long, value_enum, value_name = "SCALE")]
    y_scale: Option<ScaleArg>,
    /// The file; one that is there is replaced
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) output: ZooOutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// How many runs of each series ended within so many seconds
    Cactus,
    /// One column against another, a mark for each row
    Scatter,
    /// Columns over another one
    Growth,
    /// From a lower to an upper number
    Band,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleArg {
    /// By sums
    Linear,
    /// By products
    Log,
}

impl ZooPlotArgs {
    /// What is to be drawn.
    pub(crate) fn plot(&self) -> Plot {
        let is_logarithmic = |scale: Option<ScaleArg>| scale.map(|scale| scale == ScaleArg::Log);
        Plot {
            x: self.x.clone(),
            y: self.y.clone(),
            ends: self.lower.clone().zip(self.upper.clone()),
            by: self.by.clone(),
            only: self.only.clone(),
            limit: self.limit,
            threshold: self.threshold,
            least: self.least,
            title: self.title.clone(),
            titles: [self.x_title.clone(), self.y_title.clone()],
            logarithmic: [self.x_scale, self.y_scale].map(is_logarithmic),
            ..Plot::new(self.kind.kind())
        }
    }
}

impl KindArg {
    fn kind(self) -> Kind {
        match self {
            Self::Cactus => Kind::Cactus,
            Self::Scatter => Kind::Scatter,
            Self::Growth => Kind::Growth,
            Self::Band => Kind::Band,
        }
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Cactus => "cactus",
            Self::Scatter => "scatter",
            Self::Growth => "growth",
            Self::Band => "band",
        }
    }
}
