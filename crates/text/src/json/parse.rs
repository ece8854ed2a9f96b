//! The JSON parser: one loop over the text and a stack of open arrays and objects.

use crate::diagnostic::Diagnostic;
use crate::json::object::shown;
use crate::json::{Document, Entry, Kind, PLAIN};
use crate::source::{FileId, Span, line_column, offset};

pub(super) fn parse(file: FileId, text: &str) -> Result<Document<'_>, Diagnostic> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::error_anywhere("the text is longer than 4 GiB"));
    }
    let document = Document { file, text, entries: Vec::new(), decoded: Vec::new() };
    let mut parser = Parser { document, at: 0, open: Vec::new(), comma: 0 };
    parser.run()?;
    Ok(parser.document)
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// After `[`.
    ValueOrEnd,
    /// After a comma in an object.
    Name,
    /// After `{`.
    NameOrEnd,
    CommaOrEnd,
}

pub(super) struct Parser<'t> {
    pub(super) document: Document<'t>,
    pub(super) at: usize,
    /// The entries of the arrays and objects that are not closed yet.
    pub(super) open: Vec<u32>,
    /// Where the latest comma stands.
    comma: usize,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'t> {
    fn run(&mut self) -> Parsed<()> {
        let mut expect = Expect::Value;
        loop {
            self.skip_blank()?;
            if expect == Expect::CommaOrEnd && self.open.is_empty() {
                return match self.peek() {
                    None => Ok(()),
                    Some(_) => Err(self.error_here("the text goes on after its value has ended")),
                };
            }
            let Some(byte) = self.peek() else { return Err(self.error_at_end()) };
            expect = match (expect, byte) {
                (Expect::ValueOrEnd, b']') | (Expect::NameOrEnd, b'}') => self.close(),
                (Expect::CommaOrEnd, b']') if self.innermost() == Some(Kind::Array) => self.close(),
                (Expect::CommaOrEnd, b'}') if self.innermost() == Some(Kind::Object) => {
                    self.check_members()?;
                    self.close()
                }
                (Expect::CommaOrEnd, b',') => {
                    self.comma = self.at;
                    self.at += 1;
                    if self.innermost() == Some(Kind::Object) { Expect::Name } else { Expect::Value }
                }
                (Expect::CommaOrEnd, _) => return Err(self.error_between()),
                (Expect::Value, b']') | (Expect::Name, b'}') if !self.open.is_empty() && self.comma_before() => {
                    let span = self.span(self.comma, self.comma + 1);
                    return Err(Diagnostic::error(span, format!("trailing comma before \"{}\"", char::from(byte)))
                        .with_help("JSON allows commas only between values; remove this one"));
                }
                (Expect::Name | Expect::NameOrEnd, _) => {
                    self.name(byte)?;
                    Expect::Value
                }
                (Expect::Value | Expect::ValueOrEnd, _) => self.value(byte)?,
            };
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.document.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn innermost(&self) -> Option<Kind> {
        self.open.last().map(|index| self.document.entries[*index as usize].kind)
    }

    /// Whether only blanks are between the latest comma and here.
    fn comma_before(&self) -> bool {
        let text = self.document.text.as_bytes();
        text[self.comma] == b',' && text[self.comma + 1..self.at].iter().all(u8::is_ascii_whitespace)
    }

    fn skip_blank(&mut self) -> Parsed<()> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
        let rest = &self.document.text[self.at..];
        if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
            let line = rest.lines().next().map_or(0, str::len);
            return Err(Diagnostic::error(self.span(self.at, self.at + line), "JSON has no comments")
                .with_help("remove it, or write it as the value of a member \"comment\""));
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize, link: u32) {
        let entry = Entry { kind, start: offset(start), end: offset(self.at), link };
        self.document.entries.push(entry);
    }

    fn close(&mut self) -> Expect {
        self.at += 1;
        let next = offset(self.document.entries.len());
        let index = self.open.pop().expect("an array or object is open");
        let entry = &mut self.document.entries[index as usize];
        entry.end = offset(self.at);
        entry.link = next;
        Expect::CommaOrEnd
    }

    fn name(&mut self, byte: u8) -> Parsed<()> {
        if byte != b'"' {
            let (start, end) = self.token();
            let found = shown(&self.document.text[start..end]);
            return Err(Diagnostic::error(
                self.span(start, end),
                format!("expected the name of a member in double quotes, found {found}"),
            ));
        }
        self.string()?;
        self.skip_blank()?;
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            None => Err(self.error_at_end()),
            Some(_) => {
                let key = offset(self.document.entries.len() - 1);
                let name = shown(self.document.string(key));
                Err(self
                    .error_here(format!("expected \":\" after the name \"{name}\""))
                    .with_help("is a double quote missing before this place?"))
            }
        }
    }

    fn value(&mut self, byte: u8) -> Parsed<Expect> {
        let start = self.at;
        match byte {
            b'{' | b'[' => {
                self.at += 1;
                self.open.push(offset(self.document.entries.len()));
                let kind = if byte == b'{' { Kind::Object } else { Kind::Array };
                self.push(kind, start, 0);
                return Ok(if byte == b'{' { Expect::NameOrEnd } else { Expect::ValueOrEnd });
            }
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => {
                let (start, end) = self.token();
                let word = &self.document.text[start..end];
                let kind = match word {
                    "true" | "false" => Kind::Bool,
                    "null" => Kind::Null,
                    _ => return Err(self.error_word(start, end)),
                };
                self.at = end;
                self.push(kind, start, 0);
            }
        }
        Ok(Expect::CommaOrEnd)
    }

    fn number(&mut self) -> Parsed<()> {
        let text = self.document.text.as_bytes();
        let start = self.at;
        let digits = |at: usize| text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = start + usize::from(text[start] == b'-');
        let whole = digits(at);
        let leading_zero = whole > 1 && text[at] == b'0';
        at += whole;
        let mut complete = whole > 0;
        if text.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            complete &= fraction > 0;
            at += 1 + fraction;
        }
        if let Some(b'e' | b'E') = text.get(at) {
            at += 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            complete &= exponent > 0;
            at += exponent;
        }
        if !complete {
            let (_, end) = self.token();
            return Err(self.error_word(start, end.max(at)));
        }
        if leading_zero {
            return Err(Diagnostic::error(self.span(start, at), "a JSON number must not start with a zero")
                .with_help("remove the zeros in front"));
        }
        self.at = at;
        self.push(Kind::Number, start, 0);
        Ok(())
    }

    fn string(&mut self) -> Parsed<()> {
        let text = self.document.text;
        let start = self.at;
        let mut at = start + 1;
        let mut decoded: Option<String> = None;
        let mut copied = at;
        loop {
            match text.as_bytes().get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let value = decoded.get_or_insert_default();
                    value.push_str(&text[copied..at]);
                    let (character, length) = unescape(&text[at..]).map_err(|(message, length)| {
                        Diagnostic::error(self.span(at, (at + length).min(text.len())), message)
                    })?;
                    value.push(character);
                    at += length;
                    copied = at;
                }
                None | Some(b'\n' | b'\r') => {
                    return Err(Diagnostic::error(self.span(start, at), "this string has no closing quote")
                        .with_help("a string ends with a double quote on the line where it starts"));
                }
                Some(byte) if *byte < 0x20 => {
                    let message = format!("a string must not contain the control character \\u{byte:04x} as it is");
                    return Err(Diagnostic::error(self.span(at, at + 1), message)
                        .with_help("write it as an escape, such as \\t for a tab"));
                }
                Some(_) => at += 1,
            }
        }
        let link = match decoded {
            None => PLAIN,
            Some(mut value) => {
                value.push_str(&text[copied..at]);
                self.document.decoded.push(value);
                offset(self.document.decoded.len() - 1)
            }
        };
        self.at = at + 1;
        self.push(Kind::String, start, link);
        Ok(())
    }

    /// Refuses a second member of the same name in the innermost object, which is about to be closed.
    fn check_members(&self) -> Parsed<()> {
        let object = *self.open.last().expect("an object is open");
        let end = offset(self.document.entries.len());
        let mut keys = Vec::new();
        let mut index = object + 1;
        while index < end {
            keys.push(index);
            index = self.document.next(index + 1);
        }
        let name = |index: &u32| self.document.string(*index);
        let twice = if keys.len() <= 8 {
            (1..keys.len()).find_map(|j| keys[..j].iter().find(|i| name(i) == name(&keys[j])).map(|i| (*i, keys[j])))
        } else {
            keys.sort_unstable_by(|a, b| name(a).cmp(name(b)).then(a.cmp(b)));
            keys.windows(2).filter(|pair| name(&pair[0]) == name(&pair[1])).map(|p| (p[0], p[1])).min_by_key(|p| p.1)
        };
        let Some((first, second)) = twice else { return Ok(()) };
        let span = |index: u32| {
            let entry = self.document.entries[index as usize];
            self.span(entry.start as usize, entry.end as usize)
        };
        let (line, column) = line_column(self.document.text, span(first).start);
        Err(Diagnostic::error(span(second), format!("the member \"{}\" is given twice", shown(name(&second))))
            .with_help(format!("it was given first at line {line}, column {column}; keep one of them")))
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::between(self.document.file, start, end)
    }

    /// The word or the single character at the current place.
    pub(super) fn token(&self) -> (usize, usize) {
        let rest = &self.document.text[self.at..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '\'');
        let word: usize = rest.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
        let length = if word == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { word };
        (self.at, self.at + length)
    }

    fn error_here(&self, message: impl Into<String>) -> Diagnostic {
        let (start, end) = self.token();
        Diagnostic::error(self.span(start, end), message)
    }
}

