#include "algorithms/collectives/schedules/double_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace starling {

int InOrderTree::parent(int place) const {
  if (place == 0) return -1;
  const int lowest_bit = place & -place;
  const int above = (place ^ lowest_bit) | (lowest_bit << 1);
  return above < places_ ? above : place ^ lowest_bit;
}

Rank DoubleTree::parent(Rank rank, int tree) const {
  const InOrderTree in_order(ranks_);
  if (tree == 0) return in_order.parent(rank);
  if (ranks_ % 2 == 0) {
    const int place = in_order.parent(ranks_ - 1 - rank);
    return place < 0 ? -1 : ranks_ - 1 - place;
  }
  const int place = in_order.parent(rank == 0 ? ranks_ - 1 : rank - 1);
  return place < 0 ? -1 : (place + 1) % ranks_;
}

namespace {

/// Assigns a color and a start to the edges of both trees. Edge 2r + t leads from rank r to its parent in
/// tree t.
class EdgeColoring {
 public:
  /// Edges form components that are colored independently of each other; bit i of `choice` is the color of
  /// the first edge of component i.
  EdgeColoring(const DoubleTree& tree, unsigned choice);

  bool exists(int edge) const { return parent_[at(edge)] >= 0; }
  Rank parent(int edge) const { return parent_[at(edge)]; }
  int color(int edge) const { return color_[at(edge)]; }
  int start(int edge) const { return start_[at(edge)]; }
  int components() const { return components_; }
  /// One more than the latest start of an edge.
  int depth() const { return 1 + *std::ranges::max_element(start_); }

 private:
  static std::size_t at(int edge) { return static_cast<std::size_t>(edge); }
  void color_from(int edge, int color_of_first);
  void find_start(int edge);
  const std::array<int, 2>& into(Rank rank) const { return into_[at(rank)]; }

  std::vector<Rank> parent_;
  std::vector<std::array<int, 2>> into_;  // the edges from the children of a rank, −1 if fewer
  std::vector<int> color_;
  std::vector<int> start_;
  int components_ = 0;
};

EdgeColoring::EdgeColoring(const DoubleTree& tree, unsigned choice)
    : parent_(2 * at(tree.ranks())),
      into_(at(tree.ranks()), {-1, -1}),
      color_(parent_.size(), -1),
      start_(parent_.size(), -1) {
  const int edges = 2 * tree.ranks();
  for (int edge = 0; edge < edges; ++edge) {
    parent_[at(edge)] = tree.parent(edge / 2, edge % 2);
    if (!exists(edge)) continue;
    std::array<int, 2>& siblings = into_[at(parent(edge))];
    STARLING_INVARIANT(siblings[1] < 0);
    siblings[siblings[0] < 0 ? 0 : 1] = edge;
  }
  for (int edge = 0; edge < edges; ++edge) {
    if (exists(edge) && color(edge) < 0) color_from(edge, static_cast<int>(choice >> components_++ & 1U));
  }
  for (int edge = 0; edge < edges; ++edge) {
    if (exists(edge)) find_start(edge);
  }
}

/// Edges that share a sender or a receiver form paths and even cycles, along which colors alternate.
void EdgeColoring::color_from(int first, int color_of_first) {
  std::vector<int> open{first};
  color_[at(first)] = color_of_first;
  while (!open.empty()) {
    const int edge = open.back();
    open.pop_back();
    const std::array<int, 2>& siblings = into(parent(edge));
    for (const int neighbor : {edge ^ 1, siblings[0] == edge ? siblings[1] : siblings[0]}) {
      if (neighbor < 0 || !exists(neighbor)) continue;
      if (color(neighbor) < 0) {
        color_[at(neighbor)] = 1 - color(edge);
        open.push_back(neighbor);
      }
      STARLING_INVARIANT(color(neighbor) != color(edge));
    }
  }
}

void EdgeColoring::find_start(int edge) {
  if (start(edge) >= 0) return;
  int earliest = 0;
  for (const int below : into(edge / 2)) {
    if (below < 0 || below % 2 != edge % 2) continue;
    find_start(below);
    earliest = std::max(earliest, start(below) + 1);
  }
  start_[at(edge)] = earliest + (earliest % 2 == color(edge) ? 0 : 1);
}

/// The coloring of least depth. The color of a component's first edge changes the depth by at most one step;
/// there are two or three components, so all choices are tried.
EdgeColoring best_coloring(const DoubleTree& tree) {
  EdgeColoring best(tree, 0);
  const unsigned choices = 1U << std::min(best.components(), 3);
  for (unsigned choice = 1; choice < choices; ++choice) {
    EdgeColoring other(tree, choice);
    if (other.depth() < best.depth()) best = std::move(other);
  }
  return best;
}

}  // namespace

