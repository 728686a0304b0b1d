#include "topologies/layouts/random_regular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/numbers/pair_of.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"
#include "topologies/layouts/option_checks.hpp"
#include "topologies/layouts/reachability.hpp"

namespace starling {
namespace {

constexpr int most_switch_ports = 1024;
constexpr int most_attempts = 100;

/// Joins switches at random until at most one port is free.
class RandomCables {
 public:
  using Pair = std::pair<int, int>;

  RandomCables(int switches, int degree, const CounterRandom& random, int attempt)
      : degree_(static_cast<std::size_t>(degree)),
        random_(random),
        attempt_(static_cast<std::uint32_t>(attempt)),
        free_ports_(static_cast<std::size_t>(switches), 0),
        place_(static_cast<std::size_t>(switches)) {
    for (int vertex = 0; vertex < switches; ++vertex) add_free_ports(vertex, degree);
  }

  /// All pairs of joined switches; empty if two free ports remain that cannot be used.
  std::vector<Pair> draw() {
    while (join_two_open()) {
    }
    while (free_port_count() > 1) {
      if (!insert_into_a_cable()) return {};
    }
    return pairs_;
  }

 private:
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(random_.below(bound, attempt_, draws_++));
  }

  static std::uint64_t key(int one, int other) { return pair_of(std::min(one, other), std::max(one, other)); }
  bool may_join(int one, int other) const { return one != other && !joined_.contains(key(one, other)); }

  int& free_ports(int vertex) { return free_ports_[static_cast<std::size_t>(vertex)]; }
  int free_port_count() {
    int count = 0;
    for (const int vertex : open_) count += free_ports(vertex);
    return count;
  }

  void add_free_ports(int vertex, int count) {
    if (free_ports(vertex) == 0 && count > 0) {
      place_[static_cast<std::size_t>(vertex)] = open_.size();
      open_.push_back(vertex);
    }
    free_ports(vertex) += count;
  }
  void take_free_port(int vertex) {
    if (--free_ports(vertex) > 0) return;
    const std::size_t place = place_[static_cast<std::size_t>(vertex)];
    open_[place] = open_.back();
    place_[static_cast<std::size_t>(open_[place])] = place;
    open_.pop_back();
  }

  void join(int one, int other) {
    joined_.insert(key(one, other));
    pairs_.emplace_back(one, other);
    take_free_port(one);
    take_free_port(other);
  }

  /// Joins two switches with free ports that are not yet joined. False if there are none. As long as more
  /// than `degree_` switches have free ports, two of them are not joined, so rejection sampling ends.
  bool join_two_open() {
    while (open_.size() > degree_) {
      const int one = open_[below(open_.size())];
      const int other = open_[below(open_.size())];
      if (!may_join(one, other)) continue;
      join(one, other);
      return true;
    }
    std::vector<Pair> candidates;
    for (std::size_t one = 0; one < open_.size(); ++one) {
      for (std::size_t other = 0; other < one; ++other)
        if (may_join(open_[one], open_[other])) candidates.emplace_back(open_[one], open_[other]);
    }
    if (candidates.empty()) return false;
    const auto [one, other] = candidates[below(candidates.size())];
    join(one, other);
    return true;
  }

  /// Removes a cable and joins its ends to two switches with free ports, or to the only switch that has any.
  /// False if no cable fits.
  bool insert_into_a_cable() {
    const int one = open_.front();
    const int other = free_ports(one) > 1 ? one : open_[1];
    if (pairs_.empty()) return false;
    const std::size_t start = below(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[(start + i) % pairs_.size()];
      const auto [from, to] = pair;
      if (!may_join(one, from) || !may_join(other, to) || other == from || one == to) continue;
      joined_.erase(key(from, to));
      std::swap(pair, pairs_.back());
      pairs_.pop_back();
      add_free_ports(from, 1);
      add_free_ports(to, 1);
      join(one, from);
      join(other, to);
      return true;
    }
    return false;
  }

