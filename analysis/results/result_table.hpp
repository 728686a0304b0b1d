#pragma once

#include <cstddef>
#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The result as a short table for people: a line that says what was simulated, and below it one per run.
std::string result_table(const Result& result);

/// Up to two lines, each after a line end: the transport, and the placement unless it is block.
std::string conditions_text(const Result& result);

/// Lines about means, of algorithms or of jobs, of other than whole periods, without an error as too few
/// iterations are counted, or of iterations that still drift; empty where there are none.
std::string notes_of_means(const Result& result);

/// A line that explains the errors (±) of means over so many seeds.
std::string note_of_errors(std::size_t seeds);

}  // namespace starling
