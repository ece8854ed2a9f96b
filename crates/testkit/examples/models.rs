//! Writes random models to a folder, for tests in other languages: `models FIRST COUNT FOLDER` writes `FIRST.jani` and so on.
#![expect(clippy::unwrap_used, reason = "a driver of tests")]

use std::path::PathBuf;

use surefoot_testkit::shrink::Case;
use surefoot_testkit::{Size, random_chances};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().unwrap().parse::<u64>().unwrap();
    let (first, count) = (number(), number());
    let folder = PathBuf::from(arguments.next().unwrap());
    for seed in first..first + count {
        // Every third model is one of those with probabilities between zero and one.
        let size = Size { states: 600, ..Size::default() };
        let case = if seed % 3 == 2 { Case::of(random_chances, seed, size) } else { Case::new(seed, size) };
        std::fs::write(folder.join(format!("{seed}.jani")), case.jani).unwrap();
    }
}
