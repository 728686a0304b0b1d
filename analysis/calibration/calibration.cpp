#include "analysis/calibration/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace starling {

namespace {

constexpr Tag command_tag = 1;
constexpr Tag data_tag = 2;
constexpr std::int64_t smallest_bytes = 8;
constexpr std::int64_t bulk_bytes = 1 << 20;
constexpr int bulk_messages = 8;
constexpr int warmups = 2;
constexpr int fewest_repetitions = 5;
constexpr int most_repetitions = 200;

/// What rank 0 asks a worker to do with its messages.
enum class Action { stop, ask, answer, take, exchange, take_late, send };

/// A command to a worker. It is sent as floats, which represent all sizes up to 16 MiB exactly.
struct Command {
  Action action = Action::stop;
  std::int64_t bytes = 0;
  int messages = 0;
  double delay_s = 0;
  Rank peer = 0;
};

using CommandData = std::array<float, 5>;

Buffer buffer_of(std::int64_t bytes) { return Buffer::sized(bytes, 1); }

void send_command(Worker& worker, Rank partner, const Command& command) {
  CommandData data{static_cast<float>(command.action), static_cast<float>(command.bytes),
                   static_cast<float>(command.messages), static_cast<float>(command.delay_s),
                   static_cast<float>(command.peer)};
  worker.send(Buffer::real(data), partner, command_tag);
}

Command listen(Worker& worker) {
  CommandData data{};
  worker.receive(Buffer::real(data), 0, command_tag);
  return {static_cast<Action>(static_cast<int>(data[0])), static_cast<std::int64_t>(data[1]),
          static_cast<int>(data[2]), static_cast<double>(data[3]), static_cast<Rank>(data[4])};
}

/// The time of a message to the partner and one back.
double round_trip_s(Worker& worker, Rank partner, std::int64_t bytes) {
  const double start_s = worker.now();
  Request answer = worker.irecv(buffer_of(bytes), partner, data_tag);
  worker.send(buffer_of(bytes), partner, data_tag);
  worker.wait(answer);
  return worker.now() - start_s;
}

std::vector<double> halves(std::vector<double> values) {
  for (double& value : values) value /= 2;
  return values;
}

/// Receives messages from rank 0, and answers the last one.
void take_and_answer(Worker& worker, const Command& command) {
  for (int i = 0; i < command.messages; ++i) worker.receive(buffer_of(command.bytes), 0, data_tag);
  worker.send(buffer_of(smallest_bytes), 0, data_tag);
}

/// Sends all messages at once, and then waits for all.
void send_row(Worker& worker, Rank destination, std::int64_t bytes, int messages) {
  std::vector<Request> requests;
  for (int i = 0; i < messages; ++i)
    requests.push_back(worker.isend(buffer_of(bytes), destination, data_tag));
  for (Request& request : requests) worker.wait(request);
}

void exchange(Worker& worker, Rank partner, std::int64_t bytes, int messages) {
  for (int i = 0; i < messages; ++i)
    worker.send_receive(buffer_of(bytes), partner, buffer_of(bytes), partner, data_tag);
}

void obey(Worker& worker, const Command& command) {
  switch (command.action) {
    case Action::ask:
      for (int i = 0; i < command.messages; ++i) round_trip_s(worker, command.peer, command.bytes);
      return;
    case Action::answer:
      for (int i = 0; i < command.messages; ++i) {
        worker.receive(buffer_of(command.bytes), command.peer, data_tag);
        worker.send(buffer_of(command.bytes), command.peer, data_tag);
      }
      return;
    case Action::take:
      return take_and_answer(worker, command);
    case Action::exchange:
      return exchange(worker, 0, command.bytes, command.messages);
    case Action::take_late:
      worker.compute(command.delay_s);
      return take_and_answer(worker, command);
    case Action::send:
      return send_row(worker, 0, command.bytes, command.messages);
    case Action::stop:
      return;
  }
}

void serve(Worker& worker) {
  while (true) {
    const Command command = listen(worker);
    if (command.action == Action::stop) return;
    obey(worker, command);
  }
}

/// Pairs of workers: the first sends first, the second answers.
using Pairs = std::vector<std::pair<Rank, Rank>>;

/// Pairs of the lowest ranks of the hosts that rank 0 and its partner are not on: no two pairs share the link
/// of a host. None if rank 0 and its partner are on one host.
Pairs other_pairs(const Worker& worker, Rank partner) {
  if (worker.host_of(partner) == worker.host_of(0)) return {};
  std::set<int> hosts{worker.host_of(0), worker.host_of(partner)};
  std::vector<Rank> ranks;
  for (Rank rank = 1; rank < worker.world_size(); ++rank)
    if (hosts.insert(worker.host_of(rank)).second) ranks.push_back(rank);
  Pairs pairs;
  for (std::size_t i = 1; i < ranks.size(); i += 2) pairs.emplace_back(ranks[i - 1], ranks[i]);
  return pairs;
}

/// The measurements between rank 0 and a partner.
class Pair {
 public:
  Pair(Worker& worker, Rank partner, const CalibrationEffort& effort)
      : worker_(worker), partner_(partner), effort_(effort) {}

