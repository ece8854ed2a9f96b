//! `verticalcas`: collision avoidance by nine networks, as in Table 2 of *Formal verification of neural agents in non-deterministic environments*.
//!
//! The own aircraft descends towards an intruder, from 129 to 133 ft above it. Is it more than 100 ft away after exactly k seconds, whatever the pilot chooses: `AX^k (h > 100 | h < -100)`? For the paper's twelve climb rates, in the paper's
//! reading of units.

use crate::bench::Bench;
use crate::error::Error;
use crate::published::agents::vertical_cas;
use crate::report::Report;
use crate::run::Measured;
use crate::series::Series;
use crate::table::{Cell, Table, float, short};

use super::Experiment;
use super::agents::{Agent, BESIDE, METHODS, NONE, agents, agreement, ask, longer_and_longer};

/// The paper's climb rates, in ft/s.
const RATES: [&str; 12] =
    ["-19.5", "-22.5", "-25.5", "-28.5", "-31.5", "-34.5", "-37.5", "-39", "-39.5", "-40", "-40.5", "-43.5"];

/// Table 2.
pub(super) struct VerticalCas;

impl Experiment for VerticalCas {
    fn name(&self) -> &'static str {
        "verticalcas"
    }

    fn about(&self) -> &'static str {
        "bounded CTL on VerticalCAS, by ctl and by the paper's programs (Table 2 of the paper on neural agents)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(60.0, 3.0);
        let (rates, steps) = (&RATES[..bench.size(12, 2)], 1..=bench.size(10, 3));
        let agents = agents(bench, "verticalcas", "vcas_1.nnet", "near")?;
        let mut series: Vec<Series> = Vec::new();
        for agent in &agents {
            for rate in rates {
                let constant = format!("climb_rate={rate}");
                for method in METHODS {
                    let run = |steps: u32| {
                        let formula = format!("AX^{steps} (h > 100 | h < -100)");
                        ask(bench, agent, &formula, &["--const", &constant], method, limit)
                    };
                    series.push(longer_and_longer(steps.clone().map(run).collect()));
                }
            }
        }
        let measured = bench.carry_out(&series)?;
        let summary = [&["policy", "climb rate", "published"], &METHODS[..], &["agree"]].concat();
        let seconds = METHODS.map(|method| format!("{method}, s"));
        let summary = [summary, seconds.iter().map(String::as_str).collect()].concat();
        let mut summary = Table::new("verticalcas_verdicts", "Verdicts", &summary);
        let columns = [
            "policy",
            "climb_rate",
            "k",
            "method",
            "verdict",
            "seconds",
            "published",
            "cpu",
            "peak_bytes",
            "reason",
            "limit",
            "load",
        ];
        let mut all = Table::new("verticalcas", "All figures", &columns).long();
        let places = agents.iter().flat_map(|agent| rates.iter().map(move |rate| (agent, *rate)));
        for ((agent, rate), methods) in places.zip(measured.chunks(METHODS.len())) {
            summary.row(verdicts(agent, rate, methods));
            for (method, runs) in METHODS.iter().zip(methods) {
                for (steps, run) in (1..).zip(runs) {
                    all.row(figures(agent, rate, steps, method, run, limit));
                }
            }
        }
        let mut report = Report {
            title: "VerticalCAS".to_owned(),
            about: vec![
                format!(
                    "An aircraft descends towards an intruder, and nine networks advise its pilot. Is it more than 100 ft away after exactly k seconds, for k = 1, 2, ..., whatever the pilot chooses? `+` is yes, `-` no, `?` a \
                     run that met the limit of {} s, `.` one that was not made (two smaller k in a row had met it), `x` one that failed; in the column *published* a dot is where the paper says nothing. `agree` says whether \
                     verdicts on the same k are the same by all methods, and by what is published where the networks are. The last columns have the seconds of all runs together that were decided.",
                    short(limit)
                ),
                "`auto` is ours; `monolithic` and `compositional` (one program after the other, the paper's Comp-Seq) are the paper's procedures with HiGHS. The paper's Table 2 has times, and no verdicts. Its text cannot be put back into cells with certainty, so its times do not stand here. The article says of them that one program is the fastest way, for proofs and for \
                 counterexamples, but for climb rates and k near the border of safety (-39 and 9; -39.5 and 10; -40.5 and 9), and that the many programs grow exponentially with k where the formula holds."
                    .to_owned(),
                BESIDE.to_owned(),
            ],
            tables: vec![summary, all],
            ..Report::default()
        };
        if agents.is_empty() {
            report.notes.push(NONE.to_owned());
        }
        report.note_load(measured.iter().flatten());
        Ok(report)
    }
}

/// The verdicts of all methods on one climb rate.
fn verdicts(agent: &Agent, rate: &str, methods: &[Vec<Measured>]) -> Vec<Cell> {
    let steps = methods.iter().map(Vec::len).max().unwrap_or(0);
    let published: Vec<Option<bool>> = (1..).take(steps).map(|steps| vertical_cas(rate, steps)).collect();
    let sign = |told: &Option<bool>| told.map_or('.', |safe| if safe { '+' } else { '-' });
    let mut cells =
        vec![Cell::text(agent.policy), Cell::text(rate), Cell::text(published.iter().map(sign).collect::<String>())];
    cells.extend(methods.iter().map(|runs| Cell::text(runs.iter().map(letter).collect::<String>())));
    let agreed = |place: usize| {
        let told = published.get(place).copied().flatten().filter(|_| agent.policy == "published");
        let told = told.map(|safe| if safe { "holds" } else { "violated" });
        agreement(methods.iter().filter_map(|runs| runs.get(place)).map(Measured::word).chain(told))
    };
    let agreed: Vec<&str> = (0..steps).map(agreed).filter(|word| !word.is_empty()).collect();
    let word = if agreed.contains(&"NO") { "NO" } else { agreed.first().copied().unwrap_or_default() };
    cells.push(Cell::text(word));
    let decided = |runs: &Vec<Measured>| runs.iter().filter(|run| run.is_decided()).map(Measured::seconds).sum::<f64>();
    cells.extend(methods.iter().map(|runs| Cell::number(runs.iter().any(Measured::is_decided).then(|| decided(runs)))));
    cells
}

fn letter(run: &Measured) -> char {
    match run.word() {
        "holds" => '+',
        "violated" => '-',
        "not run" => '.',
        _ if run.met_limit() => '?',
        _ => 'x',
    }
}

fn figures(agent: &Agent, rate: &str, steps: u32, method: &str, run: &Measured, limit: f64) -> [Cell; 12] {
    let published = vertical_cas(rate, steps);
    [
        Cell::text(agent.policy),
        Cell::text(rate),
        Cell::Count(steps.into()),
        Cell::text(method),
        Cell::text(run.word()),
        Cell::number(run.is_decided().then(|| run.seconds())),
        published.map_or(Cell::Empty, |safe| Cell::text(if safe { "holds" } else { "violated" })),
        Cell::number(run.cpu),
        Cell::count(run.peak.map(float)),
        Cell::text(run.why()),
        Cell::Number(limit),
        Cell::number(run.load),
    ]
}
