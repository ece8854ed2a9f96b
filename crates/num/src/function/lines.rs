//! Two lines around a function over an interval: what replaces it in a linear relaxation.
//!
//! Over `[l, u]`, `s z + t <= f(z) <= s' z + t'`. Slopes are chosen in floats for a small area between the lines, as in Zhang et al.,
//! *Efficient Neural Network Robustness Certification*, NeurIPS 2018: the secant where `f` bends towards the line, a tangent where it
//! bends away from it, and from one end a tangent to the far side where it does both.
//!
//! **Soundness.** A slope is any float; the intercept is then computed for that very slope, rounded outward. Let `g(z) = f(z) - s z`
//! be bounded from above on `[l, u]`, which is cut into pieces where `f` bends one way:
//!
//! * on a convex piece `g` is largest at an end;
//! * on a concave piece `g(z) <= g(c) + g'(c) (z - c)` for any `c` of it, and that is largest at an end.
//!
//! Values and derivatives come with bounds on their errors. From below it is the same for `-f`. The last three functions bend three
//! times; `|f''| <= K` gives `|f - secant| <= K (u - l)^2 / 8` (`curvature`), and far from zero they are near to a ReLU (`dip`).

use super::{Function, float, tangent};
use crate::interval::FloatInterval;
use crate::round::{add_down, add_up, mul_up};

/// `slope z + intercept`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The factor.
    pub slope: f64,
    /// The rest.
    pub intercept: f64,
}

/// A line below a function over an interval, and one above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// Nowhere above the function.
    pub lower: Line,
    /// Nowhere below it.
    pub upper: Line,
}

/// How much further out than the middle a tangent touches, in widths of the interval: `k` of them minimise the area and, `2 k` times,
/// what the line rises.
const OUTWARD: f64 = 0.125;

/// Intervals narrower than this have lines with the slope in their middle: that of a secant would be noise.
const NARROW: f64 = 1e-7;

impl Lines {
    /// How far they are apart in the middle of the interval, roughly.
    #[must_use]
    pub fn gap(&self, l: f64, u: f64) -> f64 {
        let middle = 0.5 * l + 0.5 * u;
        (self.upper.slope - self.lower.slope) * middle + (self.upper.intercept - self.lower.intercept)
    }
}

/// Which way a function bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bend {
    Convex,
    Concave,
}

impl Function {
    /// Lines around the function over an interval; `lower <= upper`, and neither is a NaN. An end may be infinite: then the lines are
    /// constants, or say nothing.
    #[must_use]
    pub fn lines(self, over: FloatInterval) -> Lines {
        let FloatInterval { lower: l, upper: u } = over;
        let constant = |intercept| Line { slope: 0.0, intercept };
        if !over.is_finite() {
            let (lower, upper) = self.limits();
            return Lines { lower: constant(lower), upper: constant(upper) };
        }
        match self {
            Self::Tanh | Self::Sigmoid | Self::Softplus | Self::Elu { .. } => {
                let ends = [(l, self.at(l)), (u, self.at(u))];
                let below = above(self, -1.0, ends);
                let lower = Line { slope: -below.slope, intercept: -below.intercept };
                Lines { lower, upper: above(self, 1.0, ends) }
            }
            Self::Gelu | Self::GeluTanh | Self::Silu => {
                let (secant, rectified) = (secant_band(self, l, u), rectified_band(self, l, u));
                if secant.gap(l, u) <= rectified.gap(l, u) { secant } else { rectified }
            }
        }
    }

    /// What all its values are between.
    fn limits(self) -> (f64, f64) {
        match self {
            Self::Tanh => (-1.0, 1.0),
            Self::Sigmoid => (0.0, 1.0),
            Self::Softplus => (0.0, f64::INFINITY),
            Self::Elu { alpha } => (-alpha, f64::INFINITY),
            Self::Gelu | Self::GeluTanh | Self::Silu => (-dip(self), f64::INFINITY),
        }
    }

