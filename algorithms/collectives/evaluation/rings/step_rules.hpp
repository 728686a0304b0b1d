#pragma once

#include <algorithm>
#include <cstddef>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"
#include "algorithms/collectives/evaluation/rings/step_times.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {

/// The number of steps from `step` on, before `end_step`, that belong to the same phase: either all of them
/// reduce or none.
inline int steps_of_phase(int workers, int step, int end_step) {
  return (RingSchedule::reduces(step, workers) ? std::min(workers - 1, end_step) : end_step) - step;
}

/// The seconds of reduction per byte received in a step; 0 if the step does not reduce.
inline double reduction_of_step(const FreeRoutes& network, int step, int workers) {
  return RingSchedule::reduces(step, workers) ? network.costs().reduction_s_per_byte : 0;
}

/// The max-plus equations of one step of one rank.
class StepRules {
 public:
  StepRules(const FreeRoutes& network, const ChunkSizes& chunks)
      : network_(network), chunks_(chunks), overhead_s_(network.costs().overhead_s) {}

  const ChunkSizes& chunks() const { return chunks_; }
  /// False once messages have met on a link in a way that the equations do not cover.
  bool is_exact() const { return is_exact_; }

  bool is_sent(std::size_t size) const { return chunks_.bytes[size] > 0; }
  /// When a rank whose step begins at `begin_s` launches its send, which precedes its receive; `begin_s` if
  /// it sends nothing.
  double launch_s(double begin_s, std::size_t size) const {
    return is_sent(size) ? begin_s + overhead_s_ : begin_s;
  }

  /// Sends a message that is launched at `launch_s` to a rank whose step begins at `receiver_begin_s`.
  /// Updates the times of the hop in `own`, the sender's state.
  Sent send(RankState& own, const Leg& leg, double launch_s, double receiver_begin_s) {
    double ready_s = launch_s;
    if (leg.is_rendezvous) {
      const double request_s = network_.control_arrival_s(in_order(own, launch_s), leg.latency_s, own.free_s);
      ready_s = std::max(request_s, receiver_begin_s) + leg.back_latency_s;
    }
    Passage passage = network_.passage(leg, launch_s, ready_s, own.free_s);
    if (passage.passes) {
      passage.arrival_s = in_order(own, passage.gone_s) + leg.latency_s;
      if (network_.rules().take_links) take_links(own, ready_s, leg.transmission_s);
    } else {
      own.start_s = passage.start_s;
      own.free_s = passage.gone_s;
    }
    return {launch_s, ready_s, passage.arrival_s, passage.complete_s};
  }

  /// When a rank's step that began at `begin_s` ends. The rank has sent `sent`; the message that it
  /// receives, on `leg`, arrives at `arrival_s`. Sizes are indices in ChunkSizes::bytes.
  double end_s(double begin_s, std::size_t sent_size, const Sent& sent, std::size_t received_size,
               const Leg& leg, double arrival_s, double reduction_s_per_byte) const {
    const double launch_s = is_sent(sent_size) ? sent.launch_s : begin_s;
    const double complete_s = is_sent(sent_size) ? std::max(launch_s, sent.complete_s) : begin_s;
    if (!is_sent(received_size)) return complete_s;
    const double received_s = network_.received_s(leg, launch_s, arrival_s);
    return std::max(complete_s, received_s) + chunks_.bytes[received_size] * reduction_s_per_byte;
  }

 private:
  /// When a small message leaves that could leave at `gone_s`: unless small messages take links, not before
  /// the earlier small messages of the rank.
  double in_order(RankState& own, double gone_s) const {
    if (network_.rules().take_links) return gone_s;
    return own.small_gone_s = std::max(own.small_gone_s, gone_s);
  }
  /// Lets a small message occupy the hop. If an earlier message still waits for the first link of the hop,
  /// the small one passes it there and would meet it again on the next link. The model of the hop as one
  /// link does not show this, so the result is not exact.
  void take_links(RankState& own, double ready_s, double transmission_s) {
    if (ready_s <= own.start_s || are_simultaneous(ready_s, own.start_s)) is_exact_ = false;
    own.free_s = std::max(ready_s, own.free_s) + transmission_s;
  }

  const FreeRoutes& network_;
  ChunkSizes chunks_;
  double overhead_s_;
  bool is_exact_ = true;
};

}  // namespace starling
