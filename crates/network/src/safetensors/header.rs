//! The header of a safetensors file: no name twice.
//!
//! Readers keep the last of two members of one name, or the first: two tools would see two networks in one file. So
//! such a file is refused before anything else is made of it.

use std::collections::BTreeSet;
use std::fmt;

use safetensors::SafeTensorError;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// JSON in which no object has a member twice; its content does not matter.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}

struct Walk;

impl<'de> Visitor<'de> for Walk {
    type Value = Distinct;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distinct, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            map.next_value::<Distinct>()?;
            if let Some(twice) = seen.replace(name) {
                return Err(A::Error::custom(format_args!("{TWICE}{twice}")));
            }
        }
        Ok(Distinct)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Distinct, A::Error> {
        while items.next_element::<Distinct>()?.is_some() {}
        Ok(Distinct)
    }

    fn visit_unit<E>(self) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_str<E>(self, _: &str) -> Result<Distinct, E> {
        Ok(Distinct)
    }
}

/// Marks our own error among those of the parser.
const TWICE: &str = "twice: ";

/// A name that stands twice in one object of a JSON text. Text that is no JSON is left to others.
pub(super) fn twice(json: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<Distinct>(json).err()?.to_string();
    let name = error.strip_prefix(TWICE)?;
    // The parser adds its place behind the text.
    Some(name.rsplit_once(" at line ").map_or(name, |(name, _)| name).to_owned())
}

/// The JSON of a file's header: eight bytes of length, then so many bytes.
pub(super) fn of(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// What is wrong with a container. The parser's own words quote what they do not know, and the file may be anything.
pub(super) fn problem(error: &SafeTensorError) -> String {
    match error {
        SafeTensorError::InvalidHeader(_) => "its header is not UTF-8".to_owned(),
        SafeTensorError::InvalidHeaderDeserialization(error) | SafeTensorError::JsonError(error) => {
            let what = match error.is_data() {
                true => "is not as it should be: tensors have dtype, shape and data_offsets, metadata is text",
                false => "is no JSON",
            };
            format!("its header {what}, at line {}, column {}", error.line(), error.column())
        }
        other => other.to_string(),
    }
}

/// Where a text stops being JSON, as words.
pub(super) fn not_json(text: &str) -> Option<String> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    Some(match error.is_eof() {
        true => "the text ends in the middle; expected JSON".to_owned(),
        false => format!("no JSON from line {}, column {} on", error.line(), error.column()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_object_by_object() {
        assert_eq!(twice(br#"{"a": {"b": 1}, "c": {"b": [{"a": null}, {"a": true}]}}"#), None);
        assert_eq!(twice(br#"{"a": 1, "b": 2, "a": 3}"#).as_deref(), Some("a"));
        assert_eq!(twice(br#"{"a": [{"at line 1": -1, "at line 1": 0.5}]}"#).as_deref(), Some("at line 1"));
        assert_eq!(twice(b"{"), None);
        assert_eq!(of(b"\x02\0\0\0\0\0\0\0{}rest"), Some(&b"{}"[..]));
        assert_eq!(of(b"\xff\0\0\0\0\0\0\0{}"), None);
    }
}
