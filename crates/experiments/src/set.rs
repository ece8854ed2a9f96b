//! The benchmark set: instances of the zoo with the policies that were trained for them.
//!
//! `index.json` lists them: what `zoo generate` is told, the network, how it was trained, what random runs said of it, and verdicts where they are known. Paths are relative to
//! the index. Experiments select by fields; names only tell instances apart.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use surefoot_files::{Inputs, Kind as FileKind, Origin};

use crate::error::Error;

/// The version of the format that is read.
const FORMAT: u32 = 1;

/// A benchmark set.
#[derive(Debug, Clone)]
pub struct Set {
    /// Where its paths begin.
    pub folder: PathBuf,
    /// Its instances, in the order of the file.
    pub instances: Vec<Instance>,
}

#[derive(Debug, Deserialize)]
struct Index {
    format: u32,
    instances: Vec<Instance>,
}

/// An instance: a model, a question and a policy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Where its policy comes from: `trained`, `imitation`.
    #[serde(default)]
    pub set: String,
    /// The domain.
    pub domain: String,
    /// How large it is, in words.
    #[serde(default)]
    pub size: String,
    /// What `zoo generate` is told, but for the network.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Neurons of a hidden layer.
    #[serde(default)]
    pub width: Option<u32>,
    /// Whether the policy reads costs, where there are any.
    #[serde(default)]
    pub costs: Option<Costs>,
    /// Whether the policy chooses among applicable labels only.
    #[serde(default)]
    pub filter: bool,
    /// Whether it is about a probability.
    #[serde(default)]
    pub probabilistic: bool,
    /// The property.
    #[serde(default)]
    pub property: Option<String>,
    /// Further arguments of `verify` and `bounds`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The network's file; policies of the domain itself have none.
    #[serde(default)]
    pub network: Option<String>,
    /// The arguments of `zoo train` that made it.
    #[serde(default)]
    pub training: Option<Vec<String>>,
    /// What random runs said.
    #[serde(default)]
    pub rates: Option<Rates>,
    /// The verdict, where it is known.
    #[serde(default)]
    pub verdict: Option<String>,
    /// The probability, where it is known.
    #[serde(default)]
    pub value: Option<[f64; 2]>,
}

/// Whether a policy reads costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Costs {
    /// It does.
    Aware,
    /// It does not.
    Ignoring,
}

/// Shares of random runs.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Rates {
    /// Those that reach the goal.
    #[serde(default)]
    pub goal: Option<f64>,
    /// Those that reach an unsafe state.
    #[serde(default, rename = "unsafe")]
    pub unsafe_: Option<f64>,
    /// Those that stop elsewhere.
    #[serde(default)]
    pub stopped: Option<f64>,
}

/// What the papers' tables call a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Blocksworld with so many blocks.
    Blocks(u32),
    /// The 8-puzzle.
    Puzzle,
    /// Transport.
    Transport,
}

impl Set {
    /// Reads a set.
    ///
    /// # Errors
    /// If there is none, or it is no set.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::Set { file: file.to_owned(), what };
        let bytes = Inputs::default().read(file, FileKind::Benchmarks, Origin::Reached);
        let bytes = bytes.map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        let index: Index = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if index.format != FORMAT {
            return Err(wrong(format!("its format is {}, but {FORMAT} is what can be read", index.format)));
        }
        let mut names = BTreeSet::new();
        for instance in &index.instances {
            let name = &instance.name;
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
            if name.is_empty() || !name.chars().all(plain) {
                return Err(wrong(format!("{name:?} is no name: letters, digits, _, - and + make one")));
            }
            if let Some(word) = instance.verdict.as_deref().filter(|word| !["holds", "violated"].contains(word)) {
                return Err(wrong(format!("the verdict of {name} is {word:?}, and not holds or violated")));
            }
            if let Some([lower, upper]) =
                instance.value.filter(|[lower, upper]| !(0.0 <= *lower && lower <= upper && *upper <= 1.0))
            {
                return Err(wrong(format!(
                    "the value of {name} is [{lower}, {upper}], which is no interval of probabilities"
                )));
            }
            if !names.insert(name) {
                return Err(wrong(format!("there are two instances {name:?}")));
            }
        }
        // A bare name has an empty parent, which is no folder.
        let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        Ok(Self { folder, instances: index.instances })
    }
}

