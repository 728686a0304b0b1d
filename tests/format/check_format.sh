#!/usr/bin/env bash
# Usage: check_format.sh ROOT
# Fails where a source under ROOT is not as clang-format would write it, a line, comments included, has more than 110
# characters, or a test compares by doctest's Approx itself, which allows a share of 1 whatever the value is: about() does not.
set -euo pipefail
cd -- "$1"
export LC_ALL=C.UTF-8 # characters, not bytes

sources=(-name '*.hpp' -o -name '*.cpp')
too_long=$(find . \( -name build -o -name .git \) -prune -o -type f \( "${sources[@]}" -o -name '*.py' \) -print0 |
  xargs -0 grep -nE '^.{111,}$' || true)
[[ -z $too_long ]] || { printf 'more than 110 columns:\n%s\n' "$too_long"; exit 1; }

approximate=$(grep -rnE 'Approx[({]' --include='*.[ch]pp' tests | grep -v '^tests/rounding.hpp:' || true)
[[ -z $approximate ]] || { printf 'about() of tests/rounding.hpp compares:\n%s\n' "$approximate"; exit 1; }

find . -name build -prune -o -type f \( "${sources[@]}" \) -print0 |
  xargs -0 -n 8 -P "$(nproc)" clang-format --dry-run -Werror --style=file
