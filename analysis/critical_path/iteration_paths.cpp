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

IterationPaths::IterationPaths(const Causes& causes, const PathsOfJob& job)
    : causes_(causes),
      job_(job),
      workers_(static_cast<std::size_t>(job.workers)),
      workers_without_end_(workers_.size()),
      begun_since_s_(job.start_s),
      walks_(workers_.size()),
      groups_(workers_.size()) {
  if (!job.is_asked_for) job_.warmup_iterations = job.iterations;
  for (OfWorker& worker : workers_) worker.begin_s = job.start_s;
  for (std::size_t on = 0; on < spent_on_names.size(); ++on)
    first_of_[on + 1] = first_of_[on] + size_of(static_cast<SpentOn>(on), job.network_workers, job.links);
  spent_s_.resize(first_of_.back());
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

/// How many iterations beyond warm-up are like the next one that is walked, with itself.
std::int64_t IterationPaths::stands_for() const {
  const bool is_repeated = iterations_ >= run_iterations() - job_.repeated_iterations;
  const std::int64_t every = is_repeated ? job_.repeated_iterations : job_.iterations;
  const auto before = [&](std::int64_t end) {
    return end > iterations_ ? (end - 1 - iterations_) / every + 1 : 0;
  };
  return before(job_.iterations) - before(job_.warmup_iterations);
}

/// All workers have ended one more iteration.
void IterationPaths::walk_all() {
  const std::int64_t stands_for = this->stands_for();
  const bool counts = stands_for > 0 && !causes_.is_full();
  counted_ += stands_for;
  stands_for_ = static_cast<double>(stands_for);
  if (counts) places_.make_room(causes_.known());
  if (job_.tell && !causes_.is_full()) tell_path();
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

/// Of the worker that has ended the iteration last.
void IterationPaths::tell_path() {
  const auto last =
      std::ranges::max_element(workers_, {}, [](const OfWorker& worker) { return worker.ends.front().s; });
  told_.clear();
  Causes::Index at = last->ends.front().step;
  for (bool goes_on = true; goes_on && causes_.knows(at) && !causes_.is_outcome(at);) {
    const Causes::Step step = causes_.step(at);
    const double cause_s = causes_.knows(step.cause) ? causes_.end_s(step.cause) : last->begin_s;
    const double since_s = std::max(last->begin_s, cause_s);
    if (since_s < step.end_s) told_.push_back({step.end_s, since_s, step.blame});
    goes_on = since_s > last->begin_s;
    at = step.cause;
  }
  job_.tell(static_cast<Rank>(last - workers_.begin()), iterations_, told_);
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
  join(static_cast<WalkPlaces::Group>(worker), place(end.step));
}

void IterationPaths::join(WalkPlaces::Group group, std::size_t place) {
  const WalkPlaces::Group there = places_.enter(group, place);
  if (there != group) groups_[static_cast<std::size_t>(there)].add(groups_[static_cast<std::size_t>(group)]);
}

inline double IterationPaths::count_but_latency(SpentOnIt it, double s, std::int64_t walks) {
  const double times = static_cast<double>(walks) * stands_for_;
  const double latency_s = std::min(it.latency_s, std::max(0.0, s));
  spent_s_[it.place] += times * (s - latency_s);
  return times * latency_s;
}

inline double IterationPaths::spend(Group& group, double end_s, double since_s, SpentOnIt it) {
  if (group.latest_begin_s >= since_s) [[unlikely]]
    end_walks(group, end_s, since_s, it);
  return group.walks > 0 ? count_but_latency(it, end_s - since_s, group.walks) : 0;
}

/// Causes have lower numbers than what they let happen.
void IterationPaths::walk_back() {
  Causes::Index at = std::exchange(newest_, 0);
  while (under_way_ > 0) {
    at = causes_.first() + places_.last_taken(place(at));
    if (causes_.is_outcome(at)) [[unlikely]]
      walk_back_through(causes_.outcomes_of(at));
    else
      step_back(at);
  }
}

void IterationPaths::step_back(Causes::Index at) {
  const WalkPlaces::Group number = places_.leave(place(at));
  const Causes::Step step = causes_.step(at);
  const bool is_known = causes_.knows(step.cause);  // else it ended before
  const double since_s = is_known ? causes_.end_s(step.cause) : -std::numeric_limits<double>::infinity();
  Group& group = groups_[static_cast<std::size_t>(number)];
  latency_spent_s() += spend(group, step.end_s, since_s, on_it(step.blame));
  if (group.walks == 0) return;
  join(number, place(step.cause));
  causes_.fetch_cause(step.cause);
}

/// From the steps that a collective ends with to those that it begins with.
void IterationPaths::walk_back_through(const Causes::Outcomes& outcomes) {
  Explanation& explanation = *outcomes.explanation;
  at_moments_.assign(explanation.width(), no_group);
  before_ = at_moments_;
  taken_.clear();
  for (std::size_t i = 0; i < at_moments_.size(); ++i)
    if (const Causes::Index step = outcomes.first + i; causes_.knows(step) && places_.is_taken(place(step))) {
      at_moments_[i] = places_.leave(place(step));
      taken_.push_back(i);
    }
  for (int part = explanation.parts(); part-- > 0 && !taken_.empty();)
    for (std::size_t layer = explanation.look_at(part); layer > 0 && !taken_.empty(); --layer)
      walk_back_through_layer(explanation, layer);
  for (const std::size_t i : taken_) go_on_from(explanation.begins()[i], at_moments_[i]);
}

/// Where a collective was no more exact, what it began with may be long forgotten: then nobody is to blame.
void IterationPaths::go_on_from(Causes::Index step, WalkPlaces::Group group) {
  if (causes_.knows(step))
    join(group, place(step));
  else
    under_way_ -= groups_[static_cast<std::size_t>(group)].walks;
}

void IterationPaths::walk_back_through_layer(const Explanation& explanation, std::size_t layer) {
  origins_.origins.clear();
  origins_.segments.clear();
  taken_before_.clear();
  explanation.trace_back(layer, taken_, origins_);
  const Explanation::Segment* segment = origins_.segments.data();
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const Explanation::Origins::Origin& origin = origins_.origins[i];
    const WalkPlaces::Group number = std::exchange(at_moments_[taken_[i]], no_group);
    Group& group = groups_[static_cast<std::size_t>(number)];
    const Explanation::Segment* const end = origins_.segments.data() + origin.end_of_segments;
    double latency_s = 0;
    for (; segment != end; ++segment)
      latency_s += spend(group, segment->end_s, segment->since_s, on_it(segment->blame));
    latency_spent_s() += latency_s;
    if (group.walks == 0) continue;
    WalkPlaces::Group& there = before_[origin.place];
    if (there == no_group) {
      there = number;
      taken_before_.push_back(origin.place);
    } else {
      groups_[static_cast<std::size_t>(there)].add(group);
    }
  }
  at_moments_.swap(before_);
  taken_.swap(taken_before_);
}

/// Of those whose iteration began since then.
void IterationPaths::end_walks(Group& group, double end_s, double since_s, SpentOnIt it) {
  Group others;
  for (Walk* walk = group.first; walk != nullptr;) {
    Walk& at = *walk;
    walk = std::exchange(at.next, nullptr);
    if (at.begin_s < since_s) {
      others.add(at);
      continue;
    }
    latency_spent_s() += count_but_latency(it, end_s - at.begin_s, 1);
    --under_way_;
  }
  group = others;
}

std::optional<CriticalPath> IterationPaths::mean(std::span<const Link> links) const {
  if (counted_ == 0 || causes_.is_full()) return std::nullopt;
  const double paths = static_cast<double>(counted_) * static_cast<double>(workers_.size());
  CriticalPath path;
  for (std::size_t i = 0; i < spent_on_names.size(); ++i) {
    for (std::size_t who = 0; first_of_[i] + who < first_of_[i + 1]; ++who) {
      const double s = spent_s_[first_of_[i] + who] / paths;
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
  constexpr double by_rounding = 1e-12;
  std::erase_if(path.parts,
                [&](const PathPart& part) { return std::abs(part.s) <= by_rounding * path.iteration_s; });
  std::ranges::stable_sort(path.parts, std::ranges::greater(), &PathPart::s);
  return path;
}

}  // namespace starling
