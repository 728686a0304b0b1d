// Training with parameter servers, an algorithm that Starling lacks. This program is `starling` with one
// additional kind of algorithm: parameter_server run scenario.json
#include <vector>

#include "algorithms/collectives/schedules/even_partition.hpp"
#include "algorithms/training/registry.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"
#include "commands/program.hpp"

using namespace starling;

namespace {

constexpr Tag push_tag = 1;
constexpr Tag pull_tag = 2;

struct ParameterServerOptions {
  static constexpr std::string_view kind = "parameter_server";
  static constexpr TrainingTraits traits{.is_synchronous = true};
  /// The number of servers: workers 0 … servers−1 also sum gradients.
  int servers = 1;
};

/// Every worker pushes its gradients to the servers and pulls their sums; each server sums an equal part.
///
/// With S servers, P workers and m bytes on a star where adding takes no time, an iteration takes
/// F + B + U + 2α + (P−1)βm/S + βm, as workers push the next gradients while others still pull. In the first
/// iteration nobody pulls meanwhile: it takes (P−2)βm more for S = 1. Where several servers wait for each
/// other, iterations take up to 3 % more (ResNet-50, P = 16).
/// Reference: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014.
class ParameterServer final : public TrainingAlgorithm {
 public:
  explicit ParameterServer(int servers) : servers_(servers) {}

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override {
    Trainer trainer(worker, replica, job);
    for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
      trainer.begin_iteration();
      trainer.forward();
      trainer.backward();
      sum_up(worker, replica.gradients());
      trainer.update(replica.all());
      trainer.end_iteration();
    }
  }

 private:
  void sum_up(Worker& worker, Buffer gradients) const {
    const Rank self = worker.rank();
    std::vector<Request> pushes;
    for (Rank server = 0; server < servers_; ++server)
      if (server != self) pushes.push_back(worker.isend(part(gradients, server), server, push_tag));
    if (self < servers_) add_pushed(worker, part(gradients, self));
    for (Request& push : pushes) worker.wait(push);

    std::vector<Request> answers;
    for (Rank other = 0; self < servers_ && other < worker.world_size(); ++other)
      if (other != self) answers.push_back(worker.isend(part(gradients, self), other, pull_tag));
    for (Rank server = 0; server < servers_; ++server)
      if (server != self) worker.receive(part(gradients, server), server, pull_tag);
    for (Request& answer : answers) worker.wait(answer);
  }

  void add_pushed(Worker& worker, Buffer sum) const {
    const OwnedBuffer pushed(sum, sum.count(), OwnedBuffer::Contents::anything);
    for (Rank other = 0; other < worker.world_size(); ++other) {
      if (other == worker.rank()) continue;
      worker.receive(pushed, other, push_tag);
      worker.accumulate(sum, pushed);
    }
  }

  Buffer part(Buffer gradients, Rank server) const {
    const Chunk chunk = EvenPartition(gradients.count(), servers_).chunk(server);
    return gradients.slice(chunk.offset, chunk.count);
  }

  int servers_;
};

void describe(ParameterServerOptions& options, OptionVisitor& visitor) {
  visitor.integer({"servers", "how many workers sum up gradients besides, an equal part of them each"},
                  options.servers, {1});
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const ParameterServerOptions& options, const Workload&,
                                                  const ClusterFacts& facts) {
  if (options.servers > facts.workers)
    reject("{}: servers is {}, but there are {} workers", options.kind, options.servers, facts.workers);
  return std::make_unique<ParameterServer>(options.servers);
}

}  // namespace

int main(int argument_count, char** arguments) {
  register_algorithm(ParameterServerOptions{}, "gradients are summed up by servers, on some of the workers");
  return run_program(argument_count, arguments, measuring());
}
