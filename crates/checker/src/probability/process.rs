//! The part of a model that an archive describes.
//!
//! Arrays stay the bytes that they are in the file, and numbers are taken out of them when they are asked for. What is checked here is their shape: as many entries as
//! the index says, offsets that ascend, targets that are states.

use dashu_int::{IBig, UBig};
use serde_json::Value;
use surefoot_certificate::{BoundedIndex, trouble};
use surefoot_num::Rational;

use super::archive::Files;
use super::unreadable;
use crate::refused::Refused;

/// The most bits of a record of values, and of a fraction.
const MOST_BITS: u64 = 1 << 20;
/// The most bytes of the index.
const MOST_INDEX: usize = 1 << 26;

/// A part of a model.
pub(super) struct Part<'a> {
    /// What the certificate says of itself.
    pub(super) index: BoundedIndex,
    pub(super) states: usize,
    pub(super) choices: usize,
    pub(super) branches: usize,
    pub(super) initial: Bits<'a>,
    /// Where the until is satisfied.
    pub(super) target: Bits<'a>,
    /// Whose moves are not told.
    pub(super) frontier: Bits<'a>,
    /// Where choices of a state begin, and those of the next one.
    pub(super) state_choices: Words<'a>,
    pub(super) choice_branches: Words<'a>,
    pub(super) targets: Words<'a>,
    pub(super) probabilities: Fractions<'a>,
    /// The action of every choice: 0 is silent, others are one more than their number. None where there are no actions.
    pub(super) actions: Option<&'a [u8]>,
    /// Records of values.
    pub(super) values: Records<'a>,
    pub(super) upper: Option<Fractions<'a>>,
    pub(super) lower: Option<Fractions<'a>>,
    pub(super) rank: Option<Words<'a>>,
}

/// One bit per state.
pub(super) struct Bits<'a>(&'a [u8]);

impl Bits<'_> {
    pub(super) fn contains(&self, state: usize) -> bool {
        self.0[state / 8] >> (state % 8) & 1 == 1
    }
}

/// Numbers of 64 bits.
pub(super) struct Words<'a>(&'a [u8]);

impl Words<'_> {
    pub(super) fn get(&self, index: usize) -> u64 {
        let bytes = self.0[8 * index..8 * index + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes)
    }

    /// A number that was seen to be within the memory.
    fn small(&self, index: usize) -> usize {
        usize::try_from(self.get(index)).expect("offsets and targets were checked")
    }
}

/// Fractions: numerator and denominator, of `half` bytes each.
pub(super) struct Fractions<'a> {
    bytes: &'a [u8],
    half: usize,
}

impl Fractions<'_> {
    /// A fraction, which must not be negative.
    pub(super) fn get(&self, index: usize) -> Result<Rational, String> {
        let bytes = &self.bytes[2 * self.half * index..2 * self.half * (index + 1)];
        let (numerator, denominator) = bytes.split_at(self.half);
        if numerator.last().is_some_and(|byte| byte >> 7 == 1) {
            return Err("a fraction is negative".to_owned());
        }
        let numerator = IBig::from(UBig::from_le_bytes(numerator));
        Rational::from_big_parts(numerator, UBig::from_le_bytes(denominator))
            .ok_or_else(|| "a fraction has the denominator 0".to_owned())
    }
}

/// Records of values, the first variable in the lowest bits.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    /// Per variable: its bits, and whether it may be negative.
    pub(super) fields: Vec<(u32, bool)>,
    /// Bytes of a record.
    pub(super) size: usize,
}

impl<'a> Records<'a> {
    /// The bytes of a record.
    pub(super) fn record(&self, state: usize) -> &'a [u8] {
        &self.bytes[self.size * state..self.size * (state + 1)]
    }
}

