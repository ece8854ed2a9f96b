"""How what is on a page is read: texts without markup, and numbers without the spaces between their groups."""

from __future__ import annotations

from collections.abc import Iterator

from packed import Packed
from playwright.sync_api import Locator


def texts(found: Locator) -> list[str]:
    """What each of some elements says, in their order."""
    return [text.replace("\u00a0", " ").strip() for text in found.all_text_contents()]


def plain(text: str) -> str:
    """A number as programs read it."""
    return text.replace("\u202f", "").replace("−", "-").replace("∞", "inf").removesuffix(" s").strip()


def moves(packed: Packed) -> Iterator[tuple[int, int, int]]:
    """The transitions of the graph of a page: source, target, action."""
    edges = packed.json["graph"]["edges"]
    offsets, targets, actions = (packed.column(edges[key]) for key in ("offsets", "targets", "action"))
    for source in range(len(offsets) - 1):
        for edge in range(offsets[source], offsets[source + 1]):
            yield source, targets[edge], actions[edge]
