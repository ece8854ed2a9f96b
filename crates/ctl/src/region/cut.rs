//! How a piece is taken apart: along a hyperplane, the border going to one side or standing alone.

use surefoot_linear::{Atom, Linear, Relation};

/// A hyperplane `form = 0` over parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The form.
    pub form: Linear,
    /// Whether the border is a part of its own; otherwise it belongs to the side where the form is positive.
    pub border_apart: bool,
}

impl Cut {
    /// The cut that decides an atom on both sides.
    #[must_use]
    pub fn deciding(atom: &Atom) -> Self {
        match atom.relation {
            Relation::AtLeastZero => Self { form: atom.form.clone(), border_apart: false },
            Relation::Positive => Self { form: -&atom.form, border_apart: false },
            Relation::Zero | Relation::NonZero => Self { form: atom.form.clone(), border_apart: true },
        }
    }

    /// The sides: together they are everything, and no two share a point.
    #[must_use]
    pub fn sides(&self) -> Vec<Atom> {
        let below = Atom::positive(-&self.form);
        if self.border_apart {
            vec![Atom::positive(self.form.clone()), Atom::zero(self.form.clone()), below]
        } else {
            vec![Atom::at_least_zero(self.form.clone()), below]
        }
    }
}