/// The character an escape at the start of `text` stands for and the escape's length; or what is wrong with it.
fn unescape(text: &str) -> Result<(char, usize), (&'static str, usize)> {
    const UNKNOWN: (&str, usize) = ("unknown escape; write \\\\ for a backslash", 1);
    let simple = |character| Ok((character, 2));
    match text.as_bytes().get(1) {
        Some(b'"') => simple('"'),
        Some(b'\\') => simple('\\'),
        Some(b'/') => simple('/'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => {
            let hex = |at: usize| {
                let digits = text.get(at..at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
                u32::from_str_radix(digits, 16).ok()
            };
            let first = hex(2).ok_or(("\\u needs four hexadecimal digits", 2))?;
            if let Some(character) = char::from_u32(first) {
                return Ok((character, 6));
            }
            // A surrogate: only a high one followed by a low one is a character.
            const LONE: (&str, usize) = ("half of a surrogate pair", 6);
            if !(0xD800..0xDC00).contains(&first) || text.get(6..8) != Some("\\u") {
                return Err(LONE);
            }
            let second = hex(8).filter(|s| (0xDC00..0xE000).contains(s)).ok_or(LONE)?;
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(code).map(|character| (character, 12)).ok_or(LONE)
        }
        _ => Err(UNKNOWN),
    }
}
