//! Why to stop: one word for every limit that there is.

/// Which limit was met.
///
/// Engines that count what they do say so with [`Stop::Most`]: it depends on nothing but the question, whatever the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stop {
    /// The deadline has passed.
    Time,
    /// More memory is held than allowed.
    Memory,
    /// Someone asked to stop.
    Interrupted,
    /// So many of these were the most.
    Most(Unit, u64),
    /// There is a state in which no precision tells scores apart.
    Tie,
    /// There is a box, too narrow to be split further, in which scores touch or come too close.
    Narrow,
    /// A program of others that was asked, by name, gave no answer.
    Solver(&'static str, Trouble),
}

/// Why a program of others gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// It did not start, or ended without an answer.
    Crashed,
    /// It said something that is no answer, or answered wrongly as far as that could be checked.
    Garbage,
    /// It gave up.
    GaveUp,
    /// What is asked cannot be put to it.
    Unsuited,
    /// It found a solution in floats that is none in exact arithmetic.
    Inexact,
}

/// What engines count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Nodes of one search tree.
    Nodes,
    /// Nodes of all search trees of a run.
    AllNodes,
    /// Abstract states.
    States,
    /// Refinements.
    Iterations,
    /// Steps of a run.
    Steps,
    /// Symbolic paths.
    Paths,
    /// Sweeps over the states of a component.
    Sweeps,
    /// Operations on small fractions.
    Fractions,
    /// Values that a choice is spelled out for.
    Choices,
}

impl Stop {
    /// Whether it is a limit of the run as a whole: then nothing else of the run goes on either.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Most(..) | Self::Tie | Self::Narrow | Self::Solver(_, Trouble::GaveUp | Trouble::Inexact))
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (unit, most) = match self {
            Self::Time => return f.write_str("the time limit was reached"),
            Self::Memory => return f.write_str("the memory limit was reached"),
            Self::Interrupted => return f.write_str("it was interrupted"),
            Self::Tie => return f.write_str("there is a state in which no precision tells two scores apart"),
            Self::Narrow => {
                return f
                    .write_str("there is a box too narrow to be split in which bounds do not tell two scores apart");
            }
            Self::Solver(who, trouble) => return write!(f, "{who} {trouble}"),
            Self::Most(unit, most) => (unit, most),
        };
        let counted = match unit {
            Unit::Nodes => "nodes",
            Unit::AllNodes => "nodes in all",
            Unit::States => "abstract states",
            Unit::Iterations if *most == 1 => "iteration",
            Unit::Iterations => "iterations",
            Unit::Paths => "paths",
            Unit::Sweeps => "sweeps",
            Unit::Fractions => "operations on fractions",
            Unit::Steps => return write!(f, "there are runs of more than {most} steps"),
            Unit::Choices => return f.write_str("it depends on choices among too many values"),
        };
        write!(f, "the limit of {most} {counted} was reached")
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Crashed => "crashed",
            Self::Garbage => "gave an answer that cannot be used",
            Self::GaveUp => "gave up",
            Self::Unsuited => "cannot be asked that",
            Self::Inexact => "found a solution in floats that is none in exact arithmetic",
        })
    }
}

impl std::error::Error for Stop {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_its_words() {
        for (stop, words) in [
            (Stop::Time, "the time limit was reached"),
            (Stop::Memory, "the memory limit was reached"),
            (Stop::Interrupted, "it was interrupted"),
            (Stop::Most(Unit::Nodes, 5), "the limit of 5 nodes was reached"),
            (Stop::Most(Unit::AllNodes, 1), "the limit of 1 nodes in all was reached"),
            (Stop::Most(Unit::States, 7), "the limit of 7 abstract states was reached"),
            (Stop::Most(Unit::Iterations, 1), "the limit of 1 iteration was reached"),
            (Stop::Most(Unit::Iterations, 2), "the limit of 2 iterations was reached"),
            (Stop::Most(Unit::Steps, 3), "there are runs of more than 3 steps"),
            (Stop::Most(Unit::Paths, 3), "the limit of 3 paths was reached"),
            (Stop::Most(Unit::Sweeps, 9), "the limit of 9 sweeps was reached"),
            (Stop::Most(Unit::Fractions, 9), "the limit of 9 operations on fractions was reached"),
            (Stop::Most(Unit::Choices, 9), "it depends on choices among too many values"),
        ] {
            assert_eq!(stop.to_string(), words);
            assert_eq!(stop.is_final(), !matches!(stop, Stop::Most(..)));
        }
        for (trouble, last, words) in [
            (Trouble::Crashed, true, "Z3 crashed"),
            (Trouble::Garbage, true, "Z3 gave an answer that cannot be used"),
            (Trouble::GaveUp, false, "Z3 gave up"),
            (Trouble::Unsuited, true, "Z3 cannot be asked that"),
            (Trouble::Inexact, false, "Z3 found a solution in floats that is none in exact arithmetic"),
        ] {
            let stop = Stop::Solver("Z3", trouble);
            assert_eq!((stop.to_string().as_str(), stop.is_final()), (words, last));
        }
    }
}
