"""Policies that are files: ONNX, NNet and safetensors networks, and policy files (`.policy.json`, PlaJA's
`.jani2nnet`).

Files are read once; what comes out is in memory. Nothing is ever unpickled: checkpoints are refused, with the line that
exports them.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from ..errors import PolicyError
from .build import CHECKED, Options, build
from .external import with_weights
from .inputs import Inputs, wrong_number
from .labels import match_components, match_labels
from .policy import Policy, read_network
from .spaces import as_model

NETWORKS = (".onnx", ".nnet", ".safetensors")

#: Files that are pickles or belong to other frameworks, and what to do with them.
CHECKPOINTS = {
    ".zip": (
        "Stable-Baselines3 saves pickles, which run code when they are read. Load it where you trust it, and pass the "
        "model: surefoot.policy(PPO.load({path!r}), model)"
    ),
    ".pt": (
        "PyTorch saves pickles, which run code when they are read. Build the module, load it where you trust it "
        "(weights_only=True), and pass the module: surefoot.policy(module, model)"
    ),
    ".h5": (
        "export it to ONNX (tf2onnx), or pass the weights: Policy.from_numpy([w.T for w in ...], [...], model=model)"
    ),
}
CHECKPOINTS |= dict.fromkeys((".pth", ".ckpt", ".pkl"), CHECKPOINTS[".pt"]) | {".keras": CHECKPOINTS[".h5"]}


def _content(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = (
            sorted(other.name for other in path.parent.glob("*") if other.suffix in (*NETWORKS, ".json", ".jani2nnet"))
            if path.parent.is_dir()
            else []
        )
        raise PolicyError(
            f"there is no file '{path}'" + (f"; in its folder there are: {', '.join(near[:8])}" if near else "")
        ) from None
    except OSError as error:
        raise PolicyError(f"the file '{path}' cannot be read: {error.strerror or error}") from error


def from_file(
    path: str | os.PathLike[str],
    model: Any,
    inputs: Any = None,
    labels: Any = None,
    filter: bool | None = None,
    *,
    activation: str | None = None,
    output: str | None = None,
    components: Sequence[int] | None = None,
    ties: str = "first",
    semantics: str = "real",
    check: int = CHECKED,
) -> Policy:
    """The policy of a file.

    For a network, `inputs` and `labels` say what its inputs and outputs are (by default the model's variables and
    actions, in order). `activation` is what stands between the layers of a safetensors file that does not say it;
    `output` names the output of an ONNX graph that has several. A policy file says all this itself. There is nothing to
    compare with, so `agreement` is `None`.
    """
    place = pathlib.Path(path)
    name = place.name.lower()
    if name.endswith((".json", ".jani2nnet")):
        given = {
            "inputs": inputs,
            "labels": labels,
            "filter": filter,
            "activation": activation,
            "output": output,
            "components": components,
        }
        stated = [key for key, value in given.items() if value is not None]
        if stated:
            raise PolicyError(
                f"'{place.name}' is a policy file and says itself what {', '.join(stated)} "
                f"{'is' if len(stated) == 1 else 'are'}; change it there"
            )
        return policy_file(place)
    if place.suffix.lower() in CHECKPOINTS:
        raise PolicyError(
            f"'{place.name}' is a checkpoint: {CHECKPOINTS[place.suffix.lower()].format(path=str(place))}"
        )
    if place.suffix.lower() not in NETWORKS:
        raise PolicyError(
            f"'{place.name}' is no network that is read; expected {', '.join(NETWORKS)}, .policy.json or .jani2nnet"
        )
    described, options = as_model(model), Options(bool(filter), ties, semantics, check)
    suffix = place.suffix.lower()
    data = _network_content(place)
    more = {key: value for key, value in (("activation", activation), ("output", output)) if value is not None}
    network = read_network(f"<network>{suffix}", data, **more)
    entries = Inputs.of(inputs, described)
    if entries.size != network.inputs:
        raise wrong_number(described, entries, inputs is not None, network.inputs, f"'{place.name}' says so")
    if components is None:
        outputs = match_labels(labels, described, network.outputs)
    else:
        outputs = match_components(labels, described, components)
    return build(data, suffix, described, entries, outputs, options, place.name, network_options=more)


def _network_content(path: pathlib.Path) -> bytes:
    data = _content(path)
    return with_weights(data, path.parent) if path.suffix.lower() == ".onnx" else data


def policy_file(path: pathlib.Path) -> Policy:
    """A policy file with its networks. The engines tell PlaJA's kind from ours by what is in it, so both stay as they
    are.
    """
    try:
        content = json.loads(_content(path))
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"'{path.name}' is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise PolicyError(
            f"'{path.name}' is no policy file: expected an object with 'network' and 'outputs' (docs/policies.md)"
        )
    networks: dict[str, bytes] = {}

    def held(file: object) -> str:
        if not isinstance(file, str):
            raise PolicyError(f"'{path.name}': a network is named by the path of its file; found {file!r}")
        found = path.parent / file
        name = f"<network-{len(networks)}>{found.suffix.lower()}"
        networks[name] = _network_content(found)
        return name

    for key in ("network", "file"):
        if key in content:
            content[key] = held(content[key])
    for at, entry in enumerate(content.get("networks") or ()):
        if isinstance(entry, dict):
            entry["file"] = held(entry.get("file"))
        else:
            content["networks"][at] = held(entry)
    if not networks:
        raise PolicyError(
            f"'{path.name}' names no network: expected 'network' or 'networks', or PlaJA's 'file' (docs/policies.md)"
        )
    outputs = content.get("outputs", {"labels": content.get("output")})
    labels = outputs.get("labels") if isinstance(outputs, dict) else None
    inputs = content.get("inputs", content.get("input"))
    return Policy(
        text=json.dumps(content, ensure_ascii=False, indent=2) + "\n",
        networks=MappingProxyType(networks),
        inputs=tuple(inputs) if isinstance(inputs, list) else (),
        labels=tuple(labels) if isinstance(labels, list) else (),
        filter=bool(content.get("filter", False)),
        ties=str(content.get("ties", "first")),
        semantics=str(content.get("semantics", "real")),
        source=path.name,
    )
