#pragma once

#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The result of several jobs for people: a line for each job.
std::string jobs_table(const Result& result);

}  // namespace starling
