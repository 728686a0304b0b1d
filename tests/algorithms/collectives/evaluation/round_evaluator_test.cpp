#include "algorithms/collectives/evaluation/round_evaluator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "sim/messages/transport.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/algorithms/collectives/all_schedules.hpp"
#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

/// How many of all evaluated collectives were exact.
struct Share {
  int exact = 0;
  int all = 0;
};

/// Compares an evaluation with a simulation message by message if it says that it is exact.
void compare(const Routes& routes, const Schedule& schedule, const Times& begin_s, const MessageCosts& costs,
             Model model, Share& share) {
  FreeRoutes network(routes, costs, rules_of(model));
  const std::optional<Evaluation> evaluation =
      RoundEvaluator(network).evaluate(schedule, begin_s, Buffer::bytes_per_float);
  ++share.all;
  if (!evaluation || !evaluation->is_exact) return;
  ++share.exact;
  CAPTURE(schedule.name());
  CAPTURE(schedule.ranks());
  CAPTURE(schedule.count());
  CAPTURE(static_cast<int>(model));
  CHECK_LE(difference(evaluation->end_s, simulated_ends_s(routes, {&schedule}, begin_s, costs, model)),
           difference_by_rounding);
}

TEST_CASE("collectives that are called exact end when simulated ones do, over every transport") {
  const std::size_t every_nth = has_address_sanitizer ? 3 : 1;  // all of them take a minute with it
  for (const Model model : {Model::event, Model::fair, Model::fair_in_order}) {
    std::vector<MessageCosts> costs = costs_of_transports();
    if (model == Model::event)
      std::erase_if(costs, [](const MessageCosts& of) { return std::isfinite(of.send_buffer_bytes); });
    Share share;
    for (const int ranks : {2, 3, 5, 8, 12}) {
      const Star star(ranks);
      for (const std::int64_t count : {7, 3000, 1'000'000}) {
        for (const auto& schedule : all_allreduces(ranks, count)) {
          for (std::size_t i = 0; i < costs.size(); i += every_nth) {
            for (const double spread_s : {0.0, 1e-4}) {
              CAPTURE(i);
              CAPTURE(spread_s);
              compare(star.network, *schedule, random_beginnings(ranks, spread_s), costs[i], model, share);
            }
          }
        }
      }
    }
    CAPTURE(static_cast<int>(model));
    CAPTURE(share.all);
    CHECK_GT(2 * share.exact, share.all);  // about three of four are exact, so half is a safe bound
  }
}

TEST_CASE("collectives of ranks that begin together are exact where each rank has a link of its own") {
  for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling,
                                    CollectiveKind::double_tree, CollectiveKind::ring}) {
    for (const MessageCosts& costs : costs_of_transports()) {
      Share share;
      for (const std::int64_t count : {256, 4096, 1'000'000})
        compare(Star(64).network, *make_allreduce(kind, 64, count), Times(64, 0.25), costs, Model::fair,
                share);
      CAPTURE(name_of(kind));
      if (kind != CollectiveKind::double_tree) CHECK_EQ(share.exact, share.all);
    }
  }
}

TEST_CASE("messages that share links are not called exact") {
  const Network tree = build_network(
      {.workers = 16,
       .network = {.kind = LeafSpineOptions{.hosts_per_leaf = 8, .spines = 2, .link = {1e9, 1e-6}}}});
  Share share;
  compare(tree, *make_allreduce(CollectiveKind::halving_doubling, 16, 100'000), Times(16, 0.0), {},
          Model::fair, share);
  CHECK_EQ(share.exact, 0);
}

TEST_CASE("hierarchical and ring all-reduces of hosts with several workers are evaluated") {
  const Network network = build_network({.workers = 24,
                                         .workers_per_host = 4,
                                         .network = {.kind = StarOptions{.link = {1e9, 1e-6}}},
                                         .intra_host_link = LinkOptions{1e10, 5e-7}});
  const CollectiveOptions options{.workers_per_host = 4};
  for (const Transport& transport : transports()) {
    for (const double spread_s : {0.0, 1e-4}) {
      Share share;
      for (const CollectiveKind kind : {CollectiveKind::hierarchical, CollectiveKind::ring})
        for (const std::int64_t count : {100, 30'000, 1'000'000})
          compare(network, *make_allreduce(kind, 24, count, options), random_beginnings(24, spread_s),
                  transport.costs, transport.costs.sends_all_in_order ? Model::fair_in_order : Model::fair,
                  share);
      CAPTURE(transport.name);
      CHECK_GT(share.exact, 0);
    }
  }
}

TEST_CASE("successive collectives are evaluated with the messages of those before them") {
  const Star star(8);
  std::vector<std::unique_ptr<Schedule>> schedules;
  for (const std::int64_t count : {200'000, 10, 3000, 100'001})
    for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling})
      schedules.push_back(make_allreduce(kind, 8, count));
  for (const MessageCosts& costs : costs_of_transports()) {
    FreeRoutes network(star.network, costs, rules_of(Model::fair));
    RoundEvaluator evaluator(network);
    Times end_s(8, 0.0);
    std::vector<const Schedule*> done;
    for (const auto& schedule : schedules) {
      const std::optional<Evaluation> evaluation = evaluator.evaluate(*schedule, end_s, 4);
      REQUIRE(evaluation);
      if (!evaluation->is_exact) break;
      end_s = evaluation->end_s;
      done.push_back(schedule.get());
      CHECK_LE(difference(end_s, simulated_ends_s(star.network, done, Times(8, 0.0), costs, Model::fair)),
               difference_by_rounding);
    }
    // Handshakes that wait behind small messages let ranks begin the last collective at different times, so
    // that its messages may meet: only that one may be inexact.
    CHECK_GE(done.size(), schedules.size() - 1);
  }
}

}  // namespace
}  // namespace starling
