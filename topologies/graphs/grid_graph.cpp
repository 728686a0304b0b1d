#include "topologies/graphs/grid_graph.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace starling {

GridGraph::GridGraph(std::vector<int> dimensions, bool is_closed)
    : SymmetricGraph(
          {.workers = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>())}),
      dimensions_(std::move(dimensions)),
      is_closed_(is_closed) {}

void GridGraph::find_out_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const {
  found.clear();
  int stride = 1;
  for (auto size = dimensions_.rbegin(); size != dimensions_.rend(); ++size) {
    const int here = rank / stride % *size;
    const bool has_upper = is_closed_ ? *size > 1 : here + 1 < *size;
    // In a closed dimension of size 2, the upper and the lower neighbor are the same.
    const bool has_lower = is_closed_ ? *size > 2 : here > 0;
    if (has_upper) found.push_back(rank + ((here + 1) % *size - here) * stride);
    if (has_lower) found.push_back(rank + ((here + *size - 1) % *size - here) * stride);
    stride *= *size;
  }
  std::sort(found.begin(), found.end());
}

}  // namespace starling
