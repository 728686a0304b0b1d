#include "topologies/layouts/grid.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace starling {
namespace {

struct Axis {
  int size = 1;
  int stride = 1;
  bool is_closed = false;

  int coordinate(int vertex) const { return vertex / stride % size; }
};

class GridRouter final : public Router {
 public:
  explicit GridRouter(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    for (const Axis& axis : axes_) append_steps(axis, vertex, destination, next);
  }

  int diameter() const override {
    int links = 0;
    for (const Axis& axis : axes_) links += axis.is_closed ? axis.size / 2 : axis.size - 1;
    return links;
  }

 private:
  static void append_steps(const Axis& axis, int vertex, int destination, std::vector<int>& next) {
    const int here = axis.coordinate(vertex);
    const int there = axis.coordinate(destination);
    if (here == there) return;
    const int upward = (there - here + axis.size) % axis.size;
    const bool is_up = axis.is_closed ? 2 * upward <= axis.size : there > here;
    // Half-way round a closed dimension both directions are equally short; in a dimension of size 2 they are
    // the same cable.
    const bool is_down = axis.is_closed ? 2 * upward >= axis.size && axis.size > 2 : there < here;
    if (is_up) next.push_back(vertex + ((here + 1) % axis.size - here) * axis.stride);
    if (is_down) next.push_back(vertex + ((here + axis.size - 1) % axis.size - here) * axis.stride);
  }

  std::vector<Axis> axes_;
};

void append_cables(const Axis& axis, const LinkOptions& link, int hosts, std::vector<Cable>& cables) {
  for (int host = 0; host < hosts; ++host) {
    if (axis.coordinate(host) + 1 < axis.size) {
      cables.push_back({host, host + axis.stride, link});
    } else if (axis.is_closed && axis.size > 2) {
      cables.push_back({host, host - (axis.size - 1) * axis.stride, link});
    }
  }
}

}  // namespace

Fabric build_grid(std::span<const GridDimension> dimensions) {
  Fabric fabric;
  fabric.hosts = 1;
  std::vector<Axis> axes(dimensions.size());
  for (std::size_t index = dimensions.size(); index-- > 0;) {
    axes[index] = {dimensions[index].size, fabric.hosts, dimensions[index].is_closed};
    fabric.hosts *= dimensions[index].size;
  }
  append_vertices(fabric, VertexKind::host, fabric.hosts, "host");
  for (std::size_t index = 0; index < axes.size(); ++index) {
    append_cables(axes[index], dimensions[index].link, fabric.hosts, fabric.cables);
    fabric.dimensions.push_back(axes[index].size);
  }
  fabric.router = std::make_unique<GridRouter>(std::move(axes));
  return fabric;
}

}  // namespace starling
