#include "sim/simulated/simulated_world.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "sim/event.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/queue.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/simulated/slow_star.hpp"

namespace starling {
namespace {

/// Runs `body` on every rank of a star and returns the statistics of the run.
RunStatistics run_on_star(int workers, MessageCosts costs, const std::function<void(Worker&)>& body,
                          TraceSink* trace = nullptr) {
  const HandMadeRoutes routes = HandMadeRoutes::star(workers, slow_star_Bps, slow_link_s);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, costs, trace);
  world.run(body);
  return world.statistics();
}

TEST_CASE("a message carries its data and takes latency plus bytes over bandwidth") {
  std::vector<float> received(3);
  double received_s = 0;
  const RunStatistics statistics = run_on_star(2, {}, [&](Worker& worker) {
    if (worker.rank() == 0) {
      std::vector<float> data = {1, 2, 3};
      worker.send(Buffer::real(data, 1000), 1, 5);
      CHECK(worker.now() == 0);  // eager: gone at once
    } else {
      worker.receive(Buffer::real(received, 1000), 0, 5);
      received_s = worker.now();
    }
  });
  CHECK(received == std::vector<float>{1, 2, 3});
  CHECK(received_s == about(1 + 3));
  CHECK(statistics.makespan_s == received_s);
  CHECK(statistics.messages == 1);
  CHECK(statistics.bytes == 3000);
}

TEST_CASE("the overhead occupies the sender before and the receiver after each message") {
  std::vector<double> times_s;
  run_on_star(2, {.overhead_s = 0.125}, [&](Worker& worker) {
    if (worker.rank() == 0) {
      worker.send(Buffer::sized(500), 1, 0);
      times_s.push_back(worker.now());
      worker.send(Buffer::sized(500), 1, 0);
    } else {
      worker.receive(Buffer::sized(500), 0, 0);
      times_s.push_back(worker.now());
      worker.receive(Buffer::sized(500), 0, 0);
      times_s.push_back(worker.now());
    }
  });
  CHECK(times_s[0] == 0.125);
  CHECK(times_s[1] == about(0.125 + 1 + 2 + 0.125));
  CHECK(times_s[2] == about(0.125 + 1 + 4 + 0.125));  // queued on the sender's link
}

TEST_CASE("a send is complete when the sender's buffer holds what is left of the message") {
  run_on_star(3, {.send_buffer_bytes = 1000}, [&](Worker& worker) {
    if (worker.rank() > 0) {
      worker.receive(Buffer::sized(3000, 1), 0, 0);
      CHECK(worker.now() == about(3.0 * worker.rank() + 1));
      return;
    }
    worker.send(Buffer::sized(1000, 1), 0, 0);
    worker.receive(Buffer::sized(1000, 1), 0, 0);
    CHECK(worker.now() == 0);  // a message to itself takes no time
    Request second = worker.isend(Buffer::sized(3000, 1), 1, 0);
    Request third = worker.isend(Buffer::sized(3000, 1), 2, 0);
    worker.wait(second);
    CHECK(worker.now() == about(2));
    worker.wait(third);
    CHECK(worker.now() == about(5));
  });
}

TEST_CASE("a send that has waited for its receiver is complete once the buffer holds what is left") {
  // The request and the answer take a second each, the data 3 s and another one.
  for (const auto& [buffer_bytes, complete_s] :
       std::vector<std::pair<double, double>>{{0, 5}, {1000, 4}, {2999, 2.001}, {3000, 2}, {1e6, 2}}) {
    CAPTURE(buffer_bytes);
    run_on_star(2, {.eager_threshold_bytes = 500, .send_buffer_bytes = buffer_bytes}, [&](Worker& worker) {
      if (worker.rank() == 0) {
        worker.send(Buffer::sized(3000, 1), 1, 0);
        CHECK(worker.now() == about(complete_s));
      } else {
        worker.receive(Buffer::sized(3000, 1), 0, 0);
        CHECK(worker.now() == about(6));
      }
    });
  }
  run_on_star(2, {.eager_threshold_bytes = 500}, [&](Worker& worker) {
    if (worker.rank() == 1) return worker.receive(Buffer::sized(3000, 1), 0, 0);
    worker.send(Buffer::sized(3000, 1), 1, 0);
    CHECK(worker.now() == about(6));  // without a buffer
  });
}

TEST_CASE("a message that passes others leaves before them, and its departure completes no other send") {
  run_on_star(2, {.send_buffer_bytes = 100}, [&](Worker& worker) {
    const std::vector<Buffer> messages = {Buffer::sized(3000, 1), Buffer::sized(1000, 1),
                                          Buffer::sized(5000, 1)};
    if (worker.rank() == 1) {
      std::vector<Request> receives;
      for (const Tag tag : {0, 1, 2})
        receives.push_back(worker.irecv(messages[static_cast<std::size_t>(tag)], 0, tag));
      for (Request& receive : receives) worker.wait(receive);
      return;
    }
    Request first = worker.isend(messages[0], 1, 0);
    Request passing = worker.isend(messages[1], 1, 1);
    worker.wait(passing);
    CHECK(worker.now() == about(0.9));
    worker.wait(first);
    CHECK(worker.now() == about(2.9));
    Request last = worker.isend(messages[2], 1, 2);
    worker.wait(last);
    CHECK(worker.now() == about(4 + 4.9));  // after the 3,000 and 1,000 bytes before it, all but 100 of 5,000
  });
}

TEST_CASE("a send that just fits the buffer is complete at once, although its message waits on its link") {
  run_on_star(3, {.send_buffer_bytes = 2000}, [&](Worker& worker) {
    if (worker.rank() > 0) return worker.receive(Buffer::sized(1000 * (4 - worker.rank()), 1), 0, 0);
    Request waiting = worker.isend(Buffer::sized(3000, 1), 1, 0);
    worker.send(Buffer::sized(2000, 1), 2, 0);
    CHECK(worker.now() == 0);
    worker.wait(waiting);
    CHECK(worker.now() == about(1));
  });
}

TEST_CASE(
    "a message of one packet leaves before those that wait on its link, one of a byte more after them") {
  for (const auto& [bytes, complete_s] : {std::pair{1500, 1.4}, {1501, 3 + 1.401}}) {
    CAPTURE(bytes);
    run_on_star(2, {.send_buffer_bytes = 100}, [&, bytes = bytes, complete_s = complete_s](Worker& worker) {
      const std::vector<Buffer> messages = {Buffer::sized(3000, 1), Buffer::sized(bytes, 1)};
      std::vector<Request> requests;
      for (const Tag tag : {0, 1}) {
        const Buffer& message = messages[static_cast<std::size_t>(tag)];
        requests.push_back(worker.rank() == 0 ? worker.isend(message, 1, tag)
                                              : worker.irecv(message, 0, tag));
      }
      worker.wait(requests[1]);
      if (worker.rank() == 0) CHECK(worker.now() == about(complete_s));
      worker.wait(requests[0]);
    });
  }
}

TEST_CASE("answered sends that wait on their link are complete when their first bytes leave") {
  run_on_star(3, {.eager_threshold_bytes = 500, .send_buffer_bytes = 1e6}, [&](Worker& worker) {
    if (worker.rank() > 0) return worker.receive(Buffer::sized(3000, 1), 0, 0);
    Request first = worker.isend(Buffer::sized(3000, 1), 1, 0);
    Request second = worker.isend(Buffer::sized(3000, 1), 2, 0);
    worker.wait(first);
    CHECK(worker.now() == about(2));  // after a request and an answer
    worker.wait(second);
    CHECK(worker.now() == about(2 + 3));
  });
}

TEST_CASE("a rendezvous send waits for its receiver also after eager sends that fit the buffer") {
  run_on_star(2, {.eager_threshold_bytes = 500, .send_buffer_bytes = 1000}, [&](Worker& worker) {
    if (worker.rank() == 0) {
      for (int i = 0; i < 3; ++i) worker.send(Buffer::sized(100, 1), 1, 0);
      worker.sleep_until(10);
      worker.send(Buffer::sized(3000, 1), 1, 0);
      CHECK(worker.now() == about(20 + 1 + 2));  // after the answer all but 1,000 of 3,000 bytes leave
      return;
    }
    for (int i = 0; i < 3; ++i) worker.receive(Buffer::sized(100, 1), 0, 0);
    worker.sleep_until(20);
    worker.receive(Buffer::sized(3000, 1), 0, 0);
  });
}

TEST_CASE("a worker that posts a receive for a message already here and then sends pays for the send first") {
  run_on_star(2, {.overhead_s = 0.125}, [&](Worker& worker) {
    if (worker.rank() == 0) {
      worker.send(Buffer::sized(0), 1, 0);
      return worker.receive(Buffer::sized(0), 1, 0);
    }
    worker.sleep_until(10);
    Request receiving = worker.irecv(Buffer::sized(0), 0, 0);
    worker.send(Buffer::sized(0), 0, 0);
    CHECK(worker.now() == 10.125);
    worker.wait(receiving);
    CHECK(worker.now() == 10.25);
  });
}

TEST_CASE("too long a computation for the clock is an error that names its worker and its time") {
  CHECK_THROWS_WITH_AS(run_on_star(1, {}, [](Worker& worker) { worker.compute(1e160); }),
                       "worker 0 would compute for 1e+160 s at once, but at most 1e+15 s can be simulated; "
                       "check compute times and imbalance, which multiplies them",
                       std::runtime_error);
}

TEST_CASE("a network model that does not know when messages leave completes sends when they arrive") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, slow_star_Bps, slow_link_s);
  SimGridNetwork network(routes);
  SimulatedWorld world(routes, network, {.send_buffer_bytes = 1000});
  world.run([&](Worker& worker) {
    if (worker.rank() == 1) return worker.receive(Buffer::sized(3000, 1), 0, 0);
    worker.send(Buffer::sized(3000, 1), 1, 0);
    CHECK(worker.now() == about(4, 1e-9));  // far above SimGrid's time precision of 1e-12 s
  });
}

