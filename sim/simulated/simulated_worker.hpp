#pragma once

#include <string>

#include "sim/messages/scheduled_worker.hpp"
#include "sim/simulated/endpoint.hpp"
#include "sim/simulated/exchange_runner.hpp"
#include "sim/simulated/job_strands.hpp"

namespace starling {

/// One rank of a simulated world.
class alignas(64) SimulatedWorker final : public ScheduledWorker {
 public:
  /// All workers of a job share `exchange_runners` and, where there are several jobs, `strands`.
  SimulatedWorker(const Routes& routes, Endpoint& endpoint, Pool<ExchangeRunner>& exchange_runners,
                  TraceSink* trace, JobStrands* strands)
      : ScheduledWorker(endpoint.rank(), endpoint.network_rank(), routes.workers(), endpoint.scheduler(),
                        trace),
        routes_(routes),
        endpoint_(endpoint),
        exchange_runners_(exchange_runners),
        strands_(strands) {}

  int host_of(Rank rank) const override { return routes_.host_of(rank); }
  Request isend(Buffer outgoing, Rank destination, Tag tag) override;
  Request irecv(Buffer incoming, Rank source, Tag tag) override;
  void notify(Rank destination, std::int64_t payload) override { endpoint_.notify(destination, payload); }
  Notification wait_notification() override;
  std::optional<Notification> poll_notification() override { return endpoint_.poll_notification(); }
  void compute(double seconds) override;
  void delay(double seconds) override;
  void accumulate(Buffer into, Buffer from) override;
  bool accumulates_at_once() const override { return endpoint_.reduces_at_once(); }
  void run_exchanges(ExchangeSequence& sequence, Tag tag) override;
  bool poll_exchanges(ExchangeSequence& sequence, Tag tag) override;
  void spawn(std::string name, std::function<void()> body, StrandKind kind) override;
  void spawn_stepwise(std::string name, std::function<void()> step) override;
  void begin_iteration(std::int64_t iteration) override;
  void end_iteration() override;
  void note(Activity activity) override;
  void note_point(std::int64_t point) override { endpoint_.note_point(point); }
  void note_noticed(std::int64_t point) override { endpoint_.note_noticed(point); }

 private:
  void give_back(RequestState& request) override;

  const Routes& routes_;
  Endpoint& endpoint_;
  Pool<ExchangeRunner>& exchange_runners_;
  JobStrands* strands_;  // null: strands are spawned on the scheduler directly
};

}  // namespace starling
