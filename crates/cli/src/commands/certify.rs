//! `certify`: the checker's opinion of a certificate; and what other commands say of theirs.

use surefoot_text::diagnostic::bounded as shortened;
use surefoot_verify::result::{CertificateRecord, ResultObject};
use surefoot_verify::task::certify::Judging;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Session, Wish, begin};
use super::subject;
use crate::args::certificate::CertifyArgs;
use crate::output::{Exit, counted};

/// What is to be done.
pub(crate) fn job(args: &CertifyArgs) -> Wish {
    let (certificate, network) = (args.certificate.clone(), args.network.clone());
    let judging = Judging { certificate, assume_no_errors: args.assume.no_errors(), network };
    Wish::of(Job::Certify(args.common.request(&args.model), judging))
}

pub(crate) fn run(args: &CertifyArgs) -> Exit {
    let ended = begin(&args.common, job(args).job).and_then(|(task, output)| Session::open(&task, output, None)?.run());
    ended.map_or_else(|exit| exit, |ended| ended.show(|outcome| text(outcome, args.network.is_some())))
}

/// What to say; about a network alone, there is no model to name.
pub(crate) fn text(outcome: &Outcome, alone: bool) -> String {
    let (Told::Certified(opinion), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let mut text = match &**opinion {
        Ok(shown) => format!("accepted: {}\n", shown.says),
        // The reason quotes the certificate, and what it quotes must not look like lines of ours.
        Err(why) => format!("rejected: {}\n", shortened(why.clone())),
    };
    if !alone {
        text.push_str(&subject(problem));
    }
    if let Ok(accepted) = &**opinion {
        if !alone {
            let regions = counted(accepted.regions, "region");
            text.push_str(&format!("  checked   {regions}, {}\n", counted(accepted.states, "state")));
        }
        for assumption in problem.assumptions.iter().chain(&accepted.assumptions) {
            text.push_str(&format!("  assuming  {assumption}\n"));
        }
    }
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    text
}

/// A text whose first line says what there is of a certificate; where none could be written, a line says why.
pub(super) fn certified(text: &str, result: &ResultObject) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match (&result.certificate, &result.no_certificate) {
        (Some(certificate), _) => format!("{first} ({})\n{rest}", described(certificate)),
        (None, Some(why)) => format!("{first} (no certificate)\n{}{rest}", uncertified(why)),
        (None, None) => text.to_owned(),
    }
}

/// Why there is no certificate, as a line.
pub(super) fn uncertified(why: &str) -> String {
    format!("  evidence  no certificate was written, and nothing checked: {why}\n")
}

/// A certificate in a few words.
pub(super) fn described(certificate: &CertificateRecord) -> String {
    let confirmed = if certificate.checked { ", confirmed by the checker" } else { "" };
    format!("certificate of {}{confirmed}", size(certificate.bytes))
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
