"""Turns the measurements of curves.py into numbers for each curve, a table, a picture and a page."""
import csv
import io
import math
import subprocess
import sys

import curves_picture

FIT_FROM = 1024  # workers; below, start-up costs and caches hide the growth
TABLE_SIZES = [1024, 16384, 65536]
NO_GNUPLOT = "gnuplot is not installed (Debian package gnuplot-nox)"
LEAST_SHARE = 0.25  # of the cost of an empty run: smaller differences from it are meaningless

PAGE = """\
# How Starling grows

CPU seconds, memory and time per message of whole `starling run` processes, against the number of workers P:
ResNet-50 on a star of 100 Gb/s, one worker a host, three iterations, workers that differ by 2 %, the
transport that a scenario gets if it names none. Written by `curves.py`: [README.md](README.md) says how, and
what the numbers mean.

{version}. {processor}, {cores} cores; what else ran there makes times larger: compare growth, not times.
An empty run takes {start_up}.

![CPU seconds, memory per worker and time per message against P](curves.svg)

- *auto*: what is exact is evaluated, so many of all messages, which count as if sent; *messages*: none.
- *CPU s*: of the process, at P = {sizes}.
- *~P^*: exponents by least squares of logarithms, from P = {fit_from:,} up, without what an empty run takes.
  *CPU a message ~P^*: at a fixed number of messages per worker: CPU seconds over messages per worker.
- *kB a worker*, *ns a message*: without what an empty run takes, at the largest P of the curve.
- A dash: not run, or too little to tell from an empty run.
"""


def exponent(points):
    """The slope of the least-squares line through logarithms of (x, y); None without two different x."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def rows(document):
    """The cost of each run minus that of an empty run; None where the difference is too small."""
    found = []
    for run in sorted(document["runs"], key=lambda run: run["workers"]):
        empty = document["start_up"][run["engine"]]
        work_s = run["cpu_s"] - empty["cpu_s"]
        work_bytes = run["peak_memory_bytes"] - empty["peak_memory_bytes"]
        has_time = work_s > LEAST_SHARE * empty["cpu_s"]
        has_memory = work_bytes > LEAST_SHARE * empty["peak_memory_bytes"]
        found.append({
            "engine": run["engine"], "label": run["label"], "collectives": run["collectives"],
            "workers": run["workers"], "cpu_s": run["cpu_s"], "peak_memory_bytes": run["peak_memory_bytes"],
            "messages": run["messages"], "evaluated_messages": run["evaluated_messages"],
            "events": run["simulation"].get("events"),
            "work_s": work_s if has_time else None, "work_bytes": work_bytes if has_memory else None,
            "bytes_per_worker": work_bytes / run["workers"] if has_memory else None,
            "ns_per_message": 1e9 * work_s / run["messages"] if has_time and run["messages"] else None,
        })
    return found


def curves_of(found):
    """The rows of each curve, by (engine, label, collectives), in the order of curves.py."""
    curves = {}
    for row in found:
        curves.setdefault((row["engine"], row["label"], row["collectives"]), []).append(row)
    return curves


def exponents(curve):
    """Exponents of CPU time, of CPU time over messages per worker, and of memory; None: too few points."""
    large = [row for row in curve if row["workers"] >= FIT_FROM]
    timed = [row for row in large if row["work_s"] is not None]
    sized = [row for row in large if row["work_bytes"] is not None]
    return {
        "cpu": exponent([(row["workers"], row["work_s"]) for row in timed]),
        "cpu_per_message": exponent([(row["workers"], row["work_s"] * row["workers"] / row["messages"])
                                     for row in timed if row["messages"]]),
        "memory": exponent([(row["workers"], row["work_bytes"]) for row in sized]),
    }


def short(value, digits=3):
    """`value` with `digits` significant digits; – for None."""
    if value is None:
        return "–"
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def last_known(curve, name, scale=1):
    values = [row[name] for row in curve if row[name] is not None]
    return short(values[-1] * scale, 2) if values else "–"


def how_collectives_run(key, last):
    share = last["evaluated_messages"] / last["messages"] if last["messages"] else 0
    return key[2] + (f", {100 * share:.0f} % evaluated" if share else "")


def table_row(key, curve, end):
    times = {row["workers"]: row["cpu_s"] for row in curve}
    fits = ["–" if value is None else f"{value:.2f}" for value in exponents(curve).values()]
    cells = [key[1], how_collectives_run(key, curve[-1]),
             *(short(times.get(size)) for size in TABLE_SIZES), *fits,
             last_known(curve, "bytes_per_worker", 1e-3), last_known(curve, "ns_per_message"),
             f"{curve[-1]['workers']:,}" + (f"; {end['workers']:,}: {end['reason']}" if end else "")]
    return "| " + " | ".join(cells) + " |\n"


def engine_table(engine, curves, ends):
    head = ["", "collectives", *(f"CPU s, {size:,}" for size in TABLE_SIZES), "CPU ~P^", "CPU a message ~P^",
            "memory ~P^", "kB a worker", "ns a message", "up to P ="]
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    for key, curve in curves.items():
        if key[0] == engine:
            text += table_row(key, curve, ends.get(key))
    return f"\n## {engine}\n\n{text}"


def start_up_text(start_up):
    return ", ".join(f"{1e3 * cost['cpu_s']:.0f} ms and {cost['peak_memory_bytes'] / 1e6:.0f} MB ({engine})"
                     for engine, cost in start_up.items())


def page(document):
    curves = curves_of(rows(document))
    ends = {(end["engine"], end["label"], end["collectives"]): end for end in document["ends"]}
    text = PAGE.format(version=document["program"]["version"], start_up=start_up_text(document["start_up"]),
                       sizes=", ".join(f"{size:,}" for size in TABLE_SIZES), fit_from=FIT_FROM,
                       **document["machine"])
    for engine in dict.fromkeys(key[0] for key in curves):
        text += engine_table(engine, curves, ends)
    return text


def as_csv(found):
    text = io.StringIO()
    writer = csv.DictWriter(text, found[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def draw(curves, svg_file):
    try:
        script = curves_picture.script(curves, svg_file)
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(NO_GNUPLOT)
    if done.returncode != 0:
        sys.exit(f"gnuplot could not draw {svg_file}: {done.stderr}")


def write(document, folder):
    """Writes curves.csv, curves.md and curves.svg from the runs made so far."""
    if not document["runs"]:
        sys.exit("there is no run to draw")
    found = rows(document)
    (folder / "curves.csv").write_text(as_csv(found), encoding="utf-8")
    (folder / "curves.md").write_text(page(document), encoding="utf-8")
    draw(curves_of(found), folder / "curves.svg")
