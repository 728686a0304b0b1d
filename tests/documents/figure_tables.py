"""Tables of scenarios/figures/README.md, as rows of cells: published values beside predicted ones, each by
the id of its entry in scenarios/published.json."""
import itertools

from program import SIGNS, reproduced

# What quick checks: a filter of reproduce, and the table that needs only its entries.
QUICK_FILTER = "eager-fig10"
QUICK_TABLE = "eager_fig10"
WAGMA = {"local SGD": "local-sgd", "all-reduce (Deep500)": "allreduce", "D-PSGD": "dpsgd",
         "AD-PSGD": "adpsgd", "SGP, 2 neighbors": "sgp", "eager-SGD": "eager", "WAGMA-SGD": "wagma"}


def rows_of(pattern, names):
    return {row: pattern.replace("NAME", name) for row, name in names.items()}


# Tables with two columns, published and predicted, for each element of a list, which replaces * in the ids of
# a row's entries. A row may lack entries for some elements.
COLUMNS = {
    "wagma_fig4": (["p4", "p64"], rows_of("wagma-fig4-*-NAME", WAGMA) |
                   {"WAGMA faster than with S = 64": "wagma-ablation-*-S64-slowdown"}),
    "wagma_fig5": (["p64"], rows_of("wagma-fig5-*-NAME", WAGMA)),
    "wagma_balanced": (["p64"], rows_of("wagma-balanced-*-NAME", {
        name: WAGMA[name] for name in ("local SGD", "AD-PSGD", "SGP, 2 neighbors")})),
    "wagma_fig7": (["p4", "p16"], rows_of("wagma-fig7-*-speedup-over-NAME", {
        "local SGD": "local-sgd", "D-PSGD": "dpsgd", "AD-PSGD": "adpsgd", "SGP, 1 neighbor": "sgp",
        "Horovod": "allreduce"}) | {"WAGMA with S = 16": "wagma-ablation-*-S16-slowdown"}),
    "wagma_fig10": (["p16", "p1024"], rows_of("wagma-fig10-*-NAME", {
        "local SGD": "local-sgd", "D-PSGD": "dpsgd", "AD-PSGD": "adpsgd", "SGP, 4 neighbors": "sgp",
        "WAGMA-SGD": "wagma"})),
    "eager_fig9": (["64b", "4kb", "4mb"], rows_of("eager-fig9-*-NAME", {
        "Cray MPICH": "mpi-latency", "majority": "majority-latency", "solo": "solo-latency",
        "active ranks, majority": "majority-active", "active ranks, solo": "solo-active"})),
    "eager_fig10": (["200ms", "300ms", "400ms"], rows_of("eager-fig10-*-NAME", {
        "all-reduce (Deep500)": "deep500", "solo": "solo", "solo faster": "speedup"})),
    "eager_fig11": (["300ms"], rows_of("eager-fig11-*-NAME", {
        "all-reduce (Deep500)": "deep500", "Horovod": "horovod", "solo": "solo",
        "solo faster than Deep500": "speedup-over-deep500",
        "solo faster than Horovod": "speedup-over-horovod"})),
    "eager_fig12": (["fig12"], rows_of("eager-*-NAME", {"Horovod": "horovod", "solo": "solo"})),
    "eager_fig13": (["fig13"], rows_of("eager-*-NAME", {
        "Horovod": "horovod", "solo": "solo", "solo faster than Horovod": "solo-speedup",
        "Horovod against one GPU": "horovod-weak-scaling"})),
    "other_gpus": ([""], {
        "ResNet-50, 64 RTX 2080 Ti, 10 Gb/s, Horovod": "lbopt-resnet50-p64-horovod",
        "BERT-Base, the same": "lbopt-bert_base-p64-horovod",
        "road surfaces, 8 A40: alternating ring faster than ddp": "p2p-rsc-a40-p8-aer-speedup",
        "road surfaces, 8 A100: the same": "p2p-rsc-a100-p8-aer-speedup",
        "ImageNet, 4 A40, ddp": "p2p-reproduce-resnet50-a40-p4-ddp"})}
