#include "algorithms/training/synchronous/bytescheduler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <set>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag announcement_tag = 1;
constexpr Tag first_stream_tag = 2;

}  // namespace

std::vector<Partition> partitions_of(const Workload& workload, double partition_bytes) {
  const std::vector<int> layers = tensor_layers(workload.model);
  std::vector<Partition> partitions;
  const double largest = std::clamp(std::floor(partition_bytes / workload.bytes_per_element), 1.0, 0x1p53);
  std::int64_t offset = 0;
  for (std::size_t tensor = 0; tensor < layers.size(); ++tensor) {
    const std::int64_t elements = workload.model.tensors[tensor].elements;
    const int pieces = std::max(1, static_cast<int>(std::ceil(static_cast<double>(elements) / largest)));
    const EvenPartition cut(elements, pieces);
    for (int piece = 0; piece < pieces; ++piece) {
      const Chunk chunk = cut.chunk(piece);
      partitions.push_back({layers[tensor], offset + chunk.offset, chunk.count});
    }
    offset += elements;
  }
  return partitions;
}

ByteScheduler::ByteScheduler(const ByteSchedulerOptions& options, const Workload& workload,
                             const CollectiveChoice& collective)
    : options_(options),
      partitions_(partitions_of(workload, options.partition_bytes)),
      first_partition_{0},
      first_tensor_{0},
      announcement_(make_broadcast(collective.workers(), 1)) {
  for (const Partition& partition : partitions_) allreduces_.push_back(collective.allreduce(partition.count));
  const int layers = static_cast<int>(workload.model.layers.size());
  for (int layer = 0; layer < layers; ++layer) {
    const auto end = std::ranges::upper_bound(partitions_, layer, {}, &Partition::layer);
    first_partition_.push_back(static_cast<int>(end - partitions_.begin()));
    first_tensor_.push_back(first_tensor_.back() +
                            workload.model.layers[static_cast<std::size_t>(layer)].tensors);
  }
}

TypicalTraffic ByteScheduler::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  for (const auto& allreduce : allreduces_) traffic.add(*allreduce);
  traffic.add(*announcement_, static_cast<double>(partitions_.size()));
  return traffic;
}

/// One worker's run.
class ByteScheduler::Run {
 public:
  Run(const ByteScheduler& scheduler, Worker& worker, Replica& replica, const TrainingJob& job)
      : scheduler_(scheduler),
        iterations_(job.iterations),
        model_(job.workload.model),
        worker_(worker),
        trainer_(worker, replica, job),
        executor_(job.executor),
        changed_(worker, "a partition that is ready, or credit"),
        ended_(worker, "the end of the exchanges") {
    for (int layer = 0; layer < layers(); ++layer) exchanged_.emplace_back(worker, "a layer's partitions");
    for (int stream = 0; stream < scheduler.options_.streams; ++stream) {
      streams_.emplace_back(worker, "partitions to exchange");
    }
  }

