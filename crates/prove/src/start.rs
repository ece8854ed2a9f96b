//! That start states are covered: the start condition is split until it is decided, then what places ask for is.

use surefoot_certificate::token::Token;
use surefoot_checker::node::Node;

use crate::cut::open_condition;
use crate::proof::Stuck;
use crate::search::Search;

impl Search<'_, '_> {
    pub(crate) fn start(&mut self, node: Node, depth: usize) -> Result<(), Stuck> {
        let Some(condition) = node.covered else { return Err(Stuck::Open("no start condition".to_owned())) };
        let truth = self.values(&node).truth(condition);
        if truth.value.is_none() || truth.error {
            let cut = open_condition(condition, &self.values(&node));
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
}
