#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/design/design_search.hpp"

namespace starling {

/// On how many of the networks an algorithm is the fastest one.
struct AlgorithmWins {
  std::string algorithm;
  std::vector<std::size_t> networks;
};

/// What a study asked for.
struct DesignAnswer {
  /// The candidates that are each better than the one before by the study's least gain, and the best of their
  /// price; by price.
  std::vector<std::int64_t> front;
  /// The one of the front that is best; absent if none was tried.
  std::optional<std::int64_t> best = {};
  /// The one that costs least of those whose mean reaches the target, and of those whose whole 95 % interval
  /// does; of equal price the better one.
  std::optional<std::int64_t> cheapest = {};
  std::optional<std::int64_t> cheapest_for_sure = {};
  std::vector<AlgorithmWins> wins;  // in the order of the study
  /// Networks that something was tried on, and something else, which may be faster there, was not.
  std::vector<std::size_t> undecided;
};

DesignAnswer design_answer(const DesignStudy& study, const DesignSpace& space,
                           std::span<const CandidateFinding> findings);

/// A study and all that was found for it, which has to outlive this.
struct DesignFound {
  const DesignStudy& study;
  const DesignSpace& space;
  std::span<const CandidateFinding> findings;
  const DesignAnswer& answer;

  const CandidateFinding& of(std::int64_t candidate) const {
    return findings[static_cast<std::size_t>(candidate)];
  }
  bool is_tried(std::int64_t candidate) const { return of(candidate).state == CandidateState::tried; }
};

}  // namespace starling
