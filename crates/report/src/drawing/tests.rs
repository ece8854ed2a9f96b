use super::*;

fn variables() -> Vec<Named> {
    let plain = ["x", "y", "speed", "hand-empty", "block_0", "block_1", "on[0]", "on[1]", "max_x"];
    let mut all: Vec<Named> = plain.map(|name| Named { name: name.to_owned(), values: Vec::new() }).into();
    all.push(Named { name: "valve".to_owned(), values: ["shut".to_owned(), "shut off".to_owned()].into() });
    all
}

fn expression(text: &str) -> Value {
    let file = json!({"drawing": 1, "size": [1, 1], "let": {"a": "x + 1"}, "shapes": [{"text": "", "at": [text, 0], "for": {"i": [0, 1]}}]});
    let read = read_drawing(&file.to_string(), &variables()).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    read["shapes"][0]["place"][0].clone()
}

fn problems(file: &Value) -> Vec<String> {
    read_drawing(&file.to_string(), &variables()).expect_err("it is wrong")
}

fn with_shape(shape: &Value) -> Value {
    json!({"drawing": 1, "size": [10, 10], "shapes": [shape]})
}

#[test]
fn expressions_become_trees() {
    for (text, tree) in [
        ("1 + x * 2", json!(["+", 1.0, ["*", ["v", 0], 2.0]])),
        ("x - 1 - y", json!(["-", ["-", ["v", 0], 1.0], ["v", 1]])),
        ("hand-empty", json!(["v", 3])),
        ("speed-x", json!(["-", ["v", 2], ["v", 0]])),
        ("max_x", json!(["v", 8])),
        ("max(x, y)", json!(["max", ["v", 0], ["v", 1]])),
        (
            "if x > 0 and not y = 2 then -i else a",
            json!(["?", ["and", [">", ["v", 0], 0.0], ["not", ["=", ["v", 1], 2.0]]], ["-", 0, ["i", 0]], ["l", 0]]),
        ),
        ("block_{i}", json!(["n", "block_", ["i", 0]])),
        ("on[{1 - i}] / 2", json!(["/", ["n", "on[", ["-", 1.0, ["i", 0]], "]"], 2.0])),
        ("'on[{i}]'", json!(["n", "on[", ["i", 0], "]"])),
        ("'hand-empty'", json!(["v", 3])),
        ("on[0]", json!(["v", 6])),
        ("valve = shut off", json!(["=", ["v", 9], 1])),
        ("upper(speed)", json!(["upper", ["v", 2]])),
        ("x or y and i or a", json!(["or", ["v", 0], ["and", ["v", 1], ["i", 0]], ["l", 0]])),
        ("!x ≤ 2 ∨ true", json!(["or", ["<=", ["not", ["v", 0]], 2.0], 1])),
        (
            "sum(j, 0, i - 1, block_{j} = block_{i})",
            json!(["sum", 1, 0.0, ["-", ["i", 0], 1.0], ["=", ["n", "block_", ["i", 1]], ["n", "block_", ["i", 0]]]]),
        ),
    ] {
        assert_eq!(expression(text), tree, "{text}");
    }
}

#[test]
fn mistakes_are_named_with_their_place() {
    let at = |text: &str| with_shape(&json!({"circle": ["1", text, 2]}));
    for (file, expected) in [
        (json!([]), "the drawing: expected an object, found a list of 0"),
        (json!({"drawing": 2, "size": [1, 1], "shapes": []}), "drawing: expected 1"),
        (json!({"drawing": 1, "size": [1, 0], "shapes": []}), "size: expected [width, height]"),
        (json!({"drawing": 1, "size": [1, 1], "shape": []}), "shape: there is no such member; did you mean 'shapes'?"),
        (json!({"drawing": 1, "size": [1, 1], "shapes": [], "let": {"x": 1}}), "let.x: 'x' has a meaning already"),
        (
            json!({"drawing": 1, "size": [1, 1], "shapes": [], "let": {"a": "b", "b": 1}}),
            "let.a: there is no variable 'b'",
        ),
        (at("sped"), "shapes[0].circle[1]: there is no variable 'sped' (did you mean 'speed'?)"),
        (at("blok_{x}"), "shapes[0].circle[1]: no variable has a name like 'blok_{x}' (did you mean 'block_0'?)"),
        (
            at("x +"),
            "shapes[0].circle[1]: character 4 of \"x +\": expected a number, a name or a bracket, found the end",
        ),
        (at("x y"), "expected an operator or the end, found 'y'"),
        (at("abs(x, y)"), "abs takes 1 operands, found 2"),
        (at("upper(x + 1)"), "expected the name of one in the brackets"),
        (with_shape(&json!({"circle": [1, 2]})), "shapes[0].circle: expected [x, y, radius], found a list of 2"),
        (with_shape(&json!({"circel": [1, 2, 3]})), "found none (did you mean 'circle'?)"),
        (with_shape(&json!({"rect": [0, 0, 1, 1], "circle": [0, 0, 1]})), "found rect and circle"),
        (
            with_shape(&json!({"rect": [0, 0, 1, 1], "fill": "bleu"})),
            "shapes[0].fill: there is no colour 'bleu'; did you mean 'blue'?",
        ),
        (
            with_shape(&json!({"rect": [0, 0, 1, 1], "fill": {"if": "x", "then": "url(http://a)"}})),
            "shapes[0].fill.then: there is no colour",
        ),
        (with_shape(&json!({"rect": [0, 0, 1, 1], "style": "a"})), "shapes[0].style: there is no such member"),
        (with_shape(&json!({"text": "{x", "at": [0, 0]})), "shapes[0].text: a '{' is not closed"),
        (with_shape(&json!({"text": "a"})), "shapes[0].at: expected [x, y], found nothing"),
        (with_shape(&json!({"towers": [0, 0, 1, 1], "for": {"i": [0, 1]}})), "shapes[0].on: expected the number"),
        (with_shape(&json!({"rect": [0, 0, 1, 1], "for": {"i": 3}})), "shapes[0].for.i: expected [from, to], found 3"),
        (
            with_shape(&json!({"grid": ["x.", ".y"], "legend": {"x": {"fill": "ink"}}})),
            "row 1, column 1 of the map has 'y'",
        ),
        (
            with_shape(&json!({"group": [{"line": [0, 0, "z", 1]}]})),
            "shapes[0].group[0].line[2]: there is no variable 'z'",
        ),
    ] {
        let found = problems(&file);
        assert!(found[0].contains(expected), "{expected}\n{found:#?}");
    }
    assert!(read_drawing("{", &[]).expect_err("it is wrong")[0].contains("line 1 column 1"));
}

