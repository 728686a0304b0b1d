"""Tables of published measurements beside predictions, as rows of cells."""
import fnmatch
import json
import pathlib
import statistics
import tempfile

from program import ROOT, SIGNS, reproduced

UNFITTED = ROOT / "scenarios/unfitted.json"
UNFITTED_CLUSTERS = ROOT / "scenarios/unfitted_clusters"
SLOW_DOWN = {"communication_slowdown": 0.189}
IMBALANCE = {"imbalance": {"kind": "gamma", "coefficient_of_variation": 0.02}}
MOST_WORKERS_OF_ADDITIONS = 64


def percent(share):
    return f"{100 * share:.0f} %"


def tenths(share):
    return f"{100 * share:.1f} %".translate(SIGNS)


def published_row(name, entries):
    errors = [abs(entry["relative_error"]) for entry in entries]
    predicted = [abs(entry["relative_error"]) for entry in entries if not entry["calibration"]]
    median = [tenths(statistics.median(those)) if those else "–" for those in (errors, predicted)]
    within = [percent(sum(error <= most for error in errors) / len(errors)) for most in (0.05, 0.1)]
    counts = [str(len(errors)), str(len(errors) - len(predicted))]
    return [name, *counts, *median, percent(max(errors)), *within, inside_text(entries)]


def inside_text(entries):
    """How many predictions lie inside their intervals."""
    predicted = [entry for entry in entries if not entry["calibration"] and entry["interval_90"]]
    inside = sum(least <= entry["published"] <= greatest
                 for entry in predicted for least, greatest in [entry["interval_90"]])
    return f"{inside} of {len(predicted)}" if predicted else "–"


def published_rows(program, is_quick):
    if is_quick:
        return []
    compared = [entry for entry in reproduced(program).values() if entry["status"] == "compared"]
    papers = dict.fromkeys(entry["paper"] for entry in compared)
    groups = {paper.split(" (")[0]: [entry for entry in compared if entry["paper"] == paper]
              for paper in papers}
    return [published_row(name, entries) for name, entries in {**groups, "all": compared}.items()]


def time_error(entry):
    """The relative error of the iteration time. All other metrics are inversely proportional to it."""
    error = entry["relative_error"]
    return error if entry["metric"] == "iteration_time_s" else 1 / (1 + error) - 1


def between_the_workers(entry):
    cluster = entry["cluster"]
    if cluster["nodes"] == 1:
        return "one host, PCIe" if "pcie" in cluster["id"] else "one host, NVLink"
    return "TCP" if "TCP" in cluster["network"] else "InfiniBand and RoCE"


def unfitted_groups(entries):
    """Entries of unfitted.json by the kind of connection between their workers."""
    groups = {name: [entry for entry in entries if between_the_workers(entry) == name]
              for name in ("one host, NVLink", "one host, PCIe", "InfiniBand and RoCE")}
    for name, is_dlperf in (("no doubt of the network", False), ("DLPerf, InfiniBand or sockets", True)):
        groups[f"of these: {name}"] = [entry for entry in groups["InfiniBand and RoCE"]
                                       if entry["cluster"]["id"].startswith("dlperf") == is_dlperf]
    groups["TCP"] = [entry for entry in entries if between_the_workers(entry) == "TCP"]
    return groups | {"all": entries}


def unfitted_entries():
    return json.loads(UNFITTED.read_text(encoding="utf-8"))["entries"]


def unfitted_errors(program):
    """Relative errors of iteration times, by id."""
    found = reproduced(program, str(UNFITTED), "--clusters", str(UNFITTED_CLUSTERS))
    return {entry_id: time_error(entry) for entry_id, entry in found.items()}


def unfitted_row(name, errors):
    absolute = [abs(error) for error in errors]
    within = [percent(sum(error <= most for error in absolute) / len(errors)) for most in (0.05, 0.1)]
    worst = max(errors, key=abs)
    return [name, str(len(errors)), tenths(statistics.median(absolute)), tenths(statistics.mean(errors)),
            percent(worst).translate(SIGNS), *within]


def unfitted_rows(program, is_quick):
    if is_quick:
        return []
    errors = unfitted_errors(program)
    return [unfitted_row(name, [errors[entry["id"]] for entry in entries])
            for name, entries in unfitted_groups(unfitted_entries()).items()]


