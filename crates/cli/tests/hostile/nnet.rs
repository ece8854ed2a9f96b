//! `.nnet` networks, asked by `decide`.

use serde_json::json;

use super::harness::{Case, NNET, case, run};

/// The network with its first occurrence of `from` replaced.
fn changed(name: &'static str, from: &str, to: &str) -> Case {
    assert!(NNET.contains(from), "{name}");
    text(name, NNET.replacen(from, to, 1))
}

fn text(name: &'static str, content: impl AsRef<[u8]>) -> Case {
    case(name, "decide q.json --network n.nnet")
        .json("q.json", &json!({"box": [[0, 3]], "label": 0}))
        .file("n.nnet", content)
}

#[test]
fn nnet() {
    run(
        "nnet",
        vec![
            text("a network", NNET).code(0).says("sat"),
            text("with a byte order mark", format!("\u{FEFF}{NNET}")).code(0).says("sat"),
            text("with Windows' line ends", NNET.replace('\n', "\r\n")).code(0).says("sat"),
            text("with comments", format!("// one\n//two\n{NNET}")).code(0).says("sat"),
            text("empty", "").says("n.nnet:1:1").says("the header"),
            text("comments only", "// nothing\n").says("the file ends here"),
            text("not text", b"\xff\xfe\x00").says("this is not text"),
            text("UTF-16", "1,1,2,2".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).says("n.nnet:1:"),
            text("JSON", "{\"a\": 1}").says("n.nnet:1:9: the header"),
            text("cut off", &NNET[..NNET.len() - 6]).says("should follow; is it truncated?"),
            text("more than a network", format!("{NNET}7,\n")).says("the network is complete, but the file goes on"),
            changed("no layers", "1,1,2,2,", "0,1,2,2,").says("the number of layers must be positive"),
            changed("negative layers", "1,1,2,2,", "-1,1,2,2,").says("'-1' is no non-negative integer"),
            changed("many layers", "1,1,2,2,", "999999999,1,2,2,").says("check the header"),
            changed("layers beyond all numbers", "1,1,2,2,", "99999999999999999999999,1,2,2,")
                .says("is no non-negative integer"),
            changed("a size of zero", "\n1,2,\n", "\n1,0,\n").says("a layer size must be positive"),
            changed("huge sizes", "\n1,2,\n", "\n1,999999999999,\n").says("n.nnet:2:"),
            changed("another number of inputs", "1,1,2,2,", "1,2,2,2,")
                .says("the header says 2 inputs, the layer sizes say 1"),
            changed("NaN", "-1,\n0,\n2.5", "nan,\n0,\n2.5").says("'nan' is no finite decimal number"),
            changed("infinity", "2.5", "inf").says("'inf' is no finite"),
            changed("too large for a double", "2.5", "1e999").says("'1e999' is no finite"),
            changed("a word", "2.5", "two").says("'two' is no finite decimal number"),
            changed("a range of zero", "1,1,\n-1", "0,1,\n-1").says("a range of 0 would divide by zero"),
            changed("too many means", "0,0,\n1,1", "0,0,0,\n1,1").says("needs 2 values, found 3"),
            changed("a number of 2,000 digits", "2.5", &"9".repeat(2_000))
                .says("...")
                .not("99999999999999999999999999999999999999999999999999"),
            changed("an empty field", "2.5,", ",2.5").says("n.nnet:10:"),
        ],
    );
}
