#include "analysis/critical_path/iteration_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling {
namespace {

/// How many there are to blame.
std::size_t size_of(SpentOn on, std::size_t workers, std::size_t links) {
  if (on == SpentOn::link) return links;
  return on < SpentOn::link ? workers : 1;
}

constexpr WalkPlaces::Group no_group = -1;

}  // namespace

IterationPaths::IterationPaths(Causes& causes, const PathsOfJob& job)
    : causes_(causes),
      job_(job),
      workers_(static_cast<std::size_t>(job.workers)),
      workers_without_end_(workers_.size()),
      begun_since_s_(job.start_s),
      walks_(workers_.size()),
      groups_(workers_.size()),
      places_(causes),
      inner_places_(inner_) {
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
  if (counts) places_.make_room();
  begun_since_s_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    OfWorker& worker = workers_[i];
    const End end = worker.ends.front();
    if (counts && end.s > worker.begin_s) set_out(i, end);
    worker.begin_s = end.s;
    worker.ends.pop_front();
    if (worker.ends.empty()) ++workers_without_end_;
    begun_since_s_ = std::min(begun_since_s_, worker.begin_s);
  }
  walk_back();
  ++iterations_;
}

void IterationPaths::Group::add(Walk& walk) { add(Group{&walk, &walk, 1, walk.begin_s}); }

void IterationPaths::Group::add(const Group& others) {
  (walks > 0 ? last->next : first) = others.first;
  last = others.last;
  latest_begin_s = walks > 0 ? std::max(latest_begin_s, others.latest_begin_s) : others.latest_begin_s;
  walks += others.walks;
}

void IterationPaths::set_out(std::size_t worker, const End& end) {
  walks_[worker] = {.begin_s = workers_[worker].begin_s};
  groups_[worker] = {};
  groups_[worker].add(walks_[worker]);
  ++under_way_;
  newest_ = std::max(newest_, end.step);
  join(places_, static_cast<WalkPlaces::Group>(worker), end.step);
}

void IterationPaths::join(WalkPlaces& places, WalkPlaces::Group group, Causes::Index step) {
  const WalkPlaces::Group there = places.enter(group, step);
  if (there != group) groups_[static_cast<std::size_t>(there)].add(groups_[static_cast<std::size_t>(group)]);
}

/// Causes have lower numbers than what they let happen.
void IterationPaths::walk_back() {
  Causes::Index at = std::exchange(newest_, 0);
  while (under_way_ > 0) {
    at = places_.last_taken(causes_.first(), at);
    if (causes_.is_outcome(at))
      step_back_through(causes_.outcomes_of(at));
    else
      step_back(causes_, places_, at);
  }
}

void IterationPaths::step_back(const Causes& causes, WalkPlaces& places, Causes::Index at) {
  const WalkPlaces::Group number = places.leave(at);
  Group& group = groups_[static_cast<std::size_t>(number)];
  const Causes::Step step = causes.step(at);
  const bool is_known = causes.knows(step.cause);  // else it ended before
  const double since_s = is_known ? causes.end_s(step.cause) : -std::numeric_limits<double>::infinity();
  if (group.latest_begin_s >= since_s) end_walks(group, step, since_s);
  if (group.walks == 0) return;
  count(step.blame, step.end_s - since_s, group.walks);
  join(places, number, step.cause);
  causes.fetch_cause(step.cause);
}

/// From the steps that a collective ends with to those that it begins with.
void IterationPaths::step_back_through(Causes::Outcomes& outcomes) {
  Explanation& explanation = *outcomes.explanation;
  const std::size_t begins = explanation.begins().size();
  at_ends_.assign(begins, no_group);
  for (std::size_t i = 0; i < begins; ++i)
    if (places_.is_taken(outcomes.first + i)) at_ends_[i] = places_.leave(outcomes.first + i);
  for (int part = explanation.parts(); part-- > 0;) {
    inner_.clear();
    explanation.explain(part, inner_, ends_);
    walk_back_through(begins);
  }
  for (std::size_t i = 0; i < begins; ++i)
    if (at_ends_[i] != no_group) join(places_, at_ends_[i], explanation.begins()[i]);
}

/// From the steps that a part ends with to those that it begins with, its first ones, which are those that
/// the part before ends with.
void IterationPaths::walk_back_through(std::size_t begins) {
  inner_places_.make_room();
  for (std::size_t i = 0; i < begins; ++i)
    if (at_ends_[i] != no_group) join(inner_places_, std::exchange(at_ends_[i], no_group), ends_[i]);
  const Causes::Index first = inner_.first() + 1 + begins;
  Causes::Index at = inner_.first() + inner_.known() - 1;
  while ((at = inner_places_.last_taken(first, at)) >= first) step_back(inner_, inner_places_, at);
  for (std::size_t i = 0; i < begins; ++i)
    if (const Causes::Index begin = inner_.first() + 1 + i; inner_places_.is_taken(begin))
      at_ends_[i] = inner_places_.leave(begin);
}

/// Of those whose iteration began in the course of the step.
void IterationPaths::end_walks(Group& group, const Causes::Step& step, double since_s) {
  Group others;
  for (Walk* walk = group.first; walk != nullptr;) {
    Walk& at = *walk;
    walk = std::exchange(at.next, nullptr);
    if (at.begin_s < since_s) {
      others.add(at);
      continue;
    }
    count(step.blame, step.end_s - at.begin_s, 1);
    --under_way_;
  }
  group = others;
}

void IterationPaths::count(const Blame& blame, double s, std::int64_t walks) {
  const auto times = static_cast<double>(walks);
  const double latency_s = std::clamp(blame.latency_s, 0.0, std::max(0.0, s));
  spent_s_[static_cast<std::size_t>(SpentOn::latency)][0] += times * latency_s;
  spent_s_[static_cast<std::size_t>(blame.on)][static_cast<std::size_t>(blame.who)] +=
      times * (s - latency_s);
}

std::optional<CriticalPath> IterationPaths::mean(std::span<const Link> links) const {
  const std::int64_t counted = iterations_ - job_.warmup_iterations;
  if (counted <= 0 || causes_.is_full() || inner_.is_full()) return std::nullopt;
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
