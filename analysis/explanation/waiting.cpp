#include "analysis/explanation/waiting.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include "analysis/results/metrics.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

double own_work_s(const IterationRecord& record) {
  return record.delay_s + record.forward_s + record.backward_s;
}

/// The own work of each iteration's slowest worker.
std::vector<double> longest_work_s(const IterationLog& log) {
  std::vector<double> longest_s(iterations_of(log));
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<const IterationRecord> records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      longest_s[i] = std::max(longest_s[i], own_work_s(records[i]));
  }
  return longest_s;
}

/// The clocks of workers whose messages take no time.
class FreeWorkers {
 public:
  FreeWorkers(const WaitingPattern& pattern, int workers)
      : pattern_(pattern),
        end_s_(static_cast<std::size_t>(workers)),
        ready_s_(end_s_.size()),
        sent_s_(end_s_.size()) {}

  /// Runs the next iteration, and replaces every worker's own work by the time that it waits in it.
  void iterate(std::span<double> work_s, std::span<const double> update_s) {
    const bool waits = (iteration_ + 1) % pattern_.period == 0;
    const bool updates_first = pattern_.send_point == SendPoint::after_update;
    for (std::size_t rank = 0; rank < end_s_.size(); ++rank)
      ready_s_[rank] = end_s_[rank] + work_s[rank] + (updates_first ? update_s[rank] : 0);
    sent_s_ = pattern_.send_point == SendPoint::at_begin ? end_s_ : ready_s_;
    const double last_s = *std::ranges::max_element(sent_s_);
    for (std::size_t rank = 0; rank < end_s_.size(); ++rank) {
      const double come_s = !waits ? 0 : pattern_.graph == nullptr ? last_s : last_of_neighbors_s(rank);
      work_s[rank] = std::max(0.0, come_s - ready_s_[rank]);
      end_s_[rank] = ready_s_[rank] + work_s[rank] + (updates_first ? 0 : update_s[rank]);
    }
    ++iteration_;
  }

 private:
  double last_of_neighbors_s(std::size_t rank) const {
    const double last_sender_s = last_of_s(pattern_.graph->in_neighbors(static_cast<Rank>(rank), iteration_));
    if (!pattern_.waits_for_receivers) return last_sender_s;
    return std::max(last_sender_s,
                    last_of_s(pattern_.graph->out_neighbors(static_cast<Rank>(rank), iteration_)));
  }

  /// When the last of these workers sends its models, and begins to receive.
  double last_of_s(const std::vector<Rank>& ranks) const {
    double last_s = 0;
    for (const Rank rank : ranks) last_s = std::max(last_s, sent_s_[static_cast<std::size_t>(rank)]);
    return last_s;
  }

  WaitingPattern pattern_;
  std::int64_t iteration_ = 0;
  std::vector<double> end_s_;
  std::vector<double> ready_s_;
  std::vector<double> sent_s_;
};

/// Sets imbalance_wait_s to the time that every worker would wait in every iteration if messages took no
/// time.
void note_free_waiting(IterationLog& log, const WaitingPattern& pattern) {
  constexpr std::size_t most_at_once = 1 << 20;  // records; the log is stored, and read, worker by worker
  const auto workers = static_cast<std::size_t>(log.workers());
  const std::size_t iterations = iterations_of(log);
  const std::size_t block = std::max<std::size_t>(1, most_at_once / workers);
  FreeWorkers free(pattern, log.workers());
  for (std::size_t first = 0; first < iterations; first += block) {
    const std::size_t count = std::min(block, iterations - first);
    std::vector<double> waiting_s(count * workers);
    std::vector<double> update_s(count * workers);
    for (std::size_t rank = 0; rank < workers; ++rank) {
      const auto records = log.of(static_cast<Rank>(rank)).subspan(first, count);
      for (std::size_t i = 0; i < count; ++i) {
        waiting_s[i * workers + rank] = own_work_s(records[i]);
        update_s[i * workers + rank] = records[i].update_s;
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      free.iterate(std::span(waiting_s).subspan(i * workers, workers),
                   std::span(update_s).subspan(i * workers, workers));
    for (std::size_t rank = 0; rank < workers; ++rank) {
      const auto records = log.of(static_cast<Rank>(rank)).subspan(first, count);
      for (std::size_t i = 0; i < count; ++i) records[i].imbalance_wait_s = waiting_s[i * workers + rank];
    }
  }
}

/// Limits imbalance_wait_s of a worker's records, which is how long it would wait if messages took no time,
/// to the time that it was blocked. With messages no worker is earlier, so a worker waits less only where it
/// came later, as it was blocked before. By waiting less it made up for that time, which therefore cost
/// nothing and counts as imbalance, the latest first. The rest is how much later the worker ends. An
/// iteration depends only on later ones, so warm-up does not change what is counted. O(1) per iteration.
void balance(std::span<IterationRecord> records) {
  double due_s = 0;  // waiting for imbalance still to be assigned, to this iteration or an earlier one
  for (IterationRecord& record : records | std::views::reverse) {
    due_s += record.imbalance_wait_s;
    record.imbalance_wait_s = std::min(record.blocked_s, due_s);
    due_s -= record.imbalance_wait_s;
  }
}

}  // namespace

void attribute_waiting(IterationLog& log, const WaitingPattern& pattern) {
  note_free_waiting(log, pattern);
  for (Rank rank = 0; rank < log.workers(); ++rank) balance(log.of(rank));
}

void attribute_waiting(IterationLog& log) {
  const std::vector<double> longest_s = longest_work_s(log);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<IterationRecord> records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      records[i].imbalance_wait_s = std::min(records[i].blocked_s, longest_s[i] - own_work_s(records[i]));
  }
}

void attribute_waiting_for_iteration_before(IterationLog& log) {
  const auto workers = static_cast<std::size_t>(log.workers());
  std::vector<double> end_s(workers);  // if communication took no time, as are the times below
  for (std::size_t i = 0; i < iterations_of(log); ++i) {
    const double all_ended_s = *std::ranges::max_element(end_s);
    for (std::size_t rank = 0; rank < workers; ++rank) {
      IterationRecord& record = log.of(static_cast<Rank>(rank))[i];
      const double waiting_s = std::max(0.0, all_ended_s - end_s[rank] - record.delay_s);
      record.imbalance_wait_s = std::min(record.blocked_s, waiting_s);
      end_s[rank] += own_work_s(record) + record.update_s + waiting_s;
    }
  }
}

void attribute_waiting(IterationLog& log, const IterationLog& free) {
  STARLING_INVARIANT(iterations_of(log) == iterations_of(free) && log.workers() == free.workers());
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<IterationRecord> records = log.of(rank);
    const std::span<const IterationRecord> of_free = free.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i) records[i].imbalance_wait_s = of_free[i].blocked_s;
    balance(records);
  }
}

}  // namespace starling
