//! The files that a command line has written: nothing that is read is among them, and none is named twice.

use std::path::PathBuf;

use surefoot_files::{Clash, Outputs};
use surefoot_verify::Setting;
use surefoot_verify::abstraction::graph::GraphFormat;

use super::Asked;
use crate::args::Command;
use crate::args::cegar::CegarArgs;
use crate::args::certificate::CertificateArgs;
use crate::args::report::PageArgs;
use crate::args::zoo::ZooCommand;
use crate::commands::induce;

impl Asked {
    /// All that is written by the task and for it.
    ///
    /// # Errors
    /// Two options that name one file.
    pub(super) fn outputs(&self) -> Result<Outputs, Clash> {
        let mut outputs = Outputs::default();
        let mut claim =
            |option: &str, path: &Option<PathBuf>| path.iter().try_for_each(|path| outputs.claim(option, path));
        if let Some(common) = self.command.common() {
            claim("--json", &common.json)?;
            claim("--events", &common.events)?;
        }
        match &self.command {
            Command::Verify(args) => {
                claim("--per-start", &args.per_start)?;
                if args.engine.takes(Setting::Refinement) {
                    refinement(&mut outputs, &args.cegar)?;
                }
                certificate(&mut outputs, &args.certificate)?;
                page(&mut outputs, &args.report)?;
            }
            Command::Bounds(args) => {
                if args.engine.takes(Setting::Refinement) {
                    refinement(&mut outputs, &args.cegar)?;
                }
                certificate(&mut outputs, &args.certificate)?;
                page(&mut outputs, &args.report)?;
            }
            Command::Abstract(args) => {
                // Other names are refused as such.
                claim("--graph", &args.graph.clone().filter(|path| GraphFormat::of(path).is_some()))?;
                certificate(&mut outputs, &args.certificate)?;
                page(&mut outputs, &args.report)?;
            }
            Command::Ctl(args) => {
                page(&mut outputs, &args.report)?;
                args.write_lp.iter().try_for_each(|folder| outputs.claim_folder("--write-lp", folder))?;
            }
            Command::Decide(args) => {
                claim("--json", &args.answering.json)?;
                claim("--witness", &args.witness)?;
                certificate(&mut outputs, &args.certificate)?;
            }
            Command::VerifyQuery(args) => {
                claim("--json", &args.answering.json)?;
                args.serialise_assignments
                    .iter()
                    .try_for_each(|folder| outputs.claim_folder("--serialise-assignments", folder))?;
            }
            Command::Simulate(args) => claim("--traces", &args.traces)?,
            Command::Induce(args) => induce::files(args).iter().try_for_each(|path| outputs.claim("--out", path))?,
            Command::Encode(args) => outputs.claim("--out", &args.out)?,
            Command::Report(args) => outputs.claim("--out", &args.out)?,
            Command::Zoo(args) => {
                if let ZooCommand::Train(args) = &args.command {
                    args.training().files().iter().try_for_each(|path| outputs.claim("--out", path))?;
                }
            }
            Command::Check(_)
            | Command::Explore(_)
            | Command::Replay(_)
            | Command::Certify(_)
            | Command::Explain(_)
            | Command::Diff(_)
            | Command::Supports(_)
            | Command::CheckQuery(_)
            | Command::View(_) => {}
        }
        Ok(outputs)
    }
}

fn refinement(outputs: &mut Outputs, args: &CegarArgs) -> Result<(), Clash> {
    args.predicates_out.iter().try_for_each(|path| outputs.claim("--predicates-out", path))?;
    args.checkpoint.iter().try_for_each(|path| outputs.claim_rewritten("--checkpoint", path))
}

fn certificate(outputs: &mut Outputs, args: &CertificateArgs) -> Result<(), Clash> {
    args.certificate.iter().try_for_each(|path| outputs.claim("--certificate", path))
}

fn page(outputs: &mut Outputs, args: &PageArgs) -> Result<(), Clash> {
    args.report.iter().try_for_each(|path| outputs.claim("--report", path))
}
