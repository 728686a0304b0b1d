#!/usr/bin/env python3
"""Usage: golden_test.py

Tests golden.py itself, and that its scenarios use every kind of network, imbalance and algorithm.
"""
import json
import pathlib
import tempfile
import unittest

import golden

RESULT = '{"starling": "0.1.0", "runs": [{"mean": 0.1}], "simulation": {"wall_s": 3.0}}'
CHANGES = """\
# Changes

## 2026-02-01

Rings are faster.

- `ring` 00000000000000aa

## 2026-01-01

First hashes.

- `ring` 00000000000000bb
- `tree` 00000000000000cc
"""


SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "scenarios/schema/scenario.schema.json"


def kinds_in(value):
    """The set of kinds in an object with "kind", or in a list of such objects."""
    values = value if isinstance(value, list) else [value]
    return {one["kind"] for one in values if "kind" in one}


def used_kinds():
    """The kinds of networks, imbalances and algorithms that golden scenarios and their jobs use."""
    used = {"network": set(), "imbalance": set(), "algorithm": set()}
    for name in golden.scenario_names():
        scenario = json.loads((golden.SCENARIOS / (name + ".json")).read_text())
        used["network"] |= kinds_in(scenario["cluster"].get("network", {}))
        for job in [scenario, *scenario.get("jobs", [])]:
            used["imbalance"] |= kinds_in(job.get("workload", {}).get("imbalance", []))
            used["algorithm"] |= kinds_in(job.get("algorithms", [])) | kinds_in(job.get("algorithm", {}))
    return used


class Golden(unittest.TestCase):
    def test_every_algorithm_cause_and_network_is_in_a_scenario(self):
        definitions = json.loads(SCHEMA.read_text())["definitions"]
        for what, used in used_kinds().items():
            for alternative in definitions[what]["oneOf"]:
                kind = alternative["properties"]["kind"]["const"]
                # A network read from a file is one of the other kinds.
                if (what, kind) != ("network", "file"):
                    self.assertIn(kind, used, f"no scenario of tests/golden/scenarios has this {what}")

    def test_time_and_version_of_a_run_do_not_count(self):
        other = RESULT.replace("0.1.0", "0.2.0").replace("3.0", "4.0").replace(" ", "\n")
        self.assertEqual(golden.hash_of_results(RESULT, "a,b\n"), golden.hash_of_results(other, "a,b\n"))

    def test_a_digit_of_a_number_or_of_an_iteration_counts(self):
        first = golden.hash_of_results(RESULT, "a,b\n")
        self.assertNotEqual(first, golden.hash_of_results(RESULT.replace("0.1}", "0.10}"), "a,b\n"))
        self.assertNotEqual(first, golden.hash_of_results(RESULT, "a,c\n"))

    def test_the_newest_entry_counts(self):
        expected = golden.declared(CHANGES)
        self.assertEqual(expected, {"ring": "00000000000000aa", "tree": "00000000000000cc"})
        self.assertEqual(golden.differences(dict(expected), expected), [])

    def test_undeclared_hashes_and_scenarios_are_found(self):
        expected = golden.declared(CHANGES)
        found = {"ring": "00000000000000bb", "line": "00000000000000dd"}
        self.assertEqual(
            golden.differences(found, expected),
            [
                "line: 00000000000000dd, declared nothing",
                "ring: 00000000000000bb, declared 00000000000000aa",
                "tree: has a hash in CHANGES.md, but there is no such scenario",
            ],
        )

    def test_an_entry_without_a_reason_is_found(self):
        self.assertIsNone(golden.entry_without_reason(CHANGES))
        self.assertEqual(golden.entry_without_reason(CHANGES.replace("First hashes.", "")), "2026-01-01")

    def test_declare_puts_an_entry_on_top(self):
        with tempfile.TemporaryDirectory() as folder:
            golden.CHANGES = pathlib.Path(folder) / "CHANGES.md"
            golden.CHANGES.write_text(CHANGES, encoding="utf-8")
            golden.run_all = lambda program: {"ring": "00000000000000ee", "tree": "00000000000000cc"}
            self.assertEqual(golden.declare("program", "Rings are slower."), [])
            changes = golden.CHANGES.read_text(encoding="utf-8")
            self.assertEqual(golden.declared(changes)["ring"], "00000000000000ee")
            self.assertTrue(changes.startswith("# Changes\n\n## 2"))
            self.assertIn("Rings are slower.\n\n- `ring` 00000000000000ee\n\n## 2026-02-01\n", changes)
            self.assertEqual(golden.check("program"), [])
            self.assertEqual(golden.declare("program", "Nothing."), ["no result has changed"])


if __name__ == "__main__":
    unittest.main()
