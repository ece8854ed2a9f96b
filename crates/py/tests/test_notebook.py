"""What notebooks show: whole HTML, nothing that a name could break out of, nothing from elsewhere."""

from __future__ import annotations

import xml.etree.ElementTree as tree

import numpy as np
from conftest import Example

import surefoot
from surefoot.notebook import band, card


def parsed(html: str) -> tree.Element:
    """The HTML, which is to be XML as well."""
    assert "http" not in html and "<script" not in html
    return tree.fromstring(f"<all>{html}</all>")


def test_results_models_policies_and_runs_show_themselves(reservoir: Example) -> None:
    model = surefoot.Model.from_jani(reservoir.model)
    policy = surefoot.policy(reservoir.policy, model)
    result = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties)
    assert "violated" in "".join(parsed(result._repr_html_()).itertext())
    assert "level" in "".join(parsed(model._repr_html_()).itertext())
    assert "drain" in "".join(parsed(policy._repr_html_()).itertext())
    assert result.witness is not None
    rows = parsed(result.witness._repr_html_()).findall(".//tbody/tr")
    assert len(rows) == len(result.witness)


def test_networks_of_numpy_show_their_check() -> None:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).do({x: x + 1})
    policy = surefoot.policy([(np.array([[1.0], [-1.0]]), np.zeros(2))], m.build())
    assert "agrees with numpy" in "".join(parsed(policy._repr_html_()).itertext())


def test_names_are_escaped() -> None:
    shown = card("holds", "<b>&'\"", {"<i>": "</div><script>"})
    assert "".join(parsed(shown.replace("&#x27;", "'")).itertext()).count("</div>") == 1
    assert "<b>" not in shown and "<i>" not in shown


def test_bands_are_drawings() -> None:
    drawn = parsed(band([(0.0, 0.0, 1.0), (0.5, 0.1, 0.6), (1.0, 0.2, 0.3)]))
    assert len(drawn.findall(".//polyline")) == 2


def test_runs_leave_out_automata_that_stay() -> None:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("right").when(x < 9).do({x: x + 1})
    witness = surefoot.verify(m.build(), never=x == 7).witness
    assert witness is not None and list(witness.rows()[0]) == ["action", "probability", "x"]
    assert [row["x"] for row in witness.to_pandas().to_dict("records")] == [5, 6, 7]
