//! Values of variables in as few bits as they need.

use crate::model::{Variable, VariableKind};

/// One variable's place in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    /// The type's name in the index.
    pub(super) name: &'static str,
    /// How many bits it has.
    pub(super) bits: u32,
}

/// Records of all variables, padded to whole bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    /// Bits added at the end.
    pub(super) padding: u32,
    /// Bytes of a record.
    pub(super) bytes: usize,
}

impl Layout {
    pub(super) fn new(variables: &[Variable]) -> Self {
        let fields: Vec<Field> = variables.iter().map(field).collect();
        let bits: u32 = fields.iter().map(|field| field.bits).sum();
        let bytes = bits.div_ceil(8);
        Self { fields, padding: bytes * 8 - bits, bytes: bytes as usize }
    }

    /// Appends a record: the first variable in the lowest bits, negative numbers as two's complement.
    #[expect(clippy::cast_possible_truncation, reason = "bytes are cut off from the lower end")]
    pub(super) fn pack(&self, values: &[i64], into: &mut Vec<u8>) {
        let (mut held, mut bits) = (0u128, 0);
        for (field, value) in self.fields.iter().zip(values) {
            let mask = (1u128 << field.bits) - 1;
            held |= (i128::from(*value).cast_unsigned() & mask) << bits;
            bits += field.bits;
            while bits >= 8 {
                into.push(held as u8);
                held >>= 8;
                bits -= 8;
            }
        }
        if bits > 0 {
            into.push(held as u8);
        }
    }
}

fn field(variable: &Variable) -> Field {
    let (lower, upper) = variable.bounds();
    let length = |value: i64| u64::BITS - value.unsigned_abs().leading_zeros();
    match variable.kind {
        VariableKind::Bool => Field { name: "bool", bits: 1 },
        _ if lower >= 0 => Field { name: "uint", bits: length(upper.max(0)).max(1) },
        // -2^k fits k + 1 bits, as does 2^k - 1.
        _ => Field { name: "int", bits: length(upper.max(0)).max(u64::BITS - (!lower).leading_zeros()) + 1 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(lower: i64, upper: i64) -> Variable {
        Variable { name: "x".to_owned(), kind: VariableKind::Int { lower, upper } }
    }

    #[test]
    fn widths_are_the_smallest_that_hold_the_bounds() {
        for (lower, upper, name, bits) in [
            (0, 0, "uint", 1),
            (0, 1, "uint", 1),
            (3, 7, "uint", 3),
            (0, 8, "uint", 4),
            (0, i64::MAX, "uint", 63),
            (-1, 0, "int", 1),
            (-1, 1, "int", 2),
            (-8, 7, "int", 4),
            (-8, 8, "int", 5),
            (-9, 0, "int", 5),
            (i64::MIN, i64::MAX, "int", 64),
        ] {
            assert_eq!(field(&int(lower, upper)), Field { name, bits }, "{lower}..{upper}");
        }
    }

    #[test]
    fn the_first_variable_is_in_the_lowest_bits() {
        let on = Variable { name: "on".to_owned(), kind: VariableKind::Bool };
        let layout = Layout::new(&[on, int(-8, 7), int(0, 1000)]);
        assert_eq!((layout.bytes, layout.padding), (2, 1));
        let mut bytes = Vec::new();
        layout.pack(&[1, -3, 1000], &mut bytes);
        // 1 | 1101 | 1111101000, from the lowest bit up.
        assert_eq!(u16::from_le_bytes([bytes[0], bytes[1]]), 1 | (0b1101 << 1) | (1000 << 5));
    }

    #[test]
    fn wide_variables_pack_too() {
        let layout = Layout::new(&[int(0, 1), int(i64::MIN, i64::MAX), int(i64::MIN, i64::MAX)]);
        let mut bytes = Vec::new();
        layout.pack(&[1, i64::MIN, -1], &mut bytes);
        assert_eq!(bytes.len(), 17);
        let low = u128::from_le_bytes(bytes[..16].try_into().unwrap());
        assert_eq!(low & 1, 1);
        assert_eq!((low >> 1) & u128::from(u64::MAX), 1 << 63);
        assert_eq!(low >> 65, u128::from(u64::MAX >> 1));
        assert_eq!(bytes[16], 1);
    }
}
