#include "topologies/graphs/alternating_graphs.hpp"

#include <algorithm>

#include "base/numbers/power_of_two.hpp"

namespace starling {

AlternatingPairs::AlternatingPairs(int workers)
    : SymmetricGraph({.workers = workers, .period = 2, .is_grouped = true}) {}

void AlternatingPairs::find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  const bool is_upward = (rank + phase(iteration)) % 2 == 0;
  found = {(rank + (is_upward ? 1 : workers() - 1)) % workers()};
}

int AlternatingPairs::out_degree(Rank, std::int64_t) const { return 1; }

AlternatingHosts::AlternatingHosts(int hosts, int workers_per_host)
    : SymmetricGraph({.workers = hosts * workers_per_host, .period = 2 * log2_of(hosts), .is_grouped = true}),
      hosts_(hosts),
      workers_per_host_(workers_per_host) {}

bool AlternatingHosts::is_across(int host, int exponent, bool is_second) const {
  const int lower = std::min(host, host ^ (1 << exponent));
  // Pairs are counted by their lower hosts; each block of 2^(exponent+1) hosts has 2^exponent pairs.
  const int number_in_order = ((lower >> (exponent + 1)) << exponent) + lower % (1 << exponent);
  const int number = exponent * (hosts_ / 2) + number_in_order;
  return (number % 2 == 0) == is_second;
}

void AlternatingHosts::find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  const int host = rank / workers_per_host_;
  const int exponent = phase(iteration) / 2;
  const int partner = host ^ (1 << exponent);
  found.clear();
  if (!is_across(host, exponent, phase(iteration) % 2 == 1)) {
    append_host(host, rank, found);
  } else {
    append_host(std::min(host, partner), rank, found);
    append_host(std::max(host, partner), rank, found);
  }
}

int AlternatingHosts::out_degree(Rank rank, std::int64_t iteration) const {
  const bool both = is_across(rank / workers_per_host_, phase(iteration) / 2, phase(iteration) % 2 == 1);
  return (both ? 2 : 1) * workers_per_host_ - 1;
}

void AlternatingHosts::append_host(int host, Rank but, std::vector<Rank>& found) const {
  const Rank first = host * workers_per_host_;
  for (Rank rank = first; rank < first + workers_per_host_; ++rank) {
    if (rank != but) found.push_back(rank);
  }
}

}  // namespace starling
