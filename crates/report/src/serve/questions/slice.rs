//! A slice through the policy that the page does not have.

use serde::{Deserialize, Serialize};

use super::{Reply, Viewer, state_of};
use crate::chooser::Chooser;
use crate::data::{Map, StateValues};
use crate::pack::Columns;
use crate::serve::viewer::Long;
use crate::slices;

/// Which slice.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    x: usize,
    y: usize,
    state: StateValues,
}

#[derive(Debug, Serialize)]
struct Told {
    map: Map,
}

pub(super) fn slice(viewer: &Viewer<'_>, question: &Question) -> Result<Reply, Reply> {
    let Viewer { problem, names, .. } = viewer;
    let Question { x, y, state } = question;
    let count = names.variables.len();
    if *x >= count || *y >= count || x == y {
        return Err(Reply::wrong("a slice is over two variables of the model"));
    }
    let state = state_of(names, state, None)?;
    let mut chooser = Chooser::new(problem).ok_or_else(|| Reply::wrong("there is no policy that chooses actions"))?;
    let mut columns = Columns::new();
    let budget = viewer.spend(Long::Slice);
    let limits = budget.limits();
    let over = || limits.stop().is_some();
    let map =
        slices::map((*x, *y), (-1, &state), names, &mut chooser, &viewer.actions, &viewer.known, &mut columns, &over);
    let map = map.ok_or_else(|| match limits.stop() {
        Some(stop) => Reply::wrong(budget.describe(stop)),
        None => Reply::wrong("one of these variables has no bounds"),
    })?;
    columns.deflated(&Told { map }).map(Reply::Columns).map_err(Reply::wrong)
}