    /// Its derivative, computed, and a bound on the error; at zero that from the left or from the right. Not for functions that bend
    /// three times.
    ///
    /// Soundness: `tanh' = 1 - tanh^2`, so an error `e` of the value becomes `2 e` and a little; `sigmoid' = y (1 - y)`, whose slope in
    /// `y` is at most one; `softplus' = sigmoid`; `elu' = alpha e^x`, where the exponential has a relative error below `2^-46`. Every one
    /// takes at most three roundings of numbers at most one, but for the factor alpha.
    #[must_use]
    pub fn derivative(self, x: f64, from_left: bool) -> (f64, f64) {
        match self {
            Self::Tanh => {
                let y = float::tanh(x);
                (1.0 - y * y, 4.0 * float::TANH_ERROR)
            }
            Self::Sigmoid => {
                let y = float::sigmoid(x);
                (y * (1.0 - y), 4.0 * float::SIGMOID_ERROR)
            }
            Self::Softplus => (float::sigmoid(x), float::SIGMOID_ERROR),
            Self::Elu { alpha } if x < 0.0 || (x == 0.0 && from_left) => {
                (alpha * float::exp_neg(-x), add_up(mul_up(alpha, float::ELU_ERROR), float::TINY))
            }
            Self::Elu { .. } => (1.0, 0.0),
            Self::Gelu | Self::GeluTanh | Self::Silu => (0.0, f64::INFINITY),
        }
    }
}

/// A function with a sign over an interval, and where it bends which way.
#[derive(Debug, Clone, Copy)]
struct Signed {
    function: Function,
    sign: f64,
    /// The ends of the interval, and the values there.
    ends: [(f64, f64); 2],
}

impl Signed {
    /// The value, computed.
    fn at(self, z: f64) -> f64 {
        let known = self.ends.iter().find(|(end, _)| *end == z);
        self.sign * known.map_or_else(|| self.function.at(z), |(_, value)| *value)
    }

    /// The slope, computed.
    fn slope(self, z: f64) -> f64 {
        self.sign * self.function.derivative(z, false).0
    }

    /// How it bends below zero and above.
    fn bends(self) -> [Bend; 2] {
        let convex = match self.function {
            Function::Tanh | Function::Sigmoid => [true, false],
            _ => [true, true],
        };
        convex.map(|convex| if convex == (self.sign > 0.0) { Bend::Convex } else { Bend::Concave })
    }

    /// An upper bound on `f(z) - s z` at a point.
    fn excess(self, z: f64, s: f64) -> f64 {
        add_up(add_up(self.at(z), self.function.error(z.abs())), mul_up(-s, z))
    }

    /// An upper bound on `f(z) - s z` over a piece; the tangent is that at `c`, or at the end next to it.
    fn most(self, (a, b): (f64, f64), bend: Bend, s: f64, c: f64) -> f64 {
        if bend == Bend::Convex {
            return self.excess(a, s).max(self.excess(b, s));
        }
        let c = c.clamp(a, b);
        let (d, error) = self.function.derivative(c, b <= 0.0);
        let rises = add_up(add_up(self.sign * d, -s), error).max(0.0);
        let falls = -add_down(add_down(self.sign * d, -s), -error).min(0.0);
        let extra = mul_up(rises, add_up(b, -c)).max(mul_up(falls, add_up(c, -a)));
        add_up(self.excess(c, s), extra)
    }
}

/// A line above a function with a sign, by its bends.
fn above(function: Function, sign: f64, ends: [(f64, f64); 2]) -> Line {
    let (signed, [(l, _), (u, _)]) = (Signed { function, sign, ends }, ends);
    let [below, beyond] = signed.bends();
    let pieces = [((l, u.min(0.0)), below), ((l.max(0.0), u), beyond)];
    let (slope, touch) = slope(signed, below, beyond, l, u);
    let most = pieces.iter().filter(|((a, b), _)| a <= b).map(|(piece, bend)| signed.most(*piece, *bend, slope, touch));
    Line { slope, intercept: most.fold(f64::NEG_INFINITY, f64::max) }
}

/// A slope for a line above, and where it touches if it is a tangent; in floats, for a small area.
fn slope(f: Signed, below: Bend, beyond: Bend, l: f64, u: f64) -> (f64, f64) {
    let middle = 0.5 * l + 0.5 * u;
    if u - l < NARROW {
        return (f.slope(middle), middle);
    }
    let secant = (f.at(u) - f.at(l)) / (u - l);
    let bend = |z: f64| if z < 0.0 { below } else { beyond };
    if below == beyond || u <= 0.0 || l >= 0.0 {
        return if bend(middle) == Bend::Convex { (secant, middle) } else { (f.slope(middle), middle) };
    }
    // It bends both ways: from the end of the convex side to a point of the concave one, or to its end.
    let (end, far) = if below == Bend::Convex { (l, u) } else { (u, l) };
    let scale = if f.function == Function::Sigmoid { 2.0 } else { 1.0 };
    let mut touch = (scale * tangent::touch(end.abs() / scale)).copysign(far);
    if touch.abs() >= far.abs() {
        return (secant, far);
    }
    // Of the tangents above the end, that at the middle has the smallest area. But where the interval is wide a tangent there may leave
    // the range of the function far behind; a flatter one, a little further out, costs little and is worth more.
    let out = middle + (OUTWARD * (u - l)).copysign(far);
    if out.abs() > touch.abs() && (out < 0.0) == (touch < 0.0) {
        touch = out;
    }
    (f.slope(touch), touch)
}

/// `K`, a bound on the second derivative.
///
/// Soundness: `gelu'' = p (2 - x^2)` with `p(0) < 0.3990` and `x^2 p(x) <= 2 p(0) / e`. `silu'' = s (1 - s) (2 - |x| tanh(|x|/2))`, which is
/// at most `1/2` and at least `-|x| e^-|x| >= -1/e`. For the other gelu with `v` the argument of `tanh`, `c = sqrt(2/pi)`,
/// `k = 0.044715`: `f'' = v' / cosh^2 v + x v'' / (2 cosh^2 v) - x v'^2 tanh v / cosh^2 v`. As `1 / cosh^2 v <= 1 / (1 + c^2 x^2)`, the first
/// term is at most `c`, the second at most `3 k / c`; in the third `|x| v' <= 3 |v|` and `v' <= c + (3 k / c) v^2`, which makes it at most
/// `0.96`.
fn curvature(function: Function) -> f64 {
    match function {
        Function::Gelu => 0.8,
        Function::Silu => 0.5,
        _ => 2.0,
    }
}

/// How far below a ReLU the function is at most; it is nowhere above.
///
/// Soundness: all three are `x` times something between zero and one, and `f(x) - x = f(-x)`, so the distance is `-f(-|x|)`. For silu this
/// is `x / (e^x + 1) < 0.2785`. For gelu `x P(-x) < 0.171`. For the other one, the argument of `tanh` is at least `c x` with
/// `c = sqrt(2/pi)`, so it is at most `x / (e^(2 c x) + 1) < 0.2785 / (2 c)`.
fn dip(function: Function) -> f64 {
    match function {
        Function::Silu => 0.2785,
        _ => 0.175,
    }
}

/// The secant, and how far it is from the function by its curvature.
fn secant_band(function: Function, l: f64, u: f64) -> Lines {
    let (at_l, at_u) = (function.at(l), function.at(u));
    let width = add_up(u, -l);
    let slope = if width < NARROW { 0.0 } else { (at_u - at_l) / (u - l) };
    // Soundness: at either end the distance of the line from the exact secant is at most what is added here, so it is in between.
    let error = function.error(l.abs().max(u.abs()));
    let start = FloatInterval { lower: add_down(at_l, -error), upper: add_up(at_l, error) };
    let end = FloatInterval { lower: add_down(at_u, -error), upper: add_up(at_u, error) };
    let bend = mul_up(mul_up(width, width), 0.125 * curvature(function));
    let upper = add_up(start.upper, mul_up(-slope, l)).max(add_up(end.upper, mul_up(-slope, u)));
    let lower = add_up(-start.lower, mul_up(slope, l)).max(add_up(-end.lower, mul_up(slope, u)));
    Lines {
        lower: Line { slope, intercept: -add_up(lower, bend) },
        upper: Line { slope, intercept: add_up(upper, bend) },
    }
}

