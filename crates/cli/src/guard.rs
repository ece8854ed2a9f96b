//! Panics are bugs of ours, and never a verdict.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

use crate::output::{Exit, complain};

/// Runs `f`; a panic in it is reported as a bug and ends in [`Exit::Error`].
pub(crate) fn guarded(f: impl FnOnce() -> Exit) -> Exit {
    set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let place = info.location().map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()));
        complain(&bug(&format!("{message}{place}")));
    }));
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(Exit::Error)
}

/// What to say about a broken invariant.
pub(crate) fn bug(what: &str) -> String {
    format!(
        "error: internal error: {what}\nhelp: this is a bug in Surefoot, not in your model; there is no verdict. Please report \
         it with the command line and the files"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_no_verdict() {
        assert_eq!(guarded(|| panic!("on purpose")), Exit::Error);
        assert_eq!(guarded(|| Exit::Violated), Exit::Violated);
    }
}
