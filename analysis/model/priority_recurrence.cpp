#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "analysis/model/recurrences.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

/// The state by which rank 0 chooses the next partition: which are ready there, and how many bytes are under
/// way.
class PartitionQueue {
 public:
  /// `ready_s`: when each partition is ready on rank 0.
  PartitionQueue(const Moments& ready_s, double credit_bytes) : credit_bytes_(credit_bytes) {
    for (std::size_t index = 0; index < ready_s.size(); ++index)
      coming_.emplace(ready_s[index], static_cast<int>(index));
  }

  /// Records that the partition taken last has so many bytes and will be complete at `complete_s`.
  void hand_over(double bytes, double complete_s) {
    under_way_bytes_ += bytes;
    completions_.emplace(complete_s, bytes);
  }

  /// Takes the most urgent ready partition at the first moment from `time_s` on at which there is one, and
  /// credit left. Returns its index and that moment.
  std::pair<int, double> take(double time_s) {
    for (const double from_s = time_s;; time_s = next_change_s()) {
      look_at(time_s);
      if (ready_.empty() || under_way_bytes_ >= credit_bytes_) continue;
      const bool begins_now = from_s != chosen_s_ && are_simultaneous(time_s, from_s);
      const int changes = latest_changes(time_s) + (begins_now ? 1 : 0);
      has_ties_ = has_ties_ || changes > 1 || are_simultaneous(time_s, next_change_s());
      chosen_s_ = time_s;
      return {ready_.extract(ready_.begin()).value(), time_s};
    }
  }

  /// Whether another event was simultaneous with a choice.
  bool has_ties() const { return has_ties_; }

 private:
  using Coming = std::pair<double, int>;
  using Completion = std::pair<double, double>;  // moment and bytes
  template <typename Entry>
  using Earliest = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  void look_at(double time_s) {
    for (; !coming_.empty() && coming_.top().first <= time_s; coming_.pop()) {
      ready_.insert(coming_.top().second);
      came_s_ = coming_.top().first;
    }
    for (; !completions_.empty() && completions_.top().first <= time_s; completions_.pop()) {
      under_way_bytes_ -= completions_.top().second;
      completed_s_ = completions_.top().first;
    }
  }
  /// How many events changed the state at that moment; partitions that become ready together are one event.
  int latest_changes(double time_s) const {
    return (are_simultaneous(time_s, came_s_) ? 1 : 0) + (are_simultaneous(time_s, completed_s_) ? 1 : 0);
  }
  double next_change_s() const {
    return std::min(coming_.empty() ? never_s : coming_.top().first,
                    completions_.empty() ? never_s : completions_.top().first);
  }

  static constexpr double never_s = std::numeric_limits<double>::infinity();

  double credit_bytes_;
  double under_way_bytes_ = 0;
  std::set<int> ready_;
  Earliest<Coming> coming_;
  Earliest<Completion> completions_;
  double came_s_ = -never_s;       // when a partition last became ready
  double completed_s_ = -never_s;  // when a partition was last complete
  double chosen_s_ = -never_s;     // when a partition was last taken
  bool has_ties_ = false;
};

class PriorityRecurrence {
 public:
  PriorityRecurrence(const ByteScheduler& scheduler, ModeledRun& run)
      : scheduler_(scheduler),
        run_(run),
        ordered_s_(static_cast<std::size_t>(run.ranks()), 0.0),
        stream_end_s_(static_cast<std::size_t>(scheduler.options().streams), ordered_s_),
        busy_until_s_(ordered_s_),
        exchanged_s_(static_cast<std::size_t>(layers()), ordered_s_),
        ready_s_(scheduler.partitions().size()) {
    run.note_order("partitions are assumed to be sent in the same order as without the delays left out");
    if (stream_end_s_.size() > 1)
      run.note_estimate(
          "partitions exchanged at the same time are assumed to wait for each other only at the link or "
          "worker "
          "that they occupy longest");
  }

  void iterate(std::int64_t iteration) {
    run_.begin_iteration();
    for (Rank rank = 0; rank < run_.ranks(); ++rank) forward(rank, iteration > 0);
    for (int layer = layers(); layer-- > 0;) {
      if (first_partition(layer) == first_partition(layer + 1)) continue;
      run_.backward_to(layer);
      const Moments now_s = run_.now_s();
      for (int index = first_partition(layer); index < first_partition(layer + 1); ++index)
        ready_s_[static_cast<std::size_t>(index)] = now_s;
    }
    run_.backward();
    run_.end_iteration();
    exchange_all();
  }

  /// The updates that the last iteration leaves to a next forward pass.
  void finish() {
    for (Rank rank = 0; rank < run_.ranks(); ++rank)
      for (int layer = 0; layer < layers();) layer = update_from(layer, rank, true);
  }

