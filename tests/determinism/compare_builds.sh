#!/usr/bin/env bash
# Usage: compare_builds.sh PROGRAM PROGRAM...
# Fails unless all programs, built in different ways, write the same result.json (without `simulation`, which is about
# the run itself) and the same iterations.csv for the shipped scenarios below, and the first one does so twice.
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
scenarios=(quickstart stragglers)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# `simulation` is the last member of the file's outermost object, whose members are indented by two.
without_simulation() { sed '/^  "simulation": {$/,/^  }$/d' "$1/result.json"; }

for scenario in "${scenarios[@]}"; do
  reference=
  run=0
  for program in "$1" "$@"; do
    run=$((run + 1))
    folder=$results/$scenario.$run
    "$program" run "$root/scenarios/$scenario.json" --out "$folder" --quiet >/dev/null
    without_simulation "$folder" >"$folder/compared.json"
    reference=${reference:-$folder}
    for file in compared.json iterations.csv; do
      cmp "$reference/$file" "$folder/$file" || { echo "$program: $scenario differs from the first run of $1"; exit 1; }
    done
  done
  grep -q '"runs"' "$reference/compared.json" || { echo "$scenario: no runs in the result"; exit 1; }
  echo "$scenario: $run runs, same bytes"
done
