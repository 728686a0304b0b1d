#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "sim/event.hpp"
#include "sim/run_statistics.hpp"

namespace starling {

/// Rings of all workers of a simulated world without their messages: when the last worker has come to a ring,
/// its evaluator tells when each is done with it.
///
/// Exact, up to rounding, where rings that follow one another are the only traffic: nobody is done before the
/// last one has come, so nothing that happens until then can depend on the result.
class EvaluatedRings final : public CollectiveExecutor {
 public:
  /// Null if this cannot stand for the messages of `schedules`, on the event network of `routes`: if one is
  /// no ring of all workers that a RingEvaluator can follow, if sends wait, for their receivers (rendezvous)
  /// or for buffers, if workers notice messages late, or if routes from rank to rank share links.
  static std::unique_ptr<EvaluatedRings> make(std::span<const Schedule* const> schedules,
                                              double bytes_per_element, const Routes& routes,
                                              const MessageCosts& costs);

  /// `buffer` must be sized.
  void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) override;

  /// False if the order of two events at the same moment mattered; then only the messages tell.
  bool is_exact() const { return is_exact_; }
  /// Adds what the messages would have been to the statistics of the run.
  /// @throws InvariantError if the run had messages of its own: then rings were not the only traffic.
  void add_to(RunStatistics& statistics) const;

 private:
  explicit EvaluatedRings(RingEvaluator evaluator, int workers);
  void evaluate(const RingSchedule& schedule, double bytes_per_element);

  RingEvaluator evaluator_;
  std::vector<double> begin_s_;
  std::vector<double> end_s_;
  std::vector<Event*> waiting_;
  bool is_exact_ = true;
  std::uint64_t messages_ = 0;
  double bytes_ = 0;
};

}  // namespace starling
