#include "analysis/report/saved_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

bool is_span(std::string_view line) { return line.starts_with(R"({"ph":"X")"); }
bool is_name(std::string_view line) { return line.starts_with(R"({"ph":"M")"); }

/// The number after a key of a line; none if it has no such key.
std::optional<std::int64_t> number_after(std::string_view line, std::string_view key) {
  const std::size_t place = line.rfind(key);
  if (place == std::string_view::npos) return std::nullopt;
  const char* const begin = line.data() + place + key.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> iteration_of(std::string_view line) {
  return number_after(line, R"("iteration":)");
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::int64_t line, const std::string& got) {
  throw ScenarioError({file.string(), fmt::format("line {}", line), "not a line of a timeline",
                       got.substr(0, 80), "what starling run --trace wrote"});
}

/// Calls `visit` with every event's line, without the comma at its end, and its number.
void for_each_event(const std::filesystem::path& file,
                    const std::function<void(std::string_view, std::int64_t)>& visit) {
  std::ifstream input(file);
  std::string line;
  if (!std::getline(input, line))
    throw ScenarioError(
        {file.string(), "", "there is no timeline in it", "", "what starling run --trace wrote"});
  if (!line.starts_with(R"({"displayTimeUnit":"ms","traceEvents":[)")) refuse(file, 1, line);
  for (std::int64_t number = 2; std::getline(input, line); ++number) {
    if (line == "]}") return;
    if (line.ends_with(',')) line.pop_back();
    visit(line, number);
  }
  throw ScenarioError({file.string(), "", "the timeline is cut off", "", "the file of a run that has ended"});
}

/// The iterations that every process with spans has, ascending.
std::vector<std::int64_t> whole_iterations(const std::filesystem::path& file) {
  std::map<std::int64_t, std::set<std::int64_t>> processes;  // of each iteration
  std::set<std::int64_t> all;
  for_each_event(file, [&](std::string_view line, std::int64_t) {
    if (!is_span(line)) return;
    const auto iteration = iteration_of(line);
    const auto process = number_after(line, R"("pid":)");
    if (!iteration || !process) return;
    all.insert(*process);
    processes[*iteration].insert(*process);
  });
  std::vector<std::int64_t> whole;
  for (const auto& [iteration, present] : processes)
    if (present.size() == all.size()) whole.push_back(iteration);
  return whole;
}

/// The one in the middle of these that are counted, if any are.
std::int64_t iteration_to_show(const std::filesystem::path& file, std::int64_t warmup_iterations) {
  std::vector<std::int64_t> whole = whole_iterations(file);
  if (whole.empty())
    throw ScenarioError({file.string(), "", "no iteration is in the timelines of all runs and workers", "",
                         "a trace with whole iterations: --trace-iterations chooses some"});
  const auto counted = std::ranges::find_if(whole, [&](std::int64_t i) { return i >= warmup_iterations; });
  if (counted != whole.end()) whole.erase(whole.begin(), counted);
  return whole[(whole.size() - 1) / 2];
}

struct ProcessTrack {
  std::int64_t process = 0;
  std::int64_t track = 0;
  auto operator<=>(const ProcessTrack&) const = default;
};

/// Collects one iteration's spans by process, and what processes and tracks are called.
class TraceReading {
 public:
  TraceReading(const std::filesystem::path& file, std::int64_t iteration)
      : file_(file), iteration_(iteration) {}

  void read(std::string_view line, std::int64_t number) {
    if (!is_name(line) && (!is_span(line) || iteration_of(line) != iteration_)) return;
    const json event = json::parse(line, nullptr, false);
    if (event.is_discarded()) refuse(file_, number, std::string(line));
    try {
      if (is_name(line))
        add_name(event);
      else
        add_span(event);
    } catch (const json::exception&) {
      refuse(file_, number, std::string(line));
    }
  }

  SavedTrace result(std::size_t most_spans) {
    SavedTrace trace{.iteration = iteration_, .spans = {}};
    for (auto& [process, spans] : spans_) {
      if (spans.size() > most_spans) {
        trace.left_out += static_cast<std::int64_t>(spans.size() - most_spans);
        keep_longest(spans, most_spans);
      }
      for (SavedSpan& span : spans) trace.spans.push_back(std::move(span));
    }
    return trace;
  }

 private:
  void add_name(const json& event) {
    const ProcessTrack place{event.at("pid"), event.at("tid")};
    if (event.at("name") == "process_name") processes_[place.process] = event.at("args").at("name");
    if (event.at("name") == "thread_name") tracks_[place] = event.at("args").at("name");
  }

  void add_span(const json& event) {
    const ProcessTrack place{event.at("pid"), event.at("tid")};
    const double start_s = event.at("ts").get<double>() * 1e-6;
    const double duration_s = event.at("dur").get<double>() * 1e-6;
    if (duration_s <= 0) return;
    spans_[place.process].push_back({.process = processes_[place.process],
                                     .track = tracks_[place],
                                     .name = event.at("name"),
                                     .start_s = start_s,
                                     .end_s = start_s + duration_s});
  }

  static bool is_message(const SavedSpan& span) {
    return span.track.starts_with("sends") || span.track.starts_with("receives");
  }

  /// What workers do before their messages, the longest first; what is kept stays in its order.
  static void keep_longest(std::vector<SavedSpan>& spans, std::size_t most_spans) {
    const auto rank = [&](std::size_t i) {
      return std::tuple(is_message(spans[i]), spans[i].start_s - spans[i].end_s, i);
    };
    std::vector<std::size_t> order(spans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(most_spans), {}, rank);
    order.resize(most_spans);
    std::ranges::sort(order);
    std::vector<SavedSpan> kept;
    for (const std::size_t i : order) kept.push_back(std::move(spans[i]));
    spans = std::move(kept);
  }

  const std::filesystem::path& file_;
  std::int64_t iteration_;
  std::map<std::int64_t, std::string> processes_;
  std::map<ProcessTrack, std::string> tracks_;
  std::map<std::int64_t, std::vector<SavedSpan>> spans_;
};

}  // namespace

SavedTrace read_trace(const std::filesystem::path& file, std::int64_t warmup_iterations,
                      std::size_t most_spans) {
  TraceReading reading(file, iteration_to_show(file, warmup_iterations));
  for_each_event(file, [&](std::string_view line, std::int64_t number) { reading.read(line, number); });
  return reading.result(most_spans);
}

}  // namespace starling
