#include "algorithms/training/partial/partial_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <utility>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "base/errors.hpp"
#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"
#include "base/types.hpp"
#include "sim/queue.hpp"

namespace starling {
namespace {

/// The range of iterations whose contributions a send buffer holds.
struct Holdings {
  static constexpr std::int64_t nothing = -2;
  std::int64_t oldest = nothing;
  std::int64_t newest = nothing;
  bool is_empty() const { return newest == nothing; }
};

struct Activation {
  std::int64_t version;
  int dimension;
};

struct Operation {
  Operation(const Buffer& like, std::int64_t count)
      : send(like, count), work(like, count), result(like, count) {}

  // Members that a notification reads come first, close together.
  std::int64_t version = 0;  // the current one, which has not ended here
  VersionStart start;        // of the current version
  bool is_activated = false;
  bool is_running = false;
  std::int64_t called = -1;       // the newest version that this rank has called
  std::vector<Activation> early;  // activations of later versions
  Holdings holdings;
  OwnedBuffer send;
  OwnedBuffer work;
  OwnedBuffer result;
};

/// The neighbors to notify of the start of a version: those on dimensions from first_dimension on.
struct Forward {
  std::int64_t payload;
  int first_dimension;
};

/// A strand that runs operations, one after the other, version by version.
struct Lane {
  Lane(Worker& worker, Tag tag_of_lane, int first_operation)
      : activated(worker, "the start of a partial collective"), tag(tag_of_lane), next(first_operation) {}
  Event activated;
  Tag tag;
  int next;              // the operation to run next, or the one that is running
  bool is_idle = false;  // waiting for the start of the next operation
  std::optional<ScheduleRun> under_way;
  double start_s = 0;  // when the running operation began
};

}  // namespace

class PartialCollectives::Engine {
 public:
  Engine(Worker& worker, PartialCollectivePlan plan, const Buffer& like, Tag first_tag,
         ParticipationNotes participation)
      : worker_(worker),
        rank_(worker.rank()),
        dimensions_(log2_of(worker.world_size())),
        plan_(std::move(plan)),
        participation_(participation),
        forwards_(worker, "activations to send"),
        awaited_ended_(worker, "the end of a partial collective") {
    operations_.reserve(plan_.counts.size());
    for (const std::int64_t count : plan_.counts) {
      operations_.emplace_back(like, count);
      if (plan_.versions > 0) operations_.back().start = plan_.start(0);
      if (!plan_.empties_send_buffers) operations_.back().holdings = {.oldest = -1, .newest = -1};
    }
    const int lanes = plan_.is_serialized ? std::min(1, operations()) : operations();
    for (int lane = 0; lane < lanes; ++lane) lanes_.emplace_back(worker, first_tag + lane, lane);
  }

  /// The strands share ownership of the engine, except for the one that receives notifications: its closure
  /// must be small to be fast, so it relies on the sender, which ends no sooner.
  static void start_strands(const std::shared_ptr<Engine>& engine) {
    const auto spawn = [&](const char* name, auto body) {
      engine->worker_.spawn_stepwise(name, [engine, body] { body(*engine); });
    };
    if (engine->dimensions_ > 0) {
      engine->worker_.spawn_stepwise("activation", [e = engine.get()] { e->receive_activations(); });
      spawn("activation sender", [](Engine& e) { e.send_activations(); });
    }
    for (int lane = 0; lane < static_cast<int>(engine->lanes_.size()); ++lane) {
      spawn("partial collectives", [lane](Engine& e) { e.run_lane(e.lanes_[index_of(lane)]); });
    }
  }

  Operation& operation(int index) { return operations_[index_of(index)]; }

  bool is_late(int index) const {
    const Operation& operation = operations_[index_of(index)];
    const std::int64_t called = operation.called + 1;
    return called < operation.version || (called == operation.version && operation.is_running);
  }

  void call(int index, bool adds) {
    note_call(index, adds);
    if (plan_.call_s > 0) worker_.compute(plan_.call_s);
  }

