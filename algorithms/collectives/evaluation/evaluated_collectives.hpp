#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/collectives/evaluation/collective_evaluator.hpp"
#include "algorithms/collectives/evaluation/rings/observation/ring_observer.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/event.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/run_statistics.hpp"

namespace starling {

/// The collectives of a run that are sent message by message, by number; 0 is the first collective of the
/// run.
using CollectivesByMessages = std::set<std::int64_t>;

/// Thrown to abort a run in which so few evaluations are exact that it is faster to send all messages.
struct TooLittleIsExact {};

/// Runs collectives of all workers of a simulated world without their messages: when the last worker has
/// entered a collective, an evaluator computes when each worker completes it.
///
/// Exact, up to rounding, if collectives that follow one another are the only traffic: no worker completes
/// a collective before the last worker has entered it, so nothing before that moment can depend on the
/// result. Under `fair`, a long ring that is sent message by message over shared links magnifies rounding
/// errors: after an evaluated collective its end may be off by 0.4 %, no more than any rounding error
/// changes it (README.md).
///
/// If an evaluation is not exact, the run continues with the estimate, to examine the collectives after it.
/// The run must then be repeated with the collectives of by_messages() sent message by message: the inexact
/// collective and those that overlap it in time. Under `event`, links serve messages of the same moment in
/// the order in which they were sent, and an evaluation does not determine the order in which workers that
/// complete at the same moment continue. So all earlier collectives are added as well, unless messages of
/// the inexact one meet no others.
class EvaluatedCollectives final : public CollectiveExecutor {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  /// `routes` must outlive this object. `by_messages`: the collectives to send message by message. run()
  /// throws TooLittleIsExact once at least `gives_up_after` collectives have been evaluated and more than
  /// half of their messages belong to collectives that are not exact.
  EvaluatedCollectives(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules,
                       CollectivesByMessages by_messages = {}, std::size_t gives_up_after = never);
  EvaluatedCollectives(const EvaluatedCollectives&) = delete;
  EvaluatedCollectives& operator=(const EvaluatedCollectives&) = delete;

  /// From now on reports to `links` what links carry for evaluated rings, and to `causes` why rings take as
  /// long as they do. Either may be null; both must outlive this object. All other collectives are then
  /// sent message by message. Small messages must not take links (SmallMessageRules::take_links).
  void report_to(LinkWatch* links, CausalLog* causes);

  /// Whether collectives can be evaluated with these message costs: not if workers notice messages with a
  /// random delay.
  static bool is_possible(const MessageCosts& costs) { return costs.wake_up_s == 0; }

  /// `buffer` must be sized, not real, if the collective is evaluated. @throws TooLittleIsExact
  void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) override;

  /// The collectives that must be sent message by message: those given to the constructor, and those found
  /// not to be exact since.
  const CollectivesByMessages& by_messages() const { return by_messages_; }
  /// False if any evaluation was found not to be exact.
  bool is_exact() const { return is_exact_; }
  /// Adds the messages of the evaluated collectives to the statistics of the run.
  void add_to(RunStatistics& statistics) const;

 private:
  void run_messages(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag);
  bool goes_by_messages(std::int64_t number, const Schedule& schedule, double bytes_per_element);
  void evaluate(const Schedule& schedule, double bytes_per_element, std::int64_t number);
  CausalLog::Index step_of_end(std::size_t rank) const {
    return observer_ ? observer_->step_of_end(rank) : 0;
  }
  bool is_under_way(double time_s) const;
  void reject_from(std::int64_t& first);
  void reject_chain();
  bool is_order_decisive(const Schedule& schedule) const;
  void reject_all_so_far();

  CollectiveEvaluator evaluator_;
  CollectivesByMessages by_messages_;
  std::size_t gives_up_after_;
  std::size_t evaluated_so_far_ = 0;
  std::vector<std::int64_t> next_number_;   // by worker: the number of its next collective
  std::vector<double> begin_s_;             // by worker: when it entered the current collective
  std::vector<double> end_s_;               // by worker: when it completes the collective evaluated last
  std::vector<std::optional<Event>> done_;  // by worker: it may continue
  std::int64_t first_to_come_ = 0;          // the first collective that no worker has entered
  int waiting_ = 0;                         // workers that have entered the current collective
  double messages_end_s_ = 0;               // latest end so far of collectives sent message by message,
  double evaluated_end_s_ = 0;              // and of evaluated ones,
  std::int64_t last_evaluated_ = -1;        // of which this was the last
  // A chain is the longest sequence of collectives evaluated last in which each began before earlier ones
  // ended.
  std::int64_t chain_first_ = 0;      // its first collective
  std::uint64_t chain_messages_ = 0;  // its messages, except those counted in messages_to_send_
  std::int64_t first_accepted_ = 0;   // all collectives before this one are in by_messages_
  bool is_exact_ = true;
  RunStatistics evaluated_;
  std::uint64_t messages_to_send_ = 0;  // messages of collectives that were found not to be exact
  bool is_observed_ = false;
  std::optional<RingObserver> observer_;  // if rings can be evaluated
};

}  // namespace starling
