//! `encode`: writes the system with its policy as part of it, for other checkers.

use surefoot_verify::result::body::Encoded;
use surefoot_verify::task::encode::Encoding;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Ended, Session, Wish, begin};
use super::subject;
use crate::args::encode::EncodeArgs;
use crate::output::Exit;

pub(crate) fn run(args: &EncodeArgs) -> Exit {
    carry_out(args).map_or_else(|exit| exit, |ended| ended.show(text))
}

/// What is to be done.
pub(crate) fn job(args: &EncodeArgs) -> Wish {
    let encoding =
        Encoding { out: args.out.clone(), target: args.target, precision: args.precision, starts: args.starts };
    Wish::of(Job::Encode(args.common.request(&args.model), encoding))
}

fn carry_out(args: &EncodeArgs) -> Result<Ended, Exit> {
    let (task, output) = begin(&args.common, job(args).job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    session.output.claim("--out", &args.out)?;
    session.prepare()?;
    session.run()
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let (Told::Encoded(encoded), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let Encoded { file, target, networks, neurons, neuron_variables, neuron_range, neuron_bits, phases, .. } =
        &**encoded;
    let mut text = format!("done: wrote {file}\n{}  target    {target}\n", subject(problem));
    if *networks > 0 {
        let shared = if *neuron_variables > 0 {
            format!(" in {neuron_variables} variables")
        } else {
            " as definitions".to_owned()
        };
        text.push_str(&format!("  neurons   {neurons} of {networks} networks{shared}\n"));
    }
    if let (Some([lower, upper]), Some(bits)) = (neuron_range, neuron_bits) {
        text.push_str(&format!("  integers  from {lower} to {upper}, {bits} bits together\n"));
    }
    if *phases > 0 {
        text.push_str(&format!("  phases    {phases}\n"));
    }
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    text
}
