#!/usr/bin/env python3
"""Usage: curves_test.py PROGRAM

What benchmarks/curves.py fits to made-up runs, and what it writes of real ones with few workers.
"""
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import curves  # noqa: E402
import curves_page  # noqa: E402

START_UP = {"cpu_s": 0.05, "peak_memory_bytes": 40_000_000}
SIZES = (64, 256, 1024, 4096, 16384)


def made_up_run(workers, work_s, work_bytes, messages):
    return {"engine": "event", "label": "made up", "collectives": "auto", "workers": workers,
            "cpu_s": START_UP["cpu_s"] + work_s, "messages": messages, "evaluated_messages": messages // 2,
            "peak_memory_bytes": START_UP["peak_memory_bytes"] + work_bytes, "simulation": {"events": 1}}


def made_up_document(work_s, work_bytes, messages):
    """Runs whose costs are these functions of P, and bent below P = 1,024, where nothing is fitted."""
    runs = [made_up_run(p, work_s(p) * (3 if p < 1024 else 1), work_bytes(p), messages(p)) for p in SIZES]
    return {"program": {"version": "starling 1.2.3"}, "machine": {"processor": "made of paper", "cores": 3},
            "start_up": {"event": START_UP}, "runs": runs, "ends": []}


def ring_messages(workers):
    return 2 * workers * (workers - 1)


class Fits(unittest.TestCase):
    def test_the_exponent_of_a_power_is_found(self):
        self.assertAlmostEqual(curves_page.exponent([(x, 7 * x**1.37) for x in SIZES]), 1.37, places=12)

    def test_least_squares_weigh_points_alike(self):
        # By hand, in units of the first decade: x = 0, 1, 2 and y = 0, 2, 1 have the slope 1/2.
        self.assertAlmostEqual(curves_page.exponent([(1, 1), (10, 100), (100, 10)]), 0.5, places=12)

    def test_one_point_has_no_exponent(self):
        self.assertIsNone(curves_page.exponent([(64, 1.0)]))
        self.assertIsNone(curves_page.exponent([(64, 1.0), (64, 2.0)]))

    def test_exponents_are_those_of_large_runs_without_the_start_up_of_the_process(self):
        document = made_up_document(lambda p: 1e-8 * ring_messages(p) * p**0.1, lambda p: 5000 * p**1.2,
                                    ring_messages)
        [curve] = curves_page.curves_of(curves_page.rows(document)).values()
        fits = curves_page.exponents(curve)
        # 2P(P-1) is no exact power: from P = 1,024 on it deviates by less than 0.001 of 2.
        self.assertAlmostEqual(fits["cpu"], 2.1, delta=0.001)
        self.assertAlmostEqual(fits["cpu_per_message"], 1.1, places=9)
        self.assertAlmostEqual(fits["memory"], 1.2, places=9)

    def test_a_run_that_hardly_takes_more_than_an_empty_one_tells_nothing(self):
        document = made_up_document(lambda p: 0.001, lambda p: 1000, ring_messages)
        for row in curves_page.rows(document):
            self.assertIsNone(row["ns_per_message"])
            self.assertIsNone(row["bytes_per_worker"])

    def test_the_page_tells_machine_exponents_and_where_curves_end(self):
        document = made_up_document(lambda p: 1e-4 * p, lambda p: 10_000 * p, lambda p: 10 * p)
        document["ends"] = [{"engine": "event", "label": "made up", "collectives": "auto", "workers": 65536,
                             "reason": "expected to take 7 s"}]
        page = curves_page.page(document)
        self.assertIn("made of paper, 3 cores", page)
        self.assertIn("| made up | auto, 50 % evaluated | 0.152 | 1.69 | – | 1.00 | 1.00 | 1.00 | 10 "
                      "| 10,000 | 16,384; 65,536: expected to take 7 s |", page)


class Expectations(unittest.TestCase):
    def test_curves_go_on_as_between_the_last_two_points(self):
        points = [(64, 1.0), (256, 16.0)]
        self.assertAlmostEqual(curves.expected(points, 1024, least=1e-3), 256.0)

    def test_no_curve_is_expected_to_grow_more_slowly_than_the_workers(self):
        self.assertAlmostEqual(curves.expected([(64, 1.0), (256, 1.0)], 1024, least=1e-3), 4.0)
        self.assertAlmostEqual(curves.expected([(64, 1.0)], 256, least=1e-3), 4.0)

    def test_what_would_take_too_long_or_too_much_memory_is_not_tried(self):
        runs = [made_up_run(64, 1.0, 10**9, 1), made_up_run(256, 4.0, 4 * 10**9, 1)]
        self.assertIsNone(curves.why_not([], 64, START_UP, 0.001, 1))
        self.assertIsNone(curves.why_not(runs, 1024, START_UP, 17, 10**11))
        self.assertEqual(curves.why_not(runs, 1024, START_UP, 16, 10**11), "expected to take 16 s")
        self.assertEqual(curves.why_not(runs, 1024, START_UP, 17, 10**10), "expected to take 16 GB")


def run_curves(folder, *arguments, program=None, **environment):
    command = [sys.executable, "-B", str(BENCHMARKS / "curves.py"), program or PROGRAM, "--out", str(folder)]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def document_in(folder):
    return json.loads((folder / "curves.json").read_text(encoding="utf-8"))


class WholeRuns(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "out"

    def run_adpsgd(self, *arguments, **options):
        chosen = ("--engines", "event", "--algorithms", "adpsgd")
        return run_curves(self.folder, *chosen, *arguments, **options)

    def test_runs_table_and_picture_of_engines_and_algorithms_are_written(self):
        done = run_curves(self.folder, "--engines", "event", "fair", "--algorithms", "ddp", "adpsgd",
                          "--most-workers", "64")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.check_document()
        self.check_table_and_picture()

    def check_document(self):
        document = document_in(self.folder)
        found = {(run["engine"], run["label"], run["collectives"]) for run in document["runs"]}
        self.assertEqual(found, {(engine, *curve) for engine in ("event", "fair") for curve in
                                 (("ddp", "auto"), ("ddp", "messages"), ("adpsgd", "auto"))})
        for run in document["runs"]:
            self.assertEqual(run["workers"], 64)
            self.assertGreater(run["cpu_s"], 0)
            self.assertGreater(run["peak_memory_bytes"], 1e6)
            self.assertGreater(run["messages"], 64)
            self.assertLessEqual(run["evaluated_messages"], run["messages"] * (run["collectives"] == "auto"))
            self.assertIn("events", run["simulation"])
        self.assertEqual(document["ends"], [])
        self.assertEqual(set(document["machine"]), {"processor", "cores"})

    def check_table_and_picture(self):
        lines = (self.folder / "curves.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 7)
        self.assertIn("| ddp | messages |", (self.folder / "curves.md").read_text(encoding="utf-8"))
        picture = (self.folder / "curves.svg").read_text(encoding="utf-8")
        for text in ("event: CPU seconds", "fair: memory per worker (kB)", "ddp, messages"):
            self.assertTrue(text in picture, text)

    def test_what_is_there_is_not_run_again(self):
        self.run_adpsgd("--most-workers", "64")
        document = document_in(self.folder)
        document["runs"][0]["cpu_s"] = 12.5
        (self.folder / "curves.json").write_text(json.dumps(document), encoding="utf-8")
        self.assertEqual(self.run_adpsgd("--most-workers", "64").returncode, 0)
        self.assertEqual(document_in(self.folder), document)

    def test_a_curve_ends_at_the_budget_and_goes_on_with_a_greater_one(self):
        done = self.run_adpsgd("--most-workers", "256", "--budget", "0.001")
        self.assertRegex(done.stdout, r"^event: adpsgd, auto: not P = 256: expected to take [\d.]+ s\n$")
        self.assertEqual([run["workers"] for run in document_in(self.folder)["runs"]], [64])
        done = self.run_adpsgd("--most-workers", "256", "--budget", "60")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual([run["workers"] for run in document_in(self.folder)["runs"]], [64, 256])

    def test_runs_of_another_program_are_not_mixed_in(self):
        self.run_adpsgd("--most-workers", "64")
        other = self.folder / "starling"
        other.write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n', encoding="utf-8")
        other.chmod(0o755)
        done = self.run_adpsgd("--most-workers", "64", program=str(other))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is of another program", done.stderr)

    def test_runs_of_another_machine_are_not_mixed_in(self):
        self.run_adpsgd("--most-workers", "64")
        document = document_in(self.folder)
        document["machine"]["cores"] += 1
        (self.folder / "curves.json").write_text(json.dumps(document), encoding="utf-8")
        done = self.run_adpsgd("--most-workers", "64")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is of another machine", done.stderr)
        self.assertEqual(document_in(self.folder), document)

    def test_files_of_others_stay_as_they_are(self):
        self.folder.mkdir()
        file = self.folder / "curves.json"
        for text in ('{"runs": ', "[]", "{}"):
            file.write_text(text, encoding="utf-8")
            done = self.run_adpsgd("--most-workers", "64")
            self.assertEqual((done.returncode, file.read_text(encoding="utf-8")), (1, text))
            self.assertIn(f"{file} was not written by curves.py", done.stderr)

    def test_what_is_named_twice_is_run_once(self):
        done = run_curves(self.folder, "--most-workers", "64", "--jobs", "4", "--engines", "event", "event",
                          "--algorithms", "adpsgd", "adpsgd")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(document_in(self.folder)["runs"]), 1)

    def run_broken(self, test):
        """A program that fails where a shell says that this is so of its arguments."""
        self.folder.mkdir()
        broken = self.folder / "starling"
        broken.write_text(f'#!/bin/sh\n{test} && echo no >&2 && exit 1\nexec "{PROGRAM}" "$@"\n',
                          encoding="utf-8")
        broken.chmod(0o755)
        done = self.run_adpsgd("--most-workers", "64", program=str(broken))
        self.assertEqual(done.returncode, 1)
        return done

    def test_an_empty_run_that_fails_is_told(self):
        self.assertEqual(self.run_broken('[ "$1" = run ]').stderr, "a run of 2 workers failed: no\n")

    def test_a_run_that_fails_is_told(self):
        done = self.run_broken('grep -q adpsgd "$2"')
        self.assertIn("event: adpsgd, auto: not P = 64: failed: no\n", done.stdout)
        self.assertEqual(done.stderr, "there is no run to draw\n")

    def test_two_of_them_do_not_write_to_one_folder(self):
        self.folder.mkdir()
        held = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        done = self.run_adpsgd("--most-workers", "64")
        self.assertEqual((done.returncode, done.stderr), (1, f"another curves.py writes to {self.folder}\n"))

    def test_wrong_arguments_are_told(self):
        done = run_curves(self.folder, "--algorithms", "magic")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such algorithm: magic", done.stderr)
        self.assertEqual(run_curves(self.folder, "--most-workers", "63").returncode, 2)
        self.assertEqual(run_curves(self.folder, "--budget", "nan").returncode, 2)

    def test_what_cannot_end_well_is_told_before_anything_is_run(self):
        done = self.run_adpsgd(PATH="/nowhere")
        self.assertEqual((done.returncode, done.stderr), (1, curves_page.NO_GNUPLOT + "\n"))
        self.assertFalse(self.folder.exists())
        self.folder.touch()
        done = self.run_adpsgd()
        self.assertEqual((done.returncode, done.stderr), (1, f"cannot write to {self.folder}: File exists\n"))
        done = self.run_adpsgd(program=str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (1, f"{self.folder} is no program\n"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