/// The lines of a ReLU, the lower one moved down.
fn rectified_band(function: Function, l: f64, u: f64) -> Lines {
    let slope = if l >= 0.0 {
        1.0
    } else if u <= 0.0 {
        0.0
    } else {
        (u / (u - l)).clamp(0.0, 1.0)
    };
    // For any slope in [0, 1], relu(z) - slope z is largest at one of the ends.
    let most = mul_up(slope, -l).max(mul_up((1.0 - slope).next_up(), u));
    let lower = if u + l > 0.0 { 1.0 } else { 0.0 };
    Lines { lower: Line { slope: lower, intercept: -dip(function) }, upper: Line { slope, intercept: most } }
}

#[cfg(test)]
mod tests {
    use super::super::Ball;
    use super::*;
    use crate::random::Random;
    use crate::rational::Rational;

    const FUNCTIONS: [Function; 9] = [
        Function::Tanh,
        Function::Sigmoid,
        Function::Softplus,
        Function::Elu { alpha: 1.0 },
        Function::Elu { alpha: 0.25 },
        Function::Elu { alpha: 3.0 },
        Function::Gelu,
        Function::GeluTanh,
        Function::Silu,
    ];

    fn exact(value: f64) -> Rational {
        Rational::from_f64(value).expect("finite")
    }

    /// Compares the lines with 192 bits of the function at a point.
    fn check(function: Function, lines: &Lines, z: f64) {
        let (low, high) = function.over_ball(&Ball::rational(&exact(z), 192)).ends();
        let at = |line: &Line| &(&exact(line.slope) * &exact(z)) + &exact(line.intercept);
        assert!(at(&lines.lower) <= high, "{function} at {z}: below {lines:?}");
        assert!(low <= at(&lines.upper), "{function} at {z}: above {lines:?}");
    }

    /// A number in an interval.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn between(random: &mut Random, l: f64, u: f64) -> f64 {
        let share = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (l + share * (u - l)).clamp(l, u)
    }

    /// At the ends, at zero, close to where lines touch, and at random.
    #[test]
    fn lines_are_below_and_above() {
        let mut random = Random::new(7);
        for round in 0..400 {
            let scale = [1e-12, 1e-6, 0.01, 0.3, 1.0, 3.0, 10.0, 50.0, 2000.0, 1e9][round % 10];
            let centre = between(&mut random, -4.0, 4.0) * if round % 3 == 0 { 0.0 } else { 1.0 };
            let a = centre + between(&mut random, -scale, scale);
            let b = centre + between(&mut random, -scale, scale);
            let (l, u) = (a.min(b), a.max(b));
            for function in FUNCTIONS {
                let lines = function.lines(FloatInterval { lower: l, upper: u });
                let mut points = vec![l, u, l.next_up().min(u), u.next_down().max(l), 0.0f64.clamp(l, u)];
                points.extend((0..12).map(|i| (l + f64::from(i) / 12.0 * (u - l)).clamp(l, u)));
                points.extend((0..4).map(|_| between(&mut random, l, u)));
                points.iter().for_each(|z| check(function, &lines, *z));
            }
        }
    }

    /// Over narrow intervals the lines are close: quadratically so.
    #[test]
    fn lines_close_in() {
        for function in FUNCTIONS {
            for centre in [-3.0, -0.7, 0.4, 2.0] {
                for (width, most) in [(1.0, 0.6), (0.1, 0.006), (0.01, 6e-5), (1e-4, 6e-9)] {
                    let (l, u) = (centre - 0.5 * width, centre + 0.5 * width);
                    let gap = function.lines(FloatInterval { lower: l, upper: u }).gap(l, u);
                    let steep = if let Function::Elu { alpha } = function { alpha.max(1.0) } else { 1.0 };
                    assert!((0.0..most * steep).contains(&gap), "{function} around {centre}, {width} wide: {gap}");
                }
            }
        }
    }

    #[test]
    fn infinite_intervals_have_constants() {
        let all = FloatInterval { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
        let lines = Function::Tanh.lines(all);
        assert_eq!((lines.lower.intercept, lines.upper.intercept), (-1.0, 1.0));
        for function in FUNCTIONS {
            let lines = function.lines(all);
            let lower = lines.lower;
            check(function, &Lines { lower, upper: Line { slope: 0.0, intercept: 1e12 } }, -1.3);
            assert!(lines.upper.intercept >= 1.0 && lines.upper.slope == 0.0 && lower.slope == 0.0);
        }
    }
}
