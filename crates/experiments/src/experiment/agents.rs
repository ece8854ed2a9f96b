//! What the two scenarios of the paper on neural agents share: policies, methods of `ctl`, and how runs become cells.
//!
//! `auto` is ours. The paper's procedures need a solver of mixed-integer programs, HiGHS, in the Python that the user names. What they prove rests on its word, and it computes in floats: so they claim nothing, and
//! a verdict of theirs that differs from ours is told in the table instead of ending the experiment.

use crate::bench::Bench;
use crate::error::Error;
use crate::prepare::Prepared;
use crate::run::{Measured, Run};
use crate::series::{GiveUp, Series};
use crate::table::{Cell, short};

/// Ours, and the paper's: one program, and many one after the other.
pub(super) const METHODS: [&str; 3] = ["auto", "monolithic", "compositional"];
/// What is said where no Python was given.
const NO_SOLVER: &str = "no Python with highspy was given (--python)";
/// Where the paper's networks are, in the folder of published data.
const PUBLISHED: &str = "venmas";

/// What pages say of the paper's figures.
pub(super) const BESIDE: &str = "What is called *paper* or *published* is the paper's, not measured here, and not comparable one to one: it had an hour for each run, on an i7-7700K with 16 GB, and Gurobi as its solver. Rows of the *published* \
policy are about the paper's own networks; those *of the set* are others, of which the paper says nothing.";

/// An agent: where its network comes from, and the system under it.
pub(super) struct Agent {
    pub(super) policy: &'static str,
    pub(super) system: Prepared,
}

/// The agents of a domain that there are: the set's, which is in the folder of the domain among its policies, and the published one, which has a file of this name.
pub(super) fn agents(bench: &Bench<'_>, domain: &str, file: &str, property: &str) -> Result<Vec<Agent>, Error> {
    let own = bench.set.folder.join("policies").join(domain);
    let published = bench.options.data.as_ref().map(|data| data.join(PUBLISHED));
    let published =
        published.filter(|folder| folder.join(file).is_file()).and_then(|folder| folder.canonicalize().ok());
    let mut agents = Vec::new();
    for (policy, part, folder) in
        [("of the set", "set", Some(own).filter(|folder| folder.is_dir())), ("published", "published", published)]
    {
        let name = format!("{domain}_{part}");
        let Some(folder) = folder.filter(|_| bench.wants(&name)) else { continue };
        let more = ["--property", property].map(str::to_owned);
        let system = bench.generate(&name, domain, &[format!("networks={}", folder.display())], &more)?;
        agents.push(Agent { policy, system });
    }
    Ok(agents)
}

/// What a page says where there are no agents.
pub(super) const NONE: &str = "There is no network to ask about: neither does the set have one in its folder of policies, nor the folder of published data (`--data`) in `venmas`.";

/// A formula about an agent, by a method.
pub(super) fn ask(
    bench: &Bench<'_>,
    agent: &Agent,
    formula: &str,
    constants: &[&str],
    method: &'static str,
    limit: f64,
) -> Run {
    let python = bench.options.python.as_ref().map(|python| python.display().to_string());
    let mut options = [&["--formula", formula, "--method", method], constants].concat();
    let solver = python.as_deref().unwrap_or_default();
    if method != "auto" {
        options.extend(["--solver", solver, "--jobs", "1"]);
    }
    let run = bench.run("ctl", &agent.system, &options, limit);
    if method == "auto" {
        return Run { question: Some(format!("{} {}: {formula}", agent.system.name, constants.join(" "))), ..run };
    }
    let missing = python.is_none().then(|| NO_SOLVER.to_owned());
    Run { question: None, broken: missing.or_else(|| run.broken.clone()), ..run }
}

/// Formulas for more and more steps: where two in a row met their limit, longer ones are not asked.
pub(super) fn longer_and_longer(runs: Vec<Run>) -> Series {
    Series { runs, give_up: GiveUp::InARow(2) }
}

/// The verdict and the seconds; why there is none.
pub(super) fn cell(run: &Measured) -> Cell {
    Cell::text(match run.word() {
        word @ ("holds" | "violated") => format!("{word}, {} s", short(run.seconds())),
        _ if run.met_limit() => "-".to_owned(),
        _ => run.why().to_owned(),
    })
}

/// Whether verdicts fit together: those that are there are the same.
pub(super) fn agreement<'v>(verdicts: impl IntoIterator<Item = &'v str>) -> &'static str {
    let mut verdicts: Vec<&str> =
        verdicts.into_iter().filter(|verdict| ["holds", "violated"].contains(verdict)).collect();
    let count = verdicts.len();
    verdicts.sort_unstable();
    verdicts.dedup();
    match (count, verdicts.len()) {
        (0 | 1, _) => "",
        (_, 1) => "yes",
        _ => "NO",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_that_differ_are_told() {
        assert_eq!(agreement(["holds", "unknown", "refused"]), "");
        assert_eq!(agreement(["holds", "unknown", "holds"]), "yes");
        assert_eq!(agreement(["holds", "unknown", "violated"]), "NO");
    }
}
