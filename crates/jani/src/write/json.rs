//! JSON text, with the commas and line breaks in the right places.

#[derive(Default)]
pub(super) struct Json {
    text: String,
    open: Vec<Level>,
}

struct Level {
    close: char,
    /// Everything inside on one line.
    inline: bool,
    empty: bool,
}

impl Json {
    pub(super) fn open_object(&mut self) {
        self.open('{', '}', false);
    }

    pub(super) fn open_inline_object(&mut self) {
        self.open('{', '}', true);
    }

    pub(super) fn open_array(&mut self) {
        self.open('[', ']', false);
    }

    pub(super) fn open_inline_array(&mut self) {
        self.open('[', ']', true);
    }

    fn open(&mut self, open: char, close: char, inline: bool) {
        self.text.push(open);
        self.open.push(Level { close, inline, empty: true });
    }

    pub(super) fn close(&mut self) {
        let level = self.open.pop().expect("what is closed was opened");
        if !level.inline && !level.empty {
            self.break_line();
        }
        self.text.push(level.close);
    }

    fn break_line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.open.len() {
            self.text.push_str("  ");
        }
    }

    /// Before each element of an array.
    pub(super) fn item(&mut self) {
        let level = self.open.last_mut().expect("an element is inside an array");
        let (inline, first) = (level.inline, level.empty);
        level.empty = false;
        if !first {
            self.text.push_str(if inline { ", " } else { "," });
        }
        if !inline {
            self.break_line();
        }
    }

    /// Before each value of an object.
    pub(super) fn key(&mut self, name: &str) {
        self.item();
        self.string(name);
        self.text.push_str(": ");
    }

    pub(super) fn string(&mut self, value: &str) {
        self.text.push('"');
        for character in value.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                c if c < ' ' => self.text.push_str(&format!("\\u{:04x}", c as u32)),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push('\n');
        self.text
    }
}
