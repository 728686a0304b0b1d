#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Who asks whom to average in AD-PSGD. Workers are active (they ask) or passive (they answer), and only ask
/// workers of the other kind: so nobody who waits for an answer is ever asked, and no circle of waiting can
/// form.
class Pairing {
 public:
  int ranks() const { return static_cast<int>(partners_.size()); }
  bool is_active(Rank rank) const { return !partners_[static_cast<std::size_t>(rank)].empty(); }

  /// Whom an active worker asks in its averaging number n = 0, 1, …
  Rank partner(Rank active, std::int64_t averaging) const;

  /// All that an active worker may ever ask, each once, ascending.
  std::vector<Rank> all_partners(Rank active) const;
  /// How many workers may ever ask this one.
  int askers(Rank passive) const { return askers_[static_cast<std::size_t>(passive)]; }

  /// The published pairing: even ranks are active and ask the workers at distances +1, −1, +(2^k+1), −(2^k+1)
  /// for k = 1 … ⌊log₂(P−1)⌋, in turn. Reference: Lian, Zhang, Zhang, Liu, ICML 2018, and the code of Assran
  /// et al. @throws std::invalid_argument for an odd number of workers other than 1.
  static Pairing exponential(int ranks);

  /// The edges of an undirected bipartite graph (iteration 0 of `mixing`). Of every component, the workers at
  /// even distance from its lowest rank are active; each draws one of its neighbors for every averaging,
  /// all equally likely. @throws std::invalid_argument if the graph has a circle of odd length, or an edge in
  /// one direction only.
  static Pairing over_graph(const MixingSchedule& mixing, std::uint64_t seed);

 private:
  explicit Pairing(std::vector<std::vector<Rank>> partners, std::optional<std::uint64_t> seed = {});

  std::vector<std::vector<Rank>> partners_;  // per rank; none if passive
  std::vector<int> askers_;
  std::optional<std::uint64_t> seed_;  // draws partners; otherwise they take turns
};

}  // namespace starling
