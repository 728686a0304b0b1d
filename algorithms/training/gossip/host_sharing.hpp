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

/// The workers of each host train one model together, and the first worker of a host exchanges it with other
/// hosts.
class HostSharing {
 public:
  HostSharing(const Workload& workload, const ClusterFacts& facts);

  int members(Rank rank) const { return static_cast<int>(hosts_.members_with(rank).size()); }
  bool is_first(Rank rank) const { return hosts_.index_of(rank) == 0; }

  /// The sums of all hosts, and the broadcasts of all hosts, each as one schedule of all workers.
  const Schedule& sum_schedule() const { return *sum_; }
  const Schedule& share_schedule() const { return *share_; }

  /// Sums gradients over the workers of a host, in place on each: a ring, 2(L−1)α + (L−1)/L·m(2β+γ) for L
  /// workers.
  void sum(Worker& worker, Buffer gradients, Tag tag) const;
  /// Copies the model of a host's first worker to its others: a chain broadcast in segments of 512 KiB at
  /// most.
  void share(Worker& worker, Buffer model, Tag tag) const;

 private:
  RankPartition hosts_;
  std::vector<std::unique_ptr<Schedule>> inner_;
  std::unique_ptr<GroupedSchedule> sum_;
  std::unique_ptr<GroupedSchedule> share_;
};

/// Extends a schedule of hosts to all workers: the first worker of a host exchanges models as its host does,
/// the others exchange none and keep theirs.
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

/// The facts of the cluster of hosts, each represented by its first worker.
/// @throws std::invalid_argument if ranks of a host are not consecutive.
ClusterFacts facts_of_hosts(ClusterFacts facts);

}  // namespace starling
