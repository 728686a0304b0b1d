#include "analysis/critical_path/iteration_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling {
namespace {

/// How many places a kind of time has: one per link, per rank, or a single one.
std::size_t size_of(SpentOn on, std::size_t workers, std::size_t links) {
  if (on == SpentOn::link) return links;
  return on < SpentOn::link ? workers : 1;
}

/// How many counted iterations each simulated one stands for. Of iterations that are alike, the last
/// simulated ones are the last of the run, one each, and the first simulated one stands for all before these.
std::vector<std::int64_t> iterations_stood_for(const PathsOfJob& job) {
  const auto simulated = static_cast<std::size_t>(job.run_iterations.value_or(job.iterations));
  const auto first = static_cast<std::size_t>(job.first_repeated);
  const auto every = static_cast<std::size_t>(job.repeated_iterations);
  std::vector<std::int64_t> stand_for(simulated, 0);
  std::vector<std::size_t> last_alike(every);  // by place in the period: the last that stands for none so far
  for (std::size_t i = first; i < simulated; ++i) last_alike[(i - first) % every] = i;
  const std::int64_t left_out = job.is_asked_for ? job.warmup_iterations : job.iterations;
  for (std::int64_t counted = job.iterations - 1; counted >= left_out; --counted) {
    const auto i = static_cast<std::size_t>(counted);
    if (i < first) {
      stand_for[i] = 1;
      continue;
    }
    std::size_t& alike = last_alike[(i - first) % every];
    ++stand_for[alike];
    if (alike >= first + every) alike -= every;
  }
  return stand_for;
}

constexpr WalkPlaces::Group no_group = -1;

}  // namespace

IterationPaths::IterationPaths(const CausalLog& causes, const PathsOfJob& job)
    : causes_(causes),
      listener_(job.listener),
      stand_for_(iterations_stood_for(job)),
      workers_(static_cast<std::size_t>(job.workers)),
      workers_without_end_(workers_.size()),
      begun_since_s_(job.start_s),
      walks_(workers_.size()),
      groups_(workers_.size()) {
  for (OfWorker& worker : workers_) worker.begin_s = job.start_s;
  for (std::size_t on = 0; on < spent_on_names.size(); ++on)
    first_of_[on + 1] = first_of_[on] + size_of(static_cast<SpentOn>(on), job.network_workers, job.links);
  spent_s_.resize(first_of_.back());
}

void IterationPaths::end_iteration(Rank rank, double end_s, CausalLog::Index step) {
  if (is_complete()) return;
  std::deque<End>& ends = workers_[static_cast<std::size_t>(rank)].ends;
  ends.push_back({end_s, step});
  if (ends.size() == not_walked() + 1) --workers_without_end_;
  while (workers_without_end_ == 0 && !is_complete()) end_iteration_of_all();
}

double IterationPaths::needed_since_s() const {
  return is_complete() ? std::numeric_limits<double>::infinity() : begun_since_s_;
}

/// To be called when all workers have ended one more iteration.
void IterationPaths::end_iteration_of_all() {
  if (listener_ && !causes_.is_full()) report_path();
  const std::int64_t stands_for = stand_for_[iterations_];
  counted_ += stands_for;
  ++iterations_;
  // Iterations before the first counted one need not be walked.
  if (not_walked() == 1 && stands_for == 0)
    forget_walked();
  else if (is_complete() || causes_.known() >= most_steps)
    walk_all();
  workers_without_end_ = static_cast<std::size_t>(std::ranges::count_if(
      workers_, [this](const OfWorker& worker) { return worker.ends.size() <= not_walked(); }));
}

/// Walks all iterations that all workers have ended and that have not been walked yet.
void IterationPaths::walk_all() {
  if (!causes_.is_full()) {
    places_.make_room(causes_.known());
    for (std::size_t i = 0; i < workers_.size(); ++i) set_out(i);
    walk_back();
  }
  forget_walked();
}

void IterationPaths::forget_walked() {
  begun_since_s_ = std::numeric_limits<double>::infinity();
  for (OfWorker& worker : workers_) {
    const auto end = worker.ends.begin() + static_cast<std::ptrdiff_t>(not_walked());
    worker.begin_s = (end - 1)->s;
    worker.ends.erase(worker.ends.begin(), end);
    begun_since_s_ = std::min(begun_since_s_, worker.begin_s);
  }
  walked_ = iterations_;
}

/// Passes on the path of the worker that has ended the iteration last.
void IterationPaths::report_path() {
  const std::size_t iteration = not_walked();
  const auto last = std::ranges::max_element(
      workers_, {}, [iteration](const OfWorker& worker) { return worker.ends[iteration].s; });
  const double begin_s = this->begin_s(*last, iteration);
  segments_.clear();
  CausalLog::Index at = last->ends[iteration].step;
  for (bool goes_on = true; goes_on && causes_.knows(at);) {
    const CausalLog::Step step = causes_.step(at);
    const double since_s = std::max(begin_s, causes_.knows(step.cause) ? causes_.end_s(step.cause) : begin_s);
    if (since_s < step.end_s) segments_.push_back({step.end_s, since_s, step.blame});
    goes_on = since_s > begin_s;
    at = step.cause;
  }
  listener_(static_cast<Rank>(last - workers_.begin()), static_cast<std::int64_t>(iterations_), segments_);
}

void IterationPaths::Group::add(Walk& walk) { add(Group{&walk, &walk, 1, walk.stands_for, walk.begin_s}); }

