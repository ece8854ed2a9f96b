//! What transient variables stand for: the values that locations give them.

use surefoot_jani::syntax::VariableDeclaration;
use surefoot_text::diagnostic::Diagnostic;

use super::Lowering;
use super::expression::Scope;
use crate::model::{TransientId, numbered};
use crate::term::{ScalarType, Term};

impl Lowering<'_> {
    /// A transient variable has the value its locations give it, else its initial value.
    pub(super) fn define_transients(&mut self) -> Result<(), Diagnostic> {
        let syntax = self.syntax;
        let mut given: Vec<(usize, usize, TransientId)> = Vec::new();
        // The first instance in system order wins, so the chain is built from the last one.
        for i in (0..self.names.instances.len()).rev() {
            let automaton = &syntax.automata[self.names.instances[i].automaton];
            for (l, location) in automaton.locations.iter().enumerate() {
                for (reference, expression) in &location.transient_values {
                    let scope = Scope::instance(i);
                    let target = self.lower_value(*reference, &scope)?;
                    let value = self.lower_value(*expression, &scope)?;
                    let span = syntax.pool.span(*reference);
                    if !target.same_shape(&value) {
                        return Err(Diagnostic::error(span, "the value does not have the shape of the variable"));
                    }
                    for (target, value) in target.scalars().into_iter().zip(value.scalars()) {
                        let Term::Transient(id) = *self.terms.get(target) else {
                            return Err(Diagnostic::error(span, "only transient variables have values at locations")
                                .with_help("mark the variable as \"transient\": true, or assign to it on edges"));
                        };
                        if (self.terms.ty(value) == ScalarType::Bool) != (self.terms.ty(target) == ScalarType::Bool) {
                            return Err(Diagnostic::error(span, "the value does not have the type of the variable")
                                .with_help("give it a value of its type"));
                        }
                        let declared = &self.transients[id.0 as usize];
                        if let (Some(domain), Some(constant)) = (&declared.domain, self.terms.constant(value))
                            && !domain.contains(&constant)
                        {
                            let name = &declared.name;
                            let message =
                                format!("{constant} is outside the domain of '{name}' ({})", domain.describe());
                            return Err(Diagnostic::error(syntax.pool.span(*expression), message));
                        }
                        if given.contains(&(i, l, id)) {
                            return Err(Diagnostic::error(span, "this location gives the variable two values")
                                .with_help("keep one of them"));
                        }
                        if let Some((other, ..)) = given.iter().find(|(other, _, t)| *t == id && *other != i) {
                            let (name, other) = (&declared.name, &self.names.instances[*other].name);
                            let message =
                                format!("locations of '{other}' give '{name}' values too; the first automaton counts");
                            self.notes.push(Diagnostic::warning(span, message));
                        }
                        given.push((i, l, id));
                        let here = self.at_location(i, numbered(l));
                        let previous = self.transients[id.0 as usize].definition;
                        self.transients[id.0 as usize].definition = self.terms.ite(here, value, previous);
                    }
                }
            }
        }
        self.refuse_circular_transients()
    }

    fn refuse_circular_transients(&self) -> Result<(), Diagnostic> {
        let reads = |t: usize| -> Vec<usize> {
            let terms = self.terms.reachable(self.transients[t].definition);
            terms
                .into_iter()
                .filter_map(|id| if let Term::Transient(t) = self.terms.get(id) { Some(t.0 as usize) } else { None })
                .collect()
        };
        for start in 0..self.transients.len() {
            let (mut work, mut seen) = (reads(start), vec![false; self.transients.len()]);
            while let Some(next) = work.pop() {
                if next == start {
                    let message = format!(
                        "the transient variable '{}' is defined in terms of itself",
                        self.transients[start].name
                    );
                    let syntax = self.syntax;
                    let declared = syntax.variables.iter().chain(syntax.automata.iter().flat_map(|a| &a.variables));
                    let name = |v: &&VariableDeclaration| self.transients[start].name.ends_with(&*v.name.value);
                    let span = declared.filter(|v| v.transient).find(name).map_or(syntax.system.span, |v| v.name.span);
                    return Err(Diagnostic::error(span, message)
                        .with_help("let its value depend on the state and on other variables only"));
                }
                if !std::mem::replace(&mut seen[next], true) {
                    work.extend(reads(next));
                }
            }
        }
        Ok(())
    }
}
