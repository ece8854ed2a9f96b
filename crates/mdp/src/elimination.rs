//! Hitting values of an absorbing Markov chain by state elimination.
//!
//! Given rows `x_i = sum_j a_ij x_j + c_i` with `a_ij >= 0` and an exit mass `e_i` such that `sum_j a_ij + e_i = 1`, from
//! which every state exits with probability one, a state `k` is eliminated by substituting its row into the
//! others; the loop this may give row `i` is taken out by dividing by the mass of all *other* ways to go on,
//! exits included, instead of by one minus the loop. This is the algorithm of Grassmann, Taksar and Heyman
//! (*Regenerative analysis and steady state distributions*, Oper. Res. 1985): there is no subtraction, so in
//! floats every entry keeps a small *relative* error however slowly the chain exits (O'Cinneide, *Entrywise
//! perturbation theory and error analysis for Markov chains*, Numer. Math. 1993).
//!
//! States with few neighbours go first (Markowitz), to keep rows short. Floats computed here are candidates only:
//! nothing rests on them until they are verified. Over [`Rational`] the result is exact.

use crate::mdp::number;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use surefoot_num::Rational;

/// Non-negative numbers to eliminate with.
pub(crate) trait Number: Clone {
    /// Zero.
    fn zero() -> Self;
    /// `self + other`.
    fn plus(&self, other: &Self) -> Self;
    /// `self * other`.
    fn times(&self, other: &Self) -> Self;
    /// `self / other`; `None` when `other` is zero.
    fn over(&self, other: &Self) -> Option<Self>;
    /// What an operation costs, in units of a small one.
    fn cost(&self) -> u64;
}

