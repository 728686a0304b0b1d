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
  std::string name;      // of its column, with its unit: "iteration_time_s"
  std::string pointer;   // into the run's block of result.json
  std::string label;     // of an axis: "iteration time"
  std::string unit;      // in which `name` counts: "s", "B" or empty
  std::string per = {};  // pointer to what it is divided by; empty for nothing
  bool is_rate = false;  // samples over time: its mean over as many samples of each is the harmonic one
};

/// All of them, in the order of their columns.
std::span<const SweepFigure> sweep_figures();

/// Where a figure is among them; as many as there are if there is none of that name.
std::size_t index_of_figure(std::string_view name);

/// The value of a figure in a run's block; none where it is null or absent.
std::optional<double> value_of(const SweepFigure& figure, const nlohmann::json& run);

}  // namespace starling
