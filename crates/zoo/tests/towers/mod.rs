//! Blocksworld in plain Rust: a simulator that shares nothing with the generator.

#![expect(clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

use crate::worlds::{Moves, Named, sorted};

/// Blocks as towers from the table up, what is in the hand, and costs: nothing that the model's variables look like.
#[derive(Clone)]
pub(crate) struct Towers {
    pub(crate) towers: Vec<Vec<usize>>,
    hand: Option<usize>,
    costs: Vec<i64>,
}

impl Towers {
    /// From positions and costs alone; panics where blocks stand in a circle, or two on one.
    pub(crate) fn of(state: &Named, n: usize) -> Self {
        let place = |i: usize| state[&format!("block_{i}")];
        let below = |i: usize| -> Option<usize> {
            let others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
            usize::try_from(place(i) - 2).ok().map(|k| others[k])
        };
        let mut towers: Vec<Vec<usize>> = (0..n).filter(|i| place(*i) == 1).map(|i| vec![i]).collect();
        for tower in &mut towers {
            while let Some(next) = (0..n).find(|i| below(*i) == tower.last().copied()) {
                assert_eq!((0..n).filter(|i| below(*i) == tower.last().copied()).count(), 1, "{state:?}");
                tower.push(next);
            }
        }
        let held: Vec<usize> = (0..n).filter(|i| place(*i) == 0).collect();
        assert!(held.len() <= 1, "{state:?}");
        assert_eq!(towers.iter().map(Vec::len).sum::<usize>() + held.len(), n, "{state:?}");
        let costs = (0..n).map(|i| state[&format!("cost_block_{i}")]).collect();
        Self { towers, hand: held.first().copied(), costs }
    }

    /// The variables in their order: hand, counter, positions, flags, costs.
    pub(crate) fn values(&self) -> Vec<i64> {
        let n = self.costs.len();
        let mut places = vec![0; n];
        let mut clear = vec![0; n];
        for tower in &self.towers {
            places[tower[0]] = 1;
            for pair in tower.windows(2) {
                let others: Vec<usize> = (0..n).filter(|j| *j != pair[1]).collect();
                places[pair[1]] = others.iter().position(|j| *j == pair[0]).unwrap() as i64 + 2;
            }
            clear[*tower.last().unwrap()] = 1;
        }
        let hand = vec![i64::from(self.hand.is_none()), self.towers.len() as i64];
        [hand, places, clear, self.costs.clone()].concat()
    }

    fn paid(&self, i: usize) -> Self {
        let mut next = self.clone();
        next.costs[i] += 1;
        next
    }

    /// Takes a block off the top of its tower.
    fn taken(&self, i: usize) -> Self {
        let mut next = self.clone();
        let tower = next.towers.iter_mut().find(|t| t.last() == Some(&i)).unwrap();
        tower.pop();
        next.towers.retain(|t| !t.is_empty());
        next.hand = Some(i);
        next
    }

    /// Puts what is in the hand on a block, or on the table.
    fn put(&self, target: Option<usize>) -> Self {
        let mut next = self.clone();
        let i = next.hand.take().unwrap();
        match target {
            Some(j) => next.towers.iter_mut().find(|t| t.last() == Some(&j)).unwrap().push(i),
            None => next.towers.push(vec![i]),
        }
        next
    }

    /// What may happen with these probabilities of success, failure and dropping.
    pub(crate) fn moves(&self, bound: i64, how: &How) -> Moves {
        let mut moves = Moves::new();
        let mut step = |i: usize, label: String, done: Towers, dropped: Option<Towers>| {
            if self.costs[i] == bound {
                return;
            }
            let probabilities = if dropped.is_some() { how.high } else { how.low };
            let results = [Some(done), Some(self.paid(i)), dropped.map(|d| d.paid(i))];
            for edge in probabilities {
                let mut outcomes = Vec::new();
                for (probability, result) in edge.iter().zip(&results) {
                    if *probability != "0" {
                        outcomes.push(((*probability).to_owned(), result.as_ref().unwrap().values()));
                    }
                }
                moves.push((label.clone(), outcomes));
            }
        };
        let tops = || self.towers.iter().map(|t| *t.last().unwrap());
        match self.hand {
            Some(i) => {
                step(i, "choose_table".to_owned(), self.put(None), None);
                tops().for_each(|j| step(i, format!("choose_block_{j}"), self.put(Some(j)), Some(self.put(None))));
            }
            None => {
                for i in tops() {
                    let high = self.towers.iter().any(|t| t.len() > 1 && t.last() == Some(&i));
                    let dropped = high.then(|| self.taken(i).put(None));
                    step(i, format!("choose_block_{i}"), self.taken(i), dropped);
                }
            }
        }
        sorted(moves)
    }
}

/// Edges, each with the probabilities of success, failure and dropping: for moves from or to the table, and for others.
pub(crate) struct How {
    pub(crate) low: &'static [[&'static str; 3]],
    pub(crate) high: &'static [[&'static str; 3]],
}
