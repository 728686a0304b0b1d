#!/usr/bin/env python3
"""Usage: compare.py OLD_PROGRAM NEW_PROGRAM [SECONDS] [--only SCENARIO ...]

Runs short scenarios with both programs in turn, as whole processes, for about SECONDS (default 60) of CPU
time altogether, but at least eight pairs of each. Tells for each scenario the CPU seconds of both and their
ratio, the median of all pairs, with the interval that holds it with 95 % (bootstrap of the pairs). What else
the machine does meets both programs alike.

Exits with 1 if a ratio's interval lies above 1.10, and does so again in as many pairs more, or if NEW_PROGRAM
takes more than 1.10 times the memory. Scenarios that OLD_PROGRAM does not understand are named and left out.
compare.sh also takes a commit as OLD_PROGRAM.
"""
import argparse
import dataclasses
import math
import pathlib
import random
import statistics
import sys

from whole_runs import INPUT_IS_WRONG, RunFailed, measure, program_path, scenario

QUICKSTART = pathlib.Path(__file__).resolve().parents[1] / "scenarios" / "quickstart.json"
SLOWER = 1.10
LEAST_PAIRS = 8
MOST_PAIRS = 100
RESAMPLES = 2000


def scenarios():
    """The scenarios: one for each path through the program, of some tenths of a second each."""
    messages = {"collectives": "messages"}
    ring, halving_doubling = {"kind": "allreduce"}, {"kind": "allreduce", "collective": "halving_doubling"}
    ten_regular = {"kind": "dpsgd", "graph": {"kind": "random_regular", "degree": 10}}
    return {
        "small, whole process": scenario(4, ring),
        "quickstart": QUICKSTART,
        "ring, evaluated": scenario(1024, {"kind": "ddp"}, engine="fair", iterations=10),
        "ring, messages": scenario(256, ring, iterations=20, **messages),
        "ring, messages, fair": scenario(256, ring, engine="fair", iterations=20, **messages),
        "ring, messages, tcp": scenario(16, ring, engine="tcp", iterations=20, **messages),
        "halving-doubling, messages": scenario(4096, halving_doubling, **messages),
        "D-PSGD, 10-regular, fair": scenario(1024, ten_regular, engine="fair", iterations=10),
        "D-PSGD, one-peer exponential": scenario(8192, {"kind": "dpsgd", "graph": "one_peer_exponential"}),
        "eager-SGD": scenario(1024, {"kind": "eager_solo", "bucket_bytes": "25MiB"}),
        "WAGMA-SGD": scenario(1024, {"kind": "wagma"}),
    }


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Pairs of the costs of the old and the new program."""

    pairs: list

    def ratios(self):
        return [new.cpu_s / old.cpu_s for old, new in self.pairs]

    def memory_ratio(self):
        return statistics.median(new.peak_memory_bytes / old.peak_memory_bytes for old, new in self.pairs)

    def is_slower(self):
        return interval(self.ratios())[0] > SLOWER

    def has_other_work(self):
        old, new = self.pairs[0]
        return old.messages != new.messages


def interval(ratios):
    """The 95 % confidence interval of their median, by bootstrap; the same for the same ratios."""
    generator = random.Random(1)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return medians[round(0.025 * RESAMPLES)], medians[round(0.975 * RESAMPLES) - 1]


def compare(run_old, run_new, share_s):
    """As many pairs as take `share_s` CPU seconds, but at least LEAST_PAIRS, in alternating order."""
    pairs, spent_s = [], 0
    while len(pairs) < LEAST_PAIRS or (spent_s < share_s and len(pairs) < MOST_PAIRS):
        if len(pairs) % 2 == 0:
            old = run_old()
            new = run_new()
        else:
            new = run_new()
            old = run_old()
        pairs.append((old, new))
        spent_s += old.cpu_s + new.cpu_s
    return Comparison(pairs)


def compare_twice_if_slower(run_old, run_new, share_s):
    """The comparison, and whether the new program is slower, in two comparisons in succession."""
    first = compare(run_old, run_new, share_s)
    if not first.is_slower():
        return first, False
    second = compare(run_old, run_new, share_s)
    return Comparison(first.pairs + second.pairs), second.is_slower()


def row(name, comparison, verdict):
    old, new = ([cost.cpu_s for cost in costs] for costs in zip(*comparison.pairs))
    ratios = comparison.ratios()
    low, high = interval(ratios)
    notes = verdict + ["other messages"] * comparison.has_other_work()
    times = "   ".join(f"{min(costs):7.3f} {statistics.median(costs):7.3f}" for costs in (old, new))
    return (f"{name:30} {times}   {statistics.median(ratios):5.2f}  {low:5.2f} – {high:5.2f}"
            f"  {comparison.memory_ratio():6.2f}  {len(ratios):5}  {', '.join(notes)}").rstrip()


def is_understood(program, what):
    """None, or the program's complaint about a scenario that it does not understand."""
    try:
        measure(program, what)
        return None
    except RunFailed as failure:
        if failure.code != INPUT_IS_WRONG:
            raise
        return str(failure).splitlines()[0]


def compare_all(old, new, chosen, seconds):
    """Prints each row as soon as it is known. Returns the names of scenarios that have become worse."""
    columns = f"{'least':>7} {'median':>7}"
    print(f"{'':30} {'old, CPU s':>15}   {'new, CPU s':>15}   {'ratio':>5}  {'95 %':^13}  {'memory':>6}")
    print(f"{'':30} {columns}   {columns}   {'':5}  {'':13}  {'ratio':>6}  pairs")
    worse = []
    for name, what in chosen.items():
        missing = is_understood(old, what)
        if missing is not None:
            print(f"{name:30} left out, as the old program does not understand it: {missing}", flush=True)
            continue
        comparison, is_slower = compare_twice_if_slower(
            lambda: measure(old, what), lambda: measure(new, what), seconds / len(chosen))
        verdict = ["SLOWER"] * is_slower + ["MORE MEMORY"] * (comparison.memory_ratio() > SLOWER)
        print(row(name, comparison, verdict), flush=True)
        worse += [name] * bool(verdict)
    return worse


def main():
    everything = scenarios()
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("old", metavar="OLD_PROGRAM")
    parser.add_argument("new", metavar="NEW_PROGRAM")
    parser.add_argument("seconds", metavar="SECONDS", type=float, nargs="?", default=60)
    parser.add_argument("--only", metavar="SCENARIO", nargs="+", choices=everything, default=list(everything))
    arguments = parser.parse_args()
    if not (math.isfinite(arguments.seconds) and arguments.seconds >= 0):
        parser.error("SECONDS is a number of at least 0")
    chosen = {name: everything[name] for name in arguments.only}
    old, new = program_path(arguments.old), program_path(arguments.new)
    try:
        worse = compare_all(old, new, chosen, arguments.seconds)
    except RunFailed as failure:
        sys.exit(f"a run failed: {failure}")
    if worse:
        sys.exit(f"worse by more than {100 * (SLOWER - 1):.0f} %: {', '.join(worse)}")


if __name__ == "__main__":
    main()
