"""Reports: how large they are, how long it takes to write one, until it shows something, and how it moves.

Usage: report.py [--only TEXT] [--runs N] [--out FILE] [--data DIR] [--surefoot FILE] [--chromium FILE] [--keep DIR]

Instances: the lift of the examples; PlaJA's blocksworld_6_5 where the data is there; eight blocks with costs, by a network that is part of the benchmark
set (about 27,000 abstract states; half a minute to minutes); 100,000 states of counters.py, and 100,000 abstract states of it by 45 predicates.

Of each, the least of --runs runs of the command (of the eight blocks one): seconds to decide as the result object tells them, and seconds to write, which is
the rest of the process's time: the columns of the page are computed, laid out, packed and written then. In Chromium without a graphics card: milliseconds from
opening the file to the first paint, to the first drawing of the graph's picture, and to the page being ready (the least of three visits); then frames per
second while the wheel zooms the picture in and out for three seconds, by the browser's own times of frames (the middle one of three visits). Writes benchmarks/results/report.csv, or what --out says.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import counters
import instances
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COLUMNS = ["instance", "command", "states", "transitions", "bytes", "decide_seconds", "write_seconds", "paint_ms", "picture_ms", "ready_ms",
           "frames_per_second", "median_frame_ms", "slowest_frame_ms", "load"]
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

# Notes when the picture of the graph is first drawn, and when the page is ready.
WATCH = """
const fill = CanvasRenderingContext2D.prototype.fillRect;
globalThis.seen = {};
CanvasRenderingContext2D.prototype.fillRect = function (...where) {
  if (this.canvas.closest?.("#abstraction") && this.canvas.width > 300) seen.picture ??= performance.now();
  return fill.apply(this, where);
};
new MutationObserver((_, watching) => {
  if (!document.documentElement?.dataset.ready) return;
  seen.ready = performance.now();
  watching.disconnect();
}).observe(document, { subtree: true, attributes: true, childList: true });
"""

ZOOM = """async () => {
  const canvas = document.querySelector("#abstraction .frame canvas"), box = canvas.getBoundingClientRect();
  canvas.focus();
  const times = [], began = performance.now();
  for (let now = began; now - began < 3000;) {
    const inwards = (now - began) % 1500 < 750;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: inwards ? -40 : 40, clientX: box.left + box.width * 0.4, clientY: box.top + box.height * 0.5, cancelable: true, bubbles: true }));
    now = await new Promise(requestAnimationFrame);
    times.push(now);
  }
  return times;
}"""


def generated(given, folder):
    """Instances as a name, the words of the command without files to write, and how often to run it."""
    lift = ROOT / "examples" / "lift"
    yield "lift", ["verify", lift / "model.jani", "--properties", lift / "properties.jani", "--engine", "cegar"], given.runs
    six = given.data / "plaja/icaps22/blocksworld"
    compact = "compact_starts_cost_predicates_afterwards"
    properties = (six / "additional_properties/safety_verification/cost05/blocksworld_6_5" / compact / "learned_cost05_non_terminal"
                  / f"pa_{compact}_blocksworld_6_5_32_32.jani")
    if properties.exists():
        model = six / "models/cost05/blocksworld_6_5.jani"
        yield "plaja_bw6", ["verify", model, "--properties", properties, "--property", "1", "--engine", "cegar"], given.runs
    else:
        print(f"plaja_bw6 is left out: no {properties}", file=sys.stderr)
    entry = instances.entries(instances.IMITATIONS)["bw8c_32"]
    made = folder / "bw8c_32"
    words = [given.surefoot, "zoo", "generate", entry["domain"], *instances.settings(entry), "--out", made, "--quiet"]
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
    yield "bw8c_32", ["verify", *instances.question(entry, made), "--engine", "cegar"], 1
    counters.write(folder / "counters", 5, 9)
    model = [folder / "counters" / "model.jani", "--never", counters.unsafe(5, 9)]
    yield "states", ["verify", *model, "--engine", "explicit"], given.runs
    yield "predicates", ["abstract", *model, "--predicates", folder / "counters" / "predicates.json"], given.runs


def write(given, words, page):
    """Seconds to decide and to write, and the result object."""
    result = page.with_suffix(".json")
    begin = time.perf_counter()
    words = [given.surefoot, *words, "--quiet", "--json", result, "--report", page]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    told = json.loads(result.read_text(encoding="utf-8"))
    return told["seconds"], seconds - told["seconds"], told


def look(browser, path):
    """How long a page takes to show something, and the frames while it zooms."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    page.wait_for_timeout(500)
    seen = page.evaluate("({ ...seen, paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime })")
    graph = page.locator("#abstraction .frame canvas")
    graph.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    times = page.evaluate(ZOOM)
    context.close()
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    return {"paint_ms": round(seen["paint"]), "picture_ms": round(seen["picture"]), "ready_ms": round(seen["ready"]),
            "frames_per_second": round(1000 * len(gaps) / (times[-1] - times[0]), 1),
            "median_frame_ms": round(statistics.median(gaps), 1), "slowest_frame_ms": round(max(gaps), 1)}


def measure(given, browser, folder, name, words, runs):
    """One instance."""
    page = (given.keep or folder) / f"{name}.html"
    written = [write(given, words, page) for _ in range(runs)]
    seen = [look(browser, page) for _ in range(3)]
    shown = {key: (statistics.median if "frame" in key else min)(each[key] for each in seen) for key in seen[0]}
    told = written[0][2]["statistics"]
    row = {"instance": name, "command": words[0], "states": told["reachable_states"], "transitions": told["transitions"], "bytes": page.stat().st_size,
           "decide_seconds": round(min(each[0] for each in written), 3), "write_seconds": round(min(each[1] for each in written), 3), **shown,
           "load": round(os.getloadavg()[0], 1)}
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def main():
    """All instances."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "benchmarks" / "results" / "report.csv")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--surefoot", type=pathlib.Path, default=TARGET / "release" / "surefoot")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the pages")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as library:
        folder = pathlib.Path(folder)
        browser = library.chromium.launch(executable_path=given.chromium, args=SWITCHES)
        rows = [measure(given, browser, folder, *one) for one in generated(given, folder) if given.only in one[0]]
        browser.close()
    with given.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
