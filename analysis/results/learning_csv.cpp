#include "analysis/results/learning_csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "io/csv_field.hpp"

namespace starling {
namespace {

std::string number_field(double value) { return std::isfinite(value) ? fmt::to_string(value) : ""; }

}  // namespace

LearningCsv::LearningCsv(const std::filesystem::path& path) : file_(path) {
  file_.write("run,label,iteration,time_s,loss,consensus_distance\n");
}

void LearningCsv::add_run(std::string_view label, const LearningResult& learning) {
  const std::string run = fmt::format("{},{}", runs_++, csv_field(label));
  for (const auto& [time_s, record] : learning.rows)
    file_.write(fmt::format("{},{},{},{},{}\n", run, record.iterations, time_s, number_field(record.loss),
                            number_field(record.consensus_distance)));
  file_.flush();
}

}  // namespace starling
