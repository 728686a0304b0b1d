"""Outputs and results of the program, of which tables are made."""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGNS = str.maketrans("-", "−")
reproducing = threading.Lock()
reproductions = {}


def given_by(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def printed(program, command):
    return given_by(program, command.split())


def written_by(program, arguments, name):
    """The JSON file `name` that a command writes to its --out, parsed."""
    with tempfile.TemporaryDirectory() as folder:
        given_by(program, [*arguments, "--quiet", "--out", f"{folder}/out"])
        return json.loads((pathlib.Path(folder) / "out" / name).read_text(encoding="utf-8"))


def runs_by_label(result):
    return {run["label"]: run for run in result["runs"]}


def runs_of(program, scenario, *options):
    """The runs in result.json of a scenario below scenarios/, by label."""
    return runs_by_label(
        written_by(program, ["run", f"scenarios/{scenario}.json", *options], "result.json"))


def runs_of_document(program, scenario):
    """The runs of a scenario given as a document instead of a file, by label."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "scenario.json"
        file.write_text(json.dumps(scenario), encoding="utf-8")
        return runs_by_label(written_by(program, ["run", str(file)], "result.json"))


def reproduced(program, *arguments):
    """The entries of reproduce.json, by id. As several documents have tables of the same entries, each set of
    arguments is run once, on all cores."""
    with reproducing:
        if arguments not in reproductions:
            entries = written_by(program, ["reproduce", *arguments], "reproduce.json")["entries"]
            reproductions[arguments] = {entry["id"]: entry for entry in entries}
        return reproductions[arguments]