 private:
  int layers() const { return static_cast<int>(scheduler_.first_partitions().size()) - 1; }
  int first_partition(int layer) const {
    return scheduler_.first_partitions()[static_cast<std::size_t>(layer)];
  }
  int first_tensor(int layer) const { return scheduler_.first_tensors()[static_cast<std::size_t>(layer)]; }
  double exchanged_s(int layer, Rank rank) const {
    return exchanged_s_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(rank)];
  }

  void forward(Rank rank, bool updates) {
    ModeledWorker& worker = run_.worker(rank);
    for (int layer = 0; layer < layers();) {
      const int first = layer;
      layer = update_from(first, rank, updates);
      worker.delay_forward(scheduler_.options().host_time_s * (layer - first) / layers());
      worker.forward_to(layer);
    }
  }

  /// Waits for layer `first`, and updates it and those after it whose partitions are complete by then.
  /// Returns one past the last of these layers.
  int update_from(int first, Rank rank, bool updates) {
    ModeledWorker& worker = run_.worker(rank);
    worker.wait_until(exchanged_s(first, rank));
    int end = first + 1;
    while (end < layers() && exchanged_s(end, rank) <= worker.now_s()) ++end;
    if (updates)
      worker.update({.first = first_tensor(first), .count = first_tensor(end) - first_tensor(first)});
    return end;
  }

  void exchange_all() {
    for (Moments& layer : exchanged_s_) std::ranges::fill(layer, 0.0);
    Moments ready_s;  // on rank 0
    for (const Moments& partition : ready_s_) ready_s.push_back(partition.front());
    PartitionQueue queue(ready_s, scheduler_.options().credit_bytes);
    for (std::size_t position = 0; position < ready_s_.size(); ++position) {
      const auto [index, time_s] = queue.take(ordered_s_.front());
      const double complete_s = exchange(index, announce(time_s), position);
      queue.hand_over(bytes_of(index), complete_s);
    }
    if (queue.has_ties()) run_.note_tie();
  }

  /// When each rank knows of a partition that rank 0 takes at `time_s`.
  Moments announce(double time_s) {
    ordered_s_.front() = time_s;
    ordered_s_ = run_.control(scheduler_.announcement(), ordered_s_, Buffer::bytes_per_float);
    Moments known_s = ordered_s_;
    known_s.front() = time_s;
    return known_s;
  }

  /// Exchanges a partition; `position`: how many of this iteration were taken before it. Returns when it is
  /// complete on rank 0.
  double exchange(int index, const Moments& known_s, std::size_t position) {
    const std::size_t stream = (position_ + position) % stream_end_s_.size();
    Moments& end_s = stream_end_s_[stream];
    const Moments begin_s = later_of(later_of(known_s, ready_s_[static_cast<std::size_t>(index)]), end_s);
    end_s = run_.collective(scheduler_.allreduce(index), begin_s, stream);
    if (stream_end_s_.size() > 1) end_s = later_of(std::move(end_s), busy_until_s(index, begin_s));
    const int layer = scheduler_.partitions()[static_cast<std::size_t>(index)].layer;
    Moments& exchanged_s = exchanged_s_[static_cast<std::size_t>(layer)];
    exchanged_s = later_of(exchanged_s, end_s);
    if (position + 1 == ready_s_.size()) position_ += ready_s_.size();
    return end_s.front();
  }

  /// When the resource that partitions occupy longest, which all streams share, has served this one, too.
  const Moments& busy_until_s(int index, const Moments& begin_s) {
    const Schedule& schedule = scheduler_.allreduce(index);
    const auto [known, is_new] = busy_s_.try_emplace(schedule.count(), 0.0);
    if (is_new) known->second = run_.busy_s(schedule);
    busy_until_s_ = later_of(std::move(busy_until_s_), begin_s);
    for (double& until_s : busy_until_s_) until_s += known->second;
    return busy_until_s_;
  }

  double bytes_of(int index) const {
    const auto elements = static_cast<double>(scheduler_.partitions()[static_cast<std::size_t>(index)].count);
    return elements * run_.workload().bytes_per_element;
  }

  const ByteScheduler& scheduler_;
  ModeledRun& run_;
  Moments ordered_s_;                      // when each rank is done with the latest announcement
  std::vector<Moments> stream_end_s_;      // when each stream's latest exchange ends
  Moments busy_until_s_;                   // until when the busiest shared resource is occupied
  std::map<std::int64_t, double> busy_s_;  // how long a partition of so many elements occupies it
  std::vector<Moments> exchanged_s_;       // when each layer's partitions are complete
  std::vector<Moments> ready_s_;           // when the gradients of each partition are ready
  std::size_t position_ = 0;               // the number of partitions in earlier iterations
};

}  // namespace

void predict(const ByteScheduler& algorithm, ModeledRun& run) {
  PriorityRecurrence recurrence(algorithm, run);
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) recurrence.iterate(iteration);
  recurrence.finish();
}

}  // namespace starling
