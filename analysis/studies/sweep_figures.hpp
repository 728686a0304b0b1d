#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// A number of a run that tables, CSV files and pictures show.
struct SweepFigure {
  std::string name;     // of its column, with its unit: "iteration_time_s"
  std::string pointer;  // into the run's block of result.json
  std::string label;    // of an axis: "iteration time"
  std::string unit;     // in which `name` counts: "s", "B" or empty
};

/// All of them, in the order of their columns.
std::span<const SweepFigure> sweep_figures();

/// Where a figure is among them; as many as there are if there is none of that name.
std::size_t index_of_figure(std::string_view name);

/// The blocks of a result.json that figures are of: one for each algorithm, or for each of several jobs.
const nlohmann::json& blocks_of(const nlohmann::json& result);
/// What a block calls its algorithm or job.
std::string label_of(const nlohmann::json& block);

/// Whether other than whole periods of its pattern are counted.
bool counts_partial_periods(const nlohmann::json& block);

/// The value of a figure in a run's block; none where it is null or absent.
std::optional<double> value_of(const SweepFigure& figure, const nlohmann::json& run);

}  // namespace starling
