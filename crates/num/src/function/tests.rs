use super::*;
use crate::Random;

const ALL: [Function; 8] = [
    Function::Tanh,
    Function::Sigmoid,
    Function::Softplus,
    Function::Elu { alpha: 1.0 },
    Function::Elu { alpha: 1.75 },
    Function::Gelu,
    Function::GeluTanh,
    Function::Silu,
];

fn exact(x: f64) -> Rational {
    Rational::from_f64(x).expect("finite")
}

fn at(function: Function, x: f64, bits: usize) -> (Rational, Rational) {
    function.over_ball(&Ball::rational(&exact(x), bits)).ends()
}

/// The digits that mpmath gives.
#[test]
fn balls_contain_the_known_digits() {
    let known = [
        (Function::Tanh, 1.0, "0.761594155955764888119458282604793590412768597"),
        (Function::Tanh, -0.5, "-0.46211715726000975850231848364367254873028928"),
        (Function::Sigmoid, 2.0, "0.880797077977882444059729141302396795206384299"),
        (Function::Softplus, 0.0, "0.693147180559945309417232121458176568075500134"),
        (Function::Softplus, -3.0, "0.0485873515737420587589259198546899979418816428"),
        (Function::Elu { alpha: 1.0 }, -1.0, "-0.632120558828557678404476229838539132554188869"),
        (Function::Gelu, 1.0, "0.841344746068542948585232545632037922477912967"),
        (Function::Gelu, -2.5, "-0.0155241633144403379174452614354805528197443673"),
        (Function::Silu, 1.0, "0.73105857863000487925115924182183627436514464"),
        (Function::GeluTanh, 1.0, "0.84119199060827670478199577704518386082576147"),
        (Function::GeluTanh, -0.75, "-0.17003944483437969581585580301350029328823224"),
    ];
    for (function, x, digits) in known {
        let written: Rational = digits.parse().unwrap();
        let places = i32::try_from(digits.len()).unwrap() - i32::try_from(digits.find('.').unwrap()).unwrap() - 1;
        let unit = Rational::from(10).checked_pow(-places).unwrap();
        let (low, high) = at(function, x, 256);
        assert!(&low - &unit <= written && written <= &high + &unit, "{function} at {x}: {} {digits}", low.to_f64());
        assert!((&high - &low) < Rational::from(2).checked_pow(-240).unwrap(), "{function} at {x}");
    }
}

/// A number from zero to one.
fn share(random: &mut Random) -> f64 {
    f64::from(u32::try_from(random.next_u64() >> 32).unwrap()) / f64::from(u32::MAX)
}

fn sample(random: &mut Random) -> f64 {
    let unit = share(random);
    let scale = [1e-30, 1e-3, 1.0, 4.0, 10.0, 50.0, 900.0, 1e6][random.below(8)];
    (unit * 2.0 - 1.0) * scale
}

#[test]
fn floats_are_as_near_as_they_say() {
    let mut random = Random::new(18);
    for round in 0..4000 {
        let function = ALL[round % ALL.len()];
        let x = sample(&mut random);
        let (low, high) = at(function, x, 192);
        let (value, error) = (exact(function.at(x)), exact(function.error(x.abs())));
        assert!(&value - &error <= low && high <= &value + &error, "{function} at {x:e}: {}", function.at(x));
    }
}

#[test]
fn intervals_contain_what_is_between() {
    let mut random = Random::new(19);
    for round in 0..1000 {
        let function = ALL[round % ALL.len()];
        let (a, b) = (sample(&mut random), sample(&mut random));
        let around = function.over(FloatInterval { lower: a.min(b), upper: a.max(b) });
        let middle = a + (b - a) * share(&mut random);
        for x in [a, b, middle.clamp(a.min(b), a.max(b))] {
            let (low, high) = at(function, x, 128);
            assert!(exact(around.lower) <= low && high <= exact(around.upper), "{function} over {a:e} {b:e} at {x:e}");
        }
    }
}