/// How many seconds after its arrival rank 1 notices each of 2,000 messages, one a second.
std::vector<double> noticed_late_s(double wake_up_s, std::uint64_t seed) {
  constexpr int messages = 2000;
  std::vector<double> late_s;
  run_on_star(2, {.wake_up_s = wake_up_s, .seed = seed}, [&](Worker& worker) {
    for (int i = 0; i < messages; ++i) {
      if (worker.rank() == 0) {
        worker.send(Buffer::sized(0), 1, 0);
        worker.compute(1);
      } else {
        worker.receive(Buffer::sized(0), 0, 0);
        late_s.push_back(worker.now() - (i + 1));
      }
    }
  });
  return late_s;
}

TEST_CASE("workers notice messages after exponentially distributed times, the same for the same seed") {
  constexpr double mean_s = 0.01;
  const std::vector<double> late_s = noticed_late_s(mean_s, 1);
  double sum_s = 0;
  double squares = 0;
  for (const double late : late_s) {
    sum_s += late;
    squares += late * late;
  }
  // Three standard errors, relative, for 2,000 draws of an exponential law: its standard deviation is the
  // mean, its second moment 2·mean², with a standard deviation of √20·mean², √5 times the second moment.
  const double root = std::sqrt(2000.0);
  CHECK(sum_s / 2000 == about(mean_s, 3 / root));
  CHECK(squares / 2000 == about(2 * mean_s * mean_s, 3 * std::sqrt(5.0) / root));
  CHECK(noticed_late_s(mean_s, 1) == late_s);
  CHECK(noticed_late_s(mean_s, 2) != late_s);
}

