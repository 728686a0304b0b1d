#!/usr/bin/env python3
"""Usage: check_links.py ROOT

Fails, and names document and path, where a document (*.md) under ROOT links to a file or names one as
`folder/file` that is not there. Paths are relative to the document or to ROOT.
"""
import os
import re
import sys

CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
NAMED = re.compile(r"`([\w./-]+/[\w.-]+\.(?:hpp|cpp|py|sh|md|txt|json))`")
WRITTEN_BY_RUNS = ("DIR/", "FOLDER/", "build/")  # no files of the project


def documents(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", "results") and not f.startswith(".")]
        found = [os.path.join(folder, name) for name in names if name.endswith(".md")]
        yield from (os.path.relpath(document, root) for document in found)


def is_there(root, document, path):
    places = (os.path.dirname(os.path.join(root, document)), root)
    return any(os.path.exists(os.path.join(place, path)) for place in places)


def missing(root, document):
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = CODE_BLOCK.sub("", file.read())
    paths = [path for path in LINK.findall(text) if "://" not in path] + NAMED.findall(text)
    paths = [path for path in paths if not path.startswith(WRITTEN_BY_RUNS)]
    return [path for path in dict.fromkeys(paths) if not is_there(root, document, path)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    if not os.path.isdir(root):
        sys.exit(f"{root} is no folder")
    found = [(document, path) for document in sorted(documents(root)) for path in missing(root, document)]
    said = [f"{document}: {path} is not there" for document, path in found]
    print("\n".join(said), end="\n" if said else "")
    sys.exit(len(said) > 0)


if __name__ == "__main__":
    main()
