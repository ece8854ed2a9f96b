//! What is wrong with JSON that a library reads into a type, in our own words.

use serde_json::error::Category;

/// What is wrong, and where: lines and columns from 1. Names of members that are missing or unknown are told; nothing else of the library's words is.
#[must_use]
pub fn trouble(error: &serde_json::Error) -> String {
    let place = match (error.line(), error.column()) {
        (0, _) => String::new(),
        (1, column) => format!(" at column {column}"),
        (line, column) => format!(" at line {line}, column {column}"),
    };
    let text = error.to_string();
    let named = text.split('`').nth(1);
    match (error.classify(), named) {
        (Category::Eof, _) => format!("it ends too early{place}"),
        (Category::Syntax, _) => format!("it is no JSON{place}"),
        (Category::Io, _) => "it cannot be read".to_owned(),
        (Category::Data, Some(name)) if text.starts_with("missing field") => {
            format!("the member \"{name}\" is missing{place}")
        }
        (Category::Data, Some(name)) if text.starts_with("unknown field") => {
            format!("the member \"{name}\" is not known{place}")
        }
        (Category::Data, Some(name)) if text.starts_with("duplicate field") => {
            format!("the member \"{name}\" is there twice{place}")
        }
        (Category::Data, Some(name)) if text.starts_with("unknown variant") => {
            format!("\"{name}\" is not one of the words that can stand there{place}")
        }
        (Category::Data, _) => format!("a value is not of the kind that it should be{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::trouble;

    #[test]
    fn the_words_are_ours() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Two {
            #[expect(dead_code, reason = "only read")]
            one: u32,
        }
        let words = |text: &str| trouble(&serde_json::from_str::<Two>(text).expect_err("it is wrong"));
        assert_eq!(words("{}"), "the member \"one\" is missing at column 2");
        assert_eq!(words("{\"one\": 1, \"two\": 2}"), "the member \"two\" is not known at column 16");
        assert_eq!(words("{\"one\": \"x\"}"), "a value is not of the kind that it should be at column 11");
        assert_eq!(words("{\"one\""), "it ends too early at column 6");
        assert_eq!(words("{\n\"one\": ?}"), "it is no JSON at line 2, column 8");
    }
}
