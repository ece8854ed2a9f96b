//! Rectangular grids with uneven steps, and multilinear interpolation between their points.
//!
//! Values are kept in a list, the last axis fastest. Between points a value is the mean of those at the corners of the cell around it, weighed by how near
//! they are along each axis: at a point it is the value there, and it is never beyond the values of the corners. Outside the grid it is that of the nearest point of
//! its border.

/// A grid over `N` real numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid<const N: usize> {
    axes: [Vec<f64>; N],
}

impl<const N: usize> Grid<N> {
    /// The points of each axis.
    ///
    /// # Panics
    /// When an axis has no points, or they do not increase.
    #[must_use]
    pub fn new(axes: [Vec<f64>; N]) -> Self {
        let increases = |axis: &Vec<f64>| axis.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(axes.iter().all(|axis| !axis.is_empty() && increases(axis)), "the points of an axis increase");
        Self { axes }
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.axes.iter().map(Vec::len).product()
    }

    /// A point, by its number.
    #[must_use]
    pub fn point(&self, number: usize) -> [f64; N] {
        let (mut rest, mut at) = (number, [0.0; N]);
        for (axis, x) in self.axes.iter().zip(&mut at).rev() {
            *x = axis[rest % axis.len()];
            rest /= axis.len();
        }
        at
    }

    /// The value at a place, of values at the points.
    #[must_use]
    #[inline]
    pub fn interpolate(&self, values: &[f32], at: [f64; N]) -> f64 {
        let mut cells = [(0, 0.0); N];
        for dimension in 0..N {
            cells[dimension] = locate(&self.axes[dimension], at[dimension]);
        }
        let mut sum = 0.0;
        for corner in 0..1usize << N {
            let (mut number, mut weight) = (0, 1.0);
            for (dimension, (low, share)) in cells.into_iter().enumerate() {
                let (size, upper) = (self.axes[dimension].len(), corner >> dimension & 1);
                // What has no weight may be beyond the end.
                number = number * size + (low + upper).min(size - 1);
                weight *= if upper == 1 { share } else { 1.0 - share };
            }
            sum += weight * f64::from(values[number]);
        }
        sum
    }
}

/// The last point that is not above `x`, and how far on the way to the next one `x` is.
#[inline]
fn locate(axis: &[f64], x: f64) -> (usize, f64) {
    let above = axis.partition_point(|point| *point <= x);
    match (above.checked_sub(1), axis.get(above)) {
        (Some(low), Some(next)) => (low, (x - axis[low]) / (next - axis[low])),
        (Some(last), None) => (last, 0.0),
        (None, _) => (0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use surefoot_num::Random;

    use super::*;

    fn between(random: &mut Random, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(crate::dense::uniform(random))
    }

    fn example() -> Grid<3> {
        Grid::new([vec![-4.0, -1.0, 0.0, 0.5, 3.0], vec![0.0, 2.0], vec![-1.0, 1.0, 10.0]])
    }

    fn values(grid: &Grid<3>, f: impl Fn([f64; 3]) -> f64) -> Vec<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "small sums of products")]
        (0..grid.points()).map(|number| f(grid.point(number)) as f32).collect()
    }

    #[test]
    fn points_have_their_own_values() {
        let (grid, mut random) = (example(), Random::new(1));
        let values: Vec<f32> = (0..grid.points()).map(|_| crate::dense::uniform(&mut random)).collect();
        for (number, value) in values.iter().enumerate() {
            assert_eq!(grid.interpolate(&values, grid.point(number)), f64::from(*value));
        }
    }

    #[test]
    fn multilinear_functions_are_met_and_nothing_is_beyond_the_corners() {
        let (grid, mut random) = (example(), Random::new(2));
        let f = |[x, y, z]: [f64; 3]| 2.0 * x - y + 0.5 * z + x * y - 0.25 * y * z + 0.125 * x * y * z;
        let exact = values(&grid, f);
        let noise: Vec<f32> = (0..grid.points()).map(|_| crate::dense::uniform(&mut random)).collect();
        for _ in 0..500 {
            let at = [(-4.0, 3.0), (0.0, 2.0), (-1.0, 10.0)].map(|(low, high)| between(&mut random, low, high));
            assert!((grid.interpolate(&exact, at) - f(at)).abs() < 1e-4, "{at:?}");
            assert!((0.0..1.0).contains(&grid.interpolate(&noise, at)), "{at:?}");
        }
    }

    #[test]
    fn outside_it_is_the_border() {
        let (grid, mut random) = (example(), Random::new(3));
        let values: Vec<f32> = (0..grid.points()).map(|_| crate::dense::uniform(&mut random)).collect();
        for _ in 0..500 {
            let at = [0; 3].map(|_| between(&mut random, -20.0, 20.0));
            let nearest = [at[0].clamp(-4.0, 3.0), at[1].clamp(0.0, 2.0), at[2].clamp(-1.0, 10.0)];
            assert_eq!(grid.interpolate(&values, at), grid.interpolate(&values, nearest), "{at:?}");
        }
    }
}
