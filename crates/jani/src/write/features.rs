//! Which features a model needs.

use std::sync::Arc;

use crate::syntax::{Expr, Model, PathOp, Type, TypeKind};
use surefoot_text::source::Name;

/// The features the model declares, and after them those it uses without having declared them.
pub(super) fn features(model: &Model) -> Vec<Arc<str>> {
    let mut derived = false;
    let mut arrays = false;
    let mut exits = false;
    let mut functions = !model.functions.is_empty();
    for id in model.pool.ids() {
        match model.pool.get(id) {
            Expr::Unary(op, _) => derived |= op.is_derived(),
            Expr::Binary(op, _, _) => derived |= op.is_derived(),
            Expr::Path(PathOp::Finally | PathOp::Globally | PathOp::Release, _, _) => derived = true,
            Expr::ArrayAccess(..) | Expr::ArrayValue(_) | Expr::ArrayConstructor(..) => arrays = true,
            Expr::Call(..) => functions = true,
            Expr::Expected { accumulate, .. } => exits |= accumulate.exit,
            _ => {}
        }
    }
    let is_array = |ty: &Type| matches!(ty.value, TypeKind::Array(_));
    arrays |= model.constants.iter().any(|constant| is_array(&constant.ty));
    let scopes = model.automata.iter().map(|automaton| (&automaton.variables, &automaton.functions));
    for (variables, declared) in scopes.chain([(&model.variables, &model.functions)]) {
        arrays |= variables.iter().any(|variable| is_array(&variable.ty));
        for function in declared {
            functions = true;
            arrays |= is_array(&function.ty) || function.parameters.iter().any(|(_, ty)| is_array(ty));
        }
    }
    let mut all: Vec<Arc<str>> = model.features.iter().map(|name: &Name| Arc::clone(&name.value)).collect();
    let used =
        [("derived-operators", derived), ("arrays", arrays), ("functions", functions), ("state-exit-rewards", exits)];
    for (feature, used) in used {
        if used && !all.iter().any(|known| **known == *feature) {
            all.push(feature.into());
        }
    }
    all
}
