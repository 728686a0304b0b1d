#include "topologies/networks/build_fabric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstddef>
#include <utility>

#include "topologies/layouts/complete.hpp"
#include "topologies/layouts/grid.hpp"
#include "topologies/layouts/option_checks.hpp"
#include "topologies/layouts/switched.hpp"
#include "topologies/layouts/tree.hpp"

namespace starling {
namespace {

void check_link_list(std::string_view where, const std::vector<LinkOptions>& links, std::size_t wanted,
                     std::string_view things) {
  if (links.size() != wanted) {
    reject("{} has {} entries for {} {}; give one for each or none", where, links.size(), wanted, things);
  }
  for (std::size_t index = 0; index < links.size(); ++index)
    check_link(fmt::format("{}[{}]", where, index), links[index]);
}

void check_tree(std::string_view kind, int hosts, std::span<const TreeLevel> levels) {
  const double ports = host_ports(levels);
  if (hosts > ports) {
    reject("{}: there are ports for {:.0f} hosts, the cluster has {}", kind, ports, hosts);
  }
  check_cable_count(kind, tree_cables(levels));
}

/// A network whose vertices are the hosts, or switches with one host each.
template <typename Options>
Fabric finish_direct(std::string_view kind, const Options& options, Fabric fabric) {
  if (!options.switches) {
    if (options.host_link) reject("{}: host_link is given but switches is false; set switches to true", kind);
    return fabric;
  }
  const LinkOptions host_link = options.host_link.value_or(options.link);
  check_link(fmt::format("{}: host_link", kind), host_link);
  return with_switches(std::move(fabric), host_link);
}

template <typename Options>
Fabric build_circle(std::string_view kind, const Options& options, int hosts, bool is_closed) {
  check_link(fmt::format("{}: link", kind), options.link);
  check_cable_count(kind, hosts);
  return finish_direct(kind, options,
                       build_grid(std::vector<GridDimension>{{hosts, is_closed, options.link}}));
}

void check_dimensions(std::string_view kind, const std::vector<int>& sizes, int hosts) {
  if (sizes.empty()) reject("{}: dimensions is empty; give the size of at least one, such as [4, 4]", kind);
  double places = 1;
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    check_at_least(fmt::format("{}: dimensions[{}]", kind, index), sizes[index], 1);
    places *= sizes[index];
  }
  if (places != hosts) {
    reject(
        "{}: dimensions {} have {:.0f} places, the cluster has {} hosts; their product must be the number of "
        "hosts",
        kind, fmt::join(sizes, " x "), places, hosts);
  }
  check_cable_count(kind, places * static_cast<double>(sizes.size()));
}

template <typename Options>
Fabric build_box(std::string_view kind, const Options& options, int hosts, bool is_closed) {
  check_dimensions(kind, options.dimensions, hosts);
  const bool is_alike = options.dimension_links.empty();
  if (is_alike) {
    check_link(fmt::format("{}: link", kind), options.link);
  } else {
    check_link_list(fmt::format("{}: dimension_links", kind), options.dimension_links,
                    options.dimensions.size(), "dimensions");
  }
  std::vector<GridDimension> dimensions;
  for (std::size_t index = 0; index < options.dimensions.size(); ++index) {
    dimensions.push_back(
        {options.dimensions[index], is_closed, is_alike ? options.link : options.dimension_links[index]});
  }
  return finish_direct(kind, options, build_grid(dimensions));
}

class Builder {
 public:
  Builder(int hosts, int nics_per_host) : hosts_(hosts), nics_per_host_(nics_per_host) {}

  Fabric operator()(const StarOptions& options) const {
    if (options.host_links.empty()) {
      check_link("star: link", options.link);
    } else {
      check_link_list("star: host_links", options.host_links, static_cast<std::size_t>(hosts_), "hosts");
    }
    check_cable_count("star", hosts_);
    Fabric fabric = build_tree(hosts_, std::vector<TreeLevel>{{"switch", hosts_, 1, 1, options.link}});
    for (std::size_t host = 0; host < options.host_links.size(); ++host) {
      fabric.cables[host].link = options.host_links[host];
    }
    return fabric;
  }

  Fabric operator()(const RingOptions& options) const { return build_circle("ring", options, hosts_, true); }
  Fabric operator()(const LineOptions& options) const { return build_circle("line", options, hosts_, false); }
  Fabric operator()(const TorusOptions& options) const { return build_box("torus", options, hosts_, true); }
  Fabric operator()(const MeshOptions& options) const { return build_box("mesh", options, hosts_, false); }

