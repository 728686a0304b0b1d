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

/// Horovod: in every cycle, the tensors that have become ready on all ranks are fused and sent.
struct HorovodOptions {
  static constexpr std::string_view kind = "horovod";
  static constexpr TrainingTraits traits{.is_synchronous = true, .uses_collective = true};
  std::string collective = "ring";
  /// The time from the start of one negotiation to that of the next: 1 ms since release 0.21, 5 ms before.
  /// Above 0.
  double cycle_time_s = 1e-3;
  /// Tensors are fused while their total size does not exceed this: 128 MiB since release 0.21, 64 MiB
  /// before. 0: no fusion.
  double fusion_bytes = 128 * mebibyte;
  /// The names of tensors whose gradients TensorFlow holds as slices (rows with their indices). Their
  /// gradients are gathered, not summed: every worker receives those of all others and adds them up itself. A
  /// tied embedding is such a tensor, with all of its rows, unless the program asks for sparse_as_dense. They
  /// are never fused.
  /// Reference: Cavdar et al., "Densifying assumed-sparse tensors", ISC High Performance 2019.
  std::vector<std::string> sparse_tensors = {};
};

/// Horovod: in every cycle of `cycle_time_s`, a background strand negotiates which tensors are ready on all
/// workers, fuses those that have become so up to `fusion_bytes`, and hands them to the communication stream,
/// which runs one all-reduce after the other. A sparse tensor is a ring all-gather of its own, (P − 1)(α +
/// βm) for m bytes of each worker.
///
/// A negotiation combines one bit per tensor along a binomial tree down to rank 0 and broadcasts the result
/// along the same tree, as real messages: 2⌈log₂P⌉α. Negotiations go on while data is exchanged, and through
/// forward passes. If a negotiation takes longer than a cycle, the next cycle begins when it ends. The first
/// cycle begins one cycle time after the job.
/// Reference: Sergeev, Del Balso, "Horovod: fast and easy distributed deep learning in TensorFlow", arXiv
/// 1802.05799, and the released code (background loop, response cache, fusion buffer).
class Horovod final : public TrainingAlgorithm {
 public:
  Horovod(const HorovodOptions& options, const Workload& workload, const CollectiveChoice& collective);

  /// @throws std::runtime_error if an iteration takes more than a million cycles, as soon as that is
  /// foreseeable.
  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;
  bool has_control_beside_collectives() const override { return true; }
  TypicalTraffic typical_traffic(const Workload& workload) const override;

  const HorovodOptions& options() const { return options_; }
  /// All tensors, as buckets of one tensor, in the order of the backward pass.
  const std::vector<Bucket>& tensors() const { return tensors_; }
  bool is_sparse(int tensor) const { return is_sparse_[static_cast<std::size_t>(tensor)]; }
  /// The bytes of each tensor that count against fusion_bytes; infinity for a sparse one.
  std::vector<double> fusion_bytes_of(Replica& replica) const;
  /// The two collectives of a negotiation, a reduce and a broadcast of one bit per tensor, which run one
  /// after the other.
  std::array<const Schedule*, 2> negotiation() const {
    return {gather_readiness_.get(), broadcast_response_.get()};
  }
  /// The schedules that sum `count` elements, and that gather `count` elements of each worker.
  const Schedule& allreduce(std::int64_t count) const;
  const Schedule& allgather(std::int64_t count) const;

  /// Checks during an iteration, before each cycle, that its cycles will be at most a million. `cycles` have
  /// passed, in `passed_s` together; the next tensor will be ready on all workers in `until_ready_s` at the
  /// earliest.
  /// @throws std::runtime_error if there will be more.
  void check_cycles(std::int64_t cycles, double passed_s, double until_ready_s, std::int64_t iteration) const;
  /// Checks a known number of cycles. @throws std::runtime_error if it is a million or more.
  void check_cycles(double cycles, std::int64_t iteration) const;

  static constexpr double bytes_per_bit = 1.0 / 8;

 private:
  class Run;

  HorovodOptions options_;
  CollectiveChoice collective_;
  std::vector<Bucket> tensors_;  // one bucket each, in the order of the backward pass
  std::vector<bool> is_sparse_;  // in the same order
  std::unique_ptr<Schedule> gather_readiness_;
  std::unique_ptr<Schedule> broadcast_response_;
  /// By element count. Made when first needed, as the run determines which tensors are fused.
  mutable std::map<std::int64_t, std::unique_ptr<Schedule>> allreduces_;
  mutable std::map<std::int64_t, std::unique_ptr<Schedule>> allgathers_;  // by element count of a worker
};

/// The number of tensors from `first` on, of first … end−1 in the order of the backward pass, that go into
/// the next message: as many as fit into `fusion_bytes`, and at least one. A tensor of infinitely many bytes
/// goes alone.
int fused_tensors(const std::vector<double>& tensor_bytes, int first, int end, double fusion_bytes);

void describe(HorovodOptions& options, OptionVisitor& visitor);
std::unique_ptr<TrainingAlgorithm> make_algorithm(const HorovodOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

}  // namespace starling
