#pragma once

#include <span>
#include <vector>

#include "sim/messages/message_costs.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A copy of a network on which every message takes `factor` times as long: bandwidths are divided by it,
/// latencies multiplied.
class StretchedRoutes final : public Routes {
 public:
  /// `routes` must outlive this object.
  StretchedRoutes(const Routes& routes, double factor);

  int workers() const override { return routes_.workers(); }
  int hosts() const override { return routes_.hosts(); }
  int host_of(Rank rank) const override { return routes_.host_of(rank); }
  std::span<const Link> links() const override { return links_; }
  std::span<const LinkIndex> route(Rank source, Rank destination) const override {
    return routes_.route(source, destination);
  }

 private:
  const Routes& routes_;
  std::vector<Link> links_;
};

/// Message costs with every time multiplied by `factor`.
MessageCosts stretched(MessageCosts costs, double factor);

}  // namespace starling
