//! That start states are covered: the start condition is split until it is decided, then what places ask for is.

use surefoot_certificate::token::Token;
use surefoot_checker::node::Node;

use surefoot_model::TermId;

use crate::cut::{Cut, open_condition};
use crate::proof::Stuck;
use crate::search::Search;

impl Search<'_, '_> {
    pub(crate) fn start(&mut self, node: Node, depth: usize) -> Result<(), Stuck> {
        let Some(start) = &node.covered else { return Err(Stuck::Open("no start condition".to_owned())) };
        if !start.open.is_empty() {
            let cut = self.fewest_open(&start.open, &node);
            return self.split(node, cut, depth);
        }
        let sample = self.sample(&node);
        let Some(place) = self.locate(&sample) else {
            return self.split(node, None, depth);
        };
        let inside = self.rules.is_inside(&self.values(&node), place, &self.ws.formulas);
        if inside.is_ok() {
            self.tokens.push(Token::Inside(place));
            return Ok(());
        }
        let cut = self.open_place(&self.values(&node), place);
        self.split(node, cut, depth)
    }

    /// Where to split for the part that fewest comparisons are open in: if there is only one, one side of it is settled at once.
    fn fewest_open(&self, parts: &[TermId], node: &Node) -> Option<Cut> {
        let values = self.values(node);
        let mut best: Option<(usize, TermId)> = None;
        for part in parts {
            let disjuncts = self.rules.asked.model.terms.disjuncts(*part);
            let open = disjuncts.iter().filter(|disjunct| values.truth(**disjunct).value.is_none()).count();
            if best.is_none_or(|(fewest, _)| open < fewest) {
                best = Some((open, *part));
            }
            if open <= 1 {
                break;
            }
        }
        best.and_then(|(_, part)| open_condition(part, &values))
    }
}
