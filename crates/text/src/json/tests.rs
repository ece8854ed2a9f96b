use super::*;

const FILE: FileId = FileId(0);

fn error(text: &str) -> (String, String) {
    let error = Document::parse(FILE, text).expect_err(text);
    let span = error.span.expect("a place");
    (error.message, text[span.start as usize..span.end as usize].to_owned())
}

#[test]
fn values_and_places() {
    let text = r#" {"a": [1, -2.50e1, true, null], "b\u00e9\n": "x\ud83d\ude00y", "c": {}} "#;
    let document = Document::parse(FILE, text).unwrap();
    let root = document.root();
    assert_eq!(root.kind(), Kind::Object);
    let names: Vec<&str> = root.members().map(|(name, _, _)| name).collect();
    assert_eq!(names, ["a", "bé\n", "c"]);
    let items: Vec<Node<'_>> = root.get("a").unwrap().items().collect();
    assert_eq!(items[1].as_number(), Some("-2.50e1"));
    assert_eq!(items[1].expect_number("a number").unwrap(), Rational::from(-25));
    assert_eq!(items[1].text(), "-2.50e1");
    assert_eq!(items[2].as_bool(), Some(true));
    assert!(items[3].is_null());
    assert_eq!(root.get("bé\n").unwrap().as_str(), Some("x😀y"));
    assert_eq!(root.get("c").unwrap().members().count(), 0);
    assert_eq!(root.items().count(), 0);
    assert_eq!(items[0].expect_str("a name").unwrap_err().message, "expected a name, found a number");
}

#[test]
fn what_is_wrong_is_said() {
    for (text, message, place) in [
        ("", "the text is empty", ""),
        ("[1, 2, ]", "trailing comma before \"]\"", ","),
        ("{\"a\": 1,\n}", "trailing comma before \"}\"", ","),
        ("[1 2]", "expected \",\" or \"]\" after a value of an array, found 2", "2"),
        ("{\"a\": 1]", "expected \",\" or \"}\" after a value of an object, found ]", "]"),
        ("{a: 1}", "expected the name of a member in double quotes, found a", "a"),
        ("{\"a\" 1}", "expected \":\" after the name \"a\"", "1"),
        ("[\"a, 1]\n", "this string has no closing quote", "\"a, 1]"),
        ("[1] // x\n", "JSON has no comments", "// x"),
        ("[NaN]", "JSON has no number NaN", "NaN"),
        ("[-Infinity]", "JSON has no number -Infinity", "-Infinity"),
        ("[True]", "expected a value, found True", "True"),
        ("['a']", "expected a value, found 'a'", "'a'"),
        ("[01]", "a JSON number must not start with a zero", "01"),
        ("[1.]", "1. is not a JSON number", "1."),
        ("[.5]", ".5 is not a JSON number", ".5"),
        ("[-]", "- is not a JSON number", "-"),
        ("[\"\\x\"]", "unknown escape; write \\\\ for a backslash", "\\"),
        ("[\"\\ud800\"]", "half of a surrogate pair", "\\ud800"),
        ("[1]]", "the text goes on after its value has ended", "]"),
        ("[[1, {", "the text ends inside the object opened at line 1, column 6", "{"),
        ("{\"a\": 1, \"b\": 2, \"a\": 3}", "the member \"a\" is given twice", "\"a\""),
        (",", "expected a value, found ,", ","),
        ("[1,,2]", "expected a value, found ,", ","),
        ("∧", "expected a value, found ∧", "∧"),
    ] {
        assert_eq!(error(text), (message.to_owned(), place.to_owned()), "{text}");
    }
}

#[test]
fn repeated_members_of_large_objects() {
    let mut text = "{".to_owned();
    for i in 0..100 {
        text.push_str(&format!("\"m{i}\": 0, "));
    }
    text.push_str("\"m7\": 1}");
    let error = Document::parse(FILE, &text).unwrap_err();
    assert_eq!(error.message, "the member \"m7\" is given twice");
    assert_eq!(error.help.as_deref(), Some("it was given first at line 1, column 65; keep one of them"));
}

#[test]
fn deep_nesting_is_only_memory() {
    let depth = 1_000_000;
    let text = "[".repeat(depth) + &"]".repeat(depth);
    let document = Document::parse(FILE, &text).unwrap();
    let mut node = document.root();
    let mut levels = 1;
    while let Some(inner) = node.items().next() {
        node = inner;
        levels += 1;
    }
    assert_eq!(levels, depth);
    assert!(Document::parse(FILE, &text[1..]).is_err());
    assert!(Document::parse(FILE, &text[..text.len() - 1]).is_err());
}

#[test]
fn shapes() {
    let shape = Shape::new("an edge", &["location", "destinations"], &["guard"]);
    let check = |text: &str| {
        let document = Document::parse(FILE, text).unwrap();
        ObjectReader::new(document.root(), &shape).map(|_| ()).map_err(|e| (e.message, e.help.unwrap_or_default()))
    };
    let err = |message: &str, help: &str| Err((message.to_owned(), help.to_owned()));
    assert_eq!(check(r#"{"location": 1, "destinations": 2, "comment": 3, "x-y": 4}"#), Ok(()));
    assert_eq!(check("[]"), err("expected an edge as an object, found an array", ""));
    assert_eq!(check(r#"{"guard": 1}"#), err("an edge needs \"location\" and \"destinations\"", ""));
    assert_eq!(
        check(r#"{"location": 1, "destinations": 2, "gaurd": 3}"#),
        err("an edge has no member \"gaurd\"", "did you mean \"guard\"?")
    );
    assert_eq!(
        check(r#"{"location": 1, "destinations": 2, "rate": 3}"#),
        err("an edge has no member \"rate\"", "its members are \"location\", \"destinations\" and \"guard\"")
    );
}
