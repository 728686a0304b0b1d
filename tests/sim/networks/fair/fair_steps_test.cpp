#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/random_networks.hpp"

namespace starling {
namespace {

/// Senders that send one message after the other between random workers. After every change of rates the
/// rates of all flows are compared with the definition of max-min shares, and added up to the bytes that
/// flowed.
class RandomSteps {
 public:
  RandomSteps(const Routes& routes, const FairOptions& options, unsigned seed)
      : routes_(routes), options_(options), network_(routes, options), random_(seed) {}

  /// Keeps up to `senders` messages under way at any time, until `messages` have been sent.
  void run(int senders, int messages) {
    to_send_ = messages;
    network_.attach(scheduler_);
    std::deque<Sender> all;
    for (int i = 0; i < senders; ++i) scheduler_.at(0, all.emplace_back(*this));
    scheduler_.spawn(0, "until all have arrived", [&] {
      while (arrived_ < messages) scheduler_.sleep_until(scheduler_.now() + 1e3);
    });
    scheduler_.run();
  }

  double worst_overload = 0;  // by how much a link carries more than its bandwidth, relative to it
  double worst_share = 0;  // by how much a flow has less per weight than the most on its bottleneck, relative
  double worst_lost = 0;   // by how much the bytes that flowed differ from those sent, relative
  int checks = 0;
  int idle_checks = 0;

 private:
  struct Sender final : Transfer, TimedAction {
    explicit Sender(RandomSteps& of) : steps(of) {}
    void happen() override { steps.send(*this); }
    void arrived() override { steps.arrived(*this); }
    RandomSteps& steps;
  };
  /// A check that happens after all else that happens at the same moment.
  struct Check final : TimedAction {
    explicit Check(RandomSteps& of) : steps(of) {}
    void happen() override {
      if (--rounds > 0)
        steps.scheduler_.at(steps.scheduler_.now(), *this);
      else
        steps.check();
    }
    RandomSteps& steps;
    int rounds = 0;
  };

  void send(Sender& sender) {
    if (to_send_-- <= 0) return;
    const auto workers = static_cast<unsigned>(routes_.workers());
    sender.source = static_cast<Rank>(random_() % workers);
    sender.destination =
        static_cast<Rank>((static_cast<unsigned>(sender.source) + 1 + random_() % (workers - 1)) % workers);
    sender.bytes = 2e3 + 1e5 * uniform();
    sent_bytes_[{sender.source, sender.destination}] += sender.bytes;
    network_.start(sender);
    expect_check();
  }

  void arrived(Sender& sender) {
    ++arrived_;
    scheduler_.at(scheduler_.now() + (random_() % 3 == 0 ? 0 : 10 * uniform()), sender);
    expect_check();
  }

  void expect_check() {
    if (check_.rounds > 0) return;
    check_.rounds = 3;  // an arrival, a start, and what follows from that
    scheduler_.at(scheduler_.now(), check_);
  }

  void check() {
    ++checks;
    const double now_s = scheduler_.now();
    for (const ConnectionRate& rate : rates_)
      flowed_bytes_[{rate.source, rate.destination}] += rate.rate_Bps * (now_s - checked_s_);
    checked_s_ = now_s;
    rates_ = network_.rates();
    check_shares();
    if (!rates_.empty()) return;
    ++idle_checks;
    for (const auto& [pair, bytes] : sent_bytes_)
      worst_lost = greater_error(worst_lost, std::abs(flowed_bytes_[pair] / bytes - 1));
  }

  std::size_t first_link(const ConnectionRate& rate) const {
    return static_cast<std::size_t>(routes_.route(rate.source, rate.destination).front());
  }

  /// Finds each flow's weight from its bandwidths and from whether other flows begin with the same link; all
  /// latencies are 0 here.
  void find_weights() {
    std::vector<int> flows_from(routes_.links().size(), 0);
    for (const ConnectionRate& rate : rates_) ++flows_from[first_link(rate)];
    weights_.clear();
    for (const ConnectionRate& rate : rates_) {
      double penalty = options_.weight_s_bytes ? 0 : 1;
      for (const LinkIndex link : routes_.route(rate.source, rate.destination))
        penalty += options_.weight_s_bytes.value_or(0) /
                   routes_.links()[static_cast<std::size_t>(link)].bandwidth_Bps;
      if (flows_from[first_link(rate)] > 1) penalty *= 1 + options_.queued_at_first_link.value_or(0);
      weights_.push_back(1 / penalty);
    }
  }

