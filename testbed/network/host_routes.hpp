#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"

namespace starling {

/// A network's routes as hosts see them, whose workers share a network card.
class HostRoutes {
 public:
  /// `routes` must outlive it.
  explicit HostRoutes(const Routes& routes) : routes_(&routes), first_worker_(to_size(routes.hosts())) {
    for (Rank rank = routes.workers() - 1; rank >= 0; --rank)
      first_worker_[to_size(routes.host_of(rank))] = rank;
  }

  int hosts() const { return routes_->hosts(); }
  std::span<const Link> links() const { return routes_->links(); }
  const Link& link(LinkIndex index) const { return links()[to_size(index)]; }
  /// The links from one host to another.
  std::span<const LinkIndex> route(int source, int destination) const {
    return routes_->route(first_worker_[to_size(source)], first_worker_[to_size(destination)]);
  }
  /// Those that routes between hosts use, each once: not the ports of a host's workers.
  std::vector<LinkIndex> used_links() const {
    std::vector<bool> is_used(links().size());
    for (int source = 0; source < hosts(); ++source)
      for (int destination = 0; destination < hosts(); ++destination)
        if (source != destination)
          for (const LinkIndex index : route(source, destination)) is_used[to_size(index)] = true;
    std::vector<LinkIndex> used;
    for (std::size_t index = 0; index < is_used.size(); ++index)
      if (is_used[index]) used.push_back(static_cast<LinkIndex>(index));
    return used;
  }

 private:
  static std::size_t to_size(int index) { return static_cast<std::size_t>(index); }

  const Routes* routes_;
  std::vector<Rank> first_worker_;  // of each host
};

}  // namespace starling
