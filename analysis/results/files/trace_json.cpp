#include "analysis/results/files/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// Exactly, with three decimals.
std::string microseconds_text(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

bool needs_escape(char character) {
  return character == '"' || character == '\\' || static_cast<unsigned char>(character) < 0x20;
}

std::string quoted(std::string_view text) {
  if (std::ranges::none_of(text, needs_escape)) return fmt::format("\"{}\"", text);
  return nlohmann::json(text).dump();
}

/// PyTorch's name of a type of so many bytes; none if it has no usual one.
std::string_view type_name(double bytes_per_element, std::string_view type_of_16_bits) {
  if (bytes_per_element == 8) return "Double";
  if (bytes_per_element == 4) return "Float";
  if (bytes_per_element == 2) return type_of_16_bits;
  return bytes_per_element == 1 ? "Byte" : "";
}

/// The types of gradients that a scenario, or its jobs, state.
std::set<std::string> gradient_types(const nlohmann::ordered_json& scenario) {
  std::set<std::string> types;
  const nlohmann::ordered_json::json_pointer type("/workload/gradient_dtype");
  if (scenario.contains(type)) types.insert(scenario.at(type).get<std::string>());
  if (scenario.contains("jobs"))
    for (const nlohmann::ordered_json& job : scenario.at("jobs")) types.merge(gradient_types(job));
  return types;
}

/// The name of a collective in the profiler's argument, which may differ from that of its span.
std::string_view argument_name(std::string_view collective) {
  if (collective == "all_reduce") return "allreduce";
  return collective == "_all_gather_base" ? "_allgather_base" : collective;
}

/// Ranks as PyTorch's profiler writes them: at most the first 30, and "..." if there are more.
std::string ranks_text(std::span<const Rank> ranks) {
  constexpr std::size_t most_written = 30;
  return fmt::format("[{}{}]", fmt::join(ranks.first(std::min(ranks.size(), most_written)), ", "),
                     ranks.size() > most_written ? ", ..." : "");
}

/// The arguments that all spans may have: layers, peers, the worker waited for, and the iteration.
std::string common_arguments(const SpanDetails& details) {
  std::string text;
  if (!details.layers.empty()) text += fmt::format(R"("layers":{},)", quoted(details.layers));
  if (details.collective.name.empty() && !details.peers.empty())
    text += fmt::format(R"("peers":[{}],)", fmt::join(details.peers, ", "));
  if (details.waits_for >= 0) text += fmt::format(R"("waits_for":{},)", details.waits_for);
  return text + fmt::format(R"("iteration":{})", details.iteration);
}

/// The arguments of a collective in PyTorch's profiler, and those of our own.
std::string collective_arguments(std::string_view name, const SpanDetails& details,
                                 std::string_view type_of_16_bits) {
  const CollectiveSpan& collective = details.collective;
  std::string text =
      fmt::format(R"(,"args":{{"Collective name":"{}","In msg nelems":{},"Out msg nelems":{})",
                  argument_name(collective.name), collective.in_elements, collective.out_elements);
  text += fmt::format(R"(,"Group size":{})", collective.ranks);
  if (!details.peers.empty())
    text += fmt::format(R"(,"Process Group Ranks":"{}")", ranks_text(details.peers));
  if (const auto type = type_name(collective.bytes_per_element, type_of_16_bits); !type.empty())
    text += fmt::format(R"(,"dtype":"{}")", type);
  const auto elements = static_cast<double>(std::max(collective.in_elements, collective.out_elements));
  return text + fmt::format(R"(,"bytes":{},"operation":{},{}}})", elements * collective.bytes_per_element,
                            quoted(name), common_arguments(details));
}

/// Whether PyTorch's profiler would show such a span as an annotation, not as a kernel.
bool is_annotation(std::string_view name) { return name == "wait" || name == "delay"; }

/// The name of a further track of the same name: "sends", "sends (2)", … for numbers from 0.
std::string numbered(std::string_view name, std::size_t number) {
  return number == 0 ? std::string(name) : fmt::format("{} ({})", name, number + 1);
}

/// Returns the first lane on which everything has ended by `start_ns`, or a new one, and occupies it until
/// `end_ns`.
std::size_t take_lane(std::vector<std::int64_t>& ends_ns, std::int64_t start_ns, std::int64_t end_ns) {
  const auto free = std::ranges::find_if(ends_ns, [&](std::int64_t end) { return end <= start_ns; });
  const auto number = static_cast<std::size_t>(free - ends_ns.begin());
  if (free == ends_ns.end())
    ends_ns.push_back(end_ns);
  else
    *free = end_ns;
  return number;
}

std::int64_t share(std::int64_t most, int runs) {
  return std::max<std::int64_t>(1, most / std::max(1, runs));
}

std::string range_text(const TraceRange& range) { return fmt::format("{}-{}", range.first, range.last); }

}  // namespace

