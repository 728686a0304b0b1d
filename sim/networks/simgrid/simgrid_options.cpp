#include "sim/networks/simgrid/simgrid_options.hpp"

namespace starling {

void describe(SimGridOptions& options, OptionVisitor& visitor) {
  constexpr Range factor_range{.least = 1e-6, .greatest = 1e6};
  visitor.choice({"model",
                  "α–β with max-min fair sharing, or the same fitted to TCP over Ethernet (latency · 13.01, "
                  "bandwidth · 0.97)"},
                 options.model, Choices{.names = {"CM02", "LV08"}});
  visitor.flag({"cross_traffic", "whether a transfer slows down those in the opposite direction"},
               options.cross_traffic);
  visitor.size(
      {"tcp_gamma", "the largest TCP window; a transfer gets at most window / (2 · latency); 0: no limit"},
      options.tcp_gamma_bytes);
  visitor.number({"latency_factor", "factor on all latencies", "the model's"}, options.latency_factor,
                 factor_range);
  visitor.number({"bandwidth_factor", "factor on all bandwidths", "the model's"}, options.bandwidth_factor,
                 factor_range);
  visitor.size({"weight_s",
                "S: transfers that compete for a link get rates inversely proportional to latency + Σ "
                "S/bandwidth of their routes, or to 1 ns where that is 0",
                "the model's"},
               options.weight_s_bytes);
  visitor.time({"time_precision", "times closer than this count as simultaneous"}, options.time_precision_s,
               {.least = 1e-18, .greatest = 1});
  visitor.number(
      {"rate_precision",
       "rates that differ by less than this share of a link's bandwidth count as equal; a link's latency "
       "plus `weight_s` over its bandwidth must be at most 1/(100 · `rate_precision`) seconds"},
      options.rate_precision, {.least = 1e-18, .greatest = 0.5});
}

}  // namespace starling
