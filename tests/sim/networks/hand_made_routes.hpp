#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/routes.hpp"

namespace starling {

/// A network for tests, written down link by link: one worker per host.
class HandMadeRoutes : public Routes {
 public:
  explicit HandMadeRoutes(int workers) : workers_(workers) {}

  LinkIndex add_link(int from, int to, double bandwidth_Bps, double latency_s) {
    links_.push_back({"", from, to, bandwidth_Bps, latency_s, from < workers_});
    return static_cast<LinkIndex>(links_.size() - 1);
  }
  void add_route(Rank source, Rank destination, std::vector<LinkIndex> links) {
    routes_[{source, destination}] = std::move(links);
  }
  void forget_latencies() {
    for (Link& link : links_) link.latency_s = 0;
  }

  int workers() const override { return workers_; }
  int hosts() const override { return workers_; }
  int host_of(Rank rank) const override { return rank; }
  std::span<const Link> links() const override { return links_; }
  std::span<const LinkIndex> route(Rank source, Rank destination) const override {
    return routes_.at({source, destination});
  }

  /// Every worker has one link to a switch and one from it.
  static HandMadeRoutes star(int workers, double bandwidth_Bps, double latency_s) {
    HandMadeRoutes routes(workers);
    for (int i = 0; i < workers; ++i) routes.add_link(i, workers, bandwidth_Bps, latency_s);
    for (int i = 0; i < workers; ++i) routes.add_link(workers, i, bandwidth_Bps, latency_s);
    for (int i = 0; i < workers; ++i)
      for (int j = 0; j < workers; ++j)
        if (i != j) routes.add_route(i, j, {i, workers + j});
    return routes;
  }

 private:
  int workers_;
  std::vector<Link> links_;
  std::map<std::pair<Rank, Rank>, std::vector<LinkIndex>> routes_;
};

}  // namespace starling