impl<'a> Part<'a> {
    /// Reads the arrays of an archive.
    pub(super) fn read(files: &'a Files) -> Result<Self, Refused> {
        let (index, umb) = index(files)?;
        let system = &umb["transition-system"];
        if system["time"] != "discrete" {
            return Err(unreadable("the model is not in discrete time"));
        }
        let count = |name: &str| {
            let count = system[name].as_u64().and_then(|count| u32::try_from(count).ok());
            count.map(|count| count as usize).ok_or_else(|| unreadable(format!("'{name}' is no count")))
        };
        let (states, choices, branches) = (count("#states")?, count("#choices")?, count("#branches")?);
        if states == 0 {
            return Err(unreadable("there are no states"));
        }
        let bits = |name: &str| sized(files, name, states.div_ceil(64), 8).map(Bits);
        let words = |name: &str, length: usize| sized(files, name, length, 8).map(Words);
        let annotation = |name: &str| format!("annotations/certificate/{name}/states/values.bin");
        let vector = |name: &str| {
            let about = &umb["annotations"]["certificate"][name];
            let about = if about.is_null() { None } else { Some(about) };
            about.map(|about| fractions(files, &annotation(name), &about["type"], states)).transpose()
        };
        let proposition = |name: &str| format!("annotations/aps/{name}/states/values.bin");
        let rank = !umb["annotations"]["certificate"]["rank"].is_null();
        let actions = count("#choice-actions")? > 0;
        let part = Self {
            states,
            choices,
            branches,
            initial: bits("state-is-initial.bin")?,
            target: bits(&proposition("target"))?,
            frontier: bits(&proposition("frontier"))?,
            state_choices: words("state-to-choices.bin", states + 1)?,
            choice_branches: words("choice-to-branches.bin", choices + 1)?,
            targets: words("branch-to-target.bin", branches)?,
            probabilities: fractions(files, "branch-to-probability.bin", &system["branch-probability-type"], branches)?,
            actions: actions.then(|| sized(files, "actions/choices/values.bin", choices, 4)).transpose()?,
            values: records(files, &umb["valuations"]["states"], states)?,
            upper: vector("upper")?,
            lower: vector("lower")?,
            rank: rank.then(|| words(&annotation("rank"), states)).transpose()?,
            index,
        };
        ascending(&part.state_choices, states, choices, "state-to-choices.bin")?;
        ascending(&part.choice_branches, choices, branches, "choice-to-branches.bin")?;
        if (0..branches).any(|branch| part.targets.get(branch) >= states as u64) {
            return Err(unreadable("a branch leads to a state that is not there"));
        }
        Ok(part)
    }

    /// The choices of a state.
    pub(super) fn choices_of(&self, state: usize) -> std::ops::Range<usize> {
        self.state_choices.small(state)..self.state_choices.small(state + 1)
    }

    /// The branches of a choice.
    pub(super) fn branches_of(&self, choice: usize) -> std::ops::Range<usize> {
        self.choice_branches.small(choice)..self.choice_branches.small(choice + 1)
    }

    /// The state that a branch leads to.
    pub(super) fn target_of(&self, branch: usize) -> usize {
        self.targets.small(branch)
    }

    /// The action of a choice; `None` = silent.
    pub(super) fn action_of(&self, choice: usize) -> Option<u32> {
        let bytes = self.actions?[4 * choice..4 * choice + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes).checked_sub(1)
    }
}

/// What a certificate says of itself, and the index of the archive.
pub(super) fn index(files: &Files) -> Result<(BoundedIndex, Value), Refused> {
    let text = file(files, "index.json")?;
    if text.len() > MOST_INDEX {
        return Err(unreadable("'index.json' is too long"));
    }
    let umb: Value =
        serde_json::from_slice(text).map_err(|error| unreadable(format!("'index.json': {}", trouble(&error))))?;
    if umb["format-version"] != 1 {
        return Err(unreadable("'index.json' is not of version 1 of the format UMB"));
    }
    let index = BoundedIndex::read(&umb["file-data"]["parameters"]).map_err(unreadable)?;
    Ok((index, umb))
}

fn file<'a>(files: &'a Files, name: &str) -> Result<&'a [u8], Refused> {
    let bytes = files.get(name).ok_or_else(|| unreadable(format!("the archive has no file '{name}'")))?;
    Ok(bytes)
}

/// A file of so many items of so many bytes.
fn sized<'a>(files: &'a Files, name: &str, items: usize, size: usize) -> Result<&'a [u8], Refused> {
    let bytes = file(files, name)?;
    if items.checked_mul(size) == Some(bytes.len()) {
        return Ok(bytes);
    }
    Err(unreadable(format!("'{name}' has {} bytes, not {items} times {size}", bytes.len())))
}

