#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "algorithms/collectives/evaluation/collective_evaluator.hpp"
#include "analysis/model/modeled_worker.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A moment of each rank, in seconds since the beginning of the run.
using Moments = std::vector<double>;

/// The later of both moments, for each rank.
Moments later_of(Moments one, const Moments& other);

/// A scenario's network, and what messages cost at their ends.
struct ModeledNetwork {
  const Routes& routes;
  const MessageCosts& costs;
  SmallMessageRules rules;
  /// Whether connections have windows, for which messages may wait. The model leaves that waiting out.
  bool has_windows = false;
  bool has_connection_rate = false;  // likewise
};

/// The state of a recurrence: the clocks of all workers, and the end of each collective as a function of when
/// each worker enters it. A recurrence goes through the iterations once, all workers side by side; if
/// `is_to_be_exact`, it may stop after the first iteration that is not exact.
class ModeledRun {
 public:
  /// All that both refer to must outlive this object.
  ModeledRun(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact = false);
  ModeledRun(const ModeledRun&) = delete;
  ModeledRun& operator=(const ModeledRun&) = delete;

  int ranks() const { return static_cast<int>(workers_.size()); }
  std::int64_t iterations() const { return job_.run.iterations; }
  /// Whether the run has that iteration, and the recurrence still has a reason to go through it.
  bool goes_on(std::int64_t iteration) const {
    return iteration < iterations() && (!is_to_be_exact_ || is_exact());
  }
  std::uint64_t seed() const { return job_.run.seed; }
  const Workload& workload() const { return job_.run.workload; }
  Replica& sizes() { return job_.sizes; }
  const ModeledNetwork& network() const { return network_; }
  /// The time of a message that has its route to itself.
  const FreeRoutes& routes() const { return collectives_.network(); }
  /// Whether messages of so many bytes of data fit into one packet, inside hosts and between them.
  bool are_small(double bytes) const;
  ModeledWorker& worker(Rank rank) { return workers_[static_cast<std::size_t>(rank)]; }

  // Each of these advances all workers: see ModeledWorker.
  void begin_iteration();
  void forward_to(int end_layer);
  void forward();
  void backward_to(int first_layer);
  void backward() { backward_to(0); }
  void update(TensorRange tensors);
  void update_all() { update(job_.sizes.all()); }
  void spend(double seconds);
  void wait_until(const Moments& times_s);
  void end_iteration();
  Moments now_s() const;

  /// When each rank is done with a collective of the workload's elements that it enters at begin_s.
  Moments collective(const Schedule& schedule, const Moments& begin_s);
  /// The same in one of several lanes. Collectives of a lane follow one another, and are evaluated without
  /// those of other lanes; lane 0 is that of the function without a lane.
  Moments collective(const Schedule& schedule, const Moments& begin_s, std::size_t lane);
  /// How long a collective occupies the resource that it occupies the longest: a link, or a worker's message
  /// processor or reduction unit. Collectives that run side by side take at least the sum of these times.
  /// O(messages · links of a route).
  double busy_s(const Schedule& schedule) const;
  /// When each rank is done with a collective of small control messages, which is assumed not to meet the
  /// data that is sent at the same time; noted as an estimate where it may.
  Moments control(const Schedule& schedule, const Moments& begin_s, double bytes_per_element);

  /// When each link has passed the messages that were sent outside collectives. Indexed by link.
  Moments& link_free_s() { return link_free_s_; }

  /// Counts messages that workers have sent outside collectives, of so many bytes each.
  void count_messages(std::uint64_t messages, double bytes_each, bool are_rendezvous = false) {
    statistics_.messages += messages;
    statistics_.rendezvous_messages += are_rendezvous ? messages : 0;
    statistics_.bytes += static_cast<double>(messages) * bytes_each;
  }
  /// Counts the messages sent since the statistics were `since` so many times more.
  void count_again(const RunStatistics& since, double times);
  /// Counts of all messages so far.
  const RunStatistics& sent() const { return statistics_; }
  /// The same, and the makespan: when the last worker or collective has ended.
  RunStatistics statistics() const;
  /// Who took part in each averaging operation.
  ParticipationLog& participation() { return participation_; }

  /// Notes that messages have met on a link; the model lets each pass as if it were alone.
  void note_meeting() { have_messages_met_ = true; }
  bool have_messages_met() const { return have_messages_met_; }
  /// Notes that the order of two simultaneous events, which may be either, decides who takes part in what.
  void note_tie() { has_ties_ = true; }
  /// Notes that such an order decides times, too.
  void note_decisive_tie() {
    note_tie();
    note_estimate("simultaneous events are assumed to occur in an order that the model chooses");
  }
  bool has_ties() const { return has_ties_; }
  bool is_exact() const { return !have_messages_met_ && !has_ties_ && estimates_.empty(); }
  /// Notes an assumption that need not hold, as a clause.
  void note_estimate(std::string what) { estimates_.insert(std::move(what)); }
  /// Notes, as a clause, an order of events that times depend on. Where the model leaves out something that
  /// makes workers later, the order may be another one, and times shorter: the clause then is an estimate.
  void note_order(std::string what) { orders_.insert(std::move(what)); }
  const std::set<std::string>& orders() const { return orders_; }
  /// Notes that a worker is in several collectives at once, each of which is evaluated alone. That is exact
  /// where they share neither its message processor nor its reduction unit, nor connections.
  void note_several_collectives(bool may_share_connections = false) {
    if (may_share_connections || network_.costs.overhead_s > 0 || network_.costs.reduction_s_per_byte > 0)
      note_estimate("concurrent collectives are assumed not to wait for each other at a worker");
  }
  const std::set<std::string>& estimates() const { return estimates_; }
  IterationLog take_log() { return std::move(job_.log); }

 private:
  Moments evaluated(CollectiveEvaluator& evaluator, const Schedule& schedule, const Moments& begin_s,
                    double bytes_per_element);

  ModeledJob job_;
  ModeledNetwork network_;
  std::vector<ModeledWorker> workers_;
  CollectiveEvaluator collectives_;
  std::deque<CollectiveEvaluator> further_lanes_;
  CollectiveEvaluator controls_;
  Moments link_free_s_;
  RunStatistics statistics_;
  double collectives_end_s_ = 0;
  ParticipationLog participation_;
  bool is_to_be_exact_;
  bool have_messages_met_ = false;
  bool has_ties_ = false;
  std::set<std::string> estimates_;
  std::set<std::string> orders_;
};

/// Collectives that run one after the other beside the computing, as on a CommunicationStream.
class ModeledStream {
 public:
  explicit ModeledStream(ModeledRun& run);

  /// Appends a collective that each rank issues at `issued_s`.
  void issue(const Schedule& schedule, const Moments& issued_s);
  /// When each rank is done with all collectives so far.
  const Moments& end_s() const { return end_s_; }

 private:
  ModeledRun& run_;
  Moments end_s_;
};

}  // namespace starling
