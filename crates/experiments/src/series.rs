//! Runs one after the other, the later ones needless where the earlier ones met their limits.

use crate::run::{Ended, Measured, Run};

/// When the rest of a series is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUp {
    /// Never.
    Never,
    /// So many first runs are all open. The others are left out of the answer: they would ask the same.
    First(usize),
    /// So many runs in a row met their limits. The others would ask for more: each of them is answered as one that was not made.
    InARow(usize),
}

/// Runs one after the other, with a rule when to give up.
#[derive(Debug, Clone)]
pub struct Series {
    /// The runs.
    pub runs: Vec<Run>,
    /// When the others are not made.
    pub give_up: GiveUp,
}

impl From<Run> for Series {
    fn from(run: Run) -> Self {
        Self { runs: vec![run], give_up: GiveUp::Never }
    }
}

impl Series {
    /// What stands for the other runs, where those that were made are reason to give up.
    #[must_use]
    pub fn given_up(&self, made: &[Measured]) -> Option<Vec<Measured>> {
        match self.give_up {
            GiveUp::Never => None,
            GiveUp::First(count) => (made.len() == count && made.iter().all(|run| !run.is_decided())).then(Vec::new),
            GiveUp::InARow(count) => {
                let last = made.len().checked_sub(count).and_then(|from| made.get(from..))?;
                let why = format!("not run: {count} smaller ones in a row met their limits");
                let skipped = Measured::broken(Ended::Skipped(why));
                let rest = self.runs.len().saturating_sub(made.len());
                last.iter().all(Measured::met_limit).then(|| vec![skipped; rest])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Watch;
    use crate::run::{By, GRACE};

    #[test]
    fn limits_in_a_row_end_a_series() {
        let run = Run {
            question: None,
            arguments: Vec::new(),
            inputs: Vec::new(),
            time_limit: 1.0,
            memory_limit: None,
            watch: Watch::Nothing,
            grace: GRACE,
            broken: None,
            by: By::Itself,
        };
        let series = |give_up| Series { runs: vec![run.clone(); 5], give_up };
        let (late, fine) =
            (Measured::broken(Ended::Killed(String::new())), Measured::broken(Ended::Refused(String::new())));
        let made = [late.clone(), fine.clone(), late.clone(), late.clone()];
        let rest = |give_up, count: usize| series(give_up).given_up(&made[..count]).map(|rest| rest.len());
        assert_eq!([1, 2, 3, 4].map(|count| rest(GiveUp::InARow(2), count)), [None, None, None, Some(1)]);
        assert_eq!([1, 2].map(|count| rest(GiveUp::InARow(1), count)), [Some(4), None]);
        assert_eq!([1, 2, 3].map(|count| rest(GiveUp::First(2), count)), [None, Some(0), None]);
        assert_eq!(rest(GiveUp::Never, 4), None);
        let others = series(GiveUp::InARow(2)).given_up(&made).unwrap();
        assert_eq!((others[0].word(), others[0].met_limit(), others[0].is_decided()), ("not run", false, false));
    }
}
