//! What is read, what is refused, and what is remembered of it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use surefoot_files::{Inputs, Kind, Origin, ReadError};

fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, ReadError> {
    Inputs::default().read(path.as_ref(), Kind::Model, Origin::Named)
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    symlink(&fifo, folder.path().join("link")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let begun = Instant::now();
    for (path, words) in [
        (fifo.as_path(), "it is a pipe, and no regular file"),
        (&folder.path().join("link"), "it is a pipe, and no regular file"),
        (Path::new("/dev/zero"), "it is a device, and no regular file"),
        (Path::new("/dev/null"), "it is a device, and no regular file"),
        (&folder.path().join("socket"), "it is a socket, and no regular file"),
        (folder.path(), "it is a directory"),
        (&folder.path().join("none"), "No such file or directory"),
    ] {
        let error = read(path).unwrap_err();
        assert_eq!(error.to_string(), words, "{}", path.display());
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn long_files_are_refused_with_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map");
    fs::File::create(&path).unwrap().set_len(Kind::Map.most() + 1).unwrap();
    let error = Inputs::default().read(&path, Kind::Map, Origin::Named).unwrap_err();
    assert_eq!(error.to_string(), "it is longer than 1 MiB, and a map may not be");
    fs::File::create(&path).unwrap().set_len(Kind::Map.most()).unwrap();
    assert!(Inputs::default().read(&path, Kind::Map, Origin::Named).is_ok());
}

#[test]
fn hashes_are_of_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "abc").unwrap();
    let mut inputs = Inputs::default();
    assert_eq!(inputs.read(&path, Kind::Model, Origin::Named).unwrap(), b"abc");
    // FIPS 180-2, appendix B.1.
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(inputs.hashes(), [(path.display().to_string(), hash.to_owned())]);
    assert!(inputs.read(&path, Kind::Predicates, Origin::Reached).is_ok());
    assert_eq!(inputs.hashes().len(), 1);
    fs::write(&path, "abd").unwrap();
    assert!(matches!(inputs.read(&path, Kind::Model, Origin::Named), Err(ReadError::Changed)));
    assert_eq!(inputs.hashes()[0].1, hash);
}

#[test]
fn files_that_must_lie_below_a_folder_do() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("in");
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(outer.path().join("secret"), "s").unwrap();
    fs::write(folder.join("sub/weights"), "w").unwrap();
    symlink("sub/weights", folder.join("inner")).unwrap();
    symlink("../secret", folder.join("outer")).unwrap();
    symlink("..", folder.join("up")).unwrap();
    let read = |name: &str| Inputs::default().read_below(&folder, Path::new(name), Kind::Weights);
    assert_eq!(read("sub/weights").unwrap(), b"w");
    assert_eq!(read("inner").unwrap(), b"w");
    for name in ["outer", "up/secret", "../secret"] {
        assert!(matches!(read(name), Err(ReadError::Leaves)), "{name}");
    }
    assert!(matches!(read("sub"), Err(ReadError::Folder)));
}

#[test]
fn a_dash_that_a_file_names_is_a_file() {
    let error = Inputs::default().read(Path::new("-"), Kind::Model, Origin::Reached).unwrap_err();
    assert!(matches!(error, ReadError::System(_)));
}

#[test]
fn names_that_look_alike_are_two_files() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |bytes: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(bytes));
    let mut inputs = Inputs::default();
    for (name, text) in [(b"a\xfe", "one"), (b"a\xff", "two")] {
        // Not all systems have such names.
        let Ok(()) = fs::write(at(name), text) else { return };
        inputs.read(&at(name), Kind::Model, Origin::Named).unwrap();
        inputs.read(&at(name), Kind::Model, Origin::Named).unwrap();
    }
    let hashes = inputs.hashes();
    assert_eq!(hashes.len(), 2);
    assert!(hashes[0].0 != hashes[1].0 && hashes[0].1 != hashes[1].1);
}

#[test]
fn what_is_held_in_memory_is_read_by_its_name_and_hashed() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = Inputs::default();
    inputs.hold("<model>", &b"{}"[..]);
    // Also where a file has the name: nobody looks at it.
    let path = folder.path().join("beside.bin");
    fs::write(&path, "on disk").unwrap();
    inputs.hold(&path, &b"held"[..]);
    assert_eq!(inputs.read(Path::new("<model>"), Kind::Model, Origin::Named).unwrap(), b"{}");
    assert_eq!(inputs.read(Path::new("<model>"), Kind::Model, Origin::Reached).unwrap(), b"{}");
    assert_eq!(inputs.read_below(folder.path(), Path::new("beside.bin"), Kind::Network).unwrap(), b"held");
    let hashes = inputs.hashes();
    assert_eq!(hashes[0], ("<model>".to_owned(), surefoot_files::sha256(b"{}")));
    assert_eq!(hashes[1].1, surefoot_files::sha256(b"held"));
    assert!(inputs.holds(Path::new("<model>")) && !inputs.holds(Path::new("<policy>")));
    assert!(inputs.is_beside(Path::new("/elsewhere/model.jani"), Path::new("<model>")));
    assert!(inputs.read(Path::new("<policy>"), Kind::Policy, Origin::Named).is_err());
}
