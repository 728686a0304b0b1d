#pragma once

namespace starling {

/// The algorithm of an all-reduce, or of its reduce-scatter and all-gather. `automatic` chooses the one whose
/// cost formula is the lowest (collectives.hpp).
enum class CollectiveKind {
  ring,
  recursive_doubling,
  halving_doubling,
  double_tree,
  hierarchical,
  automatic
};

}  // namespace starling
