#include "topologies/formats/platform.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/numbers/pair_of.hpp"
#include "base/reject.hpp"
#include "base/texts/number_in.hpp"
#include "topologies/formats/given_network.hpp"
#include "topologies/formats/given_values.hpp"

namespace starling {
namespace {

/// Returns the routes that a file lists.
class GivenRouter final : public Router {
 public:
  void add(const RouteEnds& ends, std::vector<RouteStep> route) {
    longest_ = std::max(longest_, static_cast<int>(route.size()));
    routes_.emplace(pair_of(ends.source_host, ends.destination_host), std::move(route));
  }
  bool has(const RouteEnds& ends) const {
    return routes_.contains(pair_of(ends.source_host, ends.destination_host));
  }

  std::span<const RouteStep> given_route(const RouteEnds& ends) const override {
    return routes_.at(pair_of(ends.source_host, ends.destination_host));
  }
  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    next.push_back(given_route({vertex, destination}).front().to_vertex);
  }
  int diameter() const override { return longest_; }
  bool takes_shortest_paths() const override { return false; }

 private:
  std::unordered_map<std::uint64_t, std::vector<RouteStep>> routes_;
  int longest_ = 0;
};

/// The parts of a link's name, such as "from -> to #2".
struct LinkName {
  std::string from;
  std::string to;
  int number = 1;
};

std::optional<LinkName> parts_of(const std::string& name) {
  const std::size_t arrow = name.find(" -> ");
  if (arrow == std::string::npos || arrow == 0) return std::nullopt;
  LinkName parts{name.substr(0, arrow), name.substr(arrow + 4)};
  if (const std::size_t mark = parts.to.find(" #"); mark != std::string::npos) {
    const auto number = number_in<int>(std::string_view(parts.to).substr(mark + 2));
    if (!number || *number < 2) return std::nullopt;
    parts.number = *number;
    parts.to.resize(mark);
  }
  if (parts.to.empty()) return std::nullopt;
  return parts;
}

pugi::xml_node zone_of(const XmlText& document) {
  const pugi::xml_node zone = document.root().child("zone");
  if (!zone || document.root().find_child(
                   [&](pugi::xml_node child) { return child.type() == pugi::node_element && child != zone; }))
    reject("{}: expected a platform of one zone and nothing else", document.place(document.root()));
  if (document.needed_attribute(zone, "routing") != "Full")
    reject("{}: a zone with routing {}; expected Full, with every route listed", document.place(zone),
           zone.attribute("routing").value());
  for (const pugi::xml_node child : zone.children()) {
    const std::string_view name = child.name();
    if (child.type() == pugi::node_element && name != "host" && name != "link" && name != "route")
      reject("{}: <{}> is not supported; expected host, link and route", document.place(child), name);
  }
  return zone;
}

/// Rejects kinds of SimGrid links that have no counterpart: each of our links is one direction, shared by its
/// messages, with constant bandwidth and latency.
void check_sharing(const XmlText& document, pugi::xml_node link) {
  const std::string place = document.place(link);
  const std::string_view policy = link.attribute("sharing_policy").as_string("SHARED");
  if (policy == "SPLITDUPLEX")
    reject("{}: sharing_policy SPLITDUPLEX; expected a separate link for each direction", place);
  if (policy != "SHARED")
    reject("{}: sharing_policy {}; expected SHARED, as messages share links", place, policy);
  for (const char* file : {"bandwidth_file", "latency_file", "state_file"})
    if (link.attribute(file))
      reject("{}: {} is not supported; expected constant bandwidth and latency", place, file);
}

/// Reads a link; ends that are no known hosts are added as switches.
GivenEdge link_in(const XmlText& document, pugi::xml_node link, NodeNames& names) {
  const std::string place = document.place(link);
  const std::string id = document.needed_attribute(link, "id");
  check_sharing(document, link);
  const std::optional<LinkName> parts = parts_of(id);
  if (!parts) reject("{}: link \"{}\"; expected a name such as \"host0 -> switch0\"", place, id);
  for (const std::string& end : {parts->from, parts->to})
    if (!names.contains(end)) names.add({end, false, place});
  const std::string bandwidth = document.needed_attribute(link, "bandwidth");
  const std::string latency = document.needed_attribute(link, "latency");
  return {.from = names.find(parts->from, place),
          .to = names.find(parts->to, place),
          .link = {given_quantity(bandwidth, Dimension::bandwidth, place, "bandwidth"),
                   given_quantity(latency, Dimension::time, place, "latency")},
          .number = parts->number,
          .place = place};
}

/// The nodes are the hosts, then the other ends of links in the order of the links.
GivenNetwork network_of_zone(const XmlText& document, pugi::xml_node zone) {
  GivenNetwork network{.file = document.name(), .is_directed = true, .nodes = {}, .edges = {}};
  NodeNames names(network);
  for (const pugi::xml_node host : zone.children("host"))
    names.add({document.needed_attribute(host, "id"), true, document.place(host)});
  for (const pugi::xml_node link : zone.children("link"))
    network.edges.push_back(link_in(document, link, names));
  return network;
}

/// Reads the routes between the hosts of a fabric.
class RouteReader {
 public:
  RouteReader(const XmlText& document, const Fabric& fabric) : document_(document), fabric_(fabric) {
    for (std::size_t i = 0; i < fabric.vertices.size(); ++i)
      numbers_[fabric.vertices[i].name] = static_cast<int>(i);
  }

