#include "algorithms/training/gossip/host_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/schedules/chain.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "base/types.hpp"

namespace starling {
namespace {

/// As in NCCL: an eighth of its buffer.
constexpr double segment_bytes = 512 * kibibyte;

RankPartition hosts_of(const ClusterFacts& facts) {
  RankPartition hosts(facts.workers);
  for (Rank first = 0; first < facts.workers; first += facts.workers_per_host) {
    std::vector<Rank> members(
        static_cast<std::size_t>(std::min(facts.workers_per_host, facts.workers - first)));
    std::iota(members.begin(), members.end(), first);
    hosts.add_group(members);
  }
  return hosts;
}

}  // namespace

HostSharing::HostSharing(const Workload& workload, const ClusterFacts& facts) : hosts_(hosts_of(facts)) {
  const std::int64_t count = workload.parameters();
  const double bytes = static_cast<double>(count) * workload.bytes_per_element;
  const int segments = std::max(1, static_cast<int>(std::ceil(bytes / segment_bytes)));
  std::map<int, std::pair<const Schedule*, const Schedule*>> by_size;
  std::vector<const Schedule*> sums;
  std::vector<const Schedule*> shares;
  for (int host = 0; host < hosts_.groups(); ++host) {
    const auto size = static_cast<int>(hosts_.members(host).size());
    auto& [sum, share] = by_size[size];
    if (sum == nullptr) {
      sum = inner_.emplace_back(make_allreduce(CollectiveKind::ring, size, count)).get();
      share = inner_.emplace_back(std::make_unique<ChainBroadcast>(size, count, segments)).get();
    }
    sums.push_back(sum);
    shares.push_back(share);
  }
  sum_ = std::make_unique<GroupedSchedule>(hosts_, std::move(sums));
  share_ = std::make_unique<GroupedSchedule>(hosts_, std::move(shares));
}

void HostSharing::sum(Worker& worker, Buffer gradients, Tag tag) const {
  run_traced(worker, *sum_, gradients, tag, {"sum on host", hosts_.group_of(worker.rank())});
}

void HostSharing::share(Worker& worker, Buffer model, Tag tag) const {
  run_traced(worker, *share_, model, tag, {"share on host", hosts_.group_of(worker.rank())});
}

double HostMixing::own_weight(Rank rank, std::int64_t iteration) const {
  return is_first(rank) ? hosts_->own_weight(rank / workers_per_host_, iteration) : 1;
}

void HostMixing::find_in_neighbors(Rank rank, std::int64_t iteration,
                                   std::vector<MixingNeighbor>& found) const {
  found.clear();
  if (!is_first(rank)) return;
  hosts_->find_in_neighbors(rank / workers_per_host_, iteration, found);
  take_first_workers(found);
}

void HostMixing::find_out_neighbors(Rank rank, std::int64_t iteration,
                                    std::vector<MixingNeighbor>& found) const {
  found.clear();
  if (!is_first(rank)) return;
  hosts_->find_out_neighbors(rank / workers_per_host_, iteration, found);
  take_first_workers(found);
}

void HostMixing::take_first_workers(std::vector<MixingNeighbor>& hosts) const {
  for (MixingNeighbor& host : hosts) host.rank *= workers_per_host_;
}

ClusterFacts facts_of_hosts(ClusterFacts facts) {
  require_consecutive_ranks("per_host", facts);
  std::vector<Rank> first_workers;
  for (Rank rank = 0; rank < facts.workers; rank += facts.workers_per_host) first_workers.push_back(rank);
  facts.workers_per_host = 1;
  return facts_of_members(std::move(facts), first_workers);
}

}  // namespace starling
