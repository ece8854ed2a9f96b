"""Everything can be done by keys, and everything that is looked at has an address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cases import CASES, Report, Wanted, of
from playwright.sync_api import Page, expect

FOCUSABLE = "a[href], button:not(:disabled), input, select, summary, [tabindex='0']"
WHERE = "() => { const at = document.activeElement; return at === document.body ? null : at.closest('section.part')?.id ?? at.closest('nav')?.className ?? at.className; }"


@pytest.mark.parametrize("name", ["violated", "holds-cegar", "bounds", "formula-tree"])
def test_tab_reaches_every_part_in_order(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report(name))
    parts = page.locator("section.part").evaluate_all(f"all => all.filter((each) => each.querySelector({FOCUSABLE!r})).map((each) => each.id)")
    passed: list[str] = []
    for _ in range(900):
        page.keyboard.press("Tab")
        where = page.evaluate(WHERE)
        if where is None and passed:
            break
        if where and where not in passed[-1:]:
            passed.append(where)
    else:
        raise AssertionError(f"the focus does not come out: {passed}")
    assert passed[0] == "skip" and passed[1] == "contents"
    assert [each for each in passed if each in parts] == parts, passed


def test_the_focus_is_seen_and_not_covered(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"), wide=700)
    for _ in range(60):
        page.keyboard.press("Tab")
        seen = page.evaluate("""() => {
            const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
            const spot = document.elementFromPoint(Math.min(innerWidth - 2, Math.max(1, box.left + box.width / 2)), Math.min(innerHeight - 2, Math.max(1, box.top + Math.min(box.height / 2, 10))));
            return [at.outerHTML.slice(0, 120), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, box.height === 0 || at.contains(spot) || (spot?.contains(at) ?? false)];
        }""")
        assert seen[1], f"no outline: {seen[0]}"
        assert seen[2], f"covered: {seen[0]}"


def test_the_skip_link_leads_to_the_content(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"))
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(WHERE) == "verdict"


def test_arrows_step_through_the_run(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("violated")
    page, last = visit(shown), len(shown.json["run"]["steps"])
    for place in ("#run .lanes .over", "#run .scroll.tall"):
        page.locator(place).focus()
        page.keyboard.press("Home")
        for key, wanted in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last), ("PageUp", 0), ("ArrowUp", 0), ("PageDown", last), ("Home", 0)):
            page.keyboard.press(key)
            assert f"state {wanted} of {last}" in page.locator("#run .toolbar").first.inner_text(), (place, key)
            assert page.locator("#run .now h4").first.inner_text().startswith(f"State {wanted}")
            current = page.locator("#run .scroll.tall tr[aria-current]")
            assert current.count() == 1 and current.locator("th").inner_text().split()[0] == str(wanted)


@pytest.mark.parametrize("step", [0, 3, 5])
def test_a_step_has_an_address(step: int, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"), f"step={step}")
    assert f"state {step} of 5" in page.locator("#run .toolbar").first.inner_text()
    expect(page.locator("#run .now")).to_be_in_viewport()


def test_a_state_has_an_address_that_all_parts_follow(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    """State 3 of the run, by the names of its values: the run, the map and the picture of the graph go there."""
    shown = report("violated")
    page = visit(shown, "state=weather=change,level=12,rain=2,spilled=false")
    assert "state 3 of 5" in page.locator("#run .toolbar").first.inner_text()
    plain = visit(shown)
    pictures = [each.locator("#abstraction .frame canvas").evaluate("canvas => canvas.toDataURL()") for each in (page, plain)]
    assert pictures[0] != pictures[1], "the graph marks the state that is looked at"


@pytest.mark.parametrize(("place", "words"), [("step=9", "no state “9”"), ("step=two", "no state “two”"), ("state=height=3", "no variable “height”"), ("node=5-2", "0 to 117"), ("node=", "two with a")])
def test_an_address_that_leads_nowhere_says_so(place: str, words: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"), place)
    expect(page.locator("#misread")).to_contain_text(words)
    page.evaluate("location.hash = 'step=1'")
    expect(page.locator("#misread")).to_have_count(0)


def test_an_iteration_has_an_address(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("holds-cegar"), "iteration-7")
    expect(page.locator("#iteration-7")).to_be_in_viewport()


@pytest.mark.parametrize("name", list(CASES))
def test_every_link_within_the_page_leads_somewhere(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report(name))
    places = page.locator("a[href^='#']").evaluate_all("all => [...new Set(all.map((each) => each.getAttribute('href').slice(1)))]")
    assert places
    for place in places[:60]:
        page.evaluate("(place) => { location.hash = place; }", place)
        page.wait_for_function("(place) => location.hash.slice(1) === place || decodeURIComponent(location.hash.slice(1)) === place || !place", arg=place)
        assert page.locator("#misread").count() == 0, place


def test_keys_are_explained(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"))
    page.keyboard.press("?")
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    for words in ("Everywhere", "On the timeline and the table of the run", "On the policy map", "In the picture of the graph"):
        assert words in dialog.inner_text()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    # A question mark that is typed is one.
    page.locator("#abstraction form input").focus()
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_have_count(0)


def test_words_are_explained_on_hover_and_on_focus(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"))
    word, tip = page.locator("#verdict .term", has_text="Engine").first, page.locator("#tip")
    word.hover()
    expect(tip).to_contain_text("The method that decided the question")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.mouse.move(1, 1)
    word.focus()
    expect(tip).to_be_visible()
    assert word.get_attribute("aria-describedby") == "tip"


def test_what_is_copied_is_what_is_shown(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    """Text can be selected, and the command is copied in full."""
    shown = report("violated")
    page = visit(shown)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the command").click()
    expect(page.locator("#verdict .command button")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == shown.json["repeat"]
    page.locator("#verdict .command pre").click(click_count=3)
    assert shown.json["repeat"].startswith(page.evaluate("getSelection().toString().trim().slice(0, 16)"))


def test_hashes_are_copied_of_files_alone(written: Callable[[Wanted], Report], visit: Callable[..., Page]) -> None:
    """What the command line said has a hash on the page, but no file of its name can be looked at."""
    shown = written(Wanted("texts", ("verify", *of("reservoir"), "--goal", "level = 0"), 1, ""))
    page = visit(shown)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.locator("#verdict p.screen button.copy")
    button.click()
    expect(button).to_have_text("Copied")
    inputs = shown.result["inputs"]
    assert "<goal>" in inputs
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied == [f"{digest}  {name}" for name, digest in inputs.items() if name != "<goal>"]
