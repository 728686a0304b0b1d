#pragma once

#include <cstdint>
#include <limits>

#include "sim/agenda.hpp"
#include "sim/routes.hpp"
#include "sim/scheduler.hpp"

namespace starling {

class NetworkModel;

/// A message on its way from one worker to another. Whoever starts it keeps it alive until it has arrived.
class Transfer : public TimedAction {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
  /// How much of it may be left to send when left() is called; it is not called for a transfer of no more.
  double buffered_bytes = std::numeric_limits<double>::infinity();

  /// Called by a network model that knows when the sender's buffer has taken the last bytes, before they
  /// arrive.
  virtual void left() {}

  /// Called by the network model at the moment the last byte arrives.
  virtual void arrived() = 0;

 private:
  friend class EventNetwork;
  friend class SimGridNetwork;
  /// The model's own next step for this transfer; a model without one never puts the transfer on the agenda.
  void happen() override;

  struct Departure final : TimedAction {
    explicit Departure(Transfer& whose) : transfer(whose) {}
    void happen() override { transfer.left(); }
    Transfer& transfer;
  };

  Departure departure_{*this};
  NetworkModel* model_ = nullptr;
  const LinkIndex* hop_ = nullptr;  // the event model's place on the route,
  std::int32_t hops_left_ = 0;
  double head_s_ = 0;              // when the first byte reaches that link,
  double slowest_s_per_byte_ = 0;  // and the reciprocal of the least bandwidth before it
};

/// Answers one question: a message of m bytes leaves rank a for rank b now; when does it arrive?
class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Called once per run, before the first transfer; the model starts out with an idle network.
  virtual void attach(Scheduler& scheduler) = 0;

  /// The message leaves now. source and destination must differ.
  virtual void start(Transfer& transfer) = 0;

  /// For models that advance time themselves.
  virtual TimeSource* time_source() { return nullptr; }

 private:
  friend class Transfer;
  virtual void proceed(Transfer&) {}
};

inline void Transfer::happen() { model_->proceed(*this); }

}  // namespace starling
