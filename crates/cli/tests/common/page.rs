//! Pages of results, taken apart.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The object that the text of a page holds.
pub(crate) fn data(text: &str) -> Value {
    let (_, rest) =
        text.split_once("<script id=\"data\" type=\"application/octet-stream\">").expect("the data of a page");
    let packed = STANDARD.decode(rest.split('<').next().unwrap_or_default()).expect("base 64");
    let mut bytes = Vec::new();
    flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("it was deflated");
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[4..4 + length]).expect("JSON")
}
