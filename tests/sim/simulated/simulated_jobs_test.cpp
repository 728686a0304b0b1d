#include "sim/simulated/simulated_jobs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/simulated/slow_star.hpp"

namespace starling {
namespace {

/// Six workers of a star: the first job has the even ones, the second the odd ones in descending order.
struct Bench {
  HandMadeRoutes star = HandMadeRoutes::star(6, slow_star_Bps, slow_link_s);
  JobRoutes even{star, {0, 2, 4}};
  JobRoutes odd{star, {5, 3, 1}};
  EventNetwork network{star};
  SimulatedJobs jobs{network};

  void run(const std::function<void(Worker&)>& of_even, const std::function<void(Worker&)>& of_odd,
           double start_of_odd_s = 0) {
    jobs.add({.name = "even", .routes = even, .body = of_even});
    jobs.add({.name = "odd", .routes = odd, .start_s = start_of_odd_s, .body = of_odd});
    jobs.run();
  }
};

void send_to_next(Worker& worker, std::vector<float>& received, float first) {
  const int size = worker.world_size();
  std::vector<float> own = {first + static_cast<float>(worker.rank())};
  const auto place = static_cast<std::size_t>(worker.rank());
  worker.send_receive(Buffer::real(own, 1000), (worker.rank() + 1) % size,
                      Buffer::real(std::span(received).subspan(place, 1), 1000),
                      (worker.rank() + size - 1) % size, 7);
}

TEST_CASE("a job receives only messages of its own ranks, whatever the ranks and tags of another job") {
  Bench bench;
  std::vector<float> of_even(3);
  std::vector<float> of_odd(3);
  bench.run([&](Worker& worker) { send_to_next(worker, of_even, 10); },
            [&](Worker& worker) { send_to_next(worker, of_odd, 20); });
  CHECK(of_even == std::vector<float>{12, 10, 11});
  CHECK(of_odd == std::vector<float>{22, 20, 21});
  CHECK(bench.jobs.statistics(0).messages == 3);
  CHECK(bench.jobs.statistics(1).bytes == 3000);
}

TEST_CASE("a worker of a job sees the ranks of this job, on the hosts of the cluster") {
  Bench bench;
  std::vector<int> hosts;
  bench.run(
      [](Worker& worker) {
        CHECK(worker.world_size() == 3);
        CHECK_THROWS_AS(worker.isend(Buffer::sized(1), 3, 0), CommunicationError);
      },
      [&](Worker& worker) {
        if (worker.rank() == 0)
          for (Rank rank = 0; rank < worker.world_size(); ++rank) hosts.push_back(worker.host_of(rank));
      });
  CHECK(hosts == std::vector{5, 3, 1});
}

TEST_CASE("a notification carries the rank that its sender has within its job") {
  Bench bench;
  Notification heard;
  bench.run([](Worker&) {},
            [&](Worker& worker) {
              if (worker.rank() == 2) worker.notify(0, 42);
              if (worker.rank() == 0) heard = worker.wait_notification();
            });
  CHECK(heard.source == 2);
  CHECK(heard.payload == 42);
}

TEST_CASE("a job begins at its start time, and its makespan is the time from then until it ends") {
  Bench bench;
  std::vector<double> begun_s;
  bench.run([](Worker& worker) { worker.compute(1); },
            [&](Worker& worker) {
              begun_s.push_back(worker.now());
              worker.compute(3);
            },
            2);
  CHECK(begun_s == std::vector<double>{2, 2, 2});
  CHECK(bench.jobs.statistics(0).makespan_s == 1);
  CHECK(bench.jobs.statistics(1).makespan_s == 3);
}

TEST_CASE("two jobs share the links that both use") {
  HandMadeRoutes star = HandMadeRoutes::star(3, slow_star_Bps, slow_link_s);
  const JobRoutes one(star, {0, 2});
  const JobRoutes other(star, {1, 2});  // the same receiver
  FairNetwork network(star);
  SimulatedJobs jobs(network);
  std::vector<double> ends_s;
  const auto body = [&](Worker& worker) {
    if (worker.rank() == 0) return worker.send(Buffer::sized(500), 1, 0);
    worker.receive(Buffer::sized(500), 0, 0);
    ends_s.push_back(worker.now());
  };
  jobs.add({.name = "one", .routes = one, .body = body});
  jobs.add({.name = "other", .routes = other, .body = body});
  jobs.run();
  CHECK(ends_s.size() == 2);
  for (const double end_s : ends_s) CHECK(end_s == about(2 * slow_link_s + 4));
}

TEST_CASE("a job that goes on for ever ends with the others once it has finished") {
  Bench bench;
  int iterations = 0;
  double finished_s = 0;
  bench.jobs.add({.name = "even", .routes = bench.even, .body = [](Worker& worker) { worker.compute(10); }});
  bench.jobs.add({.name = "odd",
                  .routes = bench.odd,
                  .start_s = 0.5,
                  .runs_forever = true,
                  .body =
                      [&](Worker& worker) {
                        for (int i = 0;; ++i) {
                          if (worker.rank() == 0 && i == 3) bench.jobs.finish(1);
                          worker.compute(1);
                          if (worker.rank() == 0) ++iterations;
                        }
                      },
                  .finished = [&] { finished_s = bench.jobs.statistics(1).makespan_s; }});
  bench.jobs.run();
  CHECK(finished_s == 3);
  CHECK(bench.jobs.statistics(1).makespan_s == 3);
  CHECK(iterations == 9);  // begun at 0.5 s, nine of 1 s ended before the other job did at 10 s
}

TEST_CASE("other jobs wait for a job that goes on for ever until it has finished") {
  Bench bench;
  bench.jobs.add({.name = "even", .routes = bench.even, .body = [](Worker& worker) { worker.compute(1); }});
  bench.jobs.add({.name = "odd", .routes = bench.odd, .runs_forever = true, .body = [&](Worker& worker) {
                    for (int i = 0;; ++i) {
                      if (worker.rank() == 0 && i == 5) bench.jobs.finish(1);
                      worker.compute(1);
                    }
                  }});
  bench.jobs.run();
  CHECK(bench.jobs.statistics(1).makespan_s == 5);
}

TEST_CASE("the bytes that each rank of a job has sent are known while it runs") {
  Bench bench;
  std::vector<double> sent_bytes;
  bench.run(
      [](Worker& worker) {
        if (worker.rank() == 1) return worker.receive(Buffer::sized(7), 0, 0);
        if (worker.rank() == 0) worker.send(Buffer::sized(7), 1, 0);
      },
      [&](Worker& worker) {
        if (worker.rank() == 1) return worker.receive(Buffer::sized(5), 0, 0);
        if (worker.rank() != 0) return;
        sent_bytes.push_back(bench.jobs.sent_bytes(1, 0));
        worker.send(Buffer::sized(5), 1, 0);
        sent_bytes.push_back(bench.jobs.sent_bytes(1, 0));
      });
  CHECK(sent_bytes == std::vector<double>{0, 20});
  CHECK(bench.jobs.sent_bytes(0, 0) == 28);
  CHECK(bench.jobs.sent_bytes(0, 1) == 0);
}

TEST_CASE("a deadlock of a job names it") {
  Bench bench;
  std::string text;
  try {
    bench.run([](Worker&) {},
              [](Worker& worker) {
                if (worker.rank() == 1) worker.receive(Buffer::sized(1), 2, 9);
              });
  } catch (const DeadlockError& error) {
    text = error.what();
  }
  CHECK(text.find("rank 1 (main of odd) waits for a message from rank 2 with tag 9") != std::string::npos);
}

}  // namespace
}  // namespace starling
