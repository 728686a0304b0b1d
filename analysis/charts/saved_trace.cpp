#include "analysis/charts/saved_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

using nlohmann::json;

bool begins_timeline(std::string_view line) {
  return line.starts_with(R"({"displayTimeUnit":"ms",)") && line.ends_with(R"("traceEvents":[)");
}
bool is_span(std::string_view line) { return line.starts_with(R"({"ph":"X")"); }
bool is_name(std::string_view line) { return line.starts_with(R"({"ph":"M")"); }
bool is_message(std::string_view line) { return line.find(R"("cat":"message")") != std::string_view::npos; }

std::optional<std::int64_t> iteration_of(std::string_view line) {
  return number_after<std::int64_t>(line, R"("iteration":)");
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::int64_t line, const std::string& got) {
  throw ScenarioError({file.string(), fmt::format("line {}", line), "not a line of a timeline",
                       shortened(got, 80), "what starling run --trace wrote"});
}

/// Calls `visit` with the line of every event, without the comma at its end. @throws ScenarioError for a line
/// in which `visit` finds something missing.
void for_each_event(const std::filesystem::path& file, const std::function<void(std::string_view)>& visit) {
  std::ifstream input(file);
  std::string line;
  if (!std::getline(input, line))
    throw ScenarioError(
        {file.string(), "", "the file has no timeline", "", "what starling run --trace wrote"});
  if (!begins_timeline(line)) refuse(file, 1, line);
  for (std::int64_t number = 2; std::getline(input, line); ++number) {
    if (line == "]}") return;
    if (line.ends_with(',')) line.pop_back();
    try {
      visit(line);
    } catch (const json::exception&) {
      refuse(file, number, line);
    }
  }
  throw ScenarioError(
      {file.string(), "", "the timeline is incomplete", "", "the file of a run that has ended"});
}

/// The names of processes and tracks, and the owners of processes.
class TraceNames {
 public:
  explicit TraceNames(const TraceWish& wish) : wish_(wish) {}

  void add(const json& event) {
    const std::int64_t process = event.at("pid");
    if (event.at("name") == "process_name")  // the first name counts, as spans were read by it
      processes_.try_emplace(process, wish_.process_of(event.at("args").at("name").get<std::string>()));
    if (event.at("name") == "process_labels" && event.at("args").contains("messages_until_s"))
      messages_until_s_[process] = event.at("args").at("messages_until_s");
    if (event.at("name") == "thread_name")
      tracks_[{process, event.at("tid").get<std::int64_t>()}] = event.at("args").at("name");
  }

  /// The owner of a process; null if it is of no worker.
  const TraceProcess* process(std::int64_t number) const {
    const auto found = processes_.find(number);
    return found == processes_.end() || !found->second ? nullptr : &*found->second;
  }

  std::optional<double> messages_until_s(std::int64_t process) const {
    const auto found = messages_until_s_.find(process);
    return found == messages_until_s_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::string& track(std::int64_t process, std::int64_t number) { return tracks_[{process, number}]; }

 private:
  const TraceWish& wish_;
  std::map<std::int64_t, std::optional<TraceProcess>> processes_;
  std::map<std::int64_t, double> messages_until_s_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> tracks_;
};

/// The iterations of a run or a job that a timeline has.
struct IterationsOfRun {
  std::set<std::int64_t> processes;
  std::map<std::int64_t, std::set<std::int64_t>> processes_of;  // processes that have spans of an iteration
  std::set<std::int64_t> with_messages;
  std::optional<double> messages_until_s;