  PairCalibration measure() {
    const std::vector<SizedTime> times = ping_pongs();
    std::vector<LineFit> one_way = fit_pieces(times);
    const std::optional<double> threshold = eager_threshold(times);
    const SampleEstimate s_per_byte = one_way.back().s_per_unit;
    const SampleEstimate overhead_s = overhead();
    PairCalibration pair{.partner = partner_,
                         .one_way = std::move(one_way),
                         .overhead_s = overhead_s,
                         .eager_threshold_bytes = threshold,
                         .send_buffer_bytes = send_buffer(threshold, s_per_byte, overhead_s.value),
                         .one_sided_Bps = one_sided_Bps(),
                         .two_sided_Bps = two_sided_Bps()};
    measure_beside_others(pair);
    return pair;
  }

 private:
  /// Round trips while `others` do the same; so many that a size takes about as long as it may.
  std::vector<double> round_trips_s(std::int64_t bytes, const Pairs& others) {
    send_command(worker_, partner_, {.action = Action::answer, .bytes = bytes, .messages = warmups});
    double trip_s = 0;
    for (int i = 0; i < warmups; ++i) trip_s = round_trip_s(worker_, partner_, bytes);

    const double affordable = effort_.seconds_per_size / std::max(trip_s, 1e-9);
    const int repetitions =
        static_cast<int>(std::clamp<double>(affordable, fewest_repetitions, most_repetitions));
    for (const auto& [asking, answering] : others) {
      send_command(worker_, answering,
                   {.action = Action::answer, .bytes = bytes, .messages = repetitions, .peer = asking});
      send_command(worker_, asking,
                   {.action = Action::ask, .bytes = bytes, .messages = repetitions, .peer = answering});
    }
    send_command(worker_, partner_, {.action = Action::answer, .bytes = bytes, .messages = repetitions});
    std::vector<double> trips_s;
    for (int i = 0; i < repetitions; ++i) trips_s.push_back(round_trip_s(worker_, partner_, bytes));
    return trips_s;
  }

  std::vector<SizedTime> ping_pongs() {
    std::vector<SizedTime> times;
    for (std::int64_t bytes = smallest_bytes; bytes <= effort_.greatest_bytes; bytes *= 2)
      times.push_back(median_time(static_cast<double>(bytes), halves(round_trips_s(bytes, {}))));
    return times;
  }

  /// The time of a row of messages, until the answer to the last one arrives.
  double row_s(std::int64_t bytes, int messages) {
    send_command(worker_, partner_, {.action = Action::take, .bytes = bytes, .messages = messages});
    const double start_s = worker_.now();
    Request answer = worker_.irecv(buffer_of(smallest_bytes), partner_, data_tag);
    send_row(worker_, partner_, bytes, messages);
    worker_.wait(answer);
    return worker_.now() - start_s;
  }

  /// The first row is not timed: the kernel provides memory when it is first written to.
  double one_sided_Bps() {
    row_s(bulk_bytes, bulk_messages);
    return bulk_messages * static_cast<double>(bulk_bytes) / row_s(bulk_bytes, bulk_messages);
  }

  SampleEstimate overhead() {
    row_s(smallest_bytes, most_repetitions);
    std::vector<SizedTime> times;
    for (int messages = most_repetitions; messages <= 10 * most_repetitions; messages += most_repetitions)
      times.push_back(mean_time(messages, {row_s(smallest_bytes, messages)}));
    return fit_line(times).s_per_unit;
  }

  double exchanges_s() {
    send_command(worker_, partner_,
                 {.action = Action::exchange, .bytes = bulk_bytes, .messages = bulk_messages});
    const double start_s = worker_.now();
    exchange(worker_, partner_, bulk_bytes, bulk_messages);
    return worker_.now() - start_s;
  }