DoubleTree::DoubleTree(int ranks) : ranks_(ranks), up_(index_of(ranks)), down_(index_of(ranks)) {
  const EdgeColoring edges = best_coloring(*this);
  depth_ = edges.depth();
  for (int edge = 0; edge < 2 * ranks; ++edge) {
    if (!edges.exists(edge)) continue;
    const Rank child = edge / 2;
    const Rank parent = edges.parent(edge);
    const std::size_t color = static_cast<std::size_t>(edges.color(edge));
    up_[index_of(child)][color] = {.peer = parent, .tree = edge % 2, .start = edges.start(edge)};
    down_[index_of(parent)][color] = {.peer = child, .tree = edge % 2, .start = edges.start(edge)};
  }
}

DoubleTreeAllReduce::DoubleTreeAllReduce(int ranks, std::int64_t count, int segments)
    : Schedule(ranks, count),
      tree_(ranks),
      segments_(segments),
      phase_rounds_(ranks == 1 ? 0 : tree_.depth() + 2 * (segments - 1)),
      halves_(count, DoubleTree::trees),
      segments_of_half_{EvenPartition(halves_.chunk(0).count, segments),
                        EvenPartition(halves_.chunk(1).count, segments)} {}

Transmission DoubleTreeAllReduce::transmission(const DoubleTree::Edge& edge, int steps_since_start) const {
  const int segment = steps_since_start / 2;
  if (edge.peer < 0 || steps_since_start < 0 || segment >= segments_) return {};
  const Chunk chunk = segments_of_half_[static_cast<std::size_t>(edge.tree)].chunk(segment);
  return {.peer = edge.peer,
          .chunk = {.offset = halves_.offset(edge.tree) + chunk.offset, .count = chunk.count}};
}

Round DoubleTreeAllReduce::round(Rank rank, int index) const {
  const bool goes_up = index < phase_rounds_;
  if (goes_up) {
    const DoubleTree::Edge& up = tree_.up(rank, index % 2);
    const DoubleTree::Edge& down = tree_.down(rank, index % 2);
    return {.send = transmission(up, index - up.start),
            .receive = transmission(down, index - down.start),
            .action = Round::Action::reduce};
  }
  const int step = index - phase_rounds_;
  const int last_start = tree_.depth() - 1;
  const int color = (last_start + step) % 2;
  const DoubleTree::Edge& up = tree_.up(rank, color);
  const DoubleTree::Edge& down = tree_.down(rank, color);
  return {.send = transmission(down, step - (last_start - down.start)),
          .receive = transmission(up, step - (last_start - up.start)),
          .action = Round::Action::copy};
}

int best_double_tree_segments(int depth, double bytes, double start_up_s, double s_per_byte,
                              double reduction_s_per_byte) {
  if (start_up_s <= 0 || depth <= 2) return 1;
  const double transfer_s = bytes * (2 * s_per_byte + reduction_s_per_byte);
  const double segments = std::sqrt((depth - 2) * transfer_s / (8 * start_up_s));
  return static_cast<int>(std::clamp(std::round(segments), 1.0, 1.0 * most_double_tree_segments));
}

}  // namespace starling
