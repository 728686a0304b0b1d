#include "topologies/layouts/slim_fly.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/reject.hpp"
#include "topologies/layouts/galois_field.hpp"
#include "topologies/layouts/option_checks.hpp"

namespace starling {
namespace {

constexpr int least_q = 3;
constexpr int most_q = 256;

int delta_of(int q) { return q % 4 == 3 ? -1 : q % 4; }
bool is_order(int q) { return q >= least_q && prime_of_power(q).has_value(); }
int network_ports(int q) { return (3 * q - delta_of(q)) / 2; }
int balanced_hosts(int q) { return (network_ports(q) + 1) / 2; }

/// The least q with room for the hosts, with `hosts_per_switch` on each switch, by default the balanced
/// number.
int least_order(int hosts, std::optional<int> hosts_per_switch) {
  int q = least_q;
  while (!is_order(q) || 2.0 * q * q * hosts_per_switch.value_or(balanced_hosts(q)) < hosts) ++q;
  return q;
}

/// The McKay–Miller–Širáň graph, whose vertices are the switches.
class MmsGraph {
 public:
  explicit MmsGraph(int q) : field_(q) {
    generators_.fill(std::vector<bool>(static_cast<std::size_t>(q), false));
    const int w = (q + 1) / 4;
    for (int i = 0; i < (q - delta_of(q)) / 2; ++i) {
      const int exponent = delta_of(q) == -1 && i >= w ? 2 * i - 1 : 2 * i;
      generators_[0][static_cast<std::size_t>(field_.power(exponent))] = true;
      generators_[1][static_cast<std::size_t>(field_.power(exponent + 1))] = true;
    }
  }

  int switches() const { return 2 * q() * q(); }

  bool are_joined(int one, int other) const {
    const Place from = place_of(one);
    const Place to = place_of(other);
    if (from.part != to.part)
      return from.part == 0 ? column_on(from, to.group) == to.column : are_joined(other, one);
    return from.group == to.group && are_joined_in_group(from.part, from.column, to.column);
  }

  /// The switches with greater numbers that are joined to switch `number`.
  std::vector<int> joined_after(int number) const {
    const Place from = place_of(number);
    std::vector<int> joined;
    for (int column = from.column + 1; column < q(); ++column)
      if (are_joined_in_group(from.part, from.column, column))
        joined.push_back(number_of({from.part, from.group, column}));
    for (int group = 0; from.part == 0 && group < q(); ++group)
      joined.push_back(number_of({1, group, column_on(from, group)}));
    return joined;
  }

  /// Appends every switch that is joined to both. The two must be different and not joined.
  void append_between(int one, int other, std::vector<int>& between) const {
    const Place from = place_of(one);
    const Place to = place_of(other);
    if (from.part != to.part) return append_beside(from, to, between);
    if (from.group == to.group) return append_in_group(from, to, between);
    // The line through two points, or the point where two lines intersect.
    const int group = field_.quotient(field_.difference(from.column, to.column), step_between(from, to));
    between.push_back(number_of({1 - from.part, group, column_on(from, group)}));
  }

 private:
  /// (0, x, y), a point, or (1, m, c), the line y = mx + c.
  struct Place {
    int part;
    int group;   // x, or m
    int column;  // y, or c
  };

  int q() const { return field_.size(); }
  Place place_of(int number) const { return {number / (q() * q()), number / q() % q(), number % q()}; }
  int number_of(const Place& place) const { return (place.part * q() + place.group) * q() + place.column; }

  /// The column of the switch in `group` of the other part that is joined to `place`: c = y − mx, or y = mx +
  /// c.
  int column_on(const Place& place, int group) const {
    const int product = field_.product(place.group, group);
    return place.part == 0 ? field_.difference(place.column, product) : field_.sum(place.column, product);
  }

  /// x − x', or m' − m: the divisor of the difference of the columns.
  int step_between(const Place& from, const Place& to) const {
    return from.part == 0 ? field_.difference(from.group, to.group) : field_.difference(to.group, from.group);
  }

  bool are_joined_in_group(int part, int column, int other) const {
    return generators_[static_cast<std::size_t>(part)]
                      [static_cast<std::size_t>(field_.difference(column, other))];
  }

