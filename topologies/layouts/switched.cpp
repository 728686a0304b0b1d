#include "topologies/layouts/switched.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace starling {
namespace {

class SwitchedRouter final : public Router {
 public:
  SwitchedRouter(int hosts, std::unique_ptr<Router> direct) : hosts_(hosts), direct_(std::move(direct)) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    if (vertex < hosts_) {
      next.push_back(vertex + hosts_);
    } else if (vertex - hosts_ == destination) {
      next.push_back(destination);
    } else {
      const std::size_t first = next.size();
      direct_->next_vertices(vertex - hosts_, destination, next);
      for (std::size_t index = first; index < next.size(); ++index) next[index] += hosts_;
    }
  }

  int diameter() const override { return hosts_ > 1 ? direct_->diameter() + 2 : 0; }

 private:
  int hosts_;
  std::unique_ptr<Router> direct_;
};

}  // namespace

Fabric with_switches(Fabric direct, const LinkOptions& host_link) {
  Fabric fabric = std::move(direct);
  append_vertices(fabric, VertexKind::network_switch, fabric.hosts, "switch");
  for (Cable& cable : fabric.cables) {
    cable.from += fabric.hosts;
    cable.to += fabric.hosts;
  }
  for (int host = 0; host < fabric.hosts; ++host)
    fabric.cables.push_back({host, fabric.hosts + host, host_link});
  fabric.router = std::make_unique<SwitchedRouter>(fabric.hosts, std::move(fabric.router));
  return fabric;
}

}  // namespace starling
