#!/usr/bin/env python3
"""Usage: golden.py PROGRAM check
          golden.py PROGRAM declare "REASON"

Runs every scenario of tests/golden/scenarios and hashes its results: the bytes of iterations.csv, and
result.json without `simulation`, `starling` and `scenario_hash`, which differ between runs and versions.

check fails, and names the scenarios, where a hash is not the newest one in tests/golden/CHANGES.md.
declare puts an entry on top of CHANGES.md, with the reason and the new hashes of the scenarios that changed.
"""
import concurrent.futures
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHANGES = HERE / "CHANGES.md"
SCENARIOS = HERE / "scenarios"
ENTRY = re.compile(r"^## ", re.MULTILINE)
HASH = re.compile(r"^- `(\w+)` ([0-9a-f]{16})$", re.MULTILINE)


def scenario_names():
    """The names of all scenarios: JSON files without a dot in their stem, unlike models and profiles."""
    return sorted(path.stem for path in SCENARIOS.glob("*.json") if "." not in path.stem)


def hash_of_results(result, iterations):
    """The hash of the texts of result.json and iterations.csv, without white space in JSON."""
    document = json.loads(result, parse_float=str)
    for key in ("simulation", "starling", "scenario_hash"):
        document.pop(key, None)
    text = json.dumps(document) + "\n" + iterations
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run(program, name):
    """The hash of a scenario's results, or "failed: " with the error of the program."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(SCENARIOS / (name + ".json")), "--out", folder + "/out", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"failed: {done.stderr.strip()}"
        out = pathlib.Path(folder) / "out"
        return hash_of_results((out / "result.json").read_text(), (out / "iterations.csv").read_text())


def run_all(program):
    names = scenario_names()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(lambda name: run(program, name), names)))


def declared(changes):
    """The newest hash of each scenario in CHANGES.md, whose newest entry comes first."""
    hashes = {}
    for name, value in HASH.findall(changes):
        hashes.setdefault(name, value)
    return hashes


def entry_without_reason(changes):
    """The title of the first entry without a reason, None if all have one."""
    for entry in ENTRY.split(changes)[1:]:
        title, _, body = entry.partition("\n")
        if not HASH.sub("", body).strip():
            return title
    return None


def differences(found, expected):
    """One line for each scenario whose hash is not the declared one, or that does not exist."""
    said = []
    for name in sorted(found.keys() | expected.keys()):
        if name not in found:
            said.append(f"{name}: has a hash in CHANGES.md, but there is no such scenario")
        elif found[name] != expected.get(name):
            said.append(f"{name}: {found[name]}, declared {expected.get(name, 'nothing')}")
    return said


def check(program):
    changes = CHANGES.read_text(encoding="utf-8")
    said = differences(run_all(program), declared(changes))
    if said:
        said.append('results changed; if they should, run: tests/golden/golden.py PROGRAM declare "REASON"')
    if entry_without_reason(changes):
        said.append(f"CHANGES.md gives no reason under {entry_without_reason(changes)}")
    return said


def declare(program, reason):
    """Adds an entry with the changed hashes on top of CHANGES.md. Returns errors, if there are any."""
    changes = CHANGES.read_text(encoding="utf-8")
    found, expected = run_all(program), declared(changes)
    failed = [f"{name}: {value}" for name, value in found.items() if value.startswith("failed")]
    if failed:
        return failed
    changed = [f"- `{name}` {value}" for name, value in found.items() if value != expected.get(name)]
    if not changed:
        return ["no result has changed"]
    entry = f"## {datetime.date.today()}\n\n{reason}\n\n" + "\n".join(changed) + "\n"
    first = ENTRY.search(changes)
    place = first.start() if first else len(changes)
    CHANGES.write_text(changes[:place] + entry + "\n" * bool(first) + changes[place:], encoding="utf-8")
    return []


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[1] == "check":
        said = check(arguments[0])
    elif len(arguments) == 3 and arguments[1] == "declare" and arguments[2].strip():
        said = declare(arguments[0], arguments[2].strip())
    else:
        sys.exit(__doc__)
    print("\n".join(said), end="\n" if said else "")
    sys.exit(len(said) > 0)


if __name__ == "__main__":
    main()
