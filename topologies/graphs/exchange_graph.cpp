#include "topologies/graphs/exchange_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace starling {
namespace {

CommunicationGraphTraits traits_of(int workers, const std::vector<std::vector<int>>& masks) {
  const bool is_grouped = std::all_of(masks.begin(), masks.end(),
                                      [](const auto& of_iteration) { return of_iteration.size() <= 1; });
  return {.workers = workers, .period = static_cast<int>(masks.size()), .is_grouped = is_grouped};
}

}  // namespace

ExchangeGraph::ExchangeGraph(int workers, std::vector<std::vector<int>> masks)
    : SymmetricGraph(traits_of(workers, masks)), masks_(std::move(masks)) {}

void ExchangeGraph::find_out_neighbors(Rank rank, std::int64_t iteration, std::vector<Rank>& found) const {
  found.clear();
  for (const int mask : masks_[static_cast<std::size_t>(phase(iteration))]) found.push_back(rank ^ mask);
  std::sort(found.begin(), found.end());
}

int ExchangeGraph::out_degree(Rank, std::int64_t iteration) const {
  return static_cast<int>(masks_[static_cast<std::size_t>(phase(iteration))].size());
}

}  // namespace starling
