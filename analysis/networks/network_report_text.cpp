#include "analysis/networks/network_report_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// A rate as "1.25 GB/s".
std::string rate_text(double rate_Bps) { return bytes_text(rate_Bps) + "/s"; }

std::int64_t switches_of(const NetworkInventory& inventory) {
  std::int64_t sum = 0;
  for (const SwitchGroup& group : inventory.switches) sum += group.switches;
  return sum;
}

std::string_view name_of(MeanOver over) {
  constexpr std::array<std::string_view, 3> names = {"every_host", "one_host", "sampled_hosts"};
  return names[static_cast<std::size_t>(over)];
}

std::string_view name_of(BisectionFacts::Known known) {
  constexpr std::array<std::string_view, 3> names = {"exactly", "at_most", "between"};
  return names[static_cast<std::size_t>(known)];
}

std::string mean_hops_text(const DistanceFacts& facts) {
  if (facts.over != MeanOver::sampled_hosts) return fmt::format("{:.4g}", facts.mean_hops);
  return fmt::format("{:.4g} ± {:.1g} ({} hosts sampled)", facts.mean_hops, facts.mean_hops_standard_error,
                     facts.sources);
}

std::string bisection_text(const BisectionFacts& facts) {
  if (facts.known == BisectionFacts::Known::exactly) return rate_text(facts.most_Bps);
  if (facts.known == BisectionFacts::Known::at_most)
    return fmt::format("at most {}", rate_text(facts.most_Bps));
  return least_to_greatest(rate_text(facts.least_Bps), rate_text(facts.most_Bps));
}

/// Whether routes are known to be as long as the shortest paths.
bool are_as_short(const RouteLengths& routes, const DistanceFacts& distances) {
  return !routes.is_sample && routes.longest == distances.diameter &&
         std::abs(routes.mean_links - distances.mean_hops) < 1e-9 * distances.mean_hops;
}

void add_distances(const NetworkReport& report, std::vector<TableRow>& rows) {
  const DistanceFacts& distances = *report.distances;
  rows.push_back({"mean hops, links", mean_hops_text(distances)});
  if (report.routes && !are_as_short(*report.routes, distances))
    rows.push_back(
        {"links of the routes that messages take",
         fmt::format(
             "mean {:.4g}, at most {}{}", report.routes->mean_links, report.routes->longest,
             report.routes->is_sample ? fmt::format(" ({} pairs sampled)", report.routes->pairs) : "")});
  rows.push_back({"bisection bandwidth, one direction", bisection_text(*report.bisection)});
  rows.push_back(
      {"shortest paths between two hosts, mean", fmt::format("{:.4g}", distances.mean_shortest_paths)});
  rows.push_back({"disjoint paths between two hosts, mean",
                  fmt::format("{:.4g} ({} pairs sampled)", report.disjoint_paths->between_hosts,
                              report.disjoint_paths->pairs)});
  if (const auto& between_switches = report.disjoint_paths->between_switches)
    rows.push_back({"disjoint paths between their switches, mean", fmt::format("{:.4g}", *between_switches)});
}

std::string facts_table(const NetworkReport& report) {
  const NetworkInventory& inventory = report.inventory;
  std::vector<TableRow> rows{
      {"network", report.kind},
      {"workers", std::to_string(report.workers)},
      {"placement", report.placement},
      {"hosts", std::to_string(inventory.hosts)},
      {"switches", std::to_string(switches_of(inventory))},
      {"cables", std::to_string(inventory.number_of_cables())},
      {"diameter, links", std::to_string(report.distances ? report.distances->diameter : 0)}};
  if (report.distances) add_distances(report, rows);
  if (report.reach) {
    const Reach& reach = *report.reach;
    rows.push_back({"latency from worker 0", least_to_greatest(time_text(reach.least_latency_s),
                                                               time_text(reach.greatest_latency_s))});
    rows.push_back({"bandwidth from worker 0", least_to_greatest(rate_text(reach.least_bandwidth_Bps),
                                                                 rate_text(reach.greatest_bandwidth_Bps))});
    if (report.host_rate_Bps)
      rows.push_back({"host rate over a cable", fmt::format("at most {}", rate_text(*report.host_rate_Bps))});
  }
  return aligned(rows);
}

