#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"
#include "small_scenario.hpp"
#include "topologies/layouts/link_options.hpp"
#include "topologies/networks/network_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/imbalance/unit_mean_law.hpp"

namespace starling {

/// Random choices that depend only on the number of the run.
class RandomChoices {
 public:
  explicit RandomChoices(std::uint64_t run) : random_(run, Purpose::schedule) {}

  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound), 0, next_++));
  }
  bool flip() { return below(2) == 1; }
  template <typename Choice>
  Choice one_of(const std::vector<Choice>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }
  /// A number from `least` over so many powers of ten, uniform in its logarithm.
  double magnitude(double least, int powers_of_ten) {
    return least * std::pow(10, powers_of_ten * random_.uniform(0, next_++));
  }

 private:
  CounterRandom random_;
  std::uint64_t next_ = 0;
};

inline NetworkKind random_network(RandomChoices& choices, const LinkOptions& link) {
  switch (choices.below(4)) {
    case 0:
      return RingOptions{.link = link};
    case 1:
      return LeafSpineOptions{.hosts_per_leaf = 2, .spines = 2, .link = link, .oversubscription = 4};
    case 2:
      return HypercubeOptions{.link = link};
    default:
      return StarOptions{.link = link};
  }
}

/// A random scenario under tcp with every algorithm on 4 to 16 workers, whose messages have from one to some
/// hundred frames.
inline Scenario random_scenario(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = small_scenario();
  scenario.engine = Engine::tcp;
  scenario.seed = run;
  scenario.workload.model.tensors = {{"first", 6000}, {"second", 1 + choices.below(400)}};
  scenario.cluster.workers = 4 << choices.below(3);
  scenario.cluster.workers_per_host = 1 << choices.below(2);
  const LinkOptions link{.bandwidth_Bps = choices.magnitude(1e6, 4), .latency_s = choices.magnitude(1e-7, 4)};
  scenario.cluster.network.kind = random_network(choices, link);
  if (scenario.cluster.workers_per_host > 1) scenario.cluster.intra_host_link = LinkOptions{1e9, 1e-6};
  if (choices.flip()) scenario.message_costs.overhead_s = choices.magnitude(1e-7, 4);
  if (choices.flip()) scenario.message_costs.eager_threshold_bytes = choices.magnitude(1, 5);
  // Frames are no larger than windows: smaller ones would take too long.
  scenario.tcp = {.window_bytes = choices.magnitude(100, 4),
                  .frame_bytes = choices.magnitude(100, 2),
                  .acknowledgment_bytes = choices.flip() ? 0 : choices.magnitude(1, 3),
                  .frames_at_first_link = 1 + choices.below(4)};
  if (choices.flip())
    scenario.imbalance = {IndependentDelay{.probability = 0.3, .delay_s = choices.magnitude(1e-4, 3)}};
  if (choices.flip())
    scenario.imbalance.emplace_back(RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3});
  add_all_algorithms(scenario);
  return scenario;
}

}  // namespace starling
