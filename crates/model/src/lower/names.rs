//! What names stand for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::term::TermId;

/// What an expression stands for: a scalar term, or an array of such, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar(TermId),
    /// An array; its items have the same shape.
    Array(Vec<Value>),
}

impl Value {
    /// The scalars, row by row.
    #[must_use]
    pub fn scalars(&self) -> Vec<TermId> {
        match self {
            Self::Scalar(term) => vec![*term],
            Self::Array(items) => items.iter().flat_map(Self::scalars).collect(),
        }
    }

    /// Whether two values have the same shape.
    #[must_use]
    pub fn same_shape(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(_), Self::Scalar(_)) => true,
            (Self::Array(a), Self::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_shape(b)),
            _ => false,
        }
    }
}

/// An automaton instance by name.
#[derive(Debug, Clone)]
pub struct InstanceNames {
    /// Index of the automaton in the syntax.
    pub automaton: usize,
    /// Which occurrence of the automaton among the system's elements.
    pub occurrence: u32,
    /// A name of its own.
    pub name: Arc<str>,
    /// Local variables.
    pub locals: FxHashMap<Arc<str>, Value>,
    /// Locations: of two with one name, the first.
    pub locations: FxHashMap<Arc<str>, u32>,
}

/// All names of a model.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Constants and global variables.
    pub globals: FxHashMap<Arc<str>, Value>,
    /// Instances in system order.
    pub instances: Vec<InstanceNames>,
}

impl Names {
    /// What a name stands for inside an instance: locals hide globals.
    #[must_use]
    pub fn in_instance(&self, instance: usize, name: &str) -> Option<&Value> {
        self.instances[instance].locals.get(name).or_else(|| self.globals.get(name))
    }

    /// What a name stands for in a property: a global, a local that only one instance has, or a local after its instance's name
    /// and a dot.
    #[must_use]
    pub fn in_property(&self, name: &str) -> Option<&Value> {
        let alone = || {
            let mut found = self.instances.iter().filter_map(|i| i.locals.get(name));
            let first = found.next()?;
            if found.next().is_some() { None } else { Some(first) }
        };
        let of_instance = || {
            let local = |i: &'_ InstanceNames| name.strip_prefix(&*i.name).and_then(|rest| rest.strip_prefix('.'));
            self.instances.iter().find_map(|i| i.locals.get(local(i)?))
        };
        self.globals.get(name).or_else(alone).or_else(of_instance)
    }

    /// All names that could have been meant, in alphabetical order.
    #[must_use]
    pub fn candidates(&self) -> Vec<&str> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut names: Vec<&str> = {
            let mut names = Vec::new();
            for name in self.globals.keys() {
                names.push(&**name);
            }
            for instance in &self.instances {
                for name in instance.locals.keys() {
                    names.push(&**name);
                }
            }
            names
        };
        names.sort_unstable();
        names.dedup();
        names
    }
}
