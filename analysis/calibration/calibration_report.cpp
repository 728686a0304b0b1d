#include "analysis/calibration/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {

using Json = nlohmann::ordered_json;

namespace {

/// The costs of every message in the written cluster, between hosts and inside.
struct WrittenCosts {
  double overhead_s = 0;
  double wake_up_s = 0;
};

/// The pair whose overhead and wake-up all messages of the cluster get.
const PairCalibration& main_pair(const Calibration& calibration) {
  return calibration.across_hosts ? *calibration.across_hosts : *calibration.within_host;
}

const std::vector<LineFit>& lines_of(const PairCalibration& pair) {
  return pair.one_way_beside_others.empty() ? pair.one_way : pair.one_way_beside_others;
}

bool has_bandwidth(const LineFit& line) { return line.s_per_unit.value > 0; }

/// The last line with a positive time per byte; the last line if there is none.
const LineFit& main_line(const PairCalibration& pair) {
  const std::vector<LineFit>& lines = lines_of(pair);
  const auto found = std::find_if(lines.rbegin(), lines.rend(), has_bandwidth);
  return found == lines.rend() ? lines.back() : *found;
}

/// The start of a line: the sum of overheads, the wake-up and so many latencies.
struct Start {
  SampleEstimate time_s;
  int latencies = 1;
};

/// Messages that wait for their receiver cross the network three times: request, answer and data.
Start start_of(const LineFit& line, const PairCalibration& pair) {
  const bool is_by_rendezvous = pair.eager_threshold_bytes && line.least > *pair.eager_threshold_bytes;
  return {.time_s = line.start_s, .latencies = is_by_rendezvous ? 3 : 1};
}

/// The start of the line of the largest messages; where that is not significantly above 0, of the first line.
Start start_of(const PairCalibration& pair) {
  const LineFit& of_largest = main_line(pair);
  const SampleEstimate& start_s = of_largest.start_s;
  return start_of(start_s.value > half_width_95(start_s) ? of_largest : lines_of(pair).front(), pair);
}

double start_s(const PairCalibration& pair) { return start_of(pair).time_s.value; }

WrittenCosts written_costs(const PairCalibration& pair) {
  const double wake_up_s = pair.wake_up_s ? pair.wake_up_s->value : 0;
  const double rest_s = std::max(0.0, start_s(pair) - wake_up_s);
  // A message in a row may cost more than a single one, whose start then is all overhead.
  return {.overhead_s = std::clamp(pair.overhead_s.value, 0.0, rest_s / 2), .wake_up_s = wake_up_s};
}

/// The rest of a message's start without these costs; negative if they are more.
double left_s(const PairCalibration& pair, const WrittenCosts& costs) {
  return start_s(pair) - costs.wake_up_s - 2 * costs.overhead_s;
}

double alpha_s(const PairCalibration& pair, const WrittenCosts& costs) {
  return std::max(0.0, left_s(pair, costs)) / start_of(pair).latencies;
}

Json estimate_json(const SampleEstimate& estimate) {
  return {{"value", estimate.value}, {"half_width", half_width_95(estimate)}};
}

Json line_json(const LineFit& line) {
  return {{"from_bytes", line.least},
          {"to_bytes", line.greatest},
          {"start_s", estimate_json(line.start_s)},
          {"s_per_byte", estimate_json(line.s_per_unit)},
          {"relative_deviation", line.relative_deviation}};
}

Json lines_json(const std::vector<LineFit>& lines) {
  Json array = Json::array();
  for (const LineFit& line : lines) array.push_back(line_json(line));
  return array;
}

Json pair_json(const std::optional<PairCalibration>& pair) {
  if (!pair) return nullptr;
  return {{"partner", pair->partner},
          {"one_way", lines_json(pair->one_way)},
          {"one_way_beside_others", lines_json(pair->one_way_beside_others)},
          {"wake_up_s", pair->wake_up_s ? estimate_json(*pair->wake_up_s) : Json(nullptr)},
          {"overhead_s", estimate_json(pair->overhead_s)},
          {"eager_threshold_bytes", or_null(pair->eager_threshold_bytes)},
          {"send_buffer_bytes",
           pair->send_buffer_bytes ? estimate_json(*pair->send_buffer_bytes) : Json(nullptr)},
          {"one_sided_Bps", pair->one_sided_Bps},
          {"two_sided_Bps", pair->two_sided_Bps}};
}

/// A number in the form of scenarios, with the relative error of the estimate that it is a multiple, or the
/// reciprocal, of: draws with that error have the estimate's 95 % interval. Plain if it is 0, or known
/// exactly.
Json uncertain(double value, const SampleEstimate& of) {
  constexpr double greatest = 0.99;  // a scenario takes less than 1
  constexpr double reach_of_normal_95 = 1.959964;
  const double error = std::min(greatest, half_width_95(of) / reach_of_normal_95 / std::abs(of.value));
  if (!(value > 0) || !(error > 0)) return value;
  return {{"value", value}, {"relative_error", error}};
}

/// One of so many equal parts of a latency, with the error of the start that it was found from.
Json latency_json(const PairCalibration& pair, double latency_s, int parts = 1) {
  const Start start = start_of(pair);
  SampleEstimate whole_s = start.time_s;
  whole_s.value = latency_s * start.latencies;
  return uncertain(latency_s / parts, whole_s);
}

/// A link; without a bandwidth where none was found.
Json link_json(const PairCalibration& pair, const Json& latency) {
  Json link = Json::object();
  const SampleEstimate& s_per_byte = main_line(pair).s_per_unit;
  if (s_per_byte.value > 0) link["bandwidth"] = uncertain(1 / s_per_byte.value, s_per_byte);
  link["latency"] = latency;
  return link;
}

Json star_json(const PairCalibration& pair, const WrittenCosts& costs) {
  return {{"kind", "star"}, {"link", link_json(pair, latency_json(pair, alpha_s(pair, costs), 2))}};
}

/// The share of a known network's bandwidth that messages get; absent where no bandwidth was found.
std::optional<double> goodput(const PairCalibration& pair, const NominalRoute& route) {
  const SampleEstimate& s_per_byte = main_line(pair).s_per_unit;
  if (s_per_byte.value <= 0) return std::nullopt;
  return 1 / s_per_byte.value / route.bandwidth_Bps;
}

/// The latency that hosts add to that of the network; negative if messages start sooner.
double host_latency_s(const PairCalibration& pair, const WrittenCosts& costs, const NominalRoute& route) {
  return alpha_s(pair, costs) - route.alpha_s;
}

/// Adds the costs of hosts on a known network.
void add_host_costs(Json& cluster, const PairCalibration& pair, const WrittenCosts& costs,
                    const NominalRoute& route) {
  if (const auto share = goodput(pair, route)) cluster["goodput"] = std::min(1.0, *share);
  cluster["host_latency"] = latency_json(pair, std::max(0.0, host_latency_s(pair, costs, route)));
}

Json cluster_json(const Calibration& calibration, const std::optional<NominalRoute>& route) {
  Json cluster = Json::object();
  const PairCalibration& pair = main_pair(calibration);
  const WrittenCosts costs = written_costs(pair);
  if (route)
    add_host_costs(cluster, pair, costs, *route);
  else
    cluster["network"] = star_json(pair, costs);
  if (const auto& within = calibration.within_host)
    cluster["intra_host_link"] = link_json(*within, latency_json(*within, alpha_s(*within, costs)));
  // All numbers of a transport are given below; its name only decides whether data and requests share a
  // stream.
  cluster["transport"] = pair.send_buffer_bytes ? "mpi_tcp" : "ideal";
  cluster["message_overhead"] = uncertain(costs.overhead_s, pair.overhead_s);
  if (costs.wake_up_s > 0) cluster["wake_up"] = uncertain(costs.wake_up_s, *pair.wake_up_s);
  const SampleEstimate& reduction_s_per_byte = calibration.reduction_s_per_byte;
  if (reduction_s_per_byte.value > 0)
    cluster["reduction_rate"] = uncertain(1 / reduction_s_per_byte.value, reduction_s_per_byte);
  cluster["eager_threshold"] = pair.eager_threshold_bytes ? Json(*pair.eager_threshold_bytes) : "unlimited";
  if (pair.send_buffer_bytes)
    cluster["send_buffer"] = uncertain(pair.send_buffer_bytes->value, *pair.send_buffer_bytes);
  return cluster;
}

std::string interval_text(const SampleEstimate& estimate) {
  return fmt::format("{} ± {}", time_text(estimate.value), time_text(half_width_95(estimate)));
}

/// The reciprocal of a time per byte, with its error to first order.
std::string rate_text(const SampleEstimate& s_per_byte) {
  if (s_per_byte.value <= 0) return "too fast to measure";
  const double rate = 1 / s_per_byte.value;
  return fmt::format("{}/s ± {:.1f} %", bytes_text(rate), 100 * half_width_95(s_per_byte) / s_per_byte.value);
}

void add_pair(std::vector<TableRow>& rows, const std::string& where,
              const std::optional<PairCalibration>& pair) {
  if (!pair) return;
  const auto add = [&](const std::string& what, const std::vector<LineFit>& lines) {
    for (const LineFit& line : lines)
      rows.push_back({fmt::format("{}, {} to {}", what, bytes_text(line.least), bytes_text(line.greatest)),
                      interval_text(line.start_s), rate_text(line.s_per_unit),
                      fmt::format("{:.1f} %", 100 * line.relative_deviation)});
  };
  add(where, pair->one_way);
  add(where + ", all pairs at once", pair->one_way_beside_others);
}

/// When sends end; empty if that is not known.
std::string sends_text(const PairCalibration& pair) {
  if (const auto& buffer_bytes = pair.send_buffer_bytes)
    return fmt::format(" sends complete {} ± {} before their last byte has left;",
                       bytes_text(buffer_bytes->value), bytes_text(half_width_95(*buffer_bytes)));
  return pair.times_sends() ? " sends complete at once;" : "";
}

std::string pair_text(const std::string& where, const std::optional<PairCalibration>& pair) {
  if (!pair) return "";
  const std::string wake_up =
      pair->wake_up_s ? fmt::format(", noticed {} after arrival", interval_text(*pair->wake_up_s)) : "";
  const std::string eager = pair->eager_threshold_bytes
                                ? fmt::format("eager up to {}", bytes_text(*pair->eager_threshold_bytes))
                                : "no message waits for its receiver";
  return fmt::format(
      "{}: overhead {} per message{}; {};{} consecutive messages of 1 MiB: {}/s in one direction, {}/s in "
      "each of both directions\n",
      where, interval_text(pair->overhead_s), wake_up, eager, sends_text(*pair),
      bytes_text(pair->one_sided_Bps), bytes_text(pair->two_sided_Bps));
}

/// A note on lines that are left out of the cluster.
std::string useless_lines_text(const std::string& where, const std::optional<PairCalibration>& pair) {
  if (!pair || has_bandwidth(lines_of(*pair).back())) return "";
  const LineFit& last = lines_of(*pair).back();
  return fmt::format("{}: the time of messages of {} to {} does not grow with their size, so {}\n", where,
                     bytes_text(last.least), bytes_text(last.greatest),
                     has_bandwidth(main_line(*pair)) ? "the bandwidth is that of smaller messages"
                                                     : "no bandwidth is written; measure again");
}

/// A note where the overheads of a cluster, which are the same everywhere, exceed the start within a host.
std::string excess_text(const Calibration& calibration) {
  if (!calibration.across_hosts || !calibration.within_host) return "";
  const double excess_s = -left_s(*calibration.within_host, written_costs(*calibration.across_hosts));
  if (excess_s <= 0) return "";
  return fmt::format(
      "within a host: messages start within {}, but the overheads measured across hosts alone take longer: "
      "intra_host_link.latency is 0, and predictions are {} too long\n",
      time_text(start_s(*calibration.within_host)), time_text(excess_s));
}

/// Notes where messages are faster than the known network allows.
std::string route_text(const Calibration& calibration, const NominalRoute& route) {
  const PairCalibration& pair = main_pair(calibration);
  std::string text;
  if (const auto share = goodput(pair, route); share && *share > 1)
    text += fmt::format(
        "across hosts: {}/s are {:.1f} % more than the {}/s of --network, so goodput is 1, and predictions "
        "are too long; check that --network is this network\n",
        bytes_text(1 / main_line(pair).s_per_unit.value), 100 * (*share - 1),
        bytes_text(route.bandwidth_Bps));
  if (const double latency_s = host_latency_s(pair, written_costs(pair), route); latency_s < 0)
    text += fmt::format(
        "across hosts: messages start {} sooner than the latency of --network allows, {}, so host_latency is "
        "0, and predictions are too long by as much\n",
        time_text(-latency_s), time_text(route.alpha_s));
  return text;
}

/// The names of estimates whose error is larger than their value.
std::vector<std::string> unsure_of(const Calibration& calibration) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const SampleEstimate& estimate) {
    if (estimate.has_error() && half_width_95(estimate) > std::abs(estimate.value)) names.push_back(name);
  };
  const auto add_pair = [&](const std::string& where, const std::optional<PairCalibration>& pair) {
    if (!pair) return;
    add("the latency " + where, start_of(*pair).time_s);
    add("the bandwidth " + where, main_line(*pair).s_per_unit);
    add("the overhead " + where, pair->overhead_s);
    if (pair->wake_up_s) add("the wake-up " + where, *pair->wake_up_s);
    if (pair->send_buffer_bytes) add("the send buffer " + where, *pair->send_buffer_bytes);
  };
  add_pair("across hosts", calibration.across_hosts);
  add_pair("within a host", calibration.within_host);
  add("reductions", calibration.reduction_s_per_byte);
  return names;
}

