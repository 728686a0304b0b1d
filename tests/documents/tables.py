#!/usr/bin/env python3
"""Usage: tables.py PROGRAM check|write [quick]

Holds the figures in documents to what PROGRAM gives. A document marks what is held:

    <!-- output: run scenarios/quickstart.json -->
    a code block with what PROGRAM prints

    <!-- design: gossip_64 -->
    a code block with the answer to a study of scenarios/designs

    <!-- regimes: gossip_or_all_reduce -->
    the same of scenarios/regimes

    <!-- table: dear_10gbps -->
    a table whose rows this file makes (see TABLES)

check fails, and shows the lines, where a document says something else; write writes them anew. With quick,
only marks whose runs take seconds are looked at, and only the rows of QUICK_MODELS of the DeAR tables and
the studies of QUICK_STUDIES.
"""
import concurrent.futures
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / name for name in ("README.md", "scenarios/studies.md", "scenarios/published.md",
                                      "scenarios/model.md")]
MODELS = ["resnet50", "densenet201", "inceptionv4", "bert_base", "bert_large"]
QUICK_MODELS = ["resnet50"]
QUICK_STUDIES = ["gossip_64"]
OUTPUT = re.compile(r"(<!-- output: (?P<command>[^>]*?) -->\n```\n)(?P<text>.*?)(?=```)", re.DOTALL)
STUDY = re.compile(r"(<!-- (?P<kind>design|regimes): (?P<name>\w+) -->\n```\n)(?P<text>.*?)(?=```)",
                   re.DOTALL)
TABLE = re.compile(r"(<!-- table: (?P<name>\w+) -->\n)(?P<text>(?:\|.*\n)*)")


