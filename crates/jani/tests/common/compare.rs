//! Equality of syntax trees up to places, declared features, and properties that were refused.

use std::sync::Arc;

use surefoot_jani::syntax::{
    AssignedValue, Expr, ExprId, FunctionDeclaration, LocationRef, Model, Pool, Property, PropertyBody, Start, Type,
    TypeKind, VariableDeclaration,
};
use surefoot_text::source::Name;

/// Two trees, compared piece by piece; the first difference panics with what it is about.
pub(crate) struct Pair<'m>(pub(crate) &'m Model, pub(crate) &'m Model);

fn names(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| &*name.value).collect()
}

fn locations(locations: &[LocationRef]) -> Vec<(&str, Option<u32>, &str)> {
    let index = |location: &LocationRef| location.index.as_ref().map(|index| index.value);
    locations.iter().map(|l| (&*l.automaton.value, index(l), &*l.location.value)).collect()
}

/// A node with ids counted from the start of its subtree and without places.
fn shape(pool: &Pool, first: u32, id: ExprId) -> (String, Vec<u32>) {
    let node = pool.get(id);
    let mut operands = Vec::new();
    node.for_each_operand(|operand| operands.push(operand.0 - first));
    let what = match node {
        Expr::Bool(value) => format!("{value}"),
        Expr::Number(value) => format!("number {value}"),
        Expr::MathConstant(name) => format!("constant {name}"),
        Expr::Identifier(name) => format!("name {name}"),
        Expr::Unary(op, _) => format!("{op:?}"),
        Expr::Binary(op, ..) => format!("{op:?}"),
        Expr::IfThenElse(..) => "ite".to_owned(),
        Expr::ArrayAccess(..) => "aa".to_owned(),
        Expr::ArrayValue(_) => "av".to_owned(),
        Expr::ArrayConstructor(name, ..) => format!("ac {}", name.value),
        Expr::Call(name, _) => format!("call {}", name.value),
        Expr::StateCondition(list, exp) => format!("condition {:?} {}", locations(list), exp.is_some()),
        Expr::StateSet(set) => format!("{set:?}"),
        Expr::Quantified(quantifier, _) => format!("{quantifier:?}"),
        Expr::Path(op, left, _) => format!("{op:?} {}", left.is_some()),
        Expr::StepBound { exclusive, .. } => format!("step bound {exclusive}"),
        Expr::Expected { op, accumulate, .. } => format!("{op:?} {accumulate:?}"),
    };
    (what, operands)
}

