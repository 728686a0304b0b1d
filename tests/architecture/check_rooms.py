#!/usr/bin/env python3
"""Usage: check_rooms.py ROOT

Fails, and names file and line, where the sources under ROOT do not keep to tests/architecture/rooms.txt,
which also tells its own form:
 - a room includes only itself and the rooms that its line names, which stand above it and are needed;
 - quoted includes are paths from ROOT (below tests/, benchmarks/ and examples/: or of what lies beside them);
 - libraries are included only where they belong, and nothing includes what is hidden from it;
 - source files of different concepts (X.hpp and X.cpp are one) do not include each other in a circle;
 - inside a folder no chain of concepts that include each other is longer than 8;
 - no folder has more than 30 source files;
 - the README.md of a room with headers names each of them, as `X`, X.hpp or in the first column of a table.
"""
import collections
import dataclasses
import os
import re
import sys

import networkx

LONGEST_CHAIN = 8
MOST_FILES = 30
OUTSIDE = ("tests", "benchmarks", "examples")  # may include every room
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclasses.dataclass
class Rules:
    """What rooms.txt says."""

    rooms: dict = dataclasses.field(default_factory=dict)  # room -> rooms it may include, in the file's order
    libraries: dict = dataclasses.field(default_factory=dict)  # beginning of an include -> folders that may
    hidden: dict = dataclasses.field(default_factory=dict)  # folder -> paths that it may not include
    except_for: dict = dataclasses.field(default_factory=dict)  # folder or file -> paths that it may


@dataclasses.dataclass(frozen=True)
class Include:
    file: str
    line: int
    path: str
    is_quoted: bool


def is_inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def read_rules(path):
    rules = Rules()
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    text = re.sub(r"\n[ \t]+", " ", text)
    for line in filter(None, map(str.strip, text.splitlines())):
        key, _, values = line.partition(":")
        kinds = {"hidden from ": rules.hidden, "except for ": rules.except_for, "<": rules.libraries}
        start = next(filter(key.startswith, kinds), "")
        rules_of_kind = kinds.get(start, rules.rooms)
        name = key.removeprefix(start)
        if name in rules_of_kind:
            sys.exit(f"{path}: two lines begin with {key}; expected one with all that it names")
        rules_of_kind[name] = values.split()
    return rules


def source_files(root):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "build" and not f.startswith("."))
        sources = [os.path.join(folder, name) for name in names if name.endswith((".hpp", ".cpp"))]
        found += [os.path.relpath(source, root) for source in sources]
    return sorted(found)