  void note_call(int index, bool adds) {
    Operation& operation = this->operation(index);
    const std::int64_t called = ++operation.called;
    STARLING_INVARIANT(called <= operation.version && called < plan_.versions);
    if (adds) {
      const bool keeps_oldest = plan_.empties_send_buffers && !operation.holdings.is_empty();
      operation.holdings = {.oldest = keeps_oldest ? operation.holdings.oldest : called, .newest = called};
    }
    if (called < operation.version) return;
    if (operation.start.by == VersionStart::By::everyone) {
      wake(index);
    } else if (!operation.is_activated && is_started_by_call(operation.start)) {
      activate(index, 0);
    }
  }

  void wait(int index, Buffer result) {
    Operation& operation = this->operation(index);
    if (operation.called < operation.version) {
      copy_model(operation.result, result);
      return;
    }
    awaited_ = index;
    awaited_result_ = result;
    awaited_ended_.reset();
    awaited_ended_.wait();
    awaited_ = -1;
  }

 private:
  int operations() const { return static_cast<int>(operations_.size()); }

  bool is_started_by_call(const VersionStart& start) const {
    return start.by == VersionStart::By::anyone || start.initiator == worker_.rank();
  }

  bool can_run(const Operation& operation) const {
    return operation.start.by == VersionStart::By::everyone ? operation.called >= operation.version
                                                            : operation.is_activated;
  }

  Lane& lane_of(int index) { return lanes_[plan_.is_serialized ? 0 : index_of(index)]; }

  void wake(int index) {
    Lane& lane = lane_of(index);
    if (lane.is_idle && lane.next == index) lane.activated.set();
  }

  /// Activates the current version, and notifies the neighbors on dimensions from `first_dimension` on.
  void activate(int index, int first_dimension) {
    Operation& operation = this->operation(index);
    operation.is_activated = true;
    if (first_dimension < dimensions_) {
      forwards_.push({operation.version * operations() + index, first_dimension});
    }
    wake(index);
  }

  void receive_activations() {
    while (const auto notification = worker_.poll_notification()) {
      const int dimension = std::countr_zero(static_cast<unsigned>(rank_ ^ notification->source));
      const auto index = static_cast<int>(notification->payload % operations());
      const std::int64_t version = notification->payload / operations();
      Operation& operation = this->operation(index);
      if (version > operation.version) {
        operation.early.push_back({version, dimension});
      } else if (version == operation.version && !operation.is_activated) {
        activate(index, dimension + 1);
      }
    }
  }

  void send_activations() {
    while (const auto forward = forwards_.poll()) {
      for (int dimension = forward->first_dimension; dimension < dimensions_; ++dimension) {
        worker_.notify(worker_.rank() ^ (1 << dimension), forward->payload);
      }
    }
  }

  void run_lane(Lane& lane) {
    while (operation(lane.next).version < plan_.versions) {
      if (!lane.under_way && !begin(lane)) return;
      if (!lane.under_way->poll()) return;
      lane.under_way.reset();
      if (worker_.is_traced()) trace(lane);
      finish(lane.next);
      if (plan_.is_serialized) lane.next = (lane.next + 1) % operations();
    }
  }

  void trace(const Lane& lane) {
    const std::string layers = plan_.layers ? plan_.layers(lane.next) : "";
    worker_.trace(fmt::format("partial collective {}", lane.next), lane.start_s,
                  {.layers = layers, .bytes = operation(lane.next).work.view().bytes()});
  }

  /// Begins the next operation if it has been started; else waits for its start and returns false.
  bool begin(Lane& lane) {
    Operation& operation = this->operation(lane.next);
    lane.is_idle = !can_run(operation);
    if (lane.is_idle) {
      lane.activated.reset();
      return lane.activated.poll();
    }
    take(lane.next);
    lane.start_s = worker_.now();
    lane.under_way.emplace(worker_, plan_.schedule(lane.next, operation.version), operation.work, lane.tag);
    return true;
  }