def write_with(workload, folder):
    """Writes the profiles by data sheets to `folder`, with `workload` added for all programs."""
    for path in UNFITTED_CLUSTERS.glob("*.json"):
        profile = json.loads(path.read_text(encoding="utf-8"))
        addition = {"match": {}, "workload": workload, "source": "assumed"}
        profile["software"] = [*profile.get("software", []), addition]
        (folder / path.name).write_text(json.dumps(profile), encoding="utf-8")


def errors_with(program, workload, entries):
    """Relative errors of iteration times, by id, with `workload` added to the workload of all programs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_with(workload, folder)
        (folder / "few").mkdir()
        document = json.loads(UNFITTED.read_text(encoding="utf-8")) | {"entries": entries}
        (folder / "few" / "unfitted.json").write_text(json.dumps(document), encoding="utf-8")
        found = reproduced(program, f"{folder}/few/unfitted.json", "--clusters", name)
    return {entry_id: time_error(entry) for entry_id, entry in found.items()}


def addition_text(errors):
    median = statistics.median(abs(error) for error in errors)
    within = sum(abs(error) <= 0.1 for error in errors) / len(errors)
    return f"{tenths(median)}, {tenths(statistics.mean(errors))}, {percent(within)}"


def addition_rows(program, is_quick):
    if is_quick:
        return []
    entries = [entry for entry in unfitted_entries() if entry["workers"] <= MOST_WORKERS_OF_ADDITIONS]
    errors = [unfitted_errors(program), *(errors_with(program, workload, entries)
                                          for workload in (SLOW_DOWN, IMBALANCE, SLOW_DOWN | IMBALANCE))]
    groups = unfitted_groups(entries)
    names = {name: name for name in ("one host, NVLink", "InfiniBand and RoCE", "TCP")}
    return [[name, str(len(groups[group])),
             *(addition_text([those[entry["id"]] for entry in groups[group]]) for those in errors)]
            for group, name in (names | {"all": "all, with the one of PCIe"}).items()]


def signed_errors(errors):
    return ", ".join(f"{100 * error:+.1f}" for error in errors).translate(SIGNS) + " %"


def median_and_worst(errors):
    absolute = [abs(error) for error in errors]
    return f"median {tenths(statistics.median(absolute))}, worst {tenths(max(absolute))}"


def root_mean_square(errors):
    return f"root mean square {tenths(statistics.fmean(error ** 2 for error in errors) ** 0.5)}"


# For scenarios/clusters/README.md: patterns of the ids of a row's entries, and the text of their errors.
FITS = {
    "`communication_slowdown` of the RTX 2080 Ti": (["ddlb-*wfbp"], root_mean_square),
    "`host_time` of ByteScheduler, for each of three models": (["ddlb-*-bytescheduler"], median_and_worst),
    "`operation_cost` of eager-SGD and WAGMA-SGD": (
        ["wagma-fig[45]-p*[0-9]-eager", "wagma-fig[45]-p*[0-9]-wagma", "wagma-fig7-p4-wagma"],
        median_and_worst),
    "rate of D-PSGD, text": (["wagma-fig7-p*[0-9]-dpsgd"], signed_errors),
    "rate of SGP, images": (["wagma-fig[45]-p*[0-9]-sgp"], signed_errors),
    "rate of SGP, text": (["wagma-fig7-p*[0-9]-sgp"], signed_errors),
    "rate of AD-PSGD, text": (["wagma-fig7-p*[0-9]-adpsgd"], signed_errors)}


def fit_rows(program, is_quick):
    """The last column, found by leaving entries out, keeps its text."""
    if is_quick:
        return []
    compared = {entry_id: entry["relative_error"] for entry_id, entry in reproduced(program).items()
                if entry["status"] == "compared"}
    rows = []
    for name, (patterns, text) in FITS.items():
        errors = [error for entry_id, error in compared.items()
                  if any(fnmatch.fnmatchcase(entry_id, pattern) for pattern in patterns)]
        rows.append([name, str(len(errors)), text(errors), None])
    return rows


TABLES = {"published": published_rows, "unfitted": unfitted_rows, "unfitted_additions": addition_rows,
          "fits": fit_rows}
