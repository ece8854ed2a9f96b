//! States as a few machine words.
//!
//! Every slot gets as many bits as its domain needs and lies inside one word. Slots that no edge writes and that have one
//! value in all start states take no room at all.

use surefoot_model::{Model, SlotId};

use crate::number::number;

/// Where a slot lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    word: u32,
    shift: u32,
    /// All ones over the field's width, not shifted; zero for a slot with a fixed value.
    mask: u64,
    /// The smallest value of the domain, or the fixed value.
    lower: i64,
}

/// The layout of packed states.
#[derive(Debug, Clone)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// A layout for a discrete model. `fixed` says which slots have a single value throughout.
    ///
    /// # Panics
    /// If the model has a real-valued slot.
    #[must_use]
    pub fn new(model: &Model, fixed: &[Option<i64>]) -> Self {
        let widths: Vec<(u32, i64)> = model
            .slots
            .iter()
            .zip(fixed)
            .map(|(slot, fixed)| {
                let (lower, upper) = slot.domain.int_bounds().expect("packed states are discrete");
                match fixed {
                    Some(value) => (0, *value),
                    None => (64 - upper.wrapping_sub(lower).cast_unsigned().leading_zeros(), lower),
                }
            })
            .collect();
        // Widest first into the first word with room: few words, and no field across a border.
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|i| (std::cmp::Reverse(widths[*i].0), *i));
        let mut fields = vec![Field { word: 0, shift: 0, mask: 0, lower: 0 }; widths.len()];
        let mut used: Vec<u32> = vec![0];
        for i in order {
            let (width, lower) = widths[i];
            fields[i].lower = lower;
            if width == 0 {
                continue;
            }
            let word = used.iter().position(|bits| bits + width <= 64).unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            fields[i].word = number(word);
            fields[i].shift = used[word];
            fields[i].mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            used[word] += width;
        }
        Self { fields, words: used.len() }
    }

    /// Words per state.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Unpacks a state.
    #[inline]
    pub fn unpack(&self, words: &[u64], values: &mut [i64]) {
        for (field, value) in self.fields.iter().zip(values) {
            let raw = (words[field.word as usize] >> field.shift) & field.mask;
            *value = field.lower.wrapping_add(raw.cast_signed());
        }
    }

    /// Packs a state whose values are in their domains.
    pub fn pack(&self, values: &[i64], words: &mut [u64]) {
        words.fill(0);
        for (slot, value) in values.iter().enumerate() {
            self.set(words, SlotId::at(slot), *value);
        }
    }

    /// Changes one slot of a packed state to a value of its domain.
    #[inline]
    pub fn set(&self, words: &mut [u64], slot: SlotId, value: i64) {
        let field = self.fields[slot.index()];
        let raw = value.wrapping_sub(field.lower).cast_unsigned();
        // A field without bits is fixed or dropped: its value is not kept.
        debug_assert!(raw <= field.mask || field.mask == 0, "only values of the domain are packed");
        let word = &mut words[field.word as usize];
        *word = (*word & !(field.mask << field.shift)) | ((raw & field.mask) << field.shift);
    }
}

/// A hash of a packed state: folded multiplication, good in all its bits.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
pub fn hash(words: &[u64]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15u64;
    for word in words {
        let product = u128::from(hash ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93_A076_1D64_78BD_642F);
        hash = (product as u64) ^ ((product >> 64) as u64).rotate_left(29);
    }
    hash ^ (hash >> 32)
}
