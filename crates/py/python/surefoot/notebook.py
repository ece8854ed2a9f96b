"""How things show themselves in notebooks: plain HTML and SVG, nothing from elsewhere, no scripts.

Colours come with words, so that nothing rests on colour alone; names come from files of others and are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .jani import Variable
    from .model import Model
    from .policies import Policy
    from .results import Result
    from .traces import Trace

#: Rows of a run that are shown; the rest is counted.
MOST_ROWS = 60

_COLOURS = {"holds": "#1a7f37", "violated": "#b3261e", "unknown": "#8a6100", None: "#444444"}
_STYLE = (
    "border-left:4px solid {colour};padding:.4em .8em;margin:.3em 0;font-family:system-ui,sans-serif;"
    "background:rgba(127,127,127,.08)"
)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; cells are escaped."""
    cells = "".join(f"<th style='text-align:left'>{escape(str(cell))}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def card(verdict: str | None, headline: str, lines: Mapping[str, object], more: str = "") -> str:
    """A card: a headline in the colour of a verdict, and lines below it."""
    style = _STYLE.format(colour=_COLOURS.get(verdict, _COLOURS[None]))
    shown = "".join(
        f"<div><span style='opacity:.7'>{escape(name)}</span> {escape(str(value))}</div>" for name, value in lines.items()
    )
    return f"<div style='{style}'><strong>{escape(headline)}</strong>{shown}{more}</div>"


def result_html(result: Result) -> str:
    """A verdict card; the run of a counterexample; bounds as a band over time."""
    headline = result.text.splitlines()[0] if result.text else str(result.verdict)
    lines: dict[str, object] = {}
    if result.engine is not None:
        lines["engine"] = result.engine
    value = getattr(result, "value", None)
    if value is not None:
        lines["value"] = value
    lines["time"] = f"{result.seconds:.2f} s"
    for number, assumption in enumerate(result.assumptions, 1):
        lines[f"assuming {number}"] = assumption
    more = ""
    history = getattr(result, "history", ())
    if len(history) > 1:
        more += band(history)
    witness = getattr(result, "witness", None)
    if witness is not None:
        more += trace_html(witness)
    return card(result.verdict, headline, lines, more)


def model_html(model: Model) -> str:
    """A model: its variables and actions."""
    rows = [[variable.name, variable.kind, _range(variable)] for variable in model.variables]
    return card(None, f"model {model.name}", {"actions": ", ".join(model.actions)}, table(["variable", "kind", "values"], rows))


def _range(variable: Variable) -> str:
    if variable.members:
        return ", ".join(variable.members)
    if variable.kind == "bool" or variable.element == "bool":
        return "false, true"
    ends = ["" if end is None else str(end) for end in (variable.lower, variable.upper)]
    return " .. ".join(ends) if any(ends) else "any"


def policy_html(policy: Policy) -> str:
    """A policy: what it reads and chooses, and whether it was found to be the one that was given."""
    lines: dict[str, object] = {"reads": ", ".join(map(str, policy.inputs)), "chooses": ", ".join(policy.labels)}
    if policy.agreement is not None:
        lines["check"] = policy.agreement
    for number, note in enumerate(policy.notes, 1):
        lines[f"note {number}"] = note
    return card(None, f"policy from {policy.source}", lines)


def trace_html(trace: Trace) -> str:
    """A run as a table: what was done, what the policy scored, the state after it. Variables that never change are left out."""
    states = trace.states
    changing = [name for name in states[0] if any(state.get(name) != states[0][name] for state in states)]
    labels = list(dict.fromkeys(label for step in trace if step.decision for label in step.decision.scores))
    head = ["step", "action", "probability", *changing, *(f"score {label}" for label in labels)]
    rows: list[list[object]] = []
    for number, step in enumerate(trace[:MOST_ROWS]):
        scores = step.decision.scores if step.decision else {}
        chance = "" if step.probability in (None, 1) else step.probability
        rows.append(
            [number, step.action or ("" if number == 0 else "(silent)"), chance]
            + [step.state[name] for name in changing]
            + [f"{float(scores[label]):.4g}" if label in scores else "" for label in labels]
        )
    fixed = ", ".join(f"{name} = {states[0][name]}" for name in states[0] if name not in changing)
    note = f"<div style='opacity:.7'>throughout: {escape(fixed)}</div>" if fixed else ""
    if len(trace) > MOST_ROWS:
        note += f"<div style='opacity:.7'>and {len(trace) - MOST_ROWS} more steps</div>"
    return table(head, rows) + note


def band(history: Sequence[tuple[float, float, float]], width: int = 420, height: int = 120) -> str:
    """Lower and upper bounds over time, as SVG."""
    last = max(history[-1][0], 1e-9)

    def point(seconds: float, value: float) -> str:
        return f"{40 + (width - 50) * seconds / last:.1f},{10 + (height - 30) * (1 - value):.1f}"

    upper = [point(seconds, high) for seconds, _, high in history]
    lower = [point(seconds, low) for seconds, low, _ in history]
    area = " ".join(upper + lower[::-1])
    marks = "".join(
        f"<text x='36' y='{14 + (height - 30) * (1 - tick):.0f}' text-anchor='end' font-size='10' fill='currentColor'>{tick:g}</text>"
        for tick in (0, 0.5, 1)
    )
    return (
        f"<svg width='{width}' height='{height}' role='img' aria-label='bounds over time'>"
        f"<polygon points='{area}' fill='#4078c0' fill-opacity='.3'/>"
        f"<polyline points='{' '.join(upper)}' fill='none' stroke='#4078c0'/>"
        f"<polyline points='{' '.join(lower)}' fill='none' stroke='#4078c0' stroke-dasharray='4 2'/>{marks}"
        f"<text x='{width - 10}' y='{height - 4}' text-anchor='end' font-size='10' fill='currentColor'>{last:.2g} s</text></svg>"
    )
