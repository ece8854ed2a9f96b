//! The data of a page as bytes: one JSON object, and the columns that it speaks of.
//!
//! Four bytes with the length of the JSON (little-endian), the JSON, zeros up to a multiple of eight, and the columns, each from a multiple of eight on: so that a
//! browser has them as typed arrays without a copy. Pages carry all of it deflated and in base64.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

/// Where the numbers of a column are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    #[serde(rename = "type")]
    kind: &'static str,
    at: usize,
    length: usize,
}

/// The columns of a page, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    /// No column yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Truth values, eight to a byte, the first in the lowest bit.
    pub fn bits(&mut self, values: impl ExactSizeIterator<Item = bool>) -> Column {
        let length = values.len();
        let mut packed = vec![0u8; length.div_ceil(8)];
        values.enumerate().filter(|(_, value)| *value).for_each(|(i, _)| packed[i / 8] |= 1 << (i % 8));
        self.push("bits", length, packed.into_iter())
    }

    /// Small numbers.
    pub fn u8(&mut self, values: &[u8]) -> Column {
        self.push("u8", values.len(), values.iter().copied())
    }

    /// Numbers of 16 bits.
    pub fn u16(&mut self, values: &[u16]) -> Column {
        self.push("u16", values.len(), values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Numbers of 32 bits.
    pub fn u32(&mut self, values: &[u32]) -> Column {
        self.push("u32", values.len(), values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Signed numbers of 32 bits.
    pub fn i32(&mut self, values: &[i32]) -> Column {
        self.push("i32", values.len(), values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Floats of 32 bits.
    pub fn f32(&mut self, values: &[f32]) -> Column {
        self.push("f32", values.len(), values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Floats of 64 bits.
    pub fn f64(&mut self, values: &[f64]) -> Column {
        self.push("f64", values.len(), values.iter().flat_map(|value| value.to_le_bytes()))
    }

    /// Whole numbers in as few bytes as hold them.
    pub fn whole(&mut self, values: &[i64]) -> Column {
        let fits = |low: i64, high: i64| values.iter().all(|value| (low..=high).contains(value));
        fn narrow<T: TryFrom<i64>>(values: &[i64]) -> Option<Vec<T>> {
            values.iter().map(|value| T::try_from(*value).ok()).collect()
        }
        if fits(0, 255) {
            return self.u8(&narrow(values).unwrap_or_default());
        }
        if fits(0, 65_535) {
            return self.u16(&narrow(values).unwrap_or_default());
        }
        match narrow::<i32>(values) {
            Some(narrowed) => self.i32(&narrowed),
            #[expect(
                clippy::cast_precision_loss,
                reason = "what is drawn is rounded, and no browser has integers of 64 bits"
            )]
            None => self.f64(&values.iter().map(|value| *value as f64).collect::<Vec<f64>>()),
        }
    }

    fn push(&mut self, kind: &'static str, length: usize, bytes: impl Iterator<Item = u8>) -> Column {
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        Column { kind, at, length }
    }

    /// The object and the columns, deflated.
    ///
    /// # Errors
    /// Objects that are no JSON, or of four gigabytes.
    pub fn deflated(&self, object: &impl Serialize) -> Result<Vec<u8>, String> {
        let json = serde_json::to_vec(object).map_err(|error| error.to_string())?;
        let length = u32::try_from(json.len()).map_err(|_| "a page holds at most four gigabytes".to_owned())?;
        let padding = vec![0u8; (4 + json.len()).next_multiple_of(8) - 4 - json.len()];
        deflated(&[&length.to_le_bytes()[..], &json, &padding, &self.bytes].concat())
    }
}

/// Bytes in fewer, without a head: what browsers call `deflate-raw`.
///
/// # Errors
/// None in memory.
pub fn deflated(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

/// Bytes as text.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight_behind_the_object() {
        let mut columns = Columns::new();
        let bits = columns.bits([true, false, true].into_iter());
        let numbers = columns.u16(&[1, 513]);
        assert_eq!((bits.at, bits.length, numbers.at, numbers.length), (0, 3, 8, 2));
        let packed = columns.deflated(&serde_json::json!({"a": 1})).expect("it is JSON");
        let mut bytes = Vec::new();
        flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("it was deflated");
        assert_eq!(bytes[..4], 7u32.to_le_bytes());
        assert_eq!(&bytes[4..11], br#"{"a":1}"#);
        // 11 bytes, up to 16; then the bits in a byte of their own, and the numbers.
        assert_eq!(bytes[16], 0b101);
        assert_eq!(bytes[24..28], [1, 0, 1, 2]);
    }

    #[test]
    fn whole_numbers_take_as_few_bytes_as_hold_them() {
        let mut columns = Columns::new();
        let kinds: Vec<&str> = [vec![0, 255], vec![0, 256], vec![-1, 5], vec![1 << 40]]
            .iter()
            .map(|values| columns.whole(values).kind)
            .collect();
        assert_eq!(kinds, ["u8", "u16", "i32", "f64"]);
    }
}