#[test]
fn hostile_files_are_refused() {
    let deep = (0..20)
        .fold(json!({"rect": [0, 0, 1, 1]}), |inner, n| json!({"group": [inner], "for": {format!("i{n}"): [0, 1000]}}));
    let many: Vec<Value> = (0..2000).map(|_| json!({"rect": [0, 0, 1, 1]})).collect();
    for (file, expected) in [
        (with_shape(&deep), "more than 8 repetitions"),
        (json!({"drawing": 1, "size": [1, 1], "shapes": many}), "more than 1000 shapes"),
        (with_shape(&json!({"circle": [0, 0, "(".repeat(1900)]})), "more than 60 levels"),
        (with_shape(&json!({"circle": [0, 0, "-".repeat(1900)]})), "more than 60 levels"),
        (with_shape(&json!({"circle": [0, 0, "not ".repeat(400) + "x"]})), "levels"),
        (with_shape(&json!({"circle": [0, 0, "x{".repeat(60) + "1" + &"}".repeat(60)]})), "levels"),
        (with_shape(&json!({"circle": [0, 0, "x+".repeat(100) + "1"]})), "levels"),
        (with_shape(&json!({"circle": [0, 0, "x{1}{1}{1}{1}{1}"]})), "more than 4 holes"),
        (with_shape(&json!({"circle": [0, 0, "1+".repeat(19_000)]})), "more than 20000 characters"),
        (with_shape(&json!({"grid": ["x".repeat(30_000)], "legend": {"x": {}}})), "more than 20000 cells"),
    ] {
        let found = problems(&file);
        assert!(found[0].contains(expected), "{expected}\n{found:#?}");
    }
    assert!(read_drawing(&" ".repeat(2 << 20), &[]).expect_err("it is wrong")[0].contains("at most"));
    let wrong: Vec<Value> = (0..100).map(|_| json!({})).collect();
    assert_eq!(problems(&json!({"drawing": 1, "size": [1, 1], "shapes": wrong})).len(), MOST_PROBLEMS);
}

#[test]
fn texts_and_colours_have_choices() {
    let shape = json!({"text": {"pick": "x", "from": ["a {{ {speed}", {"if": "y", "then": "b", "else": ""}]}, "at": [0, 0], "fill": "hue y + 1"});
    let read = read_drawing(&with_shape(&shape).to_string(), &variables()).expect("a drawing");
    let choice =
        json!({"pick": ["v", 0], "from": [["a { ", {"value": ["v", 2]}], {"if": ["v", 1], "then": ["b"], "else": []}]});
    assert_eq!(read["shapes"][0]["text"], choice);
    assert_eq!(read["shapes"][0]["fill"], json!({"hue": ["+", ["v", 1], 1.0]}));
    let words = json!({"drawing": 1, "size": [1, 1], "shapes": [], "words": ["x is {x}", {"for": {"i": [0, 1]}, "words": "block {i}"}]});
    let read = read_drawing(&words.to_string(), &variables()).expect("a drawing");
    assert_eq!(read["words"][1], json!({"for": [0, 0, 1], "words": ["block ", {"value": ["i", 0]}]}));
}
