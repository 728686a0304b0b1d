#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "sim/routes.hpp"

namespace starling {

/// The routes of a network between hosts, if the workers of each host share its network cards.
class HostRoutes {
 public:
  /// `routes` must outlive it.
  explicit HostRoutes(const Routes& routes) : routes_(&routes), first_worker_(index_of(routes.hosts())) {
    for (Rank rank = routes.workers() - 1; rank >= 0; --rank)
      first_worker_[index_of(routes.host_of(rank))] = rank;
  }

  int hosts() const { return routes_->hosts(); }
  std::span<const Link> links() const { return routes_->links(); }
  const Link& link(LinkIndex index) const { return links()[index_of(index)]; }
  /// The links from one host to another.
  std::span<const LinkIndex> route(int source, int destination) const {
    return routes_->route(first_worker_[index_of(source)], first_worker_[index_of(destination)]);
  }
  /// The links that routes between hosts use, each once; the ports of workers are not among them.
  std::vector<LinkIndex> used_links() const {
    std::vector<bool> is_used(links().size());
    for (int source = 0; source < hosts(); ++source)
      for (int destination = 0; destination < hosts(); ++destination)
        if (source != destination)
          for (const LinkIndex index : route(source, destination)) is_used[index_of(index)] = true;
    std::vector<LinkIndex> used;
    for (std::size_t index = 0; index < is_used.size(); ++index)
      if (is_used[index]) used.push_back(static_cast<LinkIndex>(index));
    return used;
  }

 private:
  const Routes* routes_;
  std::vector<Rank> first_worker_;  // of each host
};

}  // namespace starling
