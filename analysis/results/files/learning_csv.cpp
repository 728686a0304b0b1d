#include "analysis/results/files/learning_csv.hpp"

#include <fmt/format.h>

#include <string>

#include "io/texts/csv_field.hpp"

namespace starling {

LearningCsv::LearningCsv(const std::filesystem::path& path) : file_(path) {
  file_.write("run,label,iteration,time_s,loss,consensus_distance\n");
}

void LearningCsv::add_run(std::string_view label, const LearningResult& learning) {
  const std::string run = fmt::format("{},{}", runs_++, csv_field(label));
  for (const auto& [time_s, record] : learning.rows)
    file_.write(fmt::format("{},{},{},{},{}\n", run, record.iterations, time_s, csv_field(record.loss),
                            csv_field(record.consensus_distance)));
  file_.flush();
}

}  // namespace starling
