"""Names of models come from others: whatever they are, they are shown as text, run nothing, and cannot make other text look different."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import hostile
import pytest
from cases import Report, Wanted
from playwright.sync_api import Page

ENGINES = {"explicit": "run map abstraction", "cegar": "run map diary abstraction"}


@pytest.fixture(scope="module", params=ENGINES)
def shown(request: pytest.FixtureRequest, written: Callable[[Wanted], Report], artefacts: Path) -> Report:
    words = ("verify", *hostile.write(artefacts), "--engine", request.param, "--time-limit", 60)
    return written(Wanted(f"hostile-{request.param}", words, 1, ENGINES[request.param]))


def bounds(written: Callable[[Wanted], Report], artefacts: Path) -> Report:
    return written(Wanted("hostile-bounds", ("bounds", *hostile.write(artefacts)), 0, "map bounds abstraction"))


def legible(text: str) -> str:
    """A name as pages show it: marks that turn the direction, and signs that cannot be seen, by their numbers."""
    return "".join(f"⟨U+{ord(sign):04X}⟩" if sign in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff" else sign for sign in text)


def test_names_are_text(shown: Report, visit: Callable[..., Page]) -> None:
    page = visit(shown)
    names = {*page.locator("bdi.name").all_text_contents(), *page.locator("td").all_text_contents()}
    for name in (hostile.SCRIPT, hostile.QUOTES, hostile.PROTOTYPE, hostile.CONSTRUCTOR, hostile.CLOSING, hostile.LONG, "#state=1", "a,b=c", "&lt;b&gt;"):
        assert name in names, name
    assert legible(hostile.TURNED) in names
    assert hostile.CLOSING + hostile.TURNED not in page.title()
    assert page.locator("main > section").evaluate_all("all => all.map((each) => each.id)") == shown.wanted.sections


def test_nothing_of_them_is_markup(shown: Report, visit: Callable[..., Page]) -> None:
    page = visit(shown)
    for _ in range(2):  # a fold may hold others
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.wait_for_timeout(150)
        # The data, the packed script, what unpacks it, and what that made of it.
        assert page.locator("script").count() == 4
        assert page.locator("b, img, iframe, object, embed, main script, main style").count() == 0
        assert page.locator("svg[onload], [onerror], [style*='alert']").count() == 0
        assert page.locator("a").evaluate_all("all => all.filter((each) => !each.getAttribute('href').startsWith('#')).length") == 0
    text = shown.page.read_text(encoding="utf-8")
    assert text.count("<script") == 3 and text.count("</style") == 1 and "<svg onload" not in text


def test_nothing_turns_the_direction(shown: Report, visit: Callable[..., Page]) -> None:
    page = visit(shown)
    marks = "[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u2060\\ufeff]"
    page.locator("#map canvas[tabindex]").hover(position={"x": 120, "y": 60})
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.wait_for_timeout(150)
    assert page.evaluate(f"new RegExp('{marks}').test(document.documentElement.textContent.replace(document.getElementById('data').textContent, '')"
                         ".replace([...document.scripts].at(-1).textContent, ''))") is False
    for attribute in ("title", "aria-label", "placeholder"):
        held = page.locator(f"[{attribute}]").evaluate_all(f"all => all.map((each) => each.getAttribute('{attribute}'))")
        assert not [text for text in held if any(sign in text for sign in "\u202e\u2066\u200b")], attribute


def test_they_can_be_looked_for(shown: Report, visit: Callable[..., Page]) -> None:
    page, form = visit(shown), "#abstraction form"
    actions = {shown.json["actions"][each] for each in shown.packed.column(shown.json["graph"]["edges"]["action"]) if each < 65534}
    page.select_option(f"{form} select", "action")
    for name in sorted(actions):
        page.fill(f"{form} input", name)
        page.keyboard.press("Enter")
        assert legible(name) in page.locator("#abstraction .found").inner_text()
    page.select_option(f"{form} select", "state")
    page.fill(f"{form} input", f"{hostile.SCRIPT}=1, {hostile.PROTOTYPE}=0, {hostile.CONSTRUCTOR}=0")
    page.keyboard.press("Enter")
    assert "found" in page.locator("#abstraction .found").inner_text()


def test_their_addresses_open(shown: Report, visit: Callable[..., Page]) -> None:
    """A link to a state goes there and back, whatever its variables are called."""
    states = shown.json["run"]["states"]
    page = visit(shown, "state=" + ",".join(str(int(value)) for value in states[2]))
    assert "state 2 of" in page.locator("#run .toolbar").first.inner_text()
    page.locator("#run .lanes .over").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    assert page.evaluate("location.hash") == f"#step={len(states) - 1}"


@pytest.mark.parametrize("place", ["state=<img src=x onerror=alert(1)>", "step=%3Cscript%3Ealert(1)%3C/script%3E", "node=__proto__", "iteration-constructor", "constructor", "__proto__", "%E0%A4%A", "'\"><b>"])
def test_addresses_are_text_too(place: str, shown: Report, visit: Callable[..., Page]) -> None:
    page = visit(shown, place)
    assert page.locator("b, img").count() == 0
    assert page.locator("main > section").count() == len(shown.wanted.sections)


def test_files_that_it_saves_are_well_formed(shown: Report, visit: Callable[..., Page], artefacts: Path) -> None:
    page = visit(shown)
    saved = {}
    for button in ("Save run as CSV", "Save run as JSON", "Save map as SVG", "Save as SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).first.click()
        target = artefacts / f"{shown.wanted.name}-{download.value.suggested_filename}"
        download.value.save_as(target)
        saved[button] = target.read_text(encoding="utf-8")
    json.loads(saved["Save run as JSON"])
    for button in ("Save map as SVG", "Save as SVG"):
        picture = page.evaluate("(text) => { const read = new DOMParser().parseFromString(text, 'image/svg+xml');"
                                "return [read.querySelectorAll('parsererror, script, b, img, foreignObject').length, read.documentElement.localName]; }", saved[button])
        assert picture == [0, "svg"], button


def test_bounds_show_them_as_text(written: Callable[[Wanted], Report], artefacts: Path, visit: Callable[..., Page]) -> None:
    shown = bounds(written, artefacts)
    page = visit(shown)
    assert page.locator("main > section").evaluate_all("all => all.map((each) => each.id)") == shown.wanted.sections
    assert page.locator("b, img").count() == 0
