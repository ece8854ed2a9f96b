"""The README's program in an environment that has nothing but the wheel (and numpy, which it asks for).

Usage: clean.py FOLDER, where the wheel is.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[3]


def program() -> str:
    """The first block of Python in the README of the package."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "crates/py/README.md").read_text(encoding="utf-8"), re.S)
    assert found, "the README has no program"
    lines = [line for line in found[1].splitlines() if line.strip()]
    assert len(lines) <= 15, f"the program has {len(lines)} lines"
    shown = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"    {line}\n" in shown for line in lines), "the README of the repository shows another program"
    return found[1]


def main() -> None:
    """Installs, runs, compares with what the README shows."""
    [wheel] = pathlib.Path(sys.argv[1]).glob("surefoot-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder) / "bin/python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.resolve()], check=True)
        done = subprocess.run([python, "-c", program()], capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 0, done.stderr
        shown = re.search(r"```text\n(.*?)```", (ROOT / "crates/py/README.md").read_text(encoding="utf-8"), re.S)
        assert shown and done.stdout.strip() == shown[1].strip(), f"it prints\n{done.stdout}"
        version = subprocess.run([pathlib.Path(folder) / "bin/surefoot", "--version"], capture_output=True, text=True, check=True)
        assert re.fullmatch(r"\d+\.\d+\.\d+\n", version.stdout), version.stdout
        names = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True)
        packages = {line.split("==")[0].lower() for line in names.stdout.splitlines()} - {"pip", "setuptools"}
        assert packages == {"surefoot", "numpy"}, packages
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