std::string switches_table(const NetworkInventory& inventory) {
  if (inventory.switches.empty()) return "";
  std::vector<TableRow> rows{{"switches", "number", "cables of each", "cables"}};
  for (const SwitchGroup& group : inventory.switches)
    rows.push_back({group.name, count_text(group.switches), fmt::format("≤ {}", group.most_ports),
                    count_text(static_cast<double>(group.ports))});
  return fmt::format("\n{}", aligned(rows));
}

/// The cables of one class and bandwidth.
struct CableRow {
  std::int64_t cables = 0;
  double least_m = 0;
  double greatest_m = 0;
  double sum_m = 0;
};

std::string cables_table(const NetworkInventory& inventory) {
  std::map<std::pair<CableClass, double>, CableRow> by_class;
  for (const CableGroup& group : inventory.cables) {
    CableRow& row = by_class[{group.cable_class, group.bandwidth_Bps}];
    row.least_m = row.cables == 0 ? group.length_m : std::min(row.least_m, group.length_m);
    row.greatest_m = std::max(row.greatest_m, group.length_m);
    row.cables += group.cables;
    row.sum_m += group.length_m * static_cast<double>(group.cables);
  }
  if (by_class.empty()) return "";
  std::vector<TableRow> rows{{"cables", "bandwidth", "number", "length", "total length"}};
  for (const auto& [kind, row] : by_class)
    rows.push_back(
        {std::string(name_of(kind.first)), rate_text(kind.second),
         count_text(static_cast<double>(row.cables)),
         least_to_greatest(fmt::format("{:.4g} m", row.least_m), fmt::format("{:.4g} m", row.greatest_m)),
         fmt::format("{} m", count_text(row.sum_m))});
  return fmt::format("\n{}", aligned(rows));
}

std::string gap_text(const std::optional<double>& gap) { return gap ? fmt::format("{:.4g}", *gap) : "–"; }

std::string gaps_table(const std::vector<GraphGap>& gaps) {
  if (gaps.empty()) return "";
  std::vector<TableRow> rows{{"spectral gap", "period", "per period", "per iteration"}};
  for (const auto& [algorithm, gap] : gaps)
    rows.push_back(
        {algorithm, std::to_string(gap.period), gap_text(gap.per_period), gap_text(gap.per_iteration)});
  return fmt::format("\n{}", aligned(rows));
}

std::string cost_table(const NetworkReport& report) {
  const NetworkCost& cost = report.cost;
  std::vector<TableRow> rows{{"cost", "number", report.currency, "power"}};
  for (const CostLine& line : cost.lines)
    rows.push_back({line.item, count_text(static_cast<double>(line.count)), count_text(line.price),
                    power_text(line.power_W)});
  rows.push_back({"total", "", count_text(cost.price), power_text(cost.power_W)});
  return fmt::format(
      "\n{}prices of the list \"{}\"\n{}", aligned(rows), report.price_list,
      report.missing_switch.empty() ? "" : fmt::format("not available: {}\n", report.missing_switch));
}

/// The number of cables of each class, length and bandwidth, wherever they end.
std::map<std::tuple<CableClass, double, double>, std::int64_t> cables_by_kind(
    const NetworkInventory& inventory) {
  std::map<std::tuple<CableClass, double, double>, std::int64_t> numbers;
  for (const CableGroup& group : inventory.cables)
    numbers[{group.cable_class, group.length_m, group.bandwidth_Bps}] += group.cables;
  return numbers;
}