  /// The first exchanges are not timed, as in one_sided_Bps().
  double two_sided_Bps() {
    exchanges_s();
    return bulk_messages * static_cast<double>(bulk_bytes) / exchanges_s();
  }

  /// When the receiver of a send is told to receive and answer, and when the send begins and ends.
  struct SendTimes {
    double told_s = 0;
    double begun_s = 0;
    double ended_s = 0;
  };

  SendTimes timed_send(const Command& command) {
    SendTimes times{.told_s = worker_.now()};
    send_command(worker_, partner_, command);
    Request answer = worker_.irecv(buffer_of(smallest_bytes), partner_, data_tag);
    times.begun_s = worker_.now();
    worker_.send(buffer_of(command.bytes), partner_, data_tag);
    times.ended_s = worker_.now();
    worker_.wait(answer);
    return times;
  }

  /// Whether the send of a message completes before its receiver asks for it. `usual_s`: how long a message
  /// takes that is asked for. By rendezvous a send is never complete before its receiver's delay is over,
  /// which begins when the receiver is told or later. So a single early completion proves that the message is
  /// eager, and a late one proves nothing.
  bool is_eager(std::int64_t bytes, double usual_s) {
    constexpr double patience_s = 0.02;
    constexpr int tries = 3;
    const double delay_s = 2 * usual_s + 2 * patience_s;
    const Command command{.action = Action::take_late, .bytes = bytes, .messages = 1, .delay_s = delay_s};
    for (int i = 0; i < tries; ++i) {
      const SendTimes times = timed_send(command);
      if (times.ended_s - times.told_s < delay_s - patience_s) return true;
    }
    return false;
  }

  /// The largest size found to be eager, to within 1 KiB; absent if all are.
  std::optional<double> eager_threshold(const std::vector<SizedTime>& times) {
    constexpr std::int64_t resolution = 1024;
    const auto waits = std::find_if(times.begin(), times.end(), [&](const SizedTime& time) {
      return !is_eager(static_cast<std::int64_t>(time.size), time.seconds);
    });
    if (waits == times.end()) return std::nullopt;
    auto waiting = static_cast<std::int64_t>(waits->size);
    std::int64_t eager = waits == times.begin() ? 0 : waiting / 2;
    while (waiting - eager > resolution) {
      const std::int64_t middle = eager + (waiting - eager) / 2;
      (is_eager(middle, waits->seconds) ? eager : waiting) = middle;
    }
    return static_cast<double>(eager);
  }

  void measure_beside_others(PairCalibration& pair) {
    constexpr std::int64_t small_bytes = 8 << 10;
    const Pairs others = other_pairs(worker_, partner_);
    if (others.empty()) return;
    std::vector<SizedTime> means;
    std::vector<double> excesses_s;
    for (std::int64_t bytes = smallest_bytes; bytes <= effort_.greatest_bytes; bytes *= 2) {
      const std::vector<double> times_s = halves(round_trips_s(bytes, others));
      means.push_back(mean_time(static_cast<double>(bytes), times_s));
      if (bytes <= small_bytes)
        excesses_s.push_back(means.back().seconds - *std::min_element(times_s.begin(), times_s.end()));
    }
    pair.one_way_beside_others = fit_pieces(means);
    pair.wake_up_s = estimate_mean(excesses_s);
  }

  /// The bytes of a message that have not left when its send is complete. The error includes that of the
  /// bandwidth, by which the bytes that have left are found.
  std::optional<SampleEstimate> send_buffer(std::optional<double> eager_threshold,
                                            const SampleEstimate& s_per_byte, double overhead_s) {
    constexpr double noticeable = 0.1;
    const double bytes = std::floor(eager_threshold.value_or(static_cast<double>(effort_.greatest_bytes)));
    if (bytes < least_timed_send_bytes || s_per_byte.value <= 0) return std::nullopt;
    const Command command{.action = Action::take, .bytes = static_cast<std::int64_t>(bytes), .messages = 1};
    std::vector<double> leaving_s;
    for (int i = 0; i < fewest_repetitions; ++i) {
      const SendTimes times = timed_send(command);
      leaving_s.push_back(std::max(0.0, times.ended_s - times.begun_s - overhead_s));
    }
    SampleEstimate left = estimate_ratio(estimate_mean(leaving_s), s_per_byte);
    left.value = std::max(0.0, bytes - left.value);
    if (left.value > (1 - noticeable) * bytes) return std::nullopt;
    return left;
  }

