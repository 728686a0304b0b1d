// What native_test.cpp starts under mpirun: native_jobs NAME. Every job exits with 0 if all its ranks found
// what they should.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/training/every_algorithm.hpp"
#include "algorithms/training/registry.hpp"
#include "analysis/native/native_machine.hpp"
#include "base/errors.hpp"
#include "sim/event.hpp"
#include "sim/native/clock_offset.hpp"
#include "sim/native/gemm_device.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/native/native_world.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/simgrid/simgrid_module.hpp"
#include "sim/random.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/topologies/networks/clusters.hpp"
#include "workloads/learning/learning_workload.hpp"
#include "workloads/learning/quadratic_task.hpp"
#include "workloads/records/participation.hpp"

namespace starling {
namespace {

using Model = std::vector<float>;

void expect(bool is_met, const std::string& what) {
  if (!is_met) throw std::runtime_error("expected " + what);
}

float as_float(int value) { return static_cast<float>(value); }

/// Collective.
std::vector<Model> gather(const MpiJob& job, const Model& own) {
  std::string bytes(own.size() * sizeof(float), '\0');
  if (!own.empty()) std::memcpy(bytes.data(), own.data(), bytes.size());
  std::vector<Model> all;
  for (const std::string& theirs : job.gather_all(bytes)) {
    all.emplace_back(theirs.size() / sizeof(float));
    if (!theirs.empty()) std::memcpy(all.back().data(), theirs.data(), theirs.size());
  }
  return all;
}

/// More than MPI takes at once goes in blocks.
void gathers(const MpiJob& job) {
  const auto text = [](int rank) {
    return std::string(static_cast<std::size_t>(7 * rank % 23), 'a') + "end";
  };
  for (const int most_at_once : {1, 8, 30, 1000}) {
    const std::vector<std::string> all = job.gather_all(text(job.rank()), most_at_once);
    for (int rank = 0; rank < job.size(); ++rank)
      expect(all[static_cast<std::size_t>(rank)] == text(rank), "what every rank gave");
  }
}

/// Compares every bit, so that −0 differs from 0.
bool are_equal(const Model& a, const Model& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// Runs the body on every rank of a simulated star.
void simulate(int workers, const std::function<void(Worker&)>& body) {
  const Network network = network_of(workers, StarOptions{{1e9, 1e-5}});
  EventNetwork model(network);
  SimulatedWorld(network, model).run(body);
}

void compare_with_simulation(const MpiJob& job, const std::string& what,
                             const std::function<Model(Worker&)>& body, ComputeDevice* device = nullptr) {
  Model own;
  NativeWorld(job, nullptr, device).run([&](Worker& worker) { own = body(worker); });
  std::vector<Model> simulated(static_cast<std::size_t>(job.size()));
  simulate(job.size(),
           [&](Worker& worker) { simulated[static_cast<std::size_t>(worker.rank())] = body(worker); });
  expect(are_equal(own, simulated[static_cast<std::size_t>(job.rank())]),
         what + " to leave the same bits as in the simulation");
}

Model uneven_values(Rank rank, std::int64_t count) {
  const CounterRandom random(1, Purpose::data);
  Model values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.uniform(static_cast<std::uint32_t>(rank), i) - 0.5);
  return values;
}

void collectives(const MpiJob& job) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    for (const CollectiveKind kind : collective_kinds()) {
      compare_with_simulation(job, fmt::format("{} of {} floats", name_of(kind), count), [&](Worker& worker) {
        Model data = uneven_values(worker.rank(), count);
        allreduce(worker, Buffer::real(data, 8), 1, kind);
        barrier(worker, 2);
        return data;
      });
    }
    compare_with_simulation(job, fmt::format("a broadcast of {} floats", count), [&](Worker& worker) {
      Model data = uneven_values(worker.rank(), count);
      broadcast(worker, Buffer::real(data), worker.world_size() - 1, 1);
      return data;
    });
    for (int size = 1; std::has_single_bit(static_cast<unsigned>(job.size())) && size <= job.size();
         size *= 2)
      compare_with_simulation(job, fmt::format("groups of {}", size), [&](Worker& worker) {
        Model data = uneven_values(worker.rank(), count);
        run_schedule(worker, *make_group_allreduce(worker.world_size(), count, size, 1), Buffer::real(data),
                     1);
        return data;
      });
  }
}

