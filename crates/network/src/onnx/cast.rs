//! `Cast` between types of numbers. Only casts that change no value are read: rounding would be a choice of ours.

use surefoot_num::Rational;

use super::error::Fault;
use super::proto::data_type;
use super::signal::{Builder, Element};
use super::tensor::Tensor;
use super::value::{Call, Value};

/// `Cast` between number types, where it changes no value.
pub(super) fn cast(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let to = i32::try_from(call.int("to", 0)?).unwrap_or(0);
    let integral = data_type::is_integer(to);
    let real = matches!(to, data_type::FLOAT | data_type::DOUBLE);
    match (value, to) {
        (Value::Whole(tensor), _) if real => Ok(Value::Signal(tensor.clone())),
        (Value::Whole(tensor), data_type::BOOL) => {
            // What is not zero is true.
            let mut data = Vec::with_capacity(tensor.data.len());
            for element in &tensor.data {
                let zero = builder.is_zero(element)?;
                data.push(builder.add(&Element::Const(Rational::ONE), -1, &zero)?);
            }
            Ok(Value::Whole(Tensor { shape: tensor.shape.clone(), data }))
        }
        (Value::Whole(tensor) | Value::Signal(tensor), _) if integral => {
            let (lower, upper) = data_type::integer_range(to).unwrap_or_default();
            for element in &tensor.data {
                builder.integer(element)?;
                // Soundness: a number beyond the type would wrap around.
                if lower.is_some() || upper.is_some() {
                    builder.narrow = true;
                    builder.within(element, lower, upper)?;
                }
            }
            Ok(Value::Whole(tensor.clone()))
        }
        // Places are integers, whatever number type they are stored in; the order survives among real numbers only.
        (Value::Choice(_), _) if integral || real => Ok(value.clone()),
        (Value::Ranked(_) | Value::Common(_), _) if real => Ok(value.clone()),
        (Value::Int(tensor), data_type::BOOL) => {
            let data = tensor.data.iter().map(|&x| i64::from(x != 0)).collect();
            Ok(Value::Int(Tensor { shape: tensor.shape.clone(), data }))
        }
        (Value::Signal(_), data_type::FLOAT | data_type::DOUBLE) | (Value::Float(_), data_type::DOUBLE) => {
            Ok(value.clone())
        }
        (Value::Float(tensor), data_type::FLOAT) => {
            // Rounding a stored constant would be a choice of ours.
            #[expect(clippy::cast_possible_truncation, reason = "asks whether anything is lost")]
            match tensor.data.iter().find(|&&x| f64::from(x as f32) != x) {
                Some(x) => Err(Fault::NotExact(format!("{x}, cast to float,"))),
                None => Ok(value.clone()),
            }
        }
        (Value::Int(tensor), data_type::FLOAT | data_type::DOUBLE) => {
            // Integers of up to 24 bits are exact in both types.
            match tensor.data.iter().find(|x| x.unsigned_abs() > 1 << 24) {
                Some(x) => Err(Fault::NotExact(format!("{x}, cast to float,"))),
                None => {
                    #[expect(clippy::cast_precision_loss, reason = "at most 24 bits")]
                    let data = tensor.data.iter().map(|&x| x as f64).collect();
                    Ok(Value::Float(Tensor { shape: tensor.shape.clone(), data }))
                }
            }
        }
        (Value::Int(_), data_type::INT64) => Ok(value.clone()),
        (Value::Int(tensor), data_type::INT32) if tensor.data.iter().all(|&x| i32::try_from(x).is_ok()) => {
            Ok(value.clone())
        }
        (Value::Float(tensor), _) if integral && tensor.data.iter().all(|x| x.fract() == 0.0 && x.abs() < 2e9) => {
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2e9")]
            let data = tensor.data.iter().map(|&x| x as i64).collect();
            Ok(Value::Int(Tensor { shape: tensor.shape.clone(), data }))
        }
        _ => Err(Fault::Unsupported(format!(
            "a cast to {} is not supported; only casts that change no value are",
            data_type::name(to)
        ))),
    }
}
