#include "topologies/layouts/tree.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace starling {
namespace {

/// The vertices of one level; level 0 are the hosts.
struct Tier {
  int first_vertex = 0;
  int subtrees = 0;
  int hosts_below = 1;  // per subtree
  int roots = 1;        // per subtree
  int down = 1;         // children of each vertex
  int up = 1;           // parents of each vertex of the tier below

  int vertex(int subtree, int root) const { return first_vertex + subtree * roots + root; }
};

std::vector<Tier> tiers_of(int hosts, std::span<const TreeLevel> levels) {
  std::vector<Tier> tiers(levels.size() + 1);
  int subtrees = 1;
  for (std::size_t level = levels.size(); level > 0; --level) {
    tiers[level].subtrees = subtrees;
    subtrees *= levels[level - 1].down;
  }
  tiers[0].subtrees = hosts;
  for (std::size_t level = 1; level < tiers.size(); ++level) {
    const Tier& below = tiers[level - 1];
    Tier& tier = tiers[level];
    tier.down = levels[level - 1].down;
    tier.up = levels[level - 1].up;
    tier.first_vertex = below.first_vertex + below.subtrees * below.roots;
    tier.hosts_below = below.hosts_below * tier.down;
    tier.roots = below.roots * tier.up;
  }
  return tiers;
}

class TreeRouter final : public Router {
 public:
  explicit TreeRouter(std::vector<Tier> tiers) : tiers_(std::move(tiers)) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    const std::size_t level = level_of(vertex);
    const Tier& tier = tiers_[level];
    const int subtree = (vertex - tier.first_vertex) / tier.roots;
    const int root = (vertex - tier.first_vertex) % tier.roots;
    if (destination / tier.hosts_below == subtree) {
      const Tier& below = tiers_[level - 1];
      next.push_back(below.vertex(destination / below.hosts_below, root / tier.up));
    } else {
      const Tier& above = tiers_[level + 1];
      const int parent = above.vertex(subtree / above.down, root * above.up);
      for (int port = 0; port < above.up; ++port) next.push_back(parent + port);
    }
  }

  int diameter() const override {
    const int last_host = tiers_[0].subtrees - 1;
    std::size_t height = 0;
    while (last_host / tiers_[height].hosts_below > 0) ++height;
    return 2 * static_cast<int>(height);
  }

 private:
  std::size_t level_of(int vertex) const {
    std::size_t level = tiers_.size() - 1;
    while (vertex < tiers_[level].first_vertex) --level;
    return level;
  }

  std::vector<Tier> tiers_;
};

void append_cables(const Tier& below, const Tier& tier, const TreeLevel& level, std::vector<Cable>& cables) {
  for (int subtree = 0; subtree < below.subtrees; ++subtree) {
    for (int root = 0; root < below.roots; ++root) {
      for (int port = 0; port < tier.up * level.parallel; ++port) {
        const int parent = tier.vertex(subtree / tier.down, root * tier.up + port / level.parallel);
        cables.push_back({below.vertex(subtree, root), parent, level.link});
      }
    }
  }
}

}  // namespace

double host_ports(std::span<const TreeLevel> levels) {
  double ports = 1;
  for (const TreeLevel& level : levels) ports *= level.down;
  return ports;
}

double tree_cables(std::span<const TreeLevel> levels) {
  double below = host_ports(levels);
  double cables = 0;
  for (const TreeLevel& level : levels) {
    cables += below * level.up * level.parallel;
    below = below / level.down * level.up;
  }
  return cables;
}

Fabric build_tree(int hosts, std::span<const TreeLevel> levels) {
  Fabric fabric;
  fabric.hosts = hosts;
  append_vertices(fabric, VertexKind::host, hosts, "host");
  std::vector<Tier> tiers = tiers_of(hosts, levels);
  for (std::size_t level = 1; level < tiers.size(); ++level) {
    const Tier& tier = tiers[level];
    append_vertices(fabric, VertexKind::network_switch, tier.subtrees * tier.roots,
                    levels[level - 1].switch_name);
    append_cables(tiers[level - 1], tier, levels[level - 1], fabric.cables);
  }
  fabric.router = std::make_unique<TreeRouter>(std::move(tiers));
  return fabric;
}

}  // namespace starling