/// Four layers that take 2 ms, of tensors that most numbers of workers do not divide.
Workload small_workload() {
  Workload workload;
  workload.model.name = "small";
  workload.model.tensors = {{"a", 400}, {"b", 300}, {"c", 17}, {"d", 83}};
  for (int layer = 0; layer < 4; ++layer) workload.model.layers.push_back({"", "", layer, 1, 0});
  workload.forward_s = {2e-4, 1e-4, 1e-4, 3e-4};
  workload.backward_s = {4e-4, 2e-4, 2e-4, 5e-4};
  workload.batch_size = 1;
  return workload;
}

constexpr std::int64_t iterations = 20;

Load uneven_load(Rank rank, std::int64_t iteration) {
  const CounterRandom random(1, Purpose::imbalance);
  const auto worker = static_cast<std::uint32_t>(rank);
  return {.delay_s = 0, .factor = 0.5 + random.uniform(worker, static_cast<std::uint64_t>(iteration))};
}

/// The results of one rank's training.
struct Trained {
  Model model;
  ParticipationLog participation;
};

using MakeReplica = std::function<Replica(Rank)>;

Trained train(const TrainingAlgorithm& algorithm, const Workload& workload, const MakeReplica& replica,
              Worker& worker) {
  IterationLog log(worker.world_size());
  Trained trained{.model = {}, .participation = ParticipationLog(worker.world_size())};
  const TrainingJob job{.workload = workload,
                        .iterations = iterations,
                        .load = uneven_load,
                        .log = log,
                        .participation = &trained.participation,
                        .seed = 1};
  Replica own = replica(worker.rank());
  algorithm.run(worker, own, job);
  const std::span<const float> model = own.parameters().data();
  trained.model.assign(model.begin(), model.end());
  return trained;
}

/// The algorithms whose results depend on time: on which tensors are fused, or on who is in time.
bool decides_by_time(std::string_view kind) {
  constexpr std::string_view kinds[] = {"horovod", "eager_solo", "eager_majority", "wagma", "adpsgd"};
  return std::ranges::find(kinds, kind) != std::ranges::end(kinds);
}

/// The algorithms whose sums depend only on rank and iteration, some with several options.
std::vector<TrainingOptions> deterministic_options() {
  std::vector<TrainingOptions> all = {
      AllreduceOptions{},
      AllreduceOptions{.collective = "auto"},
      WfbpOptions{.collective = "double_tree"},
      DdpOptions{.bucket_bytes = 1000, .first_bucket_bytes = 100},
      DdpOptions{.collective = "halving_doubling"},
      MgWfbpOptions{},
      ByteSchedulerOptions{.partition_bytes = 500, .credit_bytes = 1000},
      ByteSchedulerOptions{.partition_bytes = 500, .credit_bytes = 1000, .streams = 2},
      DearOptions{.bucket_bytes = 1000},
      LocalSgdOptions{.sync_period = 3},
      SlowMoOptions{.sync_period = 3},
      SlowMoOptions{.sync_period = 3, .mixing = MixingOptions{.graph = ExponentialGraph{}}},
      DpsgdOptions{},
      DpsgdOptions{.overlap = true},
      DpsgdOptions{.mixing = {.graph = ExponentialGraph{}}},
      SgpOptions{},
      SgpOptions{.neighbors = 2},
      SgpOptions{.overlap = 1},
      DecentralizedAdamOptions{},
      DecentralizedAdamOptions{.graph = "complete"}};
  for (const RegisteredAlgorithm& algorithm : registered_algorithms())
    if (!decides_by_time(algorithm.kind()) &&
        std::ranges::find(all, algorithm.kind(), &TrainingOptions::kind) == all.end())
      all.push_back(algorithm.defaults);
  return all;
}

