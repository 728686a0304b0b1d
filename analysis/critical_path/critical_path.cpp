#include "analysis/critical_path/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 10;

const char* name_of(SpentOn on) { return spent_on_names[static_cast<std::size_t>(on)]; }

std::string share_text(double s, double of_s) {
  return of_s > 0 ? fmt::format("{:.1f} %", 100 * s / of_s) : "–";
}

std::string text_of(const PathPart& part) {
  if (part.rank >= 0)
    return fmt::format("{} of rank {}{}", name_of(part.on), part.rank,
                       part.job.empty() ? "" : fmt::format(" of {}", part.job));
  return part.link.empty() ? name_of(part.on) : fmt::format("link {}", part.link);
}

TableRow row_of(const std::string& what, double s, double of_s) {
  return {what, time_text(s), share_text(s, of_s)};
}

}  // namespace

double CriticalPath::spent_s(SpentOn on) const {
  double sum = 0;
  for (const PathPart& part : parts)
    if (part.on == on) sum += part.s;
  return sum;
}

Json critical_path_json(const CriticalPath& path) {
  Json json = {{"iteration_s", path.iteration_s}};
  for (std::size_t i = 0; i < spent_on_names.size(); ++i)
    json["spent_s"][spent_on_names[i]] = path.spent_s(static_cast<SpentOn>(i));
  json["parts"] = Json::array();
  for (const PathPart& part : path.parts) {
    Json of_part = {{"spent_on", name_of(part.on)}};
    if (part.rank >= 0) of_part["rank"] = part.rank;
    if (!part.job.empty()) of_part["job"] = part.job;
    if (!part.link.empty()) of_part["link"] = part.link;
    of_part["s"] = part.s;
    json["parts"].push_back(std::move(of_part));
  }
  return json;
}

std::string critical_path_table(const CriticalPath& path, const std::string& label) {
  std::vector<TableRow> all{{"in all", "time", "of iteration"}};
  for (std::size_t i = 0; i < spent_on_names.size(); ++i)
    if (const double s = path.spent_s(static_cast<SpentOn>(i)); s != 0)
      all.push_back(row_of(spent_on_names[i], s, path.iteration_s));
  const std::size_t shown = std::min(most_rows, path.parts.size());
  std::vector<TableRow> greatest{
      {fmt::format("greatest {} of {}", shown, path.parts.size()), "time", "of iteration"}};
  for (const PathPart& part : std::span(path.parts).first(shown))
    greatest.push_back(row_of(text_of(part), part.s, path.iteration_s));
  return fmt::format("\ncritical path of {}: an iteration takes {}\n\n{}\n{}", label,
                     time_text(path.iteration_s), aligned(all), aligned(greatest));
}

std::string critical_path_note(bool may_vary) {
  return fmt::format(
      "link: transmission of messages on the link, and waiting behind others; overhead: processing of "
      "messages by sender and receiver;\ndelay: delays of the scenario's imbalance; activities that overlap "
      "with slower ones are not on the path;\nif a part took 1 % less time, the iteration would become "
      "shorter by 1 % of that part's time, unless messages then contended with others{}\n",
      may_vary ? " (see --sensitivity)" : "");
}

}  // namespace starling
