//! A generated instance: texts of a model, of properties and of a policy.

use std::path::Path;

use serde_json::{Value, json};
use surefoot_jani::source::SourceMap;
use surefoot_jani::{read_model_text, render, write_model};

/// A network that belongs to a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkFile {
    /// Its name, relative to the instance's folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What a domain generates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// `model.jani`.
    pub model: String,
    /// `properties.jani`.
    pub properties: String,
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
        let properties = serde_json::to_string_pretty(&json!({"properties": properties}));
        let mut properties = properties.expect("JSON values can be written");
        properties.push('\n');
        Self { model: write_model(&model), properties, policy: None, networks: Vec::new() }
    }

    /// The same with a policy.
    #[must_use]
    pub fn with_policy(mut self, policy: &Value, networks: Vec<NetworkFile>) -> Self {
        let mut text = serde_json::to_string_pretty(policy).expect("JSON values can be written");
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
            self.policy.as_ref().map(|policy| ("policy.policy.json", policy.as_bytes())),
        ];
        texts.into_iter().flatten().chain(self.networks.iter().map(|n| (&*n.name, &*n.bytes)))
    }

    /// Writes all files into a folder, which is made if it does not exist. Returns their names.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> std::io::Result<Vec<String>> {
        std::fs::create_dir_all(folder)?;
        for (name, bytes) in self.contents() {
            std::fs::write(folder.join(name), bytes)?;
        }
        Ok(self.files())
    }
}