TEST_CASE("messages that arrive before a worker wakes up are noticed when it does") {
  run_on_star(3, {.wake_up_s = 1000}, [&](Worker& worker) {
    if (worker.rank() > 0) {
      worker.compute(worker.rank());
      worker.send(Buffer::sized(1, 1), 0, 0);
      return worker.notify(0, worker.rank());
    }
    Request first = worker.irecv(Buffer::sized(1, 1), 1, 0);
    Request second = worker.irecv(Buffer::sized(1, 1), 2, 0);
    worker.wait(first);
    const double noticed_s = worker.now();
    CHECK(noticed_s > 10);
    CHECK(worker.wait_notification().payload == 1);
    CHECK(worker.wait_notification().payload == 2);
    worker.wait(second);
    CHECK(worker.now() == noticed_s);
  });
}

TEST_CASE("a message processor begins with a message when its worker has noticed it") {
  const auto received_s = [](double overhead_s, const std::vector<Protocol>& protocols) {
    double end_s = 0;
    const MessageCosts costs{.overhead_s = overhead_s, .protocols = protocols, .wake_up_s = 1000};
    run_on_star(2, costs, [&](Worker& worker) {
      if (worker.rank() == 1) return worker.send(Buffer::sized(0), 0, 0);
      worker.receive(Buffer::sized(0), 1, 0);
      end_s = worker.now();
    });
    return end_s;
  };
  const std::vector<Protocol> slow = {{.name = "slow", .latency_s = 100}};
  CHECK(received_s(0, {}) > 10);
  CHECK(received_s(0, slow) == about(received_s(0, {}) + 100));
  // An overhead delays the message at its sender and occupies its receiver.
  CHECK(received_s(0.125, {}) == about(received_s(0, {}) + 2 * 0.125));
  CHECK(received_s(0.125, slow) == about(received_s(0, slow) + 2 * 0.125));
}

