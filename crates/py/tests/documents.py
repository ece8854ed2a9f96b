"""Runs the programs of the guides in the book, each guide in a folder of its own.

Usage: documents.py [NAME ...]
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDES = ["notebook.ipynb", "python.md", "python-torch.md", "python-sb3.md", "python-cliff.md", "python-batch.md"]


def run(guide: str) -> bool:
    """Runs all blocks of a guide, one after the other, with the same names."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    if guide.endswith(".ipynb"):
        blocks = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    else:
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks, guide
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            # In a file: workers of a batch begin by reading it.
            path = pathlib.Path(folder) / "guide.py"
            body = "\n".join(blocks)
            path.write_text("if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
            status = os.system(f'"{sys.executable}" -B "{path}"')
        except Exception:
            traceback.print_exc()
            status = 1
        finally:
            os.chdir(ROOT)
    print(f"{guide}: {'ok' if status == 0 else 'failed'}, {time.perf_counter() - begin:.1f} s", flush=True)
    return status == 0


def main() -> None:
    """All guides, or those named."""
    done = [run(guide) for guide in sys.argv[1:] or GUIDES]
    print(f"{sum(done)} passed, {len(done) - sum(done)} failed")
    sys.exit(not all(done))


if __name__ == "__main__":
    main()
