#include "analysis/results/link_use.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

Json link_json(const LinkUse& link, const LinkUses& all) {
  Json json = {
      {"name", link.name}, {"bandwidth_Bps", finite(link.bandwidth_Bps)}, {"bytes", finite(link.bytes)}};
  if (all.iterations) {
    json["bytes_per_iteration"] = finite(link.bytes_per_iteration(*all.iterations));
    json["bound_s"] = finite(link.bound_s(*all.iterations));
  }
  json["busy_fraction"] = finite(link.busy_fraction);
  json["busy_over_time"] = all.period_s ? Json(link.over_time) : Json(nullptr);
  json["most_bytes_under_way"] = finite(link.most_bytes_under_way);
  for (std::size_t i = 0; i < link.bytes_while.size(); ++i)
    json["bytes_while"][activity_names[i]] = finite(link.bytes_while[i]);
  return json;
}

/// The share of the link's bytes that was sent during that activity.
std::string share_text(const LinkUse& link, Activity activity) {
  const double bytes = link.bytes_while[static_cast<std::size_t>(activity)];
  return bytes > 0 ? fmt::format("{:.0f} %", 100 * bytes / link.bytes) : "–";
}

TableRow row_of(const LinkUse& link, const LinkUses& all, std::optional<double> iteration_time_s) {
  TableRow row{link.name, bytes_text(link.bandwidth_Bps) + "/s"};
  if (iteration_time_s) {
    const double bound_s = link.bound_s(*all.iterations);
    row.push_back(bytes_text(link.bytes_per_iteration(*all.iterations)));
    row.push_back(time_text(bound_s));
    row.push_back(*iteration_time_s > 0 ? percent_text(bound_s / *iteration_time_s) : "–");
  } else {
    row.push_back(bytes_text(link.bytes));
  }
  row.push_back(percent_text(link.busy_fraction));
  row.push_back(bytes_text(link.most_bytes_under_way));
  for (const Activity activity : {Activity::forward, Activity::backward, Activity::waiting})
    row.push_back(share_text(link, activity));
  return row;
}

}  // namespace

std::vector<const LinkUse*> ten_busiest(const LinkUses& links,
                                        const std::function<double(const LinkUse&)>& measure) {
  constexpr std::size_t most = 10;
  std::vector<const LinkUse*> busiest;
  for (const LinkUse& link : links.used) busiest.push_back(&link);
  std::ranges::stable_sort(busiest, std::ranges::greater(),
                           [&](const LinkUse* link) { return measure(*link); });
  if (busiest.size() > most) busiest.resize(most);
  return busiest;
}

Json links_json(const LinkUses& links) {
  Json used = Json::array();
  for (const LinkUse& link : links.used) used.push_back(link_json(link, links));
  return {{"of_network", links.links_of_network},
          {"run_s", finite(links.run_s)},
          {"period_s", links.period_s ? Json(finite(*links.period_s)) : Json(nullptr)},
          {"used", std::move(used)}};
}

std::string links_note(bool has_bounds) {
  return std::string(has_bounds ? "bound: bytes / bandwidth; " : "") +
         "busy: share of its bandwidth used; most under way: most bytes at once sent but not yet arrived;\n"
         "in forward, in backward, waiting: share of the bytes sent while the sender did that; all columns "
         "count the whole run, warm-up included\n";
}

std::string links_table(const LinkUses& links, const std::string& label,
                        std::optional<double> iteration_time_s) {
  // As floats, so that links which differ by rounding only stay in the network's order.
  const std::vector<const LinkUse*> busiest = ten_busiest(
      links, [](const LinkUse& link) { return static_cast<float>(link.bytes / link.bandwidth_Bps); });
  std::string text =
      fmt::format("\nlinks of {}: {} of {} used", label, links.used.size(), links.links_of_network);
  if (links.used.size() > busiest.size()) text += fmt::format(", the {} busiest", busiest.size());
  text +=
      iteration_time_s ? fmt::format("; an iteration takes {}\n\n", time_text(*iteration_time_s)) : "\n\n";
  if (busiest.empty()) return text;
  TableRow head{"link", "bandwidth"};
  if (iteration_time_s)
    head.insert(head.end(), {"sent/iteration", "bound", "of iteration"});
  else
    head.push_back("sent");
  head.insert(head.end(), {"busy", "most under way", "in forward", "in backward", "waiting"});
  std::vector<TableRow> rows{head};
  for (const LinkUse* link : busiest) rows.push_back(row_of(*link, links, iteration_time_s));
  return text + aligned(rows);
}

}  // namespace starling
