#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/networks/network_model.hpp"

namespace starling {

/// Which of SimGrid's network models computes the transfers, and with which corrections. A scenario states
/// them; SimGrid's own defaults (LV08, cross-traffic, a TCP window of 4 MiB) never apply unasked.
struct SimGridOptions {
  /// SimGrid's name of the model, one of simgrid_models(). CM02: α–β with max-min fair sharing. LV08: CM02
  /// fitted to TCP over Ethernet, latency · 13.01 and bandwidth · 0.97.
  std::string model = "CM02";

  /// Whether a transfer slows those in the opposite direction: its acknowledgments take 5 % of the way back.
  bool cross_traffic = false;

  /// The largest TCP window: a transfer gets at most tcp_gamma_bytes/(2 · latency). 0: no limit.
  double tcp_gamma_bytes = 0;

  /// Every route's latency and every transfer's rate times these. Empty: what the model prescribes (CM02 1
  /// and 1, LV08 13.01 and 0.97).
  std::optional<double> latency_factor = {};
  std::optional<double> bandwidth_factor = {};

  /// S of the sharing penalty latency + Σ S/bandwidth over a route: transfers that compete for a link get
  /// rates in inverse proportion to it. Empty: what the model prescribes (CM02 0, LV08 20537).
  std::optional<double> weight_s_bytes = {};

  /// Moments closer than this are one (surf/precision). SimGrid's own 1e-9 is as long as 12 bytes at 100
  /// Gb/s.
  double time_precision_s = 1e-12;
  /// Rates closer than this share of a link's bandwidth are one (maxmin/precision); below 1.
  double rate_precision_Bps = 1e-5;

  bool operator==(const SimGridOptions&) const = default;
};

/// The names that SimGridOptions::model may have. Not among them: SMPI and IB, whose factors by message size
/// are measured on one cluster, and Constant and ns-3, which have no links of ours.
std::span<const std::string_view> simgrid_models();

/// SimGrid's flow model: transfers share links max-min fairly, all at once, as fluids. SimGrid gets links and
/// flows only, no actors: strands, matching and deadlocks stay with the scheduler, which takes this object as
/// its time source.
///
/// A transfer first waits for its latency, then flows. Those from one worker to another flow one at a time in
/// the order they started, as the messages of a connection do; were they to share, a burst of them would
/// arrive all at once at its end. A transfer without bytes never waits. Different pairs of workers share by
/// SimGrid's rules: max-min fair, weighted by the sharing penalty (see weight_s_bytes).
///
/// An uncontended transfer of m bytes takes α + βm, α the sum of the latencies of its route, β the reciprocal
/// of the least bandwidth (CM02). Sizes are rounded to whole bytes. Transfers that end at the same moment
/// arrive in the order in which they began to flow.
///
/// SimGrid has one engine per process. So several of these objects may exist, but attaching one ends the run
/// of the one attached before. Every run starts from a fresh engine at time 0: its results do not depend on
/// the runs before it, bit for bit. Reference: Velho, Schnorr, Casanova, Legrand, "On the validity of
/// flow-level TCP network models for grid and cloud simulations", ACM TOMACS 23(4), 2013.
class SimGridNetwork final : public NetworkModel, private TimeSource {
 public:
  /// `routes` must outlive this object. @throws std::invalid_argument if SimGrid does not take an option, a
  /// latency, or so many links: of latencies those above 1,000 s with the usual options, and of links more
  /// than 65,536 on a stack of 8 MiB.
  explicit SimGridNetwork(const Routes& routes, const SimGridOptions& options = {});
  ~SimGridNetwork() override;
  SimGridNetwork(const SimGridNetwork&) = delete;
  SimGridNetwork& operator=(const SimGridNetwork&) = delete;

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  TimeSource* time_source() override { return this; }

 private:
  class Impl;

  double advance(double limit_s) override;

  static SimGridNetwork* attached_;  // the one whose run SimGrid's engine belongs to

  const Routes& routes_;
  SimGridOptions options_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
