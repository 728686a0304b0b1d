#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/collectives/schedules/grouped_schedule.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "sim/worker.hpp"
#include "topologies/graphs/mixing_schedule.hpp"
#include "workloads/learning/replica.hpp"

namespace starling {

/// Workers of a host that train one model together; each host's first worker speaks for it.
class HostSharing {
 public:
  HostSharing(const Workload& workload, const ClusterFacts& facts);

  int members(Rank rank) const { return static_cast<int>(hosts_.members_with(rank).size()); }
  bool is_first(Rank rank) const { return hosts_.index_of(rank) == 0; }

  /// What all workers do for that, as one schedule each.
  const Schedule& sum_schedule() const { return *sum_; }
  const Schedule& share_schedule() const { return *share_; }

  /// Leaves the host's sum on each of its workers: a ring, 2(L−1)α + (L−1)/L·m(2β+γ) for L workers.
  void sum(Worker& worker, Buffer gradients, Tag tag) const;
  /// Copies the first worker's model to the others: a chain of segments of 512 KiB.
  void share(Worker& worker, Buffer model, Tag tag) const;

 private:
  RankPartition hosts_;
  std::vector<std::unique_ptr<Schedule>> inner_;
  std::unique_ptr<GroupedSchedule> sum_;
  std::unique_ptr<GroupedSchedule> share_;
};

/// Mixing among hosts as one among all workers: first workers do what their host does, others keep to
/// themselves.
class HostMixing final : public MixingSchedule {
 public:
  HostMixing(std::shared_ptr<const MixingSchedule> hosts, const ClusterFacts& facts)
      : hosts_(std::move(hosts)), workers_(facts.workers), workers_per_host_(facts.workers_per_host) {}

  int ranks() const override { return workers_; }
  std::int64_t period() const override { return hosts_->period(); }
  double own_weight(Rank rank, std::int64_t iteration) const override;
  void find_in_neighbors(Rank rank, std::int64_t iteration,
                         std::vector<MixingNeighbor>& found) const override;
  void find_out_neighbors(Rank rank, std::int64_t iteration,
                          std::vector<MixingNeighbor>& found) const override;

 private:
  bool is_first(Rank rank) const { return rank % workers_per_host_ == 0; }
  void take_first_workers(std::vector<MixingNeighbor>& hosts) const;

  std::shared_ptr<const MixingSchedule> hosts_;
  int workers_;
  int workers_per_host_;
};

/// The cluster as its hosts see it: each is a worker.
ClusterFacts facts_of_hosts(ClusterFacts facts);

}  // namespace starling
