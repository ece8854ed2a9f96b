//! The binary format UMB ("unified Markov binary"): a gzipped tar archive of little-endian arrays and an index in JSON.
//!
//! The archive holds states with their choices (`state-to-choices.bin`), choices with their branches, branches with target and
//! probability, the names of actions, one bit per state and label (`annotations/aps`), and the values of variables, packed
//! into as few bits as their domains need (`valuations/states`). Probabilities are fractions (numerator and
//! denominator of 64 bits each, or as many times that as the largest needs), or doubles.
//!
//! The same model gives the same bytes: no dates, no owners, a fixed order of files.
//!
//! What readers cannot take is left out: offsets and bounds of variables, and names as values (locations are numbers).
//!
//! [`Notes`] are what else an archive may say: numbers about states in annotation groups of their own, and anything in JSON about how the file came about. Readers that do
//! not know such a group ignore it.

mod arrays;
mod index;
mod pack;
mod stream;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use surefoot_num::Rational;

use crate::error::ExportError;
use crate::model::Model;
use crate::number::nearest;
use crate::options::{Format, Numbers, Options};
use crate::rows::Rows;

/// How a probability is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    Double,
    /// Numerator and denominator, of so many bytes each.
    Rational(usize),
}

impl Stored {
    fn bytes(self) -> usize {
        match self {
            Self::Double => 8,
            Self::Rational(half) => 2 * half,
        }
    }
}

/// Numbers about states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbered<'a> {
    /// Fractions between 0 and 1, one per state.
    Fractions(&'a [Rational]),
    /// Whole numbers, one per state.
    Counts(&'a [u64]),
}

/// An annotation of the states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Its group: lower-case letters, digits, `-` and `_`, as its name.
    pub group: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its values.
    pub values: Numbered<'a>,
}

/// What an archive says besides the model.
#[derive(Debug, Clone, Default)]
pub struct Notes<'a> {
    /// How the file came about (`parameters` of `file-data`).
    pub parameters: Option<serde_json::Value>,
    /// Annotations of the states, those of a group next to each other; no group is `aps`.
    pub annotations: &'a [Annotation<'a>],
}

/// Writes a model.
///
/// # Errors
/// Where it cannot be written, its names cannot be told apart, or a probability is too small for a float.
pub fn write(model: &Model<'_>, options: &Options, out: &mut impl Write) -> Result<(), ExportError> {
    write_with(model, options, &Notes::default(), out).map(|_| ())
}

/// Writes a model with notes; says how many bytes that are before compression.
///
/// # Errors
/// As [`write()`].
pub fn write_with(
    model: &Model<'_>,
    options: &Options,
    notes: &Notes<'_>,
    out: &mut impl Write,
) -> Result<u64, ExportError> {
    model.check()?;
    let rows = Rows::new(model.mdp);
    let stored = stored(model, options.numbers.unwrap_or(Format::Umb.numbers()))?;
    let index = index::index(model, options, &rows, stored, notes);
    let encoder = stream::Counted::new(GzEncoder::new(out, Compression::fast()));
    let mut archive = stream::Archive::new(encoder);
    let mut text = serde_json::to_vec_pretty(&index.object).map_err(std::io::Error::from)?;
    text.push(b'\n');
    archive.bytes("index.json", &text)?;
    arrays::write(model, &rows, stored, &index, &mut archive)?;
    arrays::annotations(notes, &mut archive)?;
    let (encoder, bytes) = archive.finish()?.finish();
    encoder.finish()?;
    Ok(bytes)
}

/// The smallest way to store all probabilities.
fn stored(model: &Model<'_>, numbers: Numbers) -> Result<Stored, ExportError> {
    let probabilities = || {
        let choices = model.mdp.states().flat_map(|state| model.mdp.choices(state));
        choices.flat_map(|choice| model.mdp.branches(choice)).map(|branch| model.mdp.exact(*branch))
    };
    match numbers {
        Numbers::Double => {
            // Refused before anything is written.
            probabilities().try_for_each(|p| nearest(p).map(|_| ()))?;
            Ok(Stored::Double)
        }
        Numbers::Exact => Ok(Stored::Rational(probabilities().map(half).max().unwrap_or(8))),
    }
}

/// The bytes for each half of a fraction between 0 and 1: a multiple of eight. The numerator has a sign bit, but is not larger than
/// the denominator.
fn half(value: &Rational) -> usize {
    use dashu_int::ops::BitTest;
    let bits = (value.numerator().bit_len() + 1).max(value.denominator().bit_len());
    bits.div_ceil(64) * 8
}
