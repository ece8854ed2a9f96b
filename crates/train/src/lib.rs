//! Policies by deep Q-learning (Mnih et al. 2015), over the states of a model itself.
//!
//! A network scores the labels of a policy. Runs are made by compiled steps, mostly as the network says and now and then at random; what they show
//! is kept in a replay buffer, and the network learns from random batches of it. The targets are those of double Q-learning (van Hasselt et al.
//! 2016): in the next state the network chooses, and an older copy of it says what the choice is worth.
//!
//! * [`dense`]: layers, their gradients; [`adam`]: the optimiser; [`replay`]: what was seen; [`learner`]: one update;
//! * [`environment`]: a model as something to act in; [`interface`]: what a policy reads and chooses, and how it is written; [`written`]: its network;
//! * [`problem`]: what to learn; [`options`]: everything that can be chosen; [`training`]: the whole; `course`: its loop; [`evaluation`]: how good a policy is, by random runs;
//! * [`curve`]: how learning went, as CSV; [`chart`]: the same as SVG.
//!
//! And policies without runs, where the states are real numbers and everything is known of the problem: [`table`] solves it over a [`grid`] by value iteration, [`distil`] makes
//! a network imitate the solution, by the loss in [`softmax`].
//!
//! **Reproducible.** One thread learns, sums have a fixed order, and nothing is used but the operations that IEEE 754 defines to the last bit (`+`, `*`, `/`,
//! the square root): the same seed gives the same network everywhere. Runs of an evaluation do not depend on the number of threads either.
//!
//! **Nothing here is trusted.** A policy that was learned is a file like any other, and says nothing about itself: that is what verification is for.

pub mod adam;
pub mod chart;
mod course;
pub mod curve;
pub mod dense;
pub mod distil;
pub mod environment;
pub mod evaluation;
pub mod grid;
pub mod interface;
pub mod learner;
pub mod options;
pub mod problem;
pub mod replay;
pub mod softmax;
pub mod table;
pub mod training;
pub mod written;

pub use curve::Point;
pub use environment::{End, Environment, Standing};
pub use evaluation::Evaluation;
pub use interface::{Interface, InterfaceError};
pub use options::{OptionError, Options, Rewards};
pub use problem::Problem;
pub use training::{Progress, TrainError, Trained, train};