Json inventory_json(const NetworkInventory& inventory) {
  Json switches = Json::array();
  for (const SwitchGroup& group : inventory.switches)
    switches.push_back({{"name", group.name},
                        {"number", group.switches},
                        {"ports", group.ports},
                        {"most_ports_of_one", group.most_ports}});
  Json cables = Json::array();
  for (const auto& [kind, number] : cables_by_kind(inventory)) {
    const auto& [cable_class, length_m, bandwidth_Bps] = kind;
    cables.push_back({{"class", name_of(cable_class)},
                      {"length_m", length_m},
                      {"bandwidth_Bps", bandwidth_Bps},
                      {"number", number}});
  }
  return {{"hosts", inventory.hosts},
          {"switches", switches_of(inventory)},
          {"cables", inventory.number_of_cables()},
          {"switch_groups", std::move(switches)},
          {"cable_groups", std::move(cables)}};
}

Json cost_json(const NetworkReport& report) {
  Json lines = Json::array();
  for (const CostLine& line : report.cost.lines)
    lines.push_back(
        {{"item", line.item}, {"number", line.count}, {"price", line.price}, {"power_W", line.power_W}});
  return {{"price_list", report.price_list},
          {"currency", report.currency},
          {"price", report.cost.price},
          {"power_W", report.cost.power_W},
          {"not_for_sale", text_or_null(report.missing_switch)},
          {"items", std::move(lines)}};
}

void add_distances(const NetworkReport& report, Json& json) {
  const DistanceFacts& distances = *report.distances;
  json["diameter_links"] = distances.diameter;
  json["mean_hops_links"] = {{"mean", distances.mean_hops},
                             {"standard_error", distances.mean_hops_standard_error},
                             {"over", name_of(distances.over)},
                             {"hosts", distances.sources}};
  if (report.routes)
    json["route_links"] = {{"mean", report.routes->mean_links},
                           {"most", report.routes->longest},
                           {"pairs", report.routes->pairs}};
  json["shortest_paths"] = {{"mean", finite_or_null(distances.mean_shortest_paths)},
                            {"least", finite_or_null(distances.least_shortest_paths)}};
  json["disjoint_paths"] = {{"between_hosts", report.disjoint_paths->between_hosts},
                            {"between_switches", or_null(report.disjoint_paths->between_switches)},
                            {"pairs", report.disjoint_paths->pairs}};
  const bool has_least = report.bisection->known != BisectionFacts::Known::at_most;
  json["bisection_Bps"] = {{"known", name_of(report.bisection->known)},
                           {"least", has_least ? Json(report.bisection->least_Bps) : Json(nullptr)},
                           {"most", report.bisection->most_Bps}};
}

}  // namespace

std::string power_text(double power_W) {
  return power_W < 100 ? fmt::format("{:.3g} W", power_W) : fmt::format("{} W", count_text(power_W));
}

std::string network_table(const NetworkReport& report) {
  return facts_table(report) + switches_table(report.inventory) + cables_table(report.inventory) +
         gaps_table(report.gaps) + cost_table(report);
}

Json network_json(const NetworkReport& report) {
  Json json = {{"starling", version()},
               {"network", report.kind},
               {"workers", report.workers},
               {"placement", report.placement}};
  json.update(inventory_json(report.inventory));
  if (report.distances) add_distances(report, json);
  if (report.reach)
    json["from_worker_0"] = {
        {"latency_s", {report.reach->least_latency_s, report.reach->greatest_latency_s}},
        {"bandwidth_Bps", {report.reach->least_bandwidth_Bps, report.reach->greatest_bandwidth_Bps}}};
  json["host_rate_Bps"] = or_null(report.host_rate_Bps);
  json["spectral_gaps"] = Json::array();
  for (const auto& [algorithm, gap] : report.gaps)
    json["spectral_gaps"].push_back({{"algorithm", algorithm},
                                     {"period", gap.period},
                                     {"per_period", or_null(gap.per_period)},
                                     {"per_iteration", or_null(gap.per_iteration)}});
  json["cost"] = cost_json(report);
  return json;
}

}  // namespace starling