void IterationPaths::Group::add(const Group& others) {
  if (others.walks == 0) return;
  (walks > 0 ? last->next : first) = others.first;
  last = others.last;
  latest_begin_s = walks > 0 ? std::max(latest_begin_s, others.latest_begin_s) : others.latest_begin_s;
  walks += others.walks;
  stand_for += others.stand_for;
}

/// Begins the walk of a worker, at the end of the last iteration that all have ended.
void IterationPaths::set_out(std::size_t worker) {
  const std::size_t last = not_walked() - 1;
  const End& end = workers_[worker].ends[last];
  if (end.s <= workers_[worker].begin_s) return;
  walks_[worker] = {};
  enter(walks_[worker], last);
  groups_[worker] = {};
  groups_[worker].add(walks_[worker]);
  ++under_way_;
  newest_ = std::max(newest_, end.step);
  join(static_cast<WalkPlaces::Group>(worker), place(end.step));
}

void IterationPaths::enter(Walk& walk, std::size_t iteration) const {
  walk.iteration = iteration;
  walk.begin_s = begin_s(workers_[static_cast<std::size_t>(&walk - walks_.data())], iteration);
  walk.stands_for = static_cast<double>(stand_for_[walked_ + iteration]);
}

void IterationPaths::join(WalkPlaces::Group group, std::size_t place) {
  const WalkPlaces::Group there = places_.enter(group, place);
  if (there != group) groups_[static_cast<std::size_t>(there)].add(groups_[static_cast<std::size_t>(group)]);
}

inline double IterationPaths::count_but_latency(BlamePlace it, double s, double iterations) {
  const double latency_s = std::min(it.latency_s, std::max(0.0, s));
  spent_s_[it.place] += iterations * (s - latency_s);
  return iterations * latency_s;
}

inline double IterationPaths::spend(Group& group, double end_s, double since_s, BlamePlace it) {
  if (group.latest_begin_s >= since_s) [[unlikely]]
    return spend_one_by_one(group, end_s, since_s, it);
  return count_but_latency(it, end_s - since_s, group.stand_for);
}

/// For a group of which some walks come to an earlier iteration, or to the begin of the first one, where they
/// end.
double IterationPaths::spend_one_by_one(Group& group, double end_s, double since_s, BlamePlace it) {
  Group others;
  double latency_s = 0;
  for (Walk* walk = group.first; walk != nullptr;) {
    Walk& at = *walk;
    walk = std::exchange(at.next, nullptr);
    latency_s += spend_through(at, end_s, since_s, it);
    if (at.begin_s < since_s)
      others.add(at);
    else
      --under_way_;
  }
  group = others;
  return latency_s;
}

/// Counts the time of a walk through iterations, and leaves it in the one that it comes to, or at the begin
/// of the first one.
double IterationPaths::spend_through(Walk& walk, double end_s, double since_s, BlamePlace it) {
  double latency_s = 0;
  while (walk.begin_s >= since_s) {
    latency_s += count_but_latency(it, end_s - walk.begin_s, walk.stands_for);
    it.latency_s = std::max(0.0, it.latency_s - std::max(0.0, end_s - walk.begin_s));
    end_s = walk.begin_s;
    if (walk.iteration == 0) return latency_s;
    enter(walk, walk.iteration - 1);
  }
  return latency_s + count_but_latency(it, end_s - since_s, walk.stands_for);
}

/// Visits steps from the newest to the oldest: a cause has a lower number than its effects.
void IterationPaths::walk_back() {
  CausalLog::Index at = std::exchange(newest_, 0);
  while (under_way_ > 0) {
    at = causes_.first() + places_.last_taken(place(at));
    if (causes_.is_outcome(at)) [[unlikely]]
      walk_back_through(causes_.outcomes_of(at));
    else
      step_back(at);
  }
}

void IterationPaths::step_back(CausalLog::Index at) {
  const WalkPlaces::Group number = places_.leave(place(at));
  const CausalLog::Step step = causes_.step(at);
  const bool is_known = causes_.knows(step.cause);  // else it ended before the walked iterations
  const double since_s = is_known ? causes_.end_s(step.cause) : -std::numeric_limits<double>::infinity();
  Group& group = groups_[static_cast<std::size_t>(number)];
  latency_spent_s() += spend(group, step.end_s, since_s, blame_place(step.blame));
  if (group.walks == 0) return;
  join(number, place(step.cause));
  causes_.fetch_cause(step.cause);
}

/// Takes walks from the steps that an evaluated collective ends with to those that it begins with.
void IterationPaths::walk_back_through(const CausalLog::Outcomes& outcomes) {
  Explanation& explanation = *outcomes.explanation;
  at_moments_.assign(explanation.width(), no_group);
  before_ = at_moments_;
  taken_.clear();
  for (std::size_t i = 0; i < at_moments_.size(); ++i)
    if (const CausalLog::Index step = outcomes.first + i;
        causes_.knows(step) && places_.is_taken(place(step))) {
      at_moments_[i] = places_.leave(place(step));
      taken_.push_back(i);
    }
  for (int part = explanation.parts(); part-- > 0 && !taken_.empty();)
    for (std::size_t layer = explanation.look_at(part); layer > 0 && !taken_.empty(); --layer)
      walk_back_through_layer(explanation, layer);
  for (const std::size_t i : taken_) go_on_from(explanation.begins()[i], at_moments_[i]);
}

/// The steps with which a collective began may be forgotten where it was not exact any more: then walks end
/// there.
void IterationPaths::go_on_from(CausalLog::Index step, WalkPlaces::Group group) {
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
      latency_s += spend(group, segment->end_s, segment->since_s, blame_place(segment->blame));
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
