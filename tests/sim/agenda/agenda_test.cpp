#include "sim/agenda/agenda.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <limits>
#include <map>
#include <random>
#include <vector>

namespace starling {
namespace {

struct Noted : TimedAction {
  void happen() override {}
};

TEST_CASE(
    "the agenda gives back actions by time and those of equal time in the order in which they were put in") {
  Agenda agenda;
  std::vector<Noted> actions(6);
  const double times_s[] = {2.0, 1.0, 2.0, 0.0, 1.0, 2.0};
  for (std::size_t i = 0; i < actions.size(); ++i) agenda.put(times_s[i], actions[i]);
  for (const std::size_t expected : {3u, 1u, 4u, 0u, 2u, 5u}) {
    CHECK(agenda.next_time_s() == times_s[expected]);
    CHECK(&agenda.take() == &actions[expected]);
    CHECK(agenda.last_time_s() == times_s[expected]);
  }
  CHECK(agenda.is_empty());
}

TEST_CASE("the agenda refuses the past, negative times and what is not a number") {
  Agenda agenda;
  Noted action;
  CHECK_THROWS_AS(agenda.put(-1e-300, action), InvariantError);
  CHECK_THROWS_AS(agenda.put(std::numeric_limits<double>::quiet_NaN(), action), InvariantError);
  agenda.put(-0.0, action);
  agenda.put(1.0, action);
  agenda.take();
  agenda.take();
  CHECK_THROWS_AS(agenda.put(0.5, action), InvariantError);
  CHECK_THROWS_AS(Agenda().take(), InvariantError);
}

TEST_CASE("after the agenda has told its next time an action can still be put in before it") {
  Agenda agenda;
  std::vector<Noted> actions(2);
  agenda.put(5.0, actions[0]);
  CHECK(agenda.next_time_s() == 5.0);
  agenda.put(3.0, actions[1]);
  CHECK(agenda.next_time_s() == 3.0);
  CHECK(&agenda.take() == &actions[1]);
  CHECK(&agenda.take() == &actions[0]);
}

/// A step: whether to take an action, and if not, by how many tenths of a second later than now to put one.
using TakeOrPut = std::pair<bool, unsigned char>;

/// Compares the agenda with a multimap, which keeps equal keys in the order in which they were inserted. What
/// is put is due fewer than `steps_later` tenths of a second later.
void check_as_multimap(const std::vector<TakeOrPut>& steps, int steps_later = 8) {
  Agenda agenda;
  std::multimap<double, const TimedAction*> reference;
  std::vector<Noted> actions(steps.size());
  double now_s = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto [is_take, step] = steps[i];
    if (is_take && !reference.empty()) {
      REQUIRE(&agenda.take() == reference.begin()->second);
      now_s = reference.begin()->first;
      REQUIRE(agenda.last_time_s() == now_s);
      reference.erase(reference.begin());
    } else {
      const double time_s = now_s + step % steps_later * 0.1;
      agenda.put(time_s, actions[i]);
      reference.emplace(time_s, &actions[i]);
    }
    REQUIRE(agenda.size() == reference.size());
    if (!reference.empty()) REQUIRE(agenda.next_time_s() == reference.begin()->first);
  }
}

TEST_CASE("the agenda equals a stable multimap for any mixture of puts and takes") {
  CHECK(rc::check([](const std::vector<TakeOrPut>& steps) { check_as_multimap(steps); }));
}

TEST_CASE("the agenda equals a stable multimap where up to hundreds of entries are due at different times") {
  std::minstd_rand random;
  std::vector<TakeOrPut> steps;
  // Shares below 8 of 16 let the agenda grow, shares above it let it shrink.
  for (const unsigned takes_of_16 : {7u, 9u, 4u, 8u, 12u, 5u, 8u, 11u})
    for (int i = 0; i < 1'000; ++i) {
      const bool is_take = random() % 16 < takes_of_16;
      steps.emplace_back(is_take, static_cast<unsigned char>(random() % 256));
    }
  for (const int steps_later : {3, 20, 256}) check_as_multimap(steps, steps_later);
}

TEST_CASE("the agenda equals a stable multimap where thousands of entries are due at a time") {
  constexpr std::size_t waves = 4;
  constexpr std::size_t entries = 150'000;  // more than a bucket keeps memory for
  std::vector<TakeOrPut> steps;
  for (std::size_t wave = 0; wave < waves; ++wave) {
    // Even waves put all entries at one time, odd ones at three times. Then nearly all are taken; the rest
    // are taken after the next wave has been put.
    for (std::size_t i = 0; i < entries; ++i)
      steps.emplace_back(false, static_cast<unsigned char>(wave % 2 == 0 ? 5 : 1 + i % 3));
    for (std::size_t i = 0; i < entries; ++i)
      steps.emplace_back(i % 7 > 0, static_cast<unsigned char>(i % 2 == 0 ? 0 : 3));
  }
  for (std::size_t i = 0; i < waves * entries; ++i) steps.emplace_back(true, 0);
  check_as_multimap(steps);
}

}  // namespace
}  // namespace starling
