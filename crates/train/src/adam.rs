//! Adam (Kingma and Ba 2015), with gradients clipped by their norm.

/// How fast the mean of gradients, and that of their squares, forget.
const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The optimiser's own state.
#[derive(Debug, Clone)]
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    /// `FIRST` and `SECOND` to the number of steps so far.
    powers: (f32, f32),
}

impl Adam {
    /// For so many parameters.
    #[must_use]
    pub fn new(parameters: usize) -> Self {
        Self { mean: vec![0.0; parameters], square: vec![0.0; parameters], powers: (1.0, 1.0) }
    }

    /// Moves parameters against a gradient, by about `rate` each.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        self.powers = (self.powers.0 * FIRST, self.powers.1 * SECOND);
        let (mean_part, square_part) = (1.0 - self.powers.0, 1.0 - self.powers.1);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, g), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *mean = FIRST * *mean + (1.0 - FIRST) * g;
            *square = SECOND * *square + (1.0 - SECOND) * g * g;
            *parameter -= rate * (*mean / mean_part) / ((*square / square_part).sqrt() + EPSILON);
        }
    }
}

/// Shortens a gradient whose norm is larger than `most`; the norm that it had.
pub fn clip(gradient: &mut [f32], most: f32) -> f32 {
    let norm = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
    if norm > most {
        let factor = most / norm;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition, one parameter at a time in double precision.
    fn reference(start: f64, gradients: &[f64], rate: f64) -> f64 {
        let (mut mean, mut square, mut parameter) = (0.0, 0.0, start);
        for (t, g) in (1..).zip(gradients) {
            mean = 0.9 * mean + 0.1 * g;
            square = 0.999 * square + 0.001 * g * g;
            let (m, v): (f64, f64) = (mean / (1.0 - 0.9f64.powi(t)), square / (1.0 - 0.999f64.powi(t)));
            parameter -= rate * m / (v.sqrt() + 1e-8);
        }
        parameter
    }

    #[test]
    fn steps_are_those_of_the_definition() {
        let gradients = [[0.5, -2.0], [0.25, 3.0], [-1.0, 0.0], [0.125, 1e-3]];
        let (mut adam, mut parameters) = (Adam::new(2), [1.0f32, -1.0]);
        for gradient in &gradients {
            adam.step(&mut parameters, gradient, 0.01);
        }
        for (i, start) in [1.0, -1.0].into_iter().enumerate() {
            let of: Vec<f64> = gradients.iter().map(|g| f64::from(g[i])).collect();
            let expected = reference(start, &of, 0.01);
            assert!((f64::from(parameters[i]) - expected).abs() < 1e-5, "{} is not {expected}", parameters[i]);
        }
    }

    #[test]
    fn long_gradients_are_shortened() {
        let mut gradient = [3.0, 4.0];
        assert!(clip(&mut gradient, 10.0) == 5.0 && gradient == [3.0, 4.0]);
        assert!(clip(&mut gradient, 0.5) == 5.0);
        assert!((gradient[0] - 0.3).abs() < 1e-6 && (gradient[1] - 0.4).abs() < 1e-6);
    }
}
