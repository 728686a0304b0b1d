#include "workloads/learning/replica.hpp"

#include <utility>

#include "base/errors.hpp"
#include "base/reject.hpp"

namespace starling {

namespace {

std::shared_ptr<const std::vector<std::int64_t>> offsets_of(const std::vector<Tensor>& tensors) {
  std::vector<std::int64_t> offsets = {0};
  offsets.reserve(tensors.size() + 1);
  for (const Tensor& tensor : tensors) offsets.push_back(offsets.back() + tensor.elements);
  return std::make_shared<const std::vector<std::int64_t>>(std::move(offsets));
}

}  // namespace

Replica::Replica(const Workload& workload)
    : offsets_(offsets_of(workload.model.tensors)), bytes_per_element_(workload.bytes_per_element) {}

Replica::Replica(const Workload& workload, std::vector<float> initial_parameters,
                 std::unique_ptr<Optimizer> optimizer, GradientTask task)
    : offsets_(offsets_of(workload.model.tensors)),
      bytes_per_element_(workload.bytes_per_element),
      is_real_(true),
      parameters_(std::move(initial_parameters)),
      gradients_(parameters_.size()),
      optimizer_(std::move(optimizer)),
      steps_(workload.model.tensors.size()),
      task_(std::move(task)) {
  if (static_cast<std::int64_t>(parameters_.size()) != elements()) {
    reject("there are {} initial parameters for a model of {}", parameters_.size(), elements());
  }
}

Replica::Replica(const Workload& workload, std::vector<float> initial_parameters,
                 const OptimizerOptions& optimizer, GradientTask task)
    : Replica(workload, std::move(initial_parameters), make_optimizer(optimizer, workload.parameters()),
              std::move(task)) {}

Replica Replica::another() const {
  STARLING_INVARIANT(!is_real_);
  Replica other;
  other.offsets_ = offsets_;
  other.bytes_per_element_ = bytes_per_element_;
  return other;
}

std::int64_t Replica::offset(int tensor) const {
  STARLING_INVARIANT(tensor >= 0 && tensor <= tensors());
  return (*offsets_)[static_cast<std::size_t>(tensor)];
}

std::int64_t Replica::elements(TensorRange range) const {
  STARLING_INVARIANT(range.count >= 0);
  return offset(range.first + range.count) - offset(range.first);
}

Buffer Replica::parameters(TensorRange range) { return slice(parameters_, range); }

Buffer Replica::gradients(TensorRange range) { return slice(gradients_, range); }

Buffer Replica::slice(std::vector<float>& data, TensorRange range) const {
  const Buffer whole =
      is_real_ ? Buffer::real(data, bytes_per_element_) : Buffer::sized(elements(), bytes_per_element_);
  return whole.slice(offset(range.first), elements(range));
}

void Replica::compute_gradients(std::int64_t iteration) {
  if (task_) task_(iteration, parameters_, gradients_);
}

void Replica::update(TensorRange range, double scale) {
  STARLING_INVARIANT(elements(range) >= 0);
  if (!optimizer_) return;
  for (int tensor = range.first; tensor < range.first + range.count; ++tensor) {
    optimizer_->step(offset(tensor), parameters({tensor, 1}).data(), gradients({tensor, 1}).data(), scale,
                     ++steps_[static_cast<std::size_t>(tensor)]);
  }
}

}  // namespace starling
