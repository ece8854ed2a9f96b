//! States as affine images of the parameters.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use surefoot_linear::{Linear, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;

/// One form over the parameters per slot. Equal images are equal states wherever in the piece.
#[derive(Debug, Clone, Eq)]
pub struct Image {
    forms: Box<[Linear]>,
    hash: u64,
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.forms == other.forms
    }
}

impl Hash for Image {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Image {
    /// The image with given forms.
    #[must_use]
    pub fn new(forms: Vec<Linear>) -> Self {
        let hash = rustc_hash::FxBuildHasher.hash_one(&forms);
        Self { forms: forms.into(), hash }
    }

    /// A single state.
    #[must_use]
    pub fn of(state: &State) -> Self {
        Self::new(state.0.iter().map(|value| Linear::constant_form(value.clone())).collect())
    }

    /// The forms.
    #[must_use]
    pub fn forms(&self) -> &[Linear] {
        &self.forms
    }

    /// Roughly how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let terms: usize = self.forms.iter().map(|form| form.terms().len()).sum();
        64 + self.forms.len() * size_of::<Linear>() + terms * size_of::<(u32, Rational)>()
    }

    /// The state for given parameters.
    #[must_use]
    pub fn at(&self, point: &[Rational]) -> State {
        State(self.forms.iter().map(|form| form.eval(|s| point[s.index()].clone())).collect())
    }

    /// The image where some parameters have known values.
    #[must_use]
    pub fn with_known(&self, known: &impl Fn(Symbol) -> Option<Rational>) -> Self {
        let forms = self.forms.iter().map(|form| form.substitute(&|s| known(s).map(Linear::constant_form)));
        Self::new(forms.collect())
    }
}

/// A shared image.
pub type Shared = Arc<Image>;
