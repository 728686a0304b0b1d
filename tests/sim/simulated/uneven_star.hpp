#pragma once

#include <vector>

namespace starling::uneven_star {

/// A star with links of different bandwidths and latencies, and messages between all pairs that start and end
/// at many times. SimGridNetwork and SimGrid's own actors are compared on it. Links 0 … workers−1 lead to the
/// switch, the others from it.
constexpr int workers = 6;

constexpr double bandwidth_Bps(int link) { return 1e9 * (1 + 0.37 * (7 * link % 5)); }
constexpr double latency_s(int link) { return 1e-6 * (1 + 3 * link % 7); }

struct Message {
  int source;
  int destination;
  double at_s;
  int bytes;
};

inline std::vector<Message> messages() {
  std::vector<Message> all;
  for (int i = 0; i < workers; ++i)
    for (int j = 0; j < workers; ++j)
      if (i != j) all.push_back({i, j, 1e-5 * ((3 * i + j) % 7), 100'000 + 30'000 * ((5 * i + 2 * j) % 11)});
  return all;
}

}  // namespace starling::uneven_star
