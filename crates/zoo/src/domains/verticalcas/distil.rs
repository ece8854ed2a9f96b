//! The nine networks of VerticalCAS from its own decision problem: solved over a grid, imitated, and flown.
//!
//! Every network draws random numbers of a stream of its own, so that which thread trains it changes nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use surefoot_limits::Stop;
use surefoot_num::Random;
use surefoot_train::dense::{Dense, Pass};
use surefoot_train::distil::{Student, compare, largest};
use surefoot_train::table::{Outlook, Table};
use surefoot_verdict::Reporter;

use super::decision::{Conflict, HORIZON, grid};
use super::encounters::Encounters;
use super::lessons::{Lessons, Solution, network, seen};
use super::pilot::Pilot;
use super::{ADVISORIES, VerticalCas, rule};
use crate::distil::{DistilError, Distillation, Distilled, Distilling, Options, Progress, Span};
use crate::{Parameter, Values};

/// Streams of random numbers: one for each network's lessons, one for its examination, and one for encounters.
const LEARNING: u64 = 0;
const EXAMINING: u64 = 100;
const FLYING: u64 = 200;
/// Progress is told once per so many updates of a network.
const TOLD: u64 = 100;

impl Distilling for VerticalCas {
    fn parameters(&self) -> Vec<Parameter> {
        vec![
            rule(),
            Parameter::choice(
                "units",
                &["physical", "paper"],
                "what 1500 and 2500 mean in advisories: feet per minute, or per second as in the paper",
            ),
            Parameter::choice(
                "pilot",
                &["uniform", "worst"],
                "which acceleration is expected: each equally likely, or the worst",
            ),
            Parameter::integer(
                "detail",
                1,
                8,
                "4",
                "how fine the grid is: steps of 80 ft and 8 ft/s over this, around 0",
            ),
        ]
    }

    fn names(&self) -> Vec<String> {
        (1..=ADVISORIES.len()).map(|number| format!("vcas_{number}")).collect()
    }

    fn distil(
        &self,
        values: &Values,
        options: &Options,
        span: &Span,
        reporter: &dyn Reporter,
    ) -> Result<Distillation, DistilError> {
        let pilot = Pilot::new(values.text("rule"), values.text("units"));
        let outlook = if values.text("pilot") == "worst" { Outlook::Worst } else { Outlook::Mean };
        let conflict = Conflict { pilot, outlook };
        let grid = grid(values.size("detail"));
        let points = grid.points();
        let all = options.imitation.updates.saturating_mul(ADVISORIES.len() as u64);
        let tell = |sweeps, updates| reporter.tell(&Progress { sweeps: (sweeps, HORIZON), updates: (updates, all) });
        let table = Table::solve(&conflict, grid, HORIZON, &span.learning, |sweep| tell(sweep, 0));
        let solution = Solution { conflict, table: table.map_err(DistilError::Stopped)? };
        let made = AtomicU64::new(0);
        let learn = |last: usize| {
            let lessons = Lessons { solution: &solution, last };
            let mut random = Random::stream(options.seed, LEARNING + last as u64);
            options.imitation.learn(&lessons, &mut random, &span.learning, |update| {
                if update % TOLD == 0 {
                    tell(HORIZON, made.fetch_add(TOLD, Ordering::Relaxed) + TOLD);
                }
            })
        };
        let students: Vec<Student> = (0..ADVISORIES.len()).into_par_iter().map(learn).collect();
        let names = self.names();
        let examine = |(last, student): (usize, &Student)| {
            let lessons = Lessons { solution: &solution, last };
            let mut random = Random::stream(options.seed, EXAMINING + last as u64);
            let agreement = compare(&lessons, &student.network, options.states, &mut random, &span.judging);
            let (name, updates) = (names[last].clone(), student.updates);
            Ok(Distilled { name, network: network(&student.network)?, updates, agreement })
        };
        let networks = students.par_iter().enumerate().map(examine).collect::<Result<_, DistilError>>()?;
        let seed = Random::stream(options.seed, FLYING).next_u64();
        let by_networks = || {
            let mut pass = Pass::default();
            let students = &students;
            move |tau, last: usize, at| {
                let network: &Dense = &students[last].network;
                largest(network.forward(&seen(tau, at), &mut pass))
            }
        };
        let encounters = Encounters { pilot, runs: options.runs, seed, limits: &span.judging };
        let trials = vec![
            encounters.fly("table", || |tau, last, at| solution.best(tau, last, at)),
            encounters.fly("networks", by_networks),
            encounters.fly("none", || |_, _, _| 0),
        ];
        let stopped: Option<Stop> = students.iter().find_map(|student| student.stopped);
        Ok(Distillation { networks, table: (points, HORIZON), trials, stopped })
    }
}