TEST_CASE(
    "notifications occupy the message processor, not the strand, and leave before what is sent after them") {
  run_on_star(3, {.overhead_s = 0.125}, [&](Worker& worker) {
    if (worker.rank() > 0) {
      worker.wait_notification();
      CHECK(worker.now() == about(0.125 * worker.rank() + 1.004 + 0.125));
      return;
    }
    worker.notify(1, 0);
    worker.notify(2, 0);
    CHECK(worker.now() == 0);
    worker.send(Buffer::sized(0), 0, 0);
    CHECK(worker.now() == about(3 * 0.125));
    worker.receive(Buffer::sized(0), 0, 0);
  });
}

TEST_CASE("waiting for all of several requests ends with the last") {
  std::vector<float> inbox(3);
  run_on_star(4, {.eager_threshold_bytes = 0}, [&](Worker& worker) {
    if (worker.rank() > 0) {
      worker.sleep_until(10 * (4 - worker.rank()));
      std::vector<float> data = {static_cast<float>(worker.rank())};
      return worker.send(Buffer::real(data), 0, 2);
    }
    std::vector<Request> requests(1);  // the first is an empty request, which is complete
    for (Rank source = 1; source < 4; ++source) {
      const auto i = static_cast<std::size_t>(source - 1);
      requests.push_back(worker.irecv(Buffer::real(std::span(inbox).subspan(i, 1)), source, 2));
    }
    worker.wait_all(requests);
    CHECK(worker.now() > 30);
    for (const Request& request : requests) CHECK(request.state() == nullptr);
    worker.wait_all(requests);
  });
  CHECK(inbox == std::vector<float>{1, 2, 3});
}