nlohmann::ordered_json chosen_json(const TraceSelection& selection) {
  nlohmann::ordered_json chosen = nlohmann::ordered_json::object();
  if (selection.iterations) chosen["iterations"] = range_text(*selection.iterations);
  if (selection.workers.last != TraceRange{}.last) chosen["workers"] = range_text(selection.workers);
  return chosen;
}

nlohmann::json other_data_of_trace(const std::filesystem::path& file) {
  constexpr std::string_view key = R"("otherData":)";
  std::ifstream input(file);
  std::string line;
  std::getline(input, line);
  const std::size_t place = line.find(key);
  if (place == std::string::npos) return nlohmann::json::object();
  const std::size_t begin = place + key.size();
  const nlohmann::json other =
      parse_json(line.substr(begin, line.find('}', begin) + 1 - begin), file.string());
  return other.is_object() ? other : nlohmann::json::object();
}

TraceJson::TraceJson(const std::filesystem::path& path, int runs, const TraceSelection& selection,
                     std::string_view scenario_hash)
    : file_(path),
      runs_(runs),
      selection_(selection),
      max_spans_per_run_(share(selection.max_spans, runs)),
      max_messages_per_run_(share(selection.max_messages, runs)) {
  file_.write(R"({"displayTimeUnit":"ms",)");
  if (!scenario_hash.empty()) {
    nlohmann::ordered_json other{{"scenario_hash", scenario_hash}};
    other.update(chosen_json(selection));
    file_.write(fmt::format(R"("otherData":{},)", other.dump()));
  }
  file_.write(R"("traceEvents":[)");
}

void TraceJson::set_gradient_type(const nlohmann::ordered_json& scenario) {
  const std::set<std::string> types = gradient_types(scenario);
  const bool is_bf16 = types.contains("bf16");
  if (is_bf16 && types.contains("fp16"))
    type_of_16_bits_ = "";
  else
    type_of_16_bits_ = is_bf16 ? "BFloat16" : "Half";
}

void TraceJson::begin_run(std::string label, std::span<const int> host_of_rank) {
  first_process_ = !paths_.empty() ? paths_process() + 1 : counters_process() + (has_counters_ ? 1 : 0);
  label_ = std::move(label);
  tracks_.assign(host_of_rank.size(), {});
  strands_.assign(host_of_rank.size(), {});
  lanes_.assign(host_of_rank.size(), {});
  spans_ = messages_ = 0;
  has_counters_ = false;
  paths_.clear();
  cut_off_s_.reset();
  messages_cut_off_s_.reset();

  const std::string prefix = runs_ > 1 ? label_ + " · " : "";
  for (std::size_t i = 0; i < host_of_rank.size(); ++i) {
    if (!selection_.workers.holds(static_cast<std::int64_t>(i))) continue;
    const int process = process_of(static_cast<Rank>(i));
    write_name("process", process, 0, fmt::format("{}worker {} (host {})", prefix, i, host_of_rank[i]),
               process);
  }
}

bool TraceJson::shows(Rank rank, std::int64_t iteration) const {
  return selection_.workers.holds(rank) &&
         (!selection_.iterations || selection_.iterations->holds(iteration));
}

void TraceJson::span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
                     const SpanDetails& details) {
  if (cut_off_s_ || !shows(rank, details.iteration)) return;
  if (spans_ == max_spans_per_run_ || end_s > latest_s) {
    cut_off_s_ = end_s;
    write_stop("spans", end_s);
    return;
  }
  ++spans_;
  const std::int64_t start_ns = nanoseconds(start_s);
  const std::int64_t end_ns = nanoseconds(end_s);
  const int track = strand_track(rank, strand, {start_ns, end_ns});
  const bool is_collective = !details.collective.name.empty();
  std::string arguments;
  if (is_collective)
    arguments = collective_arguments(name, details, type_of_16_bits_);
  else if (details.bytes > 0)
    arguments = fmt::format(R"(,"args":{{"bytes":{},{}}})", details.bytes, common_arguments(details));
  else if (details.iteration >= 0)
    arguments = fmt::format(R"(,"args":{{{}}})", common_arguments(details));
  const bool is_kernel = !is_annotation(name);
  if (is_kernel && !arguments.empty())
    arguments.replace(arguments.size() - 1, 1, fmt::format(R"(,"stream":{}}})", track));
  write_event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"cat":"{}","ts":{},"dur":{},"name":{}{}}})",
                          process_of(rank), track, is_kernel ? "kernel" : "user_annotation",
                          microseconds_text(start_ns), microseconds_text(end_ns - start_ns),
                          is_collective ? fmt::format("\"nccl:{}\"", details.collective.name) : quoted(name),
                          arguments));
}

