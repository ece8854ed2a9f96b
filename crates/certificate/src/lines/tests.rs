use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::index::{Claim, FORMAT, Semantics, VERSION, Verdict};
use crate::members::Members;
use crate::write::CertificateWriter;

fn index() -> Index {
    Index {
        format: FORMAT.to_owned(),
        version: VERSION,
        claim: Claim::Reachable,
        verdict: Verdict::Violated,
        tool: "surefoot".to_owned(),
        engine: "explicit".to_owned(),
        inputs: Members(vec![("m.jani".to_owned(), "00".to_owned())]),
        constants: Members(vec![("N".to_owned(), "1/3".to_owned())]),
        property: None,
        semantics: Semantics {
            ties: None,
            filter: None,
            goal_terminal: false,
            initial_only: false,
            assume_no_errors: true,
        },
        slots: vec!["a".to_owned(), "x".to_owned()],
        locations: 1,
        actions: Vec::new(),
        outputs: Vec::new(),
    }
}

/// What is written to it can be looked at afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(lines: &[String]) -> Vec<u8> {
    let shared = Shared::default();
    let mut writer = CertificateWriter::new(shared.clone(), &index()).unwrap();
    lines.iter().for_each(|line| writer.line(line).unwrap());
    let size = writer.finish(&[1, 2]).unwrap();
    let bytes = shared.0.lock().unwrap().clone();
    assert_eq!(size.bytes, bytes.len() as u64);
    bytes
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Reads everything there is, with bounds of a thousand bytes a line and a hundred thousand in all.
fn read(bytes: Vec<u8>) -> Result<Vec<String>, String> {
    let mut lines = CertificateLines::within(Cursor::new(bytes), 1000, 100_000);
    let mut found = Vec::new();
    loop {
        let line = lines.next("a line of the test").map_err(|error| error.to_string())?.to_owned();
        if line.starts_with(END) {
            lines.finish(&[1, 2]).map_err(|error| error.to_string())?;
            return Ok(found);
        }
        found.push(line);
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(lines in proptest::collection::vec("[a-dé ]{0,40}", 0..20)) {
        let bytes = written(&lines);
        let read = read(bytes.clone()).unwrap();
        prop_assert_eq!(&read[1..], &lines[..]);
        let mut again = CertificateLines::new(Cursor::new(bytes));
        prop_assert_eq!(again.index().unwrap(), index());
    }

    #[test]
    fn nothing_shorter_or_longer_is_read(lines in proptest::collection::vec("[a-d ]{0,40}", 0..6), cut in 0.0..1.0f64) {
        let bytes = written(&lines);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any place will do")]
        let at = (cut * bytes.len() as f64) as usize;
        prop_assert!(read(bytes[..at].to_vec()).is_err(), "cut at {} of {}", at, bytes.len());
        prop_assert!(read([bytes.clone(), vec![0]].concat()).is_err());
        prop_assert!(read([bytes.clone(), bytes].concat()).is_err(), "a second member");
    }

    #[test]
    fn a_bit_that_is_flipped_is_noticed_or_changes_no_text(lines in proptest::collection::vec("[a-d ]{0,40}", 0..6), at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let bytes = written(&lines);
        let mut flipped = bytes.clone();
        flipped[at.index(bytes.len())] ^= 1 << bit;
        // Of the header some bits say nothing about the text.
        if let Ok(read_anyway) = read(flipped) {
            prop_assert_eq!(read_anyway, read(bytes).unwrap());
        }
    }
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let bomb = [b"a\n".to_vec(), vec![b'b'; 10_000_000]].concat();
    let many = b"b\n".repeat(200_000);
    let cases: [(Vec<u8>, &str); 8] = [
        (Vec::new(), "line 1: a line of the test was expected, but the file cannot be read on"),
        (b"{\"format\": 1}".to_vec(), "line 1: a line of the test was expected, but the file cannot be read on"),
        (packed(b""), "line 1: a line of the test was expected, but the file ends"),
        (packed(b"a\nb"), "line 2: a line of the test was expected, but the file ends"),
        (packed(&bomb), "line 2: a line of the test was expected, but it is longer than 1000 bytes"),
        (packed(&many), "line 50001: a line of the test was expected, but the text is longer than 100000 bytes"),
        (packed(b"a\n\xff\n"), "line 2: a line of the test was expected, but it is no text in UTF-8"),
        (packed(b"a\nend 1 3\n"), "line 2: `end 1 2` was expected as the last line, but it is `end 1 3`"),
    ];
    for (bytes, expected) in cases {
        let error = read(bytes).expect_err("this is no certificate");
        assert!(error.starts_with(expected), "{error}");
    }
    let error = read(packed(b"end 1 2\nmore\n")).unwrap_err();
    assert_eq!(error, "line 2: the end of the file was expected");
    let error = read([packed(b"end 1 2\n"), packed(b"more\n")].concat()).unwrap_err();
    assert_eq!(error, "line 2: the end of the file was expected, but something follows what is compressed");
}

#[test]
fn indices_of_others_are_refused() {
    let text = serde_json::to_string(&index()).unwrap();
    let cases = [
        ("[]".to_owned(), "no index of a certificate: "),
        ("{}".to_owned(), "no index of a certificate: its \"format\""),
        (text.replace("\"version\":1", "\"version\":2"), "the certificate is of version 2, and this program reads 1"),
        (text.replace("\"version\":1,", ""), "no index of a certificate: it has no \"version\""),
        (text.replace("\"locations\":1", "\"locations\":-1"), "no index of a certificate: "),
        (
            text.replace("\"locations\":1", "\"locations\":1,\"more\":1"),
            "no index of a certificate: the member \"more\" is not known",
        ),
        (
            text.replace("\"reachable\"", "\"perhaps\""),
            "no index of a certificate: \"perhaps\" is not one of the words",
        ),
        (
            text.replace("\"locations\":1", "\"locations\":1,\"locations\":1"),
            "no index of a certificate: the member \"locations\" is there twice",
        ),
    ];
    for (text, expected) in cases {
        let error = Index::read(&text).expect_err("this is no index");
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(Index::read(&text), Ok(index()));
}

#[test]
fn an_unfinished_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.cert");
    let mut writer = CertificateWriter::create(&path, &index()).unwrap();
    writer.line("a").unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let writer = CertificateWriter::create(&path, &index()).unwrap();
    let size = writer.finish(&[]).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size.bytes);
    let mut lines = CertificateLines::open(&mut Inputs::default(), &path).unwrap();
    assert_eq!(lines.index().unwrap(), index());
    lines.next("the end").unwrap();
    assert_eq!(lines.raw_bytes(), size.raw_bytes);
    lines.finish(&[]).unwrap();
    let missing = CertificateLines::open(&mut Inputs::default(), folder.path()).expect_err("a folder");
    assert_eq!(missing.to_string(), "it is a directory");
}
