//! Pages taken apart again, as a browser does it, and problems to make them of.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod served;

use std::io::Read;
use std::time::Instant;

use serde_json::Value;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_report::data::Page;
use surefoot_report::pack::Columns;
use surefoot_verify::{Asking, Budget, LoadedPolicy, Problem, Query};

/// The data of a page: what a browser has after unpacking.
pub(crate) struct Unpacked {
    pub(crate) json: Value,
    bytes: Vec<u8>,
    binary: usize,
}

impl Unpacked {
    pub(crate) fn new(page: &Page, columns: &Columns) -> Self {
        Self::of(&columns.deflated(page).unwrap_or_else(|error| panic!("{error}")))
    }

    /// What is unpacked of bytes.
    pub(crate) fn of(packed: &[u8]) -> Self {
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(packed).read_to_end(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
        let length = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
        let json = serde_json::from_slice(&bytes[4..4 + length]).unwrap_or_else(|error| panic!("{error}"));
        Self { json, bytes, binary: (4 + length).next_multiple_of(8) }
    }

    /// The numbers of a column.
    pub(crate) fn column(&self, reference: &Value) -> Vec<f64> {
        if let Some(plain) = reference.as_array() {
            return plain.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect();
        }
        let [at, length] = ["at", "length"]
            .map(|key| usize::try_from(reference[key].as_u64().unwrap_or_default()).unwrap_or_default());
        let start = self.binary + at;
        let part = |index: usize, size: usize| &self.bytes[start + index * size..start + (index + 1) * size];
        let number = |index: usize| match reference["type"].as_str().unwrap_or_default() {
            "bits" => f64::from((self.bytes[start + index / 8] >> (index % 8)) & 1),
            "u8" => f64::from(part(index, 1)[0]),
            "u16" => f64::from(u16::from_le_bytes(part(index, 2).try_into().unwrap_or_default())),
            "u32" => f64::from(u32::from_le_bytes(part(index, 4).try_into().unwrap_or_default())),
            "i32" => f64::from(i32::from_le_bytes(part(index, 4).try_into().unwrap_or_default())),
            "f32" => f64::from(f32::from_le_bytes(part(index, 4).try_into().unwrap_or_default())),
            "f64" => f64::from_le_bytes(part(index, 8).try_into().unwrap_or_default()),
            other => panic!("no columns are of type {other}"),
        };
        (0..length).map(number).collect()
    }

    /// The numbers of several columns, item by item.
    pub(crate) fn rows(&self, references: &Value) -> Vec<Vec<f64>> {
        let columns: Vec<Vec<f64>> =
            references.as_array().into_iter().flatten().map(|reference| self.column(reference)).collect();
        let count = columns.first().map_or(0, Vec::len);
        (0..count).map(|item| columns.iter().map(|column| column[item]).collect()).collect()
    }
}

pub(crate) fn budget() -> Budget {
    Budget { started: Instant::now(), time: None, memory: None, threads: 1, cancel: surefoot_limits::Cancel::default() }
}

/// The problem of a property of a lowered model.
pub(crate) fn problem(mut lowered: Lowered, policy: Option<Policy>, property: usize) -> Problem {
    let span = lowered.syntax().properties[property].name.span;
    let question = lowered.question(property).unwrap_or_else(|error| panic!("{error:?}"));
    let (query, _) = Query::of(&mut lowered, &question, Some(span));
    Problem {
        lowered,
        policy: policy.map(|policy| LoadedPolicy { policy, name: "random".to_owned() }),
        asking: Asking::default(),
        property: None,
        query,
        notes: Vec::new(),
        assumptions: Vec::new(),
        inputs: Vec::new(),
        constants: Vec::new(),
        slice: None,
    }
}
