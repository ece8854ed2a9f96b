//! Files appear complete or not at all, and nothing that is needed is lost.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "only tests")]

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use surefoot_files::{Clash, Inputs, Kind, Origin, Outputs, can_replace, open_log, replace};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_failure_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let failed = replace(&path, |out| {
        out.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path())), ("old", vec!["r.json".to_owned()]));
    replace(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path())), ("new", vec!["r.json".to_owned()]));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn links_stay_links_and_streams_are_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("target", at("link")).unwrap();
    for text in ["one", "two"] {
        replace(&at("link"), |out| out.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(at("target")).unwrap(), text);
        assert!(at("link").is_symlink());
    }
    replace(Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
    assert_eq!(
        replace(Path::new("/dev/full"), |out| out.write_all(b"x")).unwrap_err().kind(),
        io::ErrorKind::StorageFull
    );
    assert!(replace(folder.path(), |out| out.write_all(b"x")).is_err());
    assert_eq!(names(folder.path()), ["link", "target"]);
}

#[test]
fn outputs_are_no_inputs_and_not_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("model"), "m").unwrap();
    fs::write(at("mark"), "c").unwrap();
    fs::create_dir(at("sub")).unwrap();
    symlink("model", at("link")).unwrap();
    symlink("new", at("dangling")).unwrap();
    let mut inputs = Inputs::default();
    inputs.read(&at("model"), Kind::Model, Origin::Named).unwrap();
    inputs.read(&at("mark"), Kind::Checkpoint, Origin::Named).unwrap();
    let claimed = |name: &str| {
        let mut outputs = Outputs::default();
        outputs.claim("--json", &at(name)).unwrap();
        outputs.check(&inputs)
    };
    for name in ["model", "link", "mark", "./sub/../model"] {
        assert!(matches!(claimed(name), Err(Clash::Input { .. })), "{name}");
    }
    assert_eq!(claimed("new"), Ok(()));
    let mut outputs = Outputs::default();
    outputs.claim_rewritten("--checkpoint", &at("mark")).unwrap();
    assert_eq!(outputs.check(&inputs), Ok(()));
    outputs.claim_unchanged("--out", &at("model")).unwrap();
    assert_eq!(outputs.check(&inputs), Ok(()));
    assert!(matches!(outputs.claim("--json", &at("link")), Err(Clash::Output { .. })));
    outputs.claim("--json", &at("new")).unwrap();
    let clash = outputs.claim("--events", &at("dangling")).unwrap_err();
    assert_eq!(clash.to_string(), format!("--json and --events name one file: {}", at("dangling").display()));
    outputs.claim("--graph", Path::new("/dev/null")).unwrap();
    outputs.claim("--out", Path::new("/dev/null")).unwrap();
    outputs.protect(&at("later"));
    outputs.claim("--out", &at("later")).unwrap();
    assert!(outputs.check(&inputs).is_err());
}

/// Where systems have such a folder: a place for regular files among the devices.
#[test]
fn regular_files_among_devices_are_files() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let at = |name: &str| folder.path().join(name);
    for text in ["one", "two"] {
        replace(&at("r"), |out| out.write_all(text.as_bytes())).unwrap();
        open_log(&at("log")).unwrap().write_all(text.as_bytes()).unwrap();
        assert_eq!(
            (fs::read_to_string(at("r")).unwrap(), fs::read_to_string(at("log")).unwrap()),
            (text.into(), text.into())
        );
    }
    let mut inputs = Inputs::default();
    inputs.read(&at("r"), Kind::Model, Origin::Named).unwrap();
    let mut outputs = Outputs::default();
    outputs.claim("--json", &at("r")).unwrap();
    assert!(matches!(outputs.check(&inputs), Err(Clash::Input { .. })));
}

#[test]
fn own_descriptors_are_written_to_whatever_they_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let file = fs::File::create(&path).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    symlink(format!("/dev/fd/{number}"), folder.path().join("link")).unwrap();
    let names = [
        format!("/dev/fd/{number}"),
        format!("/proc/self/fd/{number}"),
        folder.path().join("link").display().to_string(),
    ];
    for name in &names {
        replace(Path::new(name), |out| out.write_all(b"x")).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "xxx");
}

#[test]
fn what_may_not_be_written_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("busy");
    // A program that runs cannot be written, whoever asks; permissions do not stop everybody.
    fs::copy("/bin/sleep", &path).unwrap();
    let before = fs::read(&path).unwrap();
    let mut child = std::process::Command::new(&path).arg("60").spawn().unwrap();
    let (asked, done) = (can_replace(&path), replace(&path, |out| out.write_all(b"x")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(asked.is_err() && done.is_err());
    assert!(fs::read(&path).unwrap() == before && names(folder.path()) == ["busy"]);
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    // Who may write everything may write this.
    assert_eq!(can_replace(&path).is_ok(), fs::OpenOptions::new().append(true).open(&path).is_ok());
    symlink("nowhere/r", folder.path().join("dangling")).unwrap();
    assert!(can_replace(&folder.path().join("dangling")).is_err());
    can_replace(&folder.path().join("new")).unwrap();
    assert_eq!(names(folder.path()), ["busy", "dangling"]);
}

#[test]
fn nothing_else_is_written_to_a_folder_of_many_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("there")).unwrap();
    for name in ["there", "new"] {
        let file = at(name).join("a");
        let mut outputs = Outputs::default();
        outputs.claim_folder("--write-lp", &at(name)).unwrap();
        let clash = outputs.claim("--json", &file).unwrap_err();
        assert_eq!(clash.to_string(), format!("--json: {} lies in the folder of --write-lp", file.display()));
        outputs.claim("--json", &at("a")).unwrap();
        let mut outputs = Outputs::default();
        outputs.claim("--json", &file).unwrap();
        assert!(matches!(outputs.claim_folder("--write-lp", &at(name)), Err(Clash::Folder { .. })));
    }
}

#[test]
fn a_file_called_like_standard_input_is_guarded() {
    let mut outputs = Outputs::default();
    outputs.protect(Path::new("./-"));
    outputs.claim("--events", Path::new("-")).unwrap();
    assert!(matches!(outputs.check(&Inputs::default()), Err(Clash::Input { .. })));
    let mut outputs = Outputs::default();
    outputs.protect(Path::new("-"));
    outputs.claim("--json", Path::new("./-")).unwrap();
    assert_eq!(outputs.check(&Inputs::default()), Ok(()));
}

#[test]
fn logs_begin_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for _ in 0..2 {
        open_log(&path).unwrap().write_all(b"line\n").unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), "line\n");
    open_log(Path::new("/dev/null")).unwrap();
}
