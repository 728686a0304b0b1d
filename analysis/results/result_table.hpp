#pragma once

#include <cstddef>
#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The result as a short table for people: one line per run, below a line that says what was simulated.
std::string result_table(const Result& result);

/// Up to two lines, each after a line end: whose costs of a message held, and where ranks were, if not on
/// blocks.
std::string conditions_text(const Result& result);

/// Lines about means, of algorithms or of jobs, that are of other than whole periods, have no error as too
/// few iterations are counted, or are of no settled state; empty where there are none.
std::string notes_of_means(const Result& result);

/// A line that says what errors are, of means over so many seeds.
std::string note_of_errors(std::size_t seeds);

}  // namespace starling
