"""Tables of shipped scenarios, as rows of cells."""
import json

from program import ROOT, SIGNS, printed, runs_of

MODELS = ["resnet50", "densenet201", "inceptionv4", "bert_base", "bert_large"]
QUICK_MODELS = ["resnet50"]
# For ddl-benchmarks' machines: the time of one GPU, the batch size, and the model's name in its entries.
ONE_GPU_MS = {"resnet50": 252.9, "bert_base": 300.8, "bert_large": 163.3}
BATCH_SIZES = {"resnet50": 64, "bert_base": 64, "bert_large": 8}


def dear_row(program, scenario):
    runs = runs_of(program, scenario)
    ms = {label: 1e3 * run["iteration_time_s"]["mean"] for label, run in runs.items()}
    gains = [f"{100 * (ms[label] / ms['dear_tuned'] - 1):+,.0f} %".translate(SIGNS)
             for label in ("ddp", "horovod", "wfbp")]
    return [scenario.split("_", 2)[2], *(f"{time:,.1f}" for time in ms.values()), *gains]


def dear_rows(network):
    def rows(program, is_quick):
        models = QUICK_MODELS if is_quick else MODELS
        return [dear_row(program, f"dear_{network}_{model}") for model in models]
    return rows


def published_s(entry):
    document = json.loads((ROOT / "scenarios/published.json").read_text(encoding="utf-8"))
    return next(one["value"] for one in document["entries"] if one["id"] == entry)


def three_digits(value_s):
    return f"{value_s:#.3g}".rstrip(".")


def of_32_gpus(program, network, kind, model):
    """The predicted and the measured iteration time in seconds."""
    third_ms = ONE_GPU_MS[model] / 3
    overrides = ["/cluster/workers=32", f"/workload/batch_size={BATCH_SIZES[model]}",
                 f"/workload/compute/forward={third_ms}ms", f"/workload/compute/backward={2 * third_ms}ms",
                 f'/algorithms=[{{"kind": "{kind}"}}]']
    options = [word for override in overrides for word in ("--set", override)]
    here_s = runs_of(program, f"dear_{network}_{model}", *options)[kind]["iteration_time_s"]["mean"]
    names = {"10gbps": "10gbe", "100gbps": "100gbib", "allreduce": "bsp"}
    measured_s = published_s(f"ddlb-{names[network]}-{model}-p32-{names.get(kind, kind)}")
    return f"{three_digits(here_s)}, {three_digits(measured_s)}"


def of_64_gpus(program, model):
    run = runs_of(program, f"dear_10gbps_{model}", "--set", '/algorithms=[{"kind": "horovod"}]')["horovod"]
    measured_s = published_s(f"lbopt-{model}-p64-horovod")
    return f"{three_digits(run['iteration_time_s']['mean'])}, {three_digits(measured_s)}"


def beside_measured_rows(program, is_quick):
    models = [*QUICK_MODELS, *(None for _ in range(2))] if is_quick else list(ONE_GPU_MS)
    rows = []
    for kind, name in (("wfbp", "wfbp (fitted)"), ("allreduce", "allreduce")):
        for network, speed in (("10gbps", "10 Gb/s"), ("100gbps", "100 Gb/s")):
            cells = [model and of_32_gpus(program, network, kind, model) for model in models]
            rows.append([f"{speed}, 32 GPUs, {name}", *cells])
    cells = [model and of_64_gpus(program, model) for model in models[:2]]
    return [*rows, ["10 Gb/s, 64 GPUs, horovod", *cells, ""]]


def learning_rows(program, is_quick):
    if is_quick:
        return []
    rows = []
    for label, run in runs_of(program, "time_to_target").items():
        learning = run["learning"]
        reached = next((iteration for _, iteration, loss in learning["loss"]
                        if loss is not None and loss <= learning["target_loss"]), None)
        distance = learning["consensus_distance"][-1][2]
        rows.append([
            label, f"{run['iteration_time_s']['mean']:.3f}", "never" if reached is None else f"{reached:,}",
            "–" if reached is None else f"{learning['time_to_target_s']:.0f}",
            f"{learning['final_loss']:.3g}", f"{distance:.2g}"])
    return rows


def difference_text(line):
    """The relative difference as text; 0 if it is only rounding."""
    difference = 100 * line["relative_difference"]
    return "0" if abs(difference) < 5e-5 else f"{difference:+.2g} %".translate(SIGNS)


def model_row(program, scenario):
    lines = [json.loads(line) for line in
             printed(program, f"model scenarios/{scenario}.json --json --quiet").splitlines()]
    cells = [scenario]
    for validity in ("exact", "estimate", "lower bound"):
        by_difference = {}
        for line in lines:
            if line["model"]["validity"] == validity:
                by_difference.setdefault(difference_text(line), []).append(line["label"])
        texts = [f"{', '.join(labels)}: {difference}" for difference, labels in by_difference.items()]
        cells.append("; ".join(texts) or "–")
    return cells


def model_rows(program, is_quick):
    scenarios = ["quickstart", "stragglers", "oversubscribed"]
    if not is_quick:
        scenarios += ["asynchronous", "time_to_target"]
        scenarios += [f"dear_{network}_{model}" for network in ("10gbps", "100gbps") for model in MODELS]
    return [model_row(program, scenario) for scenario in scenarios]


TABLES = {"model": model_rows, "dear_10gbps": dear_rows("10gbps"), "dear_100gbps": dear_rows("100gbps"),
          "dear_beside_measured": beside_measured_rows, "time_to_target": learning_rows}
