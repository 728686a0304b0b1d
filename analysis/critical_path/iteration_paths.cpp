#include "analysis/critical_path/iteration_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {
namespace {

/// How many there are to blame.
std::size_t size_of(SpentOn on, std::size_t workers, std::size_t links) {
  if (on == SpentOn::link) return links;
  return on < SpentOn::link ? workers : 1;
}

}  // namespace

IterationPaths::IterationPaths(const Causes& causes, const PathsOfJob& job)
    : causes_(causes),
      job_(job),
      workers_(static_cast<std::size_t>(job.workers)),
      workers_without_end_(workers_.size()),
      begun_since_s_(job.start_s) {
  for (OfWorker& worker : workers_) worker.begin_s = job.start_s;
  for (std::size_t on = 0; on < spent_on_names.size(); ++on)
    spent_s_.emplace_back(size_of(static_cast<SpentOn>(on), job.network_workers, job.links));
}

void IterationPaths::end_iteration(Rank rank, double end_s, Causes::Index step) {
  if (is_complete()) return;
  std::deque<End>& ends = workers_[static_cast<std::size_t>(rank)].ends;
  if (ends.empty()) --workers_without_end_;
  ends.push_back({end_s, step});
  while (workers_without_end_ == 0 && !is_complete()) walk_all();
}

double IterationPaths::needed_since_s() const {
  return is_complete() ? std::numeric_limits<double>::infinity() : begun_since_s_;
}

/// All workers have ended one more iteration.
void IterationPaths::walk_all() {
  const bool counts = iterations_ >= job_.warmup_iterations && !causes_.is_full();
  begun_since_s_ = std::numeric_limits<double>::infinity();
  for (OfWorker& worker : workers_) {
    const End end = worker.ends.front();
    if (counts) walks_.push_back({.at = end.step, .until_s = end.s, .begin_s = worker.begin_s});
    worker.begin_s = end.s;
    worker.ends.pop_front();
    if (worker.ends.empty()) ++workers_without_end_;
    begun_since_s_ = std::min(begun_since_s_, worker.begin_s);
  }
  while (!walks_.empty()) std::erase_if(walks_, [this](Walk& walk) { return !goes_on(walk); });
  ++iterations_;
}

/// One step back; what is forgotten ended before. Walks go side by side, as the memory of a step is far away.
bool IterationPaths::goes_on(Walk& walk) {
  if (walk.until_s <= walk.begin_s) return false;
  const Causes::Step& step = causes_.step(walk.at);
  const bool is_known = causes_.knows(step.cause);
  const double since_s = is_known ? std::max(walk.begin_s, causes_.step(step.cause).end_s) : walk.begin_s;
  count(step.blame, walk.until_s - since_s);
  walk.at = step.cause;
  walk.until_s = since_s;
  return true;
}

void IterationPaths::count(const Blame& blame, double s) {
  const double latency_s = std::clamp(blame.latency_s, 0.0, std::max(0.0, s));
  spent_s_[static_cast<std::size_t>(SpentOn::latency)][0] += latency_s;
  spent_s_[static_cast<std::size_t>(blame.on)][static_cast<std::size_t>(blame.who)] += s - latency_s;
}

std::optional<CriticalPath> IterationPaths::mean(std::span<const Link> links) const {
  const std::int64_t counted = iterations_ - job_.warmup_iterations;
  if (counted <= 0 || causes_.is_full()) return std::nullopt;
  const double paths = static_cast<double>(counted) * static_cast<double>(workers_.size());
  CriticalPath path;
  for (std::size_t i = 0; i < spent_s_.size(); ++i) {
    for (std::size_t who = 0; who < spent_s_[i].size(); ++who) {
      const double s = spent_s_[i][who] / paths;
      if (s == 0) continue;
      PathPart part{.on = static_cast<SpentOn>(i), .s = s};
      if (part.on == SpentOn::link)
        part.link = links[who].name;
      else if (part.on < SpentOn::link)
        part.rank = static_cast<Rank>(who);
      path.parts.push_back(std::move(part));
      path.iteration_s += s;
    }
  }
  std::ranges::stable_sort(path.parts, std::ranges::greater(), &PathPart::s);
  return path;
}

}  // namespace starling
