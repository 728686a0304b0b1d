#include "analysis/results/files/iterations_csv.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>

#include "io/texts/csv_field.hpp"

namespace starling {

IterationsCsv::IterationsCsv(const std::filesystem::path& path, bool is_measured)
    : file_(path), is_measured_(is_measured) {
  file_.write(
      "run,label,worker,iteration,is_warmup,end_s,ready_s,duration_s,delay_s,forward_s,backward_s,update_s,"
      "exposed_communication_s,imbalance_wait_s");
  file_.write(is_measured_ ? ",planned_s\n" : "\n");
}

void IterationsCsv::add_run(std::string_view label, const IterationLog& log, std::int64_t warmup_iterations) {
  const std::string run = fmt::format("{},{}", runs_++, csv_field(label));
  fmt::memory_buffer row;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    double previous_end_s = 0;
    const std::span<const IterationRecord> records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const IterationRecord& record = records[i];
      row.clear();
      fmt::format_to(std::back_inserter(row), "{},{},{},{:d},{},{},{},{},{},{},{},{},{}", run, rank, i,
                     static_cast<std::int64_t>(i) < warmup_iterations, record.end_s, record.ready_s,
                     record.end_s - previous_end_s, record.delay_s, record.forward_s, record.backward_s,
                     record.update_s, record.blocked_s - record.imbalance_wait_s, record.imbalance_wait_s);
      if (is_measured_) fmt::format_to(std::back_inserter(row), ",{}", record.planned_s);
      row.push_back('\n');
      file_.write({row.data(), row.size()});
      previous_end_s = record.end_s;
    }
  }
  file_.flush();
}

}  // namespace starling
