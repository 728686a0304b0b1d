#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "io/terminal/progress_line.hpp"

namespace starling {

/// A function that removes the progress line and prints a warning. `progress` must outlive it.
std::function<void(const std::string&)> warning_above(ProgressLine& progress);

/// Prints a warning about the first of many runs that it concerns, and at the end the number of the others.
class RepeatedWarning {
 public:
  /// `others` names the others at the end: "other means …". `progress` must outlive this object.
  RepeatedWarning(ProgressLine& progress, std::string others)
      : progress_(progress), others_(std::move(others)) {}

  /// `conditions` identify the run: "/cluster/workers=8".
  void add(const std::string& warning, const std::string& conditions);
  void end() const;

 private:
  ProgressLine& progress_;
  std::string others_;
  std::int64_t added_ = 0;
};

/// Prints each distinct warning once.
class WarningsOnce {
 public:
  /// `progress` must outlive this object.
  explicit WarningsOnce(ProgressLine& progress) : progress_(progress) {}

  /// `conditions` identify the run; the same warning is not printed again for another run.
  void add(const std::string& warning, const std::string& conditions = "");

 private:
  ProgressLine& progress_;
  std::set<std::string> printed_;
};

}  // namespace starling
