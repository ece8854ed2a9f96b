//! What is unfinished can be removed at once; alone in its process, as that is about all of it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use surefoot_files::{Draft, Scratch, remove_drafts};

#[test]
fn what_is_unfinished_can_be_removed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let draft = Draft::new(&folder.path().join("a")).unwrap();
    let scratch = Scratch::new(folder.path()).unwrap();
    let inside = scratch.write("program.lp", "x").unwrap();
    assert_eq!(fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    remove_drafts();
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none() && !inside.exists());
    assert!(draft.publish().is_err());
    drop(scratch);
    drop(Scratch::new(folder.path()).unwrap());
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}
