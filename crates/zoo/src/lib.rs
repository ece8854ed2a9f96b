//! The zoo: benchmark domains as generators.
//!
//! A [`Domain`] turns parameters into an [`Instance`]: a JANI model, properties, and a policy where one is given or shipped.
//! Domains are those of the papers on policy predicate abstraction and neural agents, in every size from a handful of
//! states to far beyond what can be enumerated.
//!
//! * [`parameter`]: what a domain can be told, and errors that say what is possible;
//! * [`text`]: JANI expressions and declarations as JSON;
//! * [`instance`]: what is generated, and how it is written to a folder;
//! * [`layout`]: JSON for people;
//! * [`distil`]: policies from a domain's own solution, where it has one;
//! * [`policy`]: random, scripted and given networks, for every domain;
//! * [`predicates`]: predicate sets of any size for any model;
//! * [`domains`]: the domains.

pub mod distil;
pub mod domains;
pub mod instance;
pub mod layout;
pub mod parameter;
pub mod policy;
pub mod predicates;
pub mod text;

pub use instance::{Instance, NetworkFile};
pub use parameter::{Kind, Parameter, ParameterError, Values};

/// A benchmark domain.
pub trait Domain: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it is about, in one line.
    fn summary(&self) -> &'static str;

    /// What it can be told.
    fn parameters(&self) -> Vec<Parameter>;

    /// How its decision problem is solved and the solution made into networks, where it is.
    fn distilling(&self) -> Option<&'static dyn distil::Distilling> {
        None
    }

    /// The model, the properties and the policy for given parameters.
    ///
    /// # Errors
    /// When parameters do not fit together, or a file they name cannot be read.
    fn generate(&self, values: &Values) -> Result<Instance, ParameterError>;
}

/// All domains, in the order in which they are listed.
#[must_use]
pub fn all() -> Vec<&'static dyn Domain> {
    domains::all()
}

/// The domain of a name.
///
/// # Errors
/// When there is none; the error has all names.
pub fn find(name: &str) -> Result<&'static dyn Domain, ParameterError> {
    let domains = all();
    let found = domains.iter().find(|domain| domain.name() == name);
    found.copied().ok_or_else(|| ParameterError::domain(name, domains.iter().map(|domain| domain.name())))
}

/// Generates an instance from `key=value` texts.
///
/// # Errors
/// When there is no such domain, or a parameter is unknown, out of range or does not fit.
pub fn generate(domain: &str, settings: &[String]) -> Result<Instance, ParameterError> {
    let found = find(domain)?;
    let values = Values::parse(found.name(), &found.parameters(), settings)?;
    found.generate(&values)
}
