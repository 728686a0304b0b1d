#pragma once

#include <optional>
#include <string>

#include "base/options/option_visitor.hpp"

namespace starling {

/// Which of SimGrid's network models computes the transfers, and with which corrections. A scenario states
/// them; SimGrid's own defaults (LV08, cross-traffic, a TCP window of 4 MiB) never apply implicitly.
struct SimGridOptions {
  /// SimGrid's name of the model. CM02: α–β with max-min fair sharing. LV08: CM02 fitted to TCP over
  /// Ethernet, latency · 13.01 and bandwidth · 0.97. Others are not supported: SMPI and IB have factors by
  /// message size that were measured on one cluster, Constant and ns-3 do not use our links.
  std::string model = "CM02";

  /// Whether a transfer slows those in the opposite direction: its acknowledgments take 5 % of its rate on
  /// the way back.
  bool cross_traffic = false;

  /// The largest TCP window: the rate of a transfer is at most tcp_gamma_bytes/(2 · latency). 0: no limit.
  double tcp_gamma_bytes = 0;

  /// Factors on every route's latency and every transfer's rate. Empty: those of the model (CM02 1 and 1,
  /// LV08 13.01 and 0.97).
  std::optional<double> latency_factor = {};
  std::optional<double> bandwidth_factor = {};

  /// S of the sharing penalty latency + Σ S/bandwidth over a route: transfers that compete for a link get
  /// rates in inverse proportion to it. Empty: that of the model (CM02 0, LV08 20537).
  std::optional<double> weight_s_bytes = {};

  /// Moments closer than this count as simultaneous (surf/precision). SimGrid's own 1e-9 s is the time of 12
  /// bytes at 100 Gb/s.
  double time_precision_s = 1e-12;
  /// Rates closer than this share of a link's bandwidth count as equal (maxmin/precision); at most 0.5.
  double rate_precision = 1e-5;

  bool operator==(const SimGridOptions&) const = default;
};

void describe(SimGridOptions& options, OptionVisitor& visitor);

}  // namespace starling
