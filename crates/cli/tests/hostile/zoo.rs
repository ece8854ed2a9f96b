//! Benchmark domains.

use super::harness::{Case, NNET, case, run};

fn generate(line: &'static str) -> Case {
    case(line, line)
}

#[test]
fn zoo() {
    run(
        "zoo",
        vec![
            generate("zoo list").code(0).says("racetrack"),
            generate("zoo list rcaetrack").says("did you mean"),
            generate("zoo generate blocksworld").says("--out"),
            generate("zoo generate blockswrld --out d").says("blocksworld"),
            generate("zoo generate blocksworld blocks --out d").says("blocks"),
            generate("zoo generate blocksworld blcoks=3 --out d").says("blocks"),
            generate("zoo generate blocksworld blocks=3 blocks=4 --out d").says("given twice"),
            generate("zoo generate blocksworld blocks=-3 --out d").says("blocks"),
            generate("zoo generate blocksworld blocks=0 --out d").says("blocks"),
            generate("zoo generate blocksworld blocks=many --out d").says("blocks"),
            generate("zoo generate blocksworld blocks=999999999999999999999 --out d").says("blocks"),
            generate("zoo generate blocksworld networks=nowhere --out d").says("nowhere"),
            generate("zoo generate blocksworld networks=n --out d")
                .file("n/readme.txt", "")
                .says("it has no .jani2nnet"),
            generate("zoo generate blocksworld networks=n --out d").file("n/n.nnet", NNET).says("inputs"),
            generate("zoo generate blocksworld networks=n --out d").file("n/n.nnet", "").says("n.nnet:1:1"),
            generate("zoo generate blocksworld --out f").file("f", "a file").says("cannot write into f"),
        ],
    );
}
