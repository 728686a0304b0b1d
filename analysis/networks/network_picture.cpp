#include "analysis/networks/network_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "base/reject.hpp"
#include "io/pictures/gnuplot.hpp"
#include "topologies/facts/cabling.hpp"

namespace starling {
namespace {

struct Point {
  double x = 0;
  double y = 0;
};

constexpr std::size_t index(int number) { return static_cast<std::size_t>(number); }

/// The last dimension to the right; the one before upward; grids of further ones side by side.
Point grid_place(int host, std::span<const int> dimensions) {
  const int columns = dimensions.back();
  const int rows = dimensions[dimensions.size() - 2];
  const int sheet = host / (rows * columns);
  return {static_cast<double>(sheet * (columns + 1) + host % columns),
          -static_cast<double>(host / columns % rows)};
}

bool is_drawn_as_grid(const Network& network) {
  const auto sizes = network.dimensions();
  return sizes.size() > 1 && std::ranges::count_if(sizes, [](int size) { return size > 1; }) > 1 &&
         (network.switches() == 0 || network.switches() == network.hosts());
}

std::vector<Point> on_grid(const Network& network) {
  std::vector<Point> points;
  for (int host = 0; host < network.hosts(); ++host) points.push_back(grid_place(host, network.dimensions()));
  for (int host = 0; host < network.switches(); ++host) {
    const Point place = grid_place(host, network.dimensions());
    points.push_back({place.x + 0.25, place.y + 0.25});
  }
  return points;
}

std::vector<Point> in_circle(const Network& network) {
  std::vector<Point> points;
  const auto place = [&](int number, int count, double radius) {
    const double angle = 2 * std::numbers::pi * number / count;
    points.push_back({radius * std::sin(angle), radius * std::cos(angle)});
  };
  for (int host = 0; host < network.hosts(); ++host) place(host, network.hosts(), 1);
  for (int other = 0; other < network.switches(); ++other) place(other, network.switches(), 0.85);
  return points;
}

/// Hosts, then the switches that they join, then those that these join, and so on.
std::vector<std::vector<int>> rows_of(const Cabling& cabling) {
  std::vector<bool> is_found(index(cabling.vertices), false);
  std::vector<std::vector<int>> rows(1);
  for (int host = 0; host < cabling.hosts; ++host) {
    is_found[index(host)] = true;
    rows.front().push_back(host);
  }
  while (!rows.back().empty()) {
    std::vector<int> above;
    for (const int vertex : rows.back())
      for (const int neighbor : cabling.neighbors(vertex)) {
        if (is_found[index(neighbor)]) continue;
        is_found[index(neighbor)] = true;
        above.push_back(neighbor);
      }
    std::ranges::sort(above);
    rows.push_back(std::move(above));
  }
  return rows;
}

/// Switches in rows, each as many cables above the hosts as it is away from them.
std::vector<Point> in_rows(const Cabling& cabling) {
  std::vector<Point> points(index(cabling.vertices));
  double height = 0;
  for (const std::vector<int>& row : rows_of(cabling)) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
      points[index(row[i])] = {share * cabling.hosts, height};
    }
    ++height;
  }
  return points;
}

std::vector<Point> places_of(const Network& network) {
  if (is_drawn_as_grid(network)) return on_grid(network);
  const bool has_rows = network.switches() > 0 && network.switches() != network.hosts();
  return has_rows ? in_rows(Cabling(network)) : in_circle(network);
}

/// Cables as lines; in a grid those over more than one place as a stub at each end.
std::string cable_lines(const Network& network, const std::vector<Point>& points) {
  const bool is_grid = is_drawn_as_grid(network);
  std::string lines;
  const auto add = [&lines](Point from, Point to) {
    lines += fmt::format("{:.4g} {:.4g}\n{:.4g} {:.4g}\n\n", from.x, from.y, to.x, to.y);
  };
  for (const Link& link : links_of_cables(network)) {
    if (link.from_vertex > link.to_vertex) continue;
    const Point from = points[index(link.from_vertex)];
    const Point to = points[index(link.to_vertex)];
    const double reach = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
    if (!is_grid || reach < 1.5) {
      add(from, to);
      continue;
    }
    const Point stub{0.35 * (to.x - from.x) / reach, 0.35 * (to.y - from.y) / reach};
    add(from, {from.x - stub.x, from.y - stub.y});
    add(to, {to.x + stub.x, to.y + stub.y});
  }
  return lines;
}

/// Around all points.
std::string axis_ranges(const std::vector<Point>& points) {
  const auto range = [&](const char* axis, double Point::*coordinate) {
    const auto [least, greatest] = std::ranges::minmax(points, {}, coordinate);
    const double margin = std::max(0.05 * (greatest.*coordinate - least.*coordinate), 0.05);
    return fmt::format("set {}range [{:.4g}:{:.4g}]\n", axis, least.*coordinate - margin,
                       greatest.*coordinate + margin);
  };
  return range("x", &Point::x) + range("y", &Point::y);
}

std::string point_lines(std::span<const Point> points) {
  std::string lines;
  for (const Point& point : points) lines += fmt::format("{:.4g} {:.4g}\n", point.x, point.y);
  return lines;
}

}  // namespace

std::string network_plot(const Network& network, const std::string& title,
                         const std::filesystem::path& file) {
  const int vertices = network.hosts() + network.switches();
  if (vertices > most_vertices_drawn)
    reject("a picture of {} hosts and switches shows nothing; there may be {}", vertices,
           most_vertices_drawn);
  const std::vector<Point> points = places_of(network);
  const double size = std::clamp(30.0 / std::sqrt(vertices), 0.3, 2.0);
  std::string script = gnuplot_terminal(file, 12.5, 8.3);
  script += fmt::format("$cables << EOD\n{}EOD\n", cable_lines(network, points));
  const auto hosts = std::span(points).first(index(network.hosts()));
  script += fmt::format("$hosts << EOD\n{}EOD\n", point_lines(hosts));
  const std::string switches = point_lines(std::span(points).subspan(hosts.size()));
  if (!switches.empty()) script += fmt::format("$switches << EOD\n{}EOD\n", switches);
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
