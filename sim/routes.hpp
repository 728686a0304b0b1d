#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/types.hpp"

namespace starling {

using LinkIndex = std::int32_t;

/// One direction of a cable between two vertices (workers, hosts or switches) of a network.
struct Link {
  std::string name;
  std::int32_t from_vertex = 0;
  std::int32_t to_vertex = 0;
  double bandwidth_Bps = 0;
  double latency_s = 0;
  /// True if some worker's messages start on this link (its from_vertex is a worker or a host).
  bool is_entry = false;
};

/// A route summarized as a single link: the sum of the latencies and the least bandwidth.
struct RouteSummary {
  double latency_s = 0;
  double least_bandwidth_Bps = std::numeric_limits<double>::infinity();
  LinkIndex slowest = 0;  // the first link with the least bandwidth

  double s_per_byte() const { return 1 / least_bandwidth_Bps; }
};

/// What a network model needs to know of a cluster: its links, and the route of a message.
class Routes {
 public:
  virtual ~Routes() = default;

  virtual int workers() const = 0;
  virtual int hosts() const = 0;
  virtual int host_of(Rank rank) const = 0;

  virtual std::span<const Link> links() const = 0;

  /// The links from `source` to `destination`, which must differ, in order of travel. The route is never
  /// empty and the same on every call. The span stays valid as long as this object lives.
  virtual std::span<const LinkIndex> route(Rank source, Rank destination) const = 0;

  /// The route as one link; O(links of the route).
  RouteSummary summary(Rank source, Rank destination) const { return summary(route(source, destination)); }
  RouteSummary summary(std::span<const LinkIndex> route) const {
    RouteSummary summary;
    for (const LinkIndex index : route) {
      const Link& link = links()[static_cast<std::size_t>(index)];
      summary.latency_s += link.latency_s;
      if (link.bandwidth_Bps >= summary.least_bandwidth_Bps) continue;
      summary.least_bandwidth_Bps = link.bandwidth_Bps;
      summary.slowest = index;
    }
    return summary;
  }
};

}  // namespace starling
