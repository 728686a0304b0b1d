"""What is wrong with a timeline, by Chrome's trace event format.

Reference: "Trace Event Format", Google, 2016; and what Perfetto's importer of it requires.
"""
import collections
import re

known_phases = {"X", "B", "E", "M", "s", "f", "C"}
span_categories = {"kernel", "user_annotation", "message"}
collective_arguments = {"Collective name": str, "In msg nelems": int, "Out msg nelems": int,
                        "Group size": int, "bytes": (int, float), "operation": str, "layers": str,
                        "iteration": int}


def nanoseconds(microseconds):
    """Exact: timelines are written in thousandths of a microsecond."""
    return round(microseconds * 1000)


class Track:
    """Spans of one thread, in the file's order."""

    def __init__(self):
        self.spans = []  # first and last nanosecond, and the event
        self.open = []   # begun by "B"


class Checker:
    """Collects complaints, each with the number of its event."""

    def __init__(self):
        self.complaints = []
        self.processes = {}
        self.threads = {}
        self.tracks = collections.defaultdict(Track)
        self.arrows = {}
        self.counters = {}
        self.number = 0

    def complain(self, text):
        self.complaints.append(f"event {self.number}: {text}")

    def check(self, document):
        if document.get("displayTimeUnit") not in ("ms", "ns"):
            self.complain("displayTimeUnit is neither ms nor ns")
        for self.number, event in enumerate(document["traceEvents"]):
            self.check_event(event)
        self.number += 1
        for track in self.tracks.values():
            for name in track.open:
                self.complain(f"{name} begins and does not end")
            self.check_nesting(track)
        for arrow, (begin, end) in self.arrows.items():
            self.check_arrow(arrow, begin, end)
        return self.complaints

    def check_event(self, event):
        phase = event.get("ph")
        if phase not in known_phases:
            return self.complain(f"unknown phase {phase!r}")
        if not all(type(event.get(key)) is int for key in ("pid", "tid")):
            return self.complain("pid and tid must be integers")
        if not isinstance(event.get("name"), str) or not event["name"]:
            return self.complain("there is no name")
        if not isinstance(event.get("args", {}), dict):
            return self.complain("args must be an object")
        if phase != "M" and not (type(event.get("ts")) in (int, float) and event["ts"] >= 0):
            return self.complain(f"{phase} has no time")
        return {"X": self.check_span, "B": self.check_begin, "E": self.check_end, "M": self.check_name,
                "s": self.check_arrow_end, "f": self.check_arrow_end, "C": self.check_counter}[phase](event)

    def check_name(self, event):
        names = {"process_name": (self.processes, event["pid"]),
                 "thread_name": (self.threads, (event["pid"], event["tid"]))}
        if event["name"] in names:
            known, key = names[event["name"]]
            if not isinstance(event["args"].get("name"), str):
                self.complain(f"{event['name']} names nothing")
            if key in known:
                self.complain(f"{key} is named twice")
            known[key] = event["args"].get("name")
        elif event["name"] == "process_labels":
            if not isinstance(event["args"].get("labels"), str):
                self.complain("process_labels says nothing")
        elif event["name"] not in ("process_sort_index", "thread_sort_index"):
            self.complain(f"unknown metadata {event['name']}")
        elif type(event["args"].get("sort_index")) is not int:
            self.complain("sort_index must be an integer")

    def check_place(self, event):
        if event["pid"] not in self.processes:
            self.complain(f"process {event['pid']} has no name before")
        if (event["pid"], event["tid"]) not in self.threads:
            self.complain(f"thread {event['tid']} of process {event['pid']} has no name before")

    def check_span(self, event):
        self.check_place(event)
        if not (type(event.get("dur")) in (int, float) and event["dur"] >= 0):
            return self.complain("a span without duration")
        track = self.tracks[(event["pid"], event["tid"])]
        begin = nanoseconds(event["ts"])
        if track.spans and begin < track.spans[-1][0]:
            self.complain(f"{event['name']} begins before the span that comes before it on its track")
        track.spans.append((begin, begin + nanoseconds(event["dur"]), event))
        return self.check_arguments(event)

    def check_arguments(self, event):
        arguments = event.get("args", {})
        if event.get("cat") not in span_categories:
            self.complain(f"{event['name']} is of no known category")
        if event.get("cat") == "kernel" and arguments.get("stream") != event["tid"]:
            self.complain(f"{event['name']} is on another stream than its track")
        if type(arguments.get("iteration", 0)) is not int:
            self.complain("iteration must be an integer")
        if event.get("cat") == "message":
            self.check_message(event["name"], arguments)
        if type(arguments.get("waits_for", 0)) is not int:
            self.complain("waits_for must be the worker that a wait is for")
        if not all(type(peer) is int for peer in arguments.get("peers", [])):
            self.complain("peers must be ranks")
        if event["name"].startswith("nccl:"):
            for key, kind in collective_arguments.items():
                if not isinstance(arguments.get(key), kind):
                    self.complain(f"{event['name']} has no {key}")

    def check_message(self, name, arguments):
        if not arguments.get("bytes", 0) > 0:
            self.complain("a message without bytes")
        if name not in (f"to {arguments.get('destination')}", f"from {arguments.get('source')}"):
            self.complain(f"{name} is not between the workers that it says")

    def check_begin(self, event):
        self.check_place(event)
        self.tracks[(event["pid"], event["tid"])].open.append(event["name"])

    def check_end(self, event):
        stack = self.tracks[(event["pid"], event["tid"])].open
        if not stack:
            self.complain(f"{event['name']} ends and does not begin")
        else:
            stack.pop()

    def check_counter(self, event):
        if not event.get("args") or not all(type(value) in (int, float) for value in event["args"].values()):
            self.complain("a counter without numbers")
        key = (event["pid"], event["name"])
        if self.counters.get(key, -1) >= event["ts"]:
            self.complain(f"{event['name']} counts at a time before its last")
        self.counters[key] = event["ts"]

    def check_arrow_end(self, event):
        if type(event.get("id")) is not int or not isinstance(event.get("cat"), str):
            return self.complain("an arrow needs an integer id and a category")
        if event["ph"] == "f" and event.get("bp") != "e":
            self.complain("an arrow ends at the next span, not in the one around it")
        ends = self.arrows.setdefault(event["id"], [None, None])
        place = 0 if event["ph"] == "s" else 1
        if ends[place] is not None:
            self.complain(f"arrow {event['id']} has two ends of the same kind")
        ends[place] = event
        return None

    def check_arrow(self, arrow, begin, end):
        if begin is None or end is None:
            return self.complain(f"arrow {arrow} has one end only")
        if (begin["cat"], begin["name"]) != (end["cat"], end["name"]) or begin["ts"] > end["ts"]:
            self.complain(f"the ends of arrow {arrow} do not belong together")
        sent, received = self.span_around(begin), self.span_around(end)
        if sent is None or received is None:
            return self.complain(f"arrow {arrow} has an end outside all spans")
        if sent["args"]["bytes"] != received["args"]["bytes"]:
            self.complain(f"what is sent along arrow {arrow} is not what is received")
        for span, other in ((sent, received), (received, sent)):
            worker = re.search(r"worker (\d+)", self.processes.get(other["pid"]) or "")
            if worker is None or span["name"].split()[-1] != worker[1]:
                self.complain(f"{span['name']} of arrow {arrow} is not that worker")
        return None

    def span_around(self, event):
        at = nanoseconds(event["ts"])
        spans = self.tracks[(event["pid"], event["tid"])].spans
        low, high = 0, len(spans)
        while low < high:
            middle = (low + high) // 2
            if spans[middle][0] <= at:
                low = middle + 1
            else:
                high = middle
        return next((span for begin, end, span in reversed(spans[:low][-8:]) if begin <= at <= end), None)

    def check_nesting(self, track):
        ends = []
        for begin, end, event in sorted(track.spans, key=lambda span: (span[0], -span[1])):
            while ends and ends[-1] <= begin:
                ends.pop()
            if ends and end > ends[-1]:
                self.complain(f"{event['name']} of thread {event['tid']} overlaps with the span before")
            ends.append(end)


def complaints(document):
    return Checker().check(document)
