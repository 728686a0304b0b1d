#pragma once

#include <cstdint>

#include "sim/exchange.hpp"
#include "sim/simulated/endpoint.hpp"
#include "sim/strands/waits_for.hpp"

namespace starling {

/// Runs the exchanges of one worker in place of its strand, which sleeps until the last one is complete: the
/// same messages at the same times as the loop in Worker::run_exchanges, without a switch of stacks for
/// each. Four cache lines.
class alignas(64) ExchangeRunner final : public TimedAction, public RequestObserver, public WaitsOnBehalf {
 public:
  /// Blocks the running strand until all exchanges are complete. @throws CommunicationError if a message
  /// does not match its receive.
  void run(Endpoint& endpoint, ExchangeSequence& sequence, Tag tag);

  /// run() in parts, for a stepwise strand: begin() once, then poll() until it returns true, which is when
  /// all exchanges are complete (after each false, the strand's next step runs when they are), then end().
  void begin(Endpoint& endpoint, ExchangeSequence& sequence, Tag tag);
  bool poll();
  void end();

  void happen() override;
  std::uint32_t* ended_step() override { return &step_at_end_; }
  void happen_explained(CausalLog& causes, double now_s) override {
    causes.happens(now_s, step_at_end_);
    happen();
  }
  void request_completed() override;
  WaitsFor waits_for() const override;

 private:
  enum class Step : std::uint8_t { next, overhead, messages, reduction, done };

  void proceed();
  void begin_next();
  void transmit();
  bool are_messages_complete() const;
  bool finish_messages();

  Step step_ = Step::done;
  bool is_proceeding_ = false;
  MessageKind kind_ = MessageKind::data;
  Tag tag_ = 0;
  std::uint32_t step_at_end_ = 0;
  Endpoint* endpoint_ = nullptr;
  ExchangeSequence* sequence_ = nullptr;
  Strand* strand_ = nullptr;
  Send* send_ = nullptr;
  Exchange exchange_;
  Receive receive_;
};

}  // namespace starling
