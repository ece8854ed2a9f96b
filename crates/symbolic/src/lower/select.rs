//! Computed array indices: one case per index.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Space};
use surefoot_model::ScalarType;
use surefoot_num::Rational;

use super::cases::{self, Case};
use super::meaning::{Meaning, Value};
use super::path::Path;
use super::refusal::Obstacle;

/// The positions that an index may have in an array of a given length, each with its path, and the condition that it is
/// one of them.
pub(super) fn positions<'s>(path: &Path<'s>, index: &Linear, length: usize) -> (Vec<(usize, Path<'s>)>, Formula) {
    let (space, range) = (path.space(), path.region.range(index));
    let count = i64::try_from(length).expect("the cells of an array are slots");
    let last = Rational::from(count - 1);
    let low = range.lower.map_or(Rational::ZERO, |low| low.ceil().max(Rational::ZERO));
    let high = range.upper.map_or(last.clone(), |high| high.floor().min(last.clone()));
    let is = |position: i64| space.equals(index, &Rational::from(position));
    let mut found = Vec::new();
    for position in low.to_i64().unwrap_or(0)..=high.to_i64().unwrap_or(-1) {
        let index = usize::try_from(position).expect("from 0 on");
        found.extend(path.and(&is(position)).map(|path| (index, path)));
    }
    let inside = if space.is_integral(index) {
        let zero = Linear::default();
        Formula::all([space.at_most(&zero, index), space.at_most(index, &Linear::constant_form(last))])
    } else {
        Formula::any((0..count).map(is))
    };
    (found, inside)
}

/// The item at an index. Only that item must have a value.
pub(super) fn select(
    space: &Space,
    items: &[Arc<Meaning>],
    index: &Meaning,
    ty: ScalarType,
) -> Result<Meaning, Obstacle> {
    let mut defined = vec![index.defined.clone()];
    let (mut truths, mut numbers) = (Vec::new(), Vec::new());
    for case in index.cases(space).iter() {
        let Some(path) = Path::new(space).and(&case.condition) else { continue };
        let (found, inside) = positions(&path, &case.value, items.len());
        defined.push(path.implies(&inside));
        for (position, path) in found {
            let item = &items[position];
            defined.push(path.implies(&item.defined));
            match &item.value {
                Value::Truth(truth) => {
                    let truth = path.region.simplify(truth);
                    truths.push(Formula::all([path.condition, truth]));
                }
                Value::Number(cases) => numbers.extend(cases.iter().filter_map(|case| {
                    let path = path.and(&case.condition)?;
                    Some(Case { condition: path.condition, value: case.value.clone() })
                })),
            }
        }
    }
    let value = match ty {
        ScalarType::Bool => Value::Truth(Formula::any(truths)),
        _ => Value::Number(cases::join(numbers)?),
    };
    Ok(Meaning { value, defined: Formula::all(defined) })
}
