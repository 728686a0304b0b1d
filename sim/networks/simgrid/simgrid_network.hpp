#pragma once

#include <memory>

#include "sim/networks/network_model.hpp"
#include "sim/networks/simgrid/simgrid_options.hpp"
#include "sim/routes.hpp"

namespace starling {

/// SimGrid's flow model: transfers share links max-min fairly and concurrently, as fluids. SimGrid is given
/// links and flows only, no actors: strands, matching and deadlocks stay with the scheduler, for which this
/// object is a source of time.
///
/// A transfer first waits for its latency, then flows. Transfers from one worker to another flow one at a
/// time in the order in which they started, as the messages of a connection do; if they shared, a burst of
/// them would arrive all at once at its end. A transfer without bytes never waits. Different pairs of
/// workers share by SimGrid's rules: max-min fair, weighted by the sharing penalty (see weight_s_bytes).
///
/// An uncontended transfer of m bytes takes α + βm, α the sum of the latencies of its route, β the
/// reciprocal of the least bandwidth (CM02). Sizes are rounded to whole bytes. Transfers that end at the
/// same moment arrive in the order in which they began to flow.
///
/// SimGrid has one engine per process. Several objects of this class may therefore exist, but attaching one
/// ends the run of the object attached before. Every run starts from a fresh engine at time 0: its results
/// do not depend, bit for bit, on the runs before it. Reference: Velho, Schnorr, Casanova, Legrand, "On the
/// validity of flow-level TCP network models for grid and cloud simulations", ACM TOMACS 23(4), 2013.
class SimGridNetwork final : public NetworkModel, private TimeSource {
 public:
  /// `routes` must outlive this object. @throws std::invalid_argument if SimGrid does not accept an option,
  /// a latency, or the number of links: with the usual options latencies above 1,000 s, and on a stack of 8
  /// MiB more than 65,536 links.
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

  static SimGridNetwork* attached_;  // the object whose run uses SimGrid's engine

  const Routes& routes_;
  SimGridOptions options_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
