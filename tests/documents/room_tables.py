"""Tables of scenarios/README.md and of the READMEs of rooms, as rows of cells, of scenarios and clusters that
stand here."""
import json
import pathlib
import statistics
import tempfile

from program import printed, runs_of_document

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
    """What starling collectives prints of a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cluster.json"
        file.write_text(json.dumps({"cluster": cluster}), encoding="utf-8")
        text = printed(program, " ".join(["collectives", str(file), "--json", "--quiet", *options]))
    return [json.loads(line) for line in text.splitlines()]


def losses_of_auto(program, cluster):
    """Of each size: by what share "auto" is slower than the fastest."""
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


TABLES = {"mixing": mixing_rows, "auto_collective": auto_rows, "bus_bandwidth": bus_bandwidth_rows}
