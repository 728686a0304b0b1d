#include "analysis/collectives/allreduce_times_text.hpp"

#include <fmt/format.h>

#include "io/texts/text_table.hpp"

namespace starling {
namespace {

/// The bus bandwidth of nccl-tests, 2(P−1)/P · bytes / time: for a bandwidth-optimal all-reduce over equal
/// links, the bandwidth of a link.
double bus_bandwidth_Bps(int workers, double bytes, double time_s) {
  return 2.0 * (workers - 1) / workers * bytes / time_s;
}

TableRow head_of(const AllreduceTimes& times) {
  TableRow head{"bytes"};
  for (const std::string& name : times.collectives) head.insert(head.end(), {name, "GB/s"});
  head.emplace_back("auto");
  return head;
}

TableRow row_of(const AllreduceTimes& times, const AllreducesOfSize& size) {
  const auto bytes = static_cast<double>(size.bytes);
  TableRow row{count_text(bytes)};
  for (std::size_t i = 0; i < size.times_s.size(); ++i) {
    row.push_back((i == size.fastest() ? "* " : "") + time_text(size.times_s[i]));
    row.push_back(fmt::format("{:.4g}", bus_bandwidth_Bps(times.workers, bytes, size.times_s[i]) / 1e9));
  }
  row.push_back(size.chosen_by_auto);
  return row;
}

}  // namespace

std::string allreduce_table(const Scenario& scenario, const AllreduceTimes& times) {
  std::vector<TableRow> rows{head_of(times)};
  for (const AllreducesOfSize& size : times.sizes) rows.push_back(row_of(times, size));
  std::string text = fmt::format(
      "{}: all-reduces of {}, {} engine, transport {} ({})\n\n{}"
      "times: from the common start until the last worker has the sum\n"
      "GB/s: bus bandwidth, 2(P-1)/P · bytes / time; *: shortest time; auto: the collective that it "
      "chooses\n",
      scenario.name, counted(times.workers, "worker"), engine_name(scenario.engine), scenario.transport,
      scenario.transport_reason, aligned(rows));
  if (times.leaves_out_hierarchical)
    text += fmt::format("without hierarchical, which requires {}\n", hosts_for_hierarchical);
  return text;
}

std::vector<nlohmann::ordered_json> allreduce_json(const AllreduceTimes& times) {
  std::vector<nlohmann::ordered_json> lines;
  for (const AllreducesOfSize& size : times.sizes)
    for (std::size_t i = 0; i < size.times_s.size(); ++i) {
      const auto bytes = static_cast<double>(size.bytes);
      lines.push_back({{"bytes", size.bytes},
                       {"collective", times.collectives[i]},
                       {"workers", times.workers},
                       {"time_s", size.times_s[i]},
                       {"algorithm_bandwidth_Bps", bytes / size.times_s[i]},
                       {"bus_bandwidth_Bps", bus_bandwidth_Bps(times.workers, bytes, size.times_s[i])},
                       {"is_fastest", i == size.fastest()},
                       {"chosen_by_auto", size.chosen_by_auto}});
    }
  return lines;
}

}  // namespace starling
