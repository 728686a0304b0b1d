#include "analysis/demand/run_shape.hpp"

#include <algorithm>

#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/simulated_machine.hpp"

namespace starling {
namespace {

/// About what all ranks together send.
struct Sent {
  double messages = 0;
  double elements = 0;
};

Sent sent_by(const Schedule& schedule) {
  const int ranks = schedule.ranks();
  if (schedule.is_ring()) {
    const double elements_of_rank = static_cast<double>(schedule.count()) / ranks;
    const double rounds = static_cast<double>(ranks) * schedule.rounds(0);
    return {.messages = rounds * std::min(1.0, elements_of_rank), .elements = rounds * elements_of_rank};
  }
  constexpr int most_asked = 8;
  const int asked = std::min(most_asked, ranks);
  Sent sent;
  for (int i = 0; i < asked; ++i) {
    const auto rank = static_cast<Rank>(std::int64_t{i} * ranks / asked);
    for (int round = 0; round < schedule.rounds(rank); ++round) {
      const Transmission send = schedule.round(rank, round).send;
      if (!send.is_present()) continue;
      sent.messages += static_cast<double>(ranks) / asked;
      sent.elements += static_cast<double>(send.chunk.count) * ranks / asked;
    }
  }
  return sent;
}

/// Whether pairs of workers can exchange messages at once without sharing a link: there is one worker per
/// host, and all hosts are at one switch.
bool are_exchanges_alone(const Routes& routes) {
  constexpr std::size_t links_by_one_switch = 2;
  return routes.hosts() == routes.workers() &&
         (routes.workers() == 1 || routes.route(0, routes.workers() / 2).size() <= links_by_one_switch);
}

/// Computes the shape of a run.
class ShapeOfRun {
 public:
  ShapeOfRun(const ScenarioJob& job, std::size_t index, const RunConditions& conditions)
      : job_(job),
        conditions_(conditions),
        run_(job.run(index)),
        traffic_(run_.algorithm.typical_traffic(run_.workload)),
        are_exchanges_alone_(are_exchanges_alone(job.routes())),
        is_disturbed_(!job.scenario().imbalance.empty()) {
    if (!conditions.sends_all && may_leave_out_messages(job.scenario(), run_)) {
      are_ring_hops_disjoint_ =
          std::ranges::any_of(traffic_.collectives, is_ring) && are_ring_hops_disjoint(job.routes());
      is_whole_evaluated_ = is_whole_evaluated();
      may_evaluate_collectives_ =
          is_whole_evaluated_ || may_evaluate_collectives(job.scenario(), run_, conditions.watching);
    }
    shape_.iterations = iterations(index);
  }

  RunShape shape() {
    shape_.workers = job_.workers();
    shape_.engine = job_.scenario().engine;
    shape_.has_workers = !is_whole_evaluated_;
    shape_.flows = std::max(1.0, traffic_.models);
    for (const TypicalTraffic::Collective& collective : traffic_.collectives) add(collective);
    add_other_messages();
    return shape_;
  }

 private:
  double iterations(std::size_t index) const {
    std::int64_t iterations = job_.iterations(index);
    // A repetition is less certain with messages between neighbors, and with workers that drift apart at
    // times.
    const bool repeats_surely =
        !run_.algorithm.sequential_collectives().empty() && run_.algorithm.quiescent_period() == 1;
    if (!conditions_.sends_all && repeats_surely && may_repeat(job_.scenario(), run_))
      iterations = std::min(iterations, least_iterations_to_repeat(run_));
    return static_cast<double>(iterations);
  }

  /// Partial collectives share links with each other as soon as workers differ.
  bool is_whole_evaluated() const {
    if (conditions_.evaluator == nullptr || conditions_.watching.anything()) return false;
    if (!conditions_.evaluator->may_evaluate(run_, job_.routes())) return false;
    if (run_.algorithm.has_control_beside_collectives()) return are_ring_hops_disjoint_;
    return are_exchanges_alone_ && (traffic_.collectives.empty() || !is_disturbed_);
  }

  static bool is_ring(const TypicalTraffic::Collective& collective) { return collective.schedule->is_ring(); }

  void add(const TypicalTraffic::Collective& collective) {
    const Sent sent = sent_by(*collective.schedule);
    const double messages = collective.times * sent.messages;
    shape_.collectives += collective.times;
    if (is_ring(collective) && may_evaluate_collectives_ && are_ring_hops_disjoint_) {
      // In units of a ring all-reduce: a reduce-scatter or an all-gather is half of one.
      if (sent.messages > 0) shape_.rings += messages / (2 * shape_.workers * (shape_.workers - 1));
      shape_.ring_messages += messages;
    } else if (is_whole_evaluated_ || is_evaluated_beside_rings()) {
      shape_.other_messages += messages;
    } else {
      (is_ring(collective) ? shape_.messages_along : shape_.messages_across) += messages;
      add_frames(messages, collective.times * sent.elements * run_.workload.bytes_per_element);
    }
  }
  /// Whether collectives other than rings are evaluated: not where workers differ, as those that run ahead
  /// then share links with others.
  bool is_evaluated_beside_rings() const {
    return may_evaluate_collectives_ && are_exchanges_alone_ && !is_disturbed_ &&
           !conditions_.watching.anything();
  }

  void add_other_messages() {
    const double messages = shape_.workers * traffic_.messages;
    if (is_whole_evaluated_) {
      shape_.other_messages += messages;
      return;
    }
    shape_.messages_across += messages;
    const double model_bytes =
        static_cast<double>(Replica(run_.workload).elements()) * run_.workload.bytes_per_element;
    add_frames(messages, shape_.workers * traffic_.models * model_bytes);
  }

  /// Adds the frames of so many messages, which have `bytes` in total and are equally large.
  void add_frames(double messages, double bytes) {
    if (messages == 0) return;
    const double message_bytes = bytes / messages;
    const double frames = message_bytes / tcp_of_pair(job_.scenario()).frame_bytes_of(message_bytes);
    shape_.frames += messages * std::max(1.0, frames);
  }

  const ScenarioJob& job_;
  const RunConditions& conditions_;
  PreparedRun run_;
  TypicalTraffic traffic_;
  bool are_ring_hops_disjoint_ = false;
  bool are_exchanges_alone_;
  bool is_disturbed_;
  bool is_whole_evaluated_ = false;
  bool may_evaluate_collectives_ = false;
  RunShape shape_ = {};
};

}  // namespace

RunShape shape_of_run(const ScenarioJob& job, std::size_t index, const RunConditions& conditions) {
  return ShapeOfRun(job, index, conditions).shape();
}

}  // namespace starling
