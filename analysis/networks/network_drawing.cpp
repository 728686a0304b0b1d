#include "analysis/networks/network_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "topologies/facts/cabling.hpp"

namespace starling {
namespace {

/// The place of a host in a grid: the last dimension grows to the right, the one before it downward; the
/// grids of further dimensions lie side by side.
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

/// Vertices by their distance from the hosts, in cables: hosts, the switches with hosts, the neighbors of
/// these that are in no row yet, and so on; the last row is empty.
std::vector<std::vector<int>> rows_of(const Cabling& cabling) {
  std::vector<bool> is_found(index_of(cabling.vertices), false);
  std::vector<std::vector<int>> rows(1);
  for (int host = 0; host < cabling.hosts; ++host) {
    is_found[index_of(host)] = true;
    rows.front().push_back(host);
  }
  while (!rows.back().empty()) {
    std::vector<int> above;
    for (const int vertex : rows.back())
      for (const int neighbor : cabling.neighbors(vertex)) {
        if (is_found[index_of(neighbor)]) continue;
        is_found[index_of(neighbor)] = true;
        above.push_back(neighbor);
      }
    std::ranges::sort(above);
    rows.push_back(std::move(above));
  }
  return rows;
}

/// Draws switches in rows above the hosts, by their distance from the hosts in cables.
std::vector<DrawnPoint> in_rows(const Cabling& cabling) {
  std::vector<DrawnPoint> points(index_of(cabling.vertices));
  double height = 0;
  for (const std::vector<int>& row : rows_of(cabling)) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
      points[index_of(row[i])] = {share * cabling.hosts, height};
    }
    ++height;
  }
  return points;
}

bool are_joined(const Cabling& cabling, int vertex, int other) {
  return std::ranges::find(cabling.neighbors(vertex), other) != cabling.neighbors(vertex).end();
}

/// Whether two switches at the same distance from the hosts are joined: in a row, such cables would cover
/// each other.
bool has_cables_in_rows(const Cabling& cabling) {
  const std::vector<std::vector<int>> rows = rows_of(cabling);
  return std::any_of(rows.begin() + 1, rows.end(), [&](const std::vector<int>& row) {
    return std::ranges::any_of(row, [&](int vertex) {
      const auto is_in_row = [&](int neighbor) { return std::ranges::binary_search(row, neighbor); };
      return std::ranges::any_of(cabling.neighbors(vertex), is_in_row);
    });
  });
}

/// Whether `count` consecutive switches from `first` on are all joined to each other.
bool are_all_joined(const Cabling& cabling, int first, int count) {
  for (int one = first; one < first + count; ++one)
    for (int other = first; other < one; ++other)
      if (!are_joined(cabling, one, other)) return false;
  return true;
}

/// The size of groups of consecutive switches that are all joined to each other, if all switches divide into
/// groups as large as the first one; else all switches are one group.
int size_of_groups(const Cabling& cabling) {
  const int switches = cabling.vertices - cabling.hosts;
  int size = 1;
  while (size < switches && are_all_joined(cabling, cabling.hosts, size + 1)) ++size;
  if (size == 1 || switches % size != 0) return switches;
  for (int first = cabling.hosts; first < cabling.vertices; first += size)
    if (!are_all_joined(cabling, first, size)) return switches;
  return size;
}

/// Draws the switches of each group on a small circle with their hosts around it, and the groups on a large
/// circle.
class Circles {
 public:
  explicit Circles(const Cabling& cabling)
      : cabling_(cabling),
        size_(size_of_groups(cabling)),
        groups_((cabling.vertices - cabling.hosts) / size_),
        radius_(groups_ == 1 ? 1 : 0.5 * std::sin(std::numbers::pi / groups_)) {}

  std::vector<DrawnPoint> points() const {
    std::vector<int> hosts_at(index_of(cabling_.vertices));
    for (int host = 0; host < cabling_.hosts; ++host) ++hosts_at[index_of(switch_of(host))];
    std::vector<int> placed(index_of(cabling_.vertices));
    std::vector<DrawnPoint> points;
    for (int host = 0; host < cabling_.hosts; ++host) {
      const int at = switch_of(host);
      const double aside =
          (placed[index_of(at)]++ + 0.5) / hosts_at[index_of(at)] - 0.5;  // within its switch's share
      points.push_back(place(at - cabling_.hosts, 0.8 * aside, 1.6));
    }
    for (int number = 0; number < cabling_.vertices - cabling_.hosts; ++number)
      points.push_back(place(number, 0, 1));
    return points;
  }

