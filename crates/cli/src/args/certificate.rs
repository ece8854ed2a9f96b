//! Options of certificates.

use std::path::PathBuf;

use clap::Args;
use surefoot_verify::Certifying;

use super::{AssumeArgs, CommonArgs, ModelArgs};

/// Whether a certificate is wanted.
#[derive(Debug, Args)]
pub(crate) struct CertificateArgs {
    /// Write a certificate of the verdict, which `surefoot certify` checks
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Have a certificate of the verdict checked at once
    #[arg(long)]
    certify: bool,
}

impl CertificateArgs {
    pub(crate) fn certifying(&self) -> Certifying {
        Certifying { file: self.certificate.clone(), check: self.certify.then(std::env::temp_dir) }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CertifyArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) assume: AssumeArgs,
    /// The network that the certificate of `decide` is about; MODEL is then the file of queries
    #[arg(long, value_name = "FILE", conflicts_with_all = ["properties", "property", "policy", "constants", "filter", "never", "start", "goal", "goal_terminal", "assume", "plaja_compat"])]
    pub(crate) network: Option<PathBuf>,
}
