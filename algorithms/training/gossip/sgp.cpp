#include "algorithms/training/gossip/sgp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/graph_mixing.hpp"
#include "algorithms/training/gossip/push_sum.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag push_tag = 1;
constexpr Tag host_tag = 2;

}  // namespace

Sgp::Sgp(const SgpOptions& options, std::shared_ptr<const MixingSchedule> mixing,
         std::unique_ptr<const HostSharing> hosts)
    : options_(options), mixing_(std::move(mixing)), hosts_(std::move(hosts)) {}

/// One worker's run.
class Sgp::Run {
 public:
  Run(const Sgp& sgp, Worker& worker, Replica& replica, const TrainingJob& job)
      : overlap_(sgp.options_.overlap),
        hosts_(sgp.hosts_.get()),
        worker_(worker),
        trainer_(worker, replica, job),
        buckets_(model_buckets(job.workload, sgp.options_.bucket_bytes)),
        models_(bucket_models(replica, buckets_)) {
    for (const Buffer model : models_)
      push_sums_.emplace_back(worker, *sgp.mixing_, model, push_tag, weight());
  }

  void iterate(std::int64_t iteration) {
    trainer_.begin_iteration();
    trainer_.forward();
    exchange_during_backward(trainer_, buckets_, [&](std::size_t bucket) { exchange(bucket, iteration); });
    if (hosts_ != nullptr) hosts_->sum(worker_, trainer_.replica().gradients(), host_tag);
    step();
    if (buckets_.empty()) exchange(0, iteration);
    remove_bias();
    share();
    trainer_.end_iteration();
  }

  void finish() {
    if (overlap_ > 0) take(push_sums_.front(), trainer_.iteration() % overlap_);
    remove_bias();
    if (overlap_ > 0 && trainer_.iteration() >= 0) share();
  }

 private:
  /// x −= step, computed in the replica, which otherwise holds z. A host with fewer workers has a smaller
  /// weight, and its steps are scaled by it.
  void step() {
    for (std::size_t i = 0; i < models_.size(); ++i) copy_model(push_sums_[i].model(), models_[i]);
    trainer_.update(trainer_.replica().all(), 1.0 / members());
    for (std::size_t i = 0; i < models_.size(); ++i) move_model(push_sums_[i].model(), models_[i], weight());
  }

  void exchange(std::size_t model, std::int64_t iteration) {
    PushSum& push_sum = push_sums_[model];
    if (overlap_ == 0) {
      push_sum.push(iteration);
      take(push_sum, 0);
    } else if (iteration % overlap_ == 0) {
      take(push_sum, overlap_);
      push_sum.push(iteration / overlap_);
    }
  }

  /// Waits for the messages of the exchange `staleness` iterations ago, and adds them.
  void take(PushSum& push_sum, std::int64_t staleness) {
    const int neighbors = push_sum.complete();
    if (neighbors > 0) trainer_.participation().add_average(neighbors, staleness);
  }

  /// z = x/w
  void remove_bias() {
    for (std::size_t i = 0; i < models_.size(); ++i) {
      copy_model(push_sums_[i].model(), models_[i]);
      scale_model(models_[i], 1 / push_sums_[i].weight());
    }
  }

  /// Copies the z of the host's first worker to its other workers, which do not push and have no model of
  /// their own.
  void share() {
    if (hosts_ == nullptr) return;
    const Buffer parameters = trainer_.replica().parameters();
    hosts_->share(worker_, parameters, host_tag);
    if (hosts_->is_first(worker_.rank())) return;
    copy_model(parameters, push_sums_.front().model());
    scale_model(push_sums_.front().model(), push_sums_.front().weight());
  }

  int members() const { return hosts_ == nullptr ? 1 : hosts_->members(worker_.rank()); }
  /// The weight of this worker's host: its share of the most workers that a host has, which is the number on
  /// host 0.
  double weight() const {
    return hosts_ == nullptr ? 1 : static_cast<double>(members()) / hosts_->members(0);
  }

  int overlap_;
  const HostSharing* hosts_;
  Worker& worker_;
  Trainer trainer_;
  std::vector<Bucket> buckets_;  // empty: the model is pushed as a whole
  std::vector<Buffer> models_;   // parameters of each bucket, or of the whole model
  std::deque<PushSum> push_sums_;
};

void Sgp::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
  run->finish();
}

