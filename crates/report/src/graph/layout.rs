//! Where the boxes of groups are: a group holds its parts, side by side.
//!
//! A single state is a square of size one. The parts of a group flow into columns from left to right in the order of their least number of steps from a start state, so time
//! runs to the right within each group; columns are as high as makes the group about as wide as it is high. Above the parts there is room for a title. Sizes are found
//! from the smallest groups up, places from the largest down.

use super::tree::Tree;

/// A box.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rectangle {
    /// Its left side.
    pub x: f32,
    /// Its upper side.
    pub y: f32,
    /// Its width.
    pub w: f32,
    /// Its height.
    pub h: f32,
}

/// Between neighbours, as a share of the size of an average one.
const GAP: f32 = 0.18;
/// Around the parts, as a share of the group's size.
const MARGIN: f32 = 0.03;
/// Above them, as a share of the group's height.
const TITLE: f32 = 0.12;
/// The same, in sizes of an average part: large groups need no larger titles.
const TITLE_AT_MOST: f32 = 0.35;
/// How much wider than high a group should be: screens are.
const WIDER: f32 = 1.35;

/// The boxes of a tree whose states have layers.
#[must_use]
pub fn layout(tree: &Tree, layer: &[u32]) -> Vec<Rectangle> {
    let mut boxes = vec![Rectangle::default(); tree.nodes.len()];
    let mut least = vec![u32::MAX; tree.nodes.len()];
    for node in (0..tree.nodes.len()).rev() {
        let children: Vec<usize> = tree.children(node).collect();
        if children.is_empty() {
            let group = tree.nodes[node];
            least[node] = layer[group.lo as usize..group.hi as usize].iter().copied().min().unwrap_or_default();
            boxes[node] = Rectangle { w: 1.0, h: 1.0, ..Rectangle::default() };
            continue;
        }
        least[node] = children.iter().map(|child| least[*child]).min().unwrap_or_default();
        (boxes[node].w, boxes[node].h) = flow(children, &least, &mut boxes);
    }
    // Places were found within the group; preorder has groups before their parts.
    for node in 0..tree.nodes.len() {
        let Rectangle { x, y, .. } = boxes[node];
        for child in tree.children(node) {
            boxes[child].x += x;
            boxes[child].y += y;
        }
    }
    boxes
}

/// Puts parts into columns; gives the width and height of all. Of several heights of columns the one counts that comes nearest to the wanted form.
fn flow(mut children: Vec<usize>, least: &[u32], boxes: &mut [Rectangle]) -> (f32, f32) {
    children.sort_by_key(|child| (least[*child], *child));
    let sizes: Vec<(f32, f32)> = children.iter().map(|child| (boxes[*child].w, boxes[*child].h)).collect();
    #[expect(clippy::cast_precision_loss, reason = "what is drawn is rounded")]
    let average = sizes.iter().map(|(w, h)| w.max(*h)).sum::<f32>() / sizes.len() as f32;
    let gap = GAP * average;
    let area: f32 = sizes.iter().map(|(w, h)| (w + gap) * (h + gap)).sum();
    let tallest = sizes.iter().map(|(_, h)| *h).fold(0.0, f32::max);
    let usual = (area / WIDER).sqrt();
    let mut best: Option<(f32, Columns)> = None;
    for share in HEIGHTS {
        let columns = Columns::new(&sizes, gap, (usual * share).max(tallest));
        let distance = (columns.width / columns.height / WIDER).ln().abs();
        if best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, columns));
        }
    }
    let columns = best.map(|(_, columns)| columns).unwrap_or_default();
    let margin = MARGIN * columns.width.max(columns.height);
    let title = (TITLE * columns.height).min(TITLE_AT_MOST * average.max(1.0));
    for (child, (x, y)) in children.iter().zip(&columns.places) {
        boxes[*child].x = x + margin;
        boxes[*child].y = y + margin + title;
    }
    (columns.width + 2.0 * margin, columns.height + 2.0 * margin + title)
}

/// Heights of columns that are tried, as shares of what a square would have.
const HEIGHTS: [f32; 9] = [0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 2.6];

/// Parts in columns.
#[derive(Default)]
struct Columns {
    places: Vec<(f32, f32)>,
    width: f32,
    height: f32,
}

impl Columns {
    /// Parts of given sizes in columns of at most that height.
    fn new(sizes: &[(f32, f32)], gap: f32, most: f32) -> Self {
        let mut columns = Self { places: Vec::with_capacity(sizes.len()), ..Self::default() };
        let (mut x, mut y, mut width) = (0.0, 0.0, 0.0f32);
        for (w, h) in sizes {
            if y > 0.0 && y + h > most {
                x += width + gap;
                (y, width) = (0.0, 0.0);
            }
            columns.places.push((x, y));
            y += h + gap;
            width = width.max(*w);
            columns.height = columns.height.max(y - gap);
        }
        columns.width = x + width;
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn parts_lie_within_their_group_and_beside_each_other() {
        let rows: Vec<Vec<i64>> = (0..500i64).map(|row| vec![row / 100, row / 10, row]).collect();
        let rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        let levels: Vec<Level> = (0..=3).map(|attributes| Level { name: String::new(), attributes }).collect();
        let tree = Tree::new(&rows, &levels);
        let layer: Vec<u32> = (0..500).map(|state| state % 7).collect();
        let boxes = layout(&tree, &layer);
        let within =
            |a: &Rectangle, b: &Rectangle| a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
        let apart =
            |a: &Rectangle, b: &Rectangle| a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        for node in 0..tree.nodes.len() {
            let children: Vec<usize> = tree.children(node).collect();
            for (i, child) in children.iter().enumerate() {
                assert!(within(&boxes[*child], &boxes[node]), "{child} leaves {node}");
                assert!(
                    children[i + 1..].iter().all(|other| apart(&boxes[*child], &boxes[*other])),
                    "{child} overlaps"
                );
            }
        }
        let ratio = boxes[0].w / boxes[0].h;
        assert!((0.8..2.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn what_is_nearer_to_the_start_is_further_left() {
        let rows: Vec<Vec<i64>> = (0..40i64).map(|row| vec![row]).collect();
        let rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        let levels = [0, 1].map(|attributes| Level { name: String::new(), attributes });
        let tree = Tree::new(&rows, &levels);
        let layer: Vec<u32> = (0..40).rev().collect();
        let boxes = layout(&tree, &layer);
        assert!((2..41).all(|node| boxes[node].x <= boxes[node - 1].x));
    }
}
