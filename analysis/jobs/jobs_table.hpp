#pragma once

#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The result of several jobs as a text table, with a row for each job.
std::string jobs_table(const Result& result);

}  // namespace starling
