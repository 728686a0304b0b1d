#include "algorithms/training/gossip/push_sum.hpp"

#include "algorithms/training/shared/model_arithmetic.hpp"

namespace starling {

PushSum::PushSum(Worker& worker, const MixingSchedule& mixing, Buffer model, Tag tag, double weight)
    : worker_(worker), mixing_(mixing), tag_(tag), state_(model, model.count() + 1) {
  copy_model(model, state_.first(model.count()));
  if (state_.view().is_real()) state_.view().data().back() = 1;
  scale_model(state_, weight);
}

double PushSum::weight() const { return state_.view().is_real() ? state_.view().data().back() : 1; }

void PushSum::push(std::int64_t exchange) {
  const Rank rank = worker_.rank();
  mixing_.find_in_neighbors(rank, exchange, sources_);
  mixing_.find_out_neighbors(rank, exchange, destinations_);
  make_buffers(inboxes_, sources_.size());
  make_buffers(outboxes_, destinations_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    receives_.push_back(worker_.irecv(inboxes_[i], sources_[i].rank, tag_));
  }
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    copy_model(state_, outboxes_[i]);
    scale_model(outboxes_[i], destinations_[i].weight);
    sends_.push_back(worker_.isend(outboxes_[i], destinations_[i].rank, tag_));
  }
  scale_model(state_, mixing_.own_weight(rank, exchange));
}

int PushSum::complete() {
  const auto neighbors = static_cast<int>(receives_.size());
  if (worker_.accumulates_at_once()) worker_.wait_all(receives_);
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    worker_.wait(receives_[i]);
    worker_.accumulate(state_, inboxes_[i]);
  }
  for (Request& send : sends_) worker_.wait(send);
  receives_.clear();
  sends_.clear();
  return neighbors;
}

void PushSum::make_buffers(std::vector<OwnedBuffer>& buffers, std::size_t count) {
  while (buffers.size() < count) buffers.emplace_back(state_, state_.view().count());
}

}  // namespace starling
