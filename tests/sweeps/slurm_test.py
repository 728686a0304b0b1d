#!/usr/bin/env python3
"""The shipped sbatch script runs a sweep as an array of jobs under a real Slurm of one node.

Starts munge and Slurm in a folder of its own, with ports of its own, and stops them. Where they are not
installed or cannot start, it says so and exits 77, which ctest counts as skipped.

usage: slurm_test.py STARLING SBATCH_SCRIPT
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from waiting import wait_until

SKIPPED = 77
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")

STUDY = {
    "base": {
        "iterations": 10,
        "cluster": {"workers": 8, "transport": "ideal",
                    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
        "workload": {"model": "resnet50", "batch_size": 32,
                     "compute": {"forward": "30ms", "backward": "60ms"},
                     "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
        "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}],
    },
    "vary": [{"/cluster/workers": [4, 6, 8, 10, 12]}],
    "seeds": 2,
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def slurm_conf(folder, host):
    return f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=30
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES State=UP
"""


class Slurm:
    """Runs munge, a Slurm controller and a node while it is open."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self, *words):
        log = open(self.folder / f"{pathlib.Path(words[0]).name}.out", "w")
        self.processes.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))

    def __enter__(self):
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(slurm_conf(self.folder, host))
        try:
            self.start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                       f"--key-file={key}", f"--pid-file={self.folder}/munged.pid",
                       f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
            wait_until((self.folder / "munge.socket").exists, "munged does not start", 60)
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D", "-N", host)
            wait_until(self.is_up, "the node does not come up", 120)
        except (OSError, TimeoutError) as error:
            self.__exit__(None, None, None)
            skip(f"Slurm cannot be started here ({error})")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=600)

    def is_up(self):
        return "idle" in self.run("sinfo", "-h", "-o", "%T").stdout


def run_tasks(slurm, folder, script, tasks, *arguments):
    sent = slurm.run("sbatch", "--wait", f"--array={tasks}", "--cpus-per-task=1",
                     f"--output={folder}/job-%a.log", str(script), str(folder / "study.json"),
                     str(folder / "parts"), *arguments)
    if sent.returncode != 0:
        logs = "".join(log.read_text() for log in folder.glob("job-*.log"))
        sys.exit(f"sbatch: {sent.stdout}{sent.stderr}{logs}")


def main():
    program, script = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    os.environ["PATH"] += ":/usr/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        skip(f"{', '.join(missing)} not found (Debian packages slurm-wlm and munge)")
    if os.geteuid() != 0:
        skip("only root can run munge and Slurm for a test")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # munge requires that all users can enter the folder
        study = folder / "study.json"
        study.write_text(json.dumps(STUDY))
        os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        with Slurm(folder) as slurm:
            run_tasks(slurm, folder, script, "1-3")
            shutil.rmtree(folder / "parts" / "2")
            run_tasks(slurm, folder, script, "2", "3")
        parts = sorted((folder / "parts").iterdir())
        subprocess.run([program, "merge", *parts, "--out", folder / "all", "--quiet"], check=True)
        subprocess.run([program, "sweep", study, "--out", folder / "alone", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        for file in ("sweep.csv", "sweep_summary.csv"):
            if (folder / "all" / file).read_bytes() != (folder / "alone" / file).read_bytes():
                sys.exit(f"{file} of three jobs differs from that of one")
        rows = len((folder / "all" / "sweep.csv").read_text().splitlines()) - 1
        if rows != 5 * 2 * 2:
            sys.exit(f"{rows} rows")
        print("an array of three jobs gave what one sweep gives")


if __name__ == "__main__":
    main()