impl Pair<'_> {
    pub(crate) fn assert_equal(&self) {
        let Self(a, b) = self;
        assert_eq!((&a.name.value, a.kind), (&b.name.value, b.kind));
        assert_eq!(names(&a.actions), names(&b.actions));
        each(&a.constants, &b.constants, |a, b| {
            assert_eq!(a.name.value, b.name.value);
            self.types(&a.ty, &b.ty);
            self.options(a.value, b.value);
        });
        each(&a.variables, &b.variables, |a, b| self.variables(a, b));
        each(&a.functions, &b.functions, |a, b| self.functions(a, b));
        self.options(a.restrict_initial, b.restrict_initial);
        self.automata();
        each(&a.system.elements, &b.system.elements, |a, b| {
            assert_eq!(a.automaton.value, b.automaton.value);
            assert_eq!(names(&a.input_enable), names(&b.input_enable));
        });
        let value = |name: &Option<Name>| name.as_ref().map(|name| Arc::clone(&name.value));
        let vectors = |model: &Model| {
            model.system.syncs.as_ref().map(|syncs| {
                let vector = |s: &surefoot_jani::syntax::Sync| s.synchronise.iter().map(value).collect::<Vec<_>>();
                syncs.iter().map(|sync| (vector(sync), value(&sync.result))).collect::<Vec<_>>()
            })
        };
        assert_eq!(vectors(a), vectors(b));
        let kept = |p: &&Property| !matches!(p.body, PropertyBody::Unsupported(_));
        let kept = |model: &Model| model.properties.iter().filter(kept).cloned().collect::<Vec<_>>();
        each(&kept(a), &kept(b), |a, b| self.properties(a, b));
    }

    fn expressions(&self, a: ExprId, b: ExprId) {
        let (ids_a, ids_b): (Vec<_>, Vec<_>) = (self.0.pool.subtree(a).collect(), self.1.pool.subtree(b).collect());
        assert_eq!(ids_a.len(), ids_b.len(), "the size of an expression");
        for (x, y) in ids_a.iter().zip(&ids_b) {
            assert_eq!(shape(&self.0.pool, ids_a[0].0, *x), shape(&self.1.pool, ids_b[0].0, *y));
        }
    }

    fn options(&self, a: Option<ExprId>, b: Option<ExprId>) {
        assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            self.expressions(a, b);
        }
    }

    fn types(&self, a: &Type, b: &Type) {
        match (&a.value, &b.value) {
            (TypeKind::Array(a), TypeKind::Array(b)) => self.types(a, b),
            (
                TypeKind::Bounded { base: x, lower, upper },
                TypeKind::Bounded { base: y, lower: lower_b, upper: upper_b },
            ) => {
                assert_eq!(x, y);
                self.options(*lower, *lower_b);
                self.options(*upper, *upper_b);
            }
            (a, b) => assert_eq!(a, b),
        }
    }

    fn variables(&self, a: &VariableDeclaration, b: &VariableDeclaration) {
        assert_eq!((&a.name.value, a.transient), (&b.name.value, b.transient));
        self.types(&a.ty, &b.ty);
        self.options(a.initial_value, b.initial_value);
    }

    fn functions(&self, a: &FunctionDeclaration, b: &FunctionDeclaration) {
        assert_eq!(a.name.value, b.name.value);
        self.types(&a.ty, &b.ty);
        each(&a.parameters, &b.parameters, |a, b| {
            assert_eq!(a.0.value, b.0.value);
            self.types(&a.1, &b.1);
        });
        self.expressions(a.body, b.body);
    }

    fn automata(&self) {
        each(&self.0.automata, &self.1.automata, |a, b| {
            assert_eq!(a.name.value, b.name.value);
            each(&a.variables, &b.variables, |a, b| self.variables(a, b));
            each(&a.functions, &b.functions, |a, b| self.functions(a, b));
            self.options(a.restrict_initial, b.restrict_initial);
            assert_eq!(names(&a.initial_locations), names(&b.initial_locations));
            each(&a.locations, &b.locations, |a, b| {
                assert_eq!(a.name.value, b.name.value);
                self.pairs(&a.transient_values, &b.transient_values);
            });
            each(&a.edges, &b.edges, |a, b| {
                assert_eq!(a.location.value, b.location.value);
                assert_eq!(a.action.as_ref().map(|n| &n.value), b.action.as_ref().map(|n| &n.value));
                self.options(a.guard, b.guard);
                each(&a.destinations, &b.destinations, |a, b| {
                    assert_eq!(a.location.value, b.location.value);
                    self.options(a.probability, b.probability);
                    each(&a.assignments, &b.assignments, |a, b| {
                        assert_eq!(a.index, b.index);
                        self.expressions(a.reference, b.reference);
                        match (&a.value, &b.value) {
                            (AssignedValue::Expression(a), AssignedValue::Expression(b)) => self.expressions(*a, *b),
                            (AssignedValue::Interval(a, c), AssignedValue::Interval(b, d)) => {
                                self.expressions(*a, *b);
                                self.expressions(*c, *d);
                            }
                            (a, b) => panic!("{a:?} became {b:?}"),
                        }
                    });
                });
            });
        });
    }

    fn pairs(&self, a: &[(ExprId, ExprId)], b: &[(ExprId, ExprId)]) {
        each(a, b, |a, b| {
            self.expressions(a.0, b.0);
            self.expressions(a.1, b.1);
        });
    }

    fn properties(&self, a: &Property, b: &Property) {
        assert_eq!(a.name.value, b.name.value);
        match (&a.body, &b.body) {
            (
                PropertyBody::Filter { function: f, values: v, states: s },
                PropertyBody::Filter { function: g, values: w, states: t },
            ) => {
                assert_eq!(f, g);
                self.expressions(*v, *w);
                self.expressions(*s, *t);
            }
            (PropertyBody::Pa(a), PropertyBody::Pa(b)) => {
                match (&a.start, &b.start) {
                    (None, None) => {}
                    (Some(Start::Condition(a)), Some(Start::Condition(b))) => self.expressions(*a, *b),
                    (Some(Start::States(a)), Some(Start::States(b))) => each(a, b, |a, b| {
                        assert_eq!(locations(&a.locations), locations(&b.locations));
                        self.pairs(&a.variables, &b.variables);
                    }),
                    (a, b) => panic!("{a:?} became {b:?}"),
                }
                self.options(a.reach, b.reach);
                assert_eq!(a.objective.is_some(), b.objective.is_some());
                if let (Some(a), Some(b)) = (&a.objective, &b.objective) {
                    self.options(a.goal, b.goal);
                    self.options(a.goal_potential, b.goal_potential);
                    self.options(a.step_reward, b.step_reward);
                    assert_eq!(a.goal_terminal, b.goal_terminal);
                }
                assert_eq!(a.predicates.is_some(), b.predicates.is_some());
                if let (Some(a), Some(b)) = (&a.predicates, &b.predicates) {
                    each(a, b, |a, b| self.expressions(*a, *b));
                }
                assert_eq!(a.file.as_ref().map(|f| &f.value), b.file.as_ref().map(|f| &f.value));
            }
            (a, b) => panic!("{a:?} became {b:?}"),
        }
    }
}

fn each<T>(a: &[T], b: &[T], mut compare: impl FnMut(&T, &T)) {
    assert_eq!(a.len(), b.len(), "the length of a list");
    for (a, b) in a.iter().zip(b) {
        compare(a, b);
    }
}
