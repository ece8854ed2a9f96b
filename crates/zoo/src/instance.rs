//! A generated instance: texts of a model, of properties, of a drawing and of a policy.
//!
//! All texts carry a mark, and a policy's the names of the networks that were made for it. An instance replaces and removes what
//! carries the mark, or is named there, and nothing else that is in its folder.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path};

use serde_json::{Value, json};
use surefoot_files::{Draft, Inputs, Kind, Origin};
use surefoot_jani::{read_model_text, write_model};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

use crate::layout::laid_out;
use crate::policy::FILE;

/// How the states are drawn; pages find it beside the model.
const DRAWING: &str = "drawing.json";

/// The member of all texts that says who made them, as JANI has it, and its value.
const MARK: &str = "metadata";
const AUTHOR: &str = "surefoot zoo";

/// How the names of networks end.
const NETWORKS: [&str; 3] = ["nnet", "onnx", "safetensors"];

/// A network that belongs to a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkFile {
    /// Its name, relative to the instance's folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it was made for the policy; or else a user gave it.
    pub made: bool,
}

/// What a domain generates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// `model.jani`.
    pub model: String,
    /// `properties.jani`.
    pub properties: String,
    /// `drawing.json`, where states have a picture.
    pub drawing: Option<String>,
    /// `policy.policy.json`, where there is a policy.
    pub policy: Option<String>,
    /// The policy's networks.
    pub networks: Vec<NetworkFile>,
}

impl Instance {
    /// An instance from JSON: the model is read and written by the JANI crate, so it is one.
    ///
    /// # Panics
    /// When the model is no JANI: that is an error of the domain, not of its user.
    #[must_use]
    pub fn new(model: &Value, properties: &[Value]) -> Self {
        let mut sources = SourceMap::default();
        let text = model.to_string();
        let (model, _) = read_model_text(&mut sources, Path::new("model.jani"), &text).unwrap_or_else(|errors| {
            let shown: Vec<String> = errors.iter().map(|error| render(error, &sources)).collect();
            panic!("a generated model is not valid JANI:\n{}", shown.join("\n"))
        });
        let mark = json!({"author": AUTHOR});
        let model = write_model(&model).replacen("{\n", &format!("{{\n  \"{MARK}\": {mark},\n"), 1);
        let properties = serde_json::to_string_pretty(&json!({MARK: mark, "properties": properties}));
        let mut properties = properties.expect("JSON values can be written");
        properties.push('\n');
        Self { model, properties, drawing: None, policy: None, networks: Vec::new() }
    }

    /// The same with pictures of states.
    #[must_use]
    pub fn with_drawing(mut self, drawing: &Value) -> Self {
        let mut drawing = drawing.clone();
        drawing[MARK] = json!({"author": AUTHOR});
        self.drawing = Some(laid_out(&drawing));
        self
    }

    /// The same with a policy.
    #[must_use]
    pub fn with_policy(mut self, policy: &Value, networks: Vec<NetworkFile>) -> Self {
        let made: Vec<&str> = networks.iter().filter(|network| network.made).map(|network| &*network.name).collect();
        let mut policy = policy.clone();
        policy[MARK] = json!({"author": AUTHOR, "networks": made});
        let mut text = serde_json::to_string_pretty(&policy).expect("JSON values can be written");
        text.push('\n');
        self.policy = Some(text);
        self.networks = networks;
        self
    }