  Worker& worker_;
  Rank partner_;
  CalibrationEffort effort_;
};

/// On which host rank 0 looks for a partner.
enum class PartnerHost { own, another };

std::optional<Rank> find_partner(const Worker& worker, PartnerHost host) {
  for (Rank rank = 1; rank < worker.world_size(); ++rank) {
    const bool is_on_own = worker.host_of(rank) == worker.host_of(0);
    if (is_on_own == (host == PartnerHost::own)) return rank;
  }
  return std::nullopt;
}

std::optional<PairCalibration> measure_pair(Worker& worker, PartnerHost host,
                                            const CalibrationEffort& effort) {
  const auto partner = find_partner(worker, host);
  if (!partner) return std::nullopt;
  return Pair(worker, *partner, effort).measure();
}

SampleEstimate reduction_s_per_byte(Worker& worker) {
  constexpr int repetitions = 9;
  std::vector<SizedTime> times;
  for (std::int64_t bytes = 1 << 16; bytes <= 1 << 23; bytes *= 2) {
    std::vector<double> durations_s;
    for (int i = 0; i < repetitions; ++i) {
      const double start_s = worker.now();
      worker.accumulate(buffer_of(bytes), buffer_of(bytes));
      durations_s.push_back(worker.now() - start_s);
    }
    times.push_back(median_time(static_cast<double>(bytes), durations_s));
  }
  // A simulated machine without reduction costs takes no time, to which no line can be fitted.
  if (times.back().seconds <= 0) return {};
  return fit_line(times).s_per_unit;
}

void measure_timer(Worker& worker, const Clock& clock, Calibration& calibration) {
  constexpr int repetitions = 100;
  constexpr double duration_s = 1e-3;
  std::vector<double> errors_s;
  for (int i = 0; i < repetitions; ++i) {
    // Computing that directly follows other computing begins when that should have ended, not when it did; so
    // there is an addition in between.
    worker.accumulate(buffer_of(8), buffer_of(8));
    const double start_s = clock();
    worker.compute(duration_s);
    errors_s.push_back(clock() - start_s - duration_s);
  }
  calibration.timer_error_s = estimate_mean(errors_s);
  calibration.greatest_timer_error_s = *std::max_element(errors_s.begin(), errors_s.end());
}

/// How long it takes rank 0 to receive a row of messages from each of these workers, who all send at once. At
/// most 256 messages, 256 MiB, are outstanding at a time.
double fan_in_s(Worker& worker, const std::vector<Rank>& senders) {
  constexpr std::size_t most_outstanding = 256;
  std::deque<Request> requests;
  const double start_s = worker.now();
  for (int i = 0; i < bulk_messages; ++i) {
    for (const Rank rank : senders) {
      if (requests.size() == most_outstanding) {
        worker.wait(requests.front());
        requests.pop_front();
      }
      requests.push_back(worker.irecv(buffer_of(bulk_bytes), rank, data_tag));
      if (i == 0)
        send_command(worker, rank, {.action = Action::send, .bytes = bulk_bytes, .messages = bulk_messages});
    }
  }
  for (Request& request : requests) worker.wait(request);
  return worker.now() - start_s;
}

/// Absent if there is only one host. The first time does not count, as in one_sided_Bps().
std::optional<double> fan_in_Bps(Worker& worker) {
  std::vector<Rank> senders;
  for (Rank rank = 1; rank < worker.world_size(); ++rank)
    if (worker.host_of(rank) != worker.host_of(0)) senders.push_back(rank);
  if (senders.empty()) return std::nullopt;
  fan_in_s(worker, senders);
  return static_cast<double>(senders.size()) * bulk_messages * bulk_bytes / fan_in_s(worker, senders);
}

}  // namespace

Calibration calibrate(Worker& worker, const Clock& clock, const CalibrationEffort& effort) {
  STARLING_INVARIANT(effort.greatest_bytes <= 1 << 24);
  Calibration calibration;
  if (worker.rank() != 0) {
    serve(worker);
    return calibration;
  }
  measure_timer(worker, clock, calibration);
  calibration.reduction_s_per_byte = reduction_s_per_byte(worker);
  calibration.across_hosts = measure_pair(worker, PartnerHost::another, effort);
  calibration.within_host = measure_pair(worker, PartnerHost::own, effort);
  calibration.fan_in_Bps = fan_in_Bps(worker);
  for (Rank rank = 1; rank < worker.world_size(); ++rank) send_command(worker, rank, {});
  return calibration;
}

}  // namespace starling
