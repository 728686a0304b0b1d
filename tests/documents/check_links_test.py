#!/usr/bin/env python3
"""Usage: check_links_test.py

Tests that check_links.py finds all missing files and headings, and nothing else.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import check_links

TEXT = """\
# Title
See [this](there.md#a-part-here), [itself](#title), [no part](there.md#another),
[that](https://example.org/x.md), `sub/there.cpp` and `DIR/result.json`.
[Gone](gone.md) and `sub/gone.hpp` are missing; what is in code is not looked at:
```
[gone](too.md)
```
"""


class CheckLinks(unittest.TestCase):
    def test_links_headings_and_named_files_that_are_not_there_are_found(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(root + "/doc/build")
            os.makedirs(root + "/sub")
            for path in ("doc/there.md", "sub/there.cpp", "doc/build/skipped.md"):
                open(os.path.join(root, path), "w", encoding="utf-8").close()
            for path, text in (("doc/text.md", TEXT), ("doc/there.md", "## A `part`, here\n")):
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(sorted(check_links.documents(root)), ["doc/text.md", "doc/there.md"])
            self.assertEqual(check_links.missing(root, "doc/text.md"),
                             ["there.md#another", "gone.md", "sub/gone.hpp"])

    def test_a_folder_that_is_not_there_is_an_error(self):
        with tempfile.TemporaryDirectory() as root:
            for folder, code in ((root, 0), (root + "/gone", 1)):
                command = [sys.executable, "-B", check_links.__file__, folder]
                self.assertEqual(subprocess.run(command, capture_output=True).returncode, code)


if __name__ == "__main__":
    unittest.main()
