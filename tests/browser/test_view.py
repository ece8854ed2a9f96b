"""The served page: it asks the program that serves it and nobody else, and what it shows is what the program says elsewhere."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cases import of, run
from conftest import Watched
from playwright.sync_api import Browser, Page, expect
from readings import plain, texts


class Served:
    """A program that serves a page, and the window in which it is open."""

    def __init__(self, program: Path, browser: Browser, words: tuple[object, ...]) -> None:
        self.serving = subprocess.Popen([program, "view", *map(str, words), "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.serving.stdout
        self.address = self.serving.stdout.readline().strip()
        self.watched = Watched(browser, 1280, 900, dark=False)
        self.page = self.watched.open(self.address)

    def close(self) -> None:
        """The page was quiet and asked nobody else; Ctrl-C ends the program as it should."""
        self.watched.context.close()
        self.serving.send_signal(signal.SIGINT)
        _, said = self.serving.communicate(timeout=20)
        assert not self.watched.troubles, self.watched.troubles
        foreign = [url for url in self.watched.requests if not url.startswith((self.address, "blob:", "data:"))]
        assert not foreign, foreign
        assert "panicked" not in said


@pytest.fixture
def serve(program: Path, browser: Browser) -> Iterator[Callable[..., Served]]:
    opened: list[Served] = []

    def start(*words: object) -> Served:
        opened.append(Served(program, browser, words))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


RESERVOIR = of("reservoir", policy="careless.jani2nnet")


def part(page: Page, name: str) -> str:
    return page.locator(f"#{name}").inner_text()


def test_it_is_served_on_the_loopback_with_a_token(serve: Callable[..., Served]) -> None:
    served = serve(*RESERVOIR)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32,}/", served.address)
    parts = served.page.locator("main > section").evaluate_all("all => all.map((each) => each.id)")
    assert {"verdict", "steps", "predicates", "region", "map"} <= set(parts), parts
    assert served.page.locator(".problem:visible").count() == 0


def test_stepping_goes_where_the_run_goes(serve: Callable[..., Served], program: Path) -> None:
    """The run of the counterexample, taken by hand from its first state, ends in the same unsafe state."""
    witness = json.loads(run(program, "verify", *RESERVOIR, "--json", "-", "--quiet", code=1).stdout)["witness"]
    page = serve(*RESERVOIR).page
    start = witness["start"]
    page.locator("#steps-begin").fill(f"weather={start['locations']['weather']}, level={start['level']}, rain={start['rain']}, spilled=false")
    page.keyboard.press("Enter")
    said = page.locator("#steps [role=status]").first
    page.wait_for_function("(wanted) => decodeURIComponent(location.hash).includes(wanted)", arg=f"level={start['level']},rain={start['rain']},")
    before = start
    for index, step in enumerate(witness["steps"], start=1):
        changes = [f"{name} {before[name]} → {step['state'][name]}" for name in ("level", "rain") if before[name] != step["state"][name]]
        rows = page.locator("#steps button.take").evaluate_all("all => all.map((each) => each.getAttribute('aria-label'))")
        fits = [at for at, label in enumerate(rows) if label.startswith(f"Take {step['label']}, probability {step['probability']}:")
                and all(change in label for change in changes) and all(name in " ".join(changes) or f"{name} " not in label for name in ("level", "rain"))]
        assert len(fits) == 1, (index, rows)
        page.locator("#steps button.take").nth(fits[0]).click()
        expect(said).to_have_text(f"state {index} of {index}")
        before = step["state"]
    expect(page.locator("#steps .now")).to_contain_text("unsafe")
    # And back; the state has an address.
    page.get_by_role("button", name="Undo").click()
    expect(said).to_have_text(f"state {len(witness['steps']) - 1} of {len(witness['steps'])}")
    page.wait_for_timeout(300)
    assert "state=" in page.evaluate("location.hash")


@pytest.mark.parametrize("words", [of("lift"), RESERVOIR], ids=["lift", "reservoir"])
def test_stepping_begins_at_a_start_state(serve: Callable[..., Served], words: tuple[object, ...]) -> None:
    page = serve(*words).page
    expect(page.locator("#steps [role=status]").first).to_have_text("state 0")
    expect(page.locator("#steps .now .badge.start")).to_have_text("start state")
    # So is what stands in the field.
    page.get_by_role("button", name="Random step", exact=True).click()
    expect(page.locator("#steps [role=status]").first).to_have_text("state 1 of 1")
    page.locator("#steps-begin").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#steps [role=status]").first).to_have_text("state 0")
    expect(page.locator("#steps .now .badge.start")).to_have_text("start state")


def test_chance_can_be_had_again(serve: Callable[..., Served]) -> None:
    page = serve(*RESERVOIR).page
    tables = []
    for _ in range(2):
        page.locator("#steps-begin").fill("weather=watch, level=5, rain=0, spilled=false")
        page.keyboard.press("Enter")
        expect(page.locator("#steps [role=status]").first).to_have_text("state 0")
        page.get_by_label("How many steps by chance").fill("6")
        page.get_by_role("button", name="Random steps").click()
        expect(page.locator("#steps [role=status]").first).to_have_text("state 6 of 6")
        tables.append(texts(page.locator("#steps h3:has-text('The run so far') ~ div table tbody tr")))
    assert tables[0] == tables[1] and len(tables[0]) == 7


def test_predicates_can_be_tried(serve: Callable[..., Served], program: Path) -> None:
    """The abstraction by the predicates of the parking example is the one that the command makes of them."""
    folder = of("parking")
    file = Path(str(folder[0])).parent / "predicates.json"
    wanted = json.loads(run(program, "abstract", *folder, "--predicates", file, "--json", "-", "--quiet", code=0).stdout)
    page = serve(*folder).page
    fields = page.locator("#predicates form input[type=text]")
    for at, text in enumerate(wanted["predicates"]):
        if at >= fields.count():
            page.get_by_role("button", name="Add a predicate").click()
        fields.nth(at).fill(text)
    page.get_by_role("button", name="Show the abstraction").click()
    expect(page.locator("#predicates .pairs")).to_be_visible(timeout=20_000)
    said = " ".join(plain(part(page, "predicates")).split())
    assert str(wanted["statistics"]["reachable_states"]) in said
    expect(page.locator("#predicates .badge").first).to_have_text("holds")
    assert f"{wanted['statistics']['reachable_states']} abstract states" in part(page, "abstraction")


def test_a_predicate_that_is_none_is_pointed_at(serve: Callable[..., Served]) -> None:
    served = serve(*RESERVOIR)
    page = served.page
    page.locator("#predicates form input[type=text]").first.fill("level >= <script>alert(1)</script>")
    page.get_by_role("button", name="Show the abstraction").click()
    expect(page.locator("#predicates .problem")).to_be_visible()
    assert page.locator("#predicates script").count() == 0
    # The browser itself says in the console that a question was answered by an error.
    served.watched.troubles[:] = [each for each in served.watched.troubles if "status of 4" not in each]


def test_a_region_is_answered_by_proof_or_by_a_state(serve: Callable[..., Served], program: Path) -> None:
    page = serve(*RESERVOIR).page
    field = page.get_by_label("Region: a condition on states")

    def ask(text: str, action: str, other: bool) -> str:
        field.fill(text)
        page.locator("#region select[aria-label=Action]").select_option(label=action)
        page.locator("#region select[aria-label='What is asked']").select_option("other" if other else "")
        page.locator("#region form button[type=submit]").click()
        expect(page.locator("#region form button[type=submit]")).to_be_enabled()
        expect(page.locator("#region .note .badge")).to_be_visible()
        return page.locator("#region .note .badge").inner_text()

    for level in (0, 6, 12, 13, 14):
        for rain in (0, 3):
            state = f"weather=watch, level={level}, rain={rain}, spilled=false"
            decision = json.loads(run(program, "explain", *RESERVOIR, "--state", state, "--json", "-", "--quiet", code=0).stdout)["decision"]
            answer = ask(f"level = {level} & rain = {rain}", "drain", other=False)
            assert answer == ("yes" if "drain" in decision["chosen"] else "no"), (state, decision)
    assert ask("level >= 13", "drain", other=True) in ("yes", "no")
    assert ask("level < 0", "shut", other=False) == "no"


def test_others_are_refused(serve: Callable[..., Served], browser: Browser) -> None:
    served = serve(*RESERVOIR)
    context = browser.new_context()
    page = context.new_page()
    origin = served.address.rsplit("/", 2)[0]
    for address in (origin + "/", f"{origin}/{'0' * 32}/", served.address[:-2] + "/"):
        answer = page.goto(address)
        assert answer and answer.status >= 400, address
        assert "surefoot" not in page.content().lower() or page.locator("#data").count() == 0
    context.close()