impl Number for f64 {
    fn zero() -> Self {
        0.0
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn over(&self, other: &Self) -> Option<Self> {
        (*other > 0.0).then(|| self / other)
    }
    fn cost(&self) -> u64 {
        1
    }
}

impl Number for Rational {
    fn zero() -> Self {
        Self::ZERO
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn over(&self, other: &Self) -> Option<Self> {
        self.checked_div(other)
    }
    fn cost(&self) -> u64 {
        1 + (self.bit_size() / 256) as u64
    }
}

/// One equation, with `K` right-hand sides.
#[derive(Debug, Clone)]
pub(crate) struct Row<N, const K: usize> {
    /// Sorted by column, without the row's own.
    pub(crate) entries: Vec<(u32, N)>,
    pub(crate) exit: N,
    pub(crate) constants: [N; K],
}

/// Solves for all right-hand sides at once.
///
/// `None` when the operations left in `budget` did not suffice, when `stop` says so, or when a row never exits.
pub(crate) fn eliminate<N: Number, const K: usize>(
    mut rows: Vec<Row<N, K>>,
    budget: &mut u64,
    mut stop: impl FnMut() -> bool,
) -> Option<Vec<[N; K]>> {
    let size = rows.len();
    // Rows with an entry in a column; may still name rows that are gone.
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (index, row) in rows.iter().enumerate() {
        for (column, _) in &row.entries {
            columns[*column as usize].push(number(index));
        }
    }
    let mut gone = vec![false; size];
    let mut order = Vec::with_capacity(size);
    let work = |rows: &[Row<N, K>], columns: &[Vec<u32>], state: usize| {
        (rows[state].entries.len() + 1) as u64 * columns[state].len() as u64
    };
    let mut heap: BinaryHeap<_> =
        (0..size).map(|state| Reverse((work(&rows, &columns, state), number(state)))).collect();
    while let Some(Reverse((estimate, state))) = heap.pop() {
        let index = state as usize;
        columns[index].retain(|&row| !gone[row as usize]);
        let now = work(&rows, &columns, index);
        if now > estimate && heap.peek().is_some_and(|Reverse((next, _))| now > *next) {
            heap.push(Reverse((now, state)));
            continue;
        }
        gone[index] = true;
        order.push(index);
        let pivot = std::mem::replace(
            &mut rows[index],
            Row { entries: Vec::new(), exit: N::zero(), constants: std::array::from_fn(|_| N::zero()) },
        );
        for row in std::mem::take(&mut columns[index]) {
            let spent = substitute(&mut rows[row as usize], row, &pivot, state, &mut columns)?;
            *budget = budget.checked_sub(spent)?;
            if stop() {
                return None;
            }
        }
        rows[index] = pivot;
    }
    let mut values: Vec<[N; K]> = vec![std::array::from_fn(|_| N::zero()); size];
    for &index in order.iter().rev() {
        let row = &rows[index];
        *budget = budget.checked_sub(row.entries.iter().map(|(_, entry)| entry.cost()).sum())?;
        if stop() {
            return None;
        }
        values[index] = std::array::from_fn(|side| {
            row.entries.iter().fold(row.constants[side].clone(), |sum, (column, entry)| {
                sum.plus(&entry.times(&values[*column as usize][side]))
            })
        });
    }
    Some(values)
}

/// Replaces column `state` in `row` by `pivot`, the row of that state, and takes out the loop this may close.
/// Returns the work done; `None` when the row then leads nowhere.
fn substitute<N: Number, const K: usize>(
    row: &mut Row<N, K>,
    own: u32,
    pivot: &Row<N, K>,
    state: u32,
    columns: &mut [Vec<u32>],
) -> Option<u64> {
    let Ok(position) = row.entries.binary_search_by_key(&state, |entry| entry.0) else { return Some(1) };
    let (_, factor) = row.entries.remove(position);
    let mut merged = Vec::with_capacity(row.entries.len() + pivot.entries.len());
    let mut old = std::mem::take(&mut row.entries).into_iter().peekable();
    let mut loops = false;
    let mut cost = 0;
    for (column, entry) in &pivot.entries {
        while let Some(entry) = old.next_if(|entry| entry.0 < *column) {
            merged.push(entry);
        }
        if *column == own {
            loops = true;
            continue;
        }
        let product = factor.times(entry);
        cost += product.cost();
        match old.next_if(|entry| entry.0 == *column) {
            Some((_, entry)) => merged.push((*column, entry.plus(&product))),
            None => {
                columns[*column as usize].push(own);
                merged.push((*column, product));
            }
        }
    }
    merged.extend(old);
    row.exit = row.exit.plus(&factor.times(&pivot.exit));
    for (constant, other) in row.constants.iter_mut().zip(&pivot.constants) {
        *constant = constant.plus(&factor.times(other));
    }
    if loops {
        let leave = merged.iter().fold(row.exit.clone(), |sum, (_, entry)| sum.plus(entry));
        cost += leave.cost() * (merged.len() + 1) as u64;
        for (_, entry) in &mut merged {
            *entry = entry.over(&leave)?;
        }
        row.exit = row.exit.over(&leave)?;
        for constant in &mut row.constants {
            *constant = constant.over(&leave)?;
        }
    }
    cost += merged.len() as u64 + K as u64 + 1;
    row.entries = merged;
    Some(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fair walk on `1..n` absorbed at both ends, value one at the right: the value of `i` is `i / n`.
    #[test]
    fn gamblers_ruin() {
        let n = 50;
        let half = Rational::new(1, 2).unwrap();
        let rows = (1..n)
            .map(|i: u32| {
                let neighbours = [i - 1, i + 1].into_iter().filter(|&j| j > 0 && j < n);
                let entries: Vec<_> = neighbours.map(|j| (j - 1, half.clone())).collect();
                let exit = if entries.len() == 2 { Rational::ZERO } else { half.clone() };
                let value = if i + 1 == n { half.clone() } else { Rational::ZERO };
                Row { entries, exit, constants: [value, Rational::ONE] }
            })
            .collect();
        let values = eliminate(rows, &mut 1_000_000, || false).unwrap();
        for (value, i) in values.into_iter().zip(1i64..) {
            let expected = [Rational::new(i, i64::from(n)).unwrap(), Rational::from(i * (i64::from(n) - i))];
            assert_eq!(value, expected);
        }
    }

    #[test]
    fn budget_and_dead_loops_are_noticed() {
        let row = |other: u32, exit: f64| Row { entries: vec![(other, 1.0 - exit)], exit, constants: [exit] };
        assert!(eliminate(vec![row(1, 0.0), row(0, 0.0)], &mut 100, || false).is_none());
        assert!(eliminate(vec![row(1, 0.5), row(0, 0.0)], &mut 100, || true).is_none());
        assert!(eliminate(vec![row(1, 0.5), row(0, 0.0)], &mut 1, || false).is_none());
        assert_eq!(eliminate(vec![row(1, 0.5), row(0, 0.0)], &mut 100, || false).unwrap(), [[1.0], [1.0]]);
    }
}