    /// The names of all files, in the order in which they are written.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.contents().map(|(name, _)| name.to_owned()).collect()
    }

    fn contents(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let texts = [
            Some(("model.jani", self.model.as_bytes())),
            Some(("properties.jani", self.properties.as_bytes())),
            self.drawing.as_ref().map(|drawing| (DRAWING, drawing.as_bytes())),
            self.policy.as_ref().map(|policy| (FILE, policy.as_bytes())),
        ];
        texts.into_iter().flatten().chain(self.networks.iter().map(|n| (&*n.name, &*n.bytes)))
    }

    /// What an earlier instance left in a folder and this one does not write: its drawing, its policy file and the networks that were
    /// made for it.
    #[must_use]
    pub fn stale(&self, folder: &Path) -> Vec<String> {
        let drawing = marked(&folder.join(DRAWING)).filter(|_| self.drawing.is_none()).map(|_| DRAWING.to_owned());
        drawing.into_iter().chain(self.stale_policy(folder)).collect()
    }

    fn stale_policy(&self, folder: &Path) -> Vec<String> {
        let Some(policy) = marked(&folder.join(FILE)) else { return Vec::new() };
        let made = policy[MARK]["networks"].as_array().map(Vec::as_slice).unwrap_or_default();
        let made: BTreeSet<&str> =
            made.iter().filter_map(Value::as_str).filter(|name| is_plain_network(name)).collect();
        let named = named_networks(&policy);
        let made = made.into_iter().filter(|name| named.contains(*name)).map(str::to_owned);
        let written = self.files();
        let mut names: Vec<String> = std::iter::once(FILE.to_owned()).chain(made).collect();
        names.retain(|name| !written.contains(name) && folder.join(name).is_file());
        names
    }

    /// What stands in a folder where this instance would write, and is of no earlier instance.
    #[must_use]
    pub fn foreign(&self, folder: &Path) -> Vec<String> {
        let named = marked(&folder.join(FILE)).map(|policy| named_networks(&policy)).unwrap_or_default();
        let is_network = |name: &str| self.networks.iter().any(|network| network.name == name);
        let is_ours = |name: &str| match is_network(name) {
            true => named.contains(name) && folder.join(name).is_file(),
            false => marked(&folder.join(name)).is_some(),
        };
        let mut names = self.changes(folder);
        // A link that leads nowhere is something, too.
        names.retain(|name| folder.join(name).symlink_metadata().is_ok() && !is_ours(name));
        names
    }

    /// The files of a folder that are not there yet, or have another content.
    #[must_use]
    pub fn changes(&self, folder: &Path) -> Vec<String> {
        let differs = |(name, bytes): &(&str, &[u8])| {
            content(&folder.join(name), Kind::Network).is_none_or(|there| there != *bytes)
        };
        self.contents().filter(differs).map(|(name, _)| name.to_owned()).collect()
    }

    /// Writes all files into a folder, which is made if it does not exist, and removes those that are [stale](Self::stale). Each file
    /// is complete before any takes its place. Returns the names of what was written.
    ///
    /// # Errors
    /// When something [foreign](Self::foreign) is in the way; when a file cannot be written or removed.
    pub fn write(&self, folder: &Path) -> std::io::Result<Vec<String>> {
        if let Some(name) = self.foreign(folder).first() {
            let reason = format!("{name} is there already, and was not generated");
            return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, reason));
        }
        let (stale, changes) = (self.stale(folder), self.changes(folder));
        std::fs::create_dir_all(folder)?;
        let mut drafts = Vec::new();
        // What is there already is not touched: it may be a network that was given from there.
        for (name, bytes) in self.contents().filter(|(name, _)| changes.iter().any(|change| change == name)) {
            let draft = Draft::new(&folder.join(name))?;
            draft.file().write_all(bytes)?;
            drafts.push(draft);
        }
        drafts.into_iter().try_for_each(Draft::publish)?;
        for name in stale {
            std::fs::remove_file(folder.join(name))?;
        }
        Ok(self.files())
    }
}

/// What is in a file, where it is one that can be read.
fn content(path: &Path, kind: Kind) -> Option<Vec<u8>> {
    Inputs::default().read(path, kind, Origin::Reached).ok()
}

/// A text that an earlier instance wrote.
fn marked(path: &Path) -> Option<Value> {
    let text: Value = serde_json::from_slice(&content(path, Kind::Model)?).ok()?;
    (text[MARK]["author"] == AUTHOR).then_some(text)
}

