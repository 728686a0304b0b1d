"""Timelines of the program are what Chrome's trace event format says, and Perfetto reads all of them.

Usage: timeline_test.py STARLING

Perfetto's trace processor is asked where STARLING_TRACE_PROCESSOR names a folder with it (trace_processor.mjs
tells what that holds) and node is installed.
"""
import collections
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import trace_format

base = {
    "seed": 1, "iterations": 4, "warmup_iterations": 1,
    "cluster": {"workers": 8, "transport": "nccl_tcp",
                "network": {"kind": "leaf_spine", "hosts_per_leaf": 4, "spines": 2,
                            "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"},
                 "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.2}},
}
algorithms = ["allreduce", "ddp", "horovod", "bytescheduler", "dear", "eager_solo", "wagma", "local_sgd",
              "dpsgd", "adpsgd", "decentralized_adam", "sgp"]
graph = {"decentralized_adam": {"graph": "one_peer_ring"}}
runs = {**base, "algorithms": [{"kind": kind, **graph.get(kind, {})} for kind in algorithms[:-1]] +
        [{"kind": algorithms[-1], "label": "\"sgp\" \\ \u00e9 \u2028 </script>"}]}
jobs = {**{key: value for key, value in base.items() if key != "workload"}, "jobs": [
    {"name": "one", "workers": 4, "workload": base["workload"], "algorithm": {"kind": "ddp"}},
    {"name": "two", "workers": 4, "workload": base["workload"], "algorithm": {"kind": "dpsgd"},
     "repeat": True}]}


def timeline_of(program, folder, scenario, *arguments):
    with open(os.path.join(folder, "scenario.json"), "w") as file:
        json.dump(scenario, file)
    out = tempfile.mkdtemp(dir=folder)
    run = subprocess.run([program, "run", "scenario.json", "--out", out, "--trace", "--links", "--quiet",
                          *arguments], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return os.path.join(out, "trace.json")


def read(file):
    with open(file, encoding="utf-8") as text:
        return json.load(text)


def first(document, wanted):
    return next(event for event in document["traceEvents"]
                if all(event.get(key) == value for key, value in wanted.items()))


def planted(good):
    """Copies of a timeline with one mistake each, and what a complaint of it says."""
    def with_mistake(make):
        document = copy.deepcopy(good)
        make(document)
        return document

    def change(wanted, **values):
        return with_mistake(lambda document: first(document, wanted).update(values))

    def remove(wanted):
        return with_mistake(lambda document: document["traceEvents"].remove(first(document, wanted)))

    def add(**event):
        return with_mistake(lambda document: document["traceEvents"].append(event))

    message = first(good, {"ph": "X", "cat": "message"})
    yield with_mistake(lambda document: document.pop("displayTimeUnit")), "displayTimeUnit"
    yield change({"ph": "X"}, ph="Q"), "unknown phase"
    yield change({"ph": "X"}, pid="1"), "must be integers"
    yield change({"ph": "X"}, ts=-1.0), "has no time"
    yield change({"ph": "X"}, dur=-1.0), "without duration"
    yield change({"ph": "X"}, dur=first(good, {"ph": "X"})["dur"] + 0.5), "overlaps"
    yield change({"ph": "X"}, args=[]), "must be an object"
    yield change({"ph": "X", "cat": "kernel"}, cat="cpu"), "no known category"
    yield change({"ph": "X", "cat": "kernel"}, args={"iteration": 0, "stream": 77}), "another stream"
    yield change({"ph": "X"}, args={"iteration": "3"}), "iteration must be"
    yield change({"ph": "X"}, args={"iteration": 0, "waits_for": "2"}), "waits_for must be"
    yield change({"ph": "X", "cat": "message"}, args={**message["args"], "bytes": 0}), "without bytes"
    yield change({"ph": "X", "cat": "message"}, args={"bytes": 1}), "not between the workers"
    yield change({"ph": "X", "name": "average with neighbors"}, args={"peers": ["1"]}), "must be ranks"
    yield change({"ph": "X", "cat": "message"}, args={**message["args"], "bytes": 1}), "not what is received"
    yield change({"ph": "X", "cat": "message"}, name="to 77"), "not that worker"
    yield change({"ph": "X", "name": "nccl:all_reduce"}, args={}), "has no Collective name"
    yield change({"ph": "s"}, ts=0.0), "outside all spans"
    yield change({"ph": "s"}, id=10**9), "has one end only"
    yield change({"ph": "f"}, bp="s"), "ends at the next span"
    yield change({"ph": "f"}, name="other"), "do not belong together"
    yield change({"ph": "C"}, args={"busy %": "much"}), "without numbers"
    yield change({"ph": "C"}, ts=1e12), "before its last"
    yield remove({"ph": "f"}), "has one end only"
    yield remove({"ph": "M", "name": "process_name"}), "has no name before"
    yield remove({"ph": "M", "name": "thread_name"}), "has no name before"
    yield add(**first(good, {"ph": "M", "name": "process_name"})), "is named twice"
    yield add(ph="M", pid=1, tid=0, name="process_labels", args={"labels": 3}), "says nothing"
    yield add(**first(good, {"ph": "s"})), "two ends of the same kind"
    yield add(ph="B", pid=1, tid=1, ts=1.0, name="forward"), "does not end"
    yield add(ph="E", pid=1, tid=1, ts=1.0, name="forward"), "does not begin"
    yield add(ph="X", pid=1, tid=1, ts=0.0, dur=0.0, name="late"), "begins before the span"


def check_arguments(document):
    """Spans say what they are about, and with whom."""
    about = collections.defaultdict(set)
    for event in document["traceEvents"]:
        if event["ph"] == "X" and "layers" in event["args"]:
            about[event["name"]].add(event["args"]["layers"])
    assert about["forward"] == {"conv1 to fc"} or "conv1" in str(about["forward"]), about["forward"]
    assert {"fc", "conv1"} & {layers.split()[0] for layers in about["backward"]}, about["backward"]
    assert any(layers.endswith("fc") for layers in about["nccl:all_reduce"]), about["nccl:all_reduce"]

    def arguments(process, name):
        processes = {event["pid"] for event in document["traceEvents"]
                     if event["name"] == "process_name" and process in event["args"]["name"]}
        return [event["args"] for event in document["traceEvents"]
                if event["ph"] == "X" and event["pid"] in processes and event["name"] == name]

    awaited = [each.get("waits_for") for each in arguments("allreduce \u00b7 worker 1 ", "wait")]
    assert set(awaited) - {None} and 1 not in awaited, awaited
    groups = arguments("decentralized_adam · worker 1 ", "nccl:all_reduce")
    assert groups and all(each["Group size"] == 2 for each in groups), groups[:3]
    assert {each["Process Group Ranks"] for each in groups} == {"[0, 1]", "[1, 2]"}, groups[:3]
    neighbors = arguments("dpsgd · worker 1 ", "average with neighbors")
    assert neighbors and all(sorted(each["peers"]) == [0, 2] for each in neighbors), neighbors[:3]
    partners = arguments("adpsgd · worker 1 ", "average with partner")
    assert partners and all(len(each["peers"]) == 1 and each["bytes"] > 1e8 for each in partners)


def check_paths(document):
    """Critical paths fill the spans of their iterations."""
    processes = {event["pid"] for event in document["traceEvents"]
                 if event["name"] == "process_name" and event["args"]["name"].endswith("critical path")}
    spans = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] in processes]
    ns = collections.Counter()
    for span in spans:
        ns[span["name"].startswith("iteration ")] += trace_format.nanoseconds(span["dur"])
    assert ns[True] == ns[False] > 0, ns
    return len(processes), {span["args"]["iteration"] for span in spans}


