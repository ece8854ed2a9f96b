"""Results of all commands on the examples are valid by the schema in the book; results that were tampered with are not."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PARKING, RESERVOIR, LIFT, THERMOSTAT = (EXAMPLES / name for name in ("parking", "reservoir", "lift", "thermostat"))
POLICY = ["--policy", THERMOSTAT / "thermostat.policy.json"]


def of(folder, properties="properties.jani"):
    return [folder / "model.jani", "--properties", folder / properties]


COMMANDS = [
    *(["check", *of(folder)] for folder in (PARKING, RESERVOIR, LIFT, THERMOSTAT)),
    ["check", EXAMPLES / "README.md"],
    ["explore", *of(RESERVOIR)],
    ["explore", *of(LIFT), "--filter", "off", "--property", "0"],
    ["simulate", *of(RESERVOIR)],
    ["simulate", *of(PARKING), "--runs", "3"],
    *(["verify", *of(folder), "--engine", "explicit"] for folder in (PARKING, RESERVOIR, LIFT)),
    ["verify", *of(PARKING)],
    ["verify", *of(RESERVOIR)],
    ["verify", *of(LIFT), "--engine", "cegar"],
    ["verify", *of(LIFT), "--engine", "bmc", "--max-depth", "2"],
    ["verify", *of(LIFT), "--engine", "cegar", "--max-iterations", "1"],
    ["verify", *of(LIFT), "--engine", "cegar", "--falsify", "on"],
    ["verify", *of(RESERVOIR), "--engine", "partial"],
    ["verify", *of(RESERVOIR), "--time-limit", "0"],
    ["verify", EXAMPLES / "nothing.jani"],
    *([command, *of(RESERVOIR, "probabilities.jani"), "--property", str(index), *more]
      for command, more in (("bounds", []), ("bounds", ["--exact"]), ("verify", [])) for index in range(3)),
    ["bounds", *of(PARKING)],
    ["bounds", *of(RESERVOIR), "--engine", "partial"],
    ["bounds", *of(RESERVOIR), "--engine", "cegar", "--precision", "0.01"],
    ["bounds", *of(RESERVOIR), "--engine", "cegar", "--algorithm", "paper", "--p-max", "0.3"],
    ["bounds", *of(RESERVOIR), "--engine", "cegar", "--time-limit", "0"],
    ["bounds", *of(RESERVOIR, "probabilities.jani"), "--property", "0", "--engine", "cegar"],
    ["abstract", *of(PARKING), "--predicates", PARKING / "predicates.json", "--deadlocks"],
    ["abstract", *of(LIFT), "--ignore-predicates", "--deadlocks", "--filter", "off"],
    ["abstract", *of(RESERVOIR), "--ignore-predicates", "--graph", "graph.json"],
    ["ctl", THERMOSTAT / "model.jani", *POLICY, "--formula", "AG[<=4] temperature > 18.5"],
    ["ctl", THERMOSTAT / "model.jani", *POLICY, "--formula", "AG[<=2] temperature > 0"],
    ["ctl", THERMOSTAT / "model.jani", *POLICY, "--formula", "EF[<=3] temperature > 100"],
    ["ctl", THERMOSTAT / "model.jani", *POLICY, "--formula", "AG[<=2]"],
    ["decide", PARKING / "queries.json", "--network", PARKING / "driver.nnet"],
    ["decide", PARKING / "brakes.vnnlib", "--network", PARKING / "driver.nnet"],
    *(["induce", *of(RESERVOIR), "--out", f"model.{extension}"] for extension in ("drn", "tra", "dot", "none")),
    ["induce", *of(RESERVOIR), "--out", "model.drn", "--time-limit", "0"],
    ["replay", "run.json", *of(RESERVOIR)],
    ["replay", "run.json", *of(RESERVOIR), "--policy", RESERVOIR / "careful.jani2nnet"],
    ["replay", "formula.json", THERMOSTAT / "model.jani", *POLICY],
    ["replay", "bounds.json", *of(RESERVOIR)],
    *(["diff", *of(RESERVOIR), "--policy", RESERVOIR / "careful.jani2nnet", "--policy", RESERVOIR / f"{new}.jani2nnet", *more]
      for new, more in (("careful", []), ("careless", []), ("careless", ["--engine", "region"]), ("careful", ["--region", "level < 9"]),
                        ("careful", ["--prove"]), ("careless", ["--prove"]), ("careless", ["--time-limit", "0"]))),
    ["zoo", "list"],
    ["zoo", "generate", "blocksworld", "--out", "zoo"],
    ["zoo", "predicates", *of(PARKING), "--count", "4", "--out", "predicates.json"],
]


def changes(result):
    """The object with one thing wrong, in every way that one can think of."""
    for key in list(result):
        if key not in ("error", "format"):
            yield f"without {key}", {name: value for name, value in result.items() if name != key}
        yield f"{key} of another type", {**result, key: "?" if key == "seconds" else 0.5}
    yield "another tool", {**result, "tool": "other"}
    yield "another verdict", {**result, "verdict": "perhaps"}
    yield "another command", {**result, "command": "guess"}
    for name, value in result["statistics"].items():
        yield f"{name} as text", {**result, "statistics": {**result["statistics"], name: f"{value}?"}}
    witness = result["witness"] or {}
    for key in witness:
        if key != "property":
            yield f"witness with {key} wrong", {**result, "witness": {**witness, key: 0.5}}
    for key in ("policy", "property", "value", "float32", "exported", "invariant", "cover"):
        for name in result.get(key) or {}:
            if isinstance(result[key], dict):
                yield f"{key} with {name} wrong", {**result, key: {**result[key], name: {"no": None}}}


# Members that may be left out, of those that some object has; without those that tell that something came out, nothing did.
OPTIONAL = {"domains", "other_policy", "diary", "band", "file", "real", "open_errors", "preset", "falsified_after", "predicates", "invariant", "value", "deadlocks",
            "stuttering", "horizon_decided", "cover", "files", "exported", "step", "float32", "formula", "algorithm", "value_without_errors", "scheduled",
            "simulated", "over_starts", "goal", "question", "per_start", "expected", "run_probability"}


def main(binary):
    schema = json.loads((ROOT / "docs/result.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    rejected = 0
    with tempfile.TemporaryDirectory() as folder:
        def run(command):
            words = [binary, *map(str, command), "--json", "-", "--quiet"]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode in (0, 1, 2, 3) and done.stdout, (command, done.stderr)
            return json.loads(done.stdout)

        for name, command in (("run", ["verify", *of(RESERVOIR)]), ("bounds", ["bounds", *of(RESERVOIR)]),
                              ("formula", ["ctl", THERMOSTAT / "model.jani", *POLICY,
                                           "--formula", "AG[<=4] temperature > 18.5"])):
            Path(folder, f"{name}.json").write_text(json.dumps(run(command)))
        for command in COMMANDS:
            result = run(command)
            for error in validator.iter_errors(result):
                raise AssertionError(f"{command}: {error.json_path}: {error.message[:500]}")
            for what, changed in changes(result):
                if what.removeprefix("without ") in OPTIONAL or changed == result:
                    continue
                assert not validator.is_valid(changed), f"{command}: valid, though {what}"
                rejected += 1
    print(f"{len(COMMANDS)} results are valid, {rejected} that were tampered with are not")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
