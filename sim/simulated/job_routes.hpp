#pragma once

#include <utility>
#include <vector>

#include "sim/routes.hpp"

namespace starling {

/// A job's view of the network that several jobs share: its own workers, as ranks 0 … n−1, and the routes
/// between them.
class JobRoutes final : public Routes {
 public:
  /// Rank r of the job is worker workers[r] of `network`, which must outlive this object.
  JobRoutes(const Routes& network, std::vector<Rank> workers)
      : network_(network), workers_(std::move(workers)) {}

  int workers() const override { return static_cast<int>(workers_.size()); }
  int hosts() const override { return network_.hosts(); }
  int host_of(Rank rank) const override { return network_.host_of(network_rank(rank)); }
  std::span<const Link> links() const override { return network_.links(); }
  std::span<const LinkIndex> route(Rank source, Rank destination) const override {
    return network_.route(network_rank(source), network_rank(destination));
  }

  /// The network ranks of the job's ranks 0 … n−1.
  std::span<const Rank> network_ranks() const { return workers_; }
  /// The network rank of a rank of the job.
  Rank network_rank(Rank rank) const { return workers_[static_cast<std::size_t>(rank)]; }

 private:
  const Routes& network_;
  std::vector<Rank> workers_;
};

}  // namespace starling