def check_checker(good):
    count = 0
    for document, wanted in planted(good):
        found = trace_format.complaints(document)
        assert any(wanted in complaint for complaint in found), (wanted, found[:3])
        count += 1
    return count


def counted(document):
    """What Perfetto must find in it."""
    phases = collections.Counter(event["ph"] for event in document["traceEvents"])
    names = collections.Counter(event["name"] for event in document["traceEvents"] if event["ph"] == "M")
    spans = [event for event in document["traceEvents"] if event["ph"] == "X"]
    return {"errors": [], "spans": phases["X"],
            "span_ns": sum(trace_format.nanoseconds(event["dur"]) for event in spans),
            "arrows": phases["s"], "arrows_from_message_to_message": phases["s"], "counts": phases["C"],
            "processes": names["process_name"], "threads": names["thread_name"]}


def seen_by_perfetto(file):
    processor = os.environ.get("STARLING_TRACE_PROCESSOR")
    if not processor or not shutil.which("node"):
        return None
    script = os.path.join(here, "trace_processor.mjs")
    run = subprocess.run(["node", script, processor, file], check=True, capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        files = [timeline_of(program, folder, runs), timeline_of(program, folder, jobs),
                 timeline_of(program, folder, runs, "--trace-iterations", "2-3", "--trace-workers", "2-5",
                             "--critical-path"),
                 timeline_of(program, folder, runs, "--engine", "event")]
        for file in files:
            document = read(file)
            found = trace_format.complaints(document)
            assert not found, found[:5]
            result = read(os.path.join(os.path.dirname(file), "result.json"))
            chosen = {"iterations": "2-3", "workers": "2-5"} if file == files[2] else {}
            told = {"scenario_hash": result["scenario_hash"], **chosen}
            assert document["otherData"] == told, document["otherData"]
            wanted = counted(document)
            assert wanted["spans"] > 100 and wanted["arrows"] > 100 and wanted["counts"] > 0, wanted
            seen = seen_by_perfetto(file)
            assert seen in (None, wanted), (seen, wanted)
            if file is files[0]:
                check_arguments(document)
            if file is files[2]:
                assert check_paths(document) == (len(algorithms), {2, 3})
            print(wanted, "and Perfetto sees the same" if seen else "")
        print(check_checker(read(files[1])), "planted mistakes are found")
    if not os.environ.get("STARLING_TRACE_PROCESSOR"):
        print("without Perfetto's trace processor: STARLING_TRACE_PROCESSOR names no folder with it")


main()