 private:
  int switch_of(int host) const { return cabling_.neighbors(host).front(); }

  /// A place near the `number`-th switch: at `distance` times its circle's radius, and `aside` of the angle
  /// between switches next to it. Circles are turned a little, so that no cable to the opposite side passes
  /// another switch.
  DrawnPoint place(int number, double aside, double distance) const {
    const double group_angle = 2 * std::numbers::pi * (number / size_) / groups_;
    const double angle = group_angle + 0.8 + 2 * std::numbers::pi * (number % size_ + aside) / size_;
    const double from_middle = groups_ == 1 ? 0 : 1;
    return {from_middle * std::sin(group_angle) + distance * radius_ * std::sin(angle),
            from_middle * std::cos(group_angle) + distance * radius_ * std::cos(angle)};
  }

  const Cabling& cabling_;
  int size_;
  int groups_;
  double radius_;
};

DrawnPoint middle_of(DrawnPoint from, DrawnPoint to) { return {(from.x + to.x) / 2, (from.y + to.y) / 2}; }

/// The step of a link in a grid.
struct GridStep {
  /// Its dimension, counted from the last one; the number of dimensions between a host and its switch.
  std::size_t depth = 0;
  int places = 0;  // by which the coordinate grows
};

GridStep step_of(const Network& network, const Link& link) {
  int from = link.from_vertex % network.hosts();
  int to = link.to_vertex % network.hosts();
  const auto sizes = network.dimensions();
  GridStep step;
  for (; step.depth < sizes.size(); ++step.depth) {
    const int size = sizes[sizes.size() - 1 - step.depth];
    step.places = to % size - from % size;
    if (step.places != 0) break;
    from /= size;
    to /= size;
  }
  return step;
}

/// The direction in which links of a dimension are drawn: right, down, or, for the dimensions whose grids lie
/// side by side, in between.
double angle_of(std::size_t depth, std::size_t dimensions) {
  if (depth == 0) return 0;
  const double right_angle = std::numbers::pi / 2;
  if (depth == 1) return -right_angle;
  return -right_angle * static_cast<double>(depth - 1) / static_cast<double>(dimensions - 1);
}

/// Where a link's half of its cable ends in a grid: half-way to the neighbor. A wrap-around link is a stub
/// that points out of the grid, and a link to the grid of another place in further dimensions an oblique
/// stub.
DrawnPoint end_in_grid(const Network& network, const Link& link, const NetworkDrawing& drawing) {
  const DrawnPoint from = drawing.vertices[index_of(link.from_vertex)];
  const GridStep step = step_of(network, link);
  const bool is_around = std::abs(step.places) > 1;
  if (!is_around && (step.depth < 2 || step.places == 0))
    return middle_of(from, drawing.vertices[index_of(link.to_vertex)]);
  const double angle = angle_of(step.depth, network.dimensions().size());
  const double reach = (step.places > 0) == is_around ? -0.35 : 0.35;
  return {from.x + reach * std::cos(angle), from.y + reach * std::sin(angle)};
}

bool have_hosts_switches(const Cabling& cabling) {
  for (int host = 0; host < cabling.hosts; ++host)
    if (cabling.degree(host) == 0 || cabling.neighbors(host).front() < cabling.hosts) return false;
  return true;
}

std::vector<DrawnPoint> places_of(const Network& network) {
  if (is_drawn_as_grid(network)) return on_grid(network);
  if (network.switches() == 0 || network.switches() == network.hosts()) return in_circle(network);
  const Cabling cabling(network);
  return have_hosts_switches(cabling) && has_cables_in_rows(cabling) ? Circles(cabling).points()
                                                                     : in_rows(cabling);
}

}  // namespace

NetworkDrawing drawing_of(const Network& network) {
  NetworkDrawing drawing{.vertices = places_of(network)};
  const bool is_grid = is_drawn_as_grid(network);
  for (const Link& link : links_of_cables(network)) {
    const DrawnPoint from = drawing.vertices[index_of(link.from_vertex)];
    const DrawnPoint to = drawing.vertices[index_of(link.to_vertex)];
    drawing.links.push_back({from, is_grid ? end_in_grid(network, link, drawing) : middle_of(from, to)});
  }
  return drawing;
}

}  // namespace starling
