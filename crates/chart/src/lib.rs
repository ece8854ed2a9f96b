//! Charts as SVG, in one style: growth, cactus plots, comparisons with a peer, bands and spans; and such charts of tables in CSV.
//!
//! A [`Chart`] is a frame with two [axes](Axis), some [`Series`], and [lines that are no data](Rule); [`Chart::svg`] draws it. Series are told apart by dashes, marks, hatching and words, so that nothing
//! is lost in print or to those who see colours otherwise; [`Chart::words`] says what is drawn to those who do not see it. Points that stand for a limit that was met have a ring around them, and what never came
//! lies on a border line. A [`Sheet`] is a table from a file, and a [`Plot`] says what of it becomes a chart.
//!
//! Invariants: the same chart gives the same bytes; what is drawn lies in the frame, and no text on another; points that have no place (not a number, or not positive on a logarithmic axis) are left out, and
//! the drawing says how many; names are text, whatever is in them; the ground is white, so that nothing depends on the viewer's.

mod about;
mod axis;
mod chart;
mod draw;
mod kind;
mod number;
mod plot;
mod sheet;
mod style;
mod text;
mod ticks;

pub use axis::{Axis, Scale};
pub use chart::{Chart, Form, Point, Rule, Series};
pub use number::Unit;
pub use plot::{Drawn, Kind, Plot};
pub use sheet::{Sheet, SheetError};
