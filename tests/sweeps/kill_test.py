#!/usr/bin/env python3
"""A sweep that is killed at random moments and started again ends with the same files as an undisturbed one.

usage: kill_test.py STARLING KILLS
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

BASE = {
    "iterations": 30,
    "cluster": {"workers": 16, "transport": "ideal",
                "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"},
                 "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
    "algorithms": [{"kind": "eager_majority"}, {"kind": "ddp"}, {"kind": "dpsgd", "graph": "ring"}],
}


def command(program, folder, out):
    return [program, "sweep", str(folder / "base.json"), "--vary", "/cluster/workers=2,4,8,16",
            "--vary", "/iterations=20,40,60", "--seeds", "3", "--jobs", "2", "--quiet", "--out", str(out)]


def compare(folder, killed):
    for file in ("sweep.csv", "sweep_summary.csv", "sweep_failed.csv"):
        if (folder / "killed" / file).read_bytes() != (folder / "undisturbed" / file).read_bytes():
            sys.exit(f"{file} differs after {killed} kills")


def main():
    program = sys.argv[1]
    kills = int(sys.argv[2])
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "base.json").write_text(json.dumps(BASE))
        start = time.monotonic()
        subprocess.run(command(program, folder, folder / "undisturbed"), check=True,
                       stdout=subprocess.DEVNULL)
        whole_s = time.monotonic() - start
        killed = 0
        while killed < kills:
            process = subprocess.Popen(command(program, folder, folder / "killed"), stdout=subprocess.DEVNULL)
            try:
                if process.wait(timeout=chance.uniform(0.02, 0.4) * whole_s) != 0:
                    sys.exit(f"the sweep failed after {killed} kills")
                compare(folder, killed)
                shutil.rmtree(folder / "killed")
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        subprocess.run(command(program, folder, folder / "killed"), check=True, stdout=subprocess.DEVNULL)
        compare(folder, killed)
        rows = len((folder / "killed" / "sweep.csv").read_text().splitlines()) - 1
        if rows != 4 * 3 * 3 * 3:
            sys.exit(f"{rows} rows")
        print(f"the same files after {killed} kills")


if __name__ == "__main__":
    main()
