#!/usr/bin/env python3
"""Usage: tables_test.py

Tests that tables.py puts rows in their place of a document's table, and how errors of times are computed.
"""
import unittest

import published_tables
import tables
import validation_tables

TABLE = """\
| network | P | error | why |
|---|---|---|---|
| star | 4 | 1 % | small |
| star | 8 | 2 % | |
| ring | 4 | 3 % | large |
"""


class Tables(unittest.TestCase):
    def test_rows_replace_those_that_begin_alike_and_others_come_last(self):
        rows = [["star", "8", "5 %", ""], ["tree", "4", "", "new"]]
        self.assertEqual(tables.with_rows(TABLE, rows, are_all=False, naming_cells=2),
                         TABLE.replace("2 %", "5 %") + "| tree | 4 | | new |\n")

    def test_where_rows_are_all_others_go(self):
        rows, lines = [["ring", "4", "3 %", "large"]], TABLE.splitlines(keepends=True)
        self.assertEqual(tables.with_rows(TABLE, rows, are_all=True, naming_cells=2),
                         lines[0] + lines[1] + lines[4])

    def test_none_is_a_cell_that_stays(self):
        rows = [["ring", "4", "4 %", None]]
        self.assertEqual(tables.with_rows(TABLE, rows, are_all=False, naming_cells=2),
                         TABLE.replace("3 %", "4 %"))

    def test_every_mark_of_a_document_names_what_is_made(self):
        marked = {found["name"] for document in tables.DOCUMENTS
                  for found in tables.TABLE.finditer(document.read_text(encoding="utf-8"))}
        self.assertEqual(marked, set(tables.TABLES))

    def test_every_case_of_the_studies_was_measured(self):
        for study in ("study", "large"):
            cases = {index for index, _ in validation_tables.measured_s(study)}
            self.assertEqual(cases, set(range(1, len(validation_tables.cases_of(study)) + 1)))

    def test_a_throughput_that_is_too_high_is_a_time_that_is_too_short(self):
        throughput = {"metric": "throughput_images_per_s", "relative_error": 0.25}
        self.assertAlmostEqual(published_tables.time_error(throughput), -0.2)
        time = {"metric": "iteration_time_s", "relative_error": 0.25}
        self.assertEqual(published_tables.time_error(time), 0.25)


if __name__ == "__main__":
    unittest.main()
