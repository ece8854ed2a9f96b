"""The picture of the graph: what is found in it is what a walk over all its states finds, and it zooms by wheel, buttons and keys."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from cases import Report
from playwright.sync_api import Locator, Page
from readings import moves, plain

FOUND = "#abstraction .found"
COMPARISON = re.compile(r"(?P<name>\w+) (?P<sign><=|>=|=|!=|<|>) (?P<number>-?\d+)")


def columns(report: Report) -> list[list[int]]:
    return [report.packed.column(each) for each in report.json["graph"]["columns"]]


def holds(predicate: str, state: dict[str, int]) -> int | None:
    """Whether a predicate of the examples holds: a comparison with a number, or a truth value; None where its variable is not given."""
    found = COMPARISON.fullmatch(predicate)
    variable = found["name"] if found else predicate.lstrip("!")
    if variable not in state:
        return None
    if not found:
        return state[variable] ^ predicate.startswith("!")
    value, number = state[variable], int(found["number"])
    return int({"<=": value <= number, ">=": value >= number, "=": value == number, "!=": value != number, "<": value < number, ">": value > number}[found["sign"]])


def like(report: Report, state: dict[str, int]) -> list[int]:
    """All states of the graph that agree with some values, by looking at every one of them."""
    graph, variables = report.json["graph"], report.json["variables"]
    wanted = []
    for attribute in graph["attributes"]:
        if attribute["variable"] is not None:
            variable, value = variables[attribute["variable"]], state.get(variables[attribute["variable"]]["name"])
            if value is not None and attribute["values"] and not variable["names"] and variable["type"] != "bool":
                value = attribute["values"].index(str(value))
            wanted.append(value)
        else:
            wanted.append(holds(attribute["name"], state))
    held = columns(report)
    return [at for at in range(graph["count"]) if all(value is None or held[column][at] == value for column, value in enumerate(wanted))]


def words_of(report: Report, state: dict[str, int]) -> str:
    def text(name: str, value: int) -> str:
        variable = next(each for each in report.json["variables"] if each["name"] == name)
        return variable["names"][value] if variable["names"] else ("true" if value else "false") if variable["type"] == "bool" else str(value)
    return ", ".join(f"{name}={text(name, value)}" for name, value in state.items())


def ask(page: Page, kind: str, text: str) -> tuple[int, list[int]]:
    """Looks for something in the graph: how many states were found, and the numbers of the first of them."""
    page.select_option("#abstraction form select", kind)
    page.fill("#abstraction form input", text)
    page.keyboard.press("Enter")
    said = page.locator(FOUND).inner_text()
    count = re.search(r"(All|[\d\u202f]+) of ([\d\u202f]+) states", said)
    assert count, said
    buttons = page.locator(f"{FOUND} button").all_inner_texts()
    return int(plain(count[2] if count[1] == "All" else count[1])), [int(each.split()[1]) for each in buttons if re.fullmatch(r"state \d+", each)]


def same(got: tuple[int, list[int]], wanted: list[int]) -> None:
    assert got == (len(wanted), wanted[:8] if len(wanted) > 1 else [])


@pytest.mark.parametrize("state", [
    {"passengers": 1, "position": 2, "target": 3, "waited": 1, "door": 0}, {"position": 3, "target": 2}, {"passengers": 0}, {"waited": 5}, {"door": 1, "position": 0},
    {"waited": 6}, {"passengers": 1, "position": 4, "target": 4, "waited": 0, "door": 1}])
def test_a_state_is_found_where_its_predicates_hold(state: dict[str, int], report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-cegar")
    same(ask(visit(shown), "state", words_of(shown, state)), like(shown, state))


@pytest.mark.parametrize("state", [{"level": 9, "rain": 1, "weather": 0, "spilled": 0}, {"level": 14}, {"rain": 3, "weather": 1}, {"spilled": 1}, {"level": 0, "rain": 3}])
def test_a_concrete_state_is_found(state: dict[str, int], report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("violated")
    same(ask(visit(shown), "state", words_of(shown, state)), like(shown, state))


def test_predicates_are_found_in_each_of_their_wordings(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-cegar")
    page, graph, held = visit(shown), shown.json["graph"], columns(shown)
    tried = 0
    for column, attribute in enumerate(graph["attributes"]):
        for value in (0, 1) if attribute["words"] else ():
            same(ask(page, "predicate", attribute["words"][value]), [at for at in range(graph["count"]) if held[column][at] == value])
            tried += 1
    assert tried == 2 * len(shown.result["predicates"])
    first, second = graph["attributes"][2:4]
    both = [at for at in range(graph["count"]) if held[2][at] == 1 and held[3][at] == 0]
    same(ask(page, "predicate", f"{first['words'][1]} & {second['words'][0]}"), both)


def test_conditions_over_variables_are_found_among_concrete_states(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("violated")
    page, graph, held = visit(shown), shown.json["graph"], columns(shown)
    places = {shown.json["variables"][attribute["variable"]]["name"]: column for column, attribute in enumerate(graph["attributes"]) if attribute["variable"] is not None}

    def value(name: str, at: int) -> int:
        attribute = graph["attributes"][places[name]]
        read = held[places[name]][at]
        return int(attribute["values"][read]) if attribute["values"] and attribute["values"][read].lstrip("-").isdigit() else read

    for text, test in (("level >= 12", lambda at: value("level", at) >= 12), ("level + 2*rain <= 9", lambda at: value("level", at) + 2 * value("rain", at) <= 9),
                       ("level < 5 | rain = 3", lambda at: value("level", at) < 5 or value("rain", at) == 3)):
        same(ask(page, "predicate", text), [at for at in range(graph["count"]) if test(at)])


@pytest.mark.parametrize("name", ["holds-cegar", "violated", "abstract", "bounds-free"])
def test_actions_are_found_where_moves_by_them_begin(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report(name)
    page = visit(shown)
    leaves: dict[int, set[int]] = {}
    for source, _, action in moves(shown.packed):
        leaves.setdefault(action, set()).add(source)
    for action, sources in leaves.items():
        if action < 65534:
            same(ask(page, "action", shown.json["actions"][action]), sorted(sources))


def test_what_is_not_there_is_said(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"))
    for kind, text, words in (("state", "depth=3", "no variable “depth”"), ("state", "level=high", "not a value of level"), ("predicate", "level is high", "neither a predicate"), ("action", "fly", "of the name “fly”")):
        page.select_option("#abstraction form select", kind)
        page.fill("#abstraction form input", text)
        page.keyboard.press("Enter")
        assert words in page.locator(f"{FOUND} .problem").inner_text()
    page.get_by_role("button", name="Clear").click()
    assert page.locator(FOUND).inner_text() == ""


def picture(page: Page) -> str:
    page.wait_for_timeout(350)  # the view has come to rest
    return page.locator("#abstraction .frame canvas").evaluate("canvas => canvas.toDataURL()")


def canvas(page: Page) -> Locator:
    found = page.locator("#abstraction .frame canvas")
    found.scroll_into_view_if_needed()
    return found


def test_wheel_buttons_and_keys_zoom_alike(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("holds-cegar"))
    part = page.locator("#abstraction")
    frame = canvas(page)
    whole = picture(page)
    seen = {whole}
    # The wheel scrolls the page until the picture was clicked.
    box = frame.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    frame.focus()
    before = page.evaluate("scrollY")
    for turn in (-240, -240, -240):
        page.mouse.wheel(0, turn)
        seen.add(picture(page))
    assert page.evaluate("scrollY") == before
    assert len(seen) == 4, "each turn shows something else"
    part.get_by_role("button", name="All", exact=True).click()
    page.mouse.move(5, 5)
    assert picture(page) == whole
    part.get_by_role("button", name="Zoom in").click()
    by_button = picture(page)
    part.get_by_role("button", name="Zoom out").click()
    assert by_button != whole
    frame.focus()
    page.keyboard.press("0")
    assert picture(page) == whole
    page.keyboard.press("+")
    assert picture(page) != whole
    page.keyboard.press("0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert picture(page) != whole
    assert page.evaluate("location.hash").startswith("#node=")


def test_the_wheel_leaves_the_page_alone_until_the_picture_was_clicked(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("holds-cegar"))
    frame = canvas(page)
    whole = picture(page)
    box = frame.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") < before
    page.mouse.move(1, 1)
    assert picture(page) == whole


def test_every_state_can_be_reached_by_opening_groups(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    """Walking down from all states by the numbers in the table, the parts of a group always add up to it."""
    shown = report("abstract")
    page = visit(shown)
    part = page.locator("#abstraction")
    part.locator("summary:has-text('as a table')").click()
    page.wait_for_timeout(300)
    counts = [int(plain(text)) for text in part.locator("details[open] tbody tr td:nth-child(2)").all_inner_texts()]
    assert sum(counts) == shown.json["graph"]["count"]
    # Opened to the last level, there is a box for each state.
    slider = part.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.wait_for_timeout(500)
    counts = [int(plain(text)) for text in part.locator("details[open] tbody tr td:nth-child(2)").all_inner_texts()]
    assert counts == [1] * shown.json["graph"]["count"]


def test_a_node_is_opened_by_its_address(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-cegar")
    page = visit(shown, "node=17")
    assert page.locator("#abstraction .side h3").inner_text() == "Abstract state 17"
    held = columns(shown)
    said = page.locator("#abstraction .side .literals > li").all_inner_texts()
    attributes = shown.json["graph"]["attributes"]
    wanted = {attribute["words"][held[column][17]] if attribute["words"] else f"{attribute['name']} = {attribute['values'][held[column][17]]}" for column, attribute in enumerate(attributes)}
    assert set(said) == wanted
