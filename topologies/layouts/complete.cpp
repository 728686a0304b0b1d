#include "topologies/layouts/complete.hpp"

#include <memory>

namespace starling {
namespace {

class CompleteRouter final : public Router {
 public:
  explicit CompleteRouter(int hosts) : hosts_(hosts) {}

  void next_vertices(int /*vertex*/, int destination, std::vector<int>& next) const override {
    next.push_back(destination);
  }

  int diameter() const override { return hosts_ > 1 ? 1 : 0; }

 private:
  int hosts_;
};

}  // namespace

Fabric build_complete(int hosts, const LinkOptions& link) {
  Fabric fabric;
  fabric.hosts = hosts;
  append_vertices(fabric, VertexKind::host, hosts, "host");
  for (int from = 0; from < hosts; ++from) {
    for (int to = from + 1; to < hosts; ++to) fabric.cables.push_back({from, to, link});
  }
  fabric.router = std::make_unique<CompleteRouter>(hosts);
  return fabric;
}

}  // namespace starling