impl Instance {
    /// The value of a setting, if it is set.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().rev().filter_map(|setting| setting.split_once('=')).find(|(n, _)| *n == name).map(|s| s.1)
    }

    /// What the papers' tables call it, if they do.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        let number = |name: &str, default: u32| match self.setting(name) {
            None => Some(default),
            Some(text) => text.parse::<u32>().ok(),
        };
        match &*self.domain {
            "blocksworld" => number("blocks", 4).map(Kind::Blocks),
            "tiles" => (number("rows", 3)? == 3 && number("columns", 3)? == 3).then_some(Kind::Puzzle),
            "transport" => Some(Kind::Transport),
            _ => None,
        }
    }

    /// Its domain and size, whether costs are read, whether choices are filtered; as tables show it.
    #[must_use]
    pub fn label(&self) -> String {
        let what = self.kind().map_or_else(|| format!("{} {}", self.domain, self.size), |kind| kind.to_string());
        let costs = match self.costs {
            Some(Costs::Aware) => " (CA)",
            Some(Costs::Ignoring) => " (CI)",
            None => "",
        };
        format!("{}{costs}", what.trim_end())
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Blocks(blocks) => write!(f, "{blocks} Blocks"),
            Self::Puzzle => f.write_str("8 Puzzle"),
            Self::Transport => f.write_str("Transport"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Set, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.json");
        std::fs::write(&file, text).unwrap();
        Set::read(&file).map_err(|error| error.to_string())
    }

    #[test]
    fn instances_are_known_by_their_settings() {
        let set = read(
            r#"{"format": 1, "instances": [
                {"name": "a", "set": "trained", "domain": "blocksworld", "size": "6 blocks", "settings": ["blocks=6"], "width": 16,
                 "costs": "ignoring", "filter": false, "probabilistic": false, "property": "unsafe", "options": [],
                 "network": "policies/a.onnx", "training": null, "rates": {"goal": 1, "unsafe": 0.0, "stopped": 0}, "verdict": null,
                 "value": [0, 0.5]},
                {"name": "b", "domain": "tiles", "settings": ["rows=2"]}, {"name": "c", "domain": "blocksworld"}]}"#,
        )
        .unwrap();
        let [a, b, c] = &set.instances[..] else { panic!("three") };
        assert_eq!((a.kind(), a.label().as_str()), (Some(Kind::Blocks(6)), "6 Blocks (CI)"));
        assert_eq!((b.kind(), b.label().as_str()), (None, "tiles"));
        assert_eq!(c.kind(), Some(Kind::Blocks(4)));
        assert_eq!((a.value, a.rates.and_then(|rates| rates.unsafe_)), (Some([0.0, 0.5]), Some(0.0)));
    }

    #[test]
    fn what_is_no_set_is_refused_with_its_file() {
        for (text, what) in [
            ("", "EOF while parsing"),
            (r#"{"format": 2, "instances": []}"#, "its format is 2"),
            (r#"{"format": 1, "instances": [{"name": "../a", "domain": "x"}]}"#, "\"../a\" is no name"),
            (r#"{"format": 1, "instances": [{"name": "", "domain": "x"}]}"#, "\"\" is no name"),
            (
                r#"{"format": 1, "instances": [{"name": "a", "domain": "x"}, {"name": "a", "domain": "x"}]}"#,
                "two instances \"a\"",
            ),
            (r#"{"format": 1, "instances": [{"name": "a"}]}"#, "missing field `domain`"),
            (
                r#"{"format": 1, "instances": [{"name": "a", "domain": "x", "verdict": "hold"}]}"#,
                "is \"hold\", and not",
            ),
            (r#"{"format": 1, "instances": [{"name": "a", "domain": "x", "value": [1, 0]}]}"#, "no interval"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(what) && message.contains("index.json"), "{message}");
        }
    }
}
