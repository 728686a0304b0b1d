#include "algorithms/training/gossip/dpsgd.hpp"

#include <utility>
#include <vector>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/graph_mixing.hpp"
#include "algorithms/training/gossip/neighbor_averaging.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"
#include "sim/event.hpp"

namespace starling {
namespace {

constexpr Tag neighbor_tag = 1;

}  // namespace

Dpsgd::Dpsgd(const DpsgdOptions& options, std::shared_ptr<const MixingSchedule> mixing)
    : options_(options), mixing_(std::move(mixing)) {}

/// One worker's run.
class Dpsgd::Run {
 public:
  Run(const Dpsgd& dpsgd, Worker& worker, Replica& replica, const TrainingJob& job)
      : overlaps_(dpsgd.options_.overlap),
        trainer_(worker, replica, job),
        buckets_(model_buckets(job.workload, dpsgd.options_.bucket_bytes)),
        models_(bucket_models(replica, buckets_)),
        averaged_(worker, "the neighbors' models") {
    averagings_.reserve(models_.size());
    for (const Buffer model : models_) averagings_.emplace_back(worker, *dpsgd.mixing_, model, neighbor_tag);
  }

  void iterate(std::int64_t iteration) {
    if (overlaps_) start_averaging(iteration);
    trainer_.begin_iteration();
    trainer_.forward();
    exchange_during_backward(trainer_, buckets_, [&](std::size_t bucket) { average(bucket, iteration); });
    if (overlaps_)
      averaged_.wait();
    else if (buckets_.empty())
      average(0, iteration);
    for (std::size_t i = 0; i < models_.size(); ++i) copy_model(averagings_[i].mixed(), models_[i]);
    trainer_.update(trainer_.replica().all(), 1);
    trainer_.end_iteration();
  }

 private:
  void start_averaging(std::int64_t iteration) {
    averaged_.reset();
    trainer_.worker().spawn("communication", [this, iteration] {
      average(0, iteration);
      averaged_.set();
    });
  }

  void average(std::size_t model, std::int64_t iteration) {
    const double start_s = trainer_.worker().now();
    averagings_[model].average(iteration, models_[model]);
    const int neighbors = averagings_[model].neighbors();
    if (neighbors > 0) trainer_.participation().add_average(neighbors);
    if (trainer_.worker().is_traced())
      trainer_.worker().trace("average with neighbors", start_s,
                              {.peers = averagings_[model].peers(), .bytes = models_[model].bytes()});
  }

  bool overlaps_;
  Trainer trainer_;
  std::vector<Bucket> buckets_;  // empty: the model is averaged as a whole
  std::vector<Buffer> models_;   // parameters of each bucket, or of the whole model
  std::vector<NeighborAveraging> averagings_;
  Event averaged_;
};

void Dpsgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
}

TypicalTraffic Dpsgd::typical_traffic(const Workload& workload) const {
  return typical_exchange(*mixing_, model_buckets(workload, options_.bucket_bytes).size());
}

void describe(DpsgdOptions& options, OptionVisitor& visitor) {
  describe_mixing(options.mixing, "which workers average their models; the weights must be doubly stochastic",
                  visitor);
  visitor.flag({"overlap", "whether models are exchanged while gradients are computed"}, options.overlap);
  describe_model_buckets(options.bucket_bytes, "absent: the whole model is averaged, after the backward pass",
                         visitor);
  visitor.require(!options.overlap || !options.bucket_bytes, "bucket_bytes",
                  "cannot be combined with overlap", "one of the two");
}

MixingMatrix mixing_matrix_of(const DpsgdOptions& options, const ClusterFacts& facts) {
  return rejecting_for(options.kind, [&] {
    MixingMatrix matrix = mixing_matrix(options.mixing, facts);
    check_stochastic(matrix, Stochastic::doubly);
    return matrix;
  });
}

std::int64_t pattern_period(const DpsgdOptions& options, const ClusterFacts& facts) {
  return mixing_period(options.mixing, facts);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const DpsgdOptions& options, const Workload&,
                                                  const ClusterFacts& facts) {
  return std::make_unique<Dpsgd>(options, std::make_shared<GraphMixing>(mixing_matrix_of(options, facts)));
}

}  // namespace starling
