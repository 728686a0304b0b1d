#!/usr/bin/env python3
"""A sweep that is killed at random times and restarted writes the same files as an undisturbed one, and
leaves no process behind.

usage: kill_test.py STARLING KILLS WORKERS
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from waiting import wait_until

BASE = {
    "iterations": 30,
    "cluster": {"workers": 16, "transport": "ideal",
                "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"},
                 "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
    "algorithms": [{"kind": "eager_majority"}, {"kind": "ddp"}, {"kind": "dpsgd", "graph": "ring"}],
}


def command(program, workers, folder, out):
    return [program, "sweep", str(folder / "base.json"), "--vary", f"/cluster/workers={workers}",
            "--vary", "/iterations=20,40,60", "--seeds", "3", "--jobs", "2", "--quiet", "--out", str(out)]


def compare(folder, killed):
    """Ends the test if a table of the killed sweep differs from that of the undisturbed one."""
    for file in ("sweep.csv", "sweep_summary.csv", "sweep_failed.csv"):
        if (folder / "killed" / file).read_bytes() != (folder / "undisturbed" / file).read_bytes():
            sys.exit(f"{file} differs after {killed} kills")


def is_there(pid, words=b""):
    """Whether a process exists whose command line contains `words`; that of an ended process is empty."""
    try:
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        return command != b"" and words in command
    except (FileNotFoundError, ProcessLookupError):
        return False


def runs_of(process):
    """The pids of a sweep's child processes that have begun a run."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task")
    children = [int(pid) for task in tasks.glob("*/children") for pid in task.read_text().split()]
    return [pid for pid in children if is_there(pid, b"\0run\0")]


def check_end_of_children(program, folder):
    """Runs under simgrid are child processes, here of minutes, which must not outlive the sweep."""
    for end in ("terminate", "kill"):
        sweep = [program, "sweep", str(folder / "base.json"), "--vary", "/seed=1,2", "--jobs", "2", "--quiet",
                 "--set", "/engine=simgrid", "--set", "/iterations=10000", "--out", str(folder / end)]
        process = subprocess.Popen(sweep, stdout=subprocess.DEVNULL)
        wait_until(lambda: len(runs_of(process)) == 2, "the sweep begins no two processes")
        runs = runs_of(process)
        getattr(process, end)()
        process.wait()
        wait_until(lambda: not any(map(is_there, runs)), f"runs go on after {end}")


def main():
    program = sys.argv[1]
    kills = int(sys.argv[2])
    workers = sys.argv[3]
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "base.json").write_text(json.dumps(BASE))
        start = time.monotonic()
        subprocess.run(command(program, workers, folder, folder / "undisturbed"), check=True,
                       stdout=subprocess.DEVNULL)
        whole_s = time.monotonic() - start
        killed = 0
        while killed < kills:
            process = subprocess.Popen(command(program, workers, folder, folder / "killed"),
                                       stdout=subprocess.DEVNULL)
            try:
                if process.wait(timeout=chance.uniform(0.02, 0.4) * whole_s) != 0:
                    sys.exit(f"the sweep failed after {killed} kills")
                compare(folder, killed)
                shutil.rmtree(folder / "killed")
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        subprocess.run(command(program, workers, folder, folder / "killed"), check=True,
                       stdout=subprocess.DEVNULL)
        compare(folder, killed)
        rows = len((folder / "killed" / "sweep.csv").read_text().splitlines()) - 1
        if rows != len(workers.split(",")) * 3 * 3 * 3:
            sys.exit(f"{rows} rows")
        check_end_of_children(program, folder)
        print(f"the same files after {killed} kills")


if __name__ == "__main__":
    main()
