#include "algorithms/collectives/evaluation/ring_of_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starling {
namespace {

constexpr std::array all_times = {&RankState::begin_s, &RankState::free_s, &RankState::start_s,
                                  &RankState::small_gone_s};

/// But for the rounding of a few sums. What was never is equal to nothing else.
bool are_equal(double one_s, double other_s) {
  constexpr double few_roundings = 4e-15;
  return one_s == other_s ||
         std::abs(one_s - other_s) <= few_roundings * std::min(std::abs(one_s), std::abs(other_s));
}

/// What `places` places further on is, by a slope that is `(to − from)/distance`.
RankState extrapolated(const RankState& from, const RankState& to, int distance, int places) {
  RankState state = to;
  for (const auto time : all_times)
    if (to.*time != from.*time) state.*time += places * (to.*time - from.*time) / distance;
  return state;
}

/// Whether all times differ by the same, but for those that are long ago in both.
bool is_shifted(const RankState& one, const RankState& other) {
  const double shift_s = other.begin_s - one.begin_s;
  for (const auto time : all_times)
    if (!are_equal(one.*time + shift_s, other.*time)) return false;
  return true;
}

bool are_equal(const RankState& one, const RankState& other) {
  for (const auto time : all_times)
    if (!are_equal(one.*time, other.*time)) return false;
  return true;
}

/// What was over when the next step begins is over for good.
RankState without_past(RankState state) {
  for (const auto time : {&RankState::free_s, &RankState::start_s, &RankState::small_gone_s})
    if (state.*time <= state.begin_s) state.*time = FreeRoutes::never_s;
  return state;
}

}  // namespace

RankState RingOfRuns::Run::at(int place) const {
  if (place == 0) return first;
  if (place == length - 1) return last;
  return extrapolated(last, first, 1 - length, place);
}

void RingOfRuns::append(std::vector<Run>& runs, int position, int length, const RankState& first,
                        const RankState& last) const {
  const std::size_t size = rules_.chunks().size_of(position);
  if (runs.empty() || runs.back().size != size) {
    runs.push_back({length, size, first, last});
    return;
  }
  Run& before = runs.back();
  const bool is_one = before.length == 1;
  const RankState& from = is_one ? before.last : before.first;
  const RankState& to = is_one ? first : before.last;
  const int distance = is_one ? 1 : before.length - 1;
  const int places = is_one ? 0 : 1;
  const bool goes_on = (!is_one || is_shifted(from, to)) &&
                       are_equal(extrapolated(from, to, distance, places), first) &&
                       are_equal(extrapolated(from, to, distance, places + length - 1), last);
  if (goes_on) {
    before.length += length;
    before.last = last;
  } else {
    runs.push_back({length, size, first, last});
  }
}

bool RingOfRuns::begin(const std::vector<RankState>& ranks, int step) {
  runs_.clear();
  for (int chunk = 0; chunk < ranks_ && runs_.size() <= most_runs(); ++chunk)
    append(runs_, chunk, without_past(ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)]));
  return runs_.size() <= most_runs();
}

std::vector<RankState> RingOfRuns::ranks(int step) const {
  std::vector<RankState> ranks(static_cast<std::size_t>(ranks_));
  int chunk = 0;
  for (const Run& run : runs_)
    for (int i = 0; i < run.length; ++i, ++chunk)
      ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)] = run.at(i);
  return ranks;
}

RankState RingOfRuns::next(const RankState& left, std::size_t left_size, const RankState& own,
                           std::size_t size, const RankState& right) {
  RankState next = own;
  RankState of_left = left;
  Sent sent{};
  Sent received{};
  if (rules_.is_sent(size))
    sent = rules_.send(next, legs_[size], rules_.launch_s(own.begin_s, size), right.begin_s);
  if (rules_.is_sent(left_size)) {
    received = rules_.send(of_left, legs_[left_size], rules_.launch_s(left.begin_s, left_size), own.begin_s);
    is_early_ = is_early_ || (rules_.overhead_s() > 0 && received.arrival_s <= own.begin_s * (1 + rounding));
  }
  next.begin_s = rules_.end_s(own.begin_s, size, sent, left_size, legs_[left_size], received.arrival_s,
                              reduction_s_per_byte_);
  return without_past(next);
}

bool RingOfRuns::step(double reduction_s_per_byte) {
  reduction_s_per_byte_ = reduction_s_per_byte;
  next_runs_.clear();
  int position = 0;
  RankState wrapped;  // of the one who sends chunk 0, and the last chunk next
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const Run& left = runs_[i == 0 ? runs_.size() - 1 : i - 1];
    const RankState& right = runs_[i + 1 == runs_.size() ? 0 : i + 1].first;
    const int length = run.length;
    const auto inside = [&](int place) {
      return next(run.at(place - 1), run.size, run.at(place), run.size,
                  place + 1 == length ? right : run.at(place + 1));
    };
    const RankState first = next(left.last, left.size, run.first, run.size, length > 1 ? run.at(1) : right);
    if (i == 0)
      wrapped = first;
    else
      append(next_runs_, position - 1, first);
    if (length > 2) append(next_runs_, position, length - 2, inside(1), inside(length - 2));
    if (length > 1) append(next_runs_, position + length - 2, inside(length - 1));
    position += length;
  }
  append(next_runs_, ranks_ - 1, wrapped);
  if (is_early_ || next_runs_.size() > most_runs()) return false;
  runs_.swap(next_runs_);
  return true;
}

}  // namespace starling
