#include "analysis/studies/sweep_figures.hpp"

#include <algorithm>

#include "io/json/json_text.hpp"

namespace starling {

std::span<const SweepFigure> sweep_figures() {
  static const std::vector<SweepFigure> figures{
      {"workers", "/workers", "workers", ""},
      {"iterations", "/iterations", "counted iterations", ""},
      {"iteration_time_s", "/iteration_time_s/mean", "iteration time", "s"},
      {"standard_error_s", "/standard_error_s", "standard error", "s"},
      {"iteration_time_std_s", "/iteration_time_s/std", "standard deviation of iterations", "s"},
      {"iteration_time_p5_s", "/iteration_time_s/p5", "5th percentile of iterations", "s"},
      {"iteration_time_p50_s", "/iteration_time_s/p50", "median iteration", "s"},
      {"iteration_time_p95_s", "/iteration_time_s/p95", "95th percentile of iterations", "s"},
      {"iteration_time_min_s", "/iteration_time_s/min", "shortest iteration", "s"},
      {"iteration_time_max_s", "/iteration_time_s/max", "longest iteration", "s"},
      {"throughput_samples_per_s", "/throughput_samples_per_s", "samples per second", "", "", true},
      {"throughput_per_worker_samples_per_s", "/throughput_samples_per_s", "samples per second of a worker",
       "", "/workers", true},
      {"makespan_s", "/makespan_s", "makespan", "s"},
      {"delay_s", "/breakdown_s/delay", "injected delay", "s"},
      {"forward_s", "/breakdown_s/forward", "forward pass", "s"},
      {"backward_s", "/breakdown_s/backward", "backward pass", "s"},
      {"update_s", "/breakdown_s/update", "update", "s"},
      {"exposed_communication_s", "/breakdown_s/exposed_communication", "exposed communication", "s"},
      {"imbalance_wait_s", "/breakdown_s/imbalance_wait", "waiting for slower workers", "s"},
      {"messages", "/traffic/messages", "messages", ""},
      {"bytes_per_worker_per_iteration_B", "/traffic/bytes_per_worker_per_iteration",
       "sent per worker and iteration", "B"},
      {"mean_active_workers", "/participation/mean_active_workers", "active workers", ""},
      {"stale_contributions", "/participation/stale_contributions", "stale contributions", ""},
      {"max_staleness_iterations", "/participation/max_staleness_iterations", "greatest staleness", ""},
      {"speedup", "/speedup", "speed-up", ""},
      {"slowdown", "/slowdown", "slow-down by other jobs", ""},
      {"final_loss", "/learning/final_loss", "final loss", ""},
      {"time_to_target_s", "/learning/time_to_target_s", "time to target loss", "s"},
  };
  return figures;
}

std::size_t index_of_figure(std::string_view name) {
  const auto figures = sweep_figures();
  return static_cast<std::size_t>(std::ranges::find(figures, name, &SweepFigure::name) - figures.begin());
}

std::optional<double> value_of(const SweepFigure& figure, const nlohmann::json& run) {
  const nlohmann::json value = value_at(run, figure.pointer);
  if (!value.is_number()) return std::nullopt;
  return figure.per.empty() ? value.get<double>()
                            : value.get<double>() / value_at(run, figure.per).get<double>();
}

}  // namespace starling
