#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/messages/pool.hpp"
#include "sim/networks/caused_transfer.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/trace.hpp"

namespace starling {

/// A wrapper that reports what another network model does, without changing when messages arrive.
///
/// Costs an object per message in flight, unless the model itself reports and explains all that is asked
/// for, and a visit to the links of the message's route when it is sent and when it arrives.
class WatchedNetwork final : public NetworkModel {
 public:
  /// All arguments must outlive this object; `links`, `trace` and `causes` may be null. `trace` receives
  /// every message. `causes` receives the causes of arrivals and, through the scheduler, those of all other
  /// events of the run.
  WatchedNetwork(NetworkModel& model, const Routes& routes, LinkWatch* links, TraceSink* trace,
                 CausalLog* causes = nullptr);

  /// Whether the model reports to `links` when they carry how much.
  bool does_model_report() const { return reported_ != ReportedByModel::nothing; }

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  void start_unordered(Transfer& transfer) override;
  NetworkModel& carrier() override { return sends_couriers_ ? *this : model_; }
  TimeSource* time_source() override { return model_.time_source(); }
  void note(Rank rank, Activity activity) override;
  void note_iteration(Rank rank, std::int64_t iteration) override;

 private:
  /// The transfer that travels in place of a message, so that this wrapper sees it leave and arrive.
  struct Courier final : CausedTransfer {
    void left() override { network->leave(*this); }
    void arrived() override { network->arrive(*this); }
    void prepare() const override { message->prepare(); }

    WatchedNetwork* network = nullptr;
    Transfer* message = nullptr;
    std::span<const LinkIndex> route;
    double sent_s = 0;
    std::int64_t iteration = 0;
  };
  /// A worker's iteration, and the route of its last message.
  struct OfWorker {
    std::int64_t iteration = 0;
    Rank destination = -1;  // of its last message
    std::span<const LinkIndex> route = {};
    // The slowest link and the latency of the route, where arrivals are explained.
    LinkIndex slowest = 0;
    double latency_s = 0;
  };

  Courier& courier_of(Transfer& transfer);
  void find_route(OfWorker& sender, const Transfer& transfer) const;
  void explain_sending(Courier& courier, const OfWorker& sender);
  void leave(Courier& courier);
  void arrive(Courier& courier);

  NetworkModel& model_;
  const Routes& routes_;
  LinkWatch* links_;
  TraceSink* trace_;
  CausalLog* causes_;
  ReportedByModel reported_;
  bool explains_;  // records causes, as the model does not
  bool counts_;    // reports messages to links_, as the model does not
  bool sends_couriers_;
  Scheduler* scheduler_ = nullptr;
  std::vector<OfWorker> workers_;
  Pool<Courier> couriers_;
};

}  // namespace starling
