//! The pilot and the aircraft in floating point: the dynamics of the model, for those who try out very many states.
//!
//! What an advisory allows is told by the same table and the same rules as the edges of the model; tests step both.

use super::{ADVISORIES, Rate, Rule, Units};

/// Feet per second squared.
const G: f64 = 32.2;

/// When the pilot keeps the rate, and in which unit advisories are meant.
#[derive(Debug, Clone, Copy)]
pub struct Pilot {
    rule: Rule,
    per_minute: bool,
}

impl Pilot {
    /// By the words that the domain's parameters `rule` and `units` take.
    #[must_use]
    pub fn new(rule: &str, units: &str) -> Self {
        Self { rule: Rule::named(rule), per_minute: Units::named(units) != Units::Paper }
    }

    /// Shows every `h` and `v` that may be there one second after an advisory.
    pub fn outcomes(&self, last: usize, advisory: usize, [h, v]: [f64; 2], mut show: impl FnMut([f64; 2])) {
        let mut accelerate = |units: i64| {
            #[expect(clippy::cast_precision_loss, reason = "at most 8")]
            let a = units as f64 * G / 24.0;
            show([h - v - a / 2.0, v + a]);
        };
        let complies = self.complies(advisory, v);
        let (keeps, accelerates) = match self.rule {
            Rule::Paper => (complies, !complies),
            Rule::Simulation => (complies && last == advisory, !(complies && last == advisory)),
            Rule::Relaxed => (complies && last == advisory, true),
            Rule::Never => (false, true),
        };
        if keeps {
            accelerate(0);
        }
        if accelerates {
            ADVISORIES[advisory].accelerations.iter().for_each(|units| accelerate(*units));
        }
    }

    fn complies(&self, advisory: usize, v: f64) -> bool {
        let v = if self.per_minute { 60.0 * v } else { v };
        #[expect(clippy::cast_precision_loss, reason = "at most 2500")]
        match ADVISORIES[advisory].rate {
            Rate::Any => false,
            Rate::AtMost(limit) => v <= limit as f64,
            Rate::AtLeast(limit) => v >= limit as f64,
        }
    }
}
