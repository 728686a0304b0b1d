#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/model/recurrences.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

class HorovodRecurrence {
 public:
  HorovodRecurrence(const Horovod& horovod, ModeledRun& run)
      : horovod_(horovod),
        run_(run),
        stream_(run),
        tensor_bytes_(horovod.fusion_bytes_of(run.sizes())),
        cycle_s_(static_cast<std::size_t>(run.ranks()), 0.0),
        negotiated_s_(cycle_s_),
        has_sums_of_run_(run.workload().accumulation_steps == 1) {
    run.note_order(
        "each negotiation is assumed to find the same tensors ready as without the delays left out");
  }

  void iterate(std::int64_t iteration) {
    run_.begin_iteration();
    run_.forward();
    ready_s_.clear();
    for (const Bucket& tensor : horovod_.tensors()) {
      run_.backward_to(tensor.ready_layer);
      ready_s_.push_back(run_.now_s());
    }
    run_.backward();
    negotiate(iteration);
    has_sums_of_run_ = false;
    run_.wait_until(stream_.end_s());
    run_.update_all();
    run_.end_iteration();
  }

 private:
  std::size_t tensors() const { return tensor_bytes_.size(); }

  void negotiate(std::int64_t iteration) {
    const double start_s = cycle_s_.front();
    std::int64_t cycle = 0;
    for (std::size_t agreed = 0; agreed < tensors(); ++cycle) {
      horovod_.check_cycles(cycle, cycle_s_.front() - start_s,
                            std::ranges::max(ready_s_[agreed]) - cycle_s_.front(), iteration);
      const double idle_cycles = find_idle_cycles(agreed);
      horovod_.check_cycles(static_cast<double>(cycle) + idle_cycles, iteration);
      skip_cycles(idle_cycles);
      cycle += static_cast<std::int64_t>(idle_cycles);
      for (std::size_t rank = 0; rank < cycle_s_.size(); ++rank)
        cycle_s_[rank] = std::max(cycle_s_[rank] + horovod_.options().cycle_time_s, negotiated_s_[rank]);
      negotiated_s_ = cycle_s_;
      const RunStatistics before = run_.sent();
      for (const Schedule* part : horovod_.negotiation())
        negotiated_s_ = run_.control(*part, negotiated_s_, Horovod::bytes_per_bit);
      run_.count_again(before, idle_cycles);
      const std::size_t ready = ready_everywhere(agreed);
      exchange(agreed, ready);
      agreed = ready;
    }
  }

  /// The number of coming cycles in which nothing will be agreed on, each of which begins one cycle time
  /// after the one before. 0 where negotiations outlast a cycle.
  double find_idle_cycles(std::size_t agreed) {
    const double cycle_time_s = horovod_.options().cycle_time_s;
    double idle = 0;
    for (std::size_t rank = 0; rank < cycle_s_.size(); ++rank) {
      if (negotiated_s_[rank] > cycle_s_[rank] + cycle_time_s) {
        run_.note_estimate(
            "negotiations take longer than a cycle, so slight delays decide which tensors each finds ready");
        return 0;
      }
      idle = std::max(idle, std::floor((ready_s_[agreed][rank] - cycle_s_[rank]) / cycle_time_s) - 1);
    }
    return idle;
  }

  void skip_cycles(double cycles) {
    const double first_s = cycle_s_.front();
    const double first_later_s = after_cycles(first_s, cycles);
    const double skipped_s = cycles * horovod_.options().cycle_time_s;
    for (std::size_t rank = 0; rank < cycle_s_.size(); ++rank) {
      cycle_s_[rank] = cycle_s_[rank] == first_s ? first_later_s : cycle_s_[rank] + skipped_s;
      negotiated_s_[rank] += skipped_s;
    }
  }

  /// `time_s` plus so many cycles; added up one by one, as the simulation does, where rounding may decide.
  double after_cycles(double time_s, double cycles) const {
    const double cycle_time_s = horovod_.options().cycle_time_s;
    if (!has_sums_of_run_) return time_s + cycles * cycle_time_s;
    for (double passed = 0; passed < cycles; ++passed) time_s += cycle_time_s;
    return time_s;
  }

  /// Whether rounding may decide which of the two is first otherwise than in the simulation.
  bool are_tied(double ready_s, double cycle_s) const {
    return has_sums_of_run_ ? ready_s == cycle_s : are_simultaneous(ready_s, cycle_s);
  }

  /// The number of tensors of this iteration that were ready on all workers when the negotiation began.
  std::size_t ready_everywhere(std::size_t agreed) {
    std::size_t ready = agreed;
    const auto is_ready = [&](const Moments& ready_s) {
      for (std::size_t rank = 0; rank < ready_s.size(); ++rank) {
        if (are_tied(ready_s[rank], cycle_s_[rank])) run_.note_decisive_tie();
        if (ready_s[rank] > cycle_s_[rank]) return false;
      }
      return true;
    };
    while (ready < tensors() && is_ready(ready_s_[ready])) ++ready;
    return ready;
  }

  /// Exchanges tensors first … end−1, fused up to `fusion_bytes`.
  void exchange(std::size_t first, std::size_t end) {
    while (first < end) {
      const int count = fused_tensors(tensor_bytes_, static_cast<int>(first), static_cast<int>(end),
                                      horovod_.options().fusion_bytes);
      const int last = static_cast<int>(tensors()) - static_cast<int>(first);
      const std::int64_t elements = run_.sizes().elements({.first = last - count, .count = count});
      const bool is_sparse = horovod_.is_sparse(static_cast<int>(first));
      stream_.issue(is_sparse ? horovod_.allgather(elements) : horovod_.allreduce(elements), negotiated_s_);
      first += static_cast<std::size_t>(count);
    }
  }

  const Horovod& horovod_;
  ModeledRun& run_;
  ModeledStream stream_;
  std::vector<double> tensor_bytes_;
  std::vector<Moments> ready_s_;  // of the tensors of this iteration
  Moments cycle_s_;               // when each rank's latest negotiation began
  Moments negotiated_s_;          // when it ended
  /// Whether moments equal those of the simulation to the last bit. They do in the first iteration, in which
  /// computing waits for nothing; where compute times are multiples of the cycle (as 40 ms are), rounding
  /// decides there.
  bool has_sums_of_run_;
};

}  // namespace

void predict(const Horovod& algorithm, ModeledRun& run) {
  HorovodRecurrence recurrence(algorithm, run);
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) recurrence.iterate(iteration);
}

}  // namespace starling
