#include "algorithms/training/sgp.hpp"

#include <utility>
#include <vector>

#include "algorithms/training/model_arithmetic.hpp"
#include "algorithms/training/push_sum.hpp"
#include "algorithms/training/trainer.hpp"

namespace starling {
namespace {

constexpr Tag push_tag = 1;

}  // namespace

Sgp::Sgp(const SgpOptions& options, std::shared_ptr<const MixingSchedule> mixing)
    : options_(options), mixing_(std::move(mixing)) {}

/// One worker's run.
class Sgp::Run {
 public:
  Run(const Sgp& sgp, Worker& worker, Replica& replica, const TrainingJob& job)
      : overlap_(sgp.options_.overlap),
        participation_(job.participation),
        trainer_(worker, replica, job),
        push_sum_(worker, *sgp.mixing_, replica.parameters(), push_tag) {}

  void iterate(std::int64_t iteration) {
    trainer_.begin_iteration();
    trainer_.forward();
    trainer_.backward();
    step();
    exchange(iteration);
    remove_bias();
    trainer_.end_iteration();
  }

  void finish() {
    if (overlap_ > 0) take(trainer_.iteration() % overlap_);
    remove_bias();
  }

 private:
  /// x −= step, by way of the replica, which holds z outside.
  void step() {
    const Buffer parameters = trainer_.replica().parameters();
    copy_model(push_sum_.model(), parameters);
    trainer_.update(trainer_.replica().all(), 1);
    copy_model(parameters, push_sum_.model());
  }

  void exchange(std::int64_t iteration) {
    if (overlap_ == 0) {
      push_sum_.push(iteration);
      take(0);
    } else if (iteration % overlap_ == 0) {
      take(overlap_);
      push_sum_.push(iteration / overlap_);
    }
  }

  /// Adds what was sent `staleness` iterations ago.
  void take(std::int64_t staleness) {
    const int neighbours = push_sum_.complete();
    if (participation_ == nullptr || neighbours == 0) return;
    if (staleness == 0) {
      participation_->add_operation(1 + neighbours);
    } else {
      participation_->add_operation(1, std::vector(static_cast<std::size_t>(neighbours), staleness));
    }
  }

  /// z = x/w
  void remove_bias() {
    const Buffer parameters = trainer_.replica().parameters();
    copy_model(push_sum_.model(), parameters);
    scale_model(parameters, 1 / push_sum_.weight());
  }

  int overlap_;
  ParticipationLog* participation_;
  Trainer trainer_;
  PushSum push_sum_;
};

void Sgp::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
  run->finish();
}

}  // namespace starling
