"""The policy map says of every cell what the program itself says of that state, and marks what was found out about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import Report, of, run
from playwright.sync_api import Page
from readings import plain, texts

CANVAS = "#map .frame canvas"
MAPS = {
    "violated": of("reservoir", policy="careless.jani2nnet"),
    "holds-explicit": of("parking"),
    "courier": of("courier"),
    "holds-cegar": of("lift"),
}


# Where none of the policy's actions is possible, by the guards of the models.
STUCK = {
    "courier": lambda state: state["position"] >= 20 or state["charge"] < 9000 or state["bumps"] >= 3,
    "holds-cegar": lambda state: state["passengers"] == 0,
}


def state_words(report: Report, state: list[float]) -> str:
    def text(variable: dict[str, object], value: float) -> str:
        names = variable["names"]
        return names[int(value)] if names else ("true" if value else "false") if variable["type"] == "bool" else str(int(value))  # type: ignore[index]
    return ", ".join(f"{variable['name']}={text(variable, value)}" for variable, value in zip(report.json["variables"], state, strict=True))


def cells(page: Page, across: int, up: int) -> dict[tuple[float, float], list[str]]:
    """What hovering says at points all over the map: by the values of the two variables, the lines and the scores."""
    box = page.locator(CANVAS).bounding_box()
    assert box
    found: dict[tuple[float, float], list[str]] = {}
    for i in range(across):
        for j in range(up):
            page.mouse.move(box["x"] + box["width"] * (i + 0.5) / across, box["y"] + box["height"] * (j + 0.5) / up)
            if page.locator("#tip").is_visible():
                lines = page.locator("#tip > div > div").all_inner_texts()
                values = re.fullmatch(r"[^=]* = ([^,]+), [^=]* = (.+)", lines[0])
                if values:
                    found[float(plain(values[1])), float(plain(values[2]))] = lines
    return found


@pytest.mark.parametrize("name", MAPS)
def test_hovering_shows_the_scores_of_the_program(name: str, report: Callable[[str], Report], visit: Callable[..., Page], program: Path) -> None:
    shown = report(name)
    page = visit(shown)
    page.locator(CANVAS).scroll_into_view_if_needed()
    first, bases = shown.json["slices"]["maps"][0], shown.json["slices"]["bases"]
    wide, high = len(first["xs"]), len(first["ys"])
    found = cells(page, *((7, 5) if wide * high < 200 else (30, 8)))
    assert len(found) >= 8
    compared = 0
    for (x, y), lines in list(found.items())[::max(1, len(found) // 16)]:
        state = list(bases[first["base"]]["state"])
        state[first["x"]], state[first["y"]] = x, y
        asked = run(program, "explain", *MAPS[name], "--state", state_words(shown, state), "--json", "-", "--quiet")
        if asked.returncode != 0:
            assert any("no state" in line or "not asked" in line for line in lines), (lines, asked.stderr)
            continue
        decision = json.loads(asked.stdout)["decision"]
        if any("not asked" in line for line in lines):
            # The network has an opinion, but nothing that it could choose is possible there.
            assert name in STUCK and STUCK[name](dict(zip((each["name"] for each in shown.json["variables"]), state, strict=True))), lines
            continue
        if decision is None:
            assert any("not asked" in line for line in lines), lines
            continue
        text = " ".join(lines)
        # A tie is shown as one, whatever the policy makes of it.
        best = max(score["float"] for score in decision["scores"].values() if not score.get("out"))
        if sum(score["float"] == best for score in decision["scores"].values() if not score.get("out")) == 1:
            assert decision["chosen"][0] in lines
            assert f"margin {short(decision['margin']['float'])}" in plain(text), lines
        else:
            assert "tie" in text
        for label, score in decision["scores"].items():
            # Those that the filter takes out have no score there.
            if label in lines or label in decision["chosen"]:
                assert re.search(rf"{re.escape(label)}\s+{re.escape(short(score['float']))}(\s|$)", plain(text)), (lines, label, score)
        compared += 1
    assert compared >= 5 or name == "holds-cegar", found


def short(value: float) -> str:
    """A number as pages show it: six significant digits."""
    return f"{value:.6g}" if value != int(value) else str(int(value))


def test_colours_and_marks_are_counted_in_the_legend(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("violated")
    page, first = visit(shown), shown.json["slices"]["maps"][0]
    action, mark = shown.packed.column(first["action"]), shown.packed.column(first["mark"])
    said = {item.locator("span").first.inner_text(): item.locator(".soft").all_inner_texts() for item in page.locator("#map .legend li").all()}
    for index, name in enumerate(shown.json["actions"]):
        count = sum(each == index for each in action)
        assert said.get(name, []) == ([str(count)] if count else [])
    for value, name in ((2, "an unsafe state can be reached"), (3, "unsafe"), (4, "not reached from a start state")):
        count = sum(each == value for each in mark)
        assert said.get(name, []) == ([str(count)] if count else [])


def test_marks_agree_with_the_reached_states(report: Callable[[str], Report]) -> None:
    """A cell of a slice is marked as not reached exactly if its state is not among the reached ones of the page."""
    for name in ("violated", "holds-explicit"):
        shown = report(name)
        states, maps, bases = shown.json["states"], shown.json["slices"]["maps"], shown.json["slices"]["bases"]
        assert states["complete"]
        reached = set(zip(*(shown.packed.column(each) for each in states["values"]), strict=True))
        for each in maps:
            marks = shown.packed.column(each["mark"])
            for cell, mark in enumerate(marks):
                state = list(bases[each["base"]]["state"])
                state[each["x"]], state[each["y"]] = each["xs"][cell % len(each["xs"])], each["ys"][cell // len(each["xs"])]
                if mark != 6:
                    assert (mark == 4) == (tuple(state) not in reached), (name, state, mark)


def test_a_click_looks_at_the_state(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-explicit")
    page = visit(shown)
    page.locator(CANVAS).scroll_into_view_if_needed()
    page.locator(CANVAS).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    place = page.evaluate("decodeURIComponent(location.hash)")
    assert place.startswith("#state="), place
    said = dict(pair.split("=") for pair in place.removeprefix("#state=").split(","))
    card = page.locator("#map .side .now")
    shown_values = dict(zip(texts(card.locator(".values dt")), texts(card.locator(".values dd")), strict=True))
    assert {name: value for name, value in said.items() if name in shown_values} == shown_values
    again = visit(shown, place[1:])
    card = again.locator("#map .side .now")
    assert dict(zip(texts(card.locator(".values dt")), texts(card.locator(".values dd")), strict=True)) == shown_values


def test_projections_count_all_reached_states(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-explicit")
    page = visit(shown)
    page.locator("#map select").nth(2).select_option("projection")
    page.locator("#map details summary").click()
    page.wait_for_timeout(300)
    reached = shown.json["states"]["count"]
    said = page.locator("#map").inner_text()
    assert "all reached states" in said
    box = cells(page, 8, 6)
    values = [shown.packed.column(each) for each in shown.json["states"]["values"]]
    names = [variable["name"] for variable in shown.json["variables"]]
    x, y = (names.index(page.locator("#map select").nth(at).evaluate("list => list.selectedOptions[0].textContent")) for at in (0, 1))
    for (a, b), lines in box.items():
        count = sum(values[x][at] == a and values[y][at] == b for at in range(reached))
        if count == 0:
            assert "no such state was reached" in lines
        elif count > 1:
            assert f"{count} states" in lines
