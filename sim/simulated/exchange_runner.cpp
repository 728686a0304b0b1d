#include "sim/simulated/exchange_runner.hpp"

#include <utility>

#include "base/errors.hpp"

namespace starling {

static_assert(sizeof(ExchangeRunner) == 4 * cache_line_bytes);

void ExchangeRunner::run(Endpoint& endpoint, ExchangeSequence& sequence, Tag tag) {
  begin(endpoint, sequence, tag);
  strand_ = &endpoint.scheduler().current();
  while (step_ != Step::done) endpoint.scheduler().block({.what = WaitsFor::What::others, .others = this});
  end();
}

bool ExchangeRunner::poll() {
  if (step_ == Step::done) return true;
  strand_ = &endpoint_->scheduler().current();
  endpoint_->scheduler().waits_next({.what = WaitsFor::What::others, .others = this});
  return false;
}

void ExchangeRunner::begin(Endpoint& endpoint, ExchangeSequence& sequence, Tag tag) {
  endpoint_ = &endpoint;
  sequence_ = &sequence;
  tag_ = tag;
  kind_ = sequence.kind();
  if (kind_ != MessageKind::control) endpoint.begin_communication();
  receive_.observer = this;
  step_ = Step::next;
  proceed();
}

void ExchangeRunner::end() {
  strand_ = nullptr;
  if (kind_ != MessageKind::control) endpoint_->end_communication();
  if (receive_.error) throw CommunicationError(*std::exchange(receive_.error, nullptr));
}

/// The overhead of a send, or a reduction, is over.
void ExchangeRunner::happen() {
  if (step_ == Step::overhead)
    transmit();
  else
    step_ = Step::next;
  proceed();
}

void ExchangeRunner::request_completed() {
  if (step_ == Step::messages) proceed();
}

/// Proceeds as far as possible without time passing. Requests that complete meanwhile are noticed by the
/// loop rather than by recursion.
void ExchangeRunner::proceed() {
  if (is_proceeding_) return;
  is_proceeding_ = true;
  while (true) {
    if (step_ == Step::next) begin_next();
    if (step_ == Step::messages && are_messages_complete() && finish_messages()) continue;
    break;
  }
  is_proceeding_ = false;
  if (step_ == Step::done && strand_) endpoint_->scheduler().make_ready(*strand_);
}

void ExchangeRunner::begin_next() {
  exchange_.source = exchange_.destination = -1;
  if (!sequence_->next(exchange_)) {
    step_ = Step::done;
    return;
  }
  if (exchange_.source >= 0)
    endpoint_->post_receive(receive_, exchange_.incoming, exchange_.source, tag_, kind_);
  if (exchange_.destination >= 0 && endpoint_->overhead_s() > 0) {
    step_ = Step::overhead;
    endpoint_->process(*this);
  } else {
    transmit();
  }
}

void ExchangeRunner::transmit() {
  step_ = Step::messages;
  if (exchange_.destination < 0) return;
  send_ = endpoint_->post_send(exchange_.outgoing, exchange_.destination, tag_, kind_,
                               endpoint_->costs().eager_in_collectives_bytes());
  if (send_) send_->observer = this;
}

bool ExchangeRunner::are_messages_complete() const {
  return (exchange_.source < 0 || receive_.is_complete) && (!send_ || send_->is_complete);
}

/// Returns true if the next exchange can begin at once.
bool ExchangeRunner::finish_messages() {
  if (send_) endpoint_->give_back(*std::exchange(send_, nullptr));
  if (receive_.error) {
    step_ = Step::done;
    return false;
  }
  step_ = Step::next;
  if (!exchange_.is_reducing) return true;
  if (kind_ == MessageKind::control) {  // added by CPUs, which do not wait for the reductions of GPU data
    add_elements(exchange_.sum, exchange_.incoming);
    return true;
  }
  if (endpoint_->reduce_at_once(exchange_.sum, exchange_.incoming, *this)) return true;
  step_ = Step::reduction;
  return false;
}

WaitsFor ExchangeRunner::waits_for() const {
  if (step_ != Step::messages) return {.what = WaitsFor::What::time};
  if (exchange_.source >= 0 && !receive_.is_complete)
    return {.what = WaitsFor::What::message, .peer = exchange_.source, .tag = tag_};
  return {.what = WaitsFor::What::sending, .peer = exchange_.destination, .tag = tag_};
}

}  // namespace starling
