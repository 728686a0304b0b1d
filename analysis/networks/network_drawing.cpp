#include "analysis/networks/network_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "topologies/facts/cabling.hpp"

namespace starling {
namespace {

/// The last dimension to the right; the one before upward; grids of further ones side by side.
DrawnPoint grid_place(int host, std::span<const int> dimensions) {
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

std::vector<DrawnPoint> on_grid(const Network& network) {
  std::vector<DrawnPoint> points;
  for (int host = 0; host < network.hosts(); ++host) points.push_back(grid_place(host, network.dimensions()));
  for (int host = 0; host < network.switches(); ++host) {
    const DrawnPoint place = grid_place(host, network.dimensions());
    points.push_back({place.x + 0.25, place.y + 0.25});
  }
  return points;
}

std::vector<DrawnPoint> in_circle(const Network& network) {
  std::vector<DrawnPoint> points;
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
std::vector<DrawnPoint> in_rows(const Cabling& cabling) {
  std::vector<DrawnPoint> points(index(cabling.vertices));
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

/// Where a link's half of its cable ends: in the middle, or, in a grid, soon where it leads over more than
/// one place.
DrawnPoint end_of_half(bool is_grid, DrawnPoint from, DrawnPoint to) {
  const double reach = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
  const double share = !is_grid || reach < 1.5 ? 0.5 : 0.35 / reach;
  return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

}  // namespace

NetworkDrawing drawing_of(const Network& network) {
  const bool is_grid = is_drawn_as_grid(network);
  const bool has_rows = !is_grid && network.switches() > 0 && network.switches() != network.hosts();
  NetworkDrawing drawing{.vertices = is_grid    ? on_grid(network)
                                     : has_rows ? in_rows(Cabling(network))
                                                : in_circle(network)};
  for (const Link& link : links_of_cables(network)) {
    const DrawnPoint from = drawing.vertices[index(link.from_vertex)];
    drawing.links.push_back({from, end_of_half(is_grid, from, drawing.vertices[index(link.to_vertex)])});
  }
  return drawing;
}

}  // namespace starling