TEST_CASE("waiting for several requests reports the first that never completes, or one that does not fit") {
  const auto receive_two = [](std::int64_t second_count) {
    run_on_star(3, {}, [&](Worker& worker) {
      if (worker.rank() == 1) return worker.send(Buffer::sized(1), 0, 6);
      if (worker.rank() == 2 && second_count > 0) return worker.send(Buffer::sized(second_count), 0, 7);
      if (worker.rank() > 0) return;
      std::vector<Request> requests;
      requests.push_back(worker.irecv(Buffer::sized(1), 1, 6));
      requests.push_back(worker.irecv(Buffer::sized(1), 2, 7));
      worker.wait_all(requests);
    });
  };
  receive_two(1);
  CHECK_THROWS_WITH_AS(receive_two(0),
                       "deadlock at 1.004 s: 1 strands wait and no event is pending\n"
                       "  rank 0 (main) waits for a message from rank 2 with tag 7",
                       DeadlockError);
  CHECK_THROWS_WITH_AS(receive_two(5),
                       "rank 0 expects 1 elements from rank 2 with tag 7, but the message has 5",
                       CommunicationError);
}

/// When rank 0 takes each of 12 notifications that come in two bursts: seconds, plus 1,000 times the source
/// and 100 times the payload.
std::vector<double> taken_s(bool is_stepwise, double overhead_s) {
  std::vector<double> taken;
  run_on_star(3, {.overhead_s = overhead_s}, [&](Worker& worker) {
    if (worker.rank() > 0) {
      for (const double burst_s : {1.0, 50.0}) {
        worker.sleep_until(burst_s);
        for (int i = 0; i < 3; ++i) worker.notify(0, i);
      }
      return;
    }
    const auto take = [&taken, &worker](const Notification& notification) {
      taken.push_back(worker.now() + 1000.0 * notification.source +
                      100.0 * static_cast<double>(notification.payload));
    };
    const auto take_all = [&taken, &worker, take] {
      while (taken.size() < 12) take(worker.wait_notification());
    };
    const auto take_what_is_there = [&worker, take] {
      while (const auto notification = worker.poll_notification()) take(*notification);
    };
    if (is_stepwise)
      worker.spawn_stepwise("service", take_what_is_there);
    else
      worker.spawn("service", take_all, StrandKind::background);
    worker.sleep_until(100);
  });
  return taken;
}

TEST_CASE("a stepwise strand takes notifications at the same times as a strand with a stack") {
  for (const double overhead_s : {0.0, 0.125}) {
    CHECK(taken_s(true, overhead_s).size() == 12);
    CHECK(taken_s(true, overhead_s) == taken_s(false, overhead_s));
  }
}

TEST_CASE("a stepwise strand takes all items from a queue, and is called again when there are more") {
  std::vector<double> taken;
  run_on_star(1, {}, [&](Worker& worker) {
    Queue<int> queue(worker);
    worker.spawn_stepwise("service", [&] {
      while (const auto item = queue.poll()) taken.push_back(10 * worker.now() + *item);
    });
    for (int i = 1; i <= 3; ++i) {
      worker.sleep_until(i);
      queue.push(1);
      queue.push(2);
    }
    worker.sleep_until(4);
  });
  CHECK(taken == std::vector<double>{11, 12, 21, 22, 31, 32});
}

TEST_CASE("a message above the eager threshold waits for its receiver") {
  double sent_s = 0;
  double received_s = 0;
  const auto exchange = [&](double receiver_starts_s) {
    run_on_star(2, {.eager_threshold_bytes = 1000}, [&](Worker& worker) {
      if (worker.rank() == 0) {
        worker.send(Buffer::sized(251), 1, 0);
        sent_s = worker.now();
      } else {
        worker.compute(receiver_starts_s);
        worker.receive(Buffer::sized(251), 0, 0);
        received_s = worker.now();
      }
    });
  };
  exchange(0);  // request 1 s, answer 1 s, data 1 + 1.004 s
  CHECK(received_s == about(4.004));
  CHECK(sent_s == received_s);
  exchange(10);  // the request has been waiting: answer 1 s, data 1 + 1.004 s
  CHECK(received_s == about(10 + 3.004));
}

