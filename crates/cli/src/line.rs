//! One line at the end of the terminal, drawn over itself: a sign of life, a text, and the time.
//!
//! The line is cut at the right margin (wrapping is off while it is drawn), so that it can be taken away again whatever its
//! length. Nothing is drawn where standard error is no terminal, or one that knows no control sequences.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use surefoot_files::escape;

/// The line is not drawn more often than this; short searches draw nothing.
const INTERVAL: Duration = Duration::from_millis(200);

/// Signs of life, one after the other.
const SIGNS: [char; 8] = ['⠁', '⠂', '⠄', '⡀', '⢀', '⠠', '⠐', '⠈'];

/// A line that is drawn now and then.
pub(crate) struct Line {
    started: Instant,
    state: Mutex<State>,
}

struct State {
    last: Instant,
    draws: usize,
}

impl Line {
    /// A line on the terminal, if there is one.
    pub(crate) fn on_terminal(started: Instant) -> Option<Self> {
        let able = std::env::var_os("TERM").is_some_and(|name| name != "dumb");
        (able && std::io::stderr().is_terminal())
            .then(|| Self { started, state: Mutex::new(State { last: started, draws: 0 }) })
    }

    /// Draws a text, unless the last one was just drawn.
    pub(crate) fn draw(&self, text: impl FnOnce() -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last.elapsed() < INTERVAL {
            return;
        }
        state.last = Instant::now();
        show(&drawing(state.draws, &text(), self.started.elapsed()));
        state.draws += 1;
    }

    /// Takes the line away, if it is there.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.draws) > 0 {
            show("\r\x1b[K");
        }
    }
}

/// What is written to draw a text.
fn drawing(draws: usize, text: &str, elapsed: Duration) -> String {
    let sign = SIGNS[draws % SIGNS.len()];
    format!("\r\x1b[?7l{sign} {} ({}s)\x1b[K\x1b[?7h", escape(text), elapsed.as_secs())
}

/// A terminal that went away must not stop a proof.
fn show(sequence: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(sequence.as_bytes()).and_then(|()| terminal.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_begin_at_the_margin_and_leave_wrapping_on() {
        let first = drawing(0, "7 states", Duration::from_millis(61_900));
        assert_eq!(first, "\r\x1b[?7l⠁ 7 states (61s)\x1b[K\x1b[?7h");
        assert!(drawing(1, "7 states", Duration::ZERO).contains("⠂ 7 states (0s)"));
        assert_eq!(drawing(8, "7 states", Duration::from_secs(61)), first);
    }

    #[test]
    fn lines_are_drawn_now_and_then() {
        let long_ago = Instant::now().checked_sub(2 * INTERVAL).unwrap();
        let line = Line { started: long_ago, state: Mutex::new(State { last: Instant::now(), draws: 0 }) };
        line.draw(|| panic!("it was just drawn"));
        line.state.lock().unwrap().last = long_ago;
        line.draw(|| "once".to_owned());
        line.draw(|| panic!("it was just drawn"));
        assert_eq!(line.state.lock().unwrap().draws, 1);
        line.clear();
        assert_eq!(line.state.lock().unwrap().draws, 0);
    }
}
