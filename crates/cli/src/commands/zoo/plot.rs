//! `zoo plot`: a table in CSV as a chart.

use surefoot_chart::{Drawn, Sheet, SheetError};
use surefoot_files::{Inputs, Kind, Origin, escape, replace};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::ResultObject;
use surefoot_verify::result::zoo::{Plotted, PlottedSeries};
use surefoot_verify::result::{Body, Command};

use super::Session;
use crate::args::plot::ZooPlotArgs;
use crate::output::{Exit, counted};
use crate::process;

pub(super) fn run(args: &ZooPlotArgs) -> Result<Exit, Exit> {
    let mut session = Session::new(Command::ZooPlot, &args.output)?;
    session.output.protect_files([&args.file])?;
    process::expect(session.output.free_json(), ResultObject::new(Command::ZooPlot, 0));
    let file = escape(&args.file.display().to_string()).into_owned();
    let mut inputs = Inputs::default();
    let bytes = inputs.read(&args.file, Kind::Table, Origin::Named);
    let bytes = bytes.map_err(|error| session.fail(format!("cannot read {file}: {error}")))?;
    session.output.claim("--out", &args.out)?;
    session.output.guard(&inputs)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        session.fail(format!("{file}, line {line}: this is no UTF-8"))
    })?;
    let drawn = Sheet::read(&text).and_then(|sheet| args.plot().draw(&sheet));
    let drawn = drawn.map_err(|error| session.refuse(diagnostic(&file, error)))?;
    let out = escape(&args.out.display().to_string()).into_owned();
    let svg = drawn.chart.svg();
    let written = replace(&args.out, |out| out.write_all(svg.as_bytes()));
    written.map_err(|error| session.fail(format!("cannot write {out}: {error}")))?;
    let object = Plotted {
        kind: args.kind.word().to_owned(),
        file: args.out.display().to_string(),
        rows: drawn.rows,
        left_out: drawn.empty,
        series: drawn.chart.series.iter().map(series).collect(),
        description: drawn.chart.words(),
    };
    Ok(session.done(&told(&drawn, &out), Body::Plotted(object)))
}

/// With the name of the file, where the table is wrong; what is asked of it may be wrong by itself.
fn diagnostic(file: &str, error: SheetError) -> Diagnostic {
    let place = if error.line.is_some() { format!("{file}, ") } else { format!("{file}: ") };
    let diagnostic = Diagnostic::error_anywhere(format!("{place}{error}"));
    match error.help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

fn series(series: &surefoot_chart::Series) -> PlottedSeries {
    PlottedSeries { name: series.name.clone(), points: series.points.len() }
}

fn told(drawn: &Drawn, out: &str) -> String {
    let (points, rows) = (counted(drawn.points as u64, "point"), counted(drawn.rows as u64, "row"));
    let mut text = format!("done: drew {points} of {rows} in {out}\n");
    if drawn.empty > 0 {
        text.push_str(&format!("  left out  {} without a number\n", counted(drawn.empty as u64, "row")));
    }
    for series in drawn.chart.series.iter().filter(|series| !series.name.is_empty()) {
        text.push_str(&format!(
            "  series    {}: {}\n",
            escape(&series.name),
            counted(series.points.len() as u64, "point")
        ));
    }
    text
}