TEST_CASE(
    "messages of one source and tag are received in the order they were sent, different tags in any order") {
  std::vector<float> order;
  run_on_star(2, {}, [&](Worker& worker) {
    std::vector<float> cell(1);
    if (worker.rank() == 0) {
      for (const auto& [value, tag] : {std::pair{1.0F, 0}, {2.0F, 1}, {3.0F, 0}}) {
        cell[0] = value;
        worker.send(Buffer::real(cell), 1, tag);
      }
    } else {
      for (const Tag tag : {1, 0, 0}) {
        worker.receive(Buffer::real(cell), 0, tag);
        order.push_back(cell[0]);
      }
    }
  });
  CHECK(order == std::vector<float>{2, 1, 3});
}

TEST_CASE("a worker can send to itself") {
  std::vector<float> inbox(1);
  run_on_star(1, {}, [&](Worker& worker) {
    std::vector<float> data = {42};
    worker.send_receive(Buffer::real(data), 0, Buffer::real(inbox), 0, 3);
    CHECK(worker.now() == 0);
  });
  CHECK(inbox[0] == 42);
}

TEST_CASE("notifications arrive unasked, in order, and are not taken for data") {
  std::vector<std::int64_t> payloads;
  run_on_star(3, {}, [&](Worker& worker) {
    if (worker.rank() == 0) {
      for (int i = 0; i < 3; ++i) {
        const Notification notification = worker.wait_notification();
        payloads.push_back(notification.source * 100 + notification.payload);
      }
      worker.receive(Buffer::sized(1), 1, 0);
    } else {
      worker.compute(worker.rank());
      worker.notify(0, 7);
      if (worker.rank() == 2) return;
      worker.notify(0, 8);
      worker.send(Buffer::sized(1), 0, 0);
    }
  });
  CHECK(payloads == std::vector<std::int64_t>{107, 108, 207});
}

TEST_CASE("strands of one worker share its GPU and its reduction unit, one after the other") {
  const RunStatistics statistics = run_on_star(1, {.reduction_s_per_byte = 0.25}, [&](Worker& worker) {
    Event done(worker);
    worker.spawn("beside", [&] {
      worker.compute(2);
      CHECK(worker.now() == 5);  // after the 3 s that were asked for first
      done.set();
    });
    worker.compute(3);
    CHECK(worker.now() == 3);
    done.wait();
    worker.accumulate(Buffer::sized(2), Buffer::sized(2));
    CHECK(worker.now() == 7);
  });
  CHECK(statistics.makespan_s == 7);
}

TEST_CASE("a reduction takes time for each byte, whatever the size of its elements") {
  run_on_star(1, {.reduction_s_per_byte = 0.25}, [](Worker& worker) {
    worker.accumulate(Buffer::sized(6, 2), Buffer::sized(6, 2));
    CHECK(worker.now() == 3);
    worker.accumulate(Buffer::sized(6, 4), Buffer::sized(6, 4));
    CHECK(worker.now() == 3 + 6);
  });
}

TEST_CASE("messages arrive while a worker computes") {
  run_on_star(2, {}, [&](Worker& worker) {
    if (worker.rank() == 1) return worker.send(Buffer::sized(250), 0, 0);
    Request request = worker.irecv(Buffer::sized(250), 1, 0);
    worker.compute(10);
    worker.wait(request);
    CHECK(worker.now() == 10);
  });
}

TEST_CASE("all strands that wait for an event wake up, although the first one resets it") {
  run_on_star(1, {}, [](Worker& worker) {
    int stage = 0;
    Event changed(worker);
    const auto wait_for_stage = [&](int wanted) {
      while (stage < wanted) {
        changed.reset();
        changed.wait();
      }
      CHECK(worker.now() == wanted);
    };
    worker.spawn("waits longer", [&] { wait_for_stage(2); });
    worker.spawn("waits shorter", [&] { wait_for_stage(1); });
    for (; stage < 2; changed.set()) {
      worker.compute(1);
      ++stage;
    }
    worker.compute(1);  // the other strands refer to variables of this one, which must outlive them
  });
}

