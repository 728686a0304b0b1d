#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "sim/networks/network_model.hpp"
#include "sim/scheduler.hpp"

namespace starling {

/// A message to be put on a network model, without a world around it.
struct Sending {
  double at_s;
  Rank source;
  Rank destination;
  double bytes;
  bool is_ordered = true;
};

/// Everyone sends to everyone, a little later and more for each pair, so that shares change all the time.
inline std::vector<Sending> busy(int workers) {
  std::vector<Sending> sendings;
  for (int i = 0; i < workers; ++i)
    for (int j = 0; j < workers; ++j)
      if (i != j) sendings.push_back({1e-5 * ((3 * i + j) % 7), i, j, 1e5 + 3e4 * ((5 * i + 2 * j) % 11)});
  return sendings;
}

struct Arrivals {
  std::vector<double> times_s;
  std::vector<std::size_t> order;  // indices of sendings
};

/// Sends everything and notes what arrives when. `patience_s` is later than the last arrival.
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
  network.attach(scheduler);
  Arrivals arrivals{.times_s = std::vector<double>(sendings.size(), -1), .order = {}};
  std::deque<Arrival> transfers;
  for (const Sending& sending : sendings) {
    Arrival& transfer = transfers.emplace_back();
    transfer.scheduler = &scheduler;
    transfer.arrivals = &arrivals;
    transfer.index = transfers.size() - 1;
    transfer.source = sending.source;
    transfer.destination = sending.destination;
    transfer.bytes = sending.bytes;
    scheduler.spawn(sending.source, "sender", [&scheduler, &network, &transfer, sending] {
      scheduler.sleep_until(sending.at_s);
      sending.is_ordered ? network.start(transfer) : network.start_unordered(transfer);
    });
  }
  scheduler.spawn(0, "until all have arrived", [&] { scheduler.sleep_until(patience_s); });
  scheduler.run();
  return arrivals;
}

/// A message that notes when the sender's buffer has taken it in.
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

}  // namespace starling