fn fractions<'a>(files: &'a Files, name: &str, kind: &Value, items: usize) -> Result<Fractions<'a>, Refused> {
    let wrong = || unreadable(format!("the numbers of '{name}' are no fractions"));
    let bits = kind["size"].as_u64().filter(|bits| *bits <= MOST_BITS && *bits > 0 && *bits % 16 == 0);
    let bits = bits.filter(|_| kind["type"] == "rational").ok_or_else(wrong)?;
    let half = usize::try_from(bits / 16).map_err(|_| wrong())?;
    Ok(Fractions { bytes: sized(files, name, items, 2 * half)?, half })
}

fn records<'a>(files: &'a Files, about: &Value, states: usize) -> Result<Records<'a>, Refused> {
    let wrong = |what: &str| unreadable(format!("the values of states are not told: {what}"));
    let [class] = about["classes"].as_array().map_or(&[][..], Vec::as_slice) else {
        return Err(wrong("there is not one class of states"));
    };
    let variables = class["variables"].as_array().ok_or_else(|| wrong("there are no variables"))?;
    let (mut fields, mut bits) = (Vec::new(), 0u64);
    for (i, variable) in variables.iter().enumerate() {
        if let Some(padding) = variable["padding"].as_u64().filter(|padding| *padding < 8) {
            bits += padding;
            if i + 1 < variables.len() {
                return Err(wrong("there is padding before the end"));
            }
            continue;
        }
        let kind = &variable["type"];
        let size =
            kind["size"].as_u64().and_then(|size| u32::try_from(size).ok()).filter(|size| (1..=64).contains(size));
        let size = size.ok_or_else(|| wrong("a variable has no size"))?;
        let signed = match kind["type"].as_str() {
            Some("bool" | "uint") => false,
            Some("int") => true,
            _ => return Err(wrong("a variable is neither a truth value nor an integer")),
        };
        if !variable["offset"].is_null() || !variable["is-optional"].is_null() {
            return Err(wrong("a variable has an offset, or need not have a value"));
        }
        bits += u64::from(size);
        fields.push((size, signed));
    }
    if bits % 8 != 0 || bits == 0 || bits > MOST_BITS {
        return Err(wrong("records are not of whole bytes"));
    }
    let size = usize::try_from(bits / 8).expect("a few bytes");
    Ok(Records { bytes: sized(files, "valuations/states/valuations.bin", states, size)?, fields, size })
}

/// Offsets from 0 to a count, each at least the one before.
fn ascending(offsets: &Words<'_>, items: usize, end: usize, name: &str) -> Result<(), Refused> {
    let falls = (0..items).any(|i| offsets.get(i) > offsets.get(i + 1));
    if offsets.get(0) != 0 || offsets.get(items) != end as u64 || falls {
        return Err(unreadable(format!("the offsets of '{name}' do not ascend from 0 to {end}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_two_numbers_of_equal_length() {
        let mut bytes = Vec::new();
        for number in [1u64, 3, 0, 5, u64::MAX, 2, 1, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let fractions = Fractions { bytes: &bytes, half: 8 };
        assert_eq!(fractions.get(0).unwrap(), "1/3".parse().unwrap());
        assert_eq!(fractions.get(1).unwrap(), Rational::ZERO);
        assert!(fractions.get(2).unwrap_err().contains("negative"));
        assert!(fractions.get(3).unwrap_err().contains("denominator"));
        let wide = Fractions { bytes: &bytes, half: 16 };
        assert_eq!(wide.get(0).unwrap().denominator(), UBig::from(5u64) << 64);
    }

    #[test]
    fn offsets_ascend() {
        let words = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        for (numbers, fits) in
            [([0, 1, 3], true), ([0, 0, 3], true), ([1, 2, 3], false), ([0, 4, 3], false), ([0, 1, 2], false)]
        {
            let bytes = words(&numbers);
            assert_eq!(ascending(&Words(&bytes), 2, 3, "x").is_ok(), fits, "{numbers:?}");
        }
    }
}
