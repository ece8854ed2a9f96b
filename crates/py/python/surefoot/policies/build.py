"""The last step of every source: a network and what is known about it become a `Policy`, which is checked at load."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import PolicyError
from .agreement import Agreement, compare
from .inputs import Floats, Inputs, draw_states
from .labels import Outputs
from .policy import Policy, read_network
from .spaces import ModelLike

#: How many observations the check at load looks at.
CHECKED = 256
SEED = 20

#: Scores of observations: given the values of the input entries, and the features that the network is fed with.
Scores = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Reference:
    """The evaluation that ours is compared with: as it runs, and in doubles where it can."""

    against: str
    scores: Scores
    in_doubles: Scores | None
    double: bool = False
    slack: float = 0.0
    head: str | None = None


@dataclass(frozen=True)
class Options:
    """What all sources take."""

    filter: bool = False
    ties: str = "first"
    semantics: str = "real"
    check: int = CHECKED

    def __post_init__(self) -> None:
        if not isinstance(self.filter, (bool, np.bool_)):
            raise PolicyError(f"filter is {self.filter!r}; expected True or False")
        for name, known in (("ties", ("first", "any")), ("semantics", ("real", "float32"))):
            if getattr(self, name) not in known:
                raise PolicyError(f"{name} is {getattr(self, name)!r}; expected one of {known[0]!r} and {known[1]!r}")
        if not isinstance(self.check, (int, np.integer)) or self.check < 0:
            raise PolicyError(f"check is {self.check!r}; expected the number of observations to compare at, 0 for none")


def policy_text(network: dict[str, Any], inputs: Sequence[Any], outputs: dict[str, Any], options: Options) -> str:
    """A policy file of one network."""
    content: dict[str, Any] = {"network": network["file"]} if len(network) == 1 else {"networks": [network]}
    content |= {"inputs": list(inputs), "outputs": outputs, "filter": bool(options.filter), "ties": options.ties}
    if options.semantics != "real":
        content["semantics"] = options.semantics
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def build(
    data: bytes,
    suffix: str,
    model: ModelLike,
    inputs: Inputs,
    outputs: Outputs,
    options: Options,
    source: str,
    notes: Sequence[str] = (),
    reference: Reference | None = None,
    network_options: Mapping[str, str] = MappingProxyType({}),
) -> Policy:
    """A policy of one network, compared with its reference."""
    name = f"<network>{suffix}"
    network = read_network(name, data, **network_options)
    if network.inputs != inputs.size:
        raise PolicyError(
            f"the network reads {network.inputs} numbers, and the inputs are {inputs.size}; list one entry per network "
            "input"
        )
    agreement = None
    if reference is not None and options.check:
        agreement = checked(network.scores, model, inputs, outputs, reference, int(options.check))
    return Policy(
        text=policy_text({"file": name, **network_options}, inputs.entries, outputs.to_json(), options),
        networks=MappingProxyType({name: data}),
        inputs=inputs.entries,
        labels=outputs.labels,
        filter=bool(options.filter),
        ties=options.ties,
        semantics=options.semantics,
        source=source,
        notes=(*notes, *network.notices),
        agreement=agreement,
    )


def checked(
    ours: Callable[[Floats], Floats],
    model: ModelLike,
    inputs: Inputs,
    outputs: Outputs,
    reference: Reference,
    count: int,
) -> Agreement:
    """Both evaluations at states that are drawn from the variables' ranges."""
    values = inputs.values(draw_states(model, count, SEED), model, SEED)
    features = inputs.features(values, model)
    scores = with_head(np.asarray(ours(features)), reference.head)
    doubles = None if reference.in_doubles is None else reference.in_doubles(values, features)
    names = [json.dumps(entry, ensure_ascii=False).strip('"') for entry in inputs.entries]
    theirs = reference.scores(values, features)
    return compare(
        scores, theirs, doubles, outputs, names, values, reference.against, reference.double, reference.slack
    )


def with_head(scores: Floats, head: str | None) -> Floats:
    """The scores after what was taken off the end of the network."""
    if head is None:
        return scores
    shifted = scores - scores.max(axis=1, keepdims=True)
    total = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    logarithms: Floats = shifted - total
    return logarithms if head == "log_softmax" else np.asarray(np.exp(logarithms))
