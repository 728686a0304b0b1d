#pragma once

#include <string_view>

#include "base/types.hpp"

namespace starling {

/// Receives what every strand of every worker did when; scenarios/ writes it as a timeline.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// `strand` of `rank` did `name` from start_s to end_s. Spans of one strand nest or follow each other.
  virtual void span(Rank rank, std::string_view strand, std::string_view name, double start_s,
                    double end_s) = 0;
};

}  // namespace starling
