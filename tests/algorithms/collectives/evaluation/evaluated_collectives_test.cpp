#include "algorithms/collectives/evaluation/evaluated_collectives.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

struct Run {
  Times end_s;
  RunStatistics statistics;
};

/// Collectives one after the other, with a pause before each.
Run run_of(const Routes& routes, const std::vector<const Schedule*>& schedules, double pause_s,
           CollectiveExecutor& executor, Model model = Model::fair, const MessageCosts& costs = {}) {
  const std::unique_ptr<NetworkModel> network = model_of(model, routes);
  SimulatedWorld world(routes, *network, costs);
  Run run{.end_s = Times(static_cast<std::size_t>(routes.workers())), .statistics = {}};
  world.run([&](Worker& worker) {
    for (const Schedule* schedule : schedules) {
      worker.compute(pause_s);
      executor.run(worker, *schedule, Buffer::sized(schedule->count()), 1);
    }
    run.end_s[static_cast<std::size_t>(worker.rank())] = worker.now();
  });
  run.statistics = world.statistics();
  return run;
}

/// 16 workers on two leaves: the eight workers of a leaf share its two links to the spines.
Network two_leaves() {
  return build_network(
      {.workers = 16,
       .network = {.kind = LeafSpineOptions{.hosts_per_leaf = 8, .spines = 2, .link = {1e9, 1e-6}}}});
}

