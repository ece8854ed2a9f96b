//! The part of ONNX's protocol-buffer schema (`onnx.proto3`) that networks need; other fields are skipped.
//!
//! Field numbers are those of the schema. Repeated scalars outside `TensorProto` data are written unpacked, as ONNX
//! itself does; both forms are read.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ModelProto {
    #[prost(int64, tag = "1")]
    pub(super) ir_version: i64,
    #[prost(message, repeated, tag = "8")]
    pub(super) opset_import: Vec<OperatorSetId>,
    #[prost(string, tag = "2")]
    pub(super) producer_name: String,
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<GraphProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OperatorSetId {
    #[prost(string, tag = "1")]
    pub(super) domain: String,
    #[prost(int64, tag = "2")]
    pub(super) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<NodeProto>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(super) output: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attribute: Vec<AttributeProto>,
    #[prost(string, tag = "7")]
    pub(super) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AttributeProto {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(float, tag = "2")]
    pub(super) f: f32,
    #[prost(int64, tag = "3")]
    pub(super) i: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) s: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub(super) t: Option<TensorProto>,
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub(super) floats: Vec<f32>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
    /// 1 float, 2 integer, 3 text, 4 tensor, 6 floats, 7 integers.
    #[prost(int32, tag = "20")]
    pub(super) kind: i32,
    #[prost(string, tag = "21")]
    pub(super) ref_attr_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(super) float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(super) int32_data: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub(super) int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
    #[prost(double, repeated, tag = "10")]
    pub(super) double_data: Vec<f64>,
    #[prost(message, repeated, tag = "13")]
    pub(super) external_data: Vec<StringPair>,
    /// 1 means external.
    #[prost(int32, tag = "14")]
    pub(super) data_location: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StringPair {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value_type: Option<TypeProto>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TypeProto {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(super) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<TensorShape>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorShape {
    #[prost(message, repeated, tag = "1")]
    pub(super) dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(super) value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) param: Option<String>,
}

/// Element types (`TensorProto.DataType`).
pub(super) mod data_type {
    pub(in crate::onnx) const FLOAT: i32 = 1;
    pub(in crate::onnx) const INT32: i32 = 6;
    pub(in crate::onnx) const INT64: i32 = 7;
    pub(in crate::onnx) const BOOL: i32 = 9;
    pub(in crate::onnx) const DOUBLE: i32 = 11;

    /// The smallest and largest value of an integer type, as far as that matters: 64 bits are taken as all integers.
    pub(in crate::onnx) fn integer_range(data_type: i32) -> Option<(Option<i64>, Option<i64>)> {
        Some(match data_type {
            2 => (Some(0), Some(255)),
            3 => (Some(-128), Some(127)),
            4 => (Some(0), Some(65_535)),
            5 => (Some(-32_768), Some(32_767)),
            INT32 => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
            INT64 => (None, None),
            BOOL => (Some(0), Some(1)),
            12 => (Some(0), Some(i64::from(u32::MAX))),
            13 => (Some(0), None),
            _ => return None,
        })
    }

    /// Whether it is an integer type; truth values are none here.
    pub(in crate::onnx) fn is_integer(data_type: i32) -> bool {
        data_type != BOOL && integer_range(data_type).is_some()
    }

    /// The name of an element type, for messages.
    pub(in crate::onnx) fn name(data_type: i32) -> String {
        let names = [
            "undefined",
            "float",
            "uint8",
            "int8",
            "uint16",
            "int16",
            "int32",
            "int64",
            "string",
            "bool",
            "float16",
            "double",
            "uint32",
            "uint64",
            "complex64",
            "complex128",
            "bfloat16",
        ];
        let known = usize::try_from(data_type).ok().and_then(|index| names.get(index));
        known.map_or_else(|| format!("type {data_type}"), |name| (*name).to_owned())
    }
}