namespace {

/// The facts of the cluster that SGP's graph joins: hosts or workers.
ClusterFacts facts_of_mixing(const SgpOptions& options, const ClusterFacts& facts) {
  return options.per_host ? facts_of_hosts(facts) : facts;
}

/// The options' graph, or the directed exponential graph if there is none.
MixingOptions mixing_of(const SgpOptions& options, int workers) {
  if (options.mixing) return *options.mixing;
  const int powers = workers > 1 ? ceil_log2(workers) : 1;
  if (workers > 1 && options.neighbors > powers)
    reject("neighbors is {}; with {} workers it must be 1 … {}", options.neighbors, workers, powers);
  const int peers = workers > 1 ? options.neighbors : 1;
  return {.graph = OnePeerExponentialGraph{.pairs = ExponentialPairs::shift, .peers = peers}};
}

}  // namespace

TypicalTraffic Sgp::typical_traffic(const Workload& workload) const {
  TypicalTraffic traffic = typical_exchange(*mixing_, model_buckets(workload, options_.bucket_bytes).size());
  if (options_.overlap > 1) {
    traffic.messages /= options_.overlap;
    traffic.models /= options_.overlap;
  }
  if (hosts_ == nullptr) return traffic;
  traffic.add(hosts_->sum_schedule());
  traffic.add(hosts_->share_schedule());
  return traffic;
}

void describe(SgpOptions& options, OptionVisitor& visitor) {
  visitor.integer(
      {"overlap",
       "number of iterations after which sent messages are added; 0: the sending iteration waits for them"},
      options.overlap, {0, 1 << 20});
  describe_model_buckets(options.bucket_bytes,
                         "absent: the whole model is averaged, after the optimizer's step", visitor);
  visitor.require(options.overlap == 0 || !options.bucket_bytes, "bucket_bytes",
                  "cannot be combined with overlap", "one of the two");
  visitor.flag({"per_host",
                "whether workers of a host act as in the released program: they sum their gradients, and the "
                "first one exchanges the host's model and shares it with the others; the graph is one of "
                "hosts, each weighted by its number of workers"},
               options.per_host);
  visitor.require(!options.per_host || !options.bucket_bytes, "bucket_bytes",
                  "cannot be combined with \"per_host\"", "one of the two");
  visitor.integer(
      {.key = "neighbors",
       .meaning =
           "number of workers to which each worker of the directed exponential graph sends in one exchange",
       .without = "graph",
       .clash = "cannot be combined with a graph, which determines the neighbors",
       .instead = "one of the two"},
      options.neighbors, {1, 64});
  describe_mixing(options.mixing,
                  "used instead of the exponential graph; the shares into which each worker splits its model "
                  "must sum to 1",
                  visitor);
}

MixingMatrix mixing_matrix_of(const SgpOptions& options, const ClusterFacts& facts) {
  const ClusterFacts mixed = rejecting_for(options.kind, [&] { return facts_of_mixing(options, facts); });
  const std::string whose = options.per_host
                                ? fmt::format("{}: with per_host the {} hosts are the workers of the graph",
                                              options.kind, mixed.workers)
                                : std::string(options.kind);
  return rejecting_for(whose, [&] {
    MixingMatrix matrix = mixing_matrix(mixing_of(options, mixed.workers), mixed, MixingRule::push_sum);
    check_stochastic(matrix, Stochastic::columns);
    return matrix;
  });
}

std::int64_t pattern_period(const SgpOptions& options, const ClusterFacts& facts) {
  const std::int64_t iterations_of_exchange = std::max(1, options.overlap);
  const ClusterFacts mixed = facts_of_mixing(options, facts);
  return iterations_of_exchange * mixing_period(mixing_of(options, mixed.workers), mixed);
}

std::vector<OptionWarning> option_warnings(const SgpOptions& options, const OptionConditions& conditions) {
  std::vector<OptionWarning> warnings;
  if (options.overlap >= conditions.iterations)
    warnings.push_back(
        {"overlap", fmt::format("adds messages {} iterations after they were sent, but the run "
                                "has only {}: no iteration waits for them",
                                options.overlap, conditions.iterations)});
  if (options.per_host && !conditions.hosts_share)
    warnings.push_back({"per_host", "has no effect, as every host has one worker"});
  return warnings;
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const SgpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  auto mixing = std::make_shared<GraphMixing>(mixing_matrix_of(options, facts));
  if (!options.per_host) return std::make_unique<Sgp>(options, std::move(mixing));
  return std::make_unique<Sgp>(options, std::make_shared<HostMixing>(std::move(mixing), facts),
                               std::make_unique<HostSharing>(workload, facts));
}

}  // namespace starling
