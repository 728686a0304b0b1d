"""Tables of scenarios/README.md and of the READMEs of folders, as rows of cells, for scenarios and clusters
defined here."""
import itertools
import json
import pathlib
import statistics
import tempfile

from program import ROOT, printed, runs_of_document

GRAPHS = ["one_peer_exponential", "exponential", "ring", "star"]
ITERATIONS_OF_MIXING = 1000
TRANSPORTS = ["ideal", "nccl_ib", "nccl_tcp", "mpi_ib", "mpi_tcp"]
QUICK_TRANSPORTS = ["nccl_ib"]
WORKERS_OF_AUTO = [8, 16, 31, 64]
LINK = {"bandwidth": "100Gbps", "latency": "1us"}
INSIDE = {"bandwidth": "300GBps", "latency": "1us"}
STAR = {"network": {"kind": "star", "link": LINK}}
NETWORKS_OF_AUTO = [
    STAR,
    STAR | {"workers_per_host": 8, "intra_host_link": INSIDE},
    {"network": {"kind": "leaf_spine", "hosts_per_leaf": 8, "spines": 2, "oversubscription": 4,
                 "link": LINK}}]
# Bus bandwidth of 32 B200 in GB/s, as nccl-tests printed it; published.md says where.
MEASURED_GBPS = {"1MiB": "12.5", "8MiB": "50.6", "64MiB": "198", "128MiB": "261", "1GiB": "366",
                 "16GiB": "377"}
B200 = {"workers": 32, "workers_per_host": 8, "transport": "nccl_ib", "goodput": 0.95,
        "network": {"kind": "star", "link": {"bandwidth": "400GBps", "latency": "0.5us"}},
        "intra_host_link": {"bandwidth": "900GBps", "latency": "0.5us"}}
SPLIT_KINDS = ["wfbp", "ddp", "dear", "bytescheduler", "horovod", "mg_wfbp"]


def mixing_scenario():
    learning = {"task": "quadratic", "gradient_noise": 1, "learning_rate": 0.1, "evaluate_every": 1}
    return {"name": "mixing", "iterations": ITERATIONS_OF_MIXING, "warmup_iterations": 0,
            "cluster": STAR | {"workers": 16, "transport": "ideal"},
            "workload": {"model": "hyperplane_mlp", "batch_size": 1,
                         "compute": {"forward": "1ms", "backward": "2ms"}},
            "learning": learning,
            "algorithms": [{"kind": "dpsgd", "label": graph, "graph": graph} for graph in GRAPHS]}


def mixing_rows(program, _):
    runs = runs_of_document(program, mixing_scenario())
    distances = {graph: statistics.mean(row[2] for row in runs[graph]["learning"]["consensus_distance"])
                 for graph in GRAPHS}
    return [[graph, f"{runs[graph]['algorithm']['spectral_gap']:.3g}", f"{distances[graph]:.3g}"]
            for graph in GRAPHS]


def allreduces(program, cluster, *options):
    """The lines of `starling collectives --json` for a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cluster.json"
        file.write_text(json.dumps({"cluster": cluster}), encoding="utf-8")
        text = printed(program, " ".join(["collectives", str(file), "--json", "--quiet", *options]))
    return [json.loads(line) for line in text.splitlines()]


def losses_of_auto(program, cluster):
    """For each size the share by which "auto" is slower than the fastest collective."""
    times_s, chosen = {}, {}
    for line in allreduces(program, cluster):
        times_s.setdefault(line["bytes"], {})[line["collective"]] = line["time_s"]
        chosen[line["bytes"]] = line["chosen_by_auto"]
    return [those[chosen[size]] / min(those.values()) - 1 for size, those in times_s.items()]


def auto_cell(program, transport, network):
    losses = [loss for workers in WORKERS_OF_AUTO
              for loss in losses_of_auto(program, network | {"workers": workers, "transport": transport})]
    return f"{100 * statistics.mean(losses):.1f} %, {100 * max(losses):.0f} %"


def auto_rows(program, is_quick):
    return [[f"`{transport}`", *(auto_cell(program, transport, network) for network in NETWORKS_OF_AUTO)]
            for transport in (QUICK_TRANSPORTS if is_quick else TRANSPORTS)]


def bus_bandwidth_rows(program, _):
    lines = allreduces(program, B200, "--collectives", "ring", "--bytes", ",".join(MEASURED_GBPS))
    predicted = [f"{line['bus_bandwidth_Bps'] / 1e9:#.3g}".rstrip(".") for line in lines]
    return [["measured", *MEASURED_GBPS.values()], ["predicted", *predicted]]


def seconds(text):
    unit = next(unit for unit in ("ns", "us", "ms", "s") if text.endswith(unit))
    return float(text.removesuffix(unit)) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]


def times_of_split(program, profile, workers, gigabits, is_split):
    """Mean iteration times of SPLIT_KINDS, by the times of a profile or by their sums alone."""
    measured = json.loads((ROOT / f"workloads/profiles/{profile}.json").read_text(encoding="utf-8"))
    sums_s = {key: sum(seconds(layer[key]) for layer in measured["layers"])
              for key in ("forward", "backward")}
    runs = runs_of_document(program, {
        "name": "split", "iterations": 4, "warmup_iterations": 2,
        "cluster": {"workers": workers, "workers_per_host": 4, "transport": "nccl_ib",
                    "network": {"kind": "star", "link": {"bandwidth": f"{gigabits}Gbps", "latency": "5us"}},
                    "intra_host_link": INSIDE},
        "workload": {"model": measured["model"], "batch_size": measured["batch_size"],
                     "gradient_dtype": "fp32", "compute": sums_s if is_split else {"profile": profile}},
        "algorithms": [{"kind": kind} for kind in SPLIT_KINDS]})
    return [runs[kind]["iteration_time_s"]["mean"] for kind in SPLIT_KINDS]


def split_differences(program, precision):
    """Differences by algorithm, over all models and clusters."""
    found = []
    for path in sorted((ROOT / "workloads/profiles").glob(f"*_{precision}.json")):
        for workers, gigabits in itertools.product((16, 64), (10, 100)):
            measured_s, split_s = (times_of_split(program, path.stem, workers, gigabits, is_split)
                                   for is_split in (False, True))
            found.append([abs(b / a - 1) for a, b in zip(measured_s, split_s)])
    return list(zip(*found))


def split_rows(program, is_quick):
    if is_quick:
        return []
    fp32, bf16 = (split_differences(program, precision) for precision in ("fp32", "bf16"))
    return [[kind, *(f"{100 * text(those):.1f} %" for those in both for text in (statistics.mean, max))]
            for kind, *both in zip(SPLIT_KINDS, fp32, bf16)]


TABLES = {"mixing": mixing_rows, "auto_collective": auto_rows, "bus_bandwidth": bus_bandwidth_rows,
          "split": split_rows}
