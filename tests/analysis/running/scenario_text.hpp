#pragma once

#include <fmt/format.h>

#include <string>

namespace starling {

/// The text of a scenario: all-reduce and another algorithm on four workers with random compute times.
inline std::string scenario_text(const char* name, int iterations, int warmup_iterations,
                                 const char* other_kind) {
  return fmt::format(R"json({{
  "name": "{}",
  "iterations": {},
  "warmup_iterations": {},
  "cluster": {{
    "workers": 4,
    "network": {{"kind": "star", "link": {{"bandwidth": "10Gbps", "latency": "5us"}}}}
  }},
  "workload": {{
    "model": "resnet50",
    "batch_size": 32,
    "compute": {{"forward": "40ms", "backward": "80ms"}},
    "imbalance": {{"kind": "lognormal", "coefficient_of_variation": 0.1}}
  }},
  "algorithms": [{{"kind": "allreduce"}}, {{"kind": "{}"}}]
}}
)json",
                     name, iterations, warmup_iterations, other_kind);
}

}  // namespace starling
