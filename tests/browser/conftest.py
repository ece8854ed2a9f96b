"""What the browser tests share: one Chromium for all of them, pages that are watched while they are open, and reports written when first asked for.

A watched page must stay quiet: no message in the console, no error, no dialog, and no request but for the file itself. That is checked when it is closed,
so every test of anything checks it too. Reports and screenshots stay in `target/browser`: they are there to be looked at.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cases import CASES, ROOT, Report, Wanted, write
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

# Nothing of the browser's own goes to the network: what is left would be the page's doing.
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
READY = 30_000  # milliseconds that a page may take on a busy machine


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--surefoot", default=str(ROOT / "target/ci/surefoot"), help="the program whose pages are tested")
    parser.addoption("--chromium", default="chromium", help="the browser")


@pytest.fixture(scope="session")
def program(pytestconfig: pytest.Config) -> Path:
    return Path(pytestconfig.getoption("--surefoot")).resolve()


@pytest.fixture(scope="session")
def artefacts() -> Path:
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def report(program: Path, artefacts: Path) -> Callable[[str], Report]:
    """The report of a case, written when it is first asked for."""
    return functools.cache(lambda name: write(program, artefacts, CASES[name]))


@pytest.fixture(scope="session")
def written(program: Path, artefacts: Path) -> Callable[[Wanted], Report]:
    """The report of a command that only one test needs."""
    return lambda wanted: write(program, artefacts, wanted)


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    found = shutil.which(pytestconfig.getoption("--chromium"))
    assert found, "there is no chromium"
    with sync_playwright() as library:
        # The profile is a new folder that the library makes and removes.
        opened = library.chromium.launch(executable_path=found, args=SWITCHES)
        yield opened
        opened.close()


class Watched:
    """A page in a window of its own, and everything that it should not do."""

    def __init__(self, browser: Browser, wide: int, high: int, dark: bool) -> None:
        self.context: BrowserContext = browser.new_context(viewport={"width": wide, "height": high}, color_scheme="dark" if dark else "light", reduced_motion="reduce")
        self.page: Page = self.context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("popup", lambda other: self.troubles.append(f"another window: {other.url}"))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("requestfailed", lambda request: self.troubles.append(f"failed: {request.url}"))

    def open(self, address: str) -> Page:
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]", timeout=READY, state="attached")
        return self.page

    def close(self, allowed: str) -> None:
        self.context.close()
        assert not self.troubles, self.troubles
        # What a page saves as a file has an address in its own memory.
        others = {url.partition("#")[0] for url in self.requests if not url.startswith("blob:")} - {allowed}
        assert not others, others


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page from its file; at the end of the test it must have been quiet."""
    opened: list[tuple[Watched, str]] = []

    def open_page(report: Report, place: str = "", *, wide: int = 1280, high: int = 900, dark: bool = False) -> Page:
        watched, address = Watched(browser, wide, high, dark), report.page.as_uri()
        opened.append((watched, address))
        return watched.open(address + (f"#{place}" if place else ""))

    yield open_page
    for watched, address in opened:
        watched.close(address)
