#!/usr/bin/env python3
"""Usage: check_names.py ROOT BUILD [--all | SOURCE...]

Runs clang-tidy, with what .clang-tidy asks for, on one file that includes all headers under ROOT, and on the
given sources, or --all (10 CPU seconds each); without any on those that changed since the last release (the
last tag v*; where there is no tag it says so and looks at none).
BUILD is configured: its compile_commands.json tells how to compile. What was found in order is noted
in BUILD/clang-tidy, and not looked at again before it or a header of ROOT that it includes changes.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
OUTSIDE = ("tests", "benchmarks", "examples", "build")


def git(root, *arguments):
    """The lines that git prints, none if it fails."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.splitlines()


def files_of(root, ending):
    """Paths of the product, not of tests, benchmarks, examples."""
    paths = sorted(path.relative_to(root) for path in root.rglob("*" + ending))
    return [str(path) for path in paths if path.parts[0] not in OUTSIDE]


def changed_sources(root):
    """The sources that differ from the last release."""
    tags = git(root, "describe", "--tags", "--match", "v*", "--abbrev=0")
    if not tags:
        print("no source is looked at: no tag v* says which changed since a release; --all looks at all")
        return []
    return sorted(set(files_of(root, ".cpp")) & set(git(root, "diff", "--name-only", tags[0])))


def chosen_sources(root, arguments):
    if arguments == ["--all"]:
        return files_of(root, ".cpp")
    return arguments or changed_sources(root)


def all_includes(root, path, seen):
    """`path` and all files of ROOT that it includes, directly or not, in a fixed order."""
    if path in seen or not (root / path).is_file():
        return seen
    seen.append(path)
    for included in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
        all_includes(root, included, seen)
    return seen


def key_of(root, files):
    """Changes with every file, with .clang-tidy and with this script."""
    digest = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for path in [".clang-tidy", *files]:
        digest.update(path.encode() + b"\0" + (root / path).read_bytes())
    return digest.hexdigest()


def include_flags(commands):
    """Where all sources of the build together look for headers."""
    words = [word for command in commands for word in shlex.split(command["command"])]
    pairs = [[word, after] for word, after in zip(words, words[1:]) if word == "-isystem"]
    return sorted({"".join(pair) for pair in pairs} | {word for word in words if word.startswith("-I")})


def tidy(root, build, path, flags):
    """What clang-tidy has to say, nothing if it has no complaint."""
    how = ["--", "-std=c++20", *flags] if flags else ["-p", str(build)]
    command = ["clang-tidy", "--quiet", f"--config-file={root / '.clang-tidy'}", str(path), *how]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def check(root, build, path, files, flags=()):
    """Complaints about `path`, which consists of `files`, unless it was found in order before."""
    notes = build / "clang-tidy"
    notes.mkdir(exist_ok=True)
    note = notes / key_of(root, files)
    if note.exists():
        return ""
    said = tidy(root, build, path, flags)
    if not said:
        note.touch()
    return said


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    sources = chosen_sources(root, sys.argv[3:])
    headers = files_of(root, ".hpp")
    together = build / "all_headers.cpp"
    together.write_text("".join(f'#include "{header}"\n' for header in headers), encoding="utf-8")
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    flags = include_flags(commands)
    alone = {command["file"] for command in commands}  # the others are compiled several in one
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = [pool.submit(check, root, build, together, headers, flags)]
        for source in sources:
            own = () if str(root / source) in alone else flags
            jobs.append(pool.submit(check, root, build, root / source, all_includes(root, source, []), own))
        said = [job.result() for job in jobs]
    print("".join(said), end="")
    print(f"{len(headers)} headers and {len(sources)} sources looked at")
    sys.exit(any(said))


if __name__ == "__main__":
    main()
