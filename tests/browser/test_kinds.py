"""Every kind of report opens, stays quiet, has the parts that belong to it, and says what the result object of the same run says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from cases import CASES, Report, Wanted, run
from playwright.sync_api import Page, expect
from readings import moves, plain, texts

KINDS = list(CASES)


@pytest.mark.parametrize("name", KINDS)
def test_the_parts_are_those_of_its_kind_and_the_verdict_that_of_the_result(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report(name)
    page = visit(shown)
    assert page.locator("main > section").evaluate_all("all => all.map((each) => each.id)") == shown.wanted.sections
    assert page.locator("nav.contents a").evaluate_all("all => all.map((each) => each.hash.slice(1))") == shown.wanted.sections
    assert page.locator(".problem:visible").count() == 0
    assert page.locator("h1").count() == 1
    for part in shown.wanted.sections:
        assert page.locator(f"#{part}").bounding_box()["height"] > 40, part  # type: ignore[index]
    result = shown.result
    heading = page.locator("#verdict h1").inner_text()
    word = result["verdict"]
    assert page.locator(".verdict").evaluate("box => box.classList[1]") == (word or "done")
    assert page.locator(".verdict .word").all_inner_texts() == ([word] if word else [])
    assert heading.startswith(f"{word}: " if word else "The "), heading
    assert page.title().startswith(word or result["model"])
    if result["reason"]:
        assert result["reason"] in page.locator(".verdict").inner_text()
    said = page.locator("#verdict").inner_text()
    for assumption in result["assumptions"]:
        assert assumption in said
    rows = page.locator("#verdict table:has(td.hash) tbody tr").evaluate_all("rows => rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent])")
    assert dict(rows) == result["inputs"]
    figures = {pair[0]: plain(pair[1]) for pair in page.locator("#verdict h2:text-is('Figures') + dl > div").evaluate_all("all => all.map((one) => [one.children[0].textContent, one.children[1].textContent])")}
    names = {figure["key"]: figure["name"] for figure in shown.json["statistics"]}
    for key, value in result["statistics"].items():
        if key != "memory_bytes" and key in names:
            assert float(figures[names[key]]) == pytest.approx(value, rel=1e-5), key
    assert len(names) >= min(1, len(result["statistics"]))


@pytest.mark.parametrize("name", ["violated", "courier", "formula-run"])
def test_the_run_is_that_of_the_result(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report(name)
    page, witness = visit(shown), shown.result["witness"]
    steps = witness["steps"]
    states = [witness["start"], *(step["state"] for step in steps)]
    rows = page.locator("#run .scroll.tall table tbody tr")
    assert rows.count() == len(states)
    heads = texts(page.locator("#run .scroll.tall table thead th"))
    for index, state in enumerate(states):
        cells = dict(zip(heads, texts(rows.nth(index).locator("th, td")), strict=True))
        assert cells["State"].split()[0] == str(index)
        for variable, value in (state | state.get("locations", {})).items():
            if variable in cells:
                assert same(cells[variable], value), (index, variable)
        if index < len(steps):
            step = steps[index]
            assert cells["Action"].endswith(step["label"] or "silent step")
            if step.get("probability") and "Probability" in cells:
                assert cells["Probability"] == step["probability"]
            if step.get("policy") and cells.get("Margin"):
                assert float(plain(cells["Margin"].split()[0])) == pytest.approx(step["policy"]["margin"]["float"], rel=1e-5)
    # What never changes is left out of the table, and stands below it.
    still = " ".join(texts(page.locator("#run > details li")))
    for variable in states[0]:
        assert variable == "locations" or variable in heads or f"{variable} =" in still


def same(text: str, value: object) -> bool:
    """Whether a cell says a value of the result: a number, a truth value, a name, or a fraction as text."""
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, str) and not re.fullmatch(r"-?\d+(/\d+)?", value):
        return text == value
    over, _, under = str(value).partition("/")
    return abs(float(plain(text)) - float(over) / float(under or 1)) < 1e-5


def test_the_policy_of_a_step_is_that_of_the_result(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("violated")
    page = visit(shown)
    for index, step in enumerate(shown.result["witness"]["steps"]):
        card = page.locator("#run .now")
        policy = step.get("policy")
        assert card.locator(".scores").count() == (1 if policy else 0)
        if policy:
            names, values = texts(card.locator(".scores .action .name")), texts(card.locator(".scores .value"))
            said = {name: float(plain(value.partition(",")[0])) for name, value in zip(names, values, strict=True)}
            assert said == {label: pytest.approx(score["float"], rel=1e-5) for label, score in policy["scores"].items()}
            assert texts(card.locator("h4:text-is('The policy\\'s choice') + p .name")) == policy["chosen"]
        page.get_by_role("button", name="Next state").click()
        assert f"state {index + 1} of" in page.locator("#run .toolbar").first.inner_text()


def test_the_diary_is_that_of_the_result(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-cegar")
    page, diary = visit(shown), shown.result["diary"]
    assert f"Iterations\n{len(diary)}" in page.locator("#diary .pairs").inner_text()
    entries = page.locator("#diary article")
    assert entries.count() == len(diary) == shown.result["statistics"]["iterations"]
    for index, entry in enumerate(diary):
        article = entries.nth(index)
        assert f"{entry['predicates']} predicate" in article.inner_text() and f"{entry['states']} abstract" in article.inner_text()
        assert texts(article.locator(".added .literals > li")) == entry.get("added", [])
        if entry.get("path"):
            article.locator("summary").first.click()
            expect(article.locator("tbody tr")).to_have_count(len(entry["path"]))


def test_the_invariant_is_that_of_the_result(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("holds-cegar")
    page, invariant = visit(shown), shown.result["invariant"]
    part = page.locator("#invariant")
    assert str(invariant["states"]) in part.inner_text()
    assert shown.json["graph"]["count"] == invariant["states"] == len(shown.json["invariant"]["regions"])
    part.locator("summary").last.click()
    expect(part.locator("details[open] .literals > li")).to_have_count(len(invariant["predicates"]))
    assert texts(part.locator("details[open] .literals > li")) == invariant["predicates"]


@pytest.mark.parametrize("name", ["bounds", "bounds-cegar", "bounds-free"])
def test_the_bounds_are_those_of_the_result(name: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report(name)
    page, value = visit(shown), shown.result["value"]
    said = [float(each) for each in re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", plain(page.locator("#bounds .large").inner_text()))]
    # Shortened outward: never inside of what is proved, and not far outside.
    assert min(said) <= value["lo"] <= value["hi"] <= max(said)
    assert min(said) == pytest.approx(value["lo"], rel=1e-5) and max(said) == pytest.approx(value["hi"], rel=1e-5)
    exact = texts(page.locator("#bounds .interval code"))
    assert {float(each) for each in exact} == {value["lo"], value["hi"]}
    over = shown.result.get("over_starts")
    if over:
        part = page.locator("#bounds h3:has-text('Over the') + .scroll tbody")
        for called, row in zip(("smallest", "largest", "mean"), part.locator("tr").all(), strict=True):
            said = [float(plain(text)) for text in texts(row.locator("td"))]
            assert texts(row.locator("th")) == [called]
            assert said == pytest.approx([over[called]["lo"], over[called]["hi"]], rel=1e-5)
            assert said[0] <= over[called]["lo"] and over[called]["hi"] <= said[1]


def test_the_abstraction_is_that_of_the_result(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("abstract")
    page, result = visit(shown), shown.result
    graph, statistics = shown.json["graph"], result["statistics"]
    assert graph["count"] == statistics["reachable_states"]
    # The command counts pairs of states; the graph has a transition for each action between them.
    edges = list(moves(shown.packed))
    assert len({(source, target) for source, target, _ in edges}) == statistics["transitions"]
    said = page.locator("#abstraction").inner_text()
    assert f"{graph['count']} abstract states, {len(edges)} transitions" in said
    start = sum(mark & 1 for mark in shown.packed.column(graph["marks"]))
    assert start == statistics["start_states"] and f"{start} start" in said


@pytest.mark.parametrize(("name", "called"), [("violated", "Counterexample"), ("holds-within", "Shortest run to an unsafe state"), ("bounds", "Shortest run to an unsafe state")])
def test_a_counterexample_breaks_what_was_asked(name: str, called: str, report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    """A run to an unsafe state that takes longer than was asked, or that a bound is not about, refutes nothing."""
    part = visit(report(name)).locator("#abstraction")
    assert part.locator(".toolbar:has(button[aria-label='Next step']) > span").first.inner_text() == called
    assert ("counterexample" in part.inner_text().lower()) == (name == "violated")


def test_the_formula_is_that_of_the_result(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    shown = report("formula-tree")
    page, result = visit(shown), shown.result
    assert page.locator("#formula pre").inner_text() == result["formula"]
    assert page.locator("#cover tbody tr").count() == len(result["cover"]["pieces"])
    assert page.locator("#tree .runs > li[id]").count() == len(result["witness"]["nodes"])


@pytest.mark.parametrize("name", [name for name in KINDS if name != "bounds-free"])
def test_a_result_gives_its_report_later(name: str, report: Callable[[str], Report], visit: Callable[..., Page], program, artefacts) -> None:  # type: ignore[no-untyped-def]
    """`report RESULT` checks what it can and shows the rest as it was: the same verdict, witness, bounds and formula."""
    first = report(name)
    words = first.wanted.words[1:]
    kept = [word for at, word in enumerate(words) if str(word).endswith("model.jani") or str(words[at - 1]) in ("--properties", "--policy") or str(word) in ("--properties", "--policy")]
    page = artefacts / f"{name}.again.html"
    run(program, "report", artefacts / f"{name}.json", *kept, "--out", page, "--quiet", code=0)
    again = Report(Wanted(name, (), 0, ""), page, first.result, type(first.packed)(page))
    opened = visit(again)
    assert opened.locator("main > section").evaluate_all("all => all.map((each) => each.id)")[0] == "verdict"
    assert opened.locator(".verdict .word").all_inner_texts() == ([first.result["verdict"]] if first.result["verdict"] else [])
    # Over the reals nothing but a run can be seen again: what is left is the word of the file, and looks like nothing else.
    checked = name not in ("formula-tree", "formula-holds")
    assert again.json["verdict"]["checked"] == checked
    looks = opened.locator(".verdict").evaluate("box => box.classList[1]")
    assert looks == ((first.result["verdict"] or "done") if checked else "done")
    assert ("Not checked here" in opened.locator(".verdict").inner_text()) != checked
    if not checked:
        assert opened.locator("h1").inner_text().startswith(f"the result file says {first.result['verdict']}: ")
        assert opened.locator(".judged.good, .judged.bad").count() == 0
    for member in ("run", "bounds", "formula", "diary", "tree"):
        one, other = first.json[member], again.json[member]
        assert (one is None) == (other is None), member
        if member in ("run", "diary", "tree"):
            assert json.dumps(one) == json.dumps(other), member