/// Returns the number of algorithms that can be used with so many workers.
int compare_training(const MpiJob& job, const std::vector<TrainingOptions>& all, ComputeDevice* device) {
  const auto task = std::make_shared<QuadraticTask>(
      QuadraticOptions{.dimension = 800, .gradient_noise = 0.1, .heterogeneity = 1, .workers = job.size()});
  const Workload workload = learning_workload(small_workload(), task->parameters());
  const ClusterFacts facts{.workers = job.size(), .costs = {.start_up_s = 1e-5, .s_per_byte = 1e-9}};
  int compared = 0;
  for (const TrainingOptions& options : all) {
    std::unique_ptr<TrainingAlgorithm> algorithm;
    try {
      algorithm = options.make(workload, facts);
    } catch (const std::invalid_argument&) {  // does not go with so many workers
      continue;
    }
    ++compared;
    const MakeReplica replica = [&](Rank rank) {
      return learning_replica(workload, task, rank, OptimizerOptions{.learning_rate = 0.1});
    };
    compare_with_simulation(
        job, std::string(options.kind()),
        [&](Worker& worker) { return train(*algorithm, workload, replica, worker).model; }, device);
  }
  return compared;
}

void training(const MpiJob& job) {
  expect(compare_training(job, deterministic_options(), nullptr) >= 10,
         "most algorithms to go with any number of workers");
}

void gemm_training(const MpiJob& job) {
  const auto device = make_gemm_device();
  expect(
      compare_training(job, {DdpOptions{.bucket_bytes = 1000, .first_bucket_bytes = 100}}, device.get()) == 1,
      "DDP to go with any number of workers");
}

/// Collective: of all ranks.
ParticipationLog gathered(const MpiJob& job, const ParticipationLog& own) {
  ParticipationLog all(job.size());
  const std::vector<std::int64_t> numbers = own.contributions();
  std::string bytes(numbers.size() * sizeof(std::int64_t), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (const std::string& theirs : job.gather_all(bytes)) {
    std::vector<std::int64_t> contributions(theirs.size() / sizeof(std::int64_t));
    std::memcpy(contributions.data(), theirs.data(), theirs.size());
    all.add_contributions(contributions);
  }
  return all;
}

/// A worker that is late may find a newer version's result, so models are only equal after a synchronization,
/// which is the last thing that happens here.
void eager(const MpiJob& job) {
  const Workload workload = small_workload();
  const ClusterFacts facts{.workers = job.size()};
  for (const std::string_view kind : {EagerOptions::solo, EagerOptions::majority}) {
    const auto algorithm = make_training_algorithm(
        EagerOptions{.kind = kind, .limiter = 4, .model_sync_iterations = iterations, .bucket_bytes = 1e6},
        workload, facts);
    const MakeReplica replica = [&](Rank) {
      return Replica(workload, Model(800), {.learning_rate = 1.0 * job.size()},
                     [](std::int64_t, std::span<const float>, std::span<float> g) {
                       std::fill(g.begin(), g.end(), 1.0F);
                     });
    };
    std::optional<Trained> trained;
    NativeWorld(job).run([&](Worker& worker) { trained = train(*algorithm, workload, replica, worker); });
    const ParticipationLog all = gathered(job, trained->participation);
    expect(all.fresh_contributions() + all.stale_contributions() + all.absent_contributions() ==
               job.size() * all.operations(),
           "as many contributions as workers and operations");
    expect(all.operations() == iterations, "one operation in every iteration");
    expect(all.max_staleness_iterations() <= 4, "no contribution older than the limiter allows");
    const std::vector<Model> models = gather(job, trained->model);
    for (const Model& model : models) expect(are_equal(model, models[0]), "the same model everywhere");
    std::int64_t contributed = 0;
    for (const std::int64_t count : all.staleness_histogram()) contributed += count;
    expect(all.fresh_contributions() <= contributed && contributed <= job.size() * iterations,
           "no iteration's work to be contributed twice");
  }
}

/// Whole numbers as gradients: their sums are exact in every order of addition.
float whole_gradient(Rank rank, std::int64_t iteration, std::size_t element) {
  return static_cast<float>((37 * rank + 11 * iteration + 7 * static_cast<std::int64_t>(element)) % 101);
}

/// Minus the sum of all workers' gradients of all iterations, each taken once.
Model sum_of_whole_gradients(int workers) {
  Model sum(800);
  for (std::size_t element = 0; element < sum.size(); ++element)
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration)
      for (Rank rank = 0; rank < workers; ++rank) sum[element] -= whole_gradient(rank, iteration, element);
  return sum;
}