TEST_CASE("a run with evaluated collectives counts the messages that it does not send") {
  const Star star(3);
  const RingSchedule ring(RingSchedule::Phase::allreduce, 3, 30'000);
  EvaluatedCollectives evaluated(star.network, {}, {});
  Run run = run_of(star.network, {&ring}, 0, evaluated);
  CHECK(evaluated.is_exact());
  CHECK(run.statistics.messages == 0);
  evaluated.add_to(run.statistics);
  CHECK(run.statistics.messages == 12);
  CHECK(run.statistics.evaluated_messages == 12);
  CHECK(run.statistics.bytes == 4 * 120'000);
}

TEST_CASE(
    "evaluated collectives of every size and kind count the messages, handshakes and bytes that sending "
    "would") {
  const Star star(6);
  const MessageCosts costs = {.eager_threshold_bytes = 8000};
  for (const CollectiveKind kind : {CollectiveKind::ring, CollectiveKind::recursive_doubling,
                                    CollectiveKind::halving_doubling, CollectiveKind::double_tree}) {
    for (const std::int64_t count : {4, 3001, 12'003, 100'000}) {  // few, some and all by rendezvous
      const auto each = make_allreduce(kind, 6, count);
      EvaluatedCollectives evaluated(star.network, costs, {});
      RunStatistics counted = run_of(star.network, {each.get()}, 0, evaluated, Model::fair, costs).statistics;
      evaluated.add_to(counted);
      MessageExecutor messages;
      const RunStatistics sent =
          run_of(star.network, {each.get()}, 0, messages, Model::fair, costs).statistics;
      CAPTURE(each->name());
      CAPTURE(count);
      CHECK_EQ(counted.messages, sent.messages);
      CHECK_EQ(counted.rendezvous_messages, sent.rendezvous_messages);
      CHECK_EQ(counted.bytes, sent.bytes);
    }
  }
}

TEST_CASE("exactly those collectives are sent message by message that cannot be evaluated") {
  const Network network = two_leaves();
  const auto ring = make_allreduce(CollectiveKind::ring, 16, 100'000);
  const auto halving = make_allreduce(CollectiveKind::halving_doubling, 16, 100'000);
  const std::vector<const Schedule*> schedules = {ring.get(), halving.get(), ring.get(), ring.get()};

  EvaluatedCollectives first(network, {}, {});
  run_of(network, schedules, 1, first);
  CHECK_FALSE(first.is_exact());
  CHECK(first.by_messages() == CollectivesByMessages{1});

  EvaluatedCollectives second(network, {}, {}, first.by_messages());
  Run run = run_of(network, schedules, 1, second);
  CHECK(second.is_exact());
  MessageExecutor messages;
  const Run by_messages = run_of(network, schedules, 1, messages);
  CHECK_LE(difference(run.end_s, by_messages.end_s), difference_by_rounding);
  second.add_to(run.statistics);
  CHECK_EQ(run.statistics.messages, by_messages.statistics.messages);
  CHECK_EQ(run.statistics.evaluated_messages, 3 * 2 * 15 * 16);
}

TEST_CASE("evaluation is given up where more than half of the messages would have to be sent") {
  const Network network = two_leaves();
  const auto ring = make_allreduce(CollectiveKind::ring, 16, 100'000);                 // 480 messages,
  const auto halving = make_allreduce(CollectiveKind::halving_doubling, 16, 100'000);  // 128
  const std::vector<const Schedule*> schedules = {halving.get(), ring.get(), halving.get()};

  EvaluatedCollectives too_soon(network, {}, {}, {}, 1);
  CHECK_THROWS_AS(run_of(network, schedules, 1, too_soon), TooLittleIsExact);
  CHECK(too_soon.by_messages() == CollectivesByMessages{0});
  EvaluatedCollectives after_others(network, {}, {}, {}, 2);
  run_of(network, schedules, 1, after_others);
  CHECK(after_others.by_messages() == CollectivesByMessages{0, 2});
}

TEST_CASE("a collective that overlaps with one sent message by message is sent so, too") {
  const Star star(6);
  const auto ring = make_allreduce(CollectiveKind::recursive_doubling, 6, 300'000);
  const std::vector<const Schedule*> schedules = {ring.get(), ring.get()};
  // Six ranks fold into four, so some of them end earlier than others and begin the next collective.
  EvaluatedCollectives evaluated(star.network, {}, {}, {1});
  run_of(star.network, schedules, 0, evaluated);
  CHECK_FALSE(evaluated.is_exact());
  CHECK(evaluated.by_messages() == CollectivesByMessages{0, 1});
}

TEST_CASE(
    "a collective that some ranks begin before the messages of the last one have ended is sent by messages") {
  const Star star(6);
  // Some of six ranks are done with it earlier than others.
  const auto doubling = make_allreduce(CollectiveKind::recursive_doubling, 6, 300'000);
  const auto ring = make_allreduce(CollectiveKind::ring, 6, 300'000);
  for (const double pause_s : {0.0, 1.0}) {
    EvaluatedCollectives evaluated(star.network, {}, {}, {0});
    run_of(star.network, {doubling.get(), ring.get()}, pause_s, evaluated);
    CHECK(evaluated.by_messages() == (pause_s > 0 ? CollectivesByMessages{0} : CollectivesByMessages{0, 1}));
  }
}

/// One rank sends in its first two rounds; the other one receives in its first and its third round.
class LateReceipt final : public Schedule {
 public:
  explicit LateReceipt(Rank sender) : Schedule(2, 1000), sender_(sender) {}
  std::string name() const override { return "late receipt"; }
  int rounds(Rank) const override { return 3; }
  Round round(Rank rank, int index) const override {
    const Transmission message = {1 - rank, everything()};
    if (rank == sender_) return index < 2 ? Round{.send = message} : Round{};
    return index != 1 ? Round{.receive = message} : Round{};
  }

 private:
  Rank sender_;
};

TEST_CASE(
    "a collective whose messages are received in another round than they are sent in is sent by messages") {
  const Star star(2);
  for (const Rank sender : {0, 1}) {
    const LateReceipt schedule(sender);
    FreeRoutes network(star.network, {}, {});
    CHECK_FALSE(RoundEvaluator(network).evaluate(schedule, Times(2, 0.0), 4));
    EvaluatedCollectives evaluated(star.network, {}, {});
    run_of(star.network, {&schedule}, 0, evaluated);
    CHECK(evaluated.by_messages() == CollectivesByMessages{0});
  }
}

/// Of five successive rings, of which the last is sent by messages, those that are found to need that, too.
CollectivesByMessages found_before_messages(std::int64_t count) {
  const Star star(6);
  const auto each = make_allreduce(CollectiveKind::ring, 6, count);
  EvaluatedCollectives evaluated(star.network, {}, {}, {4});
  run_of(star.network, std::vector<const Schedule*>(5, each.get()), 0, evaluated);
  return evaluated.by_messages();
}

TEST_CASE("all collectives that overlap one by one with one sent by messages are found in one run") {
  CHECK(found_before_messages(30'003) == CollectivesByMessages{0, 1, 2, 3, 4});
  CHECK(found_before_messages(30'000) == CollectivesByMessages{4});  // all ranks are done at the same moment
}

TEST_CASE("collectives that begin before an inexact one has ended everywhere are found together with it") {
  const Network network = two_leaves();
  const auto halving = make_allreduce(CollectiveKind::halving_doubling, 16, 100'003);
  const auto ring = make_allreduce(CollectiveKind::ring, 16, 100'003);
  EvaluatedCollectives evaluated(network, {}, {});
  run_of(network, {halving.get(), ring.get(), ring.get()}, 0, evaluated);
  CHECK(evaluated.by_messages() == CollectivesByMessages{0, 1, 2});
}

/// Of two collectives, of which the second is sent by messages, those that are found to need that, too.
CollectivesByMessages found_beside_messages(Model model, CollectiveKind second) {
  const Star star(12);
  const auto first = make_allreduce(CollectiveKind::ring, 12, 3000);
  const auto other = make_allreduce(second, 12, 380);
  EvaluatedCollectives evaluated(star.network, {}, rules_of(model), {1});
  run_of(star.network, {first.get(), other.get()}, 0, evaluated, model);
  CHECK(evaluated.is_exact() == (evaluated.by_messages().size() == 1));
  return evaluated.by_messages();
}

TEST_CASE("under event a collective sent by messages needs those before it on the same links sent so, too") {
  const CollectivesByMessages both = {0, 1};
  const CollectivesByMessages second = {1};
  CHECK(found_beside_messages(Model::event, CollectiveKind::recursive_doubling) == both);
  // Under fair they share links in no order.
  CHECK(found_beside_messages(Model::fair, CollectiveKind::recursive_doubling) == second);
  // No link serves more than one sender.
  CHECK(found_beside_messages(Model::event, CollectiveKind::ring) == second);
}

TEST_CASE("under event a collective that is not exact makes all before it be sent by messages") {
  const Network network = two_leaves();
  const auto ring = make_allreduce(CollectiveKind::ring, 16, 100'000);                 // 480 messages,
  const auto halving = make_allreduce(CollectiveKind::halving_doubling, 16, 100'000);  // 128
  for (const Model model : {Model::fair, Model::event}) {
    const bool all = model == Model::event;
    const std::vector<const Schedule*> schedules = {ring.get(), halving.get()};
    EvaluatedCollectives evaluated(network, {}, rules_of(model));
    run_of(network, schedules, 1, evaluated, model);
    CHECK(evaluated.by_messages() == (all ? CollectivesByMessages{0, 1} : CollectivesByMessages{1}));
    EvaluatedCollectives patient(network, {}, rules_of(model), {}, 2);
    if (all)
      CHECK_THROWS_AS(run_of(network, schedules, 1, patient, model), TooLittleIsExact);
    else
      run_of(network, schedules, 1, patient, model);
  }
}

TEST_CASE("a collective that some ranks end before all have begun is sent message by message") {
  const Star star(8);
  // With three elements for eight ranks, rank 3 only passes on others' chunks, and has none of its own.
  const RingSchedule ring(RingSchedule::Phase::reduce_scatter, 8, 3);
  EvaluatedCollectives evaluated(star.network, {}, {});
  FairNetwork network(star.network);
  SimulatedWorld world(star.network, network);
  world.run([&](Worker& worker) {
    if (worker.rank() == 7) worker.compute(1);
    evaluated.run(worker, ring, Buffer::sized(ring.count()), 1);
  });
  CHECK(evaluated.by_messages() == CollectivesByMessages{0});
}

TEST_CASE("nothing is evaluated where workers notice messages late") {
  CHECK(EvaluatedCollectives::is_possible({.eager_threshold_bytes = 100, .send_buffer_bytes = 1e6}));
  CHECK_FALSE(EvaluatedCollectives::is_possible({.wake_up_s = 1e-6}));
}

}  // namespace
}  // namespace starling
