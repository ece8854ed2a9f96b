//! Facade: a task in, an outcome out.
//!
//! [`Task::run`] does everything that can be done: it reads what the task names, from files or from memory, lets an engine answer, and gives an
//! [`Outcome`]: how it ended, the [result object](ResultObject), and what there is to tell people. A [`Verdict`] is never a bool and never an `Option`: no path leads from a limit, a rounding error or a failure to
//! [`Verdict::Holds`], and a run is evidence only after [`replay`](mod@replay) has stepped through it in the reference
//! interpreter.
//!
//! * [`task`]: the facade; [`request`]: what the user asked for; [`source`]: from files, or from values in memory; [`problem`]: what it turned out to be;
//! * [`question`]: properties reduced to reachability, or refused by name; [`quantity`]: probabilities asked for;
//! * [`answer`]: intervals and comparisons; [`bounds`](mod@bounds): probabilities on explicit models; [`partial`]: from their likely part;
//! * [`abstraction`](mod@abstraction): policy predicate abstraction; [`ctl`](mod@ctl): bounded CTL;
//! * [`decide`]: single decisions, queries of our own and VNN-LIB;
//! * [`induce`](mod@induce): explicit models for other checkers;
//! * [`cegar`]: predicates found by counterexample-guided refinement; [`bmc`]: all paths, shortest first; [`falsify`]: directed runs;
//! * [`engine`]: choosing an engine; [`replay`](mod@replay): exact replay; [`float32`]: what single precision would do;
//! * [`certify`]: certificates of verdicts; [`beyond`]: start states one by one, goals, the likeliest run;
//! * [`open`]: proofs that leave errors of the model open; [`outside`]: other people's solvers in the place of the built-in oracle;
//! * [`explain`](mod@explain): what a choice hinges on; [`region`]: whether it is made somewhere; [`look`](mod@look): all states, to be looked at;
//! * [`diff`]: two policies compared, and what of a proof about one holds of the other;
//! * [`states`]: states by names; [`traces`]: random runs as tables; [`result`](mod@result): the result object.

pub mod abstraction;
pub mod answer;
mod auto;
pub mod beyond;
pub mod bmc;
pub mod bounds;
pub mod cegar;
pub mod certify;
mod csv;
pub mod ctl;
pub mod decide;
pub mod diff;
pub mod engine;
pub mod explain;
mod explicit;
pub mod falsify;
pub mod float32;
pub mod induce;
pub mod look;
pub mod open;
pub mod outside;
pub mod partial;
pub mod region;
pub mod replay;
pub mod result;
mod slice;
mod start;
pub mod task;
pub mod traces;

pub use abstraction::{AbstractOptions, Abstracted, Conclusion, abstraction};
pub use answer::{Decision, Number};
pub use bmc::BmcDetails;
pub use bounds::{Abstracting, BoundsOptions, BoundsOutcome};
pub use cegar::{CegarDetails, CegarOptions, Preset};
pub use certify::Certifying;
pub use ctl::{CtlFormula, CtlOutcome, CtlVerdict, CtlWitness, ctl, read_formula};
pub use ctl::{MilpMethod, MilpOutcome, MilpRequest, ctl_by_milp};
pub use engine::{Asked, Budget, Details, ENGINES, Engine, EngineChoice, Evidence, Purpose, Role, Setting};
pub use engine::{Verdict, VerifyOptions, explore, simulate, verify};
pub use explicit::explored;
pub use falsify::RunFigures;
pub use induce::{Induced, induce};
pub use open::OpenErrors;
pub use outside::OutsideRequest;
pub use replay::{Replayed, ReplayedStep};
pub use result::ResultObject;
pub use surefoot_probabilistic::Algorithm;
pub use surefoot_problem::Asking;
pub use surefoot_problem::{Aggregate, Choosing, Claim, Failure, LoadedPolicy, PolicySource, Problem, Quantity, Query};
pub use surefoot_problem::{Request, Selection, Slice, Slicing, Source, Threshold};
pub use surefoot_problem::{problem, quantity, question, request, source, states};
pub use task::{Class, Job, Outcome, Reported, Task, Told};
