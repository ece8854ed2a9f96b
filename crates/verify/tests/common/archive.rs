//! Certificates of bounds as archives that can be changed.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use surefoot_checker::Refused;
use surefoot_checker::probability::{MOST_BYTES, Proved, check};
use surefoot_num::Rational;
use surefoot_verify::Problem;

/// The files of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archive(pub(crate) BTreeMap<String, Vec<u8>>);

impl Archive {
    pub(crate) fn unpack(bytes: &[u8]) -> Self {
        let mut archive = tar::Archive::new(GzDecoder::new(bytes));
        let mut files = BTreeMap::new();
        for entry in archive.entries().expect("an archive of ours") {
            let mut entry = entry.expect("an archive of ours");
            let name = entry.path().expect("an archive of ours").to_str().expect("an archive of ours").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("an archive of ours");
            files.insert(name, bytes);
        }
        Self(files)
    }

    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, bytes) in &self.0 {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, &**bytes).expect("an archive of ours");
        }
        builder.into_inner().expect("an archive of ours").finish().expect("an archive of ours")
    }

    /// What the checker says of it.
    pub(crate) fn check(&self, problem: &Problem) -> Result<Proved, Refused> {
        check(problem, &*self.pack(), MOST_BYTES)
    }

    pub(crate) fn index(&self) -> Value {
        serde_json::from_slice(&self.0["index.json"]).expect("an archive of ours")
    }

    /// Changes the index.
    pub(crate) fn with_index(mut self, change: impl FnOnce(&mut Value)) -> Self {
        let mut index = self.index();
        change(&mut index);
        self.0.insert("index.json".to_owned(), serde_json::to_vec(&index).expect("an archive of ours"));
        self
    }

    /// Changes what the certificate says of itself.
    pub(crate) fn with_claims(self, change: impl FnOnce(&mut Value)) -> Self {
        self.with_index(|index| change(&mut index["file-data"]["parameters"]))
    }

    /// Changes a file.
    pub(crate) fn with(mut self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        change(self.0.get_mut(name).unwrap_or_else(|| panic!("there is no file '{name}'")));
        self
    }

    /// Changes a fraction of an annotation whose halves have eight bytes.
    pub(crate) fn with_fraction(self, name: &str, state: usize, value: &Rational) -> Self {
        let (numerator, denominator) = (value.numerator(), value.denominator());
        let numerator = i64::try_from(&numerator).expect("an archive of ours");
        let denominator = u64::try_from(&denominator).expect("an archive of ours");
        self.with(name, |bytes| {
            bytes[16 * state..16 * state + 8].copy_from_slice(&numerator.to_le_bytes());
            bytes[16 * state + 8..16 * state + 16].copy_from_slice(&denominator.to_le_bytes());
        })
    }
}

/// The file of a vector.
pub(crate) fn vector(name: &str) -> String {
    format!("annotations/certificate/{name}/states/values.bin")
}
