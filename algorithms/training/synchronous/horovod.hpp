#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/shared/bucket.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// Horovod: tensors that are ready on every rank are fused and sent once a cycle.
struct HorovodOptions {
  static constexpr std::string_view kind = "horovod";
  static constexpr TrainingTraits traits{.is_synchronous = true, .uses_collective = true};
  std::string collective = "ring";
  /// From one negotiation to the next: 1 ms since release 0.21, 5 ms before. Above 0.
  double cycle_time_s = 1e-3;
  /// Tensors are fused while their sum does not exceed this: 128 MB since release 0.21, 64 MB before. 0: no
  /// fusion.
  double fusion_bytes = 128 * mebibyte;
  /// Names of tensors whose gradients TensorFlow has as slices (rows with their numbers), which are gathered
  /// and not summed: everyone receives everyone's and adds them up itself. A tied embedding is one, with all
  /// of its rows, unless the program asks for sparse_as_dense. Never fused.
  /// Reference: Cavdar et al., "Densifying assumed-sparse tensors", ISC High Performance 2019.
  std::vector<std::string> sparse_tensors = {};
};

/// Horovod: a background strand negotiates every `cycle_time_s` which tensors are ready on all workers, fuses
/// those that became so up to `fusion_bytes`, and hands them to the communication stream, where one
/// all-reduce follows the other. Of sparse tensors each is a ring all-gather, (P − 1)(α + βm) for m bytes of
/// a worker.
///
/// A negotiation is a bit per tensor, combined over a binomial tree to rank 0 and sent back down it, as real
/// messages: 2⌈log₂P⌉α. Negotiations go on while data is exchanged, and through forward passes; a cycle that
/// a negotiation outlasts begins when that one ends. The first begins one cycle time after the job.
/// Reference: Sergeev, Del Balso, "Horovod: fast and easy distributed deep learning in TensorFlow", arXiv
/// 1802.05799, and the released code (background loop, response cache, fusion buffer).
class Horovod final : public TrainingAlgorithm {
 public:
  Horovod(const HorovodOptions& options, const Workload& workload, const CollectiveChoice& collective);

  /// @throws std::runtime_error if an iteration outlasts a million cycles, as soon as that is clear.
  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  bool has_control_beside_collectives() const override { return true; }
  UsualTraffic usual_traffic(const Workload& workload) const override;

  const HorovodOptions& options() const { return options_; }
  /// One by one, in the order of the backward pass.
  const std::vector<Bucket>& tensors() const { return tensors_; }
  bool is_sparse(int tensor) const { return is_sparse_[static_cast<std::size_t>(tensor)]; }
  /// How much of fusion_bytes each takes; a sparse one infinitely much.
  std::vector<double> fusion_bytes_of(Replica& replica) const;
  /// What a negotiation is, one after the other, with a bit for each tensor.
  std::array<const Schedule*, 2> negotiation() const {
    return {gather_readiness_.get(), broadcast_response_.get()};
  }
  /// What sums so many elements, and what gathers so many of each worker.
  const Schedule& allreduce(std::int64_t count) const;
  const Schedule& allgather(std::int64_t count) const;

  /// For whoever goes on cycle by cycle in an iteration, after so many of them that took so long together,
  /// while the next tensor is not ready everywhere for that long.
  /// @throws std::runtime_error if there will be more than a million.
  void check_cycles(std::int64_t cycles, double passed_s, double until_ready_s, std::int64_t iteration) const;
  /// For whoever knows how many there will be. @throws std::runtime_error if that is a million or more.
  void check_cycles(double cycles, std::int64_t iteration) const;

  static constexpr double bytes_per_bit = 1.0 / 8;

 private:
  class Run;

  HorovodOptions options_;
  CollectiveChoice collective_;
  std::vector<Bucket> tensors_;  // one by one, in the order of the backward pass
  std::vector<bool> is_sparse_;  // in the same order
  std::unique_ptr<Schedule> gather_readiness_;
  std::unique_ptr<Schedule> broadcast_response_;
  /// By element count; what is fused follows from the run, so they are made when first needed.
  mutable std::map<std::int64_t, std::unique_ptr<Schedule>> allreduces_;
  mutable std::map<std::int64_t, std::unique_ptr<Schedule>> allgathers_;  // by elements of a worker
};

/// How many of the tensors first … end−1 (in the order of the backward pass) go into the next message: as
/// many as stay within `fusion_bytes`, and at least one. A tensor of infinitely many bytes goes alone.
int fused_tensors(const std::vector<double>& tensor_bytes, int first, int end, double fusion_bytes);

void describe(HorovodOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const HorovodOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