  std::size_t degree_;
  const CounterRandom& random_;
  std::uint32_t attempt_;
  std::uint64_t draws_ = 0;
  std::vector<int> free_ports_;
  std::vector<int> open_;           // switches with free ports
  std::vector<std::size_t> place_;  // of each of them in open_
  std::vector<Pair> pairs_;
  std::unordered_set<std::uint64_t> joined_;
};

std::vector<Cable> cables_of(const std::vector<RandomCables::Pair>& pairs, const LinkOptions& link) {
  std::vector<Cable> cables;
  for (const auto& [one, other] : pairs) cables.push_back({one, other, link});
  return cables;
}

/// The cables between switches, which are numbered from 0 here.
std::vector<Cable> connected_cables(int switches, int degree, std::uint64_t seed, const LinkOptions& link) {
  const CounterRandom random(seed, Purpose::cables);
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::vector<Cable> cables = cables_of(RandomCables(switches, degree, random, attempt).draw(), link);
    const std::vector<bool> is_reached = reached_from(0, switches, cables);
    if (std::ranges::find(is_reached, false) == is_reached.end()) return cables;
  }
  reject(
      "random_regular: none of {} random networks of {} switches with {} ports to other switches is "
      "connected; give switches more ports{}",
      most_attempts, switches, degree, degree < 2 ? "" : ", or another seed");
}

int switches_for(int hosts, int hosts_per_switch) { return (hosts - 1) / hosts_per_switch + 1; }

void require_fitting(const RandomRegularOptions& options, int hosts, int switches, int needed,
                     OptionVisitor& visitor) {
  const int degree = options.ports - options.hosts_per_switch;
  visitor.require(switches >= needed, "switches", fmt::format("{} hosts do not fit", hosts),
                  fmt::format("at least {}", needed));
  visitor.require(
      switches <= 1 || degree < switches, "ports",
      fmt::format("a switch has {} ports to other switches, of which there are {}", degree, switches - 1),
      "fewer ports, or more hosts per switch");
}

void describe_switches(RandomRegularOptions& options, int hosts, OptionVisitor& visitor) {
  constexpr IntegerRange range{1, most_switch_ports};
  visitor.integer({.key = "ports",
                   .meaning = "ports of each switch, to hosts and to other switches together",
                   .is_needed = true},
                  options.ports, range);
  visitor.integer({.key = "hosts_per_switch", .meaning = "ports of each switch to hosts", .is_needed = true},
                  options.hosts_per_switch, range);
  visitor.require(options.ports >= options.hosts_per_switch, "hosts_per_switch",
                  "more than the switch's ports", fmt::format("at most {}", options.ports));
  const int needed =
      hosts > 0 && options.hosts_per_switch > 0 ? switches_for(hosts, options.hosts_per_switch) : 0;
  const int switches =
      described_size(visitor,
                     {"switches", "number of switches, each connected to ports − hosts_per_switch others",
                      "as many as the hosts need"},
                     options.switches, needed, port_range, needed > 0);
  require_fitting(options, hosts, switches, needed, visitor);
}

}  // namespace

void describe_kind(RandomRegularOptions& options, int hosts, OptionVisitor& visitor) {
  describe_switches(options, hosts, visitor);
  visitor.integer({"seed", "seed of the random cables; independent of the scenario's seed"}, options.seed,
                  {.least = 0});
  describe_needed_link(visitor, "link from a host to its switch", options.link);
  visitor.object({"switch_link", "link between switches", "as `link`"}, options.switch_link);
}

Fabric build_random_regular(int hosts, const RandomRegularOptions& options) {
  const int switches = options.switches.value_or(switches_for(hosts, options.hosts_per_switch));
  const int degree = switches > 1 ? options.ports - options.hosts_per_switch : 0;
  const LinkOptions switch_link = options.switch_link.value_or(options.link);
  check_cable_count("random_regular", hosts + 0.5 * switches * degree);
  Fabric fabric = hosts_on_switches(hosts, options.hosts_per_switch, options.link, switches, "switch");
  for (const Cable& cable : connected_cables(switches, degree, options.seed, switch_link))
    fabric.cables.push_back({hosts + cable.from, hosts + cable.to, cable.link});
  return fabric;
}

}  // namespace starling
