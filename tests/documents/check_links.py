#!/usr/bin/env python3
"""Usage: check_links.py ROOT

Fails, and prints document and path, if a document (*.md) under ROOT links to a missing file or heading, or
names a missing file as `folder/file`. Paths are relative to the document or to ROOT.
"""
import os
import re
import sys

CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
NAMED = re.compile(r"`([\w./-]+/[\w.-]+\.(?:hpp|cpp|py|sh|md|txt|json))`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
WRITTEN_BY_RUNS = ("DIR/", "FOLDER/", "build/")  # paths of outputs, which are no files of the project


def documents(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", "results") and not f.startswith(".")]
        found = [os.path.join(folder, name) for name in names if name.endswith(".md")]
        yield from (os.path.relpath(document, root) for document in found)


def text_of(path):
    """The text of a document without code blocks."""
    with open(path, encoding="utf-8") as file:
        return CODE_BLOCK.sub("", file.read())


def place_of(root, document, path):
    """The path of the file that a document names, or None if there is none."""
    places = (os.path.join(root, document),) if not path else (
        os.path.join(root, os.path.dirname(document), path), os.path.join(root, path))
    return next((place for place in places if os.path.exists(place)), None)


def has_heading(path, anchor):
    """Whether a document has a heading with this anchor, formed as GitHub does."""
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text_of(path)))
    return anchor in (heading.strip().replace(" ", "-") for heading in headings)


def missing(root, document):
    """The paths, with anchors, of a document's links and file names that do not exist."""
    text = text_of(os.path.join(root, document))
    links = [link for link in LINK.findall(text) if "://" not in link[0]] + [
        (path, "") for path in NAMED.findall(text)]
    found = []
    for path, anchor in dict.fromkeys(links):
        if path.startswith(WRITTEN_BY_RUNS):
            continue
        place = place_of(root, document, path)
        if place is None:
            found.append(path)
        elif anchor and not has_heading(place, anchor):
            found.append(f"{path}#{anchor}")
    return found


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
