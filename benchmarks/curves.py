#!/usr/bin/env python3
"""Usage: curves.py PROGRAM --out DIR [--most-workers N] [--budget SECONDS] [--jobs N] [--engines NAME ...]
          [--algorithms KIND ...]

How CPU time and memory of whole `starling run` processes grow with the number of workers, P = 64, 256, 1,024
… 65,536, for every algorithm of `starling list algorithms` and every engine: ResNet-50 on a star of 100 Gb/s,
three iterations, workers that differ by 2 %. What may be evaluated runs message by message, too.

A curve ends where the next run is expected to take more than the budget of CPU seconds (default 10), or more
than half of the free memory; a run that takes three times the budget all the same, and 10 s, is ended.

Every run is in DIR/curves.json as soon as it is over, and is not run again: what was interrupted goes on,
also with a greater budget. Then come DIR/curves.csv, curves.svg (by gnuplot) and curves.md, and what ended
curves is printed. Exits with 1 if a run failed.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import curves_page
from whole_runs import RunFailed, measure, program_path, scenario

ENGINES = ["event", "fair", "tcp", "simgrid"]
SIZES = [64, 256, 1024, 4096, 16384, 65536]
START_UP_WORKERS = 2
START_UP_RUNS = 5
LEAST_REPEATED_S = 0.3  # shorter runs are made three times, of which the least CPU time counts
OVER_BUDGET, LEAST_LIMIT_S = 3, 10  # a run is killed after so many budgets, but not before so many seconds
LEAST_GROWTH, MOST_GROWTH = 1.0, 3.0  # bounds of the exponent by which the next run is extrapolated
LEAST_WORK_S = 1e-3
LEAST_WORK_BYTES = 1e6

# The curves of a kind, as options by label; other kinds have one curve, with their defaults.
VARIANTS = {
    "allreduce": {"allreduce, ring": {},
                  "allreduce, recursive doubling": {"collective": "recursive_doubling"},
                  "allreduce, halving-doubling": {"collective": "halving_doubling"},
                  "allreduce, double tree": {"collective": "double_tree"}},
    "eager_solo": {"eager_solo": {"bucket_bytes": "25MiB"}},
    "eager_majority": {"eager_majority": {"bucket_bytes": "25MiB"}},
    "local_sgd": {"local_sgd": {"period": 2}},
    "slowmo": {"slowmo": {"period": 2}},
    "dpsgd": {"dpsgd, ring": {}, "dpsgd, 10-regular": {"graph": {"kind": "random_regular", "degree": 10}},
              "dpsgd, one-peer exponential": {"graph": "one_peer_exponential"}},
}
NEVER_EVALUATED = {"dpsgd, ring", "dpsgd, 10-regular", "adpsgd"}  # labels whose messages meet


def said(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def listed_kinds(program):
    return [line.split()[0] for line in said(program, "list", "algorithms").splitlines() if line.strip()]


def all_series(kinds, engines):
    """All curves, each with engine, label, algorithm and how collectives run."""
    series = []
    for engine in engines:
        for kind in kinds:
            for label, options in VARIANTS.get(kind, {kind: {}}).items():
                for collectives in ["auto"] + ["messages"] * (label not in NEVER_EVALUATED):
                    series.append({"engine": engine, "label": label, "collectives": collectives,
                                   "algorithm": {"kind": kind, **options}})
    return series


def key_of(entry):
    return entry["engine"], entry["label"], entry["collectives"], entry.get("workers")


def free_memory_bytes():
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return math.inf


def machine():
    """The kind of this machine, without identifying it."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {"processor": models[0] if models else "unknown", "cores": os.cpu_count()}


