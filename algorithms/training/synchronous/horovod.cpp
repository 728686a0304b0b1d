#include "algorithms/training/synchronous/horovod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag allreduce_tag = 1;
constexpr Tag negotiation_tag = 2;
/// The most cycles of an iteration. Each is simulated, also those in which no tensor is ready.
constexpr std::int64_t most_cycles = 1'000'000;
/// The number of cycles after which the remaining ones are estimated again.
constexpr std::int64_t cycles_to_judge_by = 1'000;

/// Tensors that are sent as one message.
struct Fused {
  TensorRange tensors;
  int number = 0;
};

bool is_tensor(const Model& model, const std::string& name) {
  return std::ranges::find(model.tensors, name, &Tensor::name) != model.tensors.end();
}

/// For each bucket, whether the name of its only tensor is one of `names`.
std::vector<bool> named(const std::vector<Bucket>& buckets, const Model& model,
                        const std::vector<std::string>& names) {
  std::vector<bool> found;
  for (const Bucket& bucket : buckets) {
    const std::string& name = model.tensors[static_cast<std::size_t>(bucket.tensors.first)].name;
    found.push_back(std::ranges::find(names, name) != names.end());
  }
  return found;
}

/// The number of cycles of an undisturbed backward pass in which some tensor becomes ready.
std::int64_t cycles_with_tensors(const std::vector<Bucket>& tensors, const Workload& workload,
                                 double cycle_time_s) {
  std::set<double> cycles;
  for (const Bucket& tensor : tensors) {
    const auto first = workload.backward_s.begin() + tensor.ready_layer;
    const double ready_s = std::accumulate(first, workload.backward_s.end(), 0.0);
    cycles.insert(std::floor(ready_s / cycle_time_s));
  }
  return std::ssize(cycles);
}

}  // namespace

Horovod::Horovod(const HorovodOptions& options, const Workload& workload, const CollectiveChoice& collective)
    : options_(options),
      collective_(collective),
      tensors_(bucket_per_tensor(workload.model)),
      is_sparse_(named(tensors_, workload.model, options.sparse_tensors)),
      gather_readiness_(make_reduce(collective.workers(), static_cast<std::int64_t>(tensors_.size()))),
      broadcast_response_(make_broadcast(collective.workers(), static_cast<std::int64_t>(tensors_.size()))) {}

const Schedule& Horovod::allreduce(std::int64_t count) const {
  std::unique_ptr<Schedule>& schedule = allreduces_[count];
  if (!schedule) schedule = collective_.allreduce(count);
  return *schedule;
}

const Schedule& Horovod::allgather(std::int64_t count) const {
  std::unique_ptr<Schedule>& schedule = allgathers_[count];
  const int workers = collective_.workers();
  if (!schedule) schedule = make_allgather(CollectiveKind::ring, workers, count * workers);
  return *schedule;
}

std::vector<double> Horovod::fusion_bytes_of(Replica& replica) const {
  std::vector<double> bytes;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    bytes.push_back(is_sparse_[i] ? std::numeric_limits<double>::infinity()
                                  : replica.gradients(tensors_[i].tensors).bytes());
  return bytes;
}

int fused_tensors(const std::vector<double>& tensor_bytes, int first, int end, double fusion_bytes) {
  double bytes = tensor_bytes[static_cast<std::size_t>(first)];
  int next = first + 1;
  while (next < end && bytes + tensor_bytes[static_cast<std::size_t>(next)] <= fusion_bytes) {
    bytes += tensor_bytes[static_cast<std::size_t>(next++)];
  }
  return next - first;
}

/// Assumes one all-reduce for each cycle in which tensors become ready, and more where fusion_bytes demands
/// it.
TypicalTraffic Horovod::typical_traffic(const Workload& workload) const {
  TypicalTraffic traffic;
  if (tensors_.empty()) return traffic;
  const Replica sizes(workload);
  const double bytes = static_cast<double>(sizes.elements()) * workload.bytes_per_element;
  const double cycles = static_cast<double>(cycles_with_tensors(tensors_, workload, options_.cycle_time_s));
  const double tensors = static_cast<double>(tensors_.size());
  const double pieces = options_.fusion_bytes > 0 ? bytes / options_.fusion_bytes : tensors;
  const double allreduces = std::min(tensors, std::max(cycles, std::ceil(pieces)));
  traffic.add(allreduce(static_cast<std::int64_t>(static_cast<double>(sizes.elements()) / allreduces)),
              allreduces);
  const double negotiations = std::max(cycles, workload.compute_total_s() / options_.cycle_time_s);
  for (const Schedule* schedule : negotiation()) traffic.add(*schedule, negotiations);
  return traffic;
}