  Fabric operator()(const HypercubeOptions& options) const {
    check_link("hypercube: link", options.link);
    const unsigned hosts = static_cast<unsigned>(hosts_);
    if (!std::has_single_bit(hosts)) {
      reject("hypercube: the cluster has {} hosts; their number must be a power of two, such as {} or {}",
             hosts_, std::bit_floor(hosts), 2.0 * std::bit_floor(hosts));
    }
    const int bits = std::countr_zero(hosts);
    check_cable_count("hypercube", 0.5 * hosts_ * bits);
    const std::vector<GridDimension> dimensions(static_cast<std::size_t>(bits), {2, true, options.link});
    return finish_direct("hypercube", options, build_grid(dimensions));
  }

  Fabric operator()(const CompleteOptions& options) const {
    check_link("complete: link", options.link);
    check_cable_count("complete", 0.5 * hosts_ * (hosts_ - 1.0));
    return finish_direct("complete", options, build_complete(hosts_, options.link));
  }

  Fabric operator()(const FatTreeOptions& options) const {
    if (options.k && !options.levels.empty())
      reject("fat_tree: both k and levels are given; give one of them");
    if (!options.k && options.levels.empty())
      reject("fat_tree: neither k nor levels is given; give one of them");
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
  if (k < 2 || k % 2 != 0) reject("fat_tree: k must be even and at least 2, got {}", k);
  check_link("fat_tree: link", link);
  const double ports = 0.25 * k * k * k;
  if (hosts_ > ports) {
    int enough = k;
    while (0.25 * enough * enough * enough < hosts_) enough += 2;
    reject("fat_tree: k = {} has ports for {:.0f} hosts, the cluster has {}; k must be at least {}", k, ports,
           hosts_, enough);
  }
  const std::vector<TreeLevel> levels = {
      {"edge", k / 2, 1, 1, link}, {"aggregation", k / 2, k / 2, 1, link}, {"core", k, k / 2, 1, link}};
  check_cable_count("fat_tree", tree_cables(levels));
  return build_tree(hosts_, levels);
}

Fabric Builder::build_levels(const FatTreeOptions& options) const {
  std::vector<TreeLevel> levels;
  for (const FatTreeLevel& level : options.levels) {
    const std::string where = fmt::format("fat_tree: levels[{}]", levels.size());
    check_at_least(where + ".down", level.down, 1);
    check_at_least(where + ".up", level.up, 1);
    check_at_least(where + ".parallel", level.parallel, 1);
    check_link(level.link ? where + ".link" : "fat_tree: link", level.link.value_or(options.link));
    levels.push_back({fmt::format("level{}_switch", levels.size() + 1), level.down, level.up, level.parallel,
                      level.link.value_or(options.link)});
  }
  check_tree("fat_tree", hosts_, levels);
  return build_tree(hosts_, levels);
}

Fabric Builder::operator()(const LeafSpineOptions& options) const {
  check_at_least("leaf_spine: hosts_per_leaf", options.hosts_per_leaf, 1);
  check_at_least("leaf_spine: spines", options.spines, 1);
  check_link("leaf_spine: link", options.link);
  const int needed = (hosts_ - 1) / options.hosts_per_leaf + 1;
  if (options.leaves) check_at_least("leaf_spine: leaves", *options.leaves, needed);
  const std::vector<TreeLevel> levels = {
      {"leaf", options.hosts_per_leaf, 1, 1, options.link},
      {"spine", options.leaves.value_or(needed), options.spines, 1,
       uplink_of("leaf_spine", options.link, options.hosts_per_leaf, options.spines, options.oversubscription,
                 options.spine_link)}};
  check_tree("leaf_spine", hosts_, levels);
  return build_tree(hosts_, levels);
}

Fabric Builder::operator()(const GraphOptions& options) const {
  check_at_least("graph: switches", options.switches, 0);
  check_cable_count("graph", static_cast<double>(options.cables.size()) + options.switches + hosts_);
  Fabric fabric;
  fabric.hosts = hosts_;
  append_vertices(fabric, VertexKind::host, hosts_, "host");
  append_vertices(fabric, VertexKind::network_switch, options.switches, "switch");
  const int vertices = hosts_ + options.switches;
  for (const GraphCable& cable : options.cables) {
    const std::string where = fmt::format("graph: cables[{}]", fabric.cables.size());
    if (cable.from < 0 || cable.from >= vertices || cable.to < 0 || cable.to >= vertices ||
        cable.from == cable.to) {
      reject("{} joins {} and {}; give two different vertices of 0 to {}", where, cable.from, cable.to,
             vertices - 1);
    }
    check_link(where, cable.link);
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
