//! Formulas of a certificate: linear inequalities with integers over the slots, and what is made of them.

use surefoot_certificate::token::number;
use surefoot_linear::Symbol;
use surefoot_num::Rational;

use crate::enclosure::Enclosure;
use crate::values::{Bounds, Truth, Values};

/// `constant + sum of terms >= 0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atom {
    /// Coefficients, by ascending slot, none of them zero.
    pub terms: Vec<(u32, i64)>,
    /// The constant.
    pub constant: i64,
}

/// Numbers of more bits are refused.
const MOST_BITS: usize = 1 << 12;

impl Atom {
    /// An inequality with integers that holds for the same integers as `sum of terms + rest >= 0`, or where it is `strict`, `> 0`; terms by ascending
    /// slot, none of them zero. `None` where numbers get too large.
    ///
    /// Soundness: the sum is a positive multiple of one of coprime integers, whose values at integers are integers; so the rest is rounded to the next one.
    #[must_use]
    pub fn integral(terms: &[(u32, Rational)], rest: &Rational, strict: bool) -> Option<Self> {
        let mut scale = Rational::ONE;
        for (_, a) in terms {
            let denominator = (a * &scale).denominator();
            scale = &scale * &Rational::from(surefoot_num::IBig::from(denominator));
            if scale.bit_size() > MOST_BITS {
                return None;
            }
        }
        let whole: Option<Vec<(u32, i64)>> =
            terms.iter().map(|(slot, a)| Some((*slot, (a * &scale).to_i64()?))).collect();
        let whole = whole?;
        let divisor = whole.iter().fold(0u64, |divisor, (_, a)| gcd(divisor, a.unsigned_abs())).max(1);
        let divisor = i64::try_from(divisor).ok()?;
        let rest = (rest * &scale).checked_div(&Rational::from(divisor))?;
        let constant = if strict { &rest.ceil() - &Rational::ONE } else { rest.floor() }.to_i64()?;
        Some(Self { terms: whole.into_iter().map(|(slot, a)| (slot, a / divisor)).collect(), constant })
    }

    /// Reads one, over so many slots.
    fn read(text: &str, slots: usize) -> Result<Self, String> {
        let mut parts = text.split(' ');
        let constant = number(parts.next().unwrap_or(""), "a constant")?;
        let mut terms: Vec<(u32, i64)> = Vec::new();
        for part in parts {
            let (slot, a) =
                part.split_once(':').ok_or_else(|| format!("expected a slot and a coefficient, found '{part}'"))?;
            let slot = read_slot(slot, slots)?;
            let a: i64 = number(a, "a coefficient")?;
            if a == 0 || terms.last().is_some_and(|(before, _)| *before >= slot) {
                return Err("slots are to be in ascending order, with coefficients that are not zero".to_owned());
            }
            terms.push((slot, a));
        }
        Ok(Self { terms, constant })
    }

    /// The atom that holds where this one does not: `-constant - 1 - sum >= 0`. `None` where the numbers get too large.
    ///
    /// Soundness: slots are integers, so a sum below zero is at most -1.
    #[must_use]
    pub fn negated(&self) -> Option<Self> {
        let constant = self.constant.checked_neg()?.checked_sub(1)?;
        let negated = |(slot, a): &(u32, i64)| Some((*slot, a.checked_neg()?));
        Some(Self { terms: self.terms.iter().map(negated).collect::<Option<_>>()?, constant })
    }

    /// What the atom says about a linear form: a bound, and whether it is one from above. Slots that are fixed count as constants.
    #[must_use]
    pub fn bounds_direction(&self, form: &[(Symbol, Rational)], bounds: &[Bounds]) -> Option<(Rational, bool)> {
        let mut rest = Rational::from(self.constant);
        let mut factor: Option<Rational> = None;
        let mut matched = 0;
        for (slot, a) in &self.terms {
            let (lower, upper) = bounds[*slot as usize];
            let a = Rational::from(*a);
            if lower == upper {
                rest = &rest + &(&a * &Rational::from(lower));
                continue;
            }
            let (symbol, b) = form.get(matched)?;
            if symbol.0 != *slot {
                return None;
            }
            // form = factor * (sum of terms)
            let ratio = b.checked_div(&a)?;
            if factor.as_ref().is_some_and(|factor| *factor != ratio) {
                return None;
            }
            factor = Some(ratio);
            matched += 1;
        }
        let factor = factor.filter(|_| matched == form.len())?;
        // sum >= -rest, so factor * sum is at least, or for a negative factor at most, -factor * rest.
        Some((-&(&factor * &rest), factor.signum() < 0))
    }

    /// The left side.
    fn enclosure(&self, values: &Values<'_>) -> Enclosure {
        let constant = Enclosure::constant(self.constant.into());
        self.terms.iter().fold(constant, |sum, (slot, a)| {
            sum.plus_scaled(&values.slot(surefoot_model::SlotId(*slot)), &Rational::from(*a))
        })
    }

    /// Its truth for these values.
    #[must_use]
    pub fn truth(&self, values: &Values<'_>) -> Truth {
        let (lower, upper) = values.range(&self.enclosure(values));
        if lower.signum() >= 0 {
            return Some(true);
        }
        if upper.signum() < 0 { Some(false) } else { None }
    }

    /// Whether it holds nowhere, by the bounds of slots and the other atoms that are known.
    #[must_use]
    pub fn is_impossible(&self, values: &Values<'_>) -> bool {
        let (lower, upper) = values.range(&self.enclosure(values));
        upper.signum() < 0 || lower > upper
    }