/// The networks that a policy file names, as far as they are beside it and called like networks.
fn named_networks(policy: &Value) -> BTreeSet<String> {
    let several = policy["networks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let entries = std::iter::once(&policy["network"]).chain(several);
    let names = entries.filter_map(|entry| entry.as_str().or_else(|| entry["file"].as_str()));
    names.filter(|name| is_plain_network(name)).map(str::to_owned).collect()
}

fn is_plain_network(name: &str) -> bool {
    let path = Path::new(name);
    let mut parts = path.components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name);
    plain && path.extension().is_some_and(|extension| NETWORKS.iter().any(|known| extension == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(networks: &[&str]) -> Instance {
        let model = json!({"jani-version": 1, "name": "m", "type": "lts", "variables": [], "automata": [
            {"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []}],
            "system": {"elements": [{"automaton": "a"}]}});
        let instance = Instance::new(&model, &[]);
        if networks.is_empty() {
            return instance;
        }
        let entries: Vec<Value> = networks.iter().map(|name| json!({"file": name})).collect();
        let files = networks.iter().map(|name| NetworkFile { name: (*name).to_owned(), bytes: Vec::new(), made: true });
        instance.with_policy(&json!({"networks": entries}), files.collect())
    }

    #[test]
    fn drawings_are_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let drawn = instance(&[]).with_drawing(&json!({"drawing": 1, "size": [1, 1], "shapes": []}));
        assert_eq!(drawn.files(), ["model.jani", "properties.jani", DRAWING]);
        drawn.write(folder).unwrap();
        drawn.write(folder).unwrap();
        assert_eq!(instance(&[]).stale(folder), [DRAWING]);
        instance(&[]).write(folder).unwrap();
        assert_eq!(names(folder), ["model.jani", "properties.jani"]);
        // One that a user wrote stays.
        std::fs::write(folder.join(DRAWING), "{}").unwrap();
        assert_eq!(drawn.foreign(folder), [DRAWING]);
        instance(&[]).write(folder).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join(DRAWING)).unwrap(), "{}");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_an_earlier_policy_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("mine.nnet"), "").unwrap();
        instance(&["a.nnet", "b.onnx"]).write(folder).unwrap();
        let next = instance(&["b.onnx", "c.nnet"]);
        assert_eq!(next.stale(folder), ["a.nnet"]);
        next.write(folder).unwrap();
        assert_eq!(names(folder), ["b.onnx", "c.nnet", "mine.nnet", "model.jani", FILE, "properties.jani"]);
        let last = instance(&[]);
        assert_eq!(last.stale(folder), [FILE, "b.onnx", "c.nnet"]);
        last.write(folder).unwrap();
        assert_eq!(names(folder), ["mine.nnet", "model.jani", "properties.jani"]);
        assert!(last.stale(folder).is_empty());
    }

    #[test]
    fn nothing_outside_the_folder_and_no_other_file_is_removed() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("in");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        let outside = outer.path().join("out.nnet");
        let kept = [outside.clone(), folder.join("sub/s.nnet"), folder.join("notes.txt"), folder.join("mine.nnet")];
        kept.iter().for_each(|file| std::fs::write(file, "").unwrap());
        let files =
            ["../out.nnet", "sub/s.nnet", "./sub/s.nnet", "notes.txt", "sub", "..", "", &outside.to_string_lossy()];
        let mark = json!({"author": AUTHOR, "networks": files});
        let entries: Vec<Value> = files.iter().map(|file| json!({"file": file})).collect();
        let texts = [
            json!({"networks": entries, MARK: mark}),
            json!({"network": "../out.nnet", MARK: mark}),
            // A network that the policy names and that was given; one that it does not name.
            json!({"network": "mine.nnet", MARK: mark}),
            json!({"network": "a.nnet", MARK: {"author": AUTHOR, "networks": ["mine.nnet"]}}),
        ];
        for text in texts {
            std::fs::write(folder.join(FILE), text.to_string()).unwrap();
            assert_eq!(instance(&[]).stale(&folder), [FILE]);
            instance(&[]).write(&folder).unwrap();
            assert!(kept.iter().all(|file| file.is_file()));
        }
    }

    #[test]
    fn what_was_not_generated_is_neither_removed_nor_replaced() {
        let policy = json!({"network": "mine.nnet"}).to_string();
        for (name, text) in [("model.jani", "{}"), ("properties.jani", "mine"), (FILE, &*policy), ("a.nnet", "mine")] {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            std::fs::write(folder.join("mine.nnet"), "").unwrap();
            std::fs::write(folder.join(name), text).unwrap();
            let new = instance(&["a.nnet"]);
            assert!(new.stale(folder).is_empty());
            assert_eq!(new.foreign(folder), [name]);
            assert!(new.write(folder).is_err());
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), text);
            assert_eq!(names(folder).len(), 2, "{name}");
        }
        // What is not written is no matter.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &policy).unwrap();
        instance(&[]).write(folder.path()).unwrap();
        instance(&[]).write(folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), policy);
    }
}
