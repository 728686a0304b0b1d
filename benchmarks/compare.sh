#!/usr/bin/env bash
# Usage: compare.sh OLD NEW_PROGRAM [SECONDS] [--only SCENARIO ...]
# Tests whether NEW_PROGRAM is slower than OLD: a program, or a commit or tag of this repository, which is then built in
# a temporary folder. See compare.py for the rest.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[[ $# -ge 2 ]] || exec python3 -B "$here/compare.py" "$@"

# build_commit COMMIT FOLDER: builds the commit in FOLDER and prints the program's path. The program finds its models in
# FOLDER, which must exist until all runs have ended.
build_commit() {
  git -C "$here" worktree add --quiet --detach "$2" "$1"
  echo "compare.sh: building $1" >&2
  (cd "$2" && cmake --preset release && cmake --build --preset release --target starling_main) >"$2/build.log" 2>&1 ||
    { tail -n 20 "$2/build.log" >&2; return 1; }
  echo "$2/build/release/bin/starling"
}

old=$1
if [[ ! -f $old ]]; then
  git -C "$here" rev-parse --quiet --verify "$old^{commit}" >/dev/null ||
    { echo "compare.sh: $old is neither a program nor a commit" >&2; exit 2; }
  folder=$(mktemp -d)
  trap 'git -C "$here" worktree remove --force "$folder/old"; rmdir "$folder"' EXIT
  old=$(build_commit "$old" "$folder/old")
fi
python3 -B "$here/compare.py" "$old" "${@:2}"