/// With as many workers as the learning rate, parameters move by the sum of the gradients.
void average_each_gradient_once(const MpiJob& job, const TrainingAlgorithm& algorithm,
                                const Workload& workload) {
  const MakeReplica replica = [&](Rank rank) {
    return Replica(workload, Model(800), {.learning_rate = 1.0 * job.size()},
                   [rank](std::int64_t iteration, std::span<const float>, std::span<float> gradients) {
                     for (std::size_t i = 0; i < gradients.size(); ++i)
                       gradients[i] = whole_gradient(rank, iteration, i);
                   });
  };
  Model model;
  NativeWorld(job).run([&](Worker& worker) { model = train(algorithm, workload, replica, worker).model; });
  expect(are_equal(model, sum_of_whole_gradients(job.size())), "every gradient to be averaged once");
}

/// Learns as in the simulation, where other tensors are fused, so that sums of P floats are rounded
/// otherwise: by P · 2⁻²⁴ of a gradient in each of 20 iterations, which counts twice in a square. At most 8
/// workers.
void learn_as_simulated(const MpiJob& job, const TrainingAlgorithm& algorithm, const Workload& workload,
                        const std::shared_ptr<const QuadraticTask>& task) {
  constexpr double rounding = 2.0 * 8 * iterations / (1 << 24);
  const MakeReplica replica = [&](Rank rank) {
    return learning_replica(workload, task, rank, OptimizerOptions{.learning_rate = 0.1});
  };
  Model model;
  NativeWorld(job).run([&](Worker& worker) { model = train(algorithm, workload, replica, worker).model; });
  Model simulated;
  simulate(job.size(), [&](Worker& worker) {
    Model own = train(algorithm, workload, replica, worker).model;
    if (worker.rank() == 0) simulated = std::move(own);
  });
  for (const Model& theirs : gather(job, model))
    expect(are_equal(model, theirs), "the same model everywhere");
  const double loss = task->loss(model);
  const double simulated_loss = task->loss(simulated);
  expect(std::abs(loss - simulated_loss) <= rounding * simulated_loss,
         fmt::format("a loss of {}, got {}", simulated_loss, loss));
  expect(loss < task->loss(task->initial_parameters()) / 2, "the loss to fall");
}

/// What is fused depends on time: nothing may be, what is ready within a cycle, or a whole iteration.
void horovod(const MpiJob& job) {
  const auto task = std::make_shared<const QuadraticTask>(
      QuadraticOptions{.dimension = 800, .gradient_noise = 0.1, .heterogeneity = 1, .workers = job.size()});
  const Workload workload = learning_workload(small_workload(), task->parameters());
  for (const HorovodOptions& options :
       {HorovodOptions{.cycle_time_s = 1e-4, .fusion_bytes = 0}, HorovodOptions{.cycle_time_s = 5e-4},
        HorovodOptions{.cycle_time_s = 5e-3}}) {
    const auto algorithm = make_algorithm(options, workload, ClusterFacts{.workers = job.size()});
    average_each_gradient_once(job, *algorithm, workload);
    learn_as_simulated(job, *algorithm, workload, task);
  }
}

