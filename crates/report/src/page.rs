//! The page: one HTML file that needs nothing else.
//!
//! Nothing is loaded and nothing leaves it: the policy in its head (`default-src 'none'`) allows its script, what unpacks that, and its style by their hashes, and pictures that
//! the page makes itself; a served page may also ask the program that serves it. Data is no markup: names of models come from others.

use sha2::{Digest, Sha256};
use surefoot_files::escape;

use crate::assets::{LOADER, STYLE, script};
use crate::data::Page;
use crate::pack::{Columns, base64, deflated};

/// What a page may do in a browser: only what it brings with it.
#[must_use]
pub fn policy(mode: &str) -> String {
    let connect = if mode == "view" { "; connect-src 'self'" } else { "" };
    let hash = |text: &str| base64(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{}' 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; base-uri 'none'; form-action 'none'{connect}",
        hash(LOADER),
        hash(&script()),
        hash(STYLE)
    )
}

/// A page as text. `seconds`: how long the command took; it stands apart from the data, which is the same for the same input.
///
/// # Errors
/// Data beyond four gigabytes.
pub fn html(page: &Page, columns: &Columns, seconds: Option<f64>) -> Result<String, String> {
    let data = base64(&columns.deflated(page)?);
    let (code, policy) = (base64(&deflated(script().as_bytes())?), policy(page.mode));
    let seconds =
        seconds.map_or_else(String::new, |seconds| format!("<meta name=\"surefoot-seconds\" content=\"{seconds}\">\n"));
    Ok(format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<meta name="generator" content="{tool} {version}">
{seconds}<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<div id="page"><main id="main" class="parts"><p>Opening this page. If this stays, the browser is too old for it.</p></main></div>
<div id="tip" role="tooltip" hidden></div>
<div id="voice" class="unseen" aria-live="polite"></div>
<noscript><p>This page draws its data with a script of its own, and scripts are switched off. {title}</p></noscript>
<script id="data" type="application/octet-stream">{data}</script>
<script id="code" type="application/octet-stream">{code}</script>
<script>{LOADER}</script>
</body>
</html>
"##,
        tool = page.tool,
        version = text(&page.version),
        title = text(&page.title),
    ))
}

/// Text in markup: what a terminal would obey is escaped too, and so are marks that turn the direction of what stands around them.
fn text(text: &str) -> String {
    let escaped = escape(text);
    escaped
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        let page = Page { title: "</title><script>alert(1)</script>\"'&".to_owned(), ..Page::default() };
        let html = html(&page, &Columns::new(), None).expect("it is small");
        assert!(html.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</title>"));
        // The data, its own script, and what unpacks that; nothing of the title's.
        assert_eq!(html.matches("<script").count(), 3);
    }

    #[test]
    fn the_page_allows_its_own_script_alone() {
        let html = html(&Page::default(), &Columns::new(), Some(1.5)).expect("it is small");
        let hash = |text: &str| base64(&Sha256::digest(text.as_bytes()));
        let allowed = format!("script-src 'sha256-{}' 'sha256-{}';", hash(LOADER), hash(&script()));
        assert!(html.contains(&allowed) && !html.contains("unsafe-inline"));
        assert!(html.contains("default-src 'none'") && !html.contains("connect-src"));
        assert!(!STYLE.contains("</style") && !LOADER.contains("</script"));
        let served = Page { mode: "view", ..Page::default() };
        assert!(super::html(&served, &Columns::new(), None).expect("it is small").contains("connect-src 'self'"));
    }
}
