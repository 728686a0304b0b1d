#!/usr/bin/env python3
"""Usage: architecture_test.py

Proves that check_rooms.py and check_function_lengths.py accept what is in order, and find each kind of
violation in the words that name it.
"""
import os
import tempfile
import unittest

import check_function_lengths
import check_rooms

RULES = """\
base:
io: base
sim: base
sim/native:   # MPI
  base sim
sim/networks: sim
algorithms: base sim
algorithms/evaluation: sim sim/networks algorithms
starling.cpp: io algorithms

<nlohmann/: io
<mpi.h: sim/native

hidden from algorithms: sim/scheduler.hpp sim/native sim/networks
except for algorithms/evaluation: sim/networks
"""

FILES = {
    "base/time.hpp": "#include <vector>\n",
    "io/units.hpp": '#include "base/time.hpp"\n#include <nlohmann/json.hpp>\n',
    "sim/worker.hpp": '#include "base/time.hpp"\n',
    "sim/scheduler.hpp": '#include "sim/worker.hpp"\n',
    "sim/native/job.hpp": '#include <mpi.h>\n#include "base/time.hpp"\n#include "sim/worker.hpp"\n',
    "sim/networks/link.hpp": '#include "sim/worker.hpp"\n',
    "algorithms/ring.hpp": '#include "sim/worker.hpp"\n',
    "algorithms/ring.cpp": '#include "algorithms/ring.hpp"\n#include "base/time.hpp"\n',
    "algorithms/evaluation/rings.hpp": '#include "algorithms/ring.hpp"\n#include "sim/networks/link.hpp"\n'
    '#include "sim/worker.hpp"\n',
    "starling.cpp": '#include "algorithms/ring.hpp"\n#include "io/units.hpp"\n',
    "tests/sim/probe_test.cpp": '#include "probe.hpp"\n#include "sim/native/job.hpp"\n#include <mpi.h>\n',
    "tests/architecture/rooms.txt": RULES,
}


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "a", encoding="utf-8") as file:
        file.write(text)


def complaints(additions, unnamed=()):
    """What is said of the clean tree with these texts added to these files, and with READMEs."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in list(FILES.items()) + list(additions.items()):
            write(root, path, text)
            if path.endswith(".hpp") and path not in unnamed:
                write(root, os.path.dirname(path) + "/README.md", f"{os.path.basename(path)}\n")
        rules = check_rooms.read_rules(os.path.join(root, "tests/architecture/rooms.txt"))
        return check_rooms.Check(root, rules).run()


def including(*paths):
    return "".join(f'#include "{path}"\n' for path in paths)


def chain(length):
    """Files of one folder, each of which includes the next one."""
    files = {f"base/link{n}.hpp": including(f"base/link{n + 1}.hpp") for n in range(1, length)}
    return files | {f"base/link{length}.hpp": ""}


class CheckRooms(unittest.TestCase):
    def rejects(self, words, additions, unnamed=()):
        found = complaints(additions, unnamed)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_clean_tree_is_accepted(self):
        self.assertEqual(complaints({}), [])

    def test_an_empty_tree_is_rejected(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(check_rooms.Check(root, check_rooms.Rules()).run(), ["there are no sources"])

    def test_two_lines_about_the_same_are_rejected(self):
        for key in ("io", "<mpi.h", "hidden from algorithms"):
            with self.assertRaisesRegex(SystemExit, f"two lines begin with {key};"):
                complaints({"tests/architecture/rooms.txt": f"\n{key}: sim\n"})

    def test_an_arrow_that_is_not_written_is_found(self):
        self.rejects(
            "sim/worker.hpp:2: sim may not include io/units.hpp: rooms.txt has no arrow from sim to io",
            {"sim/worker.hpp": '  #  include "io/units.hpp" // why\n'},
        )
        self.rejects("no arrow from io to algorithms", {"io/units.hpp": including("algorithms/ring.hpp")})
        self.rejects("from sim/networks to sim", {"sim/networks/link.hpp": including("sim/native/job.hpp")})

    def test_an_arrow_that_nothing_needs_is_found(self):
        self.rejects(
            "rooms.txt: workloads: nothing there includes base",
            {"tests/architecture/rooms.txt": "workloads: base\n", "workloads/model.hpp": ""},
        )

    def test_an_arrow_to_a_room_that_does_not_stand_above_is_found(self):
        self.rejects(
            "rooms.txt: early: late does not stand above it",
            {
                "tests/architecture/rooms.txt": "early: late\nlate:\n",
                "early/a.hpp": including("late/b.hpp"),
                "late/b.hpp": "",
            },
        )

    def test_a_file_in_no_room_is_found(self):
        self.rejects("utilities.hpp:1: is in no room", {"utilities.hpp": "#include <vector>\n"})
        self.rejects("sim/other/a.hpp:1: is in no room", {"sim/other/a.hpp": ""})

    def test_a_path_that_does_not_begin_at_the_root_is_found(self):
        reason = "it is not the path from the root"
        self.rejects(reason, {"sim/worker.hpp": including("scheduler.hpp")})
        self.rejects(reason, {"sim/worker.hpp": including("../base/time.hpp")})
        self.rejects(reason, {"sim/worker.hpp": including("tests/sim/probe.hpp"), "tests/sim/probe.hpp": ""})
        self.rejects(reason, {"tests/sim/probe_test.cpp": including("../../io/units.hpp")})

    def test_a_library_outside_its_rooms_is_found(self):
        self.rejects("nlohmann/ is only for io", {"sim/worker.hpp": "#include <nlohmann/json.hpp>\n"})
        self.rejects("mpi.h is only for sim/native", {"algorithms/ring.cpp": "#include <mpi.h>\n"})

    def test_what_is_hidden_from_algorithms_is_found(self):
        hidden = "it is hidden from algorithms"
        self.rejects(hidden, {"algorithms/ring.cpp": including("sim/scheduler.hpp")})
        self.rejects(hidden, {"algorithms/evaluation/rings.hpp": including("sim/scheduler.hpp")})
        found = complaints({"algorithms/ring.cpp": including("sim/networks/link.hpp")})
        self.assertEqual(len(found), 2, found)  # there is no arrow either

    def test_an_exception_that_nothing_needs_is_found(self):
        self.rejects(
            "except for algorithms/ring.cpp: nothing there includes sim/scheduler.hpp",
            {"tests/architecture/rooms.txt": "except for algorithms/ring.cpp: sim/scheduler.hpp\n"},
        )

    def test_a_circle_between_files_is_found(self):
        circle = {
            "sim/strand.hpp": "",
            "sim/strand.cpp": including("sim/loop.hpp"),
            "sim/loop.hpp": including("sim/strand.hpp"),
        }
        self.rejects("include each other in a circle: sim/loop, sim/strand", circle)

    def test_a_chain_of_nine_concepts_in_a_folder_is_found(self):
        self.assertEqual(complaints(chain(8)), [])
        self.rejects("base: a chain of 9 includes, at most 8: link1 -> link2", chain(9))

    def test_a_folder_of_more_than_30_sources_is_found(self):
        self.assertEqual(complaints({f"base/file{n}.hpp": "" for n in range(29)}), [])
        self.rejects("base: 31 source files", {f"base/file{n}.hpp": "" for n in range(30)})

    def test_a_room_without_a_readme_is_found(self):
        self.rejects("base/time.hpp:1: there is no base/README.md that names it", {}, ["base/time.hpp"])

    def test_a_header_that_its_readme_does_not_name_is_found(self):
        for words in ("the worker of a rank\n", "`workers`\n", "sim_worker.hpp\n", "| rank | a worker |\n"):
            additions = {"sim/README.md": words}
            self.rejects("sim/worker.hpp:1: sim/README.md does not name it", additions, ["sim/worker.hpp"])
        for name in ("`worker` runs\n", "worker.hpp runs\n", "`worker.*`\n", "| clock, worker | runs |\n"):
            self.assertEqual(complaints({"sim/README.md": name}, ["sim/worker.hpp"]), [])


class CheckFunctionLengths(unittest.TestCase):
    def test_a_long_function_is_found_unless_it_is_a_table(self):
        short = [(5, "a.cpp", "f")] * 100
        self.assertEqual(check_function_lengths.complaints(short + [(60, "a.cpp", "g")]), [])
        found = check_function_lengths.complaints(short + [(61, "a.cpp", "g")])
        self.assertEqual(found, ["a.cpp: g: 61 lines, at most 60"])
        table = next(iter(check_function_lengths.TABLES))
        self.assertEqual(check_function_lengths.complaints(short + [(90, *table)]), [])

    def test_too_many_long_functions_are_found(self):
        found = check_function_lengths.complaints([(5, "a.cpp", "f")] * 94 + [(19, "a.cpp", "g")] * 6)
        self.assertEqual(found, ["the 95th percentile is 19 lines, at most 18"])
        self.assertEqual(check_function_lengths.complaints([]), ["there are no functions"])


if __name__ == "__main__":
    unittest.main()
