//! What is done to inputs before the first layer, and to outputs after the last: `scale * x + offset` per coordinate, exactly.

use surefoot_linear::Linear;
use surefoot_num::Rational;

use crate::shape::ShapeError;

/// A rational scale and offset per coordinate: `x' = scale * x + offset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalisation {
    scale: Vec<Rational>,
    offset: Vec<Rational>,
}

impl Normalisation {
    /// From scales and offsets.
    ///
    /// # Errors
    /// When the two lists differ in length.
    pub fn new(scale: Vec<Rational>, offset: Vec<Rational>) -> Result<Self, ShapeError> {
        if scale.len() != offset.len() {
            return Err(ShapeError::Length {
                what: "the normalisation offset",
                expected: scale.len(),
                found: offset.len(),
            });
        }
        Ok(Self { scale, offset })
    }

    /// The scales.
    #[must_use]
    pub fn scale(&self) -> &[Rational] {
        &self.scale
    }

    /// The offsets.
    #[must_use]
    pub fn offset(&self) -> &[Rational] {
        &self.offset
    }

    /// Whether nothing is changed.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.scale.iter().all(|s| *s == Rational::ONE) && self.offset.iter().all(Rational::is_zero)
    }

    /// Applied to a point, exactly.
    #[must_use]
    pub fn apply(&self, point: &[Rational]) -> Vec<Rational> {
        let terms = self.scale.iter().zip(&self.offset).zip(point);
        terms.map(|((scale, offset), x)| &(scale * x) + offset).collect()
    }

    /// Applied to linear forms, exactly.
    #[must_use]
    pub fn apply_to_forms(&self, forms: &[Linear]) -> Vec<Linear> {
        forms.iter().enumerate().map(|(index, form)| self.apply_to_form(index, form)).collect()
    }

    /// Applied to the linear form of one coordinate, exactly.
    #[must_use]
    pub fn apply_to_form(&self, index: usize, form: &Linear) -> Linear {
        Linear::constant_form(self.offset[index].clone()).plus_scaled(form, &self.scale[index])
    }

    /// Checked to be as long as what it normalises; none if it changes nothing.
    pub(crate) fn checked(self, what: &'static str, expected: usize) -> Result<Option<Self>, ShapeError> {
        if self.scale.len() != expected {
            return Err(ShapeError::Length { what, expected, found: self.scale.len() });
        }
        Ok(if self.is_identity() { None } else { Some(self) })
    }
}
