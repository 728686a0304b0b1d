#pragma once

#include <vector>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// OnePeerRingGraph in closed form. `workers` must be even.
class AlternatingPairs final : public SymmetricGraph {
 public:
  explicit AlternatingPairs(int workers);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;
};

/// AlternatingExponentialRingGraph in closed form. `hosts` must be a power of two, at least 2.
class AlternatingHosts final : public SymmetricGraph {
 public:
  AlternatingHosts(int hosts, int workers_per_host);

  void find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const override;
  int out_degree(Rank rank, std::int64_t iteration) const override;

 private:
  /// Whether a host averages with the host at distance 2^exponent rather than among its own workers, in the
  /// first or second iteration for that exponent.
  bool is_across(int host, int exponent, bool is_second) const;
  void append_host(int host, Rank but, std::vector<Rank>& found) const;

  int hosts_;
  int workers_per_host_;
};

}  // namespace starling
