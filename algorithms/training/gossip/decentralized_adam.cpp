#include "algorithms/training/gossip/decentralized_adam.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>

#include "algorithms/training/gossip/mixing_options.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

/// Alternates between two tags, as collectives of successive iterations may run at the same time in different
/// groups.
constexpr Tag tag_of(std::int64_t iteration) { return 1 + static_cast<Tag>(iteration % 2); }

/// The number of hosts of a group's members, which are in ascending order.
int hosts_of(std::span<const Rank> members, int workers_per_host) {
  int hosts = 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] / workers_per_host != members[i - 1] / workers_per_host) ++hosts;
  return hosts;
}

/// Calls `make`. Appends to its errors a graph that fits any number of workers, as the default graph may not
/// fit.
template <typename Make>
auto naming_what_fits(const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    reject("{}; \"complete\" fits any number of workers", error.what());
  }
}

AveragingGroups averaging_groups_of(const DecentralizedAdamOptions& options, const ClusterFacts& facts) {
  return naming_what_fits(
      [&] { return make_averaging_groups(options.graph, facts.workers, facts.workers_per_host); });
}

}  // namespace

DecentralizedAdam::DecentralizedAdam(const DecentralizedAdamOptions& options, const Workload& workload,
                                     const ClusterFacts& facts)
    : options_(options),
      facts_(facts),
      bytes_per_element_(workload.bytes_per_element),
      groups_(averaging_groups_of(options, facts)),
      buckets_(ddp_buckets(workload, options.bucket_bytes, options.bucket_bytes)) {
  const Replica sizes(workload);
  for (const RankPartition& partition : groups_) {
    auto& of_phase = allreduces_.emplace_back();
    for (const Bucket& bucket : buckets_) {
      of_phase.push_back(make_schedule(partition, sizes.elements(bucket.tensors)));
    }
  }
}

std::unique_ptr<GroupedSchedule> DecentralizedAdam::make_schedule(const RankPartition& partition,
                                                                  std::int64_t count) {
  std::vector<const Schedule*> of_group;
  for (int group = 0; group < partition.groups(); ++group)
    of_group.push_back(&inner(partition.members(group), count));
  return std::make_unique<GroupedSchedule>(partition, std::move(of_group));
}

/// The schedule of a group, shared by all groups with as many members on as many hosts. The costs that
/// determine it are those of the first such group. Members of a group on several hosts are ordered by host,
/// like all workers.
const Schedule& DecentralizedAdam::inner(std::span<const Rank> members, std::int64_t count) {
  const auto ranks = static_cast<int>(members.size());
  const int hosts = hosts_of(members, facts_.workers_per_host);
  std::unique_ptr<Schedule>& schedule = inner_[{ranks, hosts, count}];
  if (schedule) return *schedule;
  ClusterFacts facts = facts_of_members(facts_, members);
  std::string collective = options_.collective;
  const bool is_on_one_host = hosts == 1;
  const bool fills_hosts = ranks == hosts * facts_.workers_per_host;
  if (is_on_one_host || !fills_hosts) {
    facts.workers_per_host = 1;
    if (collective == "hierarchical") collective = "ring";
  }
  if (is_on_one_host && facts_.intra_host_costs) facts.costs = *facts_.intra_host_costs;
  schedule = CollectiveChoice("within a group", collective, facts, bytes_per_element_).allreduce(count);
  return *schedule;
}

std::vector<const Schedule*> DecentralizedAdam::configured_collectives() const {
  std::vector<const Schedule*> schedules;
  for (const auto& [key, schedule] : inner_) schedules.push_back(schedule.get());
  return schedules;
}

TypicalTraffic DecentralizedAdam::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  for (const auto& of_phase : allreduces_)
    for (const auto& allreduce : of_phase)
      traffic.add(*allreduce, 1.0 / static_cast<double>(allreduces_.size()));
  return traffic;
}

/// One worker's run.
class DecentralizedAdam::Run {
 public:
  Run(const DecentralizedAdam& averaging, Worker& worker, Replica& replica, const TrainingJob& job)
      : averaging_(averaging),
        trainer_(worker, replica, job),
        iterations_(job.iterations),
        model_(job.workload.model),
        launched_(averaging.buckets_.size()) {
    for (const Bucket& bucket : averaging.buckets_) {
      sums_.emplace_back(replica.parameters(), replica.elements(bucket.tensors));
    }
  }

