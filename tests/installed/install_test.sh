#!/usr/bin/env bash
# Usage: install_test.sh SOURCES BUILD PREFIX
# Installs a build under PREFIX and looks at it: the program runs there by itself, no folder is empty, no
# header and no CMake file knows a path of the build, and a program without its data says what is missing.
set -euo pipefail

sources=$1 build=$2 prefix=$3
failures=0
fail() { echo "failed: $*"; failures=$((failures + 1)); }

rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >/dev/null

data=$prefix/share/starling
for file in bin/starling lib/starling/libstarling_simgrid.so include/starling/sim/worker.hpp lib/starling/libstarling_sim.a \
  lib/cmake/starling/starling-config.cmake share/starling/scenarios/{published.json,clusters/piz_daint.json,sweep.sbatch} \
  share/starling/workloads/{models/resnet50,distributions/ucf101_lstm_batch}.json \
  share/starling/workloads/pytorch/starling_export.py; do
  [[ -s $prefix/$file ]] || fail "$file is missing"
done
[[ -z $(find "$prefix" -type d -empty) ]] || fail "empty folders: $(find "$prefix" -type d -empty)"
for path in "$sources" "$build"; do
  known=$(grep -rlF -- "$path" "$prefix"/{include,share,lib/cmake} || true)
  [[ -z $known ]] || fail "$path is known to $known"
done

# Nothing but the prefix may be of use.
alone() { (cd / && env -i "$@"); }
starling=$prefix/bin/starling
quickstart=$data/scenarios/quickstart.json
alone "$starling" run "$quickstart" --set /iterations=3 --quiet | grep -q '^dear ' || fail "no quickstart"
alone "$starling" run "$quickstart" --set /iterations=3 --engine simgrid --quiet | grep -q '^dear ' || fail "no SimGrid"
alone "$starling" run "$quickstart" --set /iterations=3 --quiet --out "$prefix/run" --report >/dev/null || fail "no report"
grep -q "define_module('vega-view'" "$prefix/run/report.html" || fail "a report without its charts"
rm -rf "$prefix/run"
alone "$starling" list distributions | grep -q ucf101 || fail "no distributions"

mv "$data" "$prefix/moved"
output=$(alone "$starling" list models 2>&1) && fail "without data: accepted"
[[ $output == *"$data"*STARLING_DATA* ]] || fail "without data: $output"
alone STARLING_DATA="$prefix/moved" "$starling" list models | grep -q resnet50 || fail "no data elsewhere"
mv "$prefix/moved" "$data"

exit $((failures > 0))