class Store:
    """DIR/curves.json: program, machine, costs of an empty run, runs, ends of curves. Thread-safe."""

    def __init__(self, folder, program):
        self.path = folder / "curves.json"
        self.lock = threading.Lock()
        self.folder_lock = os.open(folder, os.O_RDONLY)  # until this process ends
        try:
            fcntl.flock(self.folder_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another curves.py writes to {folder}")
        digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
        version = said(program, "--version").strip()
        self.document = {"program": {"version": version, "sha256": digest}, "machine": machine(),
                         "start_up": {}, "runs": [], "ends": []}
        if self.path.exists():
            self.document = self.read()
            if self.document["program"]["sha256"] != digest:
                sys.exit(f"{self.path} is of another program; give another folder with --out")
            if self.document["machine"] != machine():
                sys.exit(f"{self.path} is of another machine; give another folder with --out")
        self.write()

    def read(self):
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            if document.keys() >= self.document.keys():
                return document
        except (ValueError, AttributeError):
            pass
        sys.exit(f"{self.path} was not written by curves.py; give another folder with --out")

    def write(self):
        """Replaces the file atomically, so that an interruption cannot leave half of it."""
        fresh = self.path.with_suffix(".json.new")
        fresh.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")
        fresh.replace(self.path)

    def add_run(self, run):
        with self.lock:
            self.document["runs"].append(run)
            self.write()

    def add_start_up(self, engine, costs):
        with self.lock:
            self.document["start_up"][engine] = costs
            self.write()

    def end(self, series, workers, reason, tried_s=0):
        """Records why a curve ends before `workers`, and the CPU time tried; None removes the record."""
        with self.lock:
            ends = self.document["ends"]
            ends[:] = [end for end in ends if key_of(end)[:3] != key_of(series)[:3]]
            if reason is not None:
                names = {name: series[name] for name in ("engine", "label", "collectives")}
                ends.append({**names, "workers": workers, "reason": reason, "tried_s": tried_s})
            self.write()

    def tried_s(self, series, workers):
        """The CPU time in which a run did not finish earlier; 0 if it was not tried."""
        with self.lock:
            key = key_of({**series, "workers": workers})
            ends = [end for end in self.document["ends"] if key_of(end) == key]
            return ends[0]["tried_s"] if ends else 0

    def runs_of(self, series):
        with self.lock:
            return [run for run in self.document["runs"] if key_of(run)[:3] == key_of(series)[:3]]


def expected(points, workers, least):
    """Extrapolates [(workers, value)], ascending, to `workers` by the growth between the last two points."""
    last_workers, last = points[-1][0], max(points[-1][1], least)
    growth = LEAST_GROWTH
    if len(points) > 1:
        before_workers, before = points[-2][0], max(points[-2][1], least)
        growth = math.log(last / before) / math.log(last_workers / before_workers)
    return last * (workers / last_workers) ** min(max(growth, LEAST_GROWTH), MOST_GROWTH)


def why_not(runs, workers, start_up, budget_s, free_bytes):
    """Why a run of so many workers is not tried after the smaller `runs`; None if it is to be tried."""
    if not runs:
        return None
    times = [(run["workers"], run["cpu_s"] - start_up["cpu_s"]) for run in runs]
    sizes = [(run["workers"], run["peak_memory_bytes"] - start_up["peak_memory_bytes"]) for run in runs]
    time_s = start_up["cpu_s"] + expected(times, workers, LEAST_WORK_S)
    memory_bytes = start_up["peak_memory_bytes"] + expected(sizes, workers, LEAST_WORK_BYTES)
    if time_s > budget_s:
        return f"expected to take {curves_page.short(time_s, 2)} s"
    if memory_bytes > free_bytes / 2:
        return f"expected to take {curves_page.short(memory_bytes / 1e9, 2)} GB"
    return None


def least_of(program, what, runs, limit_s):
    """The cost with the least CPU time of `runs` runs; of a single run if that takes long."""
    costs = [measure(program, what, limit_s)]
    while len(costs) < runs and costs[0].cpu_s < LEAST_REPEATED_S:
        costs.append(measure(program, what, limit_s))
    return min(costs, key=lambda cost: cost.cpu_s)


def run_once(program, series, workers, limit_s):
    """Makes a run; returns its entry of `runs`. @throws RunFailed"""
    what = scenario(workers, series["algorithm"], engine=series["engine"], collectives=series["collectives"])
    cost = least_of(program, what, 3, limit_s)
    return {**series, "workers": workers, "cpu_s": round(cost.cpu_s, 4), "messages": cost.messages,
            "evaluated_messages": cost.evaluated_messages, "peak_memory_bytes": cost.peak_memory_bytes,
            "simulation": cost.simulation}


def measure_start_up(program, store, engines):
    """Measures the costs of an empty run, which simulates next to nothing."""
    for engine in engines:
        if engine not in store.document["start_up"]:
            what = scenario(START_UP_WORKERS, {"kind": "allreduce"}, engine=engine)
            cost = least_of(program, what, START_UP_RUNS, LEAST_LIMIT_S)
            store.add_start_up(engine, {"cpu_s": round(cost.cpu_s, 4),
                                        "peak_memory_bytes": cost.peak_memory_bytes})


def run_or_reason(program, store, series, workers, options):
    """Makes a run. Returns (None, 0), or why there is no run and the CPU time after which it was killed."""
    runs = sorted(store.runs_of(series), key=lambda run: run["workers"])
    smaller = [run for run in runs if run["workers"] < workers]
    start_up = store.document["start_up"][series["engine"]]
    reason = why_not(smaller, workers, start_up, options.budget, free_memory_bytes() / options.jobs)
    if reason is not None:
        return reason, 0
    limit_s = max(OVER_BUDGET * options.budget, LEAST_LIMIT_S)
    try:
        if store.tried_s(series, workers) < limit_s:
            store.add_run(run_once(program, series, workers, limit_s))
            return None, 0
    except RunFailed as failure:
        if failure.code == -signal.SIGINT:  # the terminal interrupts this program and its children
            raise KeyboardInterrupt from failure
        if failure.code != -signal.SIGXCPU:
            return f"failed: {str(failure).splitlines()[-1]}", 0
    return f"took more than {limit_s:g} s", limit_s


def run_series(program, store, series, options):
    """Makes the missing runs of a curve, as far as the budget allows. Returns whether none failed."""
    there = {run["workers"] for run in store.runs_of(series)}
    for workers in options.sizes:
        if workers in there:
            continue
        reason, tried_s = run_or_reason(program, store, series, workers, options)
        store.end(series, workers, reason, tried_s)
        if reason is not None:
            return not reason.startswith("failed")
    return True


class Progress:
    """A line of progress that is overwritten in place; shown on a terminal only."""

    def __init__(self, total):
        self.total, self.done, self.begin_s = total, 0, time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def show(self, text=""):
        if not self.is_terminal:
            return
        line = f"{self.done} of {self.total} curves"
        if self.done:
            left_s = (time.monotonic() - self.begin_s) / self.done * (self.total - self.done)
            line += f", about {left_s / 60:.0f} min left  {text}"
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    def count(self, series):
        self.done += 1
        self.show(f"{series['engine']}: {series['label']}")

    def end(self):
        if self.is_terminal:
            print(file=sys.stderr)


def run_all(program, store, options):
    series = all_series(options.algorithms, options.engines)
    progress = Progress(len(series))
    progress.show()
    are_good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run_series, program, store, one, options): one for one in series}
        try:
            for future in concurrent.futures.as_completed(futures):
                are_good = future.result() and are_good
                progress.count(futures[future])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    progress.end()
    return are_good


