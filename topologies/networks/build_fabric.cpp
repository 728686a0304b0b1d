#include "topologies/networks/build_fabric.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/rejected_value.hpp"
#include "topologies/layouts/complete.hpp"
#include "topologies/layouts/grid.hpp"
#include "topologies/layouts/option_checks.hpp"
#include "topologies/layouts/switched.hpp"
#include "topologies/layouts/tree.hpp"

namespace starling {
namespace {

/// Finishes a network whose vertices are the hosts, or with `switches` set, switches that have one host each.
template <typename Options>
Fabric finish_direct(const Options& options, Fabric fabric) {
  return options.switches ? with_switches(std::move(fabric), options.host_link.value_or(options.link))
                          : std::move(fabric);
}

template <typename Options>
Fabric build_circle(const Options& options, int hosts, bool is_closed) {
  return finish_direct(options, build_grid(std::vector<GridDimension>{{hosts, is_closed, options.link}}));
}

template <typename Options>
Fabric build_box(std::string_view kind, const Options& options, int hosts, bool is_closed) {
  check_cable_count(kind, static_cast<double>(hosts) * static_cast<double>(options.dimensions.size()));
  const bool is_alike = options.dimension_links.empty();
  std::vector<GridDimension> dimensions;
  for (std::size_t index = 0; index < options.dimensions.size(); ++index) {
    dimensions.push_back(
        {options.dimensions[index], is_closed, is_alike ? options.link : options.dimension_links[index]});
  }
  return finish_direct(options, build_grid(dimensions));
}

[[noreturn]] void reject_cable(std::size_t index, const GraphCable& cable, int vertices) {
  throw RejectedValue(fmt::format("/cables/{}", index),
                      fmt::format("graph: cables[{}] joins {} and {}; give two different vertices of 0 to {}",
                                  index, cable.from, cable.to, vertices - 1));
}

class Builder {
 public:
  Builder(int hosts, int nics_per_host) : hosts_(hosts), nics_per_host_(nics_per_host) {}

  Fabric operator()(const StarOptions& options) const {
    Fabric fabric = build_tree(hosts_, std::vector<TreeLevel>{{"switch", hosts_, 1, 1, options.link}});
    for (std::size_t host = 0; host < options.host_links.size(); ++host) {
      fabric.cables[host].link = options.host_links[host];
    }
    return fabric;
  }

  Fabric operator()(const RingOptions& options) const { return build_circle(options, hosts_, true); }
  Fabric operator()(const LineOptions& options) const { return build_circle(options, hosts_, false); }
  Fabric operator()(const TorusOptions& options) const { return build_box("torus", options, hosts_, true); }
  Fabric operator()(const MeshOptions& options) const { return build_box("mesh", options, hosts_, false); }

  Fabric operator()(const HypercubeOptions& options) const {
    const int bits = std::countr_zero(static_cast<unsigned>(hosts_));
    check_cable_count("hypercube", 0.5 * hosts_ * bits);
    const std::vector<GridDimension> dimensions(static_cast<std::size_t>(bits), {2, true, options.link});
    return finish_direct(options, build_grid(dimensions));
  }

  Fabric operator()(const CompleteOptions& options) const {
    check_cable_count("complete", 0.5 * hosts_ * (hosts_ - 1.0));
    return finish_direct(options, build_complete(hosts_, options.link));
  }

  Fabric operator()(const FatTreeOptions& options) const {
    return options.k ? build_clos(*options.k, options.link) : build_levels(options);
  }

  Fabric operator()(const LeafSpineOptions& options) const;
  Fabric operator()(const DragonflyOptions& options) const { return build_dragonfly(hosts_, options); }
  Fabric operator()(const HammingMeshOptions& options) const { return build_hamming_mesh(hosts_, options); }
  Fabric operator()(const SlimFlyOptions& options) const { return build_slim_fly(hosts_, options); }
  Fabric operator()(const RandomRegularOptions& options) const {
    return build_random_regular(hosts_, options);
  }
  Fabric operator()(const RailOptions& options) const { return build_rails(hosts_, nics_per_host_, options); }
  Fabric operator()(const GraphOptions& options) const;
  Fabric operator()(const FileNetworkOptions& options) const { return build_from_file(hosts_, options); }

 private:
  Fabric build_clos(int k, const LinkOptions& link) const;
  Fabric build_levels(const FatTreeOptions& options) const;

  int hosts_;
  int nics_per_host_;
};

Fabric Builder::build_clos(int k, const LinkOptions& link) const {
  const std::vector<TreeLevel> levels = {
      {"edge", k / 2, 1, 1, link}, {"aggregation", k / 2, k / 2, 1, link}, {"core", k, k / 2, 1, link}};
  check_cable_count("fat_tree", tree_cables(levels));
  return build_tree(hosts_, levels);
}

Fabric Builder::build_levels(const FatTreeOptions& options) const {
  std::vector<TreeLevel> levels;
  for (const FatTreeLevel& level : options.levels) {
    levels.push_back({fmt::format("level{}_switch", levels.size() + 1), level.down, level.up, level.parallel,
                      level.link.value_or(options.link)});
  }
  check_cable_count("fat_tree", tree_cables(levels));
  return build_tree(hosts_, levels);
}

Fabric Builder::operator()(const LeafSpineOptions& options) const {
  const int needed = (hosts_ - 1) / options.hosts_per_leaf + 1;
  const std::vector<TreeLevel> levels = {
      {"leaf", options.hosts_per_leaf, 1, 1, options.link},
      {"spine", options.leaves.value_or(needed), options.spines, 1,
       uplink_of("leaf_spine", options.link, options.hosts_per_leaf, options.spines, options.oversubscription,
                 options.spine_link)}};
  check_cable_count("leaf_spine", tree_cables(levels));
  return build_tree(hosts_, levels);
}

Fabric Builder::operator()(const GraphOptions& options) const {
  check_cable_count("graph", static_cast<double>(options.cables.size()) + options.switches + hosts_);
  Fabric fabric;
  fabric.hosts = hosts_;
  append_vertices(fabric, VertexKind::host, hosts_, "host");
  append_vertices(fabric, VertexKind::network_switch, options.switches, "switch");
  const int vertices = hosts_ + options.switches;
  for (const GraphCable& cable : options.cables) {
    if (cable.from >= vertices || cable.to >= vertices || cable.from == cable.to)
      reject_cable(fabric.cables.size(), cable, vertices);
    fabric.cables.push_back({cable.from, cable.to, cable.link});
  }
  fabric.hosts_forward = options.hosts_forward;
  fabric.preferred_switches = options.preferred_switches;
  return fabric;
}

}  // namespace

Fabric build_fabric(int hosts, const NetworkKind& kind, int nics_per_host) {
  return std::visit(Builder(hosts, nics_per_host), kind);
}

}  // namespace starling
