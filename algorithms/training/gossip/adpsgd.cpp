#include "algorithms/training/gossip/adpsgd.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include "algorithms/training/gossip/graph_mixing.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/progress.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag model_tag = 1;

/// The payload of an active worker's last notification. That of a request is the number of iterations which
/// the worker's model contains.
constexpr std::int64_t has_finished = -1;

}  // namespace

Adpsgd::Adpsgd(Pairing pairing) : pairing_(std::move(pairing)) {}

/// Per averaging one worker sends a request, and both send their models.
TypicalTraffic Adpsgd::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  traffic.messages = 1.5;
  traffic.models = 1;
  return traffic;
}

/// One worker's run.
class Adpsgd::Run {
 public:
  Run(const Adpsgd& adpsgd, Worker& worker, Replica& replica, const TrainingJob& job)
      : pairing_(adpsgd.pairing_),
        worker_(worker),
        replica_(replica),
        iterations_(job.iterations),
        trainer_(worker, replica, job),
        model_(replica.parameters(), replica.elements()),
        pulled_(replica.parameters(), replica.elements()),
        outbox_(replica.parameters(), replica.elements()),
        inbox_(replica.parameters(), replica.elements()),
        computed_(worker, "an iteration to end"),
        communication_ended_(worker, "the partners to finish") {
    copy_model(replica.parameters(), model_);
  }

  void run() {
    worker_.spawn("communication", [this] { communicate(); });
    while (trainer_.iteration() + 1 < iterations_) iterate();
    communication_ended_.wait();
    copy_model(model_, replica_.parameters());
  }

 private:
  void iterate() {
    trainer_.begin_iteration();
    copy_model(model_, pulled_);
    copy_model(model_, replica_.parameters());
    trainer_.forward();
    trainer_.backward();
    trainer_.update(replica_.all(), 1);
    add_step(model_, pulled_, replica_.parameters());
    copy_model(model_, replica_.parameters());  // the model at the end of the iteration, averagings included
    trainer_.end_iteration();
    computed_.add();
  }

  void communicate() {
    if (pairing_.is_active(worker_.rank()))
      ask_partners();
    else
      serve_partners();
    communication_ended_.set();
  }

  void ask_partners() {
    std::int64_t shared_iterations = 0;
    for (std::int64_t averaging = 0; shared_iterations < iterations_; ++averaging) {
      computed_.wait_for(shared_iterations + 1);
      shared_iterations = computed_.count();
      ask(pairing_.partner(worker_.rank(), averaging));
    }
    for (const Rank partner : pairing_.all_partners(worker_.rank())) worker_.notify(partner, has_finished);
  }

  void ask(Rank partner) {
    const double start_s = worker_.now();
    worker_.notify(partner, computed_.count());
    copy_model(model_, outbox_);
    worker_.send_receive(outbox_, partner, inbox_, partner, model_tag);
    move_half_way();
    trace_averaging(partner, start_s);
  }

  void serve_partners() {
    for (int busy = pairing_.askers(worker_.rank()); busy > 0;) {
      const Notification notification = worker_.wait_notification();
      if (notification.payload == has_finished)
        --busy;
      else
        answer(notification.source, notification.payload);
    }
  }

  void answer(Rank partner, std::int64_t its_iterations) {
    worker_.receive(inbox_, partner, model_tag);
    const double start_s = worker_.now();
    copy_model(model_, outbox_);
    trainer_.participation().add_average(1, std::abs(its_iterations - computed_.count()));
    Request sending = worker_.isend(outbox_, partner, model_tag);
    move_half_way();
    worker_.wait(sending);
    trace_averaging(partner, start_s);
  }

  void trace_averaging(Rank partner, double start_s) {
    if (worker_.is_traced())
      worker_.trace("average with partner", start_s,
                    {.peers = {&partner, 1}, .bytes = outbox_.view().bytes()});
  }

  /// Moves the model by half the difference of the received model and the sent one.
  void move_half_way() {
    halve_difference(inbox_, outbox_);
    worker_.accumulate(model_, inbox_);
  }

  const Pairing& pairing_;
  Worker& worker_;
  Replica& replica_;
  std::int64_t iterations_;
  Trainer trainer_;
  OwnedBuffer model_;
  OwnedBuffer pulled_;  // the model at the beginning of the iteration
  OwnedBuffer outbox_;
  OwnedBuffer inbox_;
  Progress computed_;
  Event communication_ended_;
};

void Adpsgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  run->run();
}

void describe(AdpsgdOptions& options, OptionVisitor& visitor) {
  visitor.seed(options.seed);
  describe_graph(options.mixing,
                 "connected, undirected, bipartite graph whose edges are the pairs, the same in all "
                 "iterations; absent: the published pairing",
                 visitor);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const AdpsgdOptions& options, const Workload&,
                                                  const ClusterFacts& facts) {
  return rejecting_for(options.kind, [&] {
    if (!options.mixing) return std::make_unique<Adpsgd>(Pairing::exponential(facts.workers));
    const GraphMixing edges(mixing_matrix(*options.mixing, facts));
    if (edges.period() > 1)
      reject("the graph changes from iteration to iteration; it must be the same in all");
    return std::make_unique<Adpsgd>(Pairing::over_graph(edges, options.seed));
  });
}

}  // namespace starling
