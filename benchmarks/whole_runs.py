"""Runs `starling run` on small scenarios as whole processes, and measures what each of them costs.

Shared by curves.py and compare.py.
"""
import dataclasses
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

# The peak memory of a process includes that from before exec. The program is therefore started from a process
# as small as possible, of about 9 MB: curves.py itself takes more memory than some runs.
LAUNCHER = """
import os, resource, sys
child = os.fork()
if child == 0:
    limit_s = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss)
"""
INPUT_IS_WRONG = 2  # the exit code of starling for scenarios that it does not understand
LONGEST_S = 10**6


@dataclasses.dataclass(frozen=True)
class Cost:
    """The cost of one process, and its own account of it: `simulation` of result.json."""

    cpu_s: float
    peak_memory_bytes: int
    messages: int
    evaluated_messages: int
    simulation: dict


class RunFailed(Exception):
    """The program ended with a code other than 0, negative if a signal ended it."""

    def __init__(self, code, said):
        super().__init__(said.strip() or f"ended with code {code}")
        self.code = code


def scenario(workers, *algorithms, engine="event", iterations=3, **top_level):
    """ResNet-50 on a star of 100 Gb/s; compute times vary by 2 %, as real workers never run in lockstep."""
    return {
        "name": "benchmark",
        "engine": engine,
        "iterations": iterations,
        "warmup_iterations": 1,
        "cluster": {
            "workers": workers,
            "network": {"kind": "star", "link": {"bandwidth": "100Gbps", "latency": "1us"}},
        },
        "workload": {
            "model": "resnet50",
            "batch_size": 64,
            "compute": {"forward": "76.5ms", "backward": "152.9ms"},
            "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.02},
        },
        "algorithms": list(algorithms),
        **top_level,
    }


def program_path(text):
    path = pathlib.Path(text).resolve()
    if not path.is_file():
        sys.exit(f"there is no program {text}")
    if not os.access(path, os.X_OK):
        sys.exit(f"{text} is no program")
    return str(path)


def launch(command, limit_s):
    """CPU seconds and peak memory of a process. @throws RunFailed unless it exits with 0."""
    launcher = [sys.executable, "-S", "-I", "-c", LAUNCHER, str(math.ceil(min(limit_s, LONGEST_S)))]
    done = subprocess.run(launcher + command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(done.returncode, done.stderr)
    code, cpu_s, peak_memory_bytes = done.stdout.split()
    if int(code) != 0:
        raise RunFailed(int(code), done.stderr)
    return float(cpu_s), int(peak_memory_bytes)


def measure(program, what, limit_s=LONGEST_S):
    """Runs a scenario, or a file of one, for at most `limit_s` CPU seconds; its cost. @throws RunFailed"""
    with tempfile.TemporaryDirectory(prefix="starling-benchmark-") as folder:
        file = pathlib.Path(folder) / "scenario.json"
        if isinstance(what, dict):
            file.write_text(json.dumps(what), encoding="utf-8")
        else:
            file = what
        command = [program, "run", str(file), "--out", folder + "/out", "--quiet"]
        cpu_s, peak_memory_bytes = launch(command, limit_s)
        result = json.loads(pathlib.Path(folder, "out", "result.json").read_text(encoding="utf-8"))
    traffic = [run["traffic"] for run in result["runs"]]
    messages = sum(one["messages"] for one in traffic)
    evaluated_messages = sum(one.get("evaluated_messages", 0) for one in traffic)  # missing in 0.1.0
    return Cost(cpu_s, peak_memory_bytes, messages, evaluated_messages, result["simulation"])
