//! Properties.

use crate::syntax::{Objective, PaProperty, Property, PropertyBody, Start};
use crate::write::Writer;

impl Writer<'_> {
    pub(super) fn property(&mut self, property: &Property) {
        self.out.open_object();
        self.text_member("name", &property.name.value);
        self.out.key("expression");
        self.out.open_object();
        match &property.body {
            PropertyBody::Filter { function, values, states } => {
                self.text_member("op", "filter");
                self.text_member("fun", function.symbol());
                self.member("values", *values);
                self.member("states", *states);
            }
            PropertyBody::Pa(safety) => self.safety(safety),
            PropertyBody::Unsupported(_) => unreachable!("refused properties are left out by the caller"),
        }
        self.out.close();
        self.out.close();
    }

    fn safety(&mut self, property: &PaProperty) {
        self.text_member("op", "PA");
        match &property.start {
            None => {}
            Some(Start::Condition(condition)) => self.member("start", *condition),
            Some(Start::States(states)) => {
                self.out.key("start");
                self.out.open_object();
                self.text_member("op", "states-values");
                self.out.key("values");
                self.items(states, |w, state| {
                    w.out.open_inline_object();
                    if !state.locations.is_empty() {
                        w.out.key("locations");
                        w.locations(&state.locations);
                    }
                    if !state.variables.is_empty() {
                        w.out.key("variables");
                        w.out.open_inline_array();
                        for (variable, value) in &state.variables {
                            w.out.item();
                            w.out.open_inline_object();
                            w.member("var", *variable);
                            w.member("value", *value);
                            w.out.close();
                        }
                        w.out.close();
                    }
                    w.out.close();
                });
                self.out.close();
            }
        }
        self.optional("reach", property.reach);
        if let Some(Objective { goal, goal_potential, step_reward, goal_terminal }) = &property.objective {
            self.out.key("objective");
            self.out.open_object();
            self.text_member("op", "objective");
            self.optional("goal", *goal);
            self.optional("goal-potential", *goal_potential);
            self.optional("step-reward", *step_reward);
            if *goal_terminal {
                self.out.key("goal-terminal");
                self.out.raw("true");
            }
            self.out.close();
        }
        if let Some(predicates) = &property.predicates {
            self.out.key("predicates");
            self.items(predicates, |w, predicate| w.expression(*predicate));
        }
        if let Some(file) = &property.file {
            self.text_member("file", &file.value.to_string_lossy());
        }
    }
}