/// Nothing is learned, so averaging alone moves the models, which begin apart.
void averaging(const MpiJob& job, const TrainingOptions& options, std::optional<double> sum_rounding,
               bool ends_equal) {
  const Workload workload = small_workload();
  const auto algorithm = options.make(workload, ClusterFacts{.workers = job.size()});
  const MakeReplica replica = [&](Rank rank) {
    return Replica(workload, Model(800, as_float(1 + rank)), {.learning_rate = 0.0});
  };
  std::optional<Trained> trained;
  NativeWorld(job).run([&](Worker& worker) { trained = train(*algorithm, workload, replica, worker); });
  const ParticipationLog all = gathered(job, trained->participation);
  const std::vector<Model> models = gather(job, trained->model);
  double sum = 0;
  for (const Model& model : models) sum += model[0];
  const double expected = job.size() * (job.size() + 1) / 2.0;
  expect(!sum_rounding || std::abs(sum - expected) <= *sum_rounding * expected,
         fmt::format("{}: a sum of {}, got {}", options.kind(), expected, sum));
  for (const Model& model : models)
    expect(model[0] >= 1 && model[0] <= as_float(job.size()), "averages between the least and the greatest");
  for (const Model& model : models)
    expect(!ends_equal || are_equal(model, models[0]), "the same model everywhere");
  expect(all.operations() > 0, "some averaging");
}

void gossip(const MpiJob& job) {
  // An averaging rounds two floats, and there are at most 20 per worker: 20 · 2⁻²³ of the sum.
  averaging(job, AdpsgdOptions{}, 20.0 / (1 << 23), false);
}

/// A worker that is late takes (sum + own) / (S + 1), so that the sum is not kept; models stay between the
/// least and the greatest, and a synchronization makes them equal.
void wagma(const MpiJob& job) {
  averaging(job, WagmaOptions{.group_size = 2, .sync_period = 5}, std::nullopt, true);
}

