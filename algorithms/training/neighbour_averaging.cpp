#include "algorithms/training/neighbour_averaging.hpp"

#include "algorithms/training/model_arithmetic.hpp"

namespace starling {

NeighbourAveraging::NeighbourAveraging(Worker& worker, const MixingSchedule& mixing, Buffer like, Tag tag)
    : worker_(worker), mixing_(mixing), tag_(tag), mixed_(like, like.count()) {}

void NeighbourAveraging::average(std::int64_t iteration, Buffer model) {
  const Rank rank = worker_.rank();
  const std::vector<MixingNeighbour> sources = mixing_.in_neighbours(rank, iteration);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    receives_.push_back(worker_.irecv(inbox(i), sources[i].rank, tag_));
  }
  for (const MixingNeighbour& destination : mixing_.out_neighbours(rank, iteration)) {
    sends_.push_back(worker_.isend(model, destination.rank, tag_));
  }

  copy_model(model, mixed_);
  scale_model(mixed_, mixing_.own_weight(rank, iteration));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    worker_.wait(receives_[i]);
    scale_model(inbox(i), sources[i].weight);
    worker_.accumulate(mixed_, inbox(i));
  }
  for (Request& send : sends_) worker_.wait(send);
  receives_.clear();
  sends_.clear();
}

Buffer NeighbourAveraging::inbox(std::size_t neighbour) {
  if (!mixed_.view().is_real()) return mixed_;
  while (inboxes_.size() <= neighbour) inboxes_.emplace_back(mixed_, mixed_.view().count());
  return inboxes_[neighbour];
}

}  // namespace starling
