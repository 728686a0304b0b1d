#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/networks/network_model.hpp"
#include "sim/strands/scheduler.hpp"

namespace starling {

/// A message to be put on a network model, without a world around it.
struct Sending {
  double at_s;
  Rank source;
  Rank destination;
  double bytes;
  bool is_ordered = true;
};

/// Every worker sends to every other one. Start times and sizes differ by pair, so that shares change all the
/// time.
inline std::vector<Sending> busy(int workers) {
  std::vector<Sending> sendings;
  for (int i = 0; i < workers; ++i)
    for (int j = 0; j < workers; ++j)
      if (i != j) sendings.push_back({1e-5 * ((3 * i + j) % 7), i, j, 1e5 + 3e4 * ((5 * i + 2 * j) % 11)});
  return sendings;
}

/// Starts each of the messages as its sending says, and runs until `patience_s`, which cuts off what arrives
/// later.
template <typename Message>
void run_sendings(NetworkModel& network, Scheduler& scheduler, const std::vector<Sending>& sendings,
                  std::deque<Message>& messages, double patience_s) {
  network.attach(scheduler);
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    const Sending& sending = sendings[i];
    Transfer& message = messages[i];
    message.source = sending.source;
    message.destination = sending.destination;
    message.bytes = sending.bytes;
    scheduler.spawn(sending.source, "sender", [&network, &scheduler, &message, sending] {
      scheduler.sleep_until(sending.at_s);
      sending.is_ordered ? network.start(message) : network.start_unordered(message);
    });
  }
  scheduler.spawn(0, "until all have arrived", [&] { scheduler.sleep_until(patience_s); });
  scheduler.run();
}

struct Arrivals {
  std::vector<double> times_s;
  std::vector<std::size_t> order;  // indices of sendings
};

/// Sends everything and notes what arrives when.
inline Arrivals send_all(NetworkModel& network, const std::vector<Sending>& sendings, double patience_s) {
  struct Arrival : Transfer {
    void arrived() override {
      arrivals->times_s[index] = scheduler->now();
      arrivals->order.push_back(index);
    }
    Scheduler* scheduler = nullptr;
    Arrivals* arrivals = nullptr;
    std::size_t index = 0;
  };
  Scheduler scheduler(network.time_source());
  Arrivals arrivals{.times_s = std::vector<double>(sendings.size(), -1), .order = {}};
  std::deque<Arrival> messages(sendings.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    messages[i].scheduler = &scheduler;
    messages[i].arrivals = &arrivals;
    messages[i].index = i;
  }
  run_sendings(network, scheduler, sendings, messages, patience_s);
  return arrivals;
}

/// A message that notes when it arrives and when the sender's buffer holds what is left of it; −1 s if never.
struct NotedTransfer : Transfer {
  void left() override {
    CHECK(arrived_s < 0);
    CHECK(left_s < 0);
    left_s = scheduler->now();
  }
  void arrived() override { arrived_s = scheduler->now(); }
  Scheduler* scheduler = nullptr;
  double left_s = -1;
  double arrived_s = -1;
};

/// Sends everything through send buffers of `buffered_bytes`.
inline std::deque<NotedTransfer> send_buffered(NetworkModel& network, const std::vector<Sending>& sendings,
                                               double buffered_bytes, double patience_s) {
  Scheduler scheduler(network.time_source());
  std::deque<NotedTransfer> messages(sendings.size());
  for (NotedTransfer& message : messages) {
    message.scheduler = &scheduler;
    message.buffered_bytes = buffered_bytes;
  }
  run_sendings(network, scheduler, sendings, messages, patience_s);
  return messages;
}

/// How many entries the agenda has for the messages themselves, without those of the strands that send them.
inline std::uint64_t entries_of(NetworkModel& network, const std::vector<Sending>& sendings) {
  struct Message : Transfer {
    void arrived() override {}
  };
  struct NoNetwork final : NetworkModel {
    void attach(Scheduler&) override {}
    void start(Transfer&) override {}
  };
  const auto all_entries = [&](NetworkModel& model) {
    Scheduler scheduler;
    std::deque<Message> messages(sendings.size());
    run_sendings(model, scheduler, sendings, messages, 1e6);
    return scheduler.events();
  };
  NoNetwork none;
  return all_entries(network) - all_entries(none);
}

}  // namespace starling