/// What a computation of 0.3 s takes that follows one of 10 ms whose end a busy thread notices after 0.4 s.
double after_lateness_s(Worker& worker) {
  constexpr std::chrono::milliseconds busy(400);
  worker.spawn("busy", [&] {
    const auto end = std::chrono::steady_clock::now() + busy;
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  const double start_s = worker.now();
  worker.compute(0.01);
  const double noticed_s = worker.now();
  expect(noticed_s - start_s >= 0.4, "computing takes what really passes");
  worker.compute(0.3);  // over by then, counted from when the first was
  return worker.now() - noticed_s;
}

/// A thread that is kept from looking at the clock computes longer than it was told to, and says so.
void lateness(const MpiJob& job) {
  NativeWorld(job).run([&](Worker& worker) {
    // If lateness added up it would be 0.3 s at every attempt; a busy machine makes it that now and then.
    bool is_made_up_for = false;
    for (int attempts = 0; attempts < 20 && !is_made_up_for; ++attempts)
      is_made_up_for = after_lateness_s(worker) < 0.3;
    expect(is_made_up_for, "lateness does not add up");
  });
}

void semantics(const MpiJob& job) {
  NativeWorld(job).run([&](Worker& worker) {
    const int size = worker.world_size();
    const Rank rank = worker.rank();
    const Rank right = (rank + 1) % size;
    const Rank left = (rank + size - 1) % size;

    // To itself, and in any order of waiting, by source and tag.
    Model first = {as_float(1 + rank)};
    Model second = {as_float(2 + rank)};
    Model from_left(1);
    Model from_itself(1);
    Model next_from_left(1);
    Request late = worker.irecv(Buffer::real(next_from_left), left, 8);
    Request itself = worker.irecv(Buffer::real(from_itself), rank, 9);
    Request early = worker.irecv(Buffer::real(from_left), left, 7);
    Request sends[] = {worker.isend(Buffer::real(first), right, 7),
                       worker.isend(Buffer::real(second), right, 8),
                       worker.isend(Buffer::real(first), rank, 9)};
    worker.wait(early);
    worker.wait(itself);
    worker.wait(late);
    for (Request& send : sends) worker.wait(send);
    expect(from_left[0] == as_float(1 + left) && next_from_left[0] == as_float(2 + left) &&
               from_itself[0] == as_float(1 + rank),
           "messages by source and tag");

    // In the order they were sent, of modeled bytes beyond the data.
    std::vector<Model> inboxes(10, Model(3));
    std::vector<Request> receives;
    for (Model& inbox : inboxes) receives.push_back(worker.irecv(Buffer::real(inbox, 1e5), left, 1));
    for (int i = 0; i < 10; ++i) {
      Model data(3, static_cast<float>(i));
      worker.send(Buffer::real(data, 1e5), right, 1);
    }
    for (Request& receive : receives) worker.wait(receive);
    for (int i = 0; i < 10; ++i)
      expect(inboxes[static_cast<std::size_t>(i)][2] == static_cast<float>(i), "messages in order");

    // Notifications from everyone, beside data; a background strand takes the rest with it.
    for (Rank to = 0; to < size; ++to) worker.notify(to, 100 * rank + to);
    std::map<Rank, std::int64_t> notified;
    for (int i = 0; i < size; ++i) {
      const Notification notification = worker.wait_notification();
      notified[notification.source] = notification.payload;
    }
    for (Rank from = 0; from < size; ++from) expect(notified.at(from) == 100 * from + rank, "notifications");

    // Time goes on where a strand computes, one computation at a time, and beside messages.
    Event computed(worker);
    const double start_s = worker.now();
    worker.spawn("computation", [&] {
      worker.compute(0.02);
      computed.set();
    });
    worker.send_receive(Buffer::sized(300'000), right, Buffer::sized(300'000), left, 2);
    worker.compute(0.02);
    computed.wait();
    constexpr double rounding_s = 1e-12;
    expect(worker.now() - start_s >= 0.04 - rounding_s, "two computations one after the other");

    // A message that does not fit is an error of the receive that it came for.
    if (size > 1 && rank < 2) {
      Model three(3);
      Model four(4);
      std::string error;
      try {
        if (rank == 0) worker.send(Buffer::real(four), 1, 4);
        if (rank == 1) worker.receive(Buffer::real(three), 0, 4);
      } catch (const CommunicationError& mismatch) {
        error = mismatch.what();
      }
      expect(rank == 0 || error.find("expects 12 bytes from rank 0 with tag 4") != std::string::npos,
             "a message that does not fit to be refused, got: " + error);
    }

    // Messages that nobody receives, and receives that nobody serves, must neither keep the run from ending
    // nor get into the next one.
    worker.spawn(
        "idle", [&] { worker.wait_notification(); }, StrandKind::background);
    static_cast<void>(worker.irecv(Buffer::sized(1000), left, 30));
    static_cast<void>(worker.isend(Buffer::sized(1'000'000), right, 31));
    worker.notify(right, 1);
    worker.notify(right, 2);
  });
  NativeWorld(job).run([&](Worker& worker) {
    const Rank right = (worker.rank() + 1) % worker.world_size();
    worker.notify(right, 77);
    expect(worker.wait_notification().payload == 77, "only notifications of this run");
  });
}

/// Whether three messages to the right and from the left pass while the device has 100 ms of work.
bool overlaps(Worker& worker) {
  barrier(worker, 2);
  bool is_computed = false;
  Event computed(worker);
  worker.spawn("computation", [&] {
    worker.compute(0.1);
    is_computed = true;
    computed.set();
  });
  const int size = worker.world_size();
  for (int i = 0; i < 3; ++i)
    worker.send_receive(Buffer::sized(100'000), (worker.rank() + 1) % size, Buffer::sized(100'000),
                        (worker.rank() + size - 1) % size, 1);
  const bool is_first = !is_computed;
  computed.wait();
  return is_first;
}

/// Strands compute in the order in which they ask, the one that asks for nothing as well.
void expect_turns(Worker& worker) {
  std::vector<int> order;
  std::vector<std::unique_ptr<Event>> events;
  for (const double seconds : {0.002, 0.0, 0.001}) {
    events.push_back(std::make_unique<Event>(worker));
    worker.spawn("computation", [&worker, &order, &event = *events.back(), seconds, i = events.size()] {
      worker.compute(seconds);
      order.push_back(static_cast<int>(i));
      event.set();
    });
  }
  for (const auto& event : events) event->wait();
  expect(order == std::vector<int>{1, 2, 3}, "strands to compute in turns");
}

void expect_idle_while_delayed(Worker& worker, ComputeDevice& device) {
  const double start_s = worker.now();
  Event over(worker);
  worker.spawn("delay", [&] {
    worker.delay(0.1);
    over.set();
  });
  worker.sleep_until(start_s + 0.01);
  expect(device.is_done(), "a delay not to be computed");
  over.wait();
  expect(worker.now() - start_s >= 0.1, "a delay of 100 ms to take as long");
}

void gemm(const MpiJob& job) {
  const auto device = make_gemm_device();
  NativeWorld(job, nullptr, device.get()).run([&](Worker& worker) {
    expect_turns(worker);
    expect_idle_while_delayed(worker, *device);
    const double start_s = worker.now();
    worker.compute(0.02);
    // Not less but for a core whose clock has become faster since; how busy it is has no limit.
    expect(worker.now() - start_s >= 0.9 * 0.02, "20 ms of work to take as long");
    // On a busy machine the messages may be late now and then.
    bool has_overlapped = false;
    for (int attempts = 0; attempts < 5; ++attempts) has_overlapped = overlaps(worker) || has_overlapped;
    expect(has_overlapped, "messages to pass while matrices are multiplied");
    worker.spawn(
        "for ever", [&] { worker.compute(1e6); }, StrandKind::background);
  });
  NativeWorld(job, nullptr, device.get()).run([](Worker& worker) { worker.compute(0.001); });
}

void one_rank_throws_while_it_multiplies(const MpiJob& job) {
  const auto device = make_gemm_device();
  NativeWorld(job, nullptr, device.get()).run([&](Worker& worker) {
    worker.spawn("computation", [&] { worker.compute(1e6); });
    worker.send_receive(Buffer::sized(1), worker.rank(), Buffer::sized(1), worker.rank(), 1);
    if (worker.rank() == 0) throw std::runtime_error("this rank has had enough");
  });
}

void one_rank_throws(const MpiJob& job) {
  NativeWorld(job).run([&](Worker& worker) {
    if (worker.rank() == worker.world_size() - 1) throw std::runtime_error("this rank has had enough");
    worker.compute(1000);
  });
}

/// An algorithm whose second run fails.
class FailsTheSecondTime final : public TrainingAlgorithm {
 public:
  FailsTheSecondTime() { set_label("mine"); }
  void run(Worker& worker, Replica&, const TrainingJob& training) const override {
    training.log.add(worker.rank(), {.end_s = 1e-3, .ready_s = 1e-3});
    if (++runs_ == 2) throw std::runtime_error("this algorithm has had enough");
  }

 private:
  mutable int runs_ = 0;
};

void a_repetition_throws(const MpiJob& job) {
  Scenario scenario;
  scenario.workload = small_workload();
  const FailsTheSecondTime algorithm;
  NativeMachine(scenario, job, {.repetitions = 3}, {})
      .measure({.algorithm = algorithm, .workload = scenario.workload, .iterations = 1, .load = uneven_load},
               nullptr, nullptr);
}

void compute_for_ever(const MpiJob& job) {
  NativeWorld(job).run([](Worker& worker) {
    if (worker.rank() == 0) fmt::print("computing\n");
    std::fflush(stdout);
    worker.compute(1000);
  });
}

/// Every two ranks of this machine have a clock that is some hours off.
void clocks(const MpiJob& job) {
  using std::chrono::nanoseconds;
  expect(clock_offset(job) == nanoseconds(0), "one clock on one machine");

  const auto now = [] { return nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); };
  const int number = (job.rank() + 1) / 2;
  const nanoseconds skew = std::chrono::hours(number % 2 == 0 ? number : -number);
  const nanoseconds began = now();
  const nanoseconds found = clock_offset(job, fmt::format("clock {}", number), [&] { return now() + skew; });
  // At most half of the fastest round trip, and 99 of them lie in between.
  const nanoseconds most = (now() - began) / (2 * 99) + nanoseconds(1);
  const nanoseconds error = std::chrono::abs(found - skew);
  expect(error <= most, fmt::format("an error of at most {} ns, got {}", most.count(), error.count()));
}

/// Checks in two successive worlds whether messages wake a waiting rank.
void expect_arrival(const MpiJob& job, Arrival arrival) {
  for (int i = 0; i < 2; ++i) {
    NativeWorld world(job);
    expect(world.arrival() == arrival, arrival == Arrival::wakes ? "messages to wake" : "silent messages");
    world.run([](Worker&) {});
  }
}

void messages_wake(const MpiJob& job) { expect_arrival(job, Arrival::wakes); }
void messages_are_silent(const MpiJob& job) { expect_arrival(job, Arrival::silent); }

/// The time in seconds of an all-reduce of four workers under SimGrid's model.
double simgrid_time_s() {
  constexpr LinkOptions link{.bandwidth_Bps = 1e9, .latency_s = 1e-6};
  const Network network = network_of(4, StarOptions{.link = link});
  const std::unique_ptr<NetworkModel> model = load_simgrid_network(network);
  SimulatedWorld world(network, *model);
  world.run([](Worker& worker) { allreduce(worker, Buffer::sized(1'000'000), 1); });
  return world.statistics().makespan_s;
}

/// SimGrid defines MPI's functions, too: neither may take the other's.
void simgrid(const MpiJob& job) {
  const double expected_s = simgrid_time_s();
  NativeWorld(job).run([&](Worker& worker) {
    Model sum(3, as_float(1 + worker.rank()));
    allreduce(worker, Buffer::real(sum), 1);
    expect(sum[2] == as_float(job.size() * (job.size() + 1) / 2), "messages beside SimGrid");
  });
  expect(simgrid_time_s() == expected_s && expected_s > 0.006, "SimGrid beside messages");
}

const std::map<std::string, void (*)(const MpiJob&)> jobs = {
    {"gathers", gathers},
    {"collectives", collectives},
    {"training", training},
    {"eager", eager},
    {"horovod", horovod},
    {"gossip", gossip},
    {"wagma", wagma},
    {"clocks", clocks},
    {"wakes", messages_wake},
    {"silent", messages_are_silent},
    {"semantics", semantics},
    {"lateness", lateness},
    {"simgrid", simgrid},
    {"throws", one_rank_throws},
    {"repetition_throws", a_repetition_throws},
    {"gemm", gemm},
    {"gemm_training", gemm_training},
    {"gemm_throws", one_rank_throws_while_it_multiplies},
    {"computes", compute_for_ever}};

}  // namespace
}  // namespace starling

int main(int argument_count, char** arguments) {
  if (argument_count != 2 || !starling::jobs.contains(arguments[1])) {
    fmt::print(stderr, "the jobs are {}\n", fmt::join(std::views::keys(starling::jobs), ", "));
    return 2;
  }
  const starling::MpiJob job;
  try {
    starling::jobs.at(arguments[1])(job);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", job.rank(), error.what());
    starling::MpiJob::abort(1);
  }
}
