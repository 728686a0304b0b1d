#include "algorithms/training/gossip/slowmo.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/gossip/graph_mixing.hpp"
#include "algorithms/training/gossip/push_sum.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/numbers/common_period.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag slow_average_tag = 1;
constexpr Tag fast_push_tag = 2;

}  // namespace

SlowMo::SlowMo(const SlowMoOptions& options, const Workload& workload, const CollectiveChoice& collective,
               std::shared_ptr<const MixingSchedule> mixing)
    : options_(options), mixing_(std::move(mixing)), average_(collective.allreduce(workload.parameters())) {}

/// One worker's run.
class SlowMo::Run {
 public:
  Run(const SlowMo& slowmo, Worker& worker, Replica& replica, const TrainingJob& job)
      : slowmo_(slowmo),
        worker_(worker),
        job_(job),
        trainer_(worker, replica, job),
        model_(replica.parameters()),
        start_(model_, model_.count()),
        velocity_(model_, model_.count()) {
    copy_model(model_, start_);
    begin_push_sum();
  }

  void iterate(std::int64_t iteration) {
    trainer_.begin_iteration();
    trainer_.forward();
    trainer_.backward();
    step();
    if (push_sum_) push(iteration);
    if ((iteration + 1) % slowmo_.options_.sync_period == 0) {
      average();
      slow_step();
      begin_push_sum();
    }
    trainer_.end_iteration();
  }

 private:
  /// With push-sum the step is made on x, computed in the replica, which otherwise holds z.
  void step() {
    if (push_sum_) copy_model(push_sum_->model(), model_);
    trainer_.update(trainer_.replica().all(), 1);
    if (push_sum_) copy_model(model_, push_sum_->model());
  }

  void push(std::int64_t iteration) {
    push_sum_->push(iteration);
    const int neighbors = push_sum_->complete();
    if (neighbors > 0) trainer_.participation().add_average(neighbors);
    copy_model(push_sum_->model(), model_);
    scale_model(model_, 1 / push_sum_->weight());
  }

  /// With push-sum the mean of all x is averaged, which is the mean of all models, as their weights sum to P.
  void average() {
    if (push_sum_) copy_model(push_sum_->model(), model_);
    run_traced(worker_, *slowmo_.average_, model_, slow_average_tag,
               {"average", 0, &job_.workload.model, trainer_.replica().all()}, job_.executor);
    scale_model(model_, 1.0 / worker_.world_size());
    trainer_.participation().add_average_of_all(worker_.rank(), worker_.world_size());
  }

  /// Δ = x₀ − x̄; v ← βv + Δ; x₀ ← x₀ − αv, or x₀ − α(βv + Δ) with nesterov.
  void slow_step() {
    const std::span<float> model = model_.data();
    const std::span<float> start = start_.view().data();
    const std::span<float> velocity = velocity_.view().data();
    const bool is_nesterov = slowmo_.options_.nesterov;
    for (std::size_t i = 0; i < model.size(); ++i) {
      const float delta = start[i] - model[i];
      velocity[i] = with_momentum(velocity[i], delta);
      const float step = is_nesterov ? with_momentum(velocity[i], delta) : velocity[i];
      start[i] -= static_cast<float>(slowmo_.options_.slow_learning_rate * step);
    }
    copy_model(start_, model_);
  }

  float with_momentum(float velocity, float delta) const {
    return static_cast<float>(slowmo_.options_.momentum * velocity) + delta;
  }

  void begin_push_sum() {
    if (slowmo_.mixing_ != nullptr) push_sum_.emplace(worker_, *slowmo_.mixing_, model_, fast_push_tag);
  }

  const SlowMo& slowmo_;
  Worker& worker_;
  const TrainingJob& job_;
  Trainer trainer_;
  Buffer model_;
  OwnedBuffer start_;     // x₀
  OwnedBuffer velocity_;  // v
  std::optional<PushSum> push_sum_;
};

void SlowMo::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
}

std::vector<const Schedule*> SlowMo::sequential_collectives() const {
  if (mixing_ != nullptr) return {};
  return {average_.get()};
}

std::int64_t SlowMo::quiescent_period() const {
  return common_period(options_.sync_period, mixing_ != nullptr ? mixing_->period() : 1);
}

TypicalTraffic SlowMo::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  if (mixing_ != nullptr) traffic = typical_exchange(*mixing_, 1);
  traffic.add(*average_, 1.0 / options_.sync_period);
  return traffic;
}

void describe(SlowMoOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor,
                      "the collective that averages the models of all workers");
  visitor.integer({"period",
                   "τ: every τ-th iteration ends with an average of all models and a slow step "
                   "(`sync_period` of wagma, `model_sync_iterations` of eager_solo and eager_majority)"},
                  options.sync_period, {1});
  visitor.number({"momentum", "β, the momentum of the slow steps"}, options.momentum,
                 {.least = 0, .greatest = 1, .excludes_greatest = true});
  visitor.number({"slow_learning_rate", "α, the learning rate of the slow steps"}, options.slow_learning_rate,
                 {.least = 0, .greatest = 1e6, .excludes_least = true});
  visitor.flag({"nesterov", "whether slow steps use Nesterov's momentum, as DiLoCo's do"}, options.nesterov);
  visitor.require(!options.nesterov || options.momentum > 0, "nesterov", "needs a momentum above 0",
                  "a momentum above 0, or no nesterov");
  describe_mixing(options.mixing,
                  "graph of the SGP steps between averages; the shares into which each worker splits its "
                  "model must sum to 1; absent: local steps",
                  visitor);
}

namespace {

MixingMatrix mixing_matrix_of_pushes(const SlowMoOptions& options, const ClusterFacts& facts) {
  return rejecting_for(options.kind, [&] {
    MixingMatrix matrix = mixing_matrix(*options.mixing, facts, MixingRule::push_sum);
    check_stochastic(matrix, Stochastic::columns);
    return matrix;
  });
}

}  // namespace

std::int64_t pattern_period(const SlowMoOptions& options, const ClusterFacts& facts) {
  if (!options.mixing) return options.sync_period;
  return common_period(options.sync_period, mixing_period(*options.mixing, facts));
}

std::int64_t model_averaging_period(const SlowMoOptions& options) { return options.sync_period; }

std::unique_ptr<TrainingAlgorithm> make_algorithm(const SlowMoOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  const CollectiveChoice collective = choice_of(options, workload, facts);
  std::shared_ptr<const MixingSchedule> mixing;
  if (options.mixing) mixing = std::make_shared<GraphMixing>(mixing_matrix_of_pushes(options, facts));
  return std::make_unique<SlowMo>(options, workload, collective, std::move(mixing));
}

}  // namespace starling
