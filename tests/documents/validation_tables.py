"""Tables of scenarios/validation/README.md, as rows of cells: predictions of this program beside the
measurements in scenarios/validation/measured.csv."""
import csv
import functools
import json
import statistics

from program import ROOT, SIGNS, runs_of

FOLDER = ROOT / "scenarios/validation"
ENGINES = ("fair", "tcp", "simgrid", "event")
LARGE_NAMES = {"ring": "ring", "recursive doubling": "recursive doubling", "mg_wfbp": "mg_wfbp",
               "horovod": "horovod", "dpsgd": "D-PSGD", "dpsgd overlap": "D-PSGD with overlap", "sgp": "SGP",
               "local_sgd": "local SGD"}


def cases_of(study):
    return json.loads((FOLDER / f"{study}.json").read_text(encoding="utf-8"))["cases"]


@functools.cache
def measured_s(study):
    """Measured iteration times in seconds, by number of the case, from 1, and algorithm."""
    with open(FOLDER / "measured.csv", encoding="utf-8") as file:
        return {(int(row["case"]), row["algorithm"]): float(row["measured_s"])
                for row in csv.DictReader(file) if row["study"] == study}


@functools.cache
def errors_of(program, study, engine):
    """Relative errors of predicted iteration times, by the keys of measured_s()."""
    measured, errors = measured_s(study), {}
    for index, case in enumerate(cases_of(study), 1):
        options = [word for override in case.get("set", []) for word in ("--set", override)]
        scenario = case["scenario"].removesuffix(".json")
        for label, run in runs_of(program, f"validation/{scenario}", *options, "--engine", engine).items():
            errors[index, label] = run["iteration_time_s"]["mean"] / measured[index, label] - 1
    return errors


def workers_of(case):
    pointer = "/cluster/workers="
    return next(one.removeprefix(pointer) for one in case["set"] if one.startswith(pointer))


def signed_tenths(share):
    # Adding 0.0 turns −0 into 0.
    return f"{round(100 * share, 1) + 0.0:+.1f} %".translate(SIGNS)


def mean_and_worst(errors):
    absolute = [abs(error) for error in errors]
    return f"{100 * statistics.mean(absolute):.1f} %, {100 * max(absolute):.1f} %"


def mean_with_sign(errors):
    return signed_tenths(statistics.mean(errors))


def cells_of(program, study, engines, text, is_in=lambda key: True):
    """`text` of the errors of each engine, for cases and algorithms with `is_in`."""
    return [text([error for key, error in errors_of(program, study, engine).items() if is_in(key)])
            for engine in engines]


def algorithm_rows(program, _):
    labels = list(dict.fromkeys(label for _, label in measured_s("study")))
    rows = []
    for name, is_in in [*((label, lambda key, label=label: key[1] == label) for label in labels),
                        ("all", lambda key: True)]:
        fair, *others = cells_of(program, "study", ENGINES, mean_and_worst, is_in)
        sign, = cells_of(program, "study", ["fair"], mean_with_sign, is_in)
        rows.append([name, str(sum(map(is_in, measured_s("study")))), fair, sign, *others, None])
    return rows


def situation_rows(program, _):
    return [[case["network"], workers_of(case), case["imbalance"],
             *cells_of(program, "study", ENGINES, mean_and_worst, lambda key, index=index: key[0] == index)]
            for index, case in enumerate(cases_of("study"), 1)]


def worker_rows(program, _):
    workers = {index: int(workers_of(case)) for index, case in enumerate(cases_of("study"), 1)}
    rows = [[name, *cells_of(program, "study", ("fair", "tcp"), mean_and_worst,
                             lambda key, is_four=is_four: (workers[key[0]] == 4) == is_four)]
            for name, is_four in (("4 workers, where the machine keeps up, 144 cases", True),
                                  ("8 and 16 workers", False))]
    return [*rows, *([f"*measured before*, {which}", None, None] for which in ("all", "4 workers"))]


def span(errors):
    return f"{signed_tenths(min(errors)).removesuffix(' %')} … {signed_tenths(max(errors))}"


def large_rows(program, _):
    cells = functools.partial(cells_of, program, "large", ENGINES)
    return [["mean, worst", *cells(mean_and_worst)],
            ["all but D-PSGD", *cells(mean_and_worst, lambda key: not key[1].startswith("dpsgd"))],
            *([name, *cells(span, lambda key, label=label: key[1] == label)]
              for label, name in LARGE_NAMES.items())]


def calibration_rows(program, _):
    rows = []
    for hosts in (4, 8, 16):
        cluster = json.loads((FOLDER / f"testbed_{hosts}.json").read_text(encoding="utf-8"))["cluster"]
        latencies = [f"{1e6 * cluster[key]:.0f} µs" for key in ("host_latency", "wake_up")]
        rows.append([str(hosts), *latencies, f"{1e-3 * cluster['send_buffer']:.0f} kB"])
    return rows


TABLES = {"validation_calibration": calibration_rows, "validation_algorithms": algorithm_rows,
          "validation_situations": situation_rows, "validation_workers": worker_rows,
          "validation_large": large_rows}
