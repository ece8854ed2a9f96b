//! What a box excludes: the cheap test before a question is asked.

use surefoot_linear::{Atom, Formula, Relation};
use surefoot_num::Rational;
use surefoot_oracle::Variable;

/// Whether no point of a box satisfies a formula, as far as its atoms tell one by one. Symbols beyond the variables may have any
/// value.
///
/// Soundness: an atom is false on the box if the exact range of its form says so; a conjunction if one of its parts is, a disjunction if all
/// are.
pub(crate) fn excludes(variables: &[Variable], formula: &Formula) -> bool {
    match formula {
        Formula::Atom(atom) => excludes_atom(variables, atom),
        Formula::All(parts) => parts.iter().any(|part| excludes(variables, part)),
        Formula::Any(parts) => parts.iter().all(|part| excludes(variables, part)),
    }
}

fn excludes_atom(variables: &[Variable], atom: &Atom) -> bool {
    // Terms are in ascending order of symbols.
    if atom.form.terms().last().is_some_and(|(symbol, _)| symbol.index() >= variables.len()) {
        return false;
    }
    let extreme = |largest: bool| {
        atom.form.terms().iter().fold(atom.form.constant().clone(), |sum: Rational, (symbol, a)| {
            let variable = &variables[symbol.index()];
            let end = if (a.signum() > 0) == largest { &variable.upper } else { &variable.lower };
            &sum + &(a * end)
        })
    };
    match atom.relation {
        Relation::AtLeastZero => extreme(true).signum() < 0,
        Relation::Positive => extreme(true).signum() <= 0,
        Relation::Zero => extreme(true).signum() < 0 || extreme(false).signum() > 0,
        Relation::NonZero => extreme(true).is_zero() && extreme(false).is_zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_linear::Linear;
    use surefoot_linear::Symbol;

    /// Compared with all points of a small box.
    #[test]
    fn what_is_excluded_holds_nowhere() {
        let variables = [Variable::integer(-1, 2), Variable::integer(1, 3)];
        let points = || (-1..=2).flat_map(|x| (1..=3).map(move |y| [x, y]));
        let mut excluded = 0;
        for (a, b, c) in (-2..=2).flat_map(|a| (-2..=2).flat_map(move |b| (-9..=9).map(move |c| (a, b, c)))) {
            let terms = vec![(Symbol(0), Rational::from(a)), (Symbol(1), Rational::from(b))];
            let form = Linear::new(terms, Rational::from(c));
            for relation in [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero] {
                let atom = Formula::Atom(Atom { form: form.clone(), relation });
                let holds = points().any(|point| atom.eval(&|s| Rational::from(point[s.index()])));
                let is_excluded = excludes(&variables, &atom);
                assert!(!(holds && is_excluded), "{a} {b} {c} {relation:?}");
                assert!(
                    holds || is_excluded || relation == Relation::Zero,
                    "{a} {b} {c} {relation:?}: a box is enough"
                );
                excluded += usize::from(is_excluded);
                assert!(!excludes(&variables, &Formula::any([Formula::truth(), atom.clone()])));
            }
        }
        assert!(excluded > 100, "{excluded}");
        let output = Formula::Atom(Atom::positive(Linear::symbol(Symbol(2))));
        assert!(!excludes(&variables, &output) && excludes(&variables, &Formula::falsity()));
    }
}
