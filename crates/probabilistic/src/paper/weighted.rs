//! A weighted maximum: a point at which soft constraints of the largest total weight hold (MaxSMT, as the paper's line 17 asks for it). Exact.
//!
//! Branch and bound over which constraints hold. A node has some constraints that must hold and some that are given up; the oracle finds a point
//! where the former do, and all others are evaluated there. If everything that is not given up holds, no point below the node is better; otherwise the heaviest
//! one that does not hold is demanded on one side and given up on the other, where it need not hold: to keep the two sides apart, a point at which it does not is
//! asked for, if that can be.

use surefoot_limits::Stop;
use surefoot_num::Rational;

/// What is maximised over.
pub trait Soft {
    /// A point.
    type Point: Clone;

    /// The weights of the constraints, not negative.
    fn weights(&self) -> &[Rational];

    /// Which constraints hold at a point.
    fn holding(&mut self, point: &Self::Point) -> Vec<bool>;

    /// A point at which given constraints hold, if there is one. Others are not of interest where they hold: points at which they do may be left out.
    ///
    /// # Errors
    /// The limit that was met.
    fn find(&mut self, demanded: &[usize], given_up: &[bool]) -> Result<Option<Self::Point>, Stop>;
}

/// A point of the largest weight.
#[derive(Debug, Clone)]
pub struct Best<P> {
    /// It.
    pub point: P,
    /// Which constraints hold there.
    pub holding: Vec<bool>,
    /// Their weight.
    pub weight: Rational,
}

/// A node of the search: constraints that must hold, and whether each is given up.
struct Node<P> {
    demanded: Vec<usize>,
    given_up: Vec<bool>,
    /// A point at which what is demanded holds, if one is known.
    point: Option<P>,
}

/// The best point; `None` where there is none at all, or none of a weight beyond what is wanted. Search begins with points that are known.
///
/// # Errors
/// The limit that was met.
pub fn maximum<S: Soft>(
    soft: &mut S,
    known: impl IntoIterator<Item = S::Point>,
    beyond: Option<&Rational>,
) -> Result<Option<Best<S::Point>>, Stop> {
    let weights = soft.weights().to_vec();
    let count = weights.len();
    let mut best: Option<Best<S::Point>> = None;
    let look = |soft: &mut S, point: S::Point, best: &mut Option<Best<S::Point>>| {
        let holding = soft.holding(&point);
        let weight = weight_of(&weights, |index| holding[index]);
        if best.as_ref().is_none_or(|best| weight > best.weight) {
            *best = Some(Best { point, holding: holding.clone(), weight });
        }
        holding
    };
    for point in known {
        look(soft, point, &mut best);
    }
    let first = best.as_ref().map(|best| best.point.clone());
    let mut nodes = vec![Node { demanded: Vec::new(), given_up: vec![false; count], point: first }];
    while let Some(Node { mut demanded, given_up, point }) = nodes.pop() {
        let most = weight_of(&weights, |index| !given_up[index]);
        if best.as_ref().is_some_and(|best| best.weight >= most) || beyond.is_some_and(|beyond| most <= *beyond) {
            continue;
        }
        let point = match point {
            Some(point) => point,
            None => match soft.find(&demanded, &given_up)? {
                Some(point) => point,
                None => continue,
            },
        };
        let holding = look(soft, point.clone(), &mut best);
        let open = (0..count).filter(|index| !holding[*index] && !given_up[*index]);
        // Of equals the first.
        let Some(heaviest) = open.min_by(|a, b| weights[*b].cmp(&weights[*a])) else { continue };
        let mut without = given_up.clone();
        without[heaviest] = true;
        nodes.push(Node { demanded: demanded.clone(), given_up: without, point: Some(point) });
        demanded.push(heaviest);
        nodes.push(Node { demanded, given_up, point: None });
    }
    Ok(best.filter(|best| beyond.is_none_or(|beyond| best.weight > *beyond)))
}

/// The same, by asking for every set of constraints: the slow sibling of [`maximum`].
///
/// # Errors
/// The limit that was met.
pub fn maximum_reference<S: Soft>(soft: &mut S) -> Result<Option<Rational>, Stop> {
    let weights = soft.weights().to_vec();
    let mut best: Option<Rational> = None;
    for set in 0u32..1 << weights.len() {
        let demanded: Vec<usize> = (0..weights.len()).filter(|index| set >> index & 1 == 1).collect();
        let weight = weight_of(&weights, |index| demanded.contains(&index));
        if best.as_ref().is_none_or(|best| weight > *best) && soft.find(&demanded, &[])?.is_some() {
            best = Some(weight);
        }
    }
    Ok(best)
}

fn weight_of(weights: &[Rational], counts: impl Fn(usize) -> bool) -> Rational {
    weights.iter().enumerate().filter(|(index, _)| counts(*index)).map(|(_, weight)| weight.clone()).sum()
}