bool TraceJson::StrandTrack::takes(const PlacedSpan& span) const {
  for (auto other = spans.rbegin(); other != spans.rend() && other->end_ns > span.start_ns; ++other) {
    const bool begins_inside = other->start_ns < span.start_ns && other->end_ns < span.end_ns;
    const bool ends_inside =
        span.start_ns < other->start_ns && other->start_ns < span.end_ns && span.end_ns < other->end_ns;
    if (begins_inside || ends_inside) return false;
  }
  return true;
}

/// Usually appends at the end, as strands report spans when they end.
void TraceJson::StrandTrack::add(const PlacedSpan& span) {
  spans.insert(std::ranges::upper_bound(spans, span.end_ns, {}, &PlacedSpan::end_ns), span);
}

/// The first track of the strand that takes the span.
int TraceJson::strand_track(Rank rank, std::string_view strand, const PlacedSpan& span) {
  StrandTracks& strands = strands_[static_cast<std::size_t>(rank)];
  auto found = strands.find(strand);
  if (found == strands.end()) found = strands.emplace(strand, std::vector<StrandTrack>{}).first;
  std::vector<StrandTrack>& tracks = found->second;
  auto track = std::ranges::find_if(tracks, [&](const StrandTrack& each) { return each.takes(span); });
  if (track == tracks.end()) {
    const int number = track_of(rank, numbered(strand, tracks.size()));
    track = tracks.insert(tracks.end(), {.number = number});
  }
  track->add(span);
  return track->number;
}

/// The track of a message. Messages come in the order in which they end.
int TraceJson::lane(Rank rank, Lanes& lanes, const char* name, std::int64_t start_ns, std::int64_t end_ns) {
  constexpr int below_strands = 1000;
  return track_of(rank, numbered(name, take_lane(lanes, start_ns, end_ns)), below_strands);
}

/// The control messages of rendezvous, which have no bytes, are left out.
void TraceJson::message(const MessageSpan& message) {
  if (cut_off_s_ || messages_cut_off_s_ || message.bytes == 0) return;
  if (!shows(message.source, message.iteration) || !shows(message.destination, message.iteration)) return;
  if (messages_ == max_messages_per_run_ || message.arrived_s > latest_s) {
    messages_cut_off_s_ = message.arrived_s;
    write_stop("messages", message.arrived_s);
    return;
  }
  ++messages_;
  ++arrows_;
  const std::int64_t start_ns = nanoseconds(message.sent_s);
  const std::int64_t end_ns = nanoseconds(message.arrived_s);
  const auto write = [&](Rank rank, int track, std::string_view name, std::string_view arrow,
                         std::int64_t arrow_ns) {
    const std::string place = fmt::format(R"("pid":{},"tid":{},"cat":"message")", process_of(rank), track);
    write_event(fmt::format(R"({{"ph":"X",{},"ts":{},"dur":{},"name":"{}",)"
                            R"("args":{{"bytes":{},"source":{},"destination":{},"iteration":{}{}}}}})",
                            place, microseconds_text(start_ns), microseconds_text(end_ns - start_ns), name,
                            message.bytes, message.source, message.destination, message.iteration,
                            message.is_by_rendezvous ? R"(,"rendezvous":true)" : ""));
    write_event(fmt::format(R"({{{},{},"id":{},"ts":{},"name":"message"}})", arrow, place, arrows_,
                            microseconds_text(arrow_ns)));
  };
  MessageLanes& sender = lanes_[static_cast<std::size_t>(message.source)];
  MessageLanes& receiver = lanes_[static_cast<std::size_t>(message.destination)];
  write(message.source, lane(message.source, sender.sends, "sends", start_ns, end_ns),
        fmt::format("to {}", message.destination), R"("ph":"s")", start_ns);
  // An arrow must end inside its span, so it ends a nanosecond before the span does.
  write(message.destination, lane(message.destination, receiver.receives, "receives", start_ns, end_ns),
        fmt::format("from {}", message.source), R"("ph":"f","bp":"e")", std::max(start_ns, end_ns - 1));
}

