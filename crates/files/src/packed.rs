//! Files packed by gzip: told by their name, unpacked in memory.
//!
//! What is in them may be as long as the file itself might have been, and no longer: some thousand bytes can stand for any
//! number. The hash that is noted is that of the file as it lies there.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::kind::Kind;
use crate::open::{ReadError, read_at_most};

/// The name of a file without `.gz`; none where it does not end so.
#[must_use]
pub fn unpacked_name(path: &Path) -> Option<PathBuf> {
    let packed = path.extension()?.to_str()?.eq_ignore_ascii_case("gz");
    packed.then(|| path.with_extension(""))
}

/// What is in a packed file.
///
/// # Errors
/// What is not packed so, or broken, or too long.
pub fn unpack(bytes: &[u8], kind: Kind) -> Result<Vec<u8>, ReadError> {
    unpack_at_most(bytes, kind.most())?.ok_or(ReadError::TooLong { kind })
}

fn unpack_at_most(bytes: &[u8], most: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let broken = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => ReadError::NotPacked,
        _ => ReadError::System(error),
    };
    let decoder: &mut dyn Read = &mut MultiGzDecoder::new(bytes);
    read_at_most(decoder, most).map_err(broken)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_packed_comes_out_and_no_more_than_is_allowed() {
        let content: Vec<u8> = (0..3000u32).map(|i| i.to_le_bytes()[0]).collect();
        assert_eq!(unpack(&packed(&content), Kind::Query).unwrap(), content);
        // Files put one behind the other are one file.
        let twice = [packed(&content), packed(&content)].concat();
        assert_eq!(unpack(&twice, Kind::Query).unwrap().len(), 6000);
        // A megabyte of zeros is a thousand bytes, and too long for a map.
        let bomb = packed(&vec![0; (1 << 20) + 1]);
        assert!(bomb.len() < 2000);
        assert!(matches!(unpack(&bomb, Kind::Map), Err(ReadError::TooLong { kind: Kind::Map })));
        assert_eq!(unpack_at_most(&bomb, 1 << 20).unwrap(), None);
    }

    #[test]
    fn what_is_broken_is_no_packed_file() {
        let whole = packed(b"a text");
        for bytes in [&b"a text"[..], b"", &whole[..whole.len() - 3], &[&whole[..], b"more"].concat()] {
            assert!(matches!(unpack(bytes, Kind::Query), Err(ReadError::NotPacked)), "{bytes:?}");
        }
    }

    #[test]
    fn names_tell() {
        let name = |path: &str| unpacked_name(Path::new(path));
        assert_eq!(name("a/n.onnx.gz"), Some(PathBuf::from("a/n.onnx")));
        assert_eq!(name("q.vnnlib.GZ"), Some(PathBuf::from("q.vnnlib")));
        assert_eq!((name("n.onnx"), name("gz"), name(".gz")), (None, None, None));
    }
}