  std::unique_ptr<Router> read(pugi::xml_node zone) {
    for (const pugi::xml_node link : zone.children("link")) {
      const LinkName parts = *parts_of(link.attribute("id").value());
      cables_[{parts.from, parts.to}].insert(parts.number);
    }
    for (const pugi::xml_node host : zone.children("host")) known_hosts_.insert(host.attribute("id").value());
    auto router = std::make_unique<GivenRouter>();
    for (const pugi::xml_node route : zone.children("route")) add(route, *router);
    for (int source = 0; source < fabric_.hosts; ++source)
      for (int destination = 0; destination < fabric_.hosts; ++destination)
        if (source != destination && !router->has({source, destination}))
          reject("{}: no route from {} to {}", document_.place(zone), name_of(source), name_of(destination));
    return router;
  }

 private:
  const std::string& name_of(int vertex) const {
    return fabric_.vertices[static_cast<std::size_t>(vertex)].name;
  }

  /// The vertex of the host that a route's attribute names; nothing if the fabric leaves it out.
  std::optional<int> host_in(pugi::xml_node route, const char* attribute) const {
    const std::string name = document_.needed_attribute(route, attribute);
    if (!known_hosts_.contains(name)) reject("{}: there is no host {}", document_.place(route), name);
    const auto found = numbers_.find(name);
    if (found == numbers_.end() || found->second >= fabric_.hosts) return std::nullopt;
    return found->second;
  }

  void add(pugi::xml_node route, GivenRouter& router) const {
    const std::optional<int> source = host_in(route, "src");
    const std::optional<int> destination = host_in(route, "dst");
    check_begin(route);
    if (!source || !destination) return;
    const std::string place = document_.place(route);
    if (route.attribute("symmetrical").value() != std::string_view("NO"))
      reject("{}: a route without symmetrical=\"NO\"; expected a separate route for each direction", place);
    const RouteEnds ends{*source, *destination};
    if (router.has(ends))
      reject("{}: the route from {} to {} is a duplicate", place, name_of(*source), name_of(*destination));
    router.add(ends, steps_of(route, ends));
  }

  /// Checks that a route begins at its source. Routes of hosts that are left out are checked, too: in a
  /// platform of hosts with several workers, only routes inside a host begin at the worker itself, and those
  /// might be the only ones kept.
  void check_begin(pugi::xml_node route) const {
    const pugi::xml_node link = route.child("link_ctn");
    const std::optional<LinkName> parts = parts_of(link.attribute("id").value());
    const char* source = route.attribute("src").value();
    if (parts && parts->from != source)
      reject(
          "{}: link \"{}\" does not begin at {}, which the route has reached (of hosts with several workers, "
          "only "
          "a GraphML export can be read)",
          document_.place(link), link.attribute("id").value(), source);
  }

