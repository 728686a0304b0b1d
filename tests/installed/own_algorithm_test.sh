#!/usr/bin/env bash
# Usage: own_algorithm_test.sh EXAMPLES BUILD CMAKE_ARGUMENTS…
# Builds examples/own_algorithm with an installed Starling; its algorithm is listed, simulated, checked, run
# under mpirun where MPIRUN says how, and validated like one of Starling's own.
set -euo pipefail

example=$1/own_algorithm build=$2/own_algorithm
shift 2
cmake -S "$example" -B "$build" -G Ninja "$@" >/dev/null
cmake --build "$build"
program=$build/parameter_server
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$program" run "$example/scenario.json" --quiet | diff "$example/expected.txt" -
"$program" run "$example/scenario.json" --engine simgrid --quiet >/dev/null
"$program" list algorithms | grep -q '^parameter_server '
"$program" schema scenario | grep -q '"servers"'
! "$program" run "$example/scenario.json" --set /algorithms/1/severs=2 2>"$results/refused" || exit 1
grep -q 'servers' "$results/refused"

[[ -n ${MPIRUN-} ]] || exit 0
small=(--set /cluster/workers=2 --set /iterations=4 --set '/workload/compute={"forward": "1ms", "backward": "1ms"}'
  --set '/algorithms=[{"kind": "parameter_server", "servers": 2}]' --quiet)
"$program" run "$example/scenario.json" "${small[@]}" --out "$results/predicted" >/dev/null
$MPIRUN -n 2 "$program" native "$example/scenario.json" "${small[@]}" --out "$results/measured" >/dev/null
"$program" validate "$results/predicted" "$results/measured" --quiet | grep -q parameter_server
