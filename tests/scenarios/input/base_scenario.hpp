#pragma once

#include <string_view>

namespace starling {

/// A small scenario that is right; tests change it.
inline constexpr std::string_view base_scenario = R"({
  "name": "base",
  "iterations": 4,
  "warmup_iterations": 1,
  "cluster": {
    "workers": 8,
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}
  },
  "workload": {
    "model": "hyperplane_mlp",
    "batch_size": 32,
    "compute": {"forward": "10ms", "backward": "20ms"}
  },
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]
})";

}  // namespace starling
