#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "sim/agenda/explanation.hpp"

namespace starling {

/// The common data of all explanations of a world's rings: what to blame for time spent on hops, and memory
/// for the part that is being traced back.
class ExplainedRings {
 public:
  struct Blames {
    Blame arrival;  // transmission and latency of a message
    Blame back;     // latency of a rendezvous answer
    Blame flow;     // queueing, and leaving the sender
  };
  /// `rings` must outlive this object.
  explicit ExplainedRings(const RingEvaluator& rings);

  const RingEvaluator& rings() const { return rings_; }
  const Blames& blames_of_hop(std::size_t rank) const { return blames_[rank]; }

  RingRecord record;       // of the part selected last by RingExplanation::look_at()
  std::vector<Legs> legs;  // of its chunks, by the kind of hop

 private:
  const RingEvaluator& rings_;
  std::vector<Blames> blames_;
};

/// Explains why the ranks of an evaluated ring completed it when they did. On request, it computes the ring
/// again, and finds for each requested moment the last event that this waited for, as a run with messages
/// would.
///
/// There is a layer of 2P moments before the first step and after each step: place r is when the last
/// message of rank r began to flow, with which the hop from r may still be busy; place P + r is when rank r
/// ended the step. Costs as much as RingRecord, plus 10 to 100 ns for each message that is traced back.
/// Memory: 64 bytes a rank.
class RingExplanation final : public Explanation {
 public:
  /// `all` must outlive this object. `begins`: the steps of the run that caused the first layer: for each
  /// rank the one after which its last message could flow, then for each rank the one after which it
  /// entered the ring.
  RingExplanation(ExplainedRings& all, EvaluatedRing ring, std::vector<std::uint64_t> begins);

  /// The times of the moments of the last layer.
  std::vector<double> ends_s() const;

  std::size_t width() const override { return begins_.size(); }
  std::span<const std::uint64_t> begins() const override { return begins_; }
  int parts() override;
  std::size_t look_at(int part) override;
  void trace_back(std::size_t layer, std::span<const std::size_t> places, Origins& origins) const override;

 private:
  using Step = RingRecord::Step;
  /// The message that a rank sends in a step.
  struct Turn {
    double begin_s;
    double launch_s;
    double start_s;
    const Leg& leg;
    bool waits;      // it waits for the rank's earlier messages
    bool takes_hop;  // later messages may have to wait for it
  };
  using Segments = std::vector<Segment>;

  std::size_t ranks() const { return ring_.before.size(); }

  // The places of a rank's two moments in a layer.
  std::size_t flow_of(std::size_t rank) const { return rank; }
  std::size_t end_of(std::size_t rank) const { return ranks() + rank; }
  const Leg* leg_sent(int first_chunk, std::size_t rank) const;
  const Leg* leg_sent(const Step& step, std::size_t rank) const { return leg_sent(step.first_chunk, rank); }
  Turn turn(const StepMoments& moments, const Leg& leg) const;
  double last_start_s(std::size_t steps, std::size_t rank) const;

  std::size_t back_from_end(const Step& step, std::size_t rank, Segments& segments) const;
  std::size_t back_from_receipt(const Step& step, std::size_t rank, double launch_s, const Leg& leg,
                                Segments& segments) const;
  std::size_t back_from_completion(const Step& step, std::size_t rank, const Turn& own, double complete_s,
                                   Segments& segments) const;
  std::size_t back_from_room(const Step& step, std::size_t rank, const Turn& own, double complete_s,
                             Segments& segments) const;
  std::size_t back_from_start(const Step& step, std::size_t rank, const Turn& sender,
                              Segments& segments) const;
  std::size_t back_from_ready(const Step& step, std::size_t rank, const Turn& sender,
                              Segments& segments) const;
  std::size_t back_from_launch(std::size_t rank, double launch_s, double begin_s, Segments& segments) const;

  ExplainedRings& all_;
  const FreeRoutes& network_;
  double overhead_s_;
  EvaluatedRing ring_;
  std::vector<std::uint64_t> begins_;
  std::vector<RingRecord::Part> parts_;  // up to the selected one
};

}  // namespace starling