def parsed_options():
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("program", metavar="PROGRAM", type=program_path)
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, required=True)
    parser.add_argument("--most-workers", metavar="N", type=int, default=SIZES[-1])
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=10)
    parser.add_argument("--jobs", metavar="N", type=int, default=1)
    parser.add_argument("--engines", metavar="NAME", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--algorithms", metavar="KIND", nargs="+", help="default: all")
    options = parser.parse_args()
    options.sizes = [size for size in SIZES if size <= options.most_workers]
    kinds = listed_kinds(options.program)
    options.algorithms = list(dict.fromkeys(options.algorithms or kinds))
    options.engines = list(dict.fromkeys(options.engines))
    unknown = [kind for kind in options.algorithms if kind not in kinds]
    if unknown:
        parser.error(f"no such algorithm: {', '.join(unknown)}")
    if not options.sizes or not options.budget > 0 or options.jobs < 1:
        parser.error("--most-workers is at least 64, --budget more than 0, --jobs at least 1")
    return options


def main():
    options = parsed_options()
    if shutil.which("gnuplot") is None:
        sys.exit(curves_page.NO_GNUPLOT)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        store = Store(options.out, options.program)
    except OSError as error:
        sys.exit(f"cannot write to {options.out}: {error.strerror}")
    measure_start_up(options.program, store, options.engines)
    are_good = run_all(options.program, store, options)
    for end in store.document["ends"]:
        curve = f"{end['engine']}: {end['label']}, {end['collectives']}"
        print(f"{curve}: not P = {end['workers']:,}: {end['reason']}")
    curves_page.write(store.document, options.out)
    sys.exit(0 if are_good else 1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted; the same command goes on")
    except RunFailed as failure:
        sys.exit(f"a run of {START_UP_WORKERS} workers failed: {failure}")
