#include "algorithms/training/synchronous/dear.hpp"

#include <algorithm>

#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"

namespace starling {
namespace {

constexpr Tag dear_tag = 1;

}  // namespace

Dear::Dear(const DearOptions& options, const Workload& workload, const CollectiveChoice& collective)
    : options_(options),
      groups_(layer_groups(workload, options.bucket_bytes.value_or(DearOptions::default_bucket_bytes))) {
  const Replica sizes(workload);
  for (const LayerGroup& group : groups_) {
    const std::int64_t count = padded(sizes.elements(group.tensors), collective.workers());
    reduce_scatters_.push_back(collective.reduce_scatter(count));
    allgathers_.push_back(collective.allgather(count));
  }
}

/// One worker's run.
class Dear::Run {
 public:
  Run(const Dear& dear, Worker& worker, Replica& replica, const TrainingJob& job)
      : dear_(dear),
        model_(job.workload.model),
        trainer_(worker, replica, job),
        stream_(worker, dear_tag, job.executor),
        gathered_(dear.groups_.size()) {
    for (const auto& schedule : dear.reduce_scatters_) {
      fused_.emplace_back(replica.gradients(), schedule->count());
    }
  }

  void iterate() {
    trainer_.begin_iteration();
    if (dear_.options_.launch_ahead && trainer_.iteration() > 0) start_allgathers(groups());
    for (std::size_t g = 0; trainer_.iteration() > 0 && g < groups(); ++g) {
      trainer_.forward_to(dear_.groups_[g].first_layer);
      finish_group(g);
    }
    trainer_.forward();
    for (std::size_t g = groups(); g-- > 0;) {
      trainer_.backward_to(dear_.groups_[g].first_layer);
      reduce_scatter(g);
    }
    trainer_.backward();
    stream_.wait_for_all();
    allgathers_started_ = 0;
    start_allgathers(prefetch_depth());
    if (dear_.options_.sync_each_iteration) stream_.wait_for_all();
    trainer_.end_iteration();
  }

  /// Does the work that the last iteration leaves to the next one.
  void finish() {
    for (std::size_t g = 0; trainer_.iteration() >= 0 && g < groups(); ++g) finish_group(g);
    stream_.close();
  }

 private:
  std::size_t groups() const { return dear_.groups_.size(); }
  std::size_t prefetch_depth() const { return static_cast<std::size_t>(dear_.options_.prefetch_depth); }

  CollectiveLabel label(const char* name, std::size_t g) const {
    return {name, static_cast<int>(g), &model_, dear_.groups_[g].tensors};
  }

  void reduce_scatter(std::size_t g) {
    copy_model(trainer_.replica().gradients(dear_.groups_[g].tensors), fused_[g]);
    stream_.issue(*dear_.reduce_scatters_[g], fused_[g], label("reduce-scatter", g));
  }

  /// Issues the all-gathers of the groups before `end` that were not issued yet.
  void start_allgathers(std::size_t end) {
    for (; allgathers_started_ < std::min(end, groups()); ++allgathers_started_) {
      const std::size_t g = allgathers_started_;
      stream_.issue(*dear_.allgathers_[g], fused_[g], label("all-gather", g));
      gathered_[g] = stream_.issued();
    }
  }

  /// Called when the forward pass reaches group g: waits until the group is gathered, and updates it.
  void finish_group(std::size_t g) {
    stream_.wait_for(gathered_[g]);
    start_allgathers(g + prefetch_depth() + 1);
    const TensorRange tensors = dear_.groups_[g].tensors;
    const Buffer gradients = trainer_.replica().gradients(tensors);
    copy_model(fused_[g].first(gradients.count()), gradients);
    trainer_.update(tensors);
  }

  const Dear& dear_;
  const Model& model_;
  Trainer trainer_;
  CommunicationStream stream_;
  std::vector<OwnedBuffer> fused_;      // one per group, with padding
  std::size_t allgathers_started_ = 0;  // for the gradients of the latest iteration
  /// For each group, the number of the stream's collectives that must be complete for its all-gather to be.
  std::vector<std::int64_t> gathered_;
};

void Dear::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Run run(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run.iterate();
  run.finish();
}

std::vector<const Schedule*> Dear::sequential_collectives() const {
  std::vector<const Schedule*> schedules;
  for (const auto& reduce_scatter : reduce_scatters_) schedules.push_back(reduce_scatter.get());
  for (const auto& allgather : allgathers_) schedules.push_back(allgather.get());
  return schedules;
}

void describe(DearOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor,
                      "the collective whose reduce-scatter and all-gather sum gradients",
                      half_collective_names());
  describe_message_size(
      {.key = "bucket_bytes",
       .meaning = "layers form a group while their total size stays below this; 0: every layer is a "
                  "group; auto: found by a search before the run",
       .word = "auto"},
      options.bucket_bytes, visitor);
  visitor.integer({"prefetch_depth",
                   "number of groups by which all-gathers may be ahead of the forward pass; with "
                   "`launch_ahead` it has an effect only on delayed workers, or with `sync_each_iteration`"},
                  options.prefetch_depth, {1});
  visitor.flag(
      {"launch_ahead",
       "whether the host launches the forward pass ahead of the GPU, so that all-gathers follow each "
       "other without a gap"},
      options.launch_ahead);
  visitor.flag({"sync_each_iteration",
                "whether every iteration ends with a wait for its reduce-scatters and the first "
                "`prefetch_depth` all-gathers"},
               options.sync_each_iteration);
}

std::vector<OptionWarning> option_warnings(const DearOptions& options, const OptionConditions& conditions) {
  const bool holds_back = !options.launch_ahead || options.sync_each_iteration || conditions.may_delay;
  if (holds_back || options.prefetch_depth == DearOptions().prefetch_depth) return {};
  return {{"prefetch_depth",
           "has no effect: with \"launch_ahead\", which is true by default, all-gathers wait only for each "
           "other, unless \"sync_each_iteration\" is true or workers are delayed"}};
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const DearOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return std::make_unique<Dear>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling
