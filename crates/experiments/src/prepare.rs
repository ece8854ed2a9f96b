//! Instances as files: models, properties, policies and predicates, written out by the program itself.

use std::path::{Path, PathBuf};

use surefoot_files::{Inputs, Kind, Origin};

use crate::bench::Bench;
use crate::error::Error;
use crate::process::ask;
use crate::set::Instance;

/// An instance that was written out.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Its name.
    pub name: String,
    /// Its folder, relative to that of the experiment.
    pub folder: PathBuf,
    /// What commands are given: model, properties, property, options.
    pub arguments: Vec<String>,
    /// The files of it.
    pub inputs: Vec<PathBuf>,
    /// Why it could not be written.
    pub broken: Option<String>,
}

impl Bench<'_> {
    /// Writes an instance of the set out.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn prepare(&self, instance: &Instance) -> Result<Prepared, Error> {
        let settings: Vec<String> = instance.settings.iter().cloned().chain(self.network(instance)).collect();
        let property = instance.property.iter().flat_map(|name| ["--property".to_owned(), name.clone()]);
        let more: Vec<String> = property.chain(instance.options.iter().cloned()).collect();
        self.generate(&instance.name, &instance.domain, &settings, &more)
    }

    /// The setting that names an instance's network.
    #[must_use]
    pub fn network(&self, instance: &Instance) -> Option<String> {
        instance.network.as_ref().map(|network| format!("networks={}", self.set.folder.join(network).display()))
    }

    /// Writes an instance of the zoo out.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn generate(&self, name: &str, domain: &str, settings: &[String], more: &[String]) -> Result<Prepared, Error> {
        let folder = Path::new("instances").join(name);
        std::fs::create_dir_all(self.options.out.join(&folder)).map_err(|error| Error::file(&folder, error))?;
        let line = [&["zoo", "generate", domain].map(str::to_owned), settings, &words(&["--out", &shown(&folder)])];
        let (inputs, broken) = match self.ask(&line.concat())? {
            Ok(result) => {
                let names = result["files"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
                (names.map(|name| folder.join(name)).collect(), None)
            }
            Err(why) => (Vec::new(), Some(why)),
        };
        let file = |name: &str| shown(&folder.join(name));
        let arguments = [&words(&[&file("model.jani"), "--properties", &file("properties.jani")]), more].concat();
        Ok(Prepared { name: name.to_owned(), folder, arguments, inputs, broken })
    }

    /// Adds predicates for variables to an instance, by halving their domains: their file, or why there is none.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn predicates(
        &self,
        of: &Prepared,
        count: usize,
        variables: &[&str],
    ) -> Result<Result<PathBuf, String>, Error> {
        if let Some(why) = &of.broken {
            return Ok(Err(why.clone()));
        }
        let file = of.folder.join(format!("predicates_{count}.json"));
        let mut line =
            [&words(&["zoo", "predicates"]), &of.arguments[..], &words(&["--count", &count.to_string()])].concat();
        if !variables.is_empty() {
            line.extend(words(&["--variables", &variables.join(",")]));
        }
        line.extend(words(&["--out", &shown(&file)]));
        Ok(self.ask(&line)?.map(|_| file))
    }

    /// The bytes of a network, if it can be read.
    #[must_use]
    pub fn bytes(&self, file: &Path) -> Option<Vec<u8>> {
        Inputs::default().read(file, Kind::Network, Origin::Reached).ok()
    }

    /// A command without limits: its result object, or why there is none.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn ask(&self, line: &[String]) -> Result<Result<serde_json::Value, String>, Error> {
        self.limits.check().map_err(|_| Error::Interrupted)?;
        ask(&self.program, &self.options.out, line, &self.limits)
    }
}

/// Words as arguments.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
