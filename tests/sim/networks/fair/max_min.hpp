#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/networks/small_message.hpp"
#include "sim/routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {

/// A flow to be given a rate: the links it passes, and its weight.
struct FluidFlow {
  std::vector<LinkIndex> links;
  double weight = 1;
};

/// The max-min fair rates by progressive filling, as in textbooks: all rates rise together, in proportion to
/// weights, and those through a link stop when it is full. Takes O(flows · links · hops). Network models are
/// compared with it.
inline std::vector<double> max_min_rates_Bps(const std::vector<double>& capacities_Bps,
                                             const std::vector<FluidFlow>& flows) {
  std::vector<double> rates_Bps(flows.size(), -1);
  for (std::size_t fixed = 0; fixed < flows.size();) {
    std::vector<double> room_Bps = capacities_Bps;
    std::vector<double> open(capacities_Bps.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (const LinkIndex link : flows[f].links) {
        if (rates_Bps[f] >= 0)
          room_Bps[static_cast<std::size_t>(link)] -= rates_Bps[f];
        else
          open[static_cast<std::size_t>(link)] += flows[f].weight;
      }
    std::size_t fullest = capacities_Bps.size();
    for (std::size_t l = 0; l < capacities_Bps.size(); ++l)
      if (open[l] > 0 &&
          (fullest == capacities_Bps.size() || room_Bps[l] * open[fullest] < room_Bps[fullest] * open[l]))
        fullest = l;
    const double level = room_Bps[fullest] / open[fullest];
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rates_Bps[f] >= 0) continue;
      if (std::ranges::count(flows[f].links, static_cast<LinkIndex>(fullest)) == 0) continue;
      rates_Bps[f] = level * flows[f].weight;
      ++fixed;
    }
  }
  return rates_Bps;
}

/// When messages arrive that share links as a fluid, by brute force: all rates are computed anew whenever a
/// message begins or ends to flow. It defines what FairNetwork computes by faster ways. Messages of one
/// connection flow one after the other.
class Fluid {
 public:
  Fluid(const Routes& routes, const std::vector<Sending>& sendings, double queued_at_first_link = 0)
      : routes_(routes), sendings_(sendings), weight_beside_others_(1 / (1 + queued_at_first_link)) {
    for (const Link& link : routes.links()) capacities_Bps_.push_back(link.bandwidth_Bps);
    for (std::size_t i = 0; i < sendings.size(); ++i) starts_.push_back(i);
    std::ranges::stable_sort(starts_, {}, [&](std::size_t i) { return sendings[i].at_s; });
    arrivals_s_.assign(sendings.size(), -1);
  }

  std::vector<double> arrivals_s() {
    while (next_start_ < starts_.size() || !queues_.empty()) step();
    return arrivals_s_;
  }

 private:
  struct Queue {
    std::vector<std::size_t> sendings;
    double rest_bytes = 0;  // of the first of them
  };

  void step() {
    std::vector<FluidFlow> flows;
    for (const auto& [pair, queue] : queues_) {
      const auto route = routes_.route(pair.first, pair.second);
      flows.push_back({.links = {route.begin(), route.end()}});
    }
    weigh(flows);
    const std::vector<double> rates_Bps = max_min_rates_Bps(capacities_Bps_, flows);
    double next_s = next_start_ < starts_.size() ? sendings_[starts_[next_start_]].at_s : infinity;
    std::size_t f = 0;
    for (const auto& [pair, queue] : queues_)
      next_s = std::min(next_s, now_s_ + queue.rest_bytes / rates_Bps[f++]);
    f = 0;
    std::vector<std::pair<Rank, Rank>> ended;
    for (auto& [pair, queue] : queues_) {
      const double rate_Bps = rates_Bps[f++];
      queue.rest_bytes -= rate_Bps * (next_s - now_s_);
      // A message whose rest takes less time than the rounding of the clock has ended.
      if (queue.rest_bytes <= rate_Bps * next_s * 1e-14) ended.push_back(pair);
    }
    now_s_ = next_s;
    for (const auto& pair : ended) end_first(pair);
    while (next_start_ < starts_.size() && sendings_[starts_[next_start_]].at_s <= now_s_)
      start(starts_[next_start_++]);
  }

  /// Gives less weight to flows whose first link is also the first link of others.
  void weigh(std::vector<FluidFlow>& flows) const {
    std::vector<int> flows_from(capacities_Bps_.size(), 0);
    for (const FluidFlow& flow : flows) ++flows_from[static_cast<std::size_t>(flow.links.front())];
    for (FluidFlow& flow : flows)
      if (flows_from[static_cast<std::size_t>(flow.links.front())] > 1) flow.weight = weight_beside_others_;
  }

  void end_first(std::pair<Rank, Rank> pair) {
    Queue& queue = queues_.at(pair);
    do {
      arrive(queue.sendings.front(), 0);
      queue.sendings.erase(queue.sendings.begin());
      if (queue.sendings.empty()) {
        queues_.erase(pair);
        return;
      }
      queue.rest_bytes = sendings_[queue.sendings.front()].bytes;
    } while (queue.rest_bytes == 0);
  }

  void start(std::size_t i) {
    const Sending& sending = sendings_[i];
    const std::pair pair{sending.source, sending.destination};
    if (sending.bytes <= small_message_bytes && !queues_.contains(pair)) return arrive(i, sending.bytes);
    Queue& queue = queues_[pair];
    if (queue.sendings.empty()) queue.rest_bytes = sending.bytes;
    queue.sendings.push_back(i);
  }

  void arrive(std::size_t i, double bytes_alone) {
    double latency_s = 0;
    double s_per_byte = 0;
    for (const LinkIndex index : routes_.route(sendings_[i].source, sendings_[i].destination)) {
      const Link& link = routes_.links()[static_cast<std::size_t>(index)];
      latency_s += link.latency_s;
      s_per_byte = std::max(s_per_byte, 1 / link.bandwidth_Bps);
    }
    arrivals_s_[i] = now_s_ + latency_s + bytes_alone * s_per_byte;
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const Routes& routes_;
  const std::vector<Sending>& sendings_;
  double weight_beside_others_;
  std::vector<double> capacities_Bps_;
  std::vector<std::size_t> starts_;
  std::size_t next_start_ = 0;
  std::map<std::pair<Rank, Rank>, Queue> queues_;
  double now_s_ = 0;
  std::vector<double> arrivals_s_;
};

}  // namespace starling
