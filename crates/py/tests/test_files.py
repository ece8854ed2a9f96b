"""Nothing that is asked for is written over what is read, and no file is named twice: as on the command line."""

from __future__ import annotations

import os
import pathlib
import shutil
from typing import Any

import pytest
from conftest import EXAMPLES

import surefoot


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """The files of an example, to be lost if something goes wrong."""
    shutil.copytree(EXAMPLES / "reservoir", tmp_path, dirs_exist_ok=True)
    (tmp_path / "link.html").symlink_to("model.jani")
    os.link(tmp_path / "properties.jani", tmp_path / "hard.html")
    return tmp_path


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def ask(folder: pathlib.Path, command: Any = surefoot.verify, **options: Any) -> surefoot.Result:
    found: surefoot.Result = command(folder / "model.jani", folder / "careless.jani2nnet", properties=folder / "properties.jani", **options)
    return found


def network(folder: pathlib.Path) -> str:
    """The file that the policy names."""
    return next(path.name for path in folder.iterdir() if path.suffix in (".nnet", ".onnx", ".safetensors") and "careless" in path.name)


@pytest.mark.parametrize("option", ["report", "certificate", "per_start"])
def test_inputs_are_not_overwritten(folder: pathlib.Path, option: str) -> None:
    before = contents(folder)
    inputs = ["model.jani", "properties.jani", "careless.jani2nnet", network(folder), "link.html", "hard.html", "./x/../model.jani"]
    (folder / "x").mkdir()
    for name in inputs:
        with pytest.raises(surefoot.InputError, match=rf"^{option}: .* would overwrite the input"):
            ask(folder, **{option: os.path.join(folder, name)})
        assert contents(folder) == before, name


def test_every_command_that_writes_is_guarded(folder: pathlib.Path) -> None:
    before, model = contents(folder), folder / "model.jani"
    for command, option in [
        (surefoot.bounds, "report"), (surefoot.bounds, "certificate"), (surefoot.simulate, "traces"), (surefoot.explore, "json"),
    ]:  # fmt: skip
        with pytest.raises(surefoot.InputError, match="would overwrite the input"):
            ask(folder, command, **{option: model})
        assert contents(folder) == before, option
    with pytest.raises(surefoot.InputError, match="would overwrite the input"):
        surefoot.ctl(model, "AG[<=2] level >= 0", properties=folder / "properties.jani", property=0, report=model)
    predicates = folder / "predicates.json"
    predicates.write_text("[]", encoding="utf-8")
    with pytest.raises(surefoot.InputError, match="predicates_out: .* would overwrite the input"):
        ask(folder, engine="cegar", predicates=predicates, predicates_out=predicates)
    drawing = folder / "drawing.json"
    drawing.write_text("{}", encoding="utf-8")
    with pytest.raises(surefoot.InputError):
        ask(folder, drawing=drawing, report=drawing)
    assert (predicates.read_text(encoding="utf-8"), drawing.read_text(encoding="utf-8")) == ("[]", "{}")


def test_a_drawing_that_is_read_is_not_overwritten(folder: pathlib.Path) -> None:
    drawing = folder / "drawing.json"
    shutil.copyfile(EXAMPLES / "thermostat" / "drawing.json", drawing)
    before = drawing.read_bytes()
    thermostat = EXAMPLES / "thermostat"
    with pytest.raises(surefoot.InputError, match="report: .* would overwrite the input"):
        surefoot.ctl(
            thermostat / "model.jani", "AG[<=2] temperature > 0", thermostat / "thermostat.policy.json", drawing=drawing, report=drawing
        )
    assert drawing.read_bytes() == before


def test_no_file_is_named_twice(folder: pathlib.Path) -> None:
    page = folder / "page.html"
    with pytest.raises(surefoot.InputError, match="certificate and report name one file"):
        ask(folder, certificate=page, report=folder / "." / "page.html")
    assert not page.exists()


def test_results_and_certificates_are_saved_over_nothing_that_was_read(folder: pathlib.Path) -> None:
    before, result = contents(folder), ask(folder)
    assert isinstance(result, surefoot.results.VerifyResult)
    for path in (folder / "model.jani", folder / "link.html", os.fspath(folder / "careless.jani2nnet")):
        with pytest.raises(surefoot.InputError, match="would overwrite the input"):
            result.to_json(path)
        with pytest.raises(surefoot.InputError, match="would overwrite the input"):
            result.save_certificate(path)
    assert contents(folder) == before


def test_what_is_in_memory_is_no_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page may even have the name that messages have for a model in memory."""
    monkeypatch.chdir(tmp_path)
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("right").when(x < 9).do({x: x + 1})
    for name in ("page.html", "<model>"):
        assert surefoot.verify(m.build(), never=x == 9, report=name).violated
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!doctype html>")
        assert surefoot.verify(m.build(), never=x == 9, report=name).violated
