#include "analysis/networks/network_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "analysis/networks/network_drawing.hpp"
#include "base/reject.hpp"
#include "io/pictures/gnuplot.hpp"

namespace starling {
namespace {

/// The links as lines of gnuplot data, each half of a cable.
std::string cable_lines(const NetworkDrawing& drawing) {
  std::string lines;
  for (const NetworkDrawing::HalfCable& half : drawing.links)
    lines += fmt::format("{:.4g} {:.4g}\n{:.4g} {:.4g}\n\n", half.from.x, half.from.y, half.to.x, half.to.y);
  return lines;
}

/// Settings of axis ranges that hold all points, with a margin.
std::string axis_ranges(const std::vector<DrawnPoint>& points) {
  const auto range = [&](const char* axis, double DrawnPoint::*coordinate) {
    const auto [least, greatest] = std::ranges::minmax(points, {}, coordinate);
    const double margin = std::max(0.05 * (greatest.*coordinate - least.*coordinate), 0.05);
    return fmt::format("set {}range [{:.4g}:{:.4g}]\n", axis, least.*coordinate - margin,
                       greatest.*coordinate + margin);
  };
  return range("x", &DrawnPoint::x) + range("y", &DrawnPoint::y);
}

std::string point_lines(std::span<const DrawnPoint> points) {
  std::string lines;
  for (const DrawnPoint& point : points) lines += fmt::format("{:.4g} {:.4g}\n", point.x, point.y);
  return lines;
}

}  // namespace

std::string network_plot(const Network& network, const std::string& title,
                         const std::filesystem::path& file) {
  const int vertices = network.hosts() + network.switches();
  if (vertices > most_vertices_drawn)
    reject("a picture of {} hosts and switches would be illegible; the most is {}", vertices,
           most_vertices_drawn);
  const NetworkDrawing drawing = drawing_of(network);
  const std::vector<DrawnPoint>& points = drawing.vertices;
  const double size = std::clamp(30.0 / std::sqrt(vertices), 0.3, 2.0);
  std::string script = gnuplot_terminal(file, 12.5, 8.3);
  script += gnuplot_data("$cables", cable_lines(drawing));
  const auto hosts = std::span(points).first(static_cast<std::size_t>(network.hosts()));
  script += gnuplot_data("$hosts", point_lines(hosts));
  const std::string switches = point_lines(std::span(points).subspan(hosts.size()));
  if (!switches.empty()) script += gnuplot_data("$switches", switches);
  script += fmt::format(
      "set title {}\nunset border\nunset tics\n{}"
      "set key below\nplot $cables with lines lc rgb '#888888' title 'cables', "
      "$hosts with points pt 7 ps {:.2f} lc rgb '#0072b2' title 'hosts'",
      gnuplot_text(title), axis_ranges(points), size);
  if (!switches.empty())
    script += fmt::format(", $switches with points pt 5 ps {:.2f} lc rgb '#d55e00' title 'switches'", size);
  return script + "\n";
}

void draw_network(const Network& network, const std::string& title, const std::filesystem::path& file) {
  run_gnuplot(network_plot(network, title, file), file);
}

}  // namespace starling
