#!/usr/bin/env bash
# Usage: library_test.sh EXAMPLES BUILD CMAKE_ARGUMENTS…
# Builds examples/library with an installed Starling and compares what it prints.
set -euo pipefail

example=$1/library build=$2/library
shift 2
cmake -S "$example" -B "$build" -G Ninja "$@" >/dev/null
cmake --build "$build"
"$build/averaging_on_a_star" | diff "$example/expected.txt" -