def printed(program, command):
    done = subprocess.run([program, *command.split()], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def runs_of(program, scenario):
    """The runs of result.json, by label."""
    with tempfile.TemporaryDirectory() as folder:
        printed(program, f"run scenarios/{scenario}.json --quiet --out {folder}/out")
        result = json.loads((pathlib.Path(folder) / "out" / "result.json").read_text(encoding="utf-8"))
    return {run["label"]: run for run in result["runs"]}


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def dear_row(program, scenario):
    runs = runs_of(program, scenario)
    ms = {label: 1e3 * run["iteration_time_s"]["mean"] for label, run in runs.items()}
    gains = [f"{100 * (ms[label] / ms['dear_tuned'] - 1):+,.0f} %".replace("-", "−")
             for label in ("ddp", "horovod", "wfbp")]
    return row([scenario.split("_", 2)[2], *(f"{time:,.1f}" for time in ms.values()), *gains])


def dear_rows(network):
    def rows(program, is_quick):
        models = QUICK_MODELS if is_quick else MODELS
        return [dear_row(program, f"dear_{network}_{model}") for model in models]
    return rows


def learning_rows(program, is_quick):
    if is_quick:
        return []
    rows = []
    for label, run in runs_of(program, "time_to_target").items():
        learning = run["learning"]
        reached = next((iteration for _, iteration, loss in learning["loss"]
                        if loss is not None and loss <= learning["target_loss"]), None)
        distance = learning["consensus_distance"][-1][2]
        rows.append(row([
            label, f"{run['iteration_time_s']['mean']:.3f}", "never" if reached is None else f"{reached:,}",
            "–" if reached is None else f"{learning['time_to_target_s']:.0f}",
            f"{learning['final_loss']:.3g}", f"{distance:.2g}"]))
    return rows


def percent(share):
    return f"{100 * share:.0f} %"


def published_row(name, entries):
    errors = [abs(entry["relative_error"]) for entry in entries]
    predicted = [abs(entry["relative_error"]) for entry in entries if not entry["calibration"]]
    median = [f"{100 * statistics.median(those):.1f} %" if those else "–" for those in (errors, predicted)]
    within = [percent(sum(error <= most for error in errors) / len(errors)) for most in (0.05, 0.1)]
    counts = [str(len(errors)), str(len(errors) - len(predicted))]
    return row([name, *counts, *median, percent(max(errors)), *within, inside_text(entries)])


def inside_text(entries):
    """How many predictions lie inside of their intervals."""
    predicted = [entry for entry in entries if not entry["calibration"] and entry["interval_90"]]
    inside = sum(least <= entry["published"] <= greatest
                 for entry in predicted for least, greatest in [entry["interval_90"]])
    return f"{inside} of {len(predicted)}" if predicted else "–"


def published_rows(program, is_quick):
    if is_quick:
        return []
    with tempfile.TemporaryDirectory() as folder:
        printed(program, f"reproduce --quiet --out {folder}/out")
        result = json.loads((pathlib.Path(folder) / "out" / "reproduce.json").read_text(encoding="utf-8"))
    return published_rows_of(result)


def published_rows_of(result):
    compared = [entry for entry in result["entries"] if entry["status"] == "compared"]
    papers = dict.fromkeys(entry["paper"] for entry in compared)
    groups = {paper.split(" (")[0]: [entry for entry in compared if entry["paper"] == paper]
              for paper in papers}
    return [published_row(name, entries) for name, entries in {**groups, "all": compared}.items()]


def difference_text(line):
    """What is rounding is no difference."""
    difference = 100 * line["relative_difference"]
    return "0" if abs(difference) < 5e-5 else f"{difference:+.2g} %".replace("-", "−")


def model_row(program, scenario):
    lines = [json.loads(line) for line in
             printed(program, f"model scenarios/{scenario}.json --json --quiet").splitlines()]
    cells = [scenario]
    for validity in ("exact", "estimate", "lower bound"):
        by_difference = {}
        for line in lines:
            if line["model"]["validity"] == validity:
                by_difference.setdefault(difference_text(line), []).append(line["label"])
        texts = [f"{', '.join(labels)}: {difference}" for difference, labels in by_difference.items()]
        cells.append("; ".join(texts) or "–")
    return row(cells)


def model_rows(program, is_quick):
    scenarios = ["quickstart", "stragglers", "oversubscribed"]
    if not is_quick:
        scenarios += ["asynchronous", "time_to_target"]
        scenarios += [f"dear_{network}_{model}" for network in ("10gbps", "100gbps") for model in MODELS]
    return [model_row(program, scenario) for scenario in scenarios]


TABLES = {"model": model_rows, "dear_10gbps": dear_rows("10gbps"), "dear_100gbps": dear_rows("100gbps"),
          "time_to_target": learning_rows, "published": published_rows}


def answer_of(found, program, is_quick):
    """What a study prints; as it stands if that would take long."""
    if is_quick and found["name"] not in QUICK_STUDIES:
        return found.group()
    with tempfile.TemporaryDirectory() as folder:
        if found["kind"] == "design":
            study = f"design scenarios/designs/{found['name']}.json --jobs 1"
        else:
            study = f"regimes scenarios/regimes/{found['name']}.json"
        text = printed(program, f"{study} --out {folder}/out")
    return found.group(1) + text


def with_rows(table, rows, are_all):
    """The table with these rows in place of those that begin alike, new ones after them; without others if
    these are all."""
    lines = table.splitlines(keepends=True)
    head, old = lines[:2], lines[2:]
    fresh = {line.split("|")[1]: line for line in rows}
    known = [line.split("|")[1] for line in old]
    kept = [fresh.get(name, line) for name, line in zip(known, old) if name in fresh or not are_all]
    return "".join(head + kept + [line for name, line in fresh.items() if name not in known])


def as_it_should_be(text, program, is_quick):
    text = OUTPUT.sub(lambda found: found.group(1) + printed(program, found["command"]), text)
    text = STUDY.sub(lambda found: answer_of(found, program, is_quick), text)
    return TABLE.sub(lambda found: found.group(1) +
                     with_rows(found["text"], TABLES[found["name"]](program, is_quick), not is_quick), text)


def differences(document, old, new):
    pairs = itertools.zip_longest(old.splitlines(), new.splitlines(), fillvalue="(no such line)")
    return [f"{document.relative_to(ROOT)}:\n  says  {a}\n  is    {b}" for a, b in pairs if a != b]


def main():
    arguments = sys.argv[2:]
    if arguments[:1] not in (["check"], ["write"]) or arguments[1:] not in ([], ["quick"]):
        sys.exit(__doc__)
    program, is_quick = str(pathlib.Path(sys.argv[1]).resolve()), len(arguments) == 2
    with concurrent.futures.ThreadPoolExecutor() as pool:
        old = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
        new = list(pool.map(lambda text: as_it_should_be(text, program, is_quick), old))
    found = []
    for document, before, after in zip(DOCUMENTS, old, new):
        if arguments[0] == "write":
            document.write_text(after, encoding="utf-8")
        else:
            found += differences(document, before, after)
    print("\n".join(found), end="\n" if found else "")
    sys.exit(len(found) > 0)


if __name__ == "__main__":
    main()
