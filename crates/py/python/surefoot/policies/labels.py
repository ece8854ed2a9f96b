"""Which label each output of a network is.

Labels are matched by name where names are given, else by order: the model's actions, one per output. Several choices at
once (Gymnasium's `MultiDiscrete`) have one label per combination, the last choice changing fastest.

Invariant: labels are labels of the model, all different, as many as there are outputs (or combinations of choices).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import PolicyError
from .spaces import ModelLike, listed, suggestion


@dataclass(frozen=True)
class Outputs:
    """The labels, and the sizes of the choices where there are several at once."""

    labels: tuple[str, ...]
    components: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a policy file has it under "outputs"."""
        if self.components:
            return {"components": list(self.components), "labels": list(self.labels)}
        return {"labels": list(self.labels)}

    def choice(self, scores: Sequence[float]) -> int:
        """The place of the label that these scores choose, the first of equal ones.

        >>> Outputs(("lu", "ld", "ru", "rd"), (2, 2)).choice([0.0, 1.0, 3.0, 2.0])
        2
        """
        place = start = 0
        for size in self.components or (len(scores),):
            part = list(scores[start : start + size])
            place = place * size + part.index(max(part))
            start += size
        return place


def _by_index(labels: Mapping[str, int], count: int) -> list[str]:
    places = {int(index): label for label, index in labels.items()}
    if len(places) != len(labels) or sorted(places) != list(range(count)):
        raise PolicyError(
            f"labels as a mapping say which output each is, from 0 to {count - 1}, each once; found "
            f"{sorted(map(int, labels.values()))}"
        )
    return [places[index] for index in range(count)]


def _checked(labels: Sequence[str], model: ModelLike) -> tuple[str, ...]:
    actions = list(model.actions)
    seen: set[str] = set()
    for place, label in enumerate(labels):
        if not isinstance(label, str):
            raise PolicyError(f"label {place} is {label!r}; labels are names of actions")
        if label not in actions:
            raise PolicyError(f"label {place}, '{label}', is no action of the model{suggestion(label, actions)}")
        if label in seen:
            raise PolicyError(f"label {place}, '{label}', stands twice; each output is another action")
        seen.add(label)
    return tuple(labels)


def match_labels(labels: object, model: ModelLike, outputs: int) -> Outputs:
    """The labels of a network with that many outputs.

    `labels` is a list of names in the order of the outputs, a mapping from names to places, or `None` for the model's
    actions in their order.
    """
    actions = list(model.actions)
    if labels is None:
        if len(actions) != outputs:
            raise PolicyError(
                f"the network has {outputs} output{'s' * (outputs != 1)} and the model has {len(actions)} actions "
                f"({listed(actions)}), so "
                f"their order does not say which is which; name one action per output: labels=[...]"
            )
        return Outputs(_checked(actions, model))
    if isinstance(labels, Mapping):
        return Outputs(_checked(_by_index(labels, outputs), model))
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        raise PolicyError(
            f"labels are a list of actions, one per output, or a mapping from actions to outputs; found {labels!r}"
        )
    if len(labels) != outputs:
        raise PolicyError(
            f"{len(labels)} labels ({listed(list(map(str, labels)))}) for a network with {outputs} "
            f"output{'s' * (outputs != 1)}; expected one "
            "label per output, in the order of the outputs"
        )
    return Outputs(_checked(labels, model))


def match_components(labels: object, model: ModelLike, sizes: Sequence[int], separator: str = "_") -> Outputs:
    """The labels of a network that makes several choices at once.

    `labels` is a list of labels, one per combination; or a list of lists, the names of each choice's values, which are
    joined; or `None` for the model's actions in their order.
    """
    combinations = math.prod(sizes)
    if (
        isinstance(labels, Sequence)
        and labels
        and all(isinstance(part, Sequence) and not isinstance(part, str) for part in labels)
    ):
        found = [len(part) for part in labels]
        if found != list(sizes):
            raise PolicyError(f"labels name {found} values of the choices; the network chooses among {list(sizes)}")
        labels = [separator.join(names) for names in itertools.product(*labels)]
    if labels is None and len(model.actions) != combinations:
        raise PolicyError(
            f"the policy makes {len(sizes)} choices at once, of {', '.join(map(str, sizes))} values: {combinations} "
            "combinations; the model has "
            f"{len(model.actions)} actions ({listed(list(model.actions))}). Give one label per combination, the last "
            "choice changing fastest, or "
            "the names of each choice's values: labels=[['left', 'right'], ['up', 'down']] stands for left_up, "
            "left_down, ..."
        )
    found_labels = match_labels(labels, model, combinations)
    return Outputs(found_labels.labels, tuple(sizes))