  void run() {
    worker_.spawn("order", [this] { order(); });
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      worker_.spawn("communication", [this, stream] { exchange(stream); });
    }
    for (std::int64_t iteration = 0; iteration < iterations_; ++iteration) iterate();
    for (int layer = 0; layer < layers();) layer = update_from(layer, iterations_);
    ended_.wait_for(1 + static_cast<std::int64_t>(streams_.size()));
  }

 private:
  int layers() const { return static_cast<int>(scheduler_.first_partition_.size()) - 1; }
  int first_partition(int layer) const {
    return scheduler_.first_partition_[static_cast<std::size_t>(layer)];
  }
  int partitions(int layer) const { return first_partition(layer + 1) - first_partition(layer); }
  TensorRange one_tensor_of(int layer) const {
    return {.first = scheduler_.first_tensor_[static_cast<std::size_t>(layer)], .count = 1};
  }
  Buffer gradients(const Partition& partition) {
    return trainer_.replica().gradients().slice(partition.offset, partition.count);
  }

  void iterate() {
    trainer_.begin_iteration();
    for (int layer = 0; layer < layers();) {
      const int first = layer;
      layer = update_from(first, trainer_.iteration());
      trainer_.delay_forward(scheduler_.options_.host_time_s * (layer - first) / layers());
      trainer_.forward_to(layer);
    }
    for (int layer = layers(); layer-- > 0;) {
      if (partitions(layer) == 0) continue;
      trainer_.backward_to(layer);
      for (int index = first_partition(layer); index < first_partition(layer + 1); ++index)
        ready_.insert(index);
      changed_.set();
    }
    trainer_.backward();
    trainer_.end_iteration();
  }

  bool is_exchanged(int layer, std::int64_t times) const {
    return exchanged_[static_cast<std::size_t>(layer)].count() >= times * partitions(layer);
  }

  /// Waits until all partitions of layer `first` have been exchanged `times` times. Updates the layer
  /// together with the following ones for which that holds already. Returns one past the last of them.
  int update_from(int first, std::int64_t times) {
    exchanged_[static_cast<std::size_t>(first)].wait_for(times * partitions(first));
    int end = first + 1;
    while (end < layers() && is_exchanged(end, times)) ++end;
    const int first_tensor = scheduler_.first_tensor_[static_cast<std::size_t>(first)];
    const int end_tensor = scheduler_.first_tensor_[static_cast<std::size_t>(end)];
    if (times > 0) trainer_.update({.first = first_tensor, .count = end_tensor - first_tensor});
    return end;
  }

  /// Decides the order of all exchanges on rank 0, and follows it on the other ranks.
  void order() {
    const auto total = iterations_ * static_cast<std::int64_t>(scheduler_.partitions_.size());
    for (std::int64_t position = 0; position < total; ++position) {
      std::array<float, 1> number = {};
      if (worker_.rank() == 0) {
        number[0] = static_cast<float>(take_most_urgent());
        hand_over(position, static_cast<int>(number[0]));
      }
      run_schedule(worker_, *scheduler_.announcement_, Buffer::real(number), announcement_tag,
                   MessageKind::control);
      if (worker_.rank() != 0) hand_over(position, static_cast<int>(number[0]));
    }
    for (Queue<int>& stream : streams_) stream.close();
    ended_.add();
  }

  int take_most_urgent() {
    while (ready_.empty() || under_way_bytes_ >= scheduler_.options_.credit_bytes) wait_for_change();
    return ready_.extract(ready_.begin()).value();
  }

  void hand_over(std::int64_t position, int index) {
    under_way_bytes_ += gradients(scheduler_.partitions_[static_cast<std::size_t>(index)]).bytes();
    streams_[static_cast<std::size_t>(position) % streams_.size()].push(index);
  }

  void exchange(std::size_t stream) {
    const Tag tag = first_stream_tag + static_cast<Tag>(stream);
    while (const auto index = streams_[stream].pop()) {
      if (worker_.rank() != 0) {
        while (ready_.erase(*index) == 0) wait_for_change();
      }
      const auto at = static_cast<std::size_t>(*index);
      const Partition& partition = scheduler_.partitions_[at];
      const Buffer data = gradients(partition);
      run_traced(worker_, *scheduler_.allreduces_[at], data, tag,
                 {"all-reduce", *index, &model_, one_tensor_of(partition.layer)}, executor_);
      under_way_bytes_ -= data.bytes();
      changed_.set();
      exchanged_[static_cast<std::size_t>(partition.layer)].add();
    }
    ended_.add();
  }

  void wait_for_change() {
    changed_.reset();
    changed_.wait();
  }

  const ByteScheduler& scheduler_;
  std::int64_t iterations_;
  const Model& model_;
  Worker& worker_;
  Trainer trainer_;
  CollectiveExecutor* executor_;
  std::set<int> ready_;         // partitions that are ready here and not yet taken, most urgent first
  double under_way_bytes_ = 0;  // of partitions handed over and not complete
  Event changed_;               // set when either of the two above changes
  std::deque<Queue<int>> streams_;
  std::deque<Progress> exchanged_;  // partitions of each layer, over all iterations
  Progress ended_;                  // strands that have ended
};

void ByteScheduler::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Run run(*this, worker, replica, job);
  run.run();
}

void describe(ByteSchedulerOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
  visitor.size({"partition_bytes", "largest size of a partition, the part of a tensor that is sent at once"},
               options.partition_bytes, sizes_from(1024));
  describe_message_size(
      {"credit_bytes",
       "partitions are handed over while fewer bytes than this are under way; the last one may exceed it"},
      options.credit_bytes, visitor, sizes_from(1));
  visitor.integer({"streams", "number of partitions that are exchanged at the same time"}, options.streams,
                  {1, 1024});
  visitor.time({"host_time",
                "time that ByteScheduler's own threads add to the computation of an iteration, evenly over "
                "the forward pass"},
               options.host_time_s);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const ByteSchedulerOptions& options,
                                                  const Workload& workload, const ClusterFacts& facts) {
  // Numbers of partitions are sent as floats, which are exact up to 2²⁴.
  constexpr double most_partitions = 1e6;
  const double bytes = static_cast<double>(workload.model.parameters()) * workload.bytes_per_element;
  const double partitions = bytes / options.partition_bytes;
  if (partitions > most_partitions)
    reject("{}: partition_bytes is {}; that makes {:.0f} partitions, but at most {:.0f} are accepted",
           options.kind, options.partition_bytes, partitions, most_partitions);
  return std::make_unique<ByteScheduler>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling
