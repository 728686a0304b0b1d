#!/usr/bin/env bash
# Usage: check_includes.sh ROOT
# Fails, and names file and line, where a source under ROOT includes something it may not:
#  - a folder further down the list below, or anything not named by its path from ROOT (tests/ and benchmarks/ may name
#    what lies beside them);
#  - in algorithms/: the machine that workers run on, real or simulated;
#  - outside scenarios/, analysis/ and tests/: a JSON library.
set -euo pipefail
cd -- "$1"

layers="sim topologies workloads algorithms/collectives algorithms/training scenarios testbed analysis starling.cpp"

sources() {
  find . -name build -prune -o -type f \( -name '*.hpp' -o -name '*.cpp' \) -print | sed 's|^\./||' | LC_ALL=C sort
}

mapfile -t files < <(sources)
[[ ${#files[@]} -gt 0 ]] || { echo "no sources under $1"; exit 1; }

awk -v layers="$layers" '
  function complain(text) {
    printf "%s:%d: %s may not include %s: %s\n", FILENAME, FNR, place, included, text
    failures++
  }
  # The position of the layer that a path belongs to; 0 if it belongs to none.
  function layer_of(path,   i) {
    for (i = 1; i <= layer_count; i++)
      if (path == layer[i] || index(path, layer[i] "/") == 1) return i
    return 0
  }

  BEGIN { layer_count = split(layers, layer, " ") }

  FNR == 1 {
    mine = layer_of(FILENAME)
    place = mine ? layer[mine] : FILENAME
    is_outside = FILENAME ~ /^(tests|benchmarks)\//
    if (!mine && !is_outside) {
      printf "%s:1: is in no folder that the list of layers knows: %s\n", FILENAME, layers
      failures++
    }
  }

  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    is_quoted = $0 ~ /^[^"<]*"/
    included = $0
    sub(/^[^"<]*["<]/, "", included)
    sub(/[">].*$/, "", included)
    theirs = layer_of(included)

    if (is_quoted && !theirs && (!is_outside || included ~ /^\.\./))
      complain("it is not the path from the root to a folder of the list")
    if (!is_outside && theirs > mine) complain("it is further down the list " layers)
    if (FILENAME ~ /^algorithms\// && included ~ /^sim\/(simulated_world|native_world|mpi_job|event_network|simgrid_network|tcp_network|network_model)\.hpp$/)
      complain("algorithms see the machine only through sim/worker.hpp")
    if (FILENAME ~ /^algorithms\// && included ~ /^(simgrid\/|smpi\/|mpi\.h$)/)
      complain("algorithms see the machine only through sim/worker.hpp")
    if (FILENAME !~ /^(scenarios|analysis|tests)\// && included ~ /^(nlohmann|valijson)\//)
      complain("JSON is read and written in scenarios/ and analysis/ only")
  }

  END { exit failures > 0 }
' "${files[@]}"
