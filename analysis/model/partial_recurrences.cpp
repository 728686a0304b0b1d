#include <algorithm>
#include <bit>
#include <compare>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "analysis/model/recurrences.hpp"

namespace starling {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

/// The background of all workers: when each is done with every version of every operation.
class PartialRecurrence {
 public:
  PartialRecurrence(ModeledRun& run, PartialCollectivePlan plan)
      : run_(run),
        plan_(std::move(plan)),
        dimensions_(std::countr_zero(static_cast<unsigned>(run.ranks()))),
        lane_end_s_(static_cast<std::size_t>(run.ranks()), 0.0),
        end_s_(plan_.counts.size(), lane_end_s_) {
    if (run.network().costs.overhead_s > 0 && dimensions_ > 0)
      run.note_estimate("what starts operations is taken not to wait for a worker's other messages");
  }

  double call_s() const { return plan_.call_s; }

  /// A version of all operations; `called_s`: when each rank calls each.
  void execute(std::int64_t version, const std::vector<Moments>& called_s) {
    const VersionStart start = plan_.start(version);
    for (std::size_t operation = 0; operation < end_s_.size(); ++operation) {
      Moments& end_s = end_s_[operation];
      const Moments known_s = known(start, called_s[operation], end_s);
      const Schedule& schedule = plan_.schedule(static_cast<int>(operation), version);
      end_s = run_.collective(schedule, later_of(known_s, plan_.is_serialized ? lane_end_s_ : end_s));
      lane_end_s_ = end_s;
    }
  }

  /// When each rank is done with the newest version of all operations.
  Moments all_ended_s() const {
    Moments latest_s(lane_end_s_.size(), 0.0);
    for (const Moments& end_s : end_s_) latest_s = later_of(std::move(latest_s), end_s);
    return latest_s;
  }

 private:
  /// A rank learns of a version: by its own call, or on a dimension of the butterfly.
  struct News {
    double time_s;
    double arrival_s;  // no later than that; what arrives early waits
    Rank rank;
    int next_dimension;
    auto operator<=>(const News&) const = default;
  };
  using Agenda = std::priority_queue<News, std::vector<News>, std::greater<>>;

  /// When each rank may take part, `free_s` being when it has ended the version before.
  Moments known(const VersionStart& start, const Moments& called_s, const Moments& free_s) const {
    if (start.by == VersionStart::By::everyone) return called_s;
    Agenda agenda;
    for (Rank rank = 0; rank < run_.ranks(); ++rank)
      if (start.by == VersionStart::By::anyone || start.initiator == rank)
        agenda.push({called_s[at(rank)], called_s[at(rank)], rank, 0});
    Moments known_s(called_s.size(), never_s);
    while (!agenda.empty()) {
      const News news = agenda.top();
      agenda.pop();
      if (known_s[at(news.rank)] < never_s) continue;
      known_s[at(news.rank)] = news.time_s;
      double launch_s = news.time_s;
      for (int dimension = news.next_dimension; dimension < dimensions_; ++dimension) {
        const Rank neighbor = news.rank ^ (1 << dimension);
        launch_s += run_.network().costs.overhead_s;
        const double arrival_s = launch_s + notification_s(news.rank, neighbor);
        agenda.push({std::max(arrival_s, free_s[at(neighbor)]), arrival_s, neighbor, dimension + 1});
      }
    }
    return known_s;
  }

  double notification_s(Rank source, Rank destination) const {
    const Leg leg = run_.routes().leg(Notification::bytes, run_.routes().hop(source, destination));
    return leg.transmission_s + leg.latency_s + leg.protocol_latency_s + run_.network().costs.overhead_s;
  }

  static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

  ModeledRun& run_;
  PartialCollectivePlan plan_;
  int dimensions_;  // log₂P
  Moments lane_end_s_;
  std::vector<Moments> end_s_;  // of the newest version of each operation
};

/// The forward and the backward pass, with a call for every bucket once its gradients are there and
/// `prepare` is done.
std::vector<Moments> call_during_backward(ModeledRun& run, const std::vector<Bucket>& buckets, double call_s,
                                          const std::function<void(const Bucket&)>& prepare) {
  run.begin_iteration();
  run.forward();
  std::vector<Moments> called_s;
  for (const Bucket& bucket : buckets) {
    run.backward_to(bucket.ready_layer);
    prepare(bucket);
    called_s.push_back(run.now_s());
    run.spend(call_s);
  }
  run.backward();
  return called_s;
}

}  // namespace

void predict(const EagerSgd& algorithm, ModeledRun& run) {
  PartialRecurrence background(run, algorithm.plan(run.iterations(), run.seed()));
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) {
    background.execute(
        iteration, call_during_backward(run, algorithm.buckets(), background.call_s(), [](const Bucket&) {}));
    run.wait_until(background.all_ended_s());
    run.update_all();
    if (algorithm.synchronizes(iteration))
      run.wait_until(run.collective(algorithm.model_allreduce(), run.now_s()));
    run.end_iteration();
  }
}

void predict(const Wagma& algorithm, ModeledRun& run) {
  const bool updates_last = algorithm.options().published_code;
  PartialRecurrence background(run, algorithm.plan(run.iterations()));
  const auto update = [&](const Bucket& bucket) {
    if (!updates_last) run.update(bucket.tensors);
  };
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) {
    background.execute(iteration,
                       call_during_backward(run, algorithm.buckets(), background.call_s(), update));
    run.wait_until(background.all_ended_s());
    if (updates_last) run.update_all();
    run.end_iteration();
  }
}

}  // namespace starling
