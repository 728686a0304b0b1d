#include <algorithm>
#include <vector>

#include "analysis/model/recurrences.hpp"

namespace starling {

void predict(const WaitFreeBackpropagation& algorithm, ModeledRun& run) {
  const std::vector<Bucket>& buckets = algorithm.buckets();
  const std::vector<const Schedule*> allreduces = algorithm.sequential_collectives();
  ModeledStream stream(run);
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) {
    run.begin_iteration();
    run.forward();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      run.backward_to(buckets[b].ready_layer);
      stream.issue(*allreduces[b], run.now_s());
    }
    run.backward();
    run.wait_until(stream.end_s());
    run.update_all();
    run.end_iteration();
  }
}

namespace {

class DearRecurrence {
 public:
  DearRecurrence(const Dear& dear, ModeledRun& run)
      : options_(dear.options()),
        groups_(dear.groups()),
        schedules_(dear.sequential_collectives()),
        run_(run),
        stream_(run),
        gathered_s_(groups_.size()) {}

  void iterate(std::int64_t iteration) {
    run_.begin_iteration();
    if (iteration > 0) update_groups();
    run_.forward();
    for (std::size_t g = groups_.size(); g-- > 0;) {
      run_.backward_to(groups_[g].first_layer);
      stream_.issue(*schedules_[g], run_.now_s());
    }
    run_.backward();
    run_.wait_until(stream_.end_s());
    allgathers_ = 0;
    start_allgathers(depth());
    if (options_.sync_each_iteration) run_.wait_until(stream_.end_s());
    run_.end_iteration();
  }

 private:
  std::size_t depth() const { return static_cast<std::size_t>(options_.prefetch_depth); }

  void update_groups() {
    if (options_.launch_ahead) start_allgathers(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      run_.forward_to(groups_[g].first_layer);
      run_.wait_until(gathered_s_[g]);
      start_allgathers(g + depth() + 1);
      run_.update(groups_[g].tensors);
    }
  }

  /// Issues the all-gathers of groups before `end` that have not been issued yet.
  void start_allgathers(std::size_t end) {
    for (; allgathers_ < std::min(end, groups_.size()); ++allgathers_) {
      stream_.issue(*schedules_[groups_.size() + allgathers_], run_.now_s());
      gathered_s_[allgathers_] = stream_.end_s();
    }
  }

  const DearOptions& options_;
  const std::vector<LayerGroup>& groups_;
  std::vector<const Schedule*> schedules_;  // reduce-scatters, then all-gathers
  ModeledRun& run_;
  ModeledStream stream_;
  std::vector<Moments> gathered_s_;
  std::size_t allgathers_ = 0;  // the number issued since the backward pass
};

}  // namespace

void predict(const Dear& algorithm, ModeledRun& run) {
  DearRecurrence recurrence(algorithm, run);
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) recurrence.iterate(iteration);
}

}  // namespace starling