def includes_of(root, file):
    with open(os.path.join(root, file), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            match = INCLUDE.match(line)
            if match:
                yield Include(file, number, match[2], match[1] == '"')


def room_of(path, rooms):
    """The room that a file is in: its folder, or itself for a file of the root."""
    place = os.path.dirname(path) or path
    return place if place in rooms else None


def concept_of(path):
    return os.path.splitext(path)[0]


def is_outside(file):
    return file.startswith(tuple(folder + "/" for folder in OUTSIDE))


def is_named(concept, readme):
    """Whether it is named as a file, not by a word of a sentence."""
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    return bool(re.search(rf"(?m)`{concept}[`.]|\b{concept}\.hpp|^\|[^|]*\b{concept}\b", text))


class Check:
    def __init__(self, root, rules):
        self.root = root
        self.rules = rules
        self.files = source_files(root)
        self.includes = [i for file in self.files for i in includes_of(root, file)]
        self.from_root = [i for i in self.includes if i.path in set(self.files)]
        self.complaints = []
        self.used_exceptions = set()

    def complain(self, include, reason):
        place = room_of(include.file, self.rules.rooms) or include.file
        where = f"{include.file}:{include.line}"
        self.complaints.append(f"{where}: {place} may not include {include.path}: {reason}")

    def check_rooms_of_files(self):
        for file in self.files:
            if not is_outside(file) and room_of(file, self.rules.rooms) is None:
                self.complaints.append(f"{file}:1: is in no room that rooms.txt knows")

    def check_paths(self):
        for include in filter(lambda i: i.is_quoted, self.includes):
            is_in_a_room = include.path in self.files and not is_outside(include.path)
            may_be_beside = is_outside(include.file) and not include.path.startswith("..")
            if not is_in_a_room and not may_be_beside:
                self.complain(include, "it is not the path from the root of a file in a room")

    def check_arrows(self):
        used = set()
        for include in filter(lambda i: not is_outside(i.file), self.from_root):
            mine, theirs = (room_of(path, self.rules.rooms) for path in (include.file, include.path))
            if mine is None or theirs in (None, mine):
                continue
            used.add((mine, theirs))
            if theirs not in self.rules.rooms[mine]:
                self.complain(include, f"rooms.txt has no arrow from {mine} to {theirs}")
        self.check_written_arrows(used)

    def check_written_arrows(self, used):
        above = []
        for room, theirs in self.rules.rooms.items():
            for other in theirs:
                if other not in above:
                    self.complaints.append(f"rooms.txt: {room}: {other} does not stand above it")
                elif (room, other) not in used:
                    self.complaints.append(f"rooms.txt: {room}: nothing there includes {other}")
            above.append(room)

    def check_libraries(self):
        for include in self.includes:
            for library, folders in self.rules.libraries.items():
                if not include.path.startswith(library) or is_outside(include.file):
                    continue
                if not any(is_inside(include.file, folder) for folder in folders):
                    self.complain(include, f"{library} is only for {', '.join(folders)}")

    def check_hidden(self):
        for include in self.from_root:
            for folder, paths in self.rules.hidden.items():
                if not is_inside(include.file, folder):
                    continue
                if any(is_inside(include.path, path) for path in paths) and not self.is_excepted(include):
                    self.complain(include, f"it is hidden from {folder}")
        for place, paths in self.rules.except_for.items():
            for path in paths:
                if (place, path) not in self.used_exceptions:
                    self.complaints.append(f"rooms.txt: except for {place}: nothing there includes {path}")

    def is_excepted(self, include):
        found = {
            (place, path)
            for place, paths in self.rules.except_for.items()
            for path in paths
            if is_inside(include.file, place) and is_inside(include.path, path)
        }
        self.used_exceptions |= found
        return bool(found)

    def concept_graph(self, folder=None):
        """Who includes whom, between concepts; of all rooms, or inside one folder."""
        files = (file for file in self.files if folder in (None, os.path.dirname(file)))
        graph = networkx.DiGraph()
        graph.add_nodes_from(map(concept_of, files))
        for include in self.from_root:
            mine, theirs = concept_of(include.file), concept_of(include.path)
            if mine in graph and theirs in graph and mine != theirs:
                graph.add_edge(mine, theirs)
        return graph

    def check_cycles(self):
        groups = map(sorted, networkx.strongly_connected_components(self.concept_graph()))
        for circle in sorted(group for group in groups if len(group) > 1):
            self.complaints.append(f"{circle[0]}: include each other in a circle: {', '.join(circle)}")

    def check_folders(self):
        sizes = collections.Counter(os.path.dirname(file) for file in self.files)
        for folder, size in sorted(sizes.items()):
            if size > MOST_FILES:
                self.complaints.append(f"{folder}: {size} source files, at most {MOST_FILES} fit into a room")
            chain = longest_chain(self.concept_graph(folder))
            if len(chain) > LONGEST_CHAIN:
                names = " -> ".join(os.path.basename(concept) for concept in chain)
                length = f"a chain of {len(chain)} includes, at most {LONGEST_CHAIN}"
                self.complaints.append(f"{folder}: {length}: {names}")

    def check_readmes(self):
        in_rooms = (file for file in self.files if room_of(file, self.rules.rooms) is not None)
        for header in (file for file in in_rooms if file.endswith(".hpp")):
            readme = os.path.join(os.path.dirname(header), "README.md")
            path = os.path.join(self.root, readme)
            if not os.path.exists(path):
                self.complaints.append(f"{header}:1: there is no {readme} that names it")
            elif not is_named(os.path.basename(concept_of(header)), path):
                self.complaints.append(f"{header}:1: {readme} does not name it")

    def run(self):
        if not self.files:
            return ["there are no sources"]
        self.check_rooms_of_files()
        self.check_paths()
        self.check_arrows()
        self.check_libraries()
        self.check_hidden()
        self.check_cycles()
        self.check_folders()
        self.check_readmes()
        return self.complaints


def longest_chain(graph):
    """A longest path between concepts; of a circle one stands for all."""
    between_circles = networkx.condensation(graph)
    circles = networkx.dag_longest_path(between_circles)
    return [min(between_circles.nodes[circle]["members"]) for circle in circles]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    rules = read_rules(os.path.join(root, "tests/architecture/rooms.txt"))
    complaints = Check(root, rules).run()
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(len(complaints) > 0)


if __name__ == "__main__":
    main()
