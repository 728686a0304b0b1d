#!/usr/bin/env python3
"""Usage: check_names_test.py

Proves, with a stand-in for clang-tidy that complains of every file with "badName" in it, that check_names.py
looks at what it must, once.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent / "check_names.py"
CLANG_TIDY = """\
#!/bin/sh
echo "$3" >>"$LOOKED_AT"
! grep -H badName "$3" $(sed -n 's/^#include "\\(.*\\)"/\\1/p' "$3")
"""


class CheckNames(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "project"
        commands = [{"file": str(self.root / "sim/a.cpp"), "command": "g++ -I. -isystem /usr/x -c a.cpp"}]
        self.write("build/compile_commands.json", json.dumps(commands))
        self.write(".clang-tidy", "Checks: ''\n")
        self.git("init", "--quiet")
        self.release("v0.0.1")
        self.write("sim/a.hpp", "int a;\n")
        self.write("sim/a.cpp", '#include "sim/a.hpp"\n')
        self.write("sim/b.cpp", "int b;\n")
        self.write("tests/a_test.cpp", "int badName;\n")
        self.git("add", ".")
        tool = pathlib.Path(self.folder.name) / "bin/clang-tidy"
        tool.parent.mkdir()
        tool.write_text(CLANG_TIDY, encoding="utf-8")
        tool.chmod(0o755)
        self.looked_at = pathlib.Path(self.folder.name) / "looked_at"

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def git(self, *arguments):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(self.root), *who, *arguments], check=True, capture_output=True)

    def release(self, tag):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", tag)
        self.git("tag", tag)

    def check(self, *arguments):
        """Whether it found everything in order, and the names of what clang-tidy looked at."""
        self.looked_at.write_text("", encoding="utf-8")
        path = str(self.looked_at.parent / "bin") + ":" + os.environ["PATH"]
        environment = os.environ | {"PATH": path, "LOOKED_AT": str(self.looked_at)}
        command = [sys.executable, "-B", str(CHECK), str(self.root), str(self.root / "build"), *arguments]
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        self.said = done.stdout
        looked_at = self.looked_at.read_text(encoding="utf-8").split()
        return done.returncode == 0, sorted(os.path.basename(file) for file in looked_at)

    def test_what_was_in_order_is_not_looked_at_again(self):
        self.assertEqual(self.check(), (True, ["a.cpp", "all_headers.cpp", "b.cpp"]))
        self.assertEqual(self.check(), (True, []))

    def test_a_changed_header_is_looked_at_and_all_that_include_it(self):
        self.check()
        self.write("sim/a.hpp", "int other;\n")
        self.assertEqual(self.check(), (True, ["a.cpp", "all_headers.cpp"]))

    def test_a_bad_name_fails_until_it_is_gone(self):
        self.write("sim/b.cpp", "int badName;\n")
        self.assertEqual(self.check(), (False, ["a.cpp", "all_headers.cpp", "b.cpp"]))
        self.assertEqual(self.check(), (False, ["b.cpp"]))
        self.write("sim/b.cpp", "int good_name;\n")
        self.assertEqual(self.check(), (True, ["b.cpp"]))

    def test_a_bad_name_in_a_header_fails(self):
        self.write("sim/a.hpp", "int badName;\n")
        self.assertFalse(self.check()[0])

    def test_sources_as_released_are_not_looked_at(self):
        self.release("v0.1.0")
        self.write("sim/b.cpp", "int changed;\n")
        self.assertEqual(self.check(), (True, ["all_headers.cpp", "b.cpp"]))
        self.assertEqual(self.check("--all"), (True, ["a.cpp"]))

    def test_without_a_release_it_says_that_it_looks_at_no_source(self):
        self.git("tag", "--delete", "v0.0.1")
        self.assertEqual(self.check(), (True, ["all_headers.cpp"]))
        self.assertIn("no source is looked at: no tag v*", self.said)


if __name__ == "__main__":
    unittest.main()
