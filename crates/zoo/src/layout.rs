//! JSON for people: what fits on a line stands on one, the rest is broken into its members.

use serde_json::Value;

/// The longest line that is not broken.
const WIDTH: usize = 120;

/// A JSON value as text, with a line break at its end.
#[must_use]
pub fn laid_out(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, indent: usize, text: &mut String) {
    let line = on_one_line(value);
    let used = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    // A comma may follow.
    if used + line.chars().count() < WIDTH || !(value.is_array() || value.is_object()) {
        text.push_str(&line);
        return;
    }
    let brackets = if value.is_array() { ["[", "]"] } else { ["{", "}"] };
    let members: Vec<(Option<&String>, &Value)> = match value {
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (Some(name), member)).collect(),
        _ => Vec::new(),
    };
    text.push_str(brackets[0]);
    for (n, (name, member)) in members.iter().enumerate() {
        text.push_str(if n == 0 { "\n" } else { ",\n" });
        text.push_str(&" ".repeat(indent + 2));
        if let Some(name) = name {
            text.push_str(&format!("{}: ", Value::from(name.as_str())));
        }
        write(member, indent + 2, text);
    }
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push_str(brackets[1]);
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(on_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{}: {}", Value::from(name.as_str()), on_one_line(member)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_stands_on_a_line() {
        let long = "x".repeat(100);
        let value = json!({"a": [1, {"b": "c\"d"}], "e": [long, "f"], "g": {}});
        let expected =
            format!("{{\n  \"a\": [1, {{\"b\": \"c\\\"d\"}}],\n  \"e\": [\"{long}\", \"f\"],\n  \"g\": {{}}\n}}\n");
        assert_eq!(laid_out(&value), expected);
        let broken = json!({"e": [long, [long, 1]]});
        assert_eq!(laid_out(&broken), format!("{{\n  \"e\": [\n    \"{long}\",\n    [\"{long}\", 1]\n  ]\n}}\n"));
        assert_eq!(serde_json::from_str::<Value>(&laid_out(&broken)).expect("JSON"), broken);
    }
}