  std::vector<RouteStep> steps_of(pugi::xml_node route, const RouteEnds& ends) const {
    std::vector<RouteStep> steps;
    int vertex = ends.source_host;
    for (const pugi::xml_node link : route.children("link_ctn")) {
      const std::string id = document_.needed_attribute(link, "id");
      const LinkName parts = parts_of(id).value_or(LinkName{});
      const std::optional<int> parallel = place_among_cables(parts);
      if (!parallel) reject("{}: there is no link \"{}\"", document_.place(link), id);
      const auto from = numbers_.find(parts.from);
      if (from == numbers_.end() || from->second != vertex)
        reject("{}: link \"{}\" does not begin at {}, which the route has reached", document_.place(link), id,
               name_of(vertex));
      const auto to = numbers_.find(parts.to);
      if (to == numbers_.end())
        reject("{}: the route passes through {}, which is not part of the cluster", document_.place(link),
               parts.to);
      vertex = to->second;
      steps.push_back({vertex, *parallel});
    }
    if (vertex != ends.destination_host)
      reject("{}: the route from {} to {} ends at {}", document_.place(route), name_of(ends.source_host),
             name_of(ends.destination_host), name_of(vertex));
    return steps;
  }

  /// The place of a link among its parallel links, from 0, as their numbers may have gaps; nothing if there
  /// is no such link.
  std::optional<int> place_among_cables(const LinkName& link) const {
    const auto cables = cables_.find({link.from, link.to});
    if (cables == cables_.end()) return std::nullopt;
    const auto number = cables->second.find(link.number);
    if (number == cables->second.end()) return std::nullopt;
    return static_cast<int>(std::distance(cables->second.begin(), number));
  }

  const XmlText& document_;
  const Fabric& fabric_;
  std::unordered_map<std::string, int> numbers_;
  std::map<std::pair<std::string, std::string>, std::set<int>> cables_;  // by their ends
  std::unordered_set<std::string> known_hosts_;
};

void write_route(const Routes& routes, std::span<const std::string> worker_names, Rank source,
                 Rank destination, std::ostream& out) {
  fmt::print(out, "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
             xml_escaped(worker_names[static_cast<std::size_t>(source)]),
             xml_escaped(worker_names[static_cast<std::size_t>(destination)]));
  for (const LinkIndex index : routes.route(source, destination))
    fmt::print(out, "<link_ctn id=\"{}\"/>",
               xml_escaped(routes.links()[static_cast<std::size_t>(index)].name));
  out << "</route>\n";
}

}  // namespace

void write_platform(const Routes& routes, std::span<const std::string> worker_names, std::ostream& out) {
  if (routes.workers() > most_platform_workers) {
    reject(
        "simgrid: {} workers have {:.3g} routes, which must be listed one by one; at most {} workers can be "
        "exported",
        routes.workers(), 1.0 * routes.workers() * (routes.workers() - 1), most_platform_workers);
  }
  out << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n  <zone id=\"starling\" routing=\"Full\">\n";
  for (const std::string& name : worker_names)
    fmt::print(out, "    <host id=\"{}\" speed=\"1Gf\"/>\n", xml_escaped(name));
  for (const Link& link : routes.links())
    fmt::print(out, "    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n", xml_escaped(link.name),
               link.bandwidth_Bps, link.latency_s);
  for (Rank source = 0; source < routes.workers(); ++source)
    for (Rank destination = 0; destination < routes.workers(); ++destination)
      if (source != destination) write_route(routes, worker_names, source, destination, out);
  out << "  </zone>\n</platform>\n";
}

Fabric fabric_of_platform(const XmlText& document, int hosts) {
  const pugi::xml_node zone = zone_of(document);
  Fabric fabric = fabric_of(network_of_zone(document, zone), hosts);
  fabric.router = RouteReader(document, fabric).read(zone);
  return fabric;
}

}  // namespace starling
