//! What the policy does not choose in a node: by exact evaluation, by bounds, by bounds and known inequalities; then splits.

use surefoot_certificate::token::Token;
use surefoot_checker::node::Node;
use surefoot_checker::values::Bounds;

use crate::branch;
use crate::cut::Cut;
use crate::lead::Led;
use crate::proof::Stuck;
use crate::search::Search;

/// A node of which rows leave less than this is bounded again before it is split.
const WORTHWHILE: f64 = 0.6;

impl Search<'_, '_> {
    /// Excludes labels that the policy does not choose. The node if something is left that no split of this kind settles; nothing if it was proved.
    pub(crate) fn choose(
        &mut self,
        mut node: Node,
        depth: usize,
        open: &mut Option<Cut>,
    ) -> Result<Option<Node>, Stuck> {
        if self.tell_choice(&mut node) {
            return self.remaining(node, depth);
        }
        let before = node.operators.len();
        let Some(output) = branch::reference(self.rules, &node, &mut self.ws) else {
            // With the filter: no label is surely applicable.
            let all = self.rules.operators_at(&node);
            let guards = node.operators.iter().map(|pending| &all[pending.index as usize].guards);
            let cut = guards.clone().find_map(|guards| self.open_guard(&node, guards));
            *open = open.take().or(cut);
            return Ok(Some(node));
        };
        let unbounded = node.clone();
        let place = self.tokens.len();
        self.rules.bound(&mut node, output, &[], &mut self.ws).map_err(Stuck::Open)?;
        self.tokens.push(Token::Bounds { output, slopes: Vec::new() });
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(None);
        }
        self.tell_exclusions(&mut node)?;
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(None);
        }
        let useful = node.operators.len() < before;
        if open.is_some() {
            return Ok(Some(node));
        }
        let narrowed = branch::narrowed(self.rules, &node, &self.ws);
        let cut = branch::for_choice(self.rules, &node, &self.ws);
        if narrowed.is_empty() && !useful {
            // Nothing came of the bounds here: the parts are bounded themselves.
            self.tokens.truncate(place);
            node = unbounded;
        }
        // Labels that are chosen somewhere lead to several places, or have guards that are open.
        let chosen = self.chosen_cut(&node, output);
        match (chosen, cut) {
            (Some(cut), _) if narrowed.is_empty() => self.split(node, Some(cut), depth).map(|()| None),
            (_, Some(cut)) => self.narrow(node, &narrowed, cut, depth).map(|()| None),
            (Some(cut), None) => self.split(node, Some(cut), depth).map(|()| None),
            (None, None) => self.remaining(node, depth),
        }
    }

    /// Tells of outputs that their rows exclude together with known inequalities.
    fn tell_exclusions(&mut self, node: &mut Node) -> Result<(), Stuck> {
        let Some(rows) = node.rows.clone().filter(|_| !node.atoms.is_empty()) else { return Ok(()) };
        for (output, row) in rows.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let Some(sum) = self.excluded(node, &rows.folded.slots, row)? else { continue };
            let number = u32::try_from(output).map_err(|_| Stuck::Open("too many outputs".to_owned()))?;
            let before = node.operators.len();
            if self.rules.exclude(node, number, &sum, &self.ws).is_ok() && node.operators.len() < before {
                self.tokens.push(Token::Exclude { output: number, sum });
            }
        }
        Ok(())
    }

    /// Where to split for operators of the label that is chosen in the middle.
    fn chosen_cut(&self, node: &Node, output: u32) -> Option<Cut> {
        let all = self.rules.operators_at(node);
        let sample = self.sample(node);
        for pending in &node.operators {
            let op = &all[pending.index as usize];
            if op.output != Some(output as usize) {
                continue;
            }
            let guard = if pending.enabled { None } else { self.open_guard(node, &op.guards) };
            let led = || match self.leads(node, op, &sample) {
                Led::Split(cut) => Some(cut),
                Led::To(_) | Led::Unknown => None,
            };
            if let Some(cut) = guard.or_else(led) {
                return Some(cut);
            }
        }
        None
    }

    /// What is left after the exact choice is known.
    fn remaining(&mut self, mut node: Node, depth: usize) -> Result<Option<Node>, Stuck> {
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(None);
        }
        let all = self.rules.operators_at(&node);
        let sample = self.sample(&node);
        for pending in node.operators.clone() {
            let op = &all[pending.index as usize];
            let guard = if pending.enabled { None } else { self.open_guard(&node, &op.guards) };
            let cut = guard.or_else(|| match self.leads(&node, op, &sample) {
                Led::Split(cut) => Some(cut),
                _ => None,
            });
            if let Some(cut) = cut {
                return self.split(node, Some(cut), depth).map(|()| None);
            }
            self.tell_absent(&mut node, op.number);
        }
        if node.is_settled() {
            self.tokens.push(Token::Done);
            return Ok(None);
        }
        Ok(Some(node))
    }

    /// Cuts off what rows do not permit, then splits.
    fn narrow(&mut self, mut node: Node, narrowed: &[(u32, Bounds)], cut: Cut, depth: usize) -> Result<(), Stuck> {
        let mut share = 1.0;
        let mut after: Vec<Node> = Vec::new();
        for (slot, (lower, upper)) in narrowed {
            let (least, most) = node.bounds[*slot as usize];
            #[expect(clippy::cast_precision_loss, reason = "this only guides")]
            let part = |l: i64, u: i64| (u - l + 1) as f64 / (most - least + 1) as f64;
            share *= part(*lower, *upper);
            for (at, upper_part) in [(*upper, true), (*lower - 1, false)] {
                let (least, most) = node.bounds[*slot as usize];
                if at < least || at >= most {
                    continue;
                }
                let (low, high) = self.rules.split(&node, *slot, at).map_err(Stuck::Open)?;
                let (kept, mut rest) = if upper_part { (low, high) } else { (high, low) };
                let mut probe = rest.clone();
                self.rules.settle(&mut probe, &mut self.ws);
                if !probe.is_settled() {
                    // Rounding: it is not settled after all.
                    continue;
                }
                self.tokens.push(Token::Split { slot: *slot, at });
                if upper_part {
                    // The first part goes on; the second comes after all of it.
                    rest = probe;
                    after.push(rest);
                } else {
                    self.tokens.push(Token::Done);
                }
                node = kept;
            }
        }
        if share < WORTHWHILE {
            self.node(node, depth + 1)?;
        } else {
            let cut = match cut {
                Cut::Slot(slot, _) => crate::cut::middle(slot, &node.bounds).or_else(|| self.widest(&node)),
                other => Some(other),
            };
            self.split(node, cut, depth + 1)?;
        }
        for _ in after {
            self.tokens.push(Token::Done);
        }
        Ok(())
    }
}
