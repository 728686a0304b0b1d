#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "sim/agenda/explanation.hpp"

namespace starling {

/// What all explanations of a world's rings have in common: what is to blame for time spent on hops, and
/// memory for the part that one of them looks at.
class ExplainedRings {
 public:
  struct Blames {
    Blame arrival;  // flowing and latency,
    Blame back;     // of the answer,
    Blame flow;     // waiting for its turn, and leaving the sender
  };
  /// `rings` must outlive this object.
  explicit ExplainedRings(const RingEvaluator& rings);

  const RingEvaluator& rings() const { return rings_; }
  const Blames& blames_of_hop(std::size_t rank) const { return blames_[rank]; }

  RingRecord record;       // of the part looked at last
  std::vector<Legs> legs;  // of its chunks, by the kind of hop

 private:
  const RingEvaluator& rings_;
  std::vector<Blames> blames_;
};

/// Why the ranks of an evaluated ring were done with it when they were: goes through it again, once someone
/// asks, and says of what is asked for what was the last that it waited for, as the messages would have.
///
/// There is a layer of 2P moments before the first step and after each: that what rank r sent last began to
/// flow, which the hop from r may still be busy with, and that rank r ended the step. Costs what RingRecord
/// does, and 10 to 100 ns for each message that is traced back. Memory: 64 bytes a rank.
class RingExplanation final : public Explanation {
 public:
  /// `all` must outlive this object. `begins`: the steps that let what each rank sent last flow, and those
  /// that let it come.
  RingExplanation(ExplainedRings& all, EvaluatedRing ring, std::vector<std::uint64_t> begins);

  /// When its last moments are.
  std::vector<double> ends_s() const;

  std::size_t width() const override { return begins_.size(); }
  std::span<const std::uint64_t> begins() const override { return begins_; }
  int parts() override;
  std::size_t look_at(int part) override;
  void trace_back(std::size_t layer, std::span<const std::size_t> places, Origins& origins) const override;

 private:
  using Step = RingRecord::Step;
  /// What a rank sends in a step.
  struct Turn {
    double begin_s;
    double launch_s;
    double start_s;
    const Leg& leg;
    bool waits;      // for what the rank sent before,
    bool takes_hop;  // so that others may wait for it
  };
  using Segments = std::vector<Segment>;

  std::size_t ranks() const { return ring_.before.size(); }

  // Places in a layer.
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
  std::vector<RingRecord::Part> parts_;  // up to the one that is looked at
};

}  // namespace starling