  bool is_full(double load) const { return load >= 1 - options_.epsilon - rounding; }

  void check_shares() {
    find_weights();
    std::vector<double> loads(routes_.links().size(), 0);
    std::vector<double> most(loads.size(), 0);
    for (std::size_t i = 0; i < rates_.size(); ++i)
      for (const LinkIndex link : routes_.route(rates_[i].source, rates_[i].destination)) {
        const auto l = static_cast<std::size_t>(link);
        loads[l] += rates_[i].rate_Bps / routes_.links()[l].bandwidth_Bps;
        most[l] = std::max(most[l], rates_[i].rate_Bps / weights_[i]);
      }
    for (const double load : loads) worst_overload = greater_error(worst_overload, load - 1);
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      // A flow has its max-min share if it has the most on a full link. A connection's own rate counts as a
      // link that it has for itself.
      const double most_Bps = options_.connection_rate_Bps.value_or(std::numeric_limits<double>::infinity());
      const double load_of_own = rates_[i].rate_Bps / most_Bps;
      worst_overload = greater_error(worst_overload, load_of_own - 1);
      double best_share = is_full(load_of_own) ? 1 : 0;
      for (const LinkIndex link : routes_.route(rates_[i].source, rates_[i].destination)) {
        const auto l = static_cast<std::size_t>(link);
        if (is_full(loads[l])) best_share = std::max(best_share, rates_[i].rate_Bps / weights_[i] / most[l]);
      }
      worst_share = greater_error(worst_share, 1 - best_share);
    }
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  const Routes& routes_;
  FairOptions options_;
  FairNetwork network_;
  std::mt19937 random_;
  int to_send_ = 0;
  int arrived_ = 0;
  Check check_{*this};
  std::vector<ConnectionRate> rates_;
  std::vector<double> weights_;  // of the flows of rates_, without what an unevenness draws
  double checked_s_ = 0;
  std::map<std::pair<Rank, Rank>, double> sent_bytes_;
  std::map<std::pair<Rank, Rank>, double> flowed_bytes_;
  Scheduler scheduler_;  // last, so that nothing of it outlives what it refers to
};

void check_random_steps(const FairOptions& options, int messages) {
  std::mt19937 random(5);
  // With 20 · 19 pairs of workers, connections are forgotten and come back.
  HandMadeRoutes routes = random_routes(random, 20, 16, 5);
  routes.forget_latencies();
  RandomSteps steps(routes, options, 3);
  steps.run(14, messages);
  CHECK(steps.checks > messages);  // starts and ends are twice as many, but many are at the same moment
  CHECK(steps.idle_checks > 0);    // the last check finds nothing under way
  CHECK(steps.worst_overload <= options.epsilon + rounding);
  // Without unevenness each flow has as much per weight as any on its bottleneck. An unevenness u multiplies
  // weights by numbers from 1 − u to 1 + u: 1 − (1 − u)/(1 + u) = 2u/(1 + u).
  const double u = options.unevenness.value_or(0);
  CHECK(steps.worst_share <= 2 * u / (1 + u) + rounding);
  // Some 10³ to 10⁴ messages of a connection each add some roundings, of 10⁻¹⁶ of the time so far.
  CHECK(steps.worst_lost <= 1e-9);
}

TEST_CASE("fair: at every step of random traffic each flow has its max-min share, and no byte is lost") {
  // Half a million starts and ends in a second, but hundreds of times slower with AddressSanitizer.
  for (const double epsilon : {FairOptions{}.epsilon, 1e-9})
    check_random_steps({.epsilon = epsilon}, has_address_sanitizer ? 1'000 : 250'000);
}

TEST_CASE(
    "fair: with weights and rates, each flow has its weighted max-min share at every step, and no byte is "
    "lost") {
  const int messages = has_address_sanitizer ? 500 : 50'000;
  for (const double epsilon : {FairOptions{}.epsilon, 1e-9}) {
    check_random_steps({.epsilon = epsilon, .weight_s_bytes = 1e3}, messages);
    check_random_steps({.epsilon = epsilon, .queued_at_first_link = 0.3}, messages);
    check_random_steps({.epsilon = epsilon, .connection_rate_Bps = 800}, messages);
    check_random_steps({.epsilon = epsilon,
                        .connection_rate_Bps = 800,
                        .weight_s_bytes = 1e3,
                        .unevenness = 0.2,
                        .queued_at_first_link = 0.3},
                       messages);
  }
}

}  // namespace
}  // namespace starling
