#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Which worker asks which to average in AD-PSGD. Workers are active (they ask) or passive (they answer), and
/// active ones ask passive ones only: a worker that waits for an answer is never asked, so waiting cannot
/// form a cycle.
class Pairing {
 public:
  int ranks() const { return static_cast<int>(partners_.size()); }
  bool is_active(Rank rank) const { return !partners_[static_cast<std::size_t>(rank)].empty(); }

  /// The partner that an active worker asks in its averaging n = 0, 1, …
  Rank partner(Rank active, std::int64_t averaging) const;

  /// All partners that an active worker may ever ask, each once, in ascending order.
  std::vector<Rank> all_partners(Rank active) const;
  /// The number of workers that may ever ask this one.
  int askers(Rank passive) const { return askers_[static_cast<std::size_t>(passive)]; }

  /// The published pairing: even ranks are active and ask the workers at distances +1, −1, +(2^k+1), −(2^k+1)
  /// for k = 1 … ⌊log₂(P−1)⌋, in turn. Reference: Lian, Zhang, Zhang, Liu, ICML 2018, and the code of Assran
  /// et al. @throws std::invalid_argument for an odd number of workers other than 1.
  static Pairing exponential(int ranks);

  /// Pairs over the edges of an undirected bipartite graph (iteration 0 of `mixing`). In every connected
  /// component, the workers at an even distance from the lowest rank are active. For every averaging an
  /// active worker draws one of its neighbors, all equally likely. @throws std::invalid_argument if the graph
  /// has a cycle of odd length, or an edge in one direction only.
  static Pairing over_graph(const MixingSchedule& mixing, std::uint64_t seed);

 private:
  explicit Pairing(std::vector<std::vector<Rank>> partners, std::optional<std::uint64_t> seed = {});

  std::vector<std::vector<Rank>> partners_;  // of every rank; empty if it is passive
  std::vector<int> askers_;
  std::optional<std::uint64_t> seed_;  // of the draws of partners; without one they take turns
};

}  // namespace starling
