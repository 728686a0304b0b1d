#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "io/terminal/progress_line.hpp"

namespace starling {

/// Warns where a progress line may stand, which has to live as long.
std::function<void(const std::string&)> warning_above(ProgressLine& progress);

/// Warns of the first of many runs of whose mean something is to be said, and at the end of how many more
/// there were.
class RepeatedWarning {
 public:
  /// `others`: of what there are more, "other means …". `progress` must outlive this object.
  RepeatedWarning(ProgressLine& progress, std::string others)
      : progress_(progress), others_(std::move(others)) {}

  /// `conditions`: under which the run was made.
  void add(const std::string& warning, const std::string& conditions);
  void end() const;

 private:
  ProgressLine& progress_;
  std::string others_;
  std::int64_t added_ = 0;
};

/// Warns of what was not said before.
class WarningsOnce {
 public:
  /// `progress` must outlive this object.
  explicit WarningsOnce(ProgressLine& progress) : progress_(progress) {}

  /// `conditions`: under which the run was made; the same warning is not told again under others.
  void add(const std::string& warning, const std::string& conditions = "");

 private:
  ProgressLine& progress_;
  std::set<std::string> told_;
};

}  // namespace starling
