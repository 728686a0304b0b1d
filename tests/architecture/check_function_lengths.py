#!/usr/bin/env python3
"""Usage: check_function_lengths.py ROOT

Fails where a function of the product (not tests, benchmarks, examples) has more than 60 lines, tables
excepted, or where more than 5 % have more than 18. Lines are counted from the name to the closing brace, by
universal-ctags.
"""
import json
import os
import subprocess
import sys

from check_rooms import is_outside, source_files

MOST_LINES = 60
LINES_OF_95_PERCENT = 18
TABLES = {("workloads/compute/gpu.cpp", "catalog")}


def functions(root):
    """(lines, file, name) of every function, the shortest first."""
    files = [file for file in source_files(root) if not is_outside(file)]
    ctags = "ctags --language-force=C++ --c++-kinds=f --fields=+ne --output-format=json -f -".split()
    output = subprocess.run(ctags + files, cwd=root, check=True, capture_output=True, text=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    return sorted((tag["end"] - tag["line"] + 1, tag["path"], tag["name"]) for tag in tags)


def complaints(found):
    if not found:
        return ["there are no functions"]
    too_long = [f for f in found if f[0] > MOST_LINES and f[1:] not in TABLES]
    said = [f"{file}: {name}: {lines} lines, at most {MOST_LINES}" for lines, file, name in too_long]
    percentile = found[int(0.95 * len(found))][0]
    if percentile > LINES_OF_95_PERCENT:
        said.append(f"the 95th percentile is {percentile} lines, at most {LINES_OF_95_PERCENT}")
    return said


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = functions(os.path.abspath(sys.argv[1]))
    said = complaints(found)
    print("\n".join(said or [f"{len(found)} functions, the longest ones {[f[0] for f in found[-3:]]} lines"]))
    sys.exit(len(said) > 0)


if __name__ == "__main__":
    main()
