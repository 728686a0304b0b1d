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

/// Another model, and who wants to know what it does: messages arrive when they would without.
///
/// Costs an object for each message under way, unless the model itself tells and explains all that is asked
/// for; and a look at the links of its route when it is sent and when it arrives.
class WatchedNetwork final : public NetworkModel {
 public:
  /// All must outlive this object. All but the first two may be null; `trace` is told all messages, `causes`
  /// why they arrive when they do, and all else that happens in the run.
  WatchedNetwork(NetworkModel& model, const Routes& routes, LinkWatch* links, TraceSink* trace,
                 Causes* causes = nullptr);

  /// Whether the model tells `links` when they carry what.
  bool tells() const { return told_ != Told::nothing; }

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  void start_unordered(Transfer& transfer) override;
  NetworkModel& carrier() override { return sends_couriers_ ? *this : model_; }
  TimeSource* time_source() override { return model_.time_source(); }
  void note(Rank rank, Activity activity) override;
  void note_iteration(Rank rank, std::int64_t iteration) override;

 private:
  /// What goes over the network in place of a message, where somebody but the model looks at it.
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
  struct OfWorker {
    std::int64_t iteration = 0;
    Rank destination = -1;  // of its last message
    std::span<const LinkIndex> route = {};
    // Of the route, where causes are told.
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
  Causes* causes_;
  Told told_;
  bool explains_;  // why, as the model does not
  bool counts_;    // what the model does not tell of messages
  bool sends_couriers_;
  Scheduler* scheduler_ = nullptr;
  std::vector<OfWorker> workers_;
  Pool<Courier> couriers_;
};

}  // namespace starling
