#!/usr/bin/env bash
# Usage: compare_builds.sh PROGRAM PROGRAM...
# Fails unless all programs, built in different ways, write the same result.json (without `simulation`, which is about
# the run itself) and the same iterations.csv for the runs below, and the first one does so twice.
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
runs=(
  "quickstart.json"
  "stragglers.json"
  "stragglers.json --engine simgrid --set /iterations=12"
  "stragglers.json --engine tcp --set /cluster/transport=nccl_tcp --set /iterations=4 --set /warmup_iterations=1"
)
# As in CMakePresets.json, and tests/README.md says why; nothing to a program without sanitizers.
export LSAN_OPTIONS=intercept_tls_get_addr=0
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# `simulation` is the last member of the file's outermost object, whose members are indented by two.
without_simulation() { sed '/^  "simulation": {$/,/^  }$/d' "$1/result.json"; }

for index in "${!runs[@]}"; do
  read -r scenario arguments <<<"${runs[index]}"
  reference=
  run=0
  for program in "$1" "$@"; do
    run=$((run + 1))
    folder=$results/$index.$run
    # shellcheck disable=SC2086  # the arguments are words
    "$program" run "$root/scenarios/$scenario" $arguments --out "$folder" --quiet >/dev/null
    without_simulation "$folder" >"$folder/compared.json"
    reference=${reference:-$folder}
    for file in compared.json iterations.csv; do
      cmp "$reference/$file" "$folder/$file" || { echo "$program: ${runs[index]} differs from the first run of $1"; exit 1; }
    done
  done
  grep -q '"runs"' "$reference/compared.json" || { echo "${runs[index]}: no runs in the result"; exit 1; }
  echo "${runs[index]}: $run runs, same bytes"
done
