#include "analysis/statistics/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr double prediction_confidence = 0.9;

/// The least score that at least so many of the scores and one yet unknown are expected not to exceed, as a
/// factor.
std::optional<double> factor_of(std::vector<double> scores) {
  const double rank = std::ceil(static_cast<double>(scores.size() + 1) * prediction_confidence);
  if (rank > static_cast<double>(scores.size())) return std::nullopt;
  std::ranges::sort(scores);
  return std::exp(scores[static_cast<std::size_t>(rank) - 1]);
}

std::optional<Interval> interval_around(double predicted, std::optional<double> factor) {
  if (!factor) return std::nullopt;
  return Interval{.least = predicted / *factor, .greatest = predicted * *factor};
}

}  // namespace

void PredictionErrors::add(std::string task, double predicted, double actual) {
  errors_.push_back({.task = std::move(task), .score = std::abs(std::log(predicted / actual))});
}

std::optional<double> PredictionErrors::factor() const {
  std::vector<double> scores;
  for (const Error& error : errors_) scores.push_back(error.score);
  return factor_of(std::move(scores));
}

std::optional<Interval> PredictionErrors::interval_of(const std::string& task, double predicted) const {
  std::vector<double> scores;
  for (const Error& error : errors_)
    if (error.task != task) scores.push_back(error.score);
  return interval_around(predicted, factor_of(std::move(scores)));
}

std::optional<Interval> PredictionErrors::interval_of(double predicted) const {
  return interval_around(predicted, factor());
}

}  // namespace starling