TEST_CASE("a queue hands items from one strand to another until it is closed") {
  std::vector<int> taken;
  run_on_star(1, {}, [&](Worker& worker) {
    Queue<int> queue(worker);
    Event done(worker);
    worker.spawn("consumer", [&] {
      while (const auto item = queue.pop()) taken.push_back(*item);
      done.set();
    });
    queue.push(1);
    worker.compute(1);
    queue.push(2);
    queue.push(3);
    queue.close();
    done.wait();
    CHECK(worker.now() == 1);
  });
  CHECK(taken == std::vector<int>{1, 2, 3});
}

TEST_CASE("a deadlock names the ranks and the tags") {
  CHECK_THROWS_WITH_AS(
      run_on_star(2, {}, [](Worker& worker) { worker.receive(Buffer::sized(1), 1 - worker.rank(), 9); }),
      "deadlock at 0 s: 2 strands wait and no event is pending\n"
      "  rank 0 (main) waits for a message from rank 1 with tag 9\n"
      "  rank 1 (main) waits for a message from rank 0 with tag 9",
      DeadlockError);
  CHECK_THROWS_WITH_AS(run_on_star(2, {.eager_threshold_bytes = 0},
                                   [](Worker& worker) {
                                     if (worker.rank() == 0) worker.send(Buffer::sized(1), 1, 2);
                                   }),
                       "deadlock at 1 s: 1 strands wait and no event is pending\n"
                       "  rank 0 (main) waits for rank 1 to receive its message with tag 2",
                       DeadlockError);
}

TEST_CASE("messages that do not fit are errors that name both ends") {
  CHECK_THROWS_WITH_AS(run_on_star(2, {},
                                   [](Worker& worker) {
                                     if (worker.rank() == 0) return worker.send(Buffer::sized(3), 1, 4);
                                     worker.receive(Buffer::sized(2), 0, 4);
                                   }),
                       "rank 1 expects 2 elements from rank 0 with tag 4, but the message has 3",
                       CommunicationError);
  CHECK_THROWS_WITH_AS(run_on_star(2, {},
                                   [](Worker& worker) {
                                     std::vector<float> data(2);
                                     if (worker.rank() == 0) return worker.send(Buffer::sized(2), 1, 4);
                                     worker.receive(Buffer::real(data), 0, 4);
                                   }),
                       "rank 1 and rank 0 disagree on whether the message with tag 4 has data",
                       CommunicationError);
  CHECK_THROWS_WITH_AS(run_on_star(2, {}, [](Worker& worker) { worker.send(Buffer::sized(1), 2, 4); }),
                       "rank 0 cannot send to rank 2 (tag 4): ranks are 0 … 1", CommunicationError);
  CHECK_THROWS_AS(run_on_star(1, {}, [](Worker& worker) { worker.compute(-1); }), InvariantError);
}

TEST_CASE("a span that a strand traces reaches the timeline with its rank and strand and times") {
  struct Spans : TraceSink {
    std::vector<std::string> lines;
    void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
              const SpanDetails&) override {
      lines.push_back(std::to_string(rank) + " " + std::string(strand) + " " + std::string(name) + " " +
                      std::to_string(start_s) + " " + std::to_string(end_s));
    }
  } spans;
  run_on_star(
      1, {},
      [](Worker& worker) {
        REQUIRE(worker.is_traced());
        worker.compute(1);
        const double start_s = worker.now();
        worker.compute(2);
        worker.trace("backward", start_s);
      },
      &spans);
  CHECK(spans.lines == std::vector<std::string>{"0 main backward 1.000000 3.000000"});
}

}  // namespace
}  // namespace starling
