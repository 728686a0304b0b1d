#include "algorithms/training/gossip/backward_exchange.hpp"

#include <algorithm>
#include <cstdint>

#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/progress.hpp"
#include "sim/event.hpp"

namespace starling {

std::vector<Bucket> model_buckets(const Workload& workload, ModelBuckets bucket_bytes) {
  if (!bucket_bytes) return {};
  return ddp_buckets(workload, *bucket_bytes, *bucket_bytes);
}

std::vector<Buffer> bucket_models(Replica& replica, const std::vector<Bucket>& buckets) {
  if (buckets.empty()) return {replica.parameters()};
  std::vector<Buffer> models;
  for (const Bucket& bucket : buckets) models.push_back(replica.parameters(bucket.tensors));
  return models;
}

void exchange_during_backward(Trainer& trainer, const std::vector<Bucket>& buckets,
                              const std::function<void(std::size_t bucket)>& exchange) {
  if (buckets.empty()) return trainer.backward();
  Worker& worker = trainer.worker();
  Progress ready(worker, "gradients");
  Event ended(worker, "the exchange of the last bucket");
  worker.spawn("communication", [&] {
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
      ready.wait_for(static_cast<std::int64_t>(bucket) + 1);
      exchange(bucket);
    }
    ended.set();
  });
  for (const Bucket& bucket : buckets) {
    trainer.backward_to(bucket.ready_layer);
    ready.add();
  }
  trainer.backward();
  ended.wait();
}

void describe_model_buckets(ModelBuckets& bucket_bytes, std::string_view otherwise, OptionVisitor& visitor) {
  describe_message_size(
      {"bucket_bytes",
       "models as before the optimizer's step are averaged bucket by bucket during the backward "
       "pass, and the step follows; a bucket closes with the tensor that brings it to this size, 0: "
       "one bucket per tensor, as in the released code of WAGMA-SGD's baselines",
       otherwise},
      bucket_bytes, visitor);
}

TypicalTraffic typical_exchange(const MixingSchedule& mixing, std::size_t buckets) {
  constexpr int most_asked = 16;
  const int asked = std::min(most_asked, mixing.ranks());
  const auto iterations = std::min<std::int64_t>(mixing.period(), most_asked);
  double messages = 0;
  std::vector<MixingNeighbor> neighbors;
  for (int i = 0; i < asked; ++i) {
    const auto rank = static_cast<Rank>(std::int64_t{i} * mixing.ranks() / asked);
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      mixing.find_out_neighbors(rank, iteration, neighbors);
      messages += static_cast<double>(neighbors.size());
    }
  }
  TypicalTraffic traffic;
  traffic.models = messages / (asked * static_cast<double>(iterations));
  traffic.messages = traffic.models * static_cast<double>(std::max<std::size_t>(1, buckets));
  return traffic;
}

}  // namespace starling
