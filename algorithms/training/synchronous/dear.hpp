#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/option_warning.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// DeAR: reduce-scatters under the backward pass, all-gathers under the next forward pass.
struct DearOptions {
  static constexpr std::string_view kind = "dear";
  static constexpr TrainingTraits traits{.is_synchronous = true,
                                         .ends_before_its_messages = true,
                                         .waits_within_iteration = true,
                                         .sends_same_every_iteration = true,
                                         .has_option_warnings = true,
                                         .uses_collective = true};
  static constexpr double default_bucket_bytes = 25 * mebibyte;
  /// ring, halving_doubling (if P is a power of two) or auto: the collectives with a reduce-scatter and an
  /// all-gather.
  std::string collective = "ring";
  /// Layers join a group while its total size stays below this; 0: no fusion, every layer is a group of its
  /// own. Not set ("auto"): the result of search_bucket_bytes(), which the caller runs before the job; until
  /// then default_bucket_bytes.
  std::optional<double> bucket_bytes = default_bucket_bytes;
  /// The number of groups that all-gathers may be ahead of the forward pass: the all-gather of group
  /// g+prefetch_depth is issued when group g is complete and the forward pass reaches it. At least 1.
  int prefetch_depth = 1;
  /// Whether the host launches the forward pass ahead of the GPU, as published: it reaches a group as soon as
  /// the group is complete, and all-gathers follow each other without gaps. If false, the forward pass
  /// reaches a group when the GPU has computed the groups before it, so all-gathers are at most
  /// prefetch_depth groups ahead of the computation.
  bool launch_ahead = true;
  /// Whether every iteration ends by waiting for all communication under way, as the published measurements
  /// do.
  bool sync_each_iteration = false;
};

/// DeAR: every all-reduce is split into a reduce-scatter, which runs during the backward pass, and an
/// all-gather, which runs during the next forward pass.
///
/// With groups 0 … G−1 in forward order, padded to a multiple of P, and prefetch depth d:
/// - RSend(g) = max(ready(g), RSend(g+1)) + T_RS(m_g);
/// - the global point is when both the backward pass and RSend(0) have ended;
/// - AGend(g) = AGend(g−1) + T_AG(m_g), beginning at the global point;
/// - FFstart(g) = max(FFend(g−1), AGend(g)) + update(g).
///
/// All-gathers 0 … d−1 are issued at the global point, that of g+d when group g is complete and the forward
/// pass reaches it. With `launch_ahead` the host reaches it at once, so an all-gather waits for nothing but
/// the preceding one (and, from d on, for a delay before the forward pass). Without it, the GPU must first
/// have computed group g−1. An iteration ends at its global point, or with `sync_each_iteration` when the
/// all-gathers issued there are complete. The remaining all-gathers and updates of the last iteration are
/// done after its end and belong to no iteration. Gradients are gathered, not parameters, so every worker
/// runs the whole optimizer.
/// Reference: Zhang, Shi, Chu, Wang, Li, Liu, "Decoupling the all-reduce primitive for accelerating
/// distributed deep learning", ICDCS 2023, arXiv 2302.12445.
class Dear final : public TrainingAlgorithm {
 public:
  Dear(const DearOptions& options, const Workload& workload, const CollectiveChoice& collective);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  /// The reduce-scatters of all groups, then their all-gathers.
  std::vector<const Schedule*> sequential_collectives() const override;
  const std::vector<LayerGroup>& groups() const { return groups_; }
  const DearOptions& options() const { return options_; }

 private:
  class Run;

  DearOptions options_;
  std::vector<LayerGroup> groups_;
  std::vector<std::unique_ptr<Schedule>> reduce_scatters_;  // one per group
  std::vector<std::unique_ptr<Schedule>> allgathers_;       // one per group
};

/// Warns of a prefetch depth that nothing makes all-gathers wait for.
std::vector<OptionWarning> option_warnings(const DearOptions& options, const OptionConditions& conditions);
void describe(DearOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const DearOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
