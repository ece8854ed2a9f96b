"""How pages look: ink that can be read in light and dark, nothing cut on a telephone, paper; and pictures of all of it, to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import CASES, Report
from playwright.sync_api import Page
from pypdf import PdfReader

# All text of the page with its ink and what is behind it, blended; what lies behind text of a chart is asked of the browser.
PAIRS = """() => {
  const parse = (text) => { const all = text.match(/[\\d.]+/g).map(Number); return [all[0], all[1], all[2], all[3] ?? 1]; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(parse(getComputedStyle(at).backgroundColor));
    const page = getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    return layers.reduce((below, layer) => over(layer, below), page);
  };
  const faded = (element) => { let share = 1; for (let at = element; at; at = at.parentElement) share *= Number(getComputedStyle(at).opacity); return share; };
  const light = (rgb) => { const [r, g, b] = rgb.map((value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const made = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || /^(SCRIPT|STYLE|NOSCRIPT|OPTION|TITLE)$/i.test(element.tagName)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(".unseen, :disabled, .skip")) continue;
    const style = getComputedStyle(element), inPicture = element.ownerSVGElement;
    let ink = parse(inPicture ? style.fill : style.color), behind = ground(inPicture ? inPicture.parentElement : element);
    if (inPicture) {
      const box = element.getBoundingClientRect();
      if (box.bottom < 0 || box.top > innerHeight || box.width === 0) scrollTo(0, scrollY + box.top - innerHeight / 2);
      const now = element.getBoundingClientRect();
      const stack = document.elementsFromPoint(now.left + now.width / 2, now.top + now.height / 2).filter((each) => each.ownerSVGElement === inPicture && each.localName !== "text" && each.localName !== "tspan");
      for (const each of stack.reverse()) {
        const filled = getComputedStyle(each);
        if (filled.fill === "none" || filled.fill.startsWith("url")) continue;
        const layer = parse(filled.fill);
        behind = over([layer[0], layer[1], layer[2], layer[3] * Number(filled.opacity) * Number(filled.fillOpacity)], behind);
      }
    }
    ink = over([ink[0], ink[1], ink[2], ink[3] * faded(element)], behind);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    made.push([Math.round(ratio(ink.slice(0, 3), behind.slice(0, 3)) * 100) / 100, large, text.data.trim().slice(0, 40), element.outerHTML.slice(0, 120)]);
  }
  return made;
}"""
SCREENS = {"light": (1280, 900, False), "dark": (1280, 900, True), "small": (360, 740, False)}


def test_faint_ink_would_be_noticed(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"))
    page.evaluate("document.querySelector('#verdict h2').style.setProperty('color', '#a0a0a0')")
    page.evaluate("document.querySelector('#verdict .soft').style.setProperty('opacity', '0.5')")
    page.evaluate("document.querySelector('#run .chart .lane ~ text').style.setProperty('fill', '#909090')")
    faint = [pair for pair in page.evaluate(PAIRS) if pair[0] < (3.0 if pair[1] else 4.5)]
    assert len(faint) >= 3, faint


def everything_open(page: Page) -> None:
    page.evaluate("for (const each of document.querySelectorAll('details')) { each.dispatchEvent(new Event('paper')); each.open = true; }")
    page.wait_for_timeout(250)


@pytest.mark.parametrize("screen", list(SCREENS))
@pytest.mark.parametrize("name", list(CASES))
def test_it_can_be_read_on_every_screen(name: str, screen: str, report: Callable[[str], Report], visit: Callable[..., Page], artefacts: Path) -> None:
    """No page is wider than its screen, fingers have room, and no text is too faint: everything opened, in both themes."""
    wide, high, dark = SCREENS[screen]
    page = visit(report(name), wide=wide, high=high, dark=dark)
    page.wait_for_timeout(200)
    page.screenshot(path=artefacts / f"{name}.{screen}.png", full_page=True)
    everything_open(page)
    assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [wide, wide]
    if wide < 500:
        small = page.locator("main button:visible").evaluate_all("all => all.filter((each) => each.getBoundingClientRect().height < 24).map((each) => each.outerHTML.slice(0, 120))")
        assert not small, small[:5]
    else:
        pairs = page.evaluate(PAIRS)
        faint = [pair for pair in pairs if pair[0] < (3.0 if pair[1] else 4.5)]
        assert len(pairs) > 50 and not faint, faint[:8]


@pytest.mark.parametrize(("name", "dark"), [("violated", False), ("violated", True), ("holds-cegar", False), ("bounds", True), ("formula-tree", False)])
def test_it_prints(name: str, dark: bool, report: Callable[[str], Report], visit: Callable[..., Page], artefacts: Path) -> None:
    shown = report(name)
    page = visit(shown, dark=dark)
    open_before = page.locator("details[open]").count()
    target = artefacts / f"{name}.{'dark' if dark else 'light'}.pdf"
    page.pdf(path=target, prefer_css_page_size=True, print_background=True)
    printed = PdfReader(target)
    assert 2 <= len(printed.pages) <= 40
    said = " ".join(" ".join(sheet.extract_text() for sheet in printed.pages).split())
    for words in (shown.result["verdict"] or "The probability is ", "What it rests on", "To repeat it", next(iter(shown.result["inputs"].values()))[:40]):
        assert words in said, words
    if name == "violated":  # rows that are chosen by buttons keep their names
        assert "weather = watch › spilled" in said or "weather = watch" in said.partition("as a table")[2]
    for absent in ("Theme: auto", "To the content", "Copy link"):
        assert absent not in said
    # Afterwards all is as it was.
    assert page.locator("details[open]").count() == open_before
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") != dark


def test_the_theme_can_be_chosen(report: Callable[[str], Report], visit: Callable[..., Page]) -> None:
    page = visit(report("violated"), dark=True)
    grounds = []
    for _ in range(4):
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.locator(".contents .tools button").first.click()
    assert grounds[0] == grounds[2] == grounds[3] != grounds[1] == "rgb(255, 255, 255)"