/// More bits say the same, more precisely; a wider argument gives a wider ball around it.
#[test]
fn balls_agree_with_one_another() {
    let mut random = Random::new(20);
    for round in 0..200 {
        let function = ALL[round % ALL.len()];
        let x = sample(&mut random);
        let (low, high) = at(function, x, 96);
        let (finer_low, finer_high) = at(function, x, 700);
        assert!(low <= finer_low && finer_high <= high && finer_low <= finer_high, "{function} at {x:e}");
        let near = x + 1e-9 * x;
        let wide = Ball::rational(&exact(x), 96).widened(dashu_int::UBig::from(2u8) * wide_units(x, near));
        let (low, high) = function.over_ball(&wide).ends();
        let (inner_low, inner_high) = at(function, near, 300);
        assert!(low <= inner_low && inner_high <= high, "{function} near {x:e}");
    }
}

fn wide_units(x: f64, near: f64) -> dashu_int::UBig {
    let distance = (&exact(near) - &exact(x)).abs();
    let units = (&distance * &Rational::from(2).checked_pow(96).unwrap()).ceil();
    dashu_int::UBig::try_from(units.numerator()).unwrap() + dashu_int::UBig::ONE
}

#[test]
fn laws_of_reflection_hold() {
    for function in ALL {
        let Some(Reflection { sign, slope, offset }) = function.reflection() else { continue };
        for x in [0.25, 1.0, 3.5, 12.0] {
            let (low, high) = at(function, -x, 200);
            let (a, b) = at(function, x, 200);
            let by_law = |value: &Rational| {
                let linear = &(&Rational::from(slope) * &exact(x)) + &Rational::from(offset);
                &(&Rational::from(sign) * value) + &linear
            };
            let ends = [by_law(&a), by_law(&b)];
            let (from, to) = (ends[0].clone().min(ends[1].clone()), ends[0].clone().max(ends[1].clone()));
            assert!(from <= high && low <= to, "{function} at {x}");
        }
    }
}

#[test]
fn rational_values_are_values() {
    for function in ALL {
        for x in [Rational::ZERO, Rational::new(3, 2).unwrap()] {
            if let Some(value) = function.rational_at(&x) {
                let (low, high) = function.over_ball(&Ball::rational(&x, 128)).ends();
                assert!(low <= value && value <= high, "{function} at {x}");
            }
        }
    }
}

#[test]
fn single_precision_is_the_nearest() {
    let mut random = Random::new(21);
    for _ in 0..3000 {
        let bits = u32::try_from(random.next_u64() >> 32).unwrap();
        let (a, b) = (f32::from_bits(bits), f32::from_bits(bits).next_up());
        if !a.is_finite() || !b.is_finite() {
            continue;
        }
        let half = Rational::new(1, 2).unwrap();
        let middle = &half * &(&exact(f64::from(a)) + &exact(f64::from(b)));
        let tiny = Rational::from(2).checked_pow(-400).unwrap();
        let even = if a.to_bits() & 1 == 0 { a } else { b };
        assert_eq!(single::nearest(&middle), even, "{a:e}");
        assert_eq!(single::nearest(&(&middle - &tiny)), a, "{a:e}");
        assert_eq!(single::nearest(&(&middle + &tiny)), b, "{a:e}");
        assert_eq!(single::nearest(&exact(f64::from(a))), a);
    }
    assert_eq!(single::nearest(&exact(3.402_823_5e38)), f32::MAX);
    assert_eq!(single::nearest(&exact(1e39)), f32::INFINITY);
    assert_eq!(single::nearest(&exact(-1e300)), f32::NEG_INFINITY);
}

#[test]
fn functions_are_rounded_correctly() {
    let mut random = Random::new(22);
    for round in 0..1500 {
        let function = ALL[round % ALL.len()];
        #[expect(clippy::cast_possible_truncation, reason = "a random number")]
        let x = sample(&mut random) as f32;
        let rounded = function.rounded(x).expect("decided");
        let (low, high) = at(function, f64::from(x), 1024);
        assert_eq!(single::nearest(&low), rounded, "{function} at {x:e}");
        assert_eq!(single::nearest(&high), rounded, "{function} at {x:e}");
    }
    assert_eq!(Function::Tanh.rounded(0.0), Some(0.0));
    assert_eq!(Function::Tanh.rounded(1e-40), Some(1e-40));
}
