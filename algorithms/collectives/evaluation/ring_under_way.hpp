#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/ring_step.hpp"

namespace starling {

/// The most bytes that were ever under way from each rank of evaluated rings to the next one.
///
/// Some steps of a ring are noted, one after the other, and only then those hops looked at message by message
/// on which more may have been under way than ever before.
class RingUnderWay {
 public:
  explicit RingUnderWay(std::size_t ranks);

  /// A ring that can be noted, as hops and chunks are alike, if for one element.
  struct Alike {
    double most_bytes;      // of a message
    double transmission_s;  // at least, on hops that send one after the other; else 0
  };
  /// The next ring, of so many steps.
  void begin(std::size_t steps, std::span<const RankState> before, const std::optional<Alike>& alike);
  /// Where is to be noted, P entries each, when what ranks send in the next step is sent and arrives.
  double* sent_s() { return sent_s_; }
  double* arrival_s() { return arrival_s_; }
  /// That was noted; `bytes`: what each rank has sent, 0 for nothing. Must not change until end().
  void step(const double* bytes);
  void end();

  /// Whether, of a ring that is not noted, that much may be the most on some hop, with what is left there of
  /// those that were.
  bool may_be_most(std::span<const RankState> before, double bytes) const;
  double most_bytes(std::size_t rank) const { return most_bytes_[rank]; }

 private:
  struct Message {
    double arrival_s;
    double bytes;
  };
  /// Where several were under way when so many had been sent: those that have not arrived since then, a heap
  /// by when they do, and their bytes.
  struct Several {
    std::int64_t when_sent = 0;
    std::vector<Message> messages = {};
    double bytes = 0;

    void send(double arrival_s, double bytes);
    void end_arrived(double now_s);
  };
  using PerHop = std::vector<double>;

  double left_bytes(std::size_t rank, double now_s) const;
  void begin_to_note();
  void find_most_waits();
  void note();
  void look_at_noted();
  void look_at_noted(std::size_t rank);
  void look_at_step(const double* bytes);
  void begin_several(std::size_t rank);
  void send_beside_others(std::size_t rank, double bytes);

  std::size_t ranks_;
  double* sent_s_ = nullptr;  // in the next step
  double* arrival_s_ = nullptr;
  std::size_t left_steps_ = 0;
  std::optional<Alike> alike_;
  // Of those that are noted:
  std::size_t most_steps_;
  PerHop noted_sent_s_;
  PerHop noted_arrivals_s_;
  std::vector<const double*> bytes_;
  bool some_may_be_most_ = false;
  PerHop most_wait_s_;  // what arrives no later than this after it was sent is not the most
  std::vector<std::int64_t> may_be_most_;  // not 0: something else was
  // Of what was sent so far; nothing will be before that:
  PerHop since_s_;
  std::vector<bool> is_behind_others_;  // perhaps, of another ring
  std::vector<std::int64_t> sent_;      // how many
  PerHop last_arrival_s_;
  PerHop last_bytes_;
  PerHop most_bytes_;
  std::vector<Several> several_;
  std::vector<std::uint32_t> beside_others_;  // who sends so, in a step
};

}  // namespace starling