/// One worker's run.
class Horovod::Run {
 public:
  Run(const Horovod& horovod, Worker& worker, Replica& replica, const TrainingJob& job)
      : horovod_(horovod),
        worker_(worker),
        job_(job),
        trainer_(worker, replica, job),
        responses_(worker, "tensors to exchange"),
        reduced_(worker, "tensors under way"),
        ended_(worker, "the end of the negotiations"),
        bits_(horovod.tensors_.size()) {
    tensor_bytes_ = horovod.fusion_bytes_of(replica);
  }

  void run() {
    worker_.spawn("negotiation", [this] { negotiate(); });
    worker_.spawn("communication", [this] { exchange(); });
    for (std::int64_t iteration = 0; iteration < job_.iterations; ++iteration) iterate();
    ended_.wait();
  }

 private:
  int tensors() const { return static_cast<int>(tensor_bytes_.size()); }
  /// The number of a point for critical paths: `ready` tensors of the iteration are ready.
  std::int64_t point(std::int64_t iteration, int ready) const { return iteration * tensors() + ready; }

  void iterate() {
    const Load load = trainer_.next_load();
    next_ready_s_ = worker_.now() + load.delay_s + load.factor * job_.workload.before_last_backward_s();
    trainer_.begin_iteration();
    trainer_.forward();
    auto end = job_.workload.backward_s.end();
    for (const Bucket& tensor : horovod_.tensors_) {
      const auto begin = job_.workload.backward_s.begin() + tensor.ready_layer;
      next_ready_s_ = worker_.now() + load.factor * std::accumulate(begin, end, 0.0);
      end = begin;
      trainer_.backward_to(tensor.ready_layer);
      worker_.note_point(point(trainer_.iteration(), ++ready_));
    }
    trainer_.backward();
    reduced_.wait_for((trainer_.iteration() + 1) * tensors());
    trainer_.update(trainer_.replica().all());
    trainer_.end_iteration();
  }

  /// The background loop: a negotiation each cycle until all tensors of all iterations are agreed on.
  void negotiate() {
    double cycle_start_s = worker_.now();
    for (std::int64_t iteration = 0; tensors() > 0 && iteration < job_.iterations; ++iteration) {
      int agreed = 0;
      const double start_s = worker_.now();
      for (std::int64_t cycle = 0; agreed < tensors(); ++cycle) {
        // Nothing can be agreed on before this worker's next tensor is ready; until then cycles go on at the
        // same pace.
        horovod_.check_cycles(cycle, worker_.now() - start_s, next_ready_s_ - worker_.now(), iteration);
        cycle_start_s = std::max(cycle_start_s + horovod_.options_.cycle_time_s, worker_.now());
        worker_.sleep_until(cycle_start_s);
        const int ready_everywhere = ask_everyone();
        if (ready_everywhere > agreed) worker_.note_noticed(point(iteration, ready_everywhere));
        respond(agreed, ready_everywhere);
        agreed = ready_everywhere;
      }
      ready_ = 0;
    }
    responses_.close();
  }

  /// Returns the number of tensors that are ready on all workers: sums one bit per tensor over the workers.
  int ask_everyone() {
    const double start_s = worker_.now();
    std::fill_n(bits_.begin(), ready_, 1.0F);
    std::fill(bits_.begin() + ready_, bits_.end(), 0.0F);
    const Buffer bits = Buffer::real(bits_, bytes_per_bit);
    run_schedule(worker_, *horovod_.gather_readiness_, bits, negotiation_tag, MessageKind::control);
    run_schedule(worker_, *horovod_.broadcast_response_, bits, negotiation_tag, MessageKind::control);
    if (worker_.is_traced()) worker_.trace("negotiate", start_s);
    const auto everyone = static_cast<float>(worker_.world_size());
    return static_cast<int>(std::ranges::find_if(bits_, [&](float bit) { return bit < everyone; }) -
                            bits_.begin());
  }

