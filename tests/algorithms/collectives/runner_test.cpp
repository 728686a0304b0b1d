#include "algorithms/collectives/runner.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "base/errors.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {

TEST_CASE("a buffer of another size than the schedule's is refused") {
  const auto schedule = make_allreduce(CollectiveKind::ring, 2, 10);
  CHECK_THROWS_AS(
      run_on_star(2, {}, [&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(9), 0); }),
      InvariantError);
}

TEST_CASE("a schedule for another number of ranks is refused") {
  const auto schedule = make_allreduce(CollectiveKind::ring, 3, 10);
  CHECK_THROWS_AS(
      run_on_star(2, {}, [&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(10), 0); }),
      InvariantError);
}

TEST_CASE("ranks that run different schedules are detected by the sizes of their messages") {
  CHECK_THROWS_AS(run_on_star(2, {},
                              [&](Worker& worker) {
                                const CollectiveKind kind = worker.rank() == 0
                                                                ? CollectiveKind::ring
                                                                : CollectiveKind::recursive_doubling;
                                run_schedule(worker, *make_allreduce(kind, 2, 10), Buffer::sized(10), 0);
                              }),
                  CommunicationError);
}

TEST_CASE("a collective that one rank does not join is a deadlock") {
  CHECK_THROWS_AS(run_on_star(3, {},
                              [&](Worker& worker) {
                                if (worker.rank() != 1) allreduce(worker, Buffer::sized(10), 0);
                              }),
                  DeadlockError);
}

TEST_CASE("chunks without elements are not sent") {
  const RunStatistics statistics =
      run_on_star(4, {}, [](Worker& worker) { allreduce(worker, Buffer::sized(1), 0); });
  // The only element goes around the ring once to be summed and once to be distributed, three messages each.
  CHECK_EQ(statistics.messages, 6);
  CHECK_EQ(run_on_star(4, {}, [](Worker& worker) { allreduce(worker, Buffer::sized(0), 0); }).messages, 0);
}

TEST_CASE("collectives with different tags may overlap in time") {
  std::vector<std::vector<float>> first(3, std::vector<float>(4, 1));
  std::vector<std::vector<float>> second(3, std::vector<float>(4, 2));
  run_on_star(3, {}, [&](Worker& worker) {
    const std::size_t rank = static_cast<std::size_t>(worker.rank());
    worker.spawn("second", [&worker, &second, rank] { allreduce(worker, Buffer::real(second[rank]), 2); });
    allreduce(worker, Buffer::real(first[rank]), 1);
  });
  CHECK_EQ(first[2], std::vector<float>(4, 3));
  CHECK_EQ(second[0], std::vector<float>(4, 6));
}

TEST_CASE("no rank leaves a barrier before the last one has entered it") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    std::vector<double> left_s(static_cast<std::size_t>(ranks));
    run_on_star(ranks, {}, [&](Worker& worker) {
      worker.compute(worker.rank() * 1e-3);
      barrier(worker, 0);
      left_s[static_cast<std::size_t>(worker.rank())] = worker.now();
    });
    for (const double left : left_s) CHECK_GE(left, (ranks - 1) * 1e-3);
  }
}

TEST_CASE("a broadcast gives every rank the data of the root") {
  std::vector<float> values{1, 2, 3};
  run_on_star(3, {}, [&](Worker& worker) {
    broadcast(worker, Buffer::real({&values[static_cast<std::size_t>(worker.rank())], 1}), 1, 0);
  });
  CHECK_EQ(values, std::vector<float>{2, 2, 2});
}

}  // namespace starling
