#pragma once

namespace starling {

/// How an all-reduce (or its halves) is done.
enum class CollectiveKind {
  ring,
  recursive_doubling,
  halving_doubling,
  double_tree,
  hierarchical,
  automatic
};

}  // namespace starling
