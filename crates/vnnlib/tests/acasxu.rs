//! The properties of ACAS Xu.

mod common;

use common::{number, try_read};
use surefoot_fixtures::shared_data;

#[test]
fn all_properties_are_read() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    for property in 1..=4 {
        let path = data.join(format!("acasxu/prop_{property}.vnnlib"));
        let text = std::fs::read_to_string(&path).expect("the file is there");
        let read = try_read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((read.inputs.len(), read.outputs), (5, 5));
        let mut atoms = 0;
        read.formula.for_each_atom(&mut |_| atoms += 1);
        assert_eq!(atoms, if property == 1 { 1 } else { 4 }, "the box is not part of the formula");
        if property == 2 {
            assert_eq!(read.inputs[0], (number("0.6"), number("0.6798577687")));
        }
    }
}
