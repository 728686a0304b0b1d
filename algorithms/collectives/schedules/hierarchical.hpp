#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// All-reduce over H hosts of L workers each (the ranks of a host are consecutive): a ring reduce-scatter
/// inside each host, then for every l an all-reduce of chunk l among the l-th workers of all hosts, then a
/// ring all-gather inside each host.
///
/// Each byte travels between hosts once per host instead of once per worker. With α', β' inside a host, the
/// cost is (L−1)(2α' + m/L·(2β'+γ)) plus an all-reduce of m/L bytes over H hosts; its L instances share the
/// hosts' interfaces, so its β counts L times. This is exact if they share them evenly (flow model). If
/// messages are served one after the other (event model), start-ups overlap with transmissions, which saves
/// up to one α per step between hosts.
///
/// Reference: Mikami et al., "Massively distributed SGD: ImageNet/ResNet-50 training in a flash", 2018.
class HierarchicalAllReduce final : public Schedule {
 public:
  /// `between_larger` and `between_smaller` are all-reduces over the H hosts for the first and the last
  /// chunk of EvenPartition(count, workers_per_host), whose sizes differ by at most one element.
  /// @throws std::invalid_argument unless workers_per_host divides ranks.
  HierarchicalAllReduce(int ranks, std::int64_t count, int workers_per_host,
                        std::unique_ptr<Schedule> between_larger, std::unique_ptr<Schedule> between_smaller);

  std::string name() const override { return "hierarchical all-reduce"; }
  int rounds(Rank rank) const override;
  Round round(Rank rank, int index) const override;

 private:
  const Schedule& between_hosts(int local_rank) const;
  Round inside_host(const RingSchedule& ring, Rank rank, int index) const;

  int workers_per_host_;
  EvenPartition chunks_;
  RingSchedule reduce_scatter_;
  RingSchedule allgather_;
  std::unique_ptr<Schedule> between_larger_;
  std::unique_ptr<Schedule> between_smaller_;
};

}  // namespace starling