  void iterate(std::int64_t iteration) {
    trainer_.begin_iteration();
    trainer_.forward();
    for (std::size_t b = 0; b < launched_.size(); ++b) {
      const Bucket& bucket = averaging_.buckets_[b];
      trainer_.backward_to(bucket.ready_layer);
      if (iteration > 0) mix(b, iteration);
      trainer_.update(bucket.tensors, 1);
      if (iteration + 1 < iterations_ || !averaging_.options_.overlap) launch(b, iteration + 1);
    }
    trainer_.backward();
    if (!averaging_.options_.overlap)
      for (GroupStream& stream : streams_) stream.collectives.wait_for_all();
    trainer_.end_iteration();
  }

  void finish() {
    for (GroupStream& stream : streams_) stream.collectives.close();
  }

 private:
  /// The stream of one group's collectives. When it is idle, another group may take it over.
  struct GroupStream {
    explicit GroupStream(Worker& worker) : collectives(worker, tag_of(0)) {}
    CommunicationStream collectives;
    std::span<const Rank> group;
  };

  /// The collective of a bucket: it is complete when the first `count` of the stream are.
  struct Launched {
    CommunicationStream* stream = nullptr;
    std::int64_t count = 0;
  };

  std::span<const Rank> group(std::int64_t iteration) const {
    return averaging_.groups_[averaging_.phase(iteration)].members_with(trainer_.worker().rank());
  }

  Buffer model(std::size_t b) const { return trainer_.replica().parameters(averaging_.buckets_[b].tensors); }

  void launch(std::size_t b, std::int64_t iteration) {
    if (group(iteration).size() < 2) return;
    copy_model(model(b), sums_[b]);
    CommunicationStream& stream = stream_for(group(iteration));
    stream.issue(*averaging_.allreduces_[averaging_.phase(iteration)][b], sums_[b],
                 {"average", static_cast<int>(b), &model_, averaging_.buckets_[b].tensors},
                 tag_of(iteration));
    launched_[b] = {&stream, stream.issued()};
  }

  void mix(std::size_t b, std::int64_t iteration) {
    const std::span<const Rank> members = group(iteration);
    if (members.size() < 2) return;
    launched_[b].stream->wait_for(launched_[b].count);
    copy_model(sums_[b], model(b));
    scale_model(model(b), 1.0 / static_cast<double>(members.size()));
    if (members.front() == trainer_.worker().rank())
      trainer_.participation().add_average(static_cast<int>(members.size()) - 1);
  }

  /// The stream on which a collective of this group is under way; else an idle one, or a new one.
  CommunicationStream& stream_for(std::span<const Rank> group) {
    GroupStream* chosen = nullptr;
    for (GroupStream& stream : streams_) {
      const bool is_idle = stream.collectives.is_idle();
      if (is_idle && !chosen) chosen = &stream;
      if (!is_idle && std::ranges::equal(stream.group, group)) return stream.collectives;
    }
    if (!chosen) chosen = &streams_.emplace_back(trainer_.worker());
    chosen->group = group;
    return chosen->collectives;
  }

  const DecentralizedAdam& averaging_;
  Trainer trainer_;
  std::int64_t iterations_;
  const Model& model_;
  std::vector<OwnedBuffer> sums_;  // one per bucket
  std::vector<Launched> launched_;
  std::deque<GroupStream> streams_;
};

void DecentralizedAdam::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
  run->finish();
}

void describe(DecentralizedAdamOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor,
                      "the collective that averages models within groups");
  visitor.choice({"graph",
                  "which workers form groups: complete, one_peer_ring (P even), one_peer_exponential (P a "
                  "power of two), alternating_exponential_ring (the number of hosts is a power of two, at "
                  "least 2, and all have equally many workers)"},
                 options.graph, {.names = averaging_graph_names()});
  describe_message_size({"bucket_bytes", "a bucket closes with the tensor that brings it to this size"},
                        options.bucket_bytes, visitor, sizes_from(1));
  visitor.flag({"overlap",
                "true: averages overlap the computation of the next iteration; false: an iteration ends when "
                "the averages that it started are complete, the last one included"},
               options.overlap);
}

MixingMatrix mixing_matrix_of(const DecentralizedAdamOptions& options, const ClusterFacts& facts) {
  return rejecting_for(options.kind, [&] {
    return naming_what_fits([&] { return mixing_matrix({.graph = averaging_graph(options.graph)}, facts); });
  });
}

std::int64_t pattern_period(const DecentralizedAdamOptions& options, const ClusterFacts& facts) {
  return mixing_period({.graph = averaging_graph(options.graph)}, facts);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const DecentralizedAdamOptions& options,
                                                  const Workload& workload, const ClusterFacts& facts) {
  return rejecting_for(options.kind, [&] {
    if (options.graph == AlternatingExponentialRingGraph::name)
      require_consecutive_ranks("graph \"alternating_exponential_ring\"", facts);
    return std::make_unique<DecentralizedAdam>(options, workload, facts);
  });
}

}  // namespace starling
