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

/// A moment of each rank.
using Moments = std::vector<double>;

/// The later one for each rank.
Moments later_of(Moments one, const Moments& other);

/// What messages find: a scenario's network, and what they cost at their ends.
struct ModeledNetwork {
  const Routes& routes;
  const MessageCosts& costs;
  SmallMessageRules rules;
  /// Whether connections have windows, for which messages may wait: they are left out.
  bool has_windows = false;
  bool has_connection_rate = false;  // likewise
};

/// The state of a recurrence: the clocks of all workers, and the end of each collective as a function of when
/// each worker comes to it. A recurrence goes through the iterations once, all workers side by side; if
/// `is_to_be_exact`, it may stop after the first iteration that is not.
class ModeledRun {
 public:
  /// All that both refer to must outlive this object.
  ModeledRun(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact = false);
  ModeledRun(const ModeledRun&) = delete;
  ModeledRun& operator=(const ModeledRun&) = delete;

  int ranks() const { return static_cast<int>(workers_.size()); }
  std::int64_t iterations() const { return job_.run.iterations; }
  /// Whether there is that iteration, and a reason to go through it.
  bool goes_on(std::int64_t iteration) const {
    return iteration < iterations() && (!is_to_be_exact_ || is_exact());
  }
  std::uint64_t seed() const { return job_.run.seed; }
  const Workload& workload() const { return job_.run.workload; }
  Replica& sizes() { return job_.sizes; }
  const ModeledNetwork& network() const { return network_; }
  /// The equations of messages.
  const FreeRoutes& routes() const { return collectives_.network(); }
  /// Whether messages of so many bytes of data are at most a packet, inside hosts and between them.
  bool are_small(double bytes) const;
  ModeledWorker& worker(Rank rank) { return workers_[static_cast<std::size_t>(rank)]; }

  // What all workers do.
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

  /// When each rank is done with a collective of the workload's elements that it comes to at begin_s.
  Moments collective(const Schedule& schedule, const Moments& begin_s);
  /// The same in one of several lanes, whose collectives follow one another and do not see those of others;
  /// lane 0 is the one that the other function has.
  Moments collective(const Schedule& schedule, const Moments& begin_s, std::size_t lane);
  /// How long a collective needs whatever it needs longest: a link, or a worker's message processor or
  /// reduction unit. As many at a time as there may be take so long each. O(messages · links of a route).
  double busy_s(const Schedule& schedule) const;
  /// The same of one of small messages beside the data of others, which is taken not to disturb them.
  Moments control(const Schedule& schedule, const Moments& begin_s, double bytes_per_element);

  /// When what single messages have taken each link for has passed.
  Moments& link_free_s() { return link_free_s_; }

  /// Workers have sent so many messages of so many bytes each, beside those of collectives.
  void count_messages(std::uint64_t messages, double bytes_each, bool are_rendezvous = false) {
    statistics_.messages += messages;
    statistics_.rendezvous_messages += are_rendezvous ? messages : 0;
    statistics_.bytes += static_cast<double>(messages) * bytes_each;
  }
  /// What was sent since then was sent so many times more.
  void count_again(const RunStatistics& since, double times);
  /// What all messages so far were.
  const RunStatistics& sent() const { return statistics_; }
  /// The same, and when the last worker, and the last collective, have ended.
  RunStatistics statistics() const;
  /// Who took part in what workers have averaged.
  ParticipationLog& participation() { return participation_; }

  /// Messages have met on links, each of which the model lets pass as if it were alone.
  void note_meeting() { have_messages_met_ = true; }
  bool have_messages_met() const { return have_messages_met_; }
  /// Notes that either of two things that come at the same moment may be the first, which decides who takes
  /// part in what …
  void note_tie() { has_ties_ = true; }
  /// … or times, too.
  void note_decisive_tie() {
    note_tie();
    note_estimate("what comes at the same moment is taken in an order of the model's own");
  }
  bool has_ties() const { return has_ties_; }
  bool is_exact() const { return !have_messages_met_ && !has_ties_ && estimates_.empty(); }
  /// Something is taken for granted that need not be so: what, as a clause.
  void note_estimate(std::string what) { estimates_.insert(std::move(what)); }
  /// Times depend on what comes first. Where something is left out that makes workers later, something else
  /// may be first, and sooner: then that is taken for granted, too. What, as a clause.
  void note_order(std::string what) { orders_.insert(std::move(what)); }
  const std::set<std::string>& orders() const { return orders_; }
  /// A worker is in several collectives at once, which are looked at one by one: exact where they need
  /// neither its message processor nor its reduction unit, nor the same connections.
  void note_several_collectives(bool may_share_connections = false) {
    if (may_share_connections || network_.costs.overhead_s > 0 || network_.costs.reduction_s_per_byte > 0)
      note_estimate("collectives at the same time are taken not to wait for each other at a worker");
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

/// Collectives that follow one another beside the computing, as on a CommunicationStream.
class ModeledStream {
 public:
  explicit ModeledStream(ModeledRun& run);

  /// Appends one that each rank issues at `issued_s`.
  void issue(const Schedule& schedule, const Moments& issued_s);
  /// When all so far are complete.
  const Moments& end_s() const { return end_s_; }

 private:
  ModeledRun& run_;
  Moments end_s_;
};

}  // namespace starling
