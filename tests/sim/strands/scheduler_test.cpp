#include "sim/strands/scheduler.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "sim/strands/address_sanitizer.hpp"

namespace starling {
namespace {

TEST_CASE("strands run in time order, those of equal time in the order they asked") {
  Scheduler scheduler;
  std::string order;
  const auto sleeper = [&](char name, double first_s, double second_s) {
    return [&order, &scheduler, name, first_s, second_s] {
      scheduler.sleep_until(first_s);
      order += name;
      scheduler.sleep_until(second_s);
      order += name;
    };
  };
  scheduler.spawn(0, "a", sleeper('a', 2, 3));
  scheduler.spawn(0, "b", sleeper('b', 1, 3));
  scheduler.spawn(0, "c", sleeper('c', 0, 1));
  scheduler.run();
  CHECK(order == "cbcaba");  // at 3 s b comes before a, as b asked for that time at 1 s, and a at 2 s
  CHECK(scheduler.now() == 3);
}

TEST_CASE("a background strand ends with the run and its stack is unwound") {
  Scheduler scheduler;
  bool is_unwound = false;
  struct Guard {
    bool& flag;
    ~Guard() { flag = true; }
  };
  scheduler.spawn(
      0, "service",
      [&] {
        const Guard guard{is_unwound};
        while (true) scheduler.block({.what = WaitsFor::What::notification});
      },
      true);
  scheduler.spawn(0, "main", [&] { scheduler.sleep_until(1); });
  scheduler.run();
  CHECK(is_unwound);
  CHECK(scheduler.now() == 1);
}

TEST_CASE("a stepwise strand is called again when it is made ready, and ends when it waits for nothing") {
  Scheduler scheduler;
  std::vector<double> steps_s;
  const auto content = std::make_shared<int>(0);
  scheduler.spawn_stepwise(0, "service", [&, content] {
    steps_s.push_back(scheduler.now());
    if (steps_s.size() == 3) return;
    scheduler.at(scheduler.now() + 2, scheduler.current());
    scheduler.waits_next({.what = WaitsFor::What::time});
  });
  scheduler.spawn(0, "main", [&] {
    scheduler.sleep_until(3);
    CHECK(content.use_count() == 2);
    scheduler.sleep_until(9);
    CHECK(content.use_count() == 1);
  });
  scheduler.run();
  CHECK(steps_s == std::vector<double>{0, 2, 4});
}

TEST_CASE("a stepwise strand is dropped at the end of the run, and an exception in it ends the run") {
  const auto content = std::make_shared<int>(0);
  Scheduler scheduler;
  const auto waits_for_ever = [&, content] {
    scheduler.waits_next({.what = WaitsFor::What::event, .name = "bucket"});
  };
  scheduler.spawn_stepwise(3, "service", waits_for_ever);
  scheduler.spawn(0, "main", [&] { scheduler.sleep_until(1); });
  scheduler.run();
  CHECK(content.use_count() == 2);  // those of this scope and of waits_for_ever

  scheduler.spawn_stepwise(3, "service", waits_for_ever);
  scheduler.spawn(3, "main", [&] { scheduler.block({.what = WaitsFor::What::notification}); });
  CHECK_THROWS_WITH_AS(scheduler.run(),
                       "deadlock at 1 s: 2 strands wait and no event is pending\n"
                       "  rank 3 (service) waits for bucket\n"
                       "  rank 3 (main) waits for a notification",
                       DeadlockError);

  Scheduler failing;
  failing.spawn_stepwise(0, "service", [] { throw std::runtime_error("out of luck"); });
  failing.spawn(0, "main", [&] { failing.sleep_until(1); });
  CHECK_THROWS_WITH_AS(failing.run(), "out of luck", std::runtime_error);
}

TEST_CASE("an exception in any strand ends the run") {
  Scheduler scheduler;
  scheduler.spawn(0, "patient", [&] { scheduler.sleep_until(10); });
  scheduler.spawn(1, "hasty", [&] {
    scheduler.sleep_until(1);
    throw std::runtime_error("out of luck");
  });
  CHECK_THROWS_WITH_AS(scheduler.run(), "out of luck", std::runtime_error);
  CHECK(scheduler.now() == 1);
}

TEST_CASE("a deadlock says who waits for whom on which tag") {
  Scheduler scheduler;
  scheduler.spawn(3, "main", [&] {
    scheduler.sleep_until(0.25);
    scheduler.block({.what = WaitsFor::What::message, .peer = 4, .tag = 7});
  });
  scheduler.spawn(4, "communication",
                  [&] { scheduler.block({.what = WaitsFor::What::event, .name = "bucket"}); });
  CHECK_THROWS_WITH_AS(scheduler.run(),
                       "deadlock at 0.25 s: 2 strands wait and no event is pending\n"
                       "  rank 3 (main) waits for a message from rank 4 with tag 7\n"
                       "  rank 4 (communication) waits for bucket",
                       DeadlockError);
}

TEST_CASE("a deadlock of many strands lists the first twenty") {
  Scheduler scheduler;
  for (int rank = 0; rank < 25; ++rank)
    scheduler.spawn(rank, "main", [&] { scheduler.block({.what = WaitsFor::What::notification}); });
  try {
    scheduler.run();
    FAIL("no deadlock");
  } catch (const DeadlockError& error) {
    const std::string text = error.what();
    CHECK(text.find("rank 19 (main) waits for a notification") != std::string::npos);
    CHECK(text.find("rank 20") == std::string::npos);
    CHECK(text.ends_with("… and 5 more"));
  }
}

/// Allocates all memory, in blocks of ever smaller sizes, so that none is left.
void take_all_memory() {
  struct Block {
    Block* next;
  };
  static Block* blocks = nullptr;
  for (std::size_t bytes = 16 << 20; bytes >= sizeof(Block); bytes /= 2)
    while (void* memory = std::malloc(bytes)) blocks = new (memory) Block{blocks};
}

/// Whether a run in which a strand takes all memory ends with std::bad_alloc, while a thousand others sleep.
bool ends_out_of_memory() {
  const rlimit limit{256 << 20, 256 << 20};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
  try {
    Scheduler scheduler;
    for (Rank rank = 0; rank < 1000; ++rank)
      scheduler.spawn(rank, "sleeper", [&] { scheduler.sleep_until(2); });
    scheduler.spawn(0, "hoarder", [&] {
      scheduler.sleep_until(1);
      take_all_memory();
      throw std::bad_alloc();
    });
    scheduler.run();
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

TEST_CASE("a run without memory unwinds its strands and ends with an exception") {
  if (has_address_sanitizer) return;  // AddressSanitizer needs more address space than the limit allows
  const pid_t child = fork();
  if (child == 0) _exit(ends_out_of_memory() ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a strand that has ended leaves its place in memory to the next one") {
  Scheduler scheduler;
  int ended = 0;
  std::set<const Strand*> places;
  scheduler.spawn(0, "main", [&] {
    for (int i = 1; i <= 1000; ++i) {
      scheduler.spawn(0, "helper", [&] {
        ++ended;
        places.insert(&scheduler.current());
      });
      scheduler.sleep_until(i);
    }
  });
  scheduler.run();
  CHECK(ended == 1000);
  CHECK(places.size() == 1);  // each ends while main sleeps, before the next is spawned
}

TEST_CASE("a time source that has nothing to give lets the agenda decide") {
  struct Idle : TimeSource {
    double advance(double limit_s) override { return limit_s; }
  } idle;
  Scheduler scheduler(&idle);
  scheduler.spawn(0, "main", [&] { scheduler.sleep_until(2); });
  scheduler.run();
  CHECK(scheduler.now() == 2);
  scheduler.spawn(0, "main", [&] { scheduler.block({.what = WaitsFor::What::notification}); });
  CHECK_THROWS_AS(scheduler.run(), DeadlockError);
}

TEST_CASE("neither past nor infinite times are accepted by the scheduler") {
  Scheduler scheduler;
  scheduler.reach(2);
  CHECK_THROWS_AS(scheduler.reach(1), InvariantError);
  struct Nothing : TimedAction {
    void happen() override {}
  } nothing;
  CHECK_THROWS_AS(scheduler.at(1, nothing), InvariantError);
  CHECK_THROWS_AS(scheduler.at(std::numeric_limits<double>::infinity(), nothing), InvariantError);
}

}  // namespace
}  // namespace starling
