#include "sim/native/native_world.hpp"

#include <string>
#include <utility>

#include "base/errors.hpp"
#include "sim/native/clock_offset.hpp"
#include "sim/native/native_worker.hpp"

namespace starling {
namespace {

using Clock = IdleWait::Clock;

/// Collective: the same instant, soon, on every rank, in the rank's own clock.
Clock::time_point common_start(const MpiJob& job, std::chrono::nanoseconds ahead_of_rank_0) {
  constexpr std::chrono::milliseconds time_to_tell(5);
  const std::chrono::nanoseconds soon = (Clock::now() + time_to_tell).time_since_epoch();
  const std::string of_rank_0 = job.gather_all(std::to_string(soon.count())).front();
  return Clock::time_point(std::chrono::nanoseconds(std::stoll(of_rank_0)) + ahead_of_rank_0);
}

}  // namespace

struct NativeWorld::Impl {
  Impl(const MpiJob& mpi_job, TraceSink* trace, ComputeDevice* device)
      : job(mpi_job), transport(job, device), worker(job, scheduler, transport, trace) {
    transport.attach(scheduler, worker);
  }

  const MpiJob& job;
  MpiTransport transport;
  NativeWorker worker;
  // Declared after the worker, so that its strands are unwound while the objects that they refer to still
  // exist.
  Scheduler scheduler{&transport};
  bool has_run = false;
};

NativeWorld::NativeWorld(const MpiJob& job, TraceSink* trace, ComputeDevice* device)
    : impl_(std::make_unique<Impl>(job, trace, device)) {}

NativeWorld::~NativeWorld() = default;

void NativeWorld::run(const std::function<void(Worker&)>& body) {
  STARLING_INVARIANT(!std::exchange(impl_->has_run, true));
  NativeWorker& worker = impl_->worker;
  const std::chrono::nanoseconds ahead = clock_offset(impl_->job);
  const Clock::time_point start = common_start(impl_->job, ahead);
  worker.spawn(
      "main", [&] { body(worker); }, StrandKind::foreground);
  impl_->transport.start_clock(start);
  impl_->scheduler.run();
  const std::chrono::duration<double> gained = clock_offset(impl_->job) - ahead;
  const double lasted_s = impl_->transport.clock_s();
  if (lasted_s > 0) drift_ = gained.count() / lasted_s;
}

RunStatistics NativeWorld::statistics() const {
  return {.makespan_s = impl_->worker.ended_s(),
          .events = impl_->scheduler.events() + impl_->transport.events(),
          .messages = impl_->worker.messages(),
          .bytes = impl_->worker.bytes(),
          .late_timers = impl_->worker.late_timers()};
}

Arrival NativeWorld::arrival() const { return impl_->transport.arrival(); }

}  // namespace starling