  std::vector<std::int64_t> whole() const {
    std::vector<std::int64_t> numbers;
    for (const auto& [iteration, present] : processes_of)
      if (present.size() == processes.size()) numbers.push_back(iteration);
    return numbers;
  }
};

std::int64_t middle_of(const std::vector<std::int64_t>& numbers) { return numbers[(numbers.size() - 1) / 2]; }

/// The numbers that are wanted, or all if none is.
template <typename IsWanted>
std::vector<std::int64_t> preferred(const std::vector<std::int64_t>& numbers, const IsWanted& is_wanted) {
  std::vector<std::int64_t> wanted;
  std::ranges::copy_if(numbers, std::back_inserter(wanted), is_wanted);
  return wanted.empty() ? numbers : wanted;
}

/// The iteration to show; nullopt if all workers have none in common.
std::optional<SavedIteration> iteration_to_show(const IterationsOfRun& run,
                                                const CountedIterations& counted) {
  const std::vector<std::int64_t> whole = run.whole();
  if (whole.empty()) return std::nullopt;
  const std::vector<std::int64_t> candidates =
      preferred(whole, [&](std::int64_t i) { return counted.first <= i && i < counted.end; });
  std::set<std::int64_t> complete = run.with_messages;
  // If messages stop, the last iteration with messages lacks some.
  if (run.messages_until_s && !complete.empty()) complete.erase(std::prev(complete.end()));
  const std::int64_t shown =
      middle_of(preferred(candidates, [&](std::int64_t i) { return complete.contains(i); }));
  return SavedIteration{.iteration = shown, .messages_until_s = run.messages_until_s};
}

/// The iteration to show of every run and job that has a whole one; empty if spans have no iteration numbers,
/// as those of measured runs.
std::map<std::string, SavedIteration> iterations_to_show(const std::filesystem::path& file,
                                                         const TraceWish& wish) {
  TraceNames names(wish);
  std::map<std::string, IterationsOfRun> runs;
  bool has_spans = false;
  for_each_event(file, [&](std::string_view line) {
    if (is_name(line)) names.add(json::parse(line));
    if (!is_span(line)) return;
    has_spans = true;
    const auto iteration = iteration_of(line);
    const auto process = number_after<std::int64_t>(line, R"("pid":)");
    const TraceProcess* const owner = process ? names.process(*process) : nullptr;
    if (!iteration || owner == nullptr) return;
    IterationsOfRun& run = runs[owner->label];
    run.processes.insert(*process);
    run.processes_of[*iteration].insert(*process);
    if (is_message(line)) run.with_messages.insert(*iteration);
  });
  std::map<std::string, SavedIteration> shown;
  for (auto& [label, run] : runs) {
    run.messages_until_s = names.messages_until_s(*run.processes.begin());
    if (const auto iteration = iteration_to_show(run, wish.counted_of(label))) shown[label] = *iteration;
  }
  const bool is_numbered = !has_spans || !runs.empty();  // measured runs have no numbers
  if (shown.empty() && is_numbered)
    throw ScenarioError({file.string(), "", "no iteration is in the timelines of all workers", "",
                         "a trace with whole iterations (--trace-iterations selects them)"});
  return shown;
}

/// Collects the spans of the iterations to show, by process.
class TraceReading {
 public:
  TraceReading(const std::filesystem::path& file, const TraceWish& wish)
      : wish_(wish), names_(wish), iterations_(iterations_to_show(file, wish)) {}

  void read(std::string_view line) {
    if (is_name(line))
      names_.add(json::parse(line));
    else if (is_span(line) && is_shown(line))
      add_span(json::parse(line));
  }

  SavedTrace result() {
    SavedTrace trace;
    for (auto& [process, spans] : spans_) {
      SavedIteration& iteration = iterations_.at(names_.process(process)->label);
      if (spans.size() > wish_.most_spans) {
        iteration.left_out += static_cast<std::int64_t>(spans.size() - wish_.most_spans);
        keep_longest(spans, wish_.most_spans);
      }
      for (SavedSpan& span : spans) trace.spans.push_back(std::move(span));
    }
    trace.iterations = std::move(iterations_);
    return trace;
  }

 private:
  bool is_shown(std::string_view line) const {
    const auto process = number_after<std::int64_t>(line, R"("pid":)");
    const TraceProcess* const owner = process ? names_.process(*process) : nullptr;
    if (owner == nullptr) return false;
    const auto found = iterations_.find(owner->label);
    return found != iterations_.end() && iteration_of(line) == found->second.iteration;
  }

  void add_span(const json& event) {
    const std::int64_t process = event.at("pid");
    const double start_s = event.at("ts").get<double>() * 1e-6;
    const double duration_s = event.at("dur").get<double>() * 1e-6;
    if (duration_s <= 0) return;
    std::vector<SavedSpan>& spans = spans_[process];
    const TraceProcess& owner = *names_.process(process);
    SavedIteration& iteration = iterations_.at(owner.label);
    iteration.begin_s = std::min(iteration.begin_s, start_s);
    iteration.end_s = std::max(iteration.end_s, start_s + duration_s);
    spans.push_back({.process = owner,
                     .track = names_.track(process, event.at("tid")),
                     .name = event.at("name"),
                     .start_s = start_s,
                     .end_s = start_s + duration_s});
  }

  static bool is_of_message(const SavedSpan& span) {
    return span.track.starts_with("sends") || span.track.starts_with("receives");
  }

  /// Keeps `most_spans` spans, activities before messages, then the longest ones, in their order.
  static void keep_longest(std::vector<SavedSpan>& spans, std::size_t most_spans) {
    const auto rank = [&](std::size_t i) {
      return std::tuple(is_of_message(spans[i]), spans[i].start_s - spans[i].end_s, i);
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

  const TraceWish& wish_;
  TraceNames names_;
  std::map<std::string, SavedIteration> iterations_;  // by label
  std::map<std::int64_t, std::vector<SavedSpan>> spans_;
};

}  // namespace

SavedTrace read_trace(const std::filesystem::path& file, const TraceWish& wish) {
  TraceReading reading(file, wish);
  for_each_event(file, [&](std::string_view line) { reading.read(line); });
  return reading.result();
}

}  // namespace starling
