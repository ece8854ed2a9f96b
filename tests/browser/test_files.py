"""Pages as files: nothing may leave them, and the same input gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import http.server
import os
import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cases import CASES, Report
from playwright.sync_api import Browser, Page

SECONDS = re.compile(r'<meta name="surefoot-seconds" content="[\d.e-]+">\n')


def policy_of(text: str) -> dict[str, list[str]]:
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert found
    return {words[0]: words[1:] for words in (part.split() for part in found[1].split(";"))}


@pytest.mark.parametrize("name", list(CASES))
def test_a_page_allows_its_own_script_and_style_alone(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report(name)
    text = shown.page.read_text(encoding="utf-8")
    policy = policy_of(text)
    assert policy["default-src"] == ["'none'"] and policy["base-uri"] == ["'none'"] and policy["form-action"] == ["'none'"]
    assert policy["img-src"] == ["data:", "blob:"] and set(policy) == {"default-src", "base-uri", "form-action", "img-src", "script-src", "style-src"}
    page = visit(shown)
    scripts = [script for script in page.locator("script:not([type])").all_text_contents()]
    styles = page.locator("style").all_text_contents()

    def fingerprint(script: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"

    assert {fingerprint(script) for script in scripts} == set(policy["script-src"])
    assert [fingerprint(style) for style in styles] == policy["style-src"]
    # Nothing is loaded: no address in any attribute but those within the page.
    assert not re.findall(r'\b(?:src|action|ping|srcset|poster)="', text.replace("img-src", ""))
    links = set(re.findall(r'\bhref="([^"]*)"', text.partition("<script")[0]))
    assert links <= {"#main", "data:,"}


def test_what_is_injected_cannot_call_home(report: Callable[[str], Report], browser: Browser) -> None:
    """Even a script that got in could not reach anyone: all ways out are tried against a server that listens."""
    heard: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    context = browser.new_context()
    page = context.new_page()
    page.goto(report("violated").page.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.evaluate("""async (home) => {
        const made = (tag, attributes) => document.body.append(Object.assign(document.createElement(tag), attributes));
        made("img", { src: home + "/img" }); made("script", { src: home + "/script" }); made("iframe", { src: home + "/frame" }); made("video", { src: home + "/video" });
        made("link", { rel: "stylesheet", href: home + "/style" }); made("link", { rel: "prefetch", href: home + "/prefetch" }); made("object", { data: home + "/object" });
        made("style", { textContent: `body { background: url(${home}/background) }` });
        document.body.style.backgroundImage = `url(${home}/inline)`;
        navigator.sendBeacon(home + "/beacon");
        try { new WebSocket(home.replace("http", "ws")); } catch {}
        try { new EventSource(home + "/events"); } catch {}
        try { new Worker(home + "/worker"); } catch {}
        await fetch(home + "/fetch", { mode: "no-cors" }).catch(() => {});
        const form = document.createElement("form"); form.action = home + "/form"; form.method = "post"; form.target = "_blank"; document.body.append(form); form.submit();
        await new Promise((go) => setTimeout(go, 500));
    }""", home)
    context.close()
    server.shutdown()
    assert heard == []


def write_again(program: Path, wanted: tuple[object, ...], page: Path, cores: set[int]) -> str:
    """Runs the same command on some cores: that is how many threads it has by itself."""
    subprocess.run([program, *map(str, wanted), "--report", page, "--quiet"], capture_output=True, check=False, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    return SECONDS.sub("", page.read_text(encoding="utf-8"))


# Where a limit of time ends a run depends on the time.
@pytest.mark.parametrize("name", [name for name, wanted in CASES.items() if "--time-limit" not in wanted.words])
def test_the_same_input_gives_the_same_bytes(name: str, report: Callable[[str], Report], program: Path, artefacts: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))
    words, page = CASES[name].words, artefacts / f"{name}.bytes.html"
    one = write_again(program, words, page, {cores[0]})
    assert len(SECONDS.findall(page.read_text())) == 1
    assert write_again(program, words, page, set(cores)) == one
    assert write_again(program, words, page, set(cores)) == one
    assert SECONDS.sub("", report(name).page.read_text(encoding="utf-8"))[:200] == one[:200]


@pytest.mark.parametrize("name", ["violated", "holds-cegar", "bounds", "abstract"])
def test_threads_change_nothing_but_the_command(name: str, program: Path, artefacts: Path, written: Callable[..., Report]) -> None:
    told = [written(replace(CASES[name], name=f"{name}.threads{count}", words=(*CASES[name].words, "--threads", count))) for count in (1, 4)]
    assert told[0].packed.columns == told[1].packed.columns
    one, other = ({**each.json, "repeat": each.json["repeat"].rpartition("--threads")[0]} for each in told)
    assert one == other
