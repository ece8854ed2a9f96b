//! Writing `.nnet`: what is written reads back as the same network, or is refused.

use std::fmt::Write as _;

use surefoot_num::{IBig, Rational, UBig};

use crate::layer::Activation;
use crate::network::Network;
use crate::normalisation::Normalisation;

/// Why a network has no `.nnet` form.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NnetWriteError {
    /// A layer whose activation the format cannot express.
    #[error("layer {layer} is {found}, but .nnet means {expected} there; write ONNX instead")]
    Activation {
        /// The layer, counted from 0.
        layer: usize,
        /// What the format means at that place.
        expected: Activation,
        /// What the layer has.
        found: Activation,
    },
    /// A normalisation constant that is no finite decimal, or a scale of zero.
    #[error("the normalisation of {what} has no finite decimal form as mean and range")]
    NotDecimal {
        /// Which input, or the outputs.
        what: String,
    },
    /// Outputs normalised differently: `.nnet` has one mean and one range for all.
    #[error("the outputs are normalised differently from each other, which .nnet cannot say; write ONNX instead")]
    OutputsDiffer,
}

/// The finite decimal expansion of a rational, if it has one.
fn decimal(value: &Rational) -> Option<String> {
    let mut rest = value.denominator();
    let (mut twos, mut fives) = (0usize, 0usize);
    for (factor, count) in [(2u8, &mut twos), (5u8, &mut fives)] {
        let factor = UBig::from(factor);
        while &rest % &factor == UBig::ZERO {
            rest /= &factor;
            *count += 1;
        }
    }
    if rest != UBig::ONE {
        return None;
    }
    let digits = twos.max(fives);
    let scaled = value.numerator() * IBig::from(UBig::from(10u8).pow(digits)) / IBig::from(value.denominator());
    let negative = scaled < IBig::ZERO;
    let magnitude = scaled.to_string().trim_start_matches('-').to_owned();
    let padded = format!("{magnitude:0>width$}", width = digits + 1);
    let (whole, fraction) = padded.split_at(padded.len() - digits);
    let sign = if negative { "-" } else { "" };
    Some(if digits == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Means and ranges, inputs first, then the one of the outputs.
fn means_and_ranges(network: &Network) -> Result<(Vec<String>, Vec<String>), NnetWriteError> {
    let mut means = vec!["0".to_owned(); network.input_len()];
    let mut ranges = vec!["1".to_owned(); network.input_len()];
    if let Some(normalisation) = network.input_normalisation() {
        for (input, (scale, offset)) in normalisation.scale().iter().zip(normalisation.offset()).enumerate() {
            // scale x + offset = (x - mean) / range with range = 1 / scale and mean = -offset / scale.
            let pair = || {
                let (range, mean) = (Rational::ONE.checked_div(scale)?, (-offset).checked_div(scale)?);
                Some((decimal(&mean)?, decimal(&range)?))
            };
            let what = || NnetWriteError::NotDecimal { what: format!("input {input}") };
            (means[input], ranges[input]) = pair().ok_or_else(what)?;
        }
    }
    let (mean, range) = output_mean_and_range(network.output_normalisation())?;
    means.push(mean);
    ranges.push(range);
    Ok((means, ranges))
}

fn output_mean_and_range(normalisation: Option<&Normalisation>) -> Result<(String, String), NnetWriteError> {
    let Some(normalisation) = normalisation else { return Ok(("0".to_owned(), "1".to_owned())) };
    let (scale, offset) = (&normalisation.scale()[0], &normalisation.offset()[0]);
    if normalisation.scale().iter().any(|s| s != scale) || normalisation.offset().iter().any(|o| o != offset) {
        return Err(NnetWriteError::OutputsDiffer);
    }
    match (decimal(offset), decimal(scale)) {
        (Some(mean), Some(range)) if !scale.is_zero() => Ok((mean, range)),
        _ => Err(NnetWriteError::NotDecimal { what: "the outputs".to_owned() }),
    }
}

fn line(text: &mut String, values: impl IntoIterator<Item = String>) {
    for value in values {
        text.push_str(&value);
        text.push(',');
    }
    text.push('\n');
}

/// Writes a network as `.nnet` text. Weights are the shortest decimals that read back to the same `f64`.
///
/// Without declared input bounds the widest 32-bit integers are written, because some readers clip to the bounds and
/// some read them as integers.
///
/// # Errors
/// When the format cannot express the network exactly.
pub fn write(network: &Network) -> Result<String, NnetWriteError> {
    let count = network.layers().len();
    for (layer, found) in network.layers().iter().map(|l| l.activation()).enumerate() {
        let expected = if layer + 1 == count { Activation::Identity } else { Activation::Relu };
        if found != expected {
            return Err(NnetWriteError::Activation { layer, expected, found });
        }
    }
    let (means, ranges) = means_and_ranges(network)?;
    let bounds = match network.input_bounds() {
        Some(bounds) => bounds.to_vec(),
        None => {
            let widest = (Rational::from(i64::from(i32::MIN)), Rational::from(i64::from(i32::MAX)));
            vec![widest; network.input_len()]
        }
    };
    let bound = |value: &Rational, input: usize| {
        decimal(value).ok_or_else(|| NnetWriteError::NotDecimal { what: format!("the bounds of input {input}") })
    };
    let mut sizes = vec![network.input_len()];
    sizes.extend(network.layers().iter().map(|l| l.output_len()));
    let largest = sizes.iter().max().copied().unwrap_or(0);

    let mut text = String::from("// Neural network in .nnet format, written by surefoot\n");
    let header = [count, network.input_len(), network.output_len(), largest];
    line(&mut text, header.map(|n| n.to_string()));
    line(&mut text, sizes.iter().map(usize::to_string));
    line(&mut text, ["0".to_owned()]);
    let mins: Result<Vec<_>, _> = bounds.iter().enumerate().map(|(i, (min, _))| bound(min, i)).collect();
    let maxs: Result<Vec<_>, _> = bounds.iter().enumerate().map(|(i, (_, max))| bound(max, i)).collect();
    line(&mut text, mins?);
    line(&mut text, maxs?);
    line(&mut text, means);
    line(&mut text, ranges);
    for layer in network.layers() {
        for (row, _) in layer.rows() {
            line(&mut text, row.iter().map(|w| format!("{w:?}")));
        }
        for bias in layer.bias() {
            writeln!(text, "{bias:?},").expect("writing to a string cannot fail");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NnetWeights;
    use crate::layer::Layer;
    use crate::nnet::from_bytes;
    use proptest::prelude::*;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_are_finite_or_refused() {
        for (value, expected) in [("1/8", "0.125"), ("-7/20", "-0.35"), ("12", "12"), ("1/50", "0.02"), ("0", "0")] {
            assert_eq!(decimal(&r(value)).as_deref(), Some(expected));
        }
        assert_eq!(decimal(&r("1/3")), None);
    }

    #[test]
    fn what_the_format_cannot_say_is_refused() {
        let layer = |activation| Layer::new(1, vec![1.0; 2], vec![0.0; 2], activation).unwrap();
        let network = Network::new(vec![layer(Activation::Identity)]).unwrap();
        assert!(matches!(
            write(&Network::new(vec![layer(Activation::Relu)]).unwrap()),
            Err(NnetWriteError::Activation { layer: 0, .. })
        ));
        let thirds = Normalisation::new(vec![r("1/3"); 2], vec![r("0"); 2]).unwrap();
        let outputs = network.clone().with_output_normalisation(thirds).unwrap();
        assert!(matches!(write(&outputs), Err(NnetWriteError::NotDecimal { .. })));
        let uneven = Normalisation::new(vec![r("1"), r("2")], vec![r("0"); 2]).unwrap();
        let outputs = network.clone().with_output_normalisation(uneven).unwrap();
        assert_eq!(write(&outputs), Err(NnetWriteError::OutputsDiffer));
        // A scale of 1/3 is a range of 3: fine for an input.
        let third = Normalisation::new(vec![r("1/3")], vec![r("-1/6")]).unwrap();
        let inputs = network.with_input_normalisation(third).unwrap();
        let back = from_bytes(write(&inputs).unwrap().as_bytes(), NnetWeights::F64).unwrap();
        assert!(back.same_parameters(&inputs));
    }

    proptest! {
        #[test]
        fn written_networks_read_back(
            bits in proptest::collection::vec(any::<u64>(), 11),
            range in 1i64..1000, mean in -1000i64..1000,
        ) {
            let finite = |b: &u64| { let f = f64::from_bits(*b); if f.is_finite() { f } else { 0.1 } };
            let weights: Vec<f64> = bits.iter().map(finite).collect();
            let first = Layer::new(1, weights[..2].to_vec(), weights[2..4].to_vec(), Activation::Relu).unwrap();
            let second = Layer::new(2, weights[4..8].to_vec(), weights[8..10].to_vec(), Activation::Identity).unwrap();
            let (range, mean) = (Rational::new(range, 40).unwrap(), Rational::new(mean, 25).unwrap());
            let input = Normalisation::new(
                vec![Rational::ONE.checked_div(&range).unwrap()],
                vec![(-&mean).checked_div(&range).unwrap()],
            ).unwrap();
            let output = Normalisation::new(vec![range; 2], vec![mean; 2]).unwrap();
            let network = Network::new(vec![first, second]).unwrap()
                .with_input_normalisation(input).unwrap()
                .with_output_normalisation(output).unwrap();
            let back = from_bytes(write(&network).unwrap().as_bytes(), NnetWeights::F64).unwrap();
            prop_assert!(back.same_parameters(&network));
        }
    }
}
