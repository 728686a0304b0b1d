#pragma once

#include <cstdint>
#include <vector>

#include "sim/buffer.hpp"
#include "sim/messages/request_state.hpp"
#include "sim/networks/network_model.hpp"

namespace starling {

class SimulatedWorker;

/// A receive that was asked for.
struct Receive final : RequestState, TimedAction {
  /// The receiver's message processor is done with it.
  void happen() override;

  Buffer incoming;
  SimulatedWorker* worker = nullptr;
};

/// A send that waits for its receiver, or for room in its host's buffers.
struct Send final : RequestState, TimedAction {
  /// The sender has noticed that it is complete.
  void happen() override;

  SimulatedWorker* worker = nullptr;
};

/// A message from isend() until it is received, or a notification. Above the eager threshold it goes over the
/// network three times: the sender's request, the receiver's answer once both the request and a receive are
/// there, and the data.
struct Message final : Transfer, MatchEntry {
  enum class Stage { request, answer, data };

  /// A notification's sender has paid for it, or its receiver noticed it.
  struct NotificationStep final : TimedAction {
    explicit NotificationStep(Message& whose) : message(whose) {}
    void happen() override;
    Message& message;
  };

  void arrived() override;
  void left() override;
  /// Its receive is known now.
  void match(Receive& receive);

  Receive* receive = nullptr;
  Send* send = nullptr;
  Stage stage = Stage::data;
  bool is_here = false;  // the request or the data has arrived
  bool is_notification = false;
  bool has_data = false;
  std::int64_t count = 0;
  std::int64_t payload = 0;  // of a notification
  double data_bytes = 0;
  SimulatedWorker* sender = nullptr;
  SimulatedWorker* receiver = nullptr;
  std::vector<float> data;
  NotificationStep notification_step{*this};

 private:
  void go_on();
};

}  // namespace starling
