#include "analysis/effort/run_effort.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

namespace starling {
namespace {

/// An estimate is documented to be within a factor of three of a measurement (analysis/effort/README.md).
void check_near(double told, double measured) {
  CAPTURE(told);
  CAPTURE(measured);
  CHECK(told < 3 * measured);
  CHECK(told > measured / 3);
}

/// The shape of a run with `rings` evaluated ring all-reduces in each iteration.
RunShape rings(double workers, double iterations, double rings) {
  return {.workers = workers,
          .iterations = iterations,
          .rings = rings,
          .ring_messages = rings * 2 * (workers - 1) * workers};
}

/// The shape of a run whose workers each send `along` messages along rings and `across` others in an
/// iteration, all of them simulated.
RunShape sent(double workers, double iterations, double along, double across) {
  return {.workers = workers,
          .iterations = iterations,
          .messages_along = along * workers,
          .messages_across = across * workers};
}

RunShape by(Engine engine, RunShape shape) {
  shape.engine = engine;
  return shape;
}

TEST_CASE("The estimated time of evaluated rings is within a factor of three of measurements") {
  check_near(effort_of(rings(256, 100, 1)).time_s, 0.14);
  check_near(effort_of(rings(1024, 30, 1)).time_s, 0.49);
  check_near(effort_of(rings(4096, 30, 1)).time_s, 2.2);
  check_near(effort_of(rings(8192, 30, 1)).time_s, 5.9);
  check_near(effort_of(rings(256, 100, 5)).time_s, 0.48);
  check_near(effort_of(rings(4096, 30, 5)).time_s, 7.7);
  check_near(effort_of(rings(8192, 30, 5)).time_s, 18);
  check_near(effort_of(rings(16, 200'000, 1)).time_s, 13.7);
}

TEST_CASE("The estimated time of watched rings is within a factor of three of measurements") {
  check_near(effort_of(rings(1024, 5, 5), {.links = true}).time_s, 0.99);
  check_near(effort_of(rings(4096, 3, 5), {.links = true}).time_s, 6.9);
  check_near(effort_of(rings(256, 20, 5), {.critical_path = true}).time_s, 0.98);
  check_near(effort_of(rings(1024, 5, 5), {.critical_path = true}).time_s, 1.0);
  check_near(effort_of(rings(4096, 3, 5), {.critical_path = true}).time_s, 22.4);
}

TEST_CASE(
    "The estimated time of messages along rings is within a factor of three of measurements, by every "
    "engine") {
  check_near(effort_of(sent(256, 5, 510, 0)).time_s, 0.27);
  check_near(effort_of(sent(1024, 2, 2046, 0)).time_s, 1.8);
  check_near(effort_of(by(Engine::event, sent(256, 5, 510, 0))).time_s, 0.31);
  check_near(effort_of(by(Engine::event, sent(1024, 3, 2046, 0))).time_s, 2.8);
  check_near(effort_of(by(Engine::simgrid, sent(64, 20, 126, 0))).time_s, 0.86);
  check_near(effort_of(by(Engine::simgrid, sent(256, 5, 510, 0))).time_s, 4.1);
  RunShape by_tcp = by(Engine::tcp, sent(256, 5, 510, 0));
  by_tcp.frames = 256 * 510 * 34.5;
  check_near(effort_of(by_tcp).time_s, 14.3);
}

TEST_CASE("The estimated time of messages between any workers is within a factor of three of measurements") {
  check_near(effort_of(sent(128, 40, 0, 1290)).time_s, 6.3);   // eager-SGD
  check_near(effort_of(sent(512, 2, 0, 1610)).time_s, 3.5);    // the same
  check_near(effort_of(sent(1024, 20, 0, 25.7)).time_s, 1.7);  // WAGMA
  check_near(effort_of(sent(8192, 10, 0, 34)).time_s, 11.5);   // the same
  check_near(effort_of(sent(1024, 10, 0, 2)).time_s, 0.17);    // D-PSGD
  check_near(effort_of(sent(4096, 5, 0, 2)).time_s, 1.4);      // the same
  check_near(effort_of(by(Engine::simgrid, sent(1024, 10, 0, 2))).time_s, 1.1);
  check_near(effort_of(by(Engine::simgrid, sent(64, 10, 0, 17))).time_s, 0.1);
  check_near(effort_of(sent(1024, 10, 0, 25.7), {.critical_path = true}).time_s, 0.73);
}

TEST_CASE(
    "The estimated time and memory of messages that share links are within a factor of three of "
    "measurements") {
  RunShape dense = sent(256, 5, 0, 255);
  dense.flows = 255;
  check_near(effort_of(dense).time_s, 9.9);
  check_near(effort_of(dense).memory_bytes, 70e6);
  dense = sent(512, 1, 0, 511);
  dense.flows = 511;
  check_near(effort_of(dense).time_s, 13.7);
  check_near(effort_of(dense).memory_bytes, 239e6);
}

TEST_CASE("The estimated memory is within a factor of three of measurements") {
  check_near(effort_of(rings(256, 100, 1)).memory_bytes, 15e6);
  check_near(effort_of(rings(8192, 30, 1)).memory_bytes, 119e6);
  check_near(effort_of(rings(4096, 3, 5), {.critical_path = true}).memory_bytes, 97e6);
  RunShape eager = sent(1024, 10, 0, 1771);
  eager.collectives = 161;
  check_near(effort_of(eager).memory_bytes, 54e6);
  RunShape evaluated = sent(8192, 20, 0, 0);
  evaluated.has_workers = false;
  check_near(effort_of(evaluated).memory_bytes, 41e6);
}

TEST_CASE("The estimated time is linear in iterations and messages, also where these are watched") {
  for (const Engine engine : {Engine::fair, Engine::event, Engine::simgrid, Engine::tcp})
    for (const Watching& watching : {Watching{}, Watching{.links = true}, Watching{.critical_path = true}}) {
      const auto told_s = [&](double iterations, double times) {
        return effort_of(by(engine, sent(256, iterations, 50 * times, 20 * times)), watching).time_s;
      };
      const double beginning_s = told_s(0, 1);
      CHECK(told_s(20, 1) - beginning_s == about(2 * (told_s(10, 1) - beginning_s), rounding_of_sums));
      CHECK(told_s(10, 2) - told_s(10, 0) == about(2 * (told_s(10, 1) - told_s(10, 0)), rounding_of_sums));
    }
}

TEST_CASE("The estimated memory is linear in workers, and includes all records in memory") {
  for (const Watching& watching : {Watching{}, Watching{.critical_path = true}}) {
    const auto told_bytes = [&](double workers, double logged_bytes) {
      RunShape shape = sent(workers, 10, 50, 20);
      shape.flows = 3;
      shape.collectives = 5;
      shape.logged_bytes = logged_bytes;
      return effort_of(shape, watching).memory_bytes;
    };
    const double program_bytes = told_bytes(0, 0);
    CHECK(told_bytes(200, 0) - program_bytes == about(2 * (told_bytes(100, 0) - program_bytes)));
    CHECK(told_bytes(100, 5e8) - told_bytes(100, 0) == about(5e8));
  }
}

TEST_CASE(
    "Simulated workers need more memory than evaluated ones, and critical paths need memory for workers and "
    "messages") {
  RunShape shape = sent(8192, 20, 0, 0);
  const double with_workers_bytes = effort_of(shape).memory_bytes;
  const double with_paths_bytes = effort_of(shape, {.critical_path = true}).memory_bytes;
  CHECK(with_paths_bytes > with_workers_bytes);
  CHECK(effort_of(sent(8192, 20, 7, 2), {.critical_path = true}).memory_bytes -
            effort_of(sent(8192, 20, 7, 2)).memory_bytes >
        with_paths_bytes - with_workers_bytes);
  shape.has_workers = false;
  CHECK(effort_of(shape).memory_bytes < with_workers_bytes);
}

TEST_CASE("The estimated time of a timeline is within a factor of three of a measurement") {
  const RunShape shape = sent(256, 20, 510, 0);
  check_near(effort_of(rings(256, 20, 1)).time_s + effort_of(shape).time_s + timeline_s(shape), 2.4);
}

}  // namespace
}  // namespace starling