  /// Hands tensors first … end−1, fused, to the communication strand.
  void respond(int first, int end) {
    while (first < end) {
      const int count = fused_tensors(tensor_bytes_, first, end, horovod_.options_.fusion_bytes);
      responses_.push({.tensors = {.first = tensors() - first - count, .count = count}, .number = first});
      first += count;
    }
  }

  void exchange() {
    while (const auto fused = responses_.pop()) {
      const Buffer gradients = trainer_.replica().gradients(fused->tensors);
      if (horovod_.is_sparse_[static_cast<std::size_t>(fused->number)])
        gather(gradients, label("all-gather", *fused));
      else
        run_traced(worker_, horovod_.allreduce(gradients.count()), gradients, allreduce_tag,
                   label("all-reduce", *fused), job_.executor);
      reduced_.add(fused->tensors.count);
    }
    ended_.set();
  }

  CollectiveLabel label(const char* name, const Fused& fused) const {
    return {name, fused.number, &job_.workload.model, fused.tensors};
  }

  /// Gathers the gradients of all workers and adds them up, in the order of ranks on every worker.
  void gather(Buffer gradients, const CollectiveLabel& label) {
    const std::int64_t count = gradients.count();
    const OwnedBuffer all(gradients, count * worker_.world_size());
    copy_model(gradients, all.view().slice(worker_.rank() * count, count));
    run_traced(worker_, horovod_.allgather(count), all, allreduce_tag, label, job_.executor);
    std::ranges::fill(gradients.data(), 0.0F);
    for (Rank rank = 0; rank < worker_.world_size(); ++rank)
      add_elements(gradients.data(), all.view().slice(rank * count, count).data());
  }

  const Horovod& horovod_;
  Worker& worker_;
  const TrainingJob& job_;
  Trainer trainer_;
  std::vector<double> tensor_bytes_;  // in the order of the backward pass; infinite for sparse ones
  double next_ready_s_ = 0;           // when the next tensor will be ready here, at the earliest
  int ready_ = 0;                     // tensors of this iteration that are ready here
  Queue<Fused> responses_;
  Progress reduced_;  // tensors exchanged, over all iterations
  Event ended_;
  std::vector<float> bits_;
};

void Horovod::check_cycles(std::int64_t cycles, double passed_s, double until_ready_s,
                           std::int64_t iteration) const {
  if (cycles == 0 || cycles % cycles_to_judge_by != 0) return;
  const double cycle_s = passed_s / static_cast<double>(cycles);
  check_cycles(static_cast<double>(cycles) + std::max(0.0, until_ready_s) / cycle_s, iteration);
}

void Horovod::check_cycles(double cycles, std::int64_t iteration) const {
  if (cycles < static_cast<double>(most_cycles)) return;
  throw std::runtime_error(fmt::format(
      "{}: more than {} cycles of {} s in iteration {}; take a longer cycle_time",
      label().empty() ? HorovodOptions::kind : label(), most_cycles, options_.cycle_time_s, iteration));
}

void Horovod::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Run run(*this, worker, replica, job);
  run.run();
}

void describe(HorovodOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
  visitor.time({"cycle_time",
                "time from the start of one negotiation to the start of the next, which waits for the end of "
                "the first; also before the first of all"},
               options.cycle_time_s, {.least = 1e-6, .greatest = 1e9});
  describe_message_size({"fusion_bytes", "largest size of a fused all-reduce; 0: tensors are not fused"},
                        options.fusion_bytes, visitor);
  visitor.texts({"sparse_tensors",
                 "names of tensors whose gradients are gathered instead of summed, as TensorFlow's "
                 "IndexedSlices are, such as a tied embedding",
                 "none"},
                options.sparse_tensors);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const HorovodOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  for (const std::string& name : options.sparse_tensors)
    if (!is_tensor(workload.model, name))
      reject("{}: sparse_tensors names {}, which is not a tensor of {}", options.kind, name,
             workload.model.name);
  return std::make_unique<Horovod>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling
