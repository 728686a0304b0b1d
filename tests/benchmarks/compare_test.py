#!/usr/bin/env python3
"""Usage: compare_test.py PROGRAM

What benchmarks/compare.py concludes from made-up costs, from a program beside itself and beside a slower one.
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import compare  # noqa: E402
from whole_runs import Cost, RunFailed, launch, measure, scenario  # noqa: E402

SMALL = "small, whole process"


def costing(*times_s, messages=1):
    """A run that takes these times in turn."""
    times = itertools.cycle(times_s)
    return lambda: Cost(next(times), 1000, messages, 0, {})


class Conclusions(unittest.TestCase):
    def test_equal_programs_are_equal(self):
        comparison, is_slower = compare.compare_twice_if_slower(costing(1.0), costing(1.0), 0)
        self.assertEqual((comparison.ratios(), is_slower), ([1.0] * compare.LEAST_PAIRS, False))

    def test_a_slow_down_of_a_fifth_is_found(self):
        _, is_slower = compare.compare_twice_if_slower(costing(1.0, 1.02, 0.99), costing(1.2, 1.23), 0)
        self.assertTrue(is_slower)

    def test_one_of_a_twentieth_is_not_told_from_noise(self):
        _, is_slower = compare.compare_twice_if_slower(costing(1.0), costing(1.05), 0)
        self.assertFalse(is_slower)

    def test_a_few_bad_pairs_are_no_slow_down(self):
        _, is_slower = compare.compare_twice_if_slower(costing(1.0), costing(1.0, 1.0, 1.0, 9.0), 0)
        self.assertFalse(is_slower)

    def test_a_slow_down_has_to_be_there_twice(self):
        once = costing(*[2.0] * compare.LEAST_PAIRS, *[1.0] * compare.LEAST_PAIRS)
        comparison, is_slower = compare.compare_twice_if_slower(costing(1.0), once, 0)
        self.assertEqual((len(comparison.pairs), is_slower), (2 * compare.LEAST_PAIRS, False))

    def test_the_interval_holds_the_median_and_not_all(self):
        low, high = compare.interval([0.9, 0.95, 1.0, 1.0, 1.0, 1.0, 1.05, 5.0])
        self.assertTrue(0.9 < low <= 1.0 <= high < 5.0, (low, high))

    def test_programs_take_turns_in_being_first(self):
        order = []
        def run(name):
            order.append(name)
            return Cost(1.0, 1000, 1, 0, {})
        compare.compare(lambda: run("old"), lambda: run("new"), 0)
        self.assertEqual("".join(name[0] for name in order), "onno" * (compare.LEAST_PAIRS // 2))

    def test_more_time_gives_more_pairs(self):
        self.assertEqual(len(compare.compare(costing(1.0), costing(1.0), 40).pairs), 20)

    def test_other_work_is_told(self):
        comparison = compare.compare(costing(1.0), costing(1.0, messages=2), 0)
        self.assertIn("other messages", compare.row(SMALL, comparison, []))


def run_compare(old, new):
    """For as short as can be."""
    command = [BENCHMARKS / "compare.sh", old, new, "0", "--only", SMALL]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Scenarios(unittest.TestCase):
    def test_what_is_called_evaluated_is(self):
        cost = measure(PROGRAM, compare.scenarios()["ring, evaluated"])
        self.assertEqual(cost.evaluated_messages, cost.messages)


class Programs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.wrapper = pathlib.Path(temporary.name) / "starling"

    def wrap(self, before):
        """A program that does this first, with the arguments run SCENARIO.json and others."""
        self.wrapper.write_text(f'#!/bin/sh\n{before}\nexec "{PROGRAM}" "$@"\n', encoding="utf-8")
        self.wrapper.chmod(0o755)
        return str(self.wrapper)

    def test_a_program_is_not_slower_than_itself(self):
        done = run_compare(PROGRAM, PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, f"(?m)^{SMALL} .*  (8|16)$")

    def test_a_program_that_does_everything_twice_is_slower(self):
        twice = self.wrap(f'"{PROGRAM}" "$1" "$2" --quiet >/dev/null')
        done = run_compare(PROGRAM, twice)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("SLOWER", done.stdout)
        self.assertIn(f"worse by more than 10 %: {SMALL}", done.stderr)
        self.assertEqual(run_compare(twice, PROGRAM).returncode, 0)

    def test_what_the_old_program_does_not_understand_is_left_out(self):
        done = run_compare(self.wrap('echo "scenario.json: unknown key" >&2; exit 2'), PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"(?m)^{SMALL} +left out, .*: scenario.json: unknown key$")

    def test_a_run_that_fails_is_told(self):
        done = run_compare(PROGRAM, self.wrap("echo broken >&2; exit 1"))
        self.assertEqual((done.returncode, done.stderr), (1, "a run failed: broken\n"))

    def test_what_is_neither_program_nor_commit_is_told(self):
        done = run_compare("/no/such/program", PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("neither a program nor a commit", done.stderr)

    def test_wrong_arguments_are_told(self):
        for seconds in ("nan", "inf", "-5"):
            command = [BENCHMARKS / "compare.sh", PROGRAM, PROGRAM, seconds, "--only", SMALL]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("SECONDS is a number of at least 0", done.stderr)
        self.wrapper.touch()
        done = run_compare(str(self.wrapper), PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (1, f"{self.wrapper} is no program\n"))

    def test_a_run_is_ended_when_its_time_is_over(self):
        endless = self.wrap("while :; do :; done")
        with self.assertRaises(RunFailed) as ended:
            measure(endless, scenario(2, {"kind": "allreduce"}), limit_s=1)
        self.assertLess(ended.exception.code, 0)

    def test_memory_is_that_of_the_program_alone(self):
        ballast = b"1" * 100_000_000
        _, peak_memory_bytes = launch(["/bin/true"], limit_s=10)
        self.assertLess(peak_memory_bytes, len(ballast) / 4)  # 9 MB, more with other builds of Python


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
