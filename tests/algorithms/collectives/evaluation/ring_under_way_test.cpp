#include "algorithms/collectives/evaluation/ring_under_way.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

struct Sent {
  double sent_s;
  double arrival_s;
  double bytes;
};

/// Of a hop, message by message.
double most_under_way(const std::vector<Sent>& messages) {
  double most_bytes = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    double bytes = messages[i].bytes;
    for (std::size_t before = 0; before < i; ++before)
      if (messages[before].arrival_s > messages[i].sent_s) bytes += messages[before].bytes;
    most_bytes = std::max(most_bytes, bytes);
  }
  return most_bytes;
}

/// Hops that send one message after the other, each of which takes a microsecond per kilobyte and arrives
/// some microseconds later, asked for in bursts. Those of up to two kilobytes pass others.
class Hops {
 public:
  Hops(std::size_t ranks, std::uint64_t seed)
      : random_(seed, Purpose::schedule),
        next_s_(ranks, 1e-3),
        free_s_(ranks),
        messages_(ranks),
        under_way_(ranks) {}

  void send_ring(std::size_t steps, double kilobytes, bool are_alike) {
    std::vector<RankState> before;
    for (const double next_s : next_s_) before.push_back({.begin_s = next_s});
    std::optional<RingUnderWay::Alike> alike;
    if (are_alike)
      alike = {.most_bytes = (kilobytes + 1) * 1e3,
               .transmission_s = kilobytes <= 1 ? 0 : kilobytes * second_per_kilobyte};
    under_way_.begin(steps, before, alike);
    std::vector<std::vector<double>> bytes(steps, std::vector<double>(next_s_.size()));
    for (std::vector<double>& of_step : bytes) {
      for (std::size_t rank = 0; rank < next_s_.size(); ++rank) {
        const bool is_larger = random_.below(4, 0, counter_++) == 0;
        of_step[rank] = (kilobytes + (is_larger ? 1 : 0)) * 1e3;
        send(rank, of_step[rank]);
      }
      under_way_.step(of_step.data());
    }
    under_way_.end();
  }

  void check() const {
    for (std::size_t rank = 0; rank < next_s_.size(); ++rank)
      CHECK(under_way_.most_bytes(rank) == about(most_under_way(messages_[rank]), 1e-12));
  }

 private:
  static constexpr double second_per_kilobyte = 1e-6;

  void send(std::size_t rank, double bytes) {
    const double takes_s = bytes / 1e3 * second_per_kilobyte;
    const double sent_s = next_s_[rank];
    const bool passes = bytes <= 2e3;
    if (!passes) free_s_[rank] = std::max(sent_s, free_s_[rank]) + takes_s;
    const double arrival_s = (passes ? sent_s + takes_s : free_s_[rank]) + 7e-6;
    under_way_.sent_s()[rank] = sent_s;
    under_way_.arrival_s()[rank] = arrival_s;
    messages_[rank].push_back({sent_s, arrival_s, bytes});
    const bool is_burst = random_.below(3, 1, counter_++) > 0;
    const double wait_s = passes ? 20e-6 : takes_s * (is_burst ? 0.3 : 2.9);
    next_s_[rank] += wait_s * random_.uniform(2, counter_++);
  }

  CounterRandom random_;
  std::uint64_t counter_ = 0;
  std::vector<double> next_s_;
  std::vector<double> free_s_;
  std::vector<std::vector<Sent>> messages_;
  RingUnderWay under_way_;
};

TEST_CASE("The most that rings have under way between ranks is what all messages have, one by one") {
  const CounterRandom random(1, Purpose::data);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Hops hops(5, seed);
    for (std::uint32_t ring = 0; ring < 12; ++ring)
      hops.send_ring(1 + random.below(9, ring, seed),
                     random.below(3, 300 + ring, seed) == 0
                         ? 1
                         : 3 + static_cast<double>(random.below(60, 100 + ring, seed)),
                     random.below(5, 200 + ring, seed) > 0);
    hops.check();
  }
}

TEST_CASE("What is not noted may be the most only together with what is left of before") {
  RingUnderWay under_way(1);
  under_way.begin(2, std::vector<RankState>(1), std::nullopt);
  const double bytes = 100;
  for (const double arrival_s : {3.0, 4.0}) {
    *under_way.sent_s() = 1;
    *under_way.arrival_s() = arrival_s;
    under_way.step(&bytes);
  }
  under_way.end();
  CHECK(under_way.most_bytes(0) == 200);
  const auto may_be_most = [&](double begin_s, double more_bytes) {
    return under_way.may_be_most(std::vector<RankState>{{.begin_s = begin_s}}, more_bytes);
  };
  CHECK(may_be_most(2, 1));
  CHECK_FALSE(may_be_most(5, 200));
  CHECK(may_be_most(5, 201));
}

TEST_CASE("Of rings of so many ranks that only some steps are noted at a time, too") {
  constexpr std::size_t ranks = 6'000;
  Hops hops(ranks, 1);
  for (const double kilobytes : {40.0, 1.0, 40.0, 60.0, 1.0, 3.0}) hops.send_ring(7, kilobytes, true);
  hops.check();
}

}  // namespace
}  // namespace starling