/// Shows paths of all workers, chosen or not, as all of them had to wait for each other.
void TraceJson::path(Rank worker, std::int64_t iteration, std::span<const PathSpan> spans) {
  if (!shows_path(iteration) || spans.empty()) return;
  const double end_s = spans.back().end_s;
  if (spans_ + std::ssize(spans) >= max_spans_per_run_ || end_s > latest_s) {
    cut_off_s_ = end_s;
    write_stop("spans", end_s);
    return;
  }
  const int process = paths_process();
  if (paths_.empty()) name_process_of_run(process, "critical path");
  const std::int64_t begin_ns = nanoseconds(spans.front().start_s);
  const int track = path_track(begin_ns, nanoseconds(end_s));
  const auto write = [&](std::string_view name, std::int64_t start_ns, std::int64_t stop_ns) {
    ++spans_;
    write_event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"cat":"user_annotation","ts":{},"dur":{},)"
                            R"("name":{},"args":{{"worker":{},"iteration":{}}}}})",
                            process, track, microseconds_text(start_ns),
                            microseconds_text(stop_ns - start_ns), quoted(name), worker, iteration));
  };
  write(fmt::format("iteration {} of worker {}", iteration, worker), begin_ns, nanoseconds(end_s));
  for (const PathSpan& span : spans) write(span.name, nanoseconds(span.start_s), nanoseconds(span.end_s));
}

int TraceJson::path_track(std::int64_t start_ns, std::int64_t end_ns) {
  const std::size_t known = paths_.size();
  const std::size_t number = take_lane(paths_, start_ns, end_ns);
  const int track = static_cast<int>(number) + 1;
  if (number == known) write_name("thread", paths_process(), track, numbered("critical path", number), track);
  return track;
}

void TraceJson::counters(const LinkUses& links) {
  if (!links.period_s || links.used.empty()) return;
  has_counters_ = true;
  const int process = counters_process();
  name_process_of_run(process, "links, busy %");
  for (const LinkUse* link : ten_busiest(links, &LinkUse::busy_fraction)) {
    for (std::size_t i = 0; i < link->over_time.size(); ++i) {
      const double start_s = static_cast<double>(i) * *links.period_s;
      if (start_s > latest_s) break;
      const std::int64_t start_ns = nanoseconds(start_s);
      write_event(fmt::format(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":{},"args":{{"busy %":{:.2f}}}}})",
                              process, microseconds_text(start_ns), quoted(std::string_view(link->name)),
                              100 * link->over_time[i]));
    }
  }
}

void TraceJson::close() {
  file_.write("\n]}\n");
  file_.close();
}

/// The number of the rank's track of that name. Tracks are sorted by their first use, after adding `below`.
int TraceJson::track_of(Rank rank, std::string_view name, int below) {
  Tracks& tracks = tracks_[static_cast<std::size_t>(rank)];
  const auto known = tracks.find(name);
  if (known != tracks.end()) return known->second;

  const int track = static_cast<int>(tracks.size()) + 1;
  tracks.emplace(name, track);
  write_name("thread", process_of(rank), track, name, below + track);
  return track;
}

void TraceJson::name_process_of_run(int process, std::string_view name) {
  write_name("process", process, 0, fmt::format("{}{}", runs_ > 1 ? label_ + " · " : "", name), process);
}

void TraceJson::write_name(const char* what, int process, int track, std::string_view name, int position) {
  write_event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_name","args":{{"name":{}}}}})", process,
                          track, what, quoted(name)));
  write_event(
      fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_sort_index","args":{{"sort_index":{}}}}})",
                  process, track, what, position));
}

/// Labels every process of the run that is shown, for people and for programs.
void TraceJson::write_stop(const char* what, double stop_s) {
  const std::string arguments =
      fmt::format(R"({{"labels":"{0} stop at {1}","{0}_until_s":{2}}})", what, time_text(stop_s), stop_s);
  for (std::size_t rank = 0; rank < tracks_.size(); ++rank)
    if (selection_.workers.holds(static_cast<std::int64_t>(rank)))
      write_event(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_labels","args":{}}})",
                              process_of(static_cast<Rank>(rank)), arguments));
}

void TraceJson::write_event(std::string_view event) {
  file_.write(is_first_event_ ? "\n" : ",\n");
  is_first_event_ = false;
  file_.write(event);
}

}  // namespace starling