    /// Its truth at a point.
    #[must_use]
    pub fn holds_at(&self, point: &[i64]) -> bool {
        let sum = self.terms.iter().fold(Rational::from(self.constant), |sum, (slot, a)| {
            &sum + &(&Rational::from(*a) * &Rational::from(point[*slot as usize]))
        });
        sum.signum() >= 0
    }
}

/// A formula; others by their numbers, which are smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// An inequality.
    Atom(Atom),
    /// All of them.
    All(Vec<u32>),
    /// One of them.
    Any(Vec<u32>),
    /// Not this one.
    Not(u32),
}

impl Formula {
    /// Reads a line of a certificate, over so many slots.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(kind: &str, rest: &str, slots: usize) -> Result<Self, String> {
        let ids = || rest.split(' ').map(|id| number(id, "a formula")).collect::<Result<Vec<u32>, _>>();
        Ok(match kind {
            "a" => Self::Atom(Atom::read(rest, slots)?),
            "&" => Self::All(ids()?),
            "|" => Self::Any(ids()?),
            _ => Self::Not(number(rest, "a formula")?),
        })
    }

    /// How much it takes to keep it: itself, and each of its terms or parts.
    pub(crate) fn size(&self) -> usize {
        1 + match self {
            Self::Atom(atom) => atom.terms.len(),
            Self::All(parts) | Self::Any(parts) => parts.len(),
            Self::Not(_) => 1,
        }
    }
}

/// Reads a slot, of so many.
///
/// # Errors
/// Where it is none.
pub(crate) fn read_slot(text: &str, slots: usize) -> Result<u32, String> {
    let slot: u32 = number(text, "a slot")?;
    if (slot as usize) < slots { Ok(slot) } else { Err(format!("there is no slot {slot}")) }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// All formulas of a certificate.
#[derive(Debug, Clone, Default)]
pub struct Formulas {
    formulas: Vec<Formula>,
    /// Parts of each when written out, and how deep they nest.
    sizes: Vec<(u64, u32)>,
}

/// Formulas that are larger when written out are refused.
const MOST_PARTS: u64 = 1 << 20;
/// Formulas that nest deeper are refused.
const MOST_NESTED: u32 = 64;

impl Formulas {
    /// Adds one.
    ///
    /// # Errors
    /// Where it mentions one that is not there, or is too large.
    pub fn push(&mut self, formula: Formula) -> Result<u32, String> {
        let parts: &[u32] = match &formula {
            Formula::Atom(_) => &[],
            Formula::All(parts) | Formula::Any(parts) => parts,
            Formula::Not(part) => std::slice::from_ref(part),
        };
        let (mut size, mut depth) = (1u64, 0u32);
        for part in parts {
            let (s, d) = *self.sizes.get(*part as usize).ok_or_else(|| format!("there is no formula {part} yet"))?;
            size = size.saturating_add(s);
            depth = depth.max(d + 1);
        }
        if size > MOST_PARTS || depth > MOST_NESTED {
            return Err(format!("a formula of more than {MOST_PARTS} parts, or nested deeper than {MOST_NESTED}"));
        }
        let id = u32::try_from(self.formulas.len()).map_err(|_| "too many formulas".to_owned())?;
        self.formulas.push(formula);
        self.sizes.push((size, depth));
        Ok(id)
    }

    /// Forgets all but the first so many.
    pub fn truncate(&mut self, count: usize) {
        self.formulas.truncate(count);
        self.sizes.truncate(count);
    }

    /// A formula.
    ///
    /// # Errors
    /// Where there is none of that number.
    pub fn get(&self, id: u32) -> Result<&Formula, String> {
        self.formulas.get(id as usize).ok_or_else(|| format!("there is no formula {id}"))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.formulas.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// The atom that a formula is, or the negation of the atom that it negates.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn atom(&self, id: u32) -> Result<Atom, String> {
        let neither = || format!("formula {id} is neither an inequality nor the negation of one");
        match self.get(id)? {
            Formula::Atom(atom) => Ok(atom.clone()),
            Formula::Not(part) => match &self.formulas[*part as usize] {
                Formula::Atom(atom) => atom.negated().ok_or_else(neither),
                _ => Err(neither()),
            },
            Formula::All(_) | Formula::Any(_) => Err(neither()),
        }
    }

    /// The truth of a formula for these values; the formula must be there.
    #[must_use]
    pub fn truth(&self, id: u32, values: &Values<'_>) -> Truth {
        match &self.formulas[id as usize] {
            Formula::Atom(atom) => atom.truth(values),
            Formula::All(parts) => self.joined(parts, values, false),
            Formula::Any(parts) => self.joined(parts, values, true),
            Formula::Not(part) => self.truth(*part, values).map(|truth| !truth),
        }
    }

    fn joined(&self, parts: &[u32], values: &Values<'_>, deciding: bool) -> Truth {
        let mut open = false;
        for part in parts {
            match self.truth(*part, values) {
                Some(truth) if truth == deciding => return Some(deciding),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!deciding) }
    }

    /// The truth of a formula at a point; the formula must be there.
    #[must_use]
    pub fn holds_at(&self, id: u32, point: &[i64]) -> bool {
        match &self.formulas[id as usize] {
            Formula::Atom(atom) => atom.holds_at(point),
            Formula::All(parts) => parts.iter().all(|part| self.holds_at(*part, point)),
            Formula::Any(parts) => parts.iter().any(|part| self.holds_at(*part, point)),
            Formula::Not(part) => !self.holds_at(*part, point),
        }
    }
}
