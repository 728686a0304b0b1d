#!/usr/bin/env python3
"""Usage: tables.py PROGRAM check|write [quick]

Compares the figures in documents with the output of PROGRAM. A document marks what is compared:

    <!-- output: run scenarios/quickstart.json -->
    a code block with the output of PROGRAM

    <!-- long output: model scenarios/asynchronous.json --explain -->
    the same, for commands that take longer

    <!-- design: gossip_64 -->
    a code block with the answer to a study of scenarios/designs

    <!-- regimes: gossip_or_all_reduce -->
    the same of scenarios/regimes

    <!-- own measurements -->
    a code block with a command and its output: reproduce, with the profile and the entries of the first two
    JSON blocks of the document

    <!-- table: dear_10gbps -->
    a table whose rows are made by a module in this folder (see TABLES)

check fails, and prints the lines, where a document differs; write replaces them. With quick, only marks whose
runs take seconds are checked, and some tables only in part: the rows of QUICK_MODELS and QUICK_TRANSPORTS,
the studies of QUICK_STUDIES, the entries of QUICK_FILTER. Tables of validation are always checked as a whole.
With STARLING_FULL=1 quick checks all.
"""
import concurrent.futures
import itertools
import os
import pathlib
import re
import sys
import tempfile

import figure_tables
import published_tables
import room_tables
import study_tables
import validation_tables
from program import ROOT, printed

DOCUMENTS = [ROOT / name for name in (
    "README.md", "scenarios/README.md", "scenarios/studies.md", "scenarios/published.md",
    "scenarios/model.md", "scenarios/figures/README.md", "scenarios/validation/README.md",
    "scenarios/clusters/README.md", "algorithms/README.md", "topologies/README.md",
    "workloads/profiles/README.md")]
TABLES = study_tables.TABLES | published_tables.TABLES | figure_tables.TABLES \
    | validation_tables.TABLES | room_tables.TABLES
QUICK_STUDIES = ["gossip_64"]
# The number of leading cells that identify a row, where the first one alone does not.
NAMING_CELLS = {"validation_situations": 3}
OUTPUT = re.compile(r"(<!-- (?P<long>long )?output: (?P<command>[^>]*?) -->\n```\n)(?P<text>.*?)(?=```)",
                    re.DOTALL)
STUDY = re.compile(r"(<!-- (?P<kind>design|regimes): (?P<name>\w+) -->\n```\n)(?P<text>.*?)(?=```)",
                   re.DOTALL)
OWN = re.compile(r"(<!-- own measurements -->\n```\n\$ .*\n)(?P<text>(?s:.*?))(?=```)")
JSON_BLOCK = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(<!-- table: (?P<name>\w+) -->\n)(?P<text>(?:\|.*\n)*)")


def output_of(found, program, is_quick):
    """A mark with the output of its command; unchanged if that would take too long."""
    if is_quick and found["long"]:
        return found.group()
    return found.group(1) + printed(program, found["command"])


def answer_of(found, program, is_quick):
    """A mark with the output of its study; unchanged if that would take too long."""
    if is_quick and found["name"] not in QUICK_STUDIES:
        return found.group()
    with tempfile.TemporaryDirectory() as folder:
        if found["kind"] == "design":
            study = f"design scenarios/designs/{found['name']}.json --jobs 1"
        else:
            study = f"regimes scenarios/regimes/{found['name']}.json"
        text = printed(program, f"{study} --out {folder}/out")
    return found.group(1) + text


def own_measurements_of(found, program, _):
    profile, entries = JSON_BLOCK.findall(found.string)[:2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "clusters").mkdir()
        (folder / "clusters/mine.json").write_text(profile, encoding="utf-8")
        (folder / "measured.json").write_text(entries, encoding="utf-8")
        text = printed(program, f"reproduce {folder}/measured.json --clusters {folder}/clusters")
    return found.group(1) + text


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def line_of(cells):
    return "".join("| " + cell + " " if cell else "| " for cell in cells) + "|\n"


def with_rows(table, rows, are_all, naming_cells=1):
    """The table with rows replaced by those of `rows` that begin with the same cells, and new ones last.
    If `are_all`, other rows are removed. A cell None keeps its present text."""
    lines = table.splitlines(keepends=True)
    old = {tuple(cells_of(line)[:naming_cells]): line for line in lines[2:]}
    fresh = {tuple(row[:naming_cells]): row for row in rows}
    kept = {name: line for name, line in old.items() if name not in fresh and not are_all}
    for name, row in fresh.items():
        before = itertools.chain(cells_of(old[name]) if name in old else [], itertools.repeat(""))
        kept[name] = line_of([was if cell is None else cell for cell, was in zip(row, before)])
    ordered = [name for name in old if name in kept] + [name for name in fresh if name not in old]
    return "".join(lines[:2] + [kept[name] for name in ordered])


def table_of(found, program, is_quick):
    name = found["name"]
    rows = TABLES[name](program, is_quick)
    return found.group(1) + with_rows(found["text"], rows, not is_quick, NAMING_CELLS.get(name, 1))


def as_it_should_be(text, program, is_quick):
    for mark, made in ((OUTPUT, output_of), (STUDY, answer_of), (OWN, own_measurements_of),
                       (TABLE, table_of)):
        text = mark.sub(lambda found, made=made: made(found, program, is_quick), text)
    return text


def differences(document, old, new):
    pairs = itertools.zip_longest(old.splitlines(), new.splitlines(), fillvalue="(no such line)")
    return [f"{document.relative_to(ROOT)}:\n  says  {a}\n  is    {b}" for a, b in pairs if a != b]


def main():
    arguments = sys.argv[2:]
    if arguments[:1] not in (["check"], ["write"]) or arguments[1:] not in ([], ["quick"]):
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    is_quick = len(arguments) == 2 and os.environ.get("STARLING_FULL") != "1"
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