/// Notes on values not to be trusted, and on a busy machine.
std::string warnings_text(const Calibration& calibration) {
  constexpr double late_s = 100e-6;  // more than most of what is measured here
  std::string text;
  if (const auto names = unsure_of(calibration); !names.empty())
    text += fmt::format("uncertain, as the error is larger than the value: {}; measure again\n",
                        fmt::join(names, ", "));
  if (calibration.timer_error_s.value > late_s)
    text += "timers fire late, as on a busy machine: measure again while it is idle\n";
  return text;
}

}  // namespace

Json calibration_json(const Calibration& calibration, const std::optional<NominalRoute>& route) {
  const Json measured = {{"across_hosts", pair_json(calibration.across_hosts)},
                         {"within_host", pair_json(calibration.within_host)},
                         {"reduction_s_per_byte", estimate_json(calibration.reduction_s_per_byte)},
                         {"timer_error_s", estimate_json(calibration.timer_error_s)},
                         {"greatest_timer_error_s", calibration.greatest_timer_error_s},
                         {"fan_in_Bps", or_null(calibration.fan_in_Bps)}};
  return {{"starling", version()}, {"cluster", cluster_json(calibration, route)}, {"measured", measured}};
}

std::string calibration_table(const Calibration& calibration, const std::optional<NominalRoute>& route) {
  std::vector<TableRow> rows{{"messages", "latency and overheads", "bandwidth", "around the line"}};
  add_pair(rows, "across hosts", calibration.across_hosts);
  add_pair(rows, "within a host", calibration.within_host);
  std::string text = fmt::format("{}\n", aligned(rows));
  text += pair_text("across hosts", calibration.across_hosts);
  text += pair_text("within a host", calibration.within_host);
  text += useless_lines_text("across hosts", calibration.across_hosts);
  text += useless_lines_text("within a host", calibration.within_host);
  text += excess_text(calibration);
  if (route) text += route_text(calibration, *route);
  if (calibration.fan_in_Bps)
    text += fmt::format("from all other hosts to one: {}/s\n", bytes_text(*calibration.fan_in_Bps));
  return text +
         fmt::format("reductions: {}; timers of 1 ms end {} late, {} at worst\n±: 95 % intervals\n",
                     rate_text(calibration.reduction_s_per_byte), interval_text(calibration.timer_error_s),
                     time_text(calibration.greatest_timer_error_s)) +
         warnings_text(calibration);
}

}  // namespace starling
