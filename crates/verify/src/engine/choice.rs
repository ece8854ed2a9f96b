//! Engines by name.

use std::fmt::{Debug, Formatter};
use std::ops::Deref;
use std::str::FromStr;

use super::{ENGINES, Engine, Role, Setting};
use crate::auto::Auto;
use crate::bmc::Bmc;
use crate::cegar::Cegar;
use crate::explicit::Explicit;
use crate::partial::Partial;

/// An engine that was chosen; two are the same if their names are.
#[derive(Clone, Copy)]
pub struct EngineChoice(&'static dyn Engine);

impl EngineChoice {
    /// Several of them in turn, with growing budgets: the first that decides.
    pub const AUTO: Self = Self(&Auto);
    /// Every reachable state, one by one.
    pub const EXPLICIT: Self = Self(&Explicit);
    /// Predicate abstraction under the policy, refined until it decides.
    pub const CEGAR: Self = Self(&Cegar);
    /// All paths under the policy, shortest first.
    pub const BMC: Self = Self(&Bmc);
    /// The likely part of the reachable states first: bounds on probabilities only.
    pub const PARTIAL: Self = Self(&Partial);

    /// All that can be chosen.
    pub fn all() -> impl Iterator<Item = Self> {
        ENGINES.iter().filter(|engine| engine.role() != Role::Helper).map(|engine| Self(*engine))
    }

    /// The names of those to which options of a kind mean something.
    #[must_use]
    pub fn taking(setting: Setting) -> String {
        let names: Vec<&str> = Self::all().filter(|engine| engine.takes(setting)).map(|engine| engine.name()).collect();
        names.join(" or ")
    }
}

impl Deref for EngineChoice {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl Default for EngineChoice {
    fn default() -> Self {
        Self::AUTO
    }
}

impl PartialEq for EngineChoice {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for EngineChoice {}

impl Debug for EngineChoice {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(engine) = Self::all().find(|engine| engine.name() == text) {
            return Ok(engine);
        }
        let named = |engine: Self| match engine.decides() {
            true => engine.name().to_owned(),
            false => format!("{} (bounds only)", engine.name()),
        };
        let mut names: Vec<String> = Self::all().map(named).collect();
        let last = names.pop().unwrap_or_default();
        Err(format!("there is no engine '{text}': use {}, or {last}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn engines_have_names_of_their_own() {
        let names: BTreeSet<&str> = ENGINES.iter().map(|engine| engine.name()).collect();
        assert_eq!(names.len(), ENGINES.len());
        for engine in EngineChoice::all() {
            assert_eq!(engine.name().parse(), Ok(engine));
        }
        let known =
            [EngineChoice::AUTO, EngineChoice::EXPLICIT, EngineChoice::CEGAR, EngineChoice::BMC, EngineChoice::PARTIAL];
        assert!(EngineChoice::all().eq(known), "what can be chosen");
    }

    #[test]
    fn others_are_told_what_there_is() {
        let message = "there is no engine 'runs': use auto, explicit, cegar, bmc, or partial (bounds only)";
        assert_eq!("runs".parse::<EngineChoice>(), Err(message.to_owned()));
        assert_eq!(EngineChoice::taking(Setting::Depth), "bmc");
        assert_eq!(EngineChoice::taking(Setting::Refinement), "cegar");
    }
}
