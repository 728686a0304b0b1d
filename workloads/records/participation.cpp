#include "workloads/records/participation.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace starling {

ParticipationLog::ParticipationLog(int workers)
    : whole_histogram_(static_cast<std::size_t>(workers) + 1),
      iterations_(static_cast<std::size_t>(workers)) {}

void ParticipationLog::count_operation(std::int64_t operation, int active) {
  const auto index = static_cast<std::size_t>(operation);
  if (index >= active_workers_.size()) active_workers_.resize(index + 1);
  active_workers_[index] += active;
}

void ParticipationLog::contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest,
                                  std::int64_t newest) {
  STARLING_INVARIANT(oldest <= newest && newest <= iteration);
  const bool is_fresh = newest == iteration;
  count_operation(operation, is_fresh ? 1 : 0);
  ++(is_fresh ? fresh_ : stale_);
  for (std::int64_t made = oldest; made <= newest; ++made) count_work(iteration - made, 1);
}

void ParticipationLog::count_work(std::int64_t staleness, std::int64_t times) {
  const auto index = static_cast<std::size_t>(staleness);
  if (index >= staleness_.size()) staleness_.resize(index + 1);
  staleness_[index] += times;
}

void ParticipationLog::contribute_nothing(std::int64_t operation) {
  count_operation(operation, 0);
  ++absent_;
}

void ParticipationLog::add_operation(int fresh, std::span<const std::int64_t> stale) {
  ++whole_histogram_.at(static_cast<std::size_t>(fresh));
  ++whole_operations_;
  count_work(0, fresh);
  fresh_ += fresh;
  for (const std::int64_t iterations : stale) {
    STARLING_INVARIANT(iterations >= 1);
    count_work(iterations, 1);
    ++stale_;
  }
}

std::vector<std::int64_t> ParticipationLog::contributions() const {
  std::vector<std::int64_t> all = {fresh_, stale_, absent_,
                                   static_cast<std::int64_t>(active_workers_.size())};
  all.insert(all.end(), active_workers_.begin(), active_workers_.end());
  all.insert(all.end(), whole_histogram_.begin(), whole_histogram_.end());
  all.insert(all.end(), staleness_.begin(), staleness_.end());
  return all;
}

void ParticipationLog::add_contributions(std::span<const std::int64_t> contributions) {
  constexpr std::size_t counts = 4;
  STARLING_INVARIANT(contributions.size() >= counts);
  fresh_ += contributions[0];
  stale_ += contributions[1];
  absent_ += contributions[2];
  const auto numbered = static_cast<std::size_t>(contributions[3]);
  STARLING_INVARIANT(contributions.size() >= counts + numbered + whole_histogram_.size());
  for (std::size_t i = 0; i < numbered; ++i)
    count_operation(static_cast<std::int64_t>(i), static_cast<int>(contributions[counts + i]));
  const std::span whole = contributions.subspan(counts + numbered, whole_histogram_.size());
  for (std::size_t k = 0; k < whole.size(); ++k) {
    whole_histogram_[k] += whole[k];
    whole_operations_ += whole[k];
  }
  const std::span staleness = contributions.subspan(counts + numbered + whole.size());
  for (std::size_t i = 0; i < staleness.size(); ++i) count_work(static_cast<std::int64_t>(i), staleness[i]);
}

void ParticipationLog::end_iteration(Rank rank) {
  const std::int64_t ended = iterations_[static_cast<std::size_t>(rank)]++;
  const auto index = static_cast<std::size_t>(ended);
  if (index >= workers_past_.size()) workers_past_.resize(index + 1);
  ++workers_past_[index];
  while (static_cast<std::size_t>(slowest_) < workers_past_.size() &&
         workers_past_[static_cast<std::size_t>(slowest_)] == static_cast<int>(iterations_.size())) {
    ++slowest_;
  }
  max_lead_ = std::max(max_lead_, ended + 1 - slowest_);
}

void ParticipationLog::end_iterations(const IterationLog& log) {
  std::vector<double> slowest_s(log.of(0).size(), 0.0);
  for (Rank rank = 0; rank < log.workers(); ++rank)
    for (std::size_t i = 0; i < slowest_s.size(); ++i)
      slowest_s[i] = std::max(slowest_s[i], log.of(rank)[i].end_s);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    std::size_t slowest = 0;
    for (std::size_t i = 0; i < slowest_s.size(); ++i) {
      // Workers that end at the same moment do so one after the other.
      while (slowest < i && slowest_s[slowest] < log.of(rank)[i].end_s) ++slowest;
      max_lead_ = std::max(max_lead_, static_cast<std::int64_t>(i + 1 - slowest));
    }
  }
  slowest_ = static_cast<std::int64_t>(slowest_s.size());
  iterations_.assign(iterations_.size(), slowest_);
  workers_past_.assign(slowest_s.size(), static_cast<int>(iterations_.size()));
}

std::vector<std::int64_t> ParticipationLog::active_workers_histogram() const {
  std::vector<std::int64_t> histogram = whole_histogram_;
  for (const int active : active_workers_) ++histogram[static_cast<std::size_t>(active)];
  return histogram;
}

double ParticipationLog::mean_active_workers() const {
  if (operations() == 0) return 0;
  const std::vector<std::int64_t> histogram = active_workers_histogram();
  std::int64_t sum = 0;
  for (std::size_t active = 0; active < histogram.size(); ++active)
    sum += static_cast<std::int64_t>(active) * histogram[active];
  return static_cast<double>(sum) / static_cast<double>(operations());
}

double ParticipationLog::mean_staleness_iterations() const {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  for (std::size_t staleness = 0; staleness < staleness_.size(); ++staleness) {
    count += staleness_[staleness];
    sum += static_cast<std::int64_t>(staleness) * staleness_[staleness];
  }
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

std::int64_t ParticipationLog::max_staleness_iterations() const {
  return staleness_.empty() ? 0 : static_cast<std::int64_t>(staleness_.size()) - 1;
}

void ParticipationNotes::contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest,
                                    std::int64_t newest) const {
  if (log_ != nullptr) log_->contribute(operation, iteration, oldest, newest);
}

void ParticipationNotes::contribute_nothing(std::int64_t operation) const {
  if (log_ != nullptr) log_->contribute_nothing(operation);
}

void ParticipationNotes::add_average(int others, std::int64_t staleness) const {
  if (log_ == nullptr) return;
  if (staleness == 0)
    log_->add_operation(1 + others);
  else
    log_->add_operation(1, std::vector(static_cast<std::size_t>(others), staleness));
}

void ParticipationNotes::add_average_of_all(Rank rank, int world_size) const {
  if (rank == 0) add_average(world_size - 1);
}

void ParticipationNotes::end_iteration(Rank rank) const {
  if (log_ != nullptr) log_->end_iteration(rank);
}

}  // namespace starling
