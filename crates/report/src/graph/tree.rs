//! Groups of states that agree in the first attributes, and how they fall apart level by level.
//!
//! In the sorted list two neighbours agree in some number of first attributes; the least such number within a range says at which level the range falls apart, and where.
//! Levels at which nothing happens to a group are passed over, so the tree has fewer than twice as many nodes as states.

use super::Level;

/// A group: states `lo..hi`, which agree in the attributes of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its first state.
    pub lo: u32,
    /// The state after its last.
    pub hi: u32,
    /// Its level.
    pub level: u16,
    /// The node after its subtree.
    pub after: u32,
}

/// All groups, in preorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The nodes; the first is all states.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The groups of sorted rows. Rows that agree in all attributes are children of the group that they are.
    ///
    /// # Panics
    /// Beyond 2^32 states or 2^16 levels, which do not fit a page.
    #[must_use]
    pub fn new(rows: &[&[i64]], levels: &[Level]) -> Self {
        let agree = |a: &[i64], b: &[i64]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let mut agreed = vec![0; rows.len()];
        (1..rows.len()).for_each(|row| agreed[row] = agree(rows[row - 1], rows[row]));
        let mut tree = Self { nodes: Vec::with_capacity(2 * rows.len()) };
        // Work that waits: a range and its level, or the end of a node's subtree.
        enum Work {
            Open(usize, usize, usize),
            Close(usize),
        }
        let mut work = vec![Work::Open(0, rows.len(), 0)];
        while let Some(next) = work.pop() {
            let (lo, hi, level) = match next {
                Work::Open(lo, hi, level) => (lo, hi, level),
                Work::Close(node) => {
                    tree.nodes[node].after = number(tree.nodes.len());
                    continue;
                }
            };
            let node = tree.nodes.len();
            let level_number = u16::try_from(level).expect("fewer than 2^16 levels");
            tree.nodes.push(Node { lo: number(lo), hi: number(hi), level: level_number, after: 0 });
            work.push(Work::Close(node));
            if hi - lo < 2 {
                continue;
            }
            let least = agreed[lo + 1..hi].iter().copied().min().unwrap_or_default();
            let split = levels.iter().position(|level| level.attributes > least).unwrap_or(levels.len());
            let until = levels.get(split).map_or(usize::MAX, |level| level.attributes);
            let mut cuts: Vec<usize> = (lo + 1..hi).filter(|row| agreed[*row] < until).collect();
            cuts.insert(0, lo);
            cuts.push(hi);
            let below = split.min(levels.len() - 1);
            // The last is pushed first, so that the first is next.
            work.extend(cuts.windows(2).rev().map(|pair| Work::Open(pair[0], pair[1], below)));
        }
        tree
    }

    /// The children of a node.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].after as usize;
        std::iter::successors(Some(node + 1).filter(|child| *child < end), move |child| {
            Some(self.nodes[*child].after as usize).filter(|next| *next < end)
        })
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a page has fewer than 2^32 states")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(attributes: usize) -> Level {
        Level { name: String::new(), attributes }
    }

    #[test]
    fn groups_fall_apart_at_their_level() {
        let rows: Vec<&[i64]> = vec![&[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[1, 0, 0]];
        let tree = Tree::new(&rows, &[level(0), level(1), level(3)]);
        let told: Vec<(u32, u32, u16)> = tree.nodes.iter().map(|node| (node.lo, node.hi, node.level)).collect();
        assert_eq!(told, [(0, 4, 0), (0, 3, 1), (0, 1, 2), (1, 2, 2), (2, 3, 2), (3, 4, 1)]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(tree.children(5).count(), 0);
    }

    #[test]
    fn levels_at_which_nothing_happens_are_passed_over() {
        let rows: Vec<&[i64]> = vec![&[0, 0, 0], &[0, 0, 1]];
        let tree = Tree::new(&rows, &[level(0), level(1), level(2), level(3)]);
        assert_eq!(tree.nodes.len(), 3);
        assert_eq!(tree.nodes[1].level, 3);
    }

    #[test]
    fn one_state_and_none_are_trees_too() {
        assert_eq!(Tree::new(&[&[3]], &[level(0), level(1)]).nodes.len(), 1);
        assert_eq!(Tree::new(&[], &[level(0)]).nodes.len(), 1);
    }

    #[test]
    fn a_chain_of_many_levels_needs_no_stack() {
        let rows: Vec<Vec<i64>> =
            (0..3000i64).map(|row| (0..3000).map(|column| i64::from(column < row)).collect()).collect();
        let mut rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        rows.sort();
        let levels: Vec<Level> = (0..=3000).map(level).collect();
        let tree = Tree::new(&rows, &levels);
        assert!(tree.nodes.len() < 2 * rows.len());
    }
}