  void append_in_group(const Place& from, const Place& to, std::vector<int>& between) const {
    for (int column = 0; column < q(); ++column)
      if (are_joined_in_group(from.part, from.column, column) &&
          are_joined_in_group(from.part, column, to.column))
        between.push_back(number_of({from.part, from.group, column}));
  }

  /// Appends the neighbors that a point and a line share: the point of the same x on the line, and the line
  /// of the same m through the point, if these are joined within their group.
  void append_beside(const Place& from, const Place& to, std::vector<int>& between) const {
    const int near = column_on(to, from.group);
    if (are_joined_in_group(from.part, from.column, near))
      between.push_back(number_of({from.part, from.group, near}));
    const int far = column_on(from, to.group);
    if (are_joined_in_group(to.part, far, to.column)) between.push_back(number_of({to.part, to.group, far}));
  }

  GaloisField field_;
  std::array<std::vector<bool>, 2> generators_;  // X and ξX
};

class SlimFlyRouter final : public Router {
 public:
  SlimFlyRouter(int hosts, int hosts_per_switch, MmsGraph graph)
      : hosts_(hosts), hosts_per_switch_(hosts_per_switch), graph_(std::move(graph)) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    const int last = destination / hosts_per_switch_;
    if (vertex < hosts_) return next.push_back(hosts_ + vertex / hosts_per_switch_);
    const int from = vertex - hosts_;
    if (from == last) return next.push_back(destination);
    if (graph_.are_joined(from, last)) return next.push_back(hosts_ + last);
    const std::size_t first = next.size();
    graph_.append_between(from, last, next);
    for (std::size_t i = first; i < next.size(); ++i) next[i] += hosts_;
  }

  int diameter() const override {
    if (hosts_ == 1) return 0;
    const int used = (hosts_ - 1) / hosts_per_switch_ + 1;
    for (int one = 0; one < used; ++one)
      for (int other = 0; other < one; ++other)
        if (!graph_.are_joined(one, other)) return 4;
    return used > 1 ? 3 : 2;
  }

 private:
  int hosts_;
  int hosts_per_switch_;
  MmsGraph graph_;
};

void check_order(int q) {
  if (!is_order(q) || q > most_q)
    reject("slim_fly: q must be a prime power from {} to {}, got {}", least_q, most_q, q);
}

}  // namespace

void describe_kind(SlimFlyOptions& options, int hosts, OptionVisitor& visitor) {
  visitor.integer({"q", "a prime power; there are 2q² switches", "the smallest with room for the hosts"},
                  options.q, {least_q, most_q});
  visitor.require(!options.q || is_order(*options.q), "q", "is not a prime power",
                  "a prime power, such as 5, 7, 8, 9, 11 or 13");
  visitor.integer({"hosts_per_switch", "p: hosts of each switch",
                   "half the number of cables from a switch to other switches, rounded up"},
                  options.hosts_per_switch, port_range);
  if (hosts > 0 && options.q && is_order(*options.q)) {
    const int hosts_per_switch = options.hosts_per_switch.value_or(balanced_hosts(*options.q));
    visitor.require(2.0 * *options.q * *options.q * hosts_per_switch >= hosts, "q",
                    fmt::format("{} hosts do not fit", hosts),
                    fmt::format("at least {}", least_order(hosts, options.hosts_per_switch)));
  }
  describe_needed_link(visitor, "link from a host to its switch", options.link);
  visitor.object({"switch_link", "link between switches", "as `link`"}, options.switch_link);
}

Fabric build_slim_fly(int hosts, const SlimFlyOptions& options) {
  const int q = options.q.value_or(least_order(hosts, options.hosts_per_switch));
  check_order(q);
  const int hosts_per_switch = options.hosts_per_switch.value_or(balanced_hosts(q));
  const LinkOptions switch_link = options.switch_link.value_or(options.link);
  check_cable_count("slim_fly", hosts + 1.0 * q * q * network_ports(q));
  MmsGraph graph(q);
  Fabric fabric = hosts_on_switches(hosts, hosts_per_switch, options.link, graph.switches(), "switch");
  for (int number = 0; number < graph.switches(); ++number)
    for (const int other : graph.joined_after(number))
      fabric.cables.push_back({hosts + number, hosts + other, switch_link});
  fabric.router = std::make_unique<SlimFlyRouter>(hosts, hosts_per_switch, std::move(graph));
  return fabric;
}

}  // namespace starling
