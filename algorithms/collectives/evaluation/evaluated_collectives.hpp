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
#include "sim/agenda/causes.hpp"
#include "sim/event.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/run_statistics.hpp"

namespace starling {

/// Which collectives of a run go message by message, by their number: 0 is the first of the run.
using CollectivesByMessages = std::set<std::int64_t>;

/// Thrown to give up a run of which so little is exact that all of it had better go message by message.
struct TooLittleIsExact {};

/// Collectives of all workers of a simulated world without their messages: when the last worker has come to
/// one, an evaluator tells when each is done with it.
///
/// Exact, up to rounding, where collectives that follow one another are the only traffic: no worker is done
/// with one before the last worker has come to it, so nothing before that moment can depend on the result.
/// Under `fair` a long ring that goes message by message over shared links magnifies rounding, so that after
/// one that was evaluated its end may be off by 0.4 %, no more than any rounding moves it (README.md).
///
/// Where a collective turns out not to be exact, the run goes on with an estimate, to find out about the
/// collectives after it. The run must then be repeated, with by_messages() sent message by message: that
/// collective and those that overlap it in time. Under `event`, links serve messages of the same moment in
/// the order in which they were sent, and an evaluation does not tell in which order workers go on that are
/// done at once: so the collectives before it are added, too, unless its messages meet no others.
class EvaluatedCollectives final : public CollectiveExecutor {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  /// `routes` must outlive this object. `by_messages`: what to send message by message. run() gives up
  /// (TooLittleIsExact) once `gives_up_after` collectives were evaluated and more than half of their messages
  /// belong to collectives that are not exact.
  EvaluatedCollectives(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules,
                       CollectivesByMessages by_messages = {}, std::size_t gives_up_after = never);
  EvaluatedCollectives(const EvaluatedCollectives&) = delete;
  EvaluatedCollectives& operator=(const EvaluatedCollectives&) = delete;

  /// From now on tells of rings what links carry and why they take what they take, whoever is not null; both
  /// must outlive this object. Other collectives go message by message then. Only where small messages take
  /// no links.
  void tell(LinkWatch* links, Causes* causes);

  /// Whether it can stand for messages that cost that much at all: not where workers notice them late.
  static bool is_possible(const MessageCosts& costs) { return costs.wake_up_s == 0; }

  /// `buffer` must be sized if the collective is evaluated. @throws TooLittleIsExact
  void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) override;

  /// Those that must go message by message: what it was made with, and what was found not to be exact.
  const CollectivesByMessages& by_messages() const { return by_messages_; }
  /// True if nothing was found.
  bool is_exact() const { return is_exact_; }
  /// Adds what the messages would have been to the statistics of the run.
  void add_to(RunStatistics& statistics) const;

 private:
  void run_messages(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag);
  bool goes_by_messages(std::int64_t number, const Schedule& schedule, double bytes_per_element);
  void evaluate(const Schedule& schedule, double bytes_per_element, std::int64_t number);
  Causes::Index step_of_end(std::size_t rank) const { return observer_ ? observer_->step_of_end(rank) : 0; }
  bool is_under_way(double time_s) const;
  void reject_from(std::int64_t& first);
  void reject_chain();
  bool is_order_decisive(const Schedule& schedule) const;
  void reject_all_so_far();

  CollectiveEvaluator evaluator_;
  CollectivesByMessages by_messages_;
  std::size_t gives_up_after_;
  std::size_t evaluated_so_far_ = 0;
  std::vector<std::int64_t> next_number_;  // of each worker
  std::vector<double> begin_s_;
  std::vector<double> end_s_;
  std::vector<std::optional<Event>> done_;  // of each worker
  std::int64_t first_to_come_ = 0;          // that nobody has come to
  int waiting_ = 0;                         // workers, for the others to come
  double messages_end_s_ = 0;               // of the collectives that go message by message so far,
  double evaluated_end_s_ = 0;              // and of those evaluated,
  std::int64_t last_evaluated_ = -1;        // of which this was the last
  std::int64_t chain_first_ = 0;      // of those evaluated last, each begun before the ones before ended,
  std::uint64_t chain_messages_ = 0;  // and their messages, unless they were found not to be exact
  std::int64_t first_accepted_ = 0;   // all before go message by message
  bool is_exact_ = true;
  RunStatistics evaluated_;
  std::uint64_t messages_to_send_ = 0;  // of collectives that were found not to be exact
  bool is_observed_ = false;
  std::optional<RingObserver> observer_;  // of rings, if there can be some
};

}  // namespace starling