  /// Copies the contents of the send buffer at this instant, as the contribution to the current version.
  void take(int index) {
    Operation& operation = this->operation(index);
    operation.is_running = true;
    copy_model(operation.send, operation.work);
    const Holdings taken = operation.holdings;
    if (plan_.empties_send_buffers) {
      std::ranges::fill(operation.send.view().data(), 0.0F);
      operation.holdings = {};
    }
    const std::int64_t number = operation.version * operations() + index;
    if (taken.is_empty()) {
      participation_.contribute_nothing(number);
    } else {
      participation_.contribute(number, operation.version, taken.oldest, taken.newest);
    }
  }

  void finish(int index) {
    Operation& operation = this->operation(index);
    copy_model(operation.work, operation.result);
    const std::int64_t version = ++operation.version;
    operation.is_running = operation.is_activated = false;
    if (awaited_ == index && operation.called < version) {
      copy_model(operation.result, awaited_result_);
      awaited_ended_.set();
    }
    if (version == plan_.versions) return;
    operation.start = plan_.start(version);
    look_at_early_activations(index);
  }

  void look_at_early_activations(int index) {
    Operation& operation = this->operation(index);
    const std::int64_t version = operation.version;
    const auto early = std::ranges::find(operation.early, version, &Activation::version);
    if (early == operation.early.end()) return;
    activate(index, early->dimension + 1);
    std::erase_if(operation.early, [&](const Activation& other) { return other.version == version; });
  }

  // Members that a notification reads come first, close together.
  Worker& worker_;
  Rank rank_;
  int dimensions_;  // log₂P
  std::vector<Operation> operations_;
  PartialCollectivePlan plan_;
  ParticipationNotes participation_;
  std::deque<Lane> lanes_;
  Queue<Forward> forwards_;
  Event awaited_ended_;
  int awaited_ = -1;
  Buffer awaited_result_;
};

void describe_operations(double& bucket_bytes, bool& is_serialized, double& operation_cost_s,
                         OptionVisitor& visitor) {
  describe_message_size(
      {"bucket_bytes",
       "a bucket closes with the tensor that brings it to this size; 0: one operation per tensor, "
       "as published"},
      bucket_bytes, visitor);
  visitor.flag({"serialized",
                "true: operations run one after the other, as published; false: concurrently; activations "
                "are forwarded at once in both cases"},
               is_serialized);
  visitor.time({"operation_cost",
                "time that each call of an operation costs the calling worker, late or not, in addition to "
                "the communication that it starts; counts as exposed communication"},
               operation_cost_s);
}

void require_power_of_two(std::string_view whose, int workers) {
  if (!is_power_of_two(workers)) reject("{}: workers is {}; it must be a power of two", whose, workers);
}

PartialCollectivePlan with_layers(PartialCollectivePlan plan, const Model& model,
                                  const std::vector<Bucket>& buckets) {
  plan.layers = [&model, &buckets](int operation) {
    return model.names_of(layers_of(model, buckets[index_of(operation)].tensors));
  };
  return plan;
}

PartialCollectives::PartialCollectives(Worker& worker, PartialCollectivePlan plan, const Buffer& like,
                                       Tag first_tag, ParticipationNotes participation) {
  require_power_of_two("partial collectives", worker.world_size());
  engine_ = std::make_shared<Engine>(worker, std::move(plan), like, first_tag, participation);
  Engine::start_strands(engine_);
}

Buffer PartialCollectives::send_buffer(int operation) { return engine_->operation(operation).send; }

bool PartialCollectives::is_late(int operation) const { return engine_->is_late(operation); }

bool PartialCollectives::contribute(int operation) {
  const bool is_late = engine_->is_late(operation);
  engine_->call(operation, true);
  return !is_late;
}

void PartialCollectives::skip(int operation) { engine_->call(operation, false); }

void PartialCollectives::wait(int operation, Buffer result) { engine_->wait(operation, result); }

}  // namespace starling