#[cfg(test)]
mod tests {
    use surefoot_limits::Limits;
    use surefoot_train::distil::Imitation;
    use surefoot_verdict::Silent;

    use super::*;
    use crate::distil::distil;

    /// Little, on a coarse grid.
    fn tiny(updates: u64, threads: usize) -> Distillation {
        let imitation = Imitation { hidden: vec![12, 12], updates, batch: 64, learning_rate: 1e-2, temperature: 5e-4 };
        let options = Options { imitation, seed: 3, states: 500, runs: 500 };
        let span = Span { threads, ..Span::default() };
        distil("verticalcas", &["detail=1".to_owned()], &options, &span, &Silent).expect("no limits")
    }

    #[test]
    fn threads_change_nothing_and_learning_improves() {
        let (begun, one, two) = (tiny(0, 1), tiny(150, 1), tiny(150, 2));
        for (one, two) in one.networks.iter().zip(&two.networks) {
            assert_eq!((&one.name, &one.agreement), (&two.name, &two.agreement));
            let text = |network| surefoot_network::nnet::write(network).expect("it can be written");
            assert_eq!(text(&one.network), text(&two.network));
        }
        assert_eq!(one.trials, two.trials);
        let same = |distillation: &Distillation| distillation.networks.iter().map(|n| n.agreement.same).sum::<u64>();
        assert!(same(&one) > 2500 && same(&one) > same(&begun) + 1000, "{} {}", same(&begun), same(&one));
        let [table, _, none] = &one.trials[..] else { panic!("three systems") };
        assert_eq!((table.system, none.system, none.alerted_runs), ("table", "none", 0));
        assert!(table.unsafe_runs * 10 < none.unsafe_runs && table.alerted_runs < table.runs, "{table:?} {none:?}");
    }

    #[test]
    fn networks_say_what_students_do_in_units_of_the_state() {
        let mut random = Random::new(5);
        let student = Dense::random(surefoot_train::dense::Shape::new(vec![3, 8, 9]), &mut random);
        let network = network(&student).expect("numbers");
        assert_eq!((network.input_len(), network.output_len()), (3, 9));
        for at in [[-131.0, -22.5], [640.0, 8.0], [-8000.0, 100.0]] {
            let scores = student.forward(&seen(25, at), &mut Pass::default()).to_vec();
            let state = [at[0], at[1], 25.0].map(|x| surefoot_num::Rational::from_f64(x).expect("a number"));
            for (score, exact) in scores.iter().zip(network.eval_exact(&state)) {
                assert!((f64::from(*score) - exact.to_f64()).abs() < 1e-4, "{at:?}: {score} is not {exact}");
            }
        }
    }

    #[test]
    fn limits_leave_no_solution_or_networks_as_they_are() {
        let options = Options { states: 10, runs: 10, ..Options::default() };
        let late = Span {
            learning: Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() },
            ..Span::default()
        };
        let settings = ["detail=1".to_owned()];
        let stopped = distil("verticalcas", &settings, &options, &late, &Silent).unwrap_err();
        assert_eq!(stopped, DistilError::Stopped(Stop::Time));
        let other = distil("racetrack", &[], &options, &Span::default(), &Silent).unwrap_err().to_string();
        assert!(other.contains("racetrack has no solution of its own") && other.ends_with("verticalcas"), "{other}");
    }
}
