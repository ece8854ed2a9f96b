"""The shape of the workspace: who may depend on whom, and whether what is declared is used.

Usage: workspace.py [--write]

The table in docs/architecture.md is the one place that says how crates stand on each other; this holds the manifests against it:

* the table has every crate once, and a crate depends only on crates below it in the table, tests included;
* none of the crates in its last column is reached, on any way, tests included;
* crates that are not published are for tests only;
* every crate takes its lints from the workspace and has a README.md, and CONTRIBUTING.md names it;
* files that CONTRIBUTING.md and the READMEs name are there;
* every declared dependency is named in the sources: one of the program outside of tests, one for tests anywhere;
* every dependency of the workspace is one of some crate;
* what others wrote has a licence that deny.toml allows, and one version, or deny.toml says why not (`cargo deny` knows more: advisories,
  other platforms).

With --write the numbers of lines in the table are counted anew; without, they may be off by a quarter.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `([a-z]+)` \| *([\d,]+) \| (.+) \| (.+) \|$", re.MULTILINE)
PREFIX = "surefoot-"
# A quarter and a few lines: small crates may grow by a function.
SLACK, FEW = 0.25, 60


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def metadata(*arguments):
    return json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", *arguments))["packages"]


def manifests():
    """Packages of the workspace by name without prefix, as `cargo metadata` has them."""
    return {package["name"].removeprefix(PREFIX): package for package in metadata("--no-deps")}


def others():
    """Packages of others that this machine builds."""
    host = re.search(r"^host: (.+)$", run("rustc", "-vV"), re.MULTILINE)[1]
    return [package for package in metadata("--filter-platform", host) if package["source"]]


def ours(package, kinds=(None, "dev", "build")):
    """Crates of the workspace that a package names."""
    names = {d["name"] for d in package["dependencies"] if d["kind"] in kinds and d["name"].startswith(PREFIX)}
    return sorted(name.removeprefix(PREFIX) for name in names)


def reached(name, packages):
    """All that a crate pulls in: what it names, tests included, and what these need themselves, as `cargo tree` shows it."""
    found, open_ = set(), ours(packages[name])
    while open_:
        crate = open_.pop()
        if crate not in found:
            found.add(crate)
            open_ += ours(packages[crate], kinds=(None, "build"))
    return found


def sources(folder):
    return sorted(folder.rglob("*.rs")) if folder.is_dir() else []


def parts():
    """The page up to its second heading, which has the table of crates, and the rest."""
    text = PAGE.read_text()
    end = text.index("\n## ")
    return text[:end], text[end:]


def lines(crate):
    return sum(path.read_text().count("\n") for path in sources(ROOT / "crates" / crate / "src"))


def without_tests(path):
    """The text of a source file up to its tests, which stand last; nothing for a file of tests."""
    if path.stem == "tests" or "tests" in path.parent.parts[-2:]:
        return ""
    return re.split(r"#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*mod \w+ \{", path.read_text())[0]


def directions(table, packages):
    order = [name for name, *_ in table]
    for name in sorted(set(packages) - set(order)):
        yield f"{name} is missing in the table"
    for name in sorted({name for name in order if name not in packages or order.count(name) > 1}):
        yield f"the table has {name}, which is no crate, or twice"
    for name, _, _, never in table:
        if name not in packages:
            continue
        for other in ours(packages[name]):
            if other in order[: order.index(name) + 1]:
                yield f"{name} depends on {other}, which is not below it in the table"
        for other in sorted(reached(name, packages) & set(re.findall(r"`([a-z]+)`", never))):
            yield f"{name} must not know {other}, and reaches it"
        for other in re.findall(r"`([a-z]+)`", never):
            if other not in packages:
                yield f"{name} must not know {other}, which is no crate"


def only_for_tests(packages):
    unpublished = {name for name, package in packages.items() if package["publish"] == []}
    for name in sorted(set(packages) - unpublished):
        for other in sorted(unpublished & set(ours(packages[name], kinds=(None, "build")))):
            yield f"{name} depends on {other}, which is for tests"


def housekeeping(packages):
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for name, package in sorted(packages.items()):
        folder = pathlib.Path(package["manifest_path"]).parent
        if tomllib.loads((folder / "Cargo.toml").read_text()).get("lints") != {"workspace": True}:
            yield f"{name} does not take its lints from the workspace"
        if not (folder / "README.md").is_file():
            yield f"{name} has no README.md"
        if f"`{name}`" not in contributing:
            yield f"CONTRIBUTING.md does not name {name}"


def places(packages):
    """Files that are named in backquotes where people look for a place to begin."""
    named = [(ROOT / "CONTRIBUTING.md", ROOT, r"`((?:crates|docs|tests|benchmarks)/[^`]+)`")]
    for name in sorted(packages):
        folder = ROOT / "crates" / name
        named.append((folder / "README.md", folder / "src", r"`([\w/]+(?:\.rs|/))`"))
    for page, folder, pattern in named:
        text = page.read_text() if page.is_file() else ""
        for place in sorted(set(re.findall(pattern, text))):
            if not any(folder.glob(place.rstrip("/"))):
                yield f"{page.relative_to(ROOT)} names {place}, which is not there"


def unused(packages):
    for name, package in sorted(packages.items()):
        folder = pathlib.Path(package["manifest_path"]).parent
        program = "".join(map(without_tests, sources(folder / "src")))
        everything = "".join(path.read_text() for path in sources(folder))
        for dependency in package["dependencies"]:
            word = (dependency["rename"] or dependency["name"]).replace("-", "_")
            text = everything if dependency["kind"] == "dev" else program
            if not re.search(rf"\b{word}\b", text):
                where = "only in tests" if re.search(rf"\b{word}\b", everything) else "nowhere"
                yield f"{name} declares {dependency['name']}, which is named {where}"
    declared = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    named = {dependency["name"] for package in packages.values() for dependency in package["dependencies"]}
    for dependency in sorted(set(declared) - named - {PREFIX + "cli"}):
        yield f"no crate needs {dependency}, which the workspace declares"


def permitted(licence, allowed):
    """Whether a licence expression can be met with allowed licences: `OR` (once `/`) is a choice, `AND` binds tighter."""
    if inner := re.search(r"\(([^()]*)\)", licence):
        return permitted(licence.replace(inner[0], "" if permitted(inner[1], allowed) else "none"), allowed)
    choices = re.split(r" OR |/", licence)
    return any(all(part.strip() in ("", *allowed) for part in choice.split(" AND ")) for choice in choices)


def foreign(packages):
    deny = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed, skipped = deny["licenses"]["allow"], {skip["crate"] for skip in deny["bans"]["skip"]}
    versions = {}
    for package in packages:
        name, version = package["name"], package["version"]
        if not permitted(package["license"] or "none", allowed):
            yield f"{name} {version} has the licence {package['license']}, which deny.toml does not allow"
        if not any(name == crate and version.startswith(start) for crate, start in (skip.split(":") for skip in skipped)):
            versions.setdefault(name, []).append(version)
    for name, found in sorted(versions.items()):
        if len(found) > 1:
            yield f"{name} is there in the versions {' and '.join(sorted(found))}; deny.toml does not say why"


def counted(table, packages):
    for name, count, *_ in table:
        told, now = int(count.replace(",", "")), lines(name)
        if name in packages and abs(told - now) > SLACK * now + FEW:
            yield f"{name} has {now} lines, and the table says {told}: tests/workspace.py --write"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="count the lines in the table anew")
    if parser.parse_args().write:
        fresh = lambda row: f"| `{row[1]}` | {lines(row[1]):,} | {row[3]} | {row[4]} |"
        first, rest = parts()
        PAGE.write_text(ROW.sub(fresh, first) + rest)
    packages, table = manifests(), ROW.findall(parts()[0])
    errors = [*directions(table, packages), *only_for_tests(packages), *housekeeping(packages), *places(packages)]
    errors += [*unused(packages), *foreign(others()), *counted(table, packages)]
    for error in errors:
        print(f"workspace: {error}", file=sys.stderr)
    if not errors:
        print(f"workspace: {len(packages)} crates stand as docs/architecture.md draws them")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
