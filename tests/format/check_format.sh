#!/usr/bin/env bash
# Usage: check_format.sh ROOT
# Fails where a source under ROOT is not as clang-format would write it.
set -euo pipefail
cd -- "$1"
find . -name build -prune -o -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -n 8 -P "$(nproc)" clang-format --dry-run -Werror --style=file
