//! The files of a gzipped tar archive, within limits.
//!
//! No more is held than was unpacked, and no more is unpacked than is allowed: what an archive says about its own sizes is never believed.

use std::collections::BTreeMap;
use std::io::{self, Read};

use flate2::read::GzDecoder;

use super::unreadable;
use crate::refused::Refused;

/// The most bytes that are unpacked unless told otherwise: some ten million states.
pub const MOST_BYTES: u64 = 1 << 31;
/// The most files.
const MOST_FILES: usize = 64;
/// The longest name of a file.
const LONGEST_NAME: usize = 256;
/// Where an archive says that it is one.
const MAGIC: std::ops::Range<usize> = 257..262;

/// Whether bytes are the beginning of a gzipped tar archive.
#[must_use]
pub fn is_archive(bytes: &[u8]) -> bool {
    let mut head = Vec::new();
    // The rest of the bytes may be missing; what there is of the head is enough.
    let _read = GzDecoder::new(bytes).take(512).read_to_end(&mut head);
    head.get(MAGIC) == Some(b"ustar")
}

/// The files of an archive by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Reads an archive.
pub(super) fn read(file: impl Read, most: u64) -> Result<Files, Refused> {
    let damaged = |error: io::Error| unreadable(format!("the archive is damaged: {error}"));
    let unpacked = GzDecoder::new(file).take(most);
    let mut archive = tar::Archive::new(unpacked);
    let mut files = Files::new();
    let mut left = most;
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        // Sparse files would have more bytes than the archive, and links none.
        if !matches!(entry.header().entry_type(), tar::EntryType::Regular) {
            return Err(unreadable("the archive has an entry that is no plain file"));
        }
        if files.len() == MOST_FILES {
            return Err(unreadable(format!("the archive has more than {MOST_FILES} files")));
        }
        let name = String::from_utf8(entry.path_bytes().into_owned())
            .ok()
            .filter(|name| name.len() <= LONGEST_NAME)
            .ok_or_else(|| unreadable("the archive has a file with an unreadable name"))?;
        let size = entry.size();
        if size > left {
            return Err(unreadable(format!("the archive has more than {most} bytes")));
        }
        left -= size;
        let mut bytes = Vec::new();
        entry.take(size).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != size {
            return Err(unreadable(format!("the archive ends within '{name}'")));
        }
        if files.insert(name.clone(), bytes).is_some() {
            return Err(unreadable(format!("the archive has '{name}' twice")));
        }
    }
    // The checksum of the compression comes at the very end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn reason(result: Result<Files, Refused>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn files_come_back_by_name() {
        let bytes = archive(&[("index.json", b"{}"), ("a/b.bin", &[1, 2, 3])]);
        assert!(is_archive(&bytes));
        assert!(is_archive(&bytes[..bytes.len() / 2 + 40]));
        let files = read(&*bytes, 1 << 20).unwrap();
        assert_eq!(files["index.json"], b"{}");
        assert_eq!(files["a/b.bin"], [1, 2, 3]);
    }

    #[test]
    fn what_is_no_archive_is_told() {
        assert!(!is_archive(b"index"));
        assert!(reason(read(&b"index"[..], 100)).contains("damaged"));
        let whole = archive(&[("index.json", &[7; 100_000])]);
        assert!(reason(read(&whole[..whole.len() / 2], 1 << 20)).contains("damaged"));
        let many: Vec<String> = (0..MOST_FILES + 1).map(|i| format!("f{i}")).collect();
        let files: Vec<(&str, &[u8])> = many.iter().map(|name| (&**name, &b""[..])).collect();
        assert!(reason(read(&*archive(&files), 1 << 20)).contains("more than 64 files"));
        assert!(reason(read(&*archive(&[("a", b"1"), ("a", b"2")]), 1 << 20)).contains("twice"));
    }

    #[test]
    fn bombs_end_at_the_limit() {
        let zeros = vec![0; 1 << 20];
        let bytes = archive(&[("a", &zeros), ("b", &zeros)]);
        assert!(bytes.len() < 20_000);
        assert!(reason(read(&*bytes, (1 << 20) + 4096)).contains("more than"));
        // A header that promises more than there is.
        let mut tar = vec![0u8; 512];
        let mut header = tar::Header::new_gnu();
        header.set_path("index.json").unwrap();
        header.set_size(1 << 40);
        header.set_cksum();
        tar.copy_from_slice(header.as_bytes());
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        gz.write_all(&tar).unwrap();
        let bytes = gz.finish().unwrap();
        assert!(reason(read(&*bytes, 1 << 30)).contains("more than"));
    }
}
