#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// A number of an algorithm's run that tables, CSV files and pictures show.
struct SweepFigure {
  std::string name;      // of its column, with the unit: "iteration_time_s"
  std::string pointer;   // JSON pointer into the algorithm's block of result.json
  std::string label;     // of an axis: "iteration time"
  std::string unit;      // of the values: "s", "B" or empty
  std::string per = {};  // JSON pointer to a divisor; empty for none
  bool is_rate = false;  // samples per time: averaged over seeds by the harmonic mean
};

/// All figures, in the order of their columns.
std::span<const SweepFigure> sweep_figures();

/// The index of the figure of that name in sweep_figures(); its size if there is none.
std::size_t index_of_figure(std::string_view name);

/// The value of a figure in an algorithm's block; nullopt where it is null or absent.
std::optional<double> value_of(const SweepFigure& figure, const nlohmann::json& run);

}  // namespace starling
