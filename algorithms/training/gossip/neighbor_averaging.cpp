#include "algorithms/training/gossip/neighbor_averaging.hpp"

#include "algorithms/training/shared/model_arithmetic.hpp"

namespace starling {

NeighborAveraging::NeighborAveraging(Worker& worker, const MixingSchedule& mixing, Buffer like, Tag tag)
    : worker_(worker), mixing_(mixing), tag_(tag), mixed_(like, like.count()) {}

void NeighborAveraging::average(std::int64_t iteration, Buffer model) {
  look_up(iteration);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    receives_.push_back(worker_.irecv(inbox(i), sources_[i].rank, tag_));
  }
  for (const MixingNeighbor& destination : destinations_) {
    sends_.push_back(worker_.isend(model, destination.rank, tag_));
  }

  copy_model(model, mixed_);
  scale_model(mixed_, own_weight_);
  if (worker_.accumulates_at_once()) worker_.wait_all(receives_);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    worker_.wait(receives_[i]);
    scale_model(inbox(i), sources_[i].weight);
    worker_.accumulate(mixed_, inbox(i));
  }
  for (Request& send : sends_) worker_.wait(send);
  receives_.clear();
  sends_.clear();
}

std::vector<Rank> NeighborAveraging::peers() const {
  std::vector<Rank> ranks;
  for (const MixingNeighbor& source : sources_) ranks.push_back(source.rank);
  return ranks;
}

void NeighborAveraging::look_up(std::int64_t iteration) {
  if (is_looked_up_ && mixing_.period() == 1) return;
  mixing_.find_in_neighbors(worker_.rank(), iteration, sources_);
  mixing_.find_out_neighbors(worker_.rank(), iteration, destinations_);
  own_weight_ = mixing_.own_weight(worker_.rank(), iteration);
  is_looked_up_ = true;
}

Buffer NeighborAveraging::inbox(std::size_t neighbor) {
  if (!mixed_.view().is_real()) return mixed_;
  while (inboxes_.size() <= neighbor) inboxes_.emplace_back(mixed_, mixed_.view().count());
  return inboxes_[neighbor];
}

}  // namespace starling
