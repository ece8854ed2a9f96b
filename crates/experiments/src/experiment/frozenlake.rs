//! `frozenlake`: an agent on slippery ice, as in Table 1 of *Formal verification of neural agents in non-deterministic environments*.
//!
//! The lake of three times three tiles, where the environment chooses how the agent slips. With *away* from holes, and k times `AX` each, as the paper writes them so that the programs are small:
//!
//! * safe: `AX (away & AX (away & ... AX away))`;
//! * successful: `AX (away & AX (away & ... AX goal))`.

use crate::bench::Bench;
use crate::error::Error;
use crate::published::agents::{LAKE, LAKE_VERDICTS, Lake};
use crate::report::Report;
use crate::run::Measured;
use crate::series::Series;
use crate::table::{Cell, Table, float, short};

use super::Experiment;
use super::agents::{Agent, BESIDE, METHODS, NONE, agents, agreement, ask, cell, longer_and_longer};

const AWAY: &str = "!(tile = 3 | tile = 7)";
const GOAL: &str = "tile = 9";
/// Both questions: a name, what holds after the last step, and what the paper says.
const QUESTIONS: [Question; 2] = [("safe", AWAY, LAKE_VERDICTS.0), ("successful", GOAL, LAKE_VERDICTS.1)];
type Question = (&'static str, &'static str, &'static str);

/// Table 1.
pub(super) struct FrozenLake;

impl Experiment for FrozenLake {
    fn name(&self) -> &'static str {
        "frozenlake"
    }

    fn about(&self) -> &'static str {
        "bounded CTL on FrozenLake, by ctl and by the paper's programs (Table 1 of the paper on neural agents)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(60.0, 10.0);
        let table = &LAKE[..bench.size(10, 3)];
        let agents = agents(bench, "frozenlake", "frozenlake_agent.nnet", "holes")?;
        let mut series: Vec<Series> = Vec::new();
        for agent in &agents {
            for (_, last, _) in QUESTIONS {
                for method in METHODS {
                    let run = |row: &Lake| ask(bench, agent, &formula(last, row.steps), &[], method, limit);
                    series.push(longer_and_longer(table.iter().map(run).collect()));
                }
            }
        }
        let measured = bench.carry_out(&series)?;
        let columns = [
            "policy",
            "question",
            "k",
            "auto",
            "monolithic",
            "compositional",
            "agree",
            "verdict, paper",
            "monolithic, paper",
            "Comp-Seq, paper",
            "Comp-Par, paper",
            "*auto_verdict",
            "*auto_seconds",
            "*auto_cpu",
            "*auto_reason",
            "*monolithic_verdict",
            "*monolithic_seconds",
            "*monolithic_cpu",
            "*monolithic_reason",
            "*compositional_verdict",
            "*compositional_seconds",
            "*compositional_cpu",
            "*compositional_reason",
            "*limit",
        ];
        let mut rows = Table::new("frozenlake", "Safe and successful runs", &columns);
        let questions = agents.iter().flat_map(|agent| QUESTIONS.map(|question| (agent, question)));
        for ((agent, question), methods) in questions.zip(measured.chunks(METHODS.len())) {
            for (place, theirs) in table.iter().enumerate() {
                let runs: Vec<&Measured> = methods.iter().filter_map(|runs| runs.get(place)).collect();
                rows.row(row(agent, question, theirs, &runs, limit));
            }
        }
        let mut report = Report {
            title: "FrozenLake".to_owned(),
            about: vec![
                format!(
                    "An agent on the lake of three times three tiles: are all runs of k steps safe, and are they all on the goal after the last one? `auto` is ours; `monolithic` and `compositional` (one program \
                     after the other, the paper's Comp-Seq) are the paper's procedures with HiGHS. At most {} s for each run; `-` is a run that met the limit, and where two in a row did, larger k are not asked. \
                     `agree` says whether all verdicts of a row are the same.",
                    short(limit)
                ),
                BESIDE.to_owned(),
            ],
            tables: vec![rows],
            ..Report::default()
        };
        if agents.is_empty() {
            report.notes.push(NONE.to_owned());
        }
        report.note_load(measured.iter().flatten());
        Ok(report)
    }
}

/// The paper's formula of so many steps.
fn formula(last: &str, steps: u32) -> String {
    (1..steps).fold(format!("AX ({last})"), |rest, _| format!("AX ({AWAY} & {rest})"))
}

fn row(agent: &Agent, (question, _, verdict): Question, theirs: &Lake, runs: &[&Measured], limit: f64) -> Vec<Cell> {
    // The paper's verdicts are about the published network; others need not be like it.
    let told = (agent.policy == "published").then_some(verdict);
    let times = if question == "safe" { theirs.safe } else { theirs.successful };
    let mut cells = vec![Cell::text(agent.policy), Cell::text(question), Cell::count(Some(float(theirs.steps.into())))];
    cells.extend(runs.iter().map(|run| cell(run)));
    cells.push(Cell::text(agreement(runs.iter().map(|run| run.word()).chain(told))));
    cells.push(Cell::text(verdict));
    cells.extend(times.map(|time| Cell::text(time.map_or("-".to_owned(), |seconds| seconds.to_string()))));
    for run in runs {
        cells.extend([
            Cell::text(run.word()),
            Cell::number(run.is_decided().then(|| run.seconds())),
            Cell::number(run.cpu),
            Cell::text(run.why()),
        ]);
    }
    cells.push(Cell::Number(limit));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_nested() {
        assert_eq!(formula("g", 1), "AX (g)");
        assert_eq!(formula("g", 3), "AX (!(tile = 3 | tile = 7) & AX (!(tile = 3 | tile = 7) & AX (g)))");
    }
}
