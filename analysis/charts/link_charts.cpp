#include "analysis/charts/link_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/networks/network_drawing.hpp"
#include "io/json/json_text.hpp"
#include "scenarios/reading/cluster_reader.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The percentage of a link's bytes that was sent during this activity of the sender; null if unknown.
json percent_while(const json& link, const char* activity) {
  const json bytes = value_at(link, std::string("/bytes_while/") + activity);
  return bytes.is_number() ? json(100 * bytes.get<double>() / link.at("bytes").get<double>()) : json();
}

/// The percentage of its busiest period in which a link was busy; null if unknown.
json most_busy_percent(const json& link) {
  const json periods = value_at(link, "/busy_over_time");
  if (!periods.is_array() || periods.empty()) return nullptr;
  return 100 * std::ranges::max(periods.get<std::vector<double>>());
}

void add_links(ReportTable& table, const std::string& label, const json& links) {
  for (const json& link : links.at("used"))
    table.add_row({label, link.at("name"), 100 * link.at("busy_fraction").get<double>(), link.at("bytes"),
                   value_at(link, "/bytes_per_iteration"), value_at(link, "/bound_s"),
                   link.at("bandwidth_Bps"), link.at("most_bytes_under_way"), most_busy_percent(link),
                   percent_while(link, "forward"), percent_while(link, "backward"),
                   percent_while(link, "waiting")});
}

json point_json(DrawnPoint point) { return {point.x, point.y}; }

json vertices_json(const Network& network, const NetworkDrawing& drawing) {
  json vertices = json::array();
  for (std::size_t i = 0; i < drawing.vertices.size(); ++i) {
    const bool is_host = i < static_cast<std::size_t>(network.hosts());
    vertices.push_back({{"x", drawing.vertices[i].x},
                        {"y", drawing.vertices[i].y},
                        {"is_host", is_host},
                        {"name", network.vertices()[i].name}});
  }
  return vertices;
}

json picture_of(const Network& network) {
  const NetworkDrawing drawing = drawing_of(network);
  json halves = json::array();
  const std::span<const Link> links = links_of_cables(network);
  for (std::size_t i = 0; i < links.size(); ++i)
    halves.push_back({{"link", links[i].name},
                      {"from", point_json(drawing.links[i].from)},
                      {"to", point_json(drawing.links[i].to)}});
  return {{"vertices", vertices_json(network, drawing)}, {"links", halves}};
}

/// The picture of the network, or the `reason` why there is none.
json picture_or_reason(const SavedResult& result) {
  try {
    // Reads the cluster only: other files that the scenario names may be gone.
    const JsonPlace cluster(result.scenario.at("cluster"), result.file.string());
    std::vector<std::string> warnings;
    const Network network = build_network(read_cluster(cluster, warnings, {.takes_errors = true}).options);
    const int vertices = network.hosts() + network.switches();
    if (vertices <= most_vertices_drawn) return picture_of(network);
    return {{"reason", fmt::format("a picture of {} hosts and switches would be illegible", vertices)}};
  } catch (const std::exception& error) {
    return {{"reason", fmt::format("the network could not be rebuilt ({})", error.what())}};
  }
}

ReportTable link_table(const SavedResult& result) {
  const bool has_jobs = result.has_jobs();
  ReportTable table{.columns = {{has_jobs ? "jobs" : "algorithm", has_jobs ? "of" : "algorithm"},
                                {"link", "link"},
                                {"busy_percent", "busy", "%"},
                                {"bytes", "carried", "B"},
                                {"bytes_per_iteration", "carried per iteration", "B"},
                                {"bound_s", "lower bound of the iteration time", "s"},
                                {"bandwidth_Bps", "bandwidth", "B/s"},
                                {"most_bytes_under_way", "most under way", "B"},
                                {"most_busy_percent", "busy in its busiest period", "%"},
                                {"forward_percent", "sent in forward", "%"},
                                {"backward_percent", "sent in backward", "%"},
                                {"waiting_percent", "sent in waiting", "%"}}};
  if (const auto links = result.document.find("links"); links != result.document.end())
    add_links(table, "all jobs", *links);
  for (const json& block : blocks_of(result.document))
    if (block.contains("links")) add_links(table, label_of(block), block.at("links"));
  table.drop_empty_columns();
  return table;
}

bool watched_links(const SavedResult& result) {
  return result.document.contains("links") ||
         std::ranges::any_of(blocks_of(result.document),
                             [](const json& block) { return block.contains("links"); });
}

/// A note on the busiest of the links that are not in the picture, as they are inside hosts; empty if there
/// is none.
std::string note_of_left_out(const ReportTable& table, const json& picture) {
  std::set<std::string> drawn;
  for (const json& half : picture.value("links", json::array())) drawn.insert(half.at("link"));
  const std::vector<json>& links = table.values[1];
  const std::vector<json>& busy = table.values[2];
  std::optional<std::size_t> busiest;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (!drawn.contains(links[i]) && (!busiest || busy[i] > busy[*busiest])) busiest = i;
  if (drawn.empty() || !busiest) return "";
  return fmt::format(
      " Links inside hosts are in the table only; of them {} was the busiest, {:.3g} % with {}.",
      links[*busiest].get<std::string>(), busy[*busiest].get<double>(),
      table.values[0][*busiest].get<std::string>());
}

}  // namespace

ReportChart link_chart(const SavedResult& result) {
  ReportChart chart{.id = "links",
                    .kind = "network",
                    .title = "How busy the network's links were",
                    .note =
                        "Each half of a cable shows the direction that starts at that end. Over the whole "
                        "run, warm-up included.",
                    .table = link_table(result)};
  if (!watched_links(result)) {
    chart.blank = "The run did not record its links; use starling run --links.";
  } else if (chart.table.rows() == 0) {
    chart.blank = "No message went over a link.";
  } else {
    chart.options["picture"] = picture_or_reason(result);
    chart.note += note_of_left_out(chart.table, chart.options["picture"]);
  }
  return chart;
}

}  // namespace starling
