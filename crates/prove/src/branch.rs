//! Where to split a node because it is open what the policy chooses.
//!
//! What no pending output's row permits is cut off first: a split of which one part is settled at once. Then the slot is split whose uncertainty
//! costs the relaxation most. An unstable neuron with bounds `l < 0 < u` costs up to `-l u / (u - l)`, times its multiplier in the row at stake; its
//! width comes from the slots through its own row, so the cost is shared out in proportion to that. All of this only guides.

use surefoot_checker::network::{Folded, Prepared, Row};
use surefoot_checker::node::Node;
use surefoot_checker::rules::{Rules, Workspace};
use surefoot_checker::values::Bounds;

use crate::cut::Cut;

/// How much of a row's own slope counts beside the costs of relaxation.
const SLOPE_SHARE: f64 = 0.05;

/// The pending outputs that have a row, if all pending operators have one.
fn pending_rows<'n>(rules: &Rules<'_>, node: &'n Node) -> Option<Vec<(usize, &'n Row)>> {
    let (rows, all) = (node.rows.as_ref()?, rules.operators_at(node));
    let mut found: Vec<(usize, &Row)> = Vec::new();
    for pending in &node.operators {
        let output = all[pending.index as usize].output?;
        let row = rows.rows.get(output)?.as_ref()?;
        if found.iter().all(|(other, _)| *other != output) {
            found.push((output, row));
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What is left of each slot by the rows of pending outputs, where that is less than there was.
pub(crate) fn narrowed(rules: &Rules<'_>, node: &Node, ws: &Workspace) -> Vec<(u32, Bounds)> {
    let (Some(found), Some(rows)) = (pending_rows(rules, node), &node.rows) else { return Vec::new() };
    let slots = &rows.folded.slots;
    let mut hull: Vec<Option<Bounds>> = vec![None; slots.len()];
    for (_, row) in found {
        let most = row.maximum(slots, &node.bounds) + ws.margin * row.size;
        for (j, slot) in slots.iter().enumerate() {
            let (mut lower, mut upper) = node.bounds[*slot as usize];
            let a = row.coefficients[j];
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "this only guides")]
            if a > 0.0 && most >= 0.0 {
                // a (x - upper) + most >= 0
                lower = lower.max((upper as f64 - most / a).ceil() as i64);
            } else if a < 0.0 && most >= 0.0 {
                upper = upper.min((lower as f64 - most / a).floor() as i64);
            }
            let range = (lower.min(upper), upper.max(lower));
            hull[j] = Some(hull[j].map_or(range, |(l, u)| (l.min(range.0), u.max(range.1))));
        }
    }
    let smaller = |(slot, hull): (&u32, Option<Bounds>)| {
        let hull = hull.filter(|hull| *hull != node.bounds[*slot as usize])?;
        Some((*slot, hull))
    };
    slots.iter().zip(hull).filter_map(smaller).collect()
}

/// The slot to split for the output that is furthest from being excluded.
pub(crate) fn for_choice(rules: &Rules<'_>, node: &Node, ws: &Workspace) -> Option<Cut> {
    let rows = node.rows.as_ref()?;
    let slots = &rows.folded.slots;
    let all = rules.operators_at(node);
    let pending = node.operators.iter().filter_map(|p| all[p.index as usize].output);
    let rows_of = pending.filter_map(|output| Some((output, rows.rows.get(output)?.as_ref()?)));
    let most = |row: &Row| row.maximum(slots, &node.bounds) / row.size.max(f64::MIN_POSITIVE);
    let (output, row) = rows_of.max_by(|(_, a), (_, b)| most(a).total_cmp(&most(b)))?;
    let mut influence: Vec<f64> = row.coefficients.iter().map(|a| SLOPE_SHARE * a.abs()).collect();
    if let Some(prepared) = rules.prepared(node) {
        add_costs(prepared, &rows.folded, ws, &prepared.score(output, rows.reference).weights, &mut influence);
    }
    let mut best: Option<(f64, u32)> = None;
    for (slot, influence) in slots.iter().zip(influence) {
        let (lower, upper) = node.bounds[*slot as usize];
        #[expect(clippy::cast_precision_loss, reason = "this only guides")]
        let influence = influence * (upper as f64 - lower as f64);
        if lower < upper && best.is_none_or(|(most, _)| influence > most) {
            best = Some((influence, *slot));
        }
    }
    best.and_then(|(_, slot)| crate::cut::middle(slot, &node.bounds))
}

/// Adds what each slot, per unit of its width, costs the relaxation of a form of the last hidden layer.
fn add_costs(network: &Prepared, folded: &Folded, ws: &Workspace, form: &[f64], out: &mut [f64]) {
    let layers = ws.bounded().depth();
    let columns = folded.slots.len();
    // Each layer's neurons as linear forms of the slots, roughly: with the slope of the upper line.
    let mut forms: Vec<Vec<f64>> = vec![folded.weights.clone()];
    for layer in 1..layers {
        let weights = network.weights(layer);
        let before = &forms[layer - 1];
        let mut own = vec![0.0; weights.outputs() * columns];
        for (i, out) in own.chunks_exact_mut(columns.max(1)).enumerate() {
            weights.of_output(i, |h, w| {
                let slope = w * ws.bounded().slope(layer - 1, h);
                if slope != 0.0 {
                    let before = &before[h * columns..(h + 1) * columns];
                    out.iter_mut().zip(before).for_each(|(out, a)| *out += slope * a);
                }
            });
        }
        forms.push(own);
    }
    let mut multipliers = form.to_vec();
    for layer in (0..layers).rev() {
        for (i, m) in multipliers.iter().enumerate() {
            if let Some((l, u)) = ws.bounded().open_range(layer, i) {
                let width = u - l;
                let weight = m.abs() * (-l * u) / (width * width);
                let form = &forms[layer][i * columns..(i + 1) * columns];
                out.iter_mut().zip(form).for_each(|(out, a)| *out += weight * a.abs());
            }
        }
        if layer > 0 {
            let weights = network.weights(layer);
            let mut next = vec![0.0; weights.inputs()];
            for (i, m) in multipliers.iter().enumerate() {
                let m = m * ws.bounded().slope(layer, i);
                weights.of_output(i, |input, w| next[input] += m * w);
            }
            multipliers = next;
        }
    }
}

/// The output that the policy prefers in the middle of the node, of those that it surely may choose.
pub(crate) fn reference(rules: &Rules<'_>, node: &Node, ws: &mut Workspace) -> Option<u32> {
    let point: Vec<i64> = node.bounds.iter().map(|(lower, upper)| lower + (upper - lower) / 2).collect();
    rules.preferred(node, &point, ws).and_then(|output| u32::try_from(output).ok())
}
