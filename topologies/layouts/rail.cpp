#include "topologies/layouts/rail.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/reject.hpp"
#include "topologies/layouts/option_checks.hpp"

namespace starling {
namespace {

/// The order of vertices: the hosts; for each block of hosts one switch per rail; the spines.
struct Rails {
  int hosts = 1;
  int nics = 1;
  int hosts_per_switch = 1;
  int spines = 0;
  CrossRail cross_rail = CrossRail::pxn;

  int blocks() const { return (hosts - 1) / hosts_per_switch + 1; }
  int rail_switch(int host, int nic) const { return hosts + host / hosts_per_switch * nics + nic; }
  int first_spine() const { return hosts + blocks() * nics; }
  double cables() const { return 1.0 * hosts * nics + 1.0 * blocks() * nics * spines; }
};

class RailRouter final : public Router {
 public:
  explicit RailRouter(const Rails& rails) : rails_(rails) {}

  /// Shortest paths, over any card.
  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    if (vertex >= rails_.first_spine()) {
      for (int nic = 0; nic < rails_.nics; ++nic) next.push_back(rails_.rail_switch(destination, nic));
    } else if (vertex >= rails_.hosts) {
      append_up_or_down(destination, block_of(vertex) == destination / rails_.hosts_per_switch, next);
    } else {
      for (int nic = 0; nic < rails_.nics; ++nic) next.push_back(rails_.rail_switch(vertex, nic));
    }
  }

  void next_on_route(const RouteEnds& ends, int vertex, std::vector<int>& next) const override {
    const int last = rails_.rail_switch(ends.destination_host, ends.destination_nic);
    if (vertex < rails_.hosts) {
      next.push_back(rails_.rail_switch(vertex, ends.source_nic));
    } else if (vertex >= rails_.first_spine()) {
      next.push_back(last);
    } else {
      append_up_or_down(ends.destination_host, vertex == last, next);
    }
  }

  int diameter() const override {
    if (rails_.hosts == 1) return 0;
    const bool takes_spines =
        rails_.blocks() > 1 || (rails_.nics > 1 && rails_.cross_rail == CrossRail::spines);
    return takes_spines ? 4 : 2;
  }

 private:
  int block_of(int rail_switch) const { return (rail_switch - rails_.hosts) / rails_.nics; }

  void append_up_or_down(int destination, bool is_down, std::vector<int>& next) const {
    if (is_down) next.push_back(destination);
    for (int spine = 0; !is_down && spine < rails_.spines; ++spine)
      next.push_back(rails_.first_spine() + spine);
  }

  Rails rails_;
};

Rails rails_of(int hosts, int nics_per_host, const RailOptions& options) {
  const Rails rails = {hosts, nics_per_host, options.hosts_per_switch.value_or(hosts), options.spines,
                       options.cross_rail};
  if (rails.spines == 0 && (options.oversubscription || options.spine_link))
    reject("rail: {} is given, but there are no spines; give spines, or leave it out",
           options.spine_link ? "spine_link" : "oversubscription");
  check_cable_count("rail", rails.cables());
  return rails;
}

void describe_spine_link(RailOptions& options, OptionVisitor& visitor) {
  visitor.at_most_one("oversubscription", "spine_link");
  visitor.object(
      {"spine_link", "link from a rail switch to a spine switch", "follows from `oversubscription`"},
      options.spine_link);
  visitor.number({"oversubscription",
                  "a rail switch's bandwidth to its hosts over its bandwidth to the spines; determines the "
                  "bandwidth of links from rail switch to spine",
                  "1, without `spine_link`"},
                 options.oversubscription, {.least = 1e-6, .greatest = 1e6});
}

void append_rail_switches(const Rails& rails, Fabric& fabric) {
  for (int block = 0; block < rails.blocks(); ++block) {
    for (int nic = 0; nic < rails.nics; ++nic) {
      fabric.vertices.push_back({VertexKind::network_switch, rails.blocks() == 1
                                                                 ? fmt::format("rail{}", nic)
                                                                 : fmt::format("rail{}_{}", nic, block)});
    }
  }
}

void append_spine_cables(const Rails& rails, const LinkOptions& link, Fabric& fabric) {
  for (int rail_switch = rails.hosts; rail_switch < rails.first_spine(); ++rail_switch) {
    for (int spine = 0; spine < rails.spines; ++spine)
      fabric.cables.push_back({rail_switch, rails.first_spine() + spine, link});
  }
}

}  // namespace

void describe_kind(RailOptions& options, int hosts, OptionVisitor& visitor) {
  describe_needed_link(visitor, "link from a network card to its rail switch", options.link);
  const int hosts_per_switch =
      described_size(visitor, {"hosts_per_switch", "number of hosts that each rail switch connects", "all"},
                     options.hosts_per_switch, hosts, port_range, hosts > 0);
  const int blocks = hosts > 0 ? (hosts - 1) / hosts_per_switch + 1 : 1;
  visitor.integer({"spines", "number of spine switches, each connected to every rail switch"}, options.spines,
                  {0, most_ports});
  visitor.require(
      options.spines > 0 || blocks == 1, "",
      fmt::format("{} hosts on rail switches for {} hosts each are not connected", hosts, hosts_per_switch),
      "\"spines\"");
  describe_spine_link(options, visitor);
  visitor.choice({"cross_rail",
                  "how a message reaches another rail: `pxn`: inside its host, to the worker whose card is "
                  "on that rail, as NCCL does; `spines`: over the spine switches"},
                 options.cross_rail, {{"pxn", CrossRail::pxn}, {"spines", CrossRail::spines}});
  visitor.require(options.spines > 0 || options.cross_rail == CrossRail::pxn, "cross_rail",
                  "there are no spines", "\"pxn\", or \"spines\" of at least 1");
}

Fabric build_rails(int hosts, int nics_per_host, const RailOptions& options) {
  const Rails rails = rails_of(hosts, nics_per_host, options);
  Fabric fabric;
  fabric.hosts = hosts;
  append_vertices(fabric, VertexKind::host, hosts, "host");
  append_rail_switches(rails, fabric);
  append_vertices(fabric, VertexKind::network_switch, rails.spines, "spine");
  for (int host = 0; host < hosts; ++host) {
    for (int nic = 0; nic < nics_per_host; ++nic)
      fabric.cables.push_back({host, rails.rail_switch(host, nic), options.link});
  }
  if (rails.spines > 0)
    append_spine_cables(rails,
                        uplink_of("rail", options.link, rails.hosts_per_switch, rails.spines,
                                  options.oversubscription, options.spine_link),
                        fabric);
  fabric.nics_per_host = nics_per_host;
  fabric.changes_nics_inside_hosts = options.cross_rail == CrossRail::pxn;
  fabric.router = std::make_unique<RailRouter>(rails);
  return fabric;
}

}  // namespace starling