WIDE = {"promise": {"16 T4": "t4-p16", "64 T4": "t4-p64", "8 A100": "a100-p8", "32 A100": "a100-p32",
                    "8 A40": "a40-p8", "16 A40": "a40-p16"},
        "ddl_benchmarks": {f"{speed}, {model}": f"{network}-{model}"
                           for speed, network in (("10 Gb/s", "10gbe"), ("100 Gb/s", "100gbib"))
                           for model in ("resnet50", "bert_base", "bert_large")}}


def star(entry):
    """A star if a profile was fitted to the entry."""
    return "*" if entry["calibration"] else ""


def value_text(entry, value):
    if entry["metric"] == "iteration_time_s":
        return f"{value:.3f} s"
    return f"{1e3 * value:.3f} ms" if entry["metric"] == "latency_s" else f"{value:.2f}"


def both_texts(entry):
    if entry is None:
        return ["", ""]
    return [value_text(entry, entry["published"]), value_text(entry, entry["predicted"]) + star(entry)]


def two_columns(name):
    groups, patterns = COLUMNS[name]

    def rows(entries):
        found = {row: [both_texts(entries.get(pattern.replace("*", group))) for group in groups]
                 for row, pattern in patterns.items()}
        return [[row, *itertools.chain(*texts)] for row, texts in found.items()]
    return rows


def ms_text(entry, digits):
    if entry is None:
        return ""
    return f"{1e3 * entry['published']:.{digits}f}, {1e3 * entry['predicted']:.{digits}f}{star(entry)}"


def promise_rows(entries):
    return [[row, *(ms_text(entries.get(f"p2p-{figure}-{name}-{kind}"), 1) for figure, kind in (
        ("fig6", "ddp"), ("fig6", "sgp"), ("fig6", "exp"), ("fig6", "aer"), ("fig7", "complete")))]
        for row, name in WIDE["promise"].items()]


def ddl_benchmarks_rows(entries):
    return [[row, *(ms_text(entries[f"ddlb-{name}-p32-{kind}"], 0)
                    for kind in ("bsp", "wfbp", "mgwfbp", "bytescheduler"))]
            for row, name in WIDE["ddl_benchmarks"].items()]


MISSES = {"p2p-fig6-a40-p16-exp": "16 A40, one-peer exponential",
          "p2p-fig6-t4-p64-exp": "64 T4, one-peer exponential",
          "ddlb-10gbe-resnet50-p32-bytescheduler": "ByteScheduler, ResNet-50, 32 GPUs, 10 Gb/s",
          "ddlb-10gbe-bert_base-p32-mgwfbp": "MG-WFBP, BERT-Base, 32 GPUs, 10 Gb/s"}


def miss_rows(entries):
    """Entries off by more than 10 %, by id if they have no name. The column of reasons keeps its text."""
    far_off = {entry["id"]: entry["relative_error"] for entry in entries.values()
               if entry["status"] == "compared" and abs(entry["relative_error"]) > 0.1
               and not entry["id"].startswith(("wagma", "eager"))}
    known = [entry_id for entry_id in MISSES if entry_id in far_off]
    return [[MISSES.get(entry_id, entry_id), f"{100 * far_off[entry_id]:+.0f} %".translate(SIGNS), None]
            for entry_id in [*known, *(entry_id for entry_id in far_off if entry_id not in MISSES)]]


def of_entries(name, rows):
    def made(program, is_quick):
        if not is_quick:
            return rows(reproduced(program))
        return rows(reproduced(program, "--filter", QUICK_FILTER)) if name == QUICK_TABLE else []
    return made


TABLES = {name: of_entries(name, rows) for name, rows in {
    **{name: two_columns(name) for name in COLUMNS}, "promise": promise_rows,
    "ddl_benchmarks": ddl_benchmarks_rows, "misses": miss_rows}.items()}
