//! Files that are often given as networks or policies and are neither, and what to do with them.

use std::path::Path;

/// A known kind of file that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// What it is, with article.
    pub what: &'static str,
    /// What to do with it.
    pub help: &'static str,
}

const TORCH: Foreign = Foreign {
    what: "a PyTorch checkpoint",
    help: "load it where it was made and export the network: torch.onnx.export(network.eval(), (observation,), \
           \"policy.onnx\"), or save its tensors with safetensors.torch.save_file and the metadata entry \
           'surefoot.layers' (docs/stable-baselines3.md has the lines)",
};
const ZIP: Foreign = Foreign {
    what: "a zip archive (Stable-Baselines3 and PyTorch save such files)",
    help: "load it where it was made and export the policy, for Stable-Baselines3: model = PPO.load(\"FILE\", \
           device=\"cpu\"); observation, _ = model.policy.obs_to_tensor(model.observation_space.sample()); \
           torch.onnx.export(model.policy.eval(), (observation, True), \"policy.onnx\", dynamo=False, \
           opset_version=17) (docs/stable-baselines3.md)",
};
const PICKLE: Foreign = Foreign {
    what: "a Python pickle",
    help: "load it in Python and export the network to ONNX; pickles can run any code, so they are never opened here",
};
const KERAS: Foreign = Foreign {
    what: "a Keras or HDF5 file",
    help: "convert it to ONNX: python -m tf2onnx.convert --keras FILE --output FILE.onnx",
};
const TENSORFLOW: Foreign = Foreign {
    what: "a TensorFlow model",
    help: "convert it to ONNX: python -m tf2onnx.convert --help tells how for graphs, saved models and TensorFlow Lite",
};
const NUMPY: Foreign = Foreign {
    what: "a NumPy array file",
    help: "save the arrays with safetensors.numpy.save_file and the metadata entry 'surefoot.layers'",
};
const FLAX: Foreign = Foreign {
    what: "a Flax or Orbax checkpoint",
    help: "save its arrays with safetensors.flax.save_file and the metadata entry 'surefoot.layers'",
};
const COMPRESSED: Foreign = Foreign { what: "a compressed file", help: "unpack it first" };
const OTHER: Foreign =
    Foreign { what: "a network compiled for another runtime", help: "export the original network to ONNX instead" };
const PRISM: Foreign =
    Foreign { what: "a PRISM model", help: "convert it to JANI: storm-conv --prism FILE --tojani FILE.jani" };
const MODEL: Foreign = Foreign { what: "a JANI model", help: "give it as MODEL, without an option" };

/// What a file is by its extension, where that is known to be nothing we read.
#[must_use]
pub fn by_name(path: &Path) -> Option<Foreign> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*extension {
        "pt" | "pth" | "ckpt" | "torchscript" => TORCH,
        "zip" => ZIP,
        "pkl" | "pickle" | "joblib" | "dill" => PICKLE,
        "h5" | "hdf5" | "keras" => KERAS,
        "pb" | "tflite" | "pbtxt" => TENSORFLOW,
        "npz" | "npy" => NUMPY,
        "msgpack" | "orbax" => FLAX,
        "gz" | "bz2" | "xz" | "zst" | "tar" | "tgz" | "7z" | "rar" => COMPRESSED,
        "trt" | "engine" | "mlmodel" | "caffemodel" | "xml" | "bin" | "ort" | "gguf" => OTHER,
        "prism" | "nm" | "pm" | "sm" => PRISM,
        "jani" => MODEL,
        _ => return None,
    })
}

/// What a file is by its first bytes, whatever its name.
#[must_use]
pub fn by_content(bytes: &[u8]) -> Option<Foreign> {
    Some(match bytes {
        [b'P', b'K', 3, 4, ..] => ZIP,
        [0x80, 2..=5, ..] => PICKLE,
        [0x89, b'H', b'D', b'F', ..] => KERAS,
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => NUMPY,
        [0x1f, 0x8b, ..] | [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', b'X', b'Z', ..] => COMPRESSED,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_name_and_content() {
        for (name, what) in [("a/b.ZIP", "zip"), ("x.pth", "PyTorch"), ("x.h5", "Keras"), ("x.pkl", "pickle")] {
            assert!(by_name(Path::new(name)).unwrap().what.contains(what), "{name}");
        }
        for name in ["x.onnx", "x.nnet", "x.safetensors", "x.policy.json", "x", ".zip"] {
            assert_eq!(by_name(Path::new(name)), None, "{name}");
        }
        assert_eq!(by_content(b"PK\x03\x04rest"), Some(ZIP));
        assert_eq!(by_content(b"\x80\x04\x95"), Some(PICKLE));
        assert_eq!(by_content(b"\x08\x07\x12"), None);
    }
}
