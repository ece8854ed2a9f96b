//! Refinement strategies by name, in our spelling and the papers'.

use std::str::FromStr;

use surefoot_cegar::{Order, PolicyRefinement, SplitPoint, Strategy, Variables};
use surefoot_text::option;

/// A strategy with a name, and what was changed about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    name: String,
    changes: Vec<String>,
    strategy: Strategy,
}

/// The name of the strategy that is used when nothing else is asked for.
const DEFAULT: &str = "explain";

impl Default for Preset {
    fn default() -> Self {
        Self { name: DEFAULT.to_owned(), changes: Vec::new(), strategy: Strategy::default() }
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = plain(text);
        let found = Strategy::by_name(&name).or_else(|| stand_alone(&name));
        let strategy = found.ok_or_else(|| {
            let names = Self::names().join(", ");
            format!("there is no preset '{text}': use one of {names}, or verix with {}", option("epsilon"))
        })?;
        Ok(Self { name, changes: Vec::new(), strategy })
    }
}

/// A name as we spell it: the papers write `BsVerix^w`, `Vea^{mid}`, `BsVerix^ϵ`.
fn plain(text: &str) -> String {
    let text = text.trim().to_lowercase().replace(['ϵ', 'ε'], "eps").replace(['^', '_', ' '], "-");
    text.chars().filter(|c| !matches!(c, '{' | '}' | '$' | '\\')).collect()
}

/// VeriX without the search for a share of the way: the whole way, unless another share is given.
fn stand_alone(name: &str) -> Option<Strategy> {
    let point = match name {
        "verix" | "verix-w" => SplitPoint::Witness,
        "verix-mid" => SplitPoint::Middle,
        "verix-eps" => SplitPoint::Epsilon,
        _ => return None,
    };
    let policy = PolicyRefinement::Split { variables: Variables::Verix { epsilon: 1.0 }, point, relaxed: false };
    Strategy::by_name("vea-w").map(|strategy| Strategy { policy, ..strategy })
}

impl Preset {
    /// All names that stand for themselves.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Strategy::named().into_iter().map(|(name, _)| name).collect()
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The name, with what was changed.
    #[must_use]
    pub fn describe(&self) -> String {
        let parts: Vec<&str> = std::iter::once(&self.name).chain(&self.changes).map(String::as_str).collect();
        parts.join(", ")
    }

    /// With another share of the way from witness to concretisation.
    ///
    /// # Errors
    /// Shares that are none, and strategies without one.
    pub fn with_epsilon(mut self, share: f64) -> Result<Self, String> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(format!("{} is a share above 0, at most 1", option("epsilon")));
        }
        let PolicyRefinement::Split { variables: Variables::Verix { epsilon }, .. } = &mut self.strategy.policy else {
            return Err(format!("{} is for the preset verix, not for {}", option("epsilon"), self.name));
        };
        *epsilon = share;
        self.changes.push(format!("epsilon {share}"));
        Ok(self)
    }

    /// With another order of expansion.
    #[must_use]
    pub fn with_order(mut self, order: Order) -> Self {
        self.strategy.order = order;
        let word = match order {
            Order::DeepestFirst => "deepest",
            Order::ShallowestFirst => "shallowest",
            Order::BreadthFirst => "breadth",
        };
        self.changes.push(format!("order {word}"));
        self
    }

    /// With variables over the reals when it is checked which ones matter to the policy.
    ///
    /// # Errors
    /// Strategies that do not check that.
    pub fn with_relaxed_check(mut self) -> Result<Self, String> {
        match &mut self.strategy.policy {
            PolicyRefinement::Split {
                variables: Variables::Verix { .. } | Variables::BinarySearch { .. },
                relaxed,
                ..
            } => *relaxed = true,
            _ => return Err(format!("{} is for presets with verix, not for {}", option("relaxed-check"), self.name)),
        }
        self.changes.push("relaxed check".to_owned());
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_spellings_are_understood() {
        let strategy = |text: &str| text.parse::<Preset>().map(|preset| preset.strategy());
        for (theirs, ours) in [
            ("Vea^w", "vea-w"),
            ("Vea^{mid}", "vea-mid"),
            ("BsVerix^w", "bsverix-w"),
            ("BSVERIX^MID", "bsverix-mid"),
            ("BsVerix^eps", "bsverix-eps"),
            ("BsVerix^ϵ", "bsverix-eps"),
            ("sens^mid", "sens-mid"),
            ("Rand", "rand"),
        ] {
            assert_eq!(strategy(theirs), strategy(ours), "{theirs}");
            assert!(strategy(ours).is_ok(), "{ours}");
        }
        assert_eq!(strategy(DEFAULT), Ok(Strategy::default()));
        let refused = strategy("vea").unwrap_err();
        assert!(Preset::names().iter().all(|name| refused.contains(name)), "{refused}");
    }

    #[test]
    fn changes_are_for_strategies_that_have_them() {
        let preset = |text: &str| text.parse::<Preset>().expect("a name");
        let half = preset("VeriX").with_epsilon(0.5).expect("verix has a share");
        assert_eq!(half.with_order(Order::BreadthFirst).describe(), "verix, epsilon 0.5, order breadth");
        assert!(preset("vea-w").with_epsilon(0.5).is_err());
        assert!(preset("verix").with_epsilon(0.0).is_err() && preset("verix").with_epsilon(f64::NAN).is_err());
        assert!(preset("bsverix-w").with_relaxed_check().is_ok() && preset("explain").with_relaxed_check().is_err());
    }
}
