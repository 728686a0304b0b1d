#include "topologies/layouts/hamming_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace starling {
namespace {

/// One row or one column of hosts: boards in a line, and a switch to which both ends of each board are
/// joined.
struct BoardLine {
  int board = 1;   // hosts per board
  int boards = 1;  // boards in the line

  int size() const { return board * boards; }
  bool has_switch() const { return size() > 1; }
  bool is_first(int place) const { return place % board == 0; }
  bool is_last(int place) const { return place % board == board - 1; }
  int to_edge(int place) const { return std::min(place % board, board - 1 - place % board); }

  int distance(int one, int other) const {
    const int outside = to_edge(one) + 2 + to_edge(other);
    return one / board == other / board ? std::min(std::abs(one - other), outside) : outside;
  }
  int greatest_distance() const {
    if (boards > 1) return 2 * ((board - 1) / 2) + 2;
    int greatest = 0;
    for (int one = 0; one < board; ++one)
      for (int other = 0; other < one; ++other) greatest = std::max(greatest, distance(one, other));
    return greatest;
  }
};

/// The numbers of vertices: hosts by row and column, then the switches of all rows, then those of all
/// columns.
struct BoardGrid {
  BoardLine along_row;  // its places are the columns
  BoardLine along_column;

  int rows() const { return along_column.size(); }
  int columns() const { return along_row.size(); }
  int hosts() const { return rows() * columns(); }
  int host(int row, int column) const { return row * columns() + column; }
  int row_switches() const { return along_row.has_switch() ? rows() : 0; }
  int column_switches() const { return along_column.has_switch() ? columns() : 0; }
  int row_switch(int row) const { return hosts() + row; }
  int column_switch(int column) const { return hosts() + row_switches() + column; }
};

class HammingMeshRouter final : public Router {
 public:
  explicit HammingMeshRouter(const BoardGrid& grid) : grid_(grid) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    const int row = destination / grid_.columns();
    const int column = destination % grid_.columns();
    if (vertex < grid_.hosts()) {
      const int here_row = vertex / grid_.columns();
      const int here_column = vertex % grid_.columns();
      append_steps(grid_.along_row, here_column, column, {vertex, 1, grid_.row_switch(here_row)}, next);
      append_steps(grid_.along_column, here_row, row,
                   {vertex, grid_.columns(), grid_.column_switch(here_column)}, next);
    } else if (vertex < grid_.column_switch(0)) {
      append_edges(grid_.along_row, column, {grid_.host(vertex - grid_.hosts(), 0), 1, vertex}, next);
    } else {
      append_edges(grid_.along_column, row,
                   {grid_.host(0, vertex - grid_.column_switch(0)), grid_.columns(), vertex}, next);
    }
  }

  int diameter() const override {
    return grid_.along_row.greatest_distance() + grid_.along_column.greatest_distance();
  }

 private:
  /// Maps places of a line to vertex numbers.
  struct Numbers {
    int vertex = 0;  // the vertex of the place in question
    int stride = 1;
    int of_switch = 0;
  };

  /// Appends the neighbors of the host at place `here` that are nearer to place `there` of the same line.
  static void append_steps(const BoardLine& line, int here, int there, const Numbers& numbers,
                           std::vector<int>& next) {
    if (here == there) return;
    const int nearer = line.distance(here, there) - 1;
    if (!line.is_first(here) && line.distance(here - 1, there) == nearer)
      next.push_back(numbers.vertex - numbers.stride);
    if (!line.is_last(here) && line.distance(here + 1, there) == nearer)
      next.push_back(numbers.vertex + numbers.stride);
    if (line.to_edge(here) == 0 && 1 + line.to_edge(there) == nearer) next.push_back(numbers.of_switch);
  }

  /// Appends the end of the board that is nearer to place `there`, seen from the switch, or both ends;
  /// `numbers` has the vertex of place 0.
  static void append_edges(const BoardLine& line, int there, const Numbers& numbers, std::vector<int>& next) {
    const int first = there - there % line.board;
    const int last = first + line.board - 1;
    const int nearest = line.to_edge(there);
    if (there - first == nearest) next.push_back(numbers.vertex + first * numbers.stride);
    if (last - there == nearest && last != first) next.push_back(numbers.vertex + last * numbers.stride);
  }

  BoardGrid grid_;
};

/// Appends the cables of one row or column, whose place 0 is the vertex `first`.
void append_line(const BoardLine& line, int first, int stride, int of_switch,
                 const HammingMeshOptions& options, std::vector<Cable>& cables) {
  const LinkOptions switch_link = options.switch_link.value_or(options.link);
  for (int place = 0; place < line.size(); ++place) {
    const int vertex = first + place * stride;
    if (!line.is_last(place)) cables.push_back({vertex, vertex + stride, options.link});
    if (!line.has_switch()) continue;
    if (line.is_first(place)) cables.push_back({vertex, of_switch, switch_link});
    if (line.is_last(place)) cables.push_back({vertex, of_switch, switch_link});
  }
}

/// The number of hosts; a double, so that no product of sizes overflows.
double places_of(const HammingMeshOptions& options) {
  double places = 1;
  for (const int size : options.board) places *= size;
  for (const int size : options.boards) places *= size;
  return places;
}

}  // namespace

void describe_kind(HammingMeshOptions& options, int hosts, OptionVisitor& visitor) {
  constexpr ListSize two{.least = 2,
                         .greatest = 2,
                         .noun = "sizes",
                         .problem = "wrong number of sizes",
                         .wanted = "two sizes, rows and columns"};
  visitor.integers({.key = "board", .meaning = "rows and columns of hosts on a board", .is_needed = true},
                   options.board, port_range, two);
  visitor.integers({.key = "boards",
                    .meaning = "rows and columns of boards; the product of all four sizes is the number of "
                               "hosts, whose numbers are row-major across boards",
                    .is_needed = true},
                   options.boards, port_range, two);
  visitor.require(hosts == 0 || places_of(options) == hosts, "boards", "wrong number of hosts",
                  fmt::format("sizes whose product with those of a board is {}", hosts));
  describe_needed_link(visitor, "link between neighbors on a board", options.link);
  visitor.object(
      {"switch_link", "link from the edge of a board to the switch of a row or column", "as `link`"},
      options.switch_link);
}

Fabric build_hamming_mesh(int hosts, const HammingMeshOptions& options) {
  const BoardGrid grid = {{options.board[1], options.boards[1]}, {options.board[0], options.boards[0]}};
  Fabric fabric;
  fabric.hosts = hosts;
  fabric.dimensions = {grid.rows(), grid.columns()};
  append_vertices(fabric, VertexKind::host, hosts, "host");
  append_vertices(fabric, VertexKind::network_switch, grid.row_switches(), "row");
  append_vertices(fabric, VertexKind::network_switch, grid.column_switches(), "column");
  for (int row = 0; row < grid.rows(); ++row)
    append_line(grid.along_row, grid.host(row, 0), 1, grid.row_switch(row), options, fabric.cables);
  for (int column = 0; column < grid.columns(); ++column) {
    append_line(grid.along_column, grid.host(0, column), grid.columns(), grid.column_switch(column), options,
                fabric.cables);
  }
  fabric.router = std::make_unique<HammingMeshRouter>(grid);
  return fabric;
}

}  // namespace starling
