#!/usr/bin/env bash
# Proves that check_includes.sh accepts a clean tree and rejects each kind of violation.
set -euo pipefail

check=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

clean_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{sim,topologies,workloads,algorithms/{collectives,training},scenarios,analysis,tests/sim}
  printf '#include "sim/types.hpp"\n#include <vector>\n' >"$tree/sim/worker.hpp"
  echo '#include "sim/worker.hpp"' >"$tree/algorithms/collectives/schedule.cpp"
  echo '#include "algorithms/collectives/schedule.hpp"' >"$tree/algorithms/training/ddp.cpp"
  printf '#include <nlohmann/json.hpp>\n#include "sim/event_network.hpp"\n' >"$tree/scenarios/reader.cpp"
  printf '#include "scenarios/reader.hpp"\n#include "analysis/report.hpp"\n' >"$tree/starling.cpp"
  printf '#include <nlohmann/json.hpp>\n#include "probe.hpp"\n' >"$tree/tests/sim/probe_test.cpp"
}

# rejects FILE LINE WORDS: with LINE added to FILE the check must fail at that file, saying WORDS.
rejects() {
  local file=$1 line=$2 words=$3 output
  clean_tree
  echo "$line" >>"$tree/$file"
  if output=$("$check" "$tree"); then
    echo "accepted in $file: $line"
    failures=$((failures + 1))
  elif [[ $output != "$file:"*"$words"* || $output == *$'\n'* ]]; then
    printf 'rejected in %s: %s, but with these words:\n%s\n' "$file" "$line" "$output"
    failures=$((failures + 1))
  fi
}

clean_tree
"$check" "$tree" || { echo "rejected a clean tree"; exit 1; }

below="further down the list"
rejects sim/worker.hpp '#include "topologies/network.hpp"' "$below"
rejects topologies/network.hpp '#include "workloads/workload.hpp"' "$below"
rejects workloads/workload.hpp '#include "algorithms/collectives/schedule.hpp"' "$below"
rejects algorithms/collectives/schedule.cpp '#include "algorithms/training/ddp.hpp"' "$below"
rejects algorithms/training/ddp.cpp '#include "scenarios/scenario.hpp"' "$below"
rejects scenarios/reader.cpp '  #  include <analysis/report.hpp> // why' "$below"
rejects sim/worker.hpp '#include "worker.hpp"' "not the path from the root"
rejects sim/worker.hpp '#include "../scenarios/scenario.hpp"' "not the path from the root"
rejects sim/worker.hpp '#include "tests/sim/probe.hpp"' "not the path from the root"
rejects tests/sim/probe_test.cpp '#include "../../scenarios/reader.hpp"' "not the path from the root"
for header in simulated_world event_network simgrid_network tcp_network network_model; do
  rejects algorithms/training/ddp.cpp "#include \"sim/$header.hpp\"" "only through sim/worker.hpp"
done
rejects algorithms/collectives/schedule.cpp '#include <simgrid/s4u.hpp>' "only through sim/worker.hpp"
rejects algorithms/collectives/schedule.cpp '#include <mpi.h>' "only through sim/worker.hpp"
rejects workloads/model.cpp '#include <nlohmann/json.hpp>' "JSON is read"
rejects starling.cpp '#include <valijson/schema.hpp>' "JSON is read"
rejects utilities.hpp '#include <vector>' "no folder that the list of layers knows"

[[ $failures -eq 0 ]] && echo "every violation is found"
