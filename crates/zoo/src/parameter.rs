//! Parameters of domains: named, typed, with defaults, given as `key=value`.

use std::collections::BTreeMap;

use surefoot_text::suggest;

/// What a parameter may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in a range.
    Integer {
        /// Smallest value.
        least: i64,
        /// Largest value.
        most: i64,
    },
    /// One of several words.
    Choice(Vec<&'static str>),
    /// The path of a file or a folder; empty means none.
    Path,
    /// Words that the domain reads itself: a list of numbers, a name or a path.
    Text {
        /// What they look like.
        form: &'static str,
    },
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Its value when none is given.
    pub default: &'static str,
    /// What it means.
    pub about: &'static str,
}

impl Parameter {
    /// A whole number.
    #[must_use]
    pub fn integer(name: &'static str, least: i64, most: i64, default: &'static str, about: &'static str) -> Self {
        Self { name, kind: Kind::Integer { least, most }, default, about }
    }

    /// One of several words, the first being the default.
    #[must_use]
    pub fn choice(name: &'static str, words: &[&'static str], about: &'static str) -> Self {
        Self { name, kind: Kind::Choice(words.to_vec()), default: words[0], about }
    }

    /// A path, none by default.
    #[must_use]
    pub fn path(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: Kind::Path, default: "", about }
    }

    /// A text of some form that the domain reads itself.
    #[must_use]
    pub fn text(name: &'static str, form: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { name, kind: Kind::Text { form }, default, about }
    }

    /// What it may be, in words.
    #[must_use]
    pub fn possible(&self) -> String {
        match &self.kind {
            Kind::Integer { least, most } => format!("{least}..{most}"),
            Kind::Choice(words) => words.join(" | "),
            Kind::Path => "a path".to_owned(),
            Kind::Text { form } => (*form).to_owned(),
        }
    }
}

/// Why an instance cannot be generated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParameterError {
    message: String,
}

impl ParameterError {
    /// An error in words that name the parameter, what was expected and what to do.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// There is no such domain.
    pub(crate) fn domain(given: &str, known: impl Iterator<Item = &'static str> + Clone) -> Self {
        let hint = suggest(given, known.clone()).map(|name| format!(" (did you mean '{name}'?)")).unwrap_or_default();
        let known: Vec<&str> = known.collect();
        Self::new(format!("there is no domain '{given}'{hint}; domains are: {}", known.join(", ")))
    }
}

/// The values of all parameters of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    domain: &'static str,
    texts: BTreeMap<&'static str, String>,
}

impl Values {
    /// Reads `key=value` texts; what is not given has its default.
    ///
    /// # Errors
    /// On a text without `=`, an unknown or repeated name, and a value that is not possible.
    pub fn parse(domain: &'static str, parameters: &[Parameter], settings: &[String]) -> Result<Self, ParameterError> {
        let mut texts: BTreeMap<&'static str, String> = BTreeMap::new();
        for setting in settings {
            let Some((name, value)) = setting.split_once('=') else {
                return Err(ParameterError::new(format!(
                    "'{setting}' is not of the form key=value; {}",
                    possible(domain, parameters)
                )));
            };
            let Some(parameter) = parameters.iter().find(|p| p.name == name) else {
                let names = parameters.iter().map(|p| p.name);
                let hint = suggest(name, names).map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
                return Err(ParameterError::new(format!(
                    "'{domain}' has no parameter '{name}'{hint}; {}",
                    possible(domain, parameters)
                )));
            };
            check(domain, parameter, value)?;
            if texts.insert(parameter.name, value.to_owned()).is_some() {
                return Err(ParameterError::new(format!("parameter '{name}' is given twice")));
            }
        }
        for parameter in parameters {
            texts.entry(parameter.name).or_insert_with(|| parameter.default.to_owned());
        }
        Ok(Self { domain, texts })
    }

    /// The domain's name.
    #[must_use]
    pub fn domain(&self) -> &'static str {
        self.domain
    }

    /// A value as it was given.
    ///
    /// # Panics
    /// When the domain has no such parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).expect("domains ask for their own parameters")
    }

    /// A whole number.
    ///
    /// # Panics
    /// When the domain has no such parameter, or it is no number.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        self.text(name).parse().expect("checked when it was read")
    }

    /// A whole number that is not negative.
    ///
    /// # Panics
    /// When the domain has no such parameter, or it is no such number.
    #[must_use]
    pub fn size(&self, name: &str) -> usize {
        self.text(name).parse().expect("checked when it was read")
    }
}

fn check(domain: &str, parameter: &Parameter, value: &str) -> Result<(), ParameterError> {
    let fits = match &parameter.kind {
        Kind::Integer { least, most } => value.parse::<i64>().is_ok_and(|v| (*least..=*most).contains(&v)),
        Kind::Choice(words) => words.contains(&value),
        Kind::Path | Kind::Text { .. } => true,
    };
    if fits {
        return Ok(());
    }
    Err(ParameterError::new(format!(
        "{}={value} is not possible for '{domain}': expected {} ({})",
        parameter.name,
        parameter.possible(),
        parameter.about
    )))
}

fn possible(domain: &str, parameters: &[Parameter]) -> String {
    let all: Vec<String> = parameters.iter().map(|p| format!("{}={}", p.name, p.possible())).collect();
    format!("parameters of '{domain}' are: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(settings: &[&str]) -> Result<Values, ParameterError> {
        let parameters = [
            Parameter::integer("blocks", 2, 12, "4", "number of blocks"),
            Parameter::choice("drop", &["off", "on"], "whether blocks may drop"),
        ];
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        Values::parse("blocksworld", &parameters, &settings)
    }

    #[test]
    fn defaults_fill_what_is_not_given() {
        let values = parse(&["drop=on"]).unwrap();
        assert_eq!((values.integer("blocks"), values.text("drop")), (4, "on"));
    }

    #[test]
    fn errors_list_what_is_possible() {
        let error = |settings: &[&str]| parse(settings).unwrap_err().to_string();
        assert!(error(&["block=3"]).contains("did you mean 'blocks'?"));
        assert!(error(&["size=3"]).contains("blocks=2..12, drop=off | on"));
        assert!(error(&["blocks=1"]).contains("expected 2..12 (number of blocks)"));
        assert!(error(&["drop=maybe"]).contains("expected off | on"));
        assert!(error(&["blocks"]).contains("key=value"));
        assert!(error(&["blocks=3", "blocks=4"]).contains("twice"));
    }
}
