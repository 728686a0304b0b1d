#include "analysis/model/modeled_run.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

/// Control messages are combined by the host's processor, so they need no reduction time.
MessageCosts costs_of_control(MessageCosts costs) {
  costs.reduction_s_per_byte = 0;
  return costs;
}

}  // namespace

Moments later_of(Moments one, const Moments& other) {
  for (std::size_t rank = 0; rank < one.size(); ++rank) one[rank] = std::max(one[rank], other[rank]);
  return one;
}

ModeledRun::ModeledRun(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact)
    : job_{.run = run,
           .sizes = Replica(run.workload),
           .log = IterationLog(network.routes.workers(), run.iterations)},
      network_(network),
      collectives_(network.routes, network.costs, network.rules),
      controls_(network.routes, costs_of_control(network.costs), network.rules),
      link_free_s_(network.routes.links().size(), 0.0),
      participation_(network.routes.workers()),
      is_to_be_exact_(is_to_be_exact) {
  for (Rank rank = 0; rank < network.routes.workers(); ++rank) workers_.emplace_back(rank, job_);
}

void ModeledRun::begin_iteration() {
  for (ModeledWorker& worker : workers_) worker.begin_iteration();
}

void ModeledRun::forward_to(int end_layer) {
  for (ModeledWorker& worker : workers_) worker.forward_to(end_layer);
}

void ModeledRun::forward() { forward_to(static_cast<int>(workload().model.layers.size())); }

void ModeledRun::backward_to(int first_layer) {
  for (ModeledWorker& worker : workers_) worker.backward_to(first_layer);
}

void ModeledRun::update(TensorRange tensors) {
  for (ModeledWorker& worker : workers_) worker.update(tensors);
}

void ModeledRun::spend(double seconds) {
  for (ModeledWorker& worker : workers_) worker.spend(seconds);
}

void ModeledRun::wait_until(const Moments& times_s) {
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) workers_[rank].wait_until(times_s[rank]);
}

void ModeledRun::end_iteration() {
  for (ModeledWorker& worker : workers_) worker.end_iteration();
}

Moments ModeledRun::now_s() const {
  Moments times_s;
  for (const ModeledWorker& worker : workers_) times_s.push_back(worker.now_s());
  return times_s;
}

Moments ModeledRun::collective(const Schedule& schedule, const Moments& begin_s) {
  return evaluated(collectives_, schedule, begin_s, workload().bytes_per_element);
}

Moments ModeledRun::collective(const Schedule& schedule, const Moments& begin_s, std::size_t lane) {
  if (lane == 0) return collective(schedule, begin_s);
  while (further_lanes_.size() < lane)
    further_lanes_.emplace_back(network_.routes, network_.costs, network_.rules);
  return evaluated(further_lanes_[lane - 1], schedule, begin_s, workload().bytes_per_element);
}

double ModeledRun::busy_s(const Schedule& schedule) const {
  Moments of_links_s(network_.routes.links().size(), 0.0);
  double longest_s = 0;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    double of_processor_s = 0;
    double of_reductions_s = 0;
    for (int index = 0; index < schedule.rounds(rank); ++index) {
      const Round round = schedule.round(rank, index);
      const auto bytes_of = [&](const Transmission& one) {
        return static_cast<double>(one.chunk.count) * workload().bytes_per_element;
      };
      if (round.receive.is_present()) {
        of_processor_s += network_.costs.overhead_s;
        if (round.action == Round::Action::reduce)
          of_reductions_s += bytes_of(round.receive) * network_.costs.reduction_s_per_byte;
      }
      if (!round.send.is_present()) continue;
      of_processor_s += network_.costs.overhead_s;
      const Hop hop = routes().hop(rank, round.send.peer);
      const double bytes = bytes_of(round.send);
      if (routes().leg(bytes, hop).is_small && !network_.rules.take_links) continue;
      for (const LinkIndex link : network_.routes.route(rank, round.send.peer)) {
        const auto at = static_cast<std::size_t>(link);
        of_links_s[at] += routes().wire_bytes(bytes, hop) / network_.routes.links()[at].bandwidth_Bps;
      }
    }
    longest_s = std::max({longest_s, of_processor_s, of_reductions_s});
  }
  // With a single worker there may be no links at all.
  for (const double of_link_s : of_links_s) longest_s = std::max(longest_s, of_link_s);
  return longest_s;
}

Moments ModeledRun::control(const Schedule& schedule, const Moments& begin_s, double bytes_per_element) {
  const double bytes = static_cast<double>(schedule.count()) * bytes_per_element;
  const bool are_beside_data = are_small(bytes) && bytes <= network_.costs.eager_in_collectives_bytes() &&
                               bytes <= network_.costs.send_buffer_bytes;
  if (network_.rules.take_links || network_.rules.keep_order || network_.costs.overhead_s > 0 ||
      !are_beside_data)
    note_estimate("control messages, which decide what is sent next, are assumed not to contend with data");
  const bool have_met = have_messages_met_;
  Moments end_s = evaluated(controls_, schedule, begin_s, bytes_per_element);
  have_messages_met_ = have_met;
  return end_s;
}

Moments ModeledRun::evaluated(CollectiveEvaluator& evaluator, const Schedule& schedule,
                              const Moments& begin_s, double bytes_per_element) {
  std::optional<Evaluation> found = evaluator.evaluate(schedule, begin_s, bytes_per_element);
  STARLING_INVARIANT(found);
  if (!found->is_exact) note_meeting();
  statistics_.messages += found->messages;
  statistics_.rendezvous_messages += found->rendezvous_messages;
  statistics_.bytes += found->bytes;
  collectives_end_s_ = std::max(collectives_end_s_, std::ranges::max(found->end_s));
  return std::move(found->end_s);
}

RunStatistics ModeledRun::statistics() const {
  RunStatistics statistics = statistics_;
  statistics.makespan_s = std::max(collectives_end_s_, std::ranges::max(now_s()));
  return statistics;
}

bool ModeledRun::are_small(double bytes) const {
  return routes().leg(bytes, {.is_inside_host = false}).is_small &&
         routes().leg(bytes, {.is_inside_host = true}).is_small;
}

void ModeledRun::count_again(const RunStatistics& since, double times) {
  const auto whole = static_cast<std::uint64_t>(times);
  statistics_.messages += whole * (statistics_.messages - since.messages);
  statistics_.rendezvous_messages += whole * (statistics_.rendezvous_messages - since.rendezvous_messages);
  statistics_.bytes += times * (statistics_.bytes - since.bytes);
}

ModeledStream::ModeledStream(ModeledRun& run)
    : run_(run), end_s_(static_cast<std::size_t>(run.ranks()), 0.0) {}

void ModeledStream::issue(const Schedule& schedule, const Moments& issued_s) {
  end_s_ = run_.collective(schedule, later_of(issued_s, end_s_));
}

}  // namespace starling
