#include "algorithms/training/shared/communication_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "algorithms/training/shared/bucket.hpp"

namespace starling {
namespace {

/// The name of an operation in Starling and in PyTorch.
struct Operation {
  std::string_view ours;
  std::string_view theirs;
};

constexpr std::string_view reduce_scatter = "_reduce_scatter_base";
constexpr std::string_view all_gather = "_all_gather_base";
constexpr std::array<Operation, 7> operations = {{{"all-reduce", "all_reduce"},
                                                  {"reduce-scatter", reduce_scatter},
                                                  {"all-gather", all_gather},
                                                  {"model synchronization", "all_reduce"},
                                                  {"average", "all_reduce"},
                                                  {"sum on host", "all_reduce"},
                                                  {"share on host", "broadcast"}}};

CollectiveSpan described(std::string_view name, const Buffer& data, int ranks) {
  const auto* const operation = std::ranges::find(operations, name, &Operation::ours);
  if (operation == operations.end()) return {};
  const std::int64_t part = data.count() / std::max(1, ranks);
  return {.name = operation->theirs,
          .in_elements = operation->theirs == all_gather ? part : data.count(),
          .out_elements = operation->theirs == reduce_scatter ? part : data.count(),
          .bytes_per_element = data.bytes_per_element(),
          .ranks = ranks};
}

void note(Worker& worker, const Schedule& schedule, const Buffer& data, const CollectiveLabel& label,
          double start_s) {
  const std::span<const Rank> group = schedule.group_of(worker.rank());
  const int ranks = group.empty() ? schedule.ranks() : static_cast<int>(group.size());
  worker.trace(fmt::format("{} {}", label.name, label.number), start_s,
               {.layers = label.model ? label.model->names_of(layers_of(*label.model, label.tensors)) : "",
                .peers = group,
                .collective = described(label.name, data, ranks)});
}

}  // namespace

CommunicationStream::CommunicationStream(Worker& worker, Tag tag, CollectiveExecutor* executor)
    : worker_(worker),
      tag_(tag),
      executor_(executor),
      queue_(worker, "collectives to run"),
      completed_(worker, "collectives under way"),
      ended_(worker, "the end of the communication stream") {
  worker.spawn("communication", [this] { run(); });
}

void CommunicationStream::issue(const Schedule& schedule, Buffer data, const CollectiveLabel& label,
                                Tag tag) {
  ++issued_;
  queue_.push({&schedule, data, label, tag});
}

void CommunicationStream::close() {
  queue_.close();
  ended_.wait();
}

void CommunicationStream::run() {
  while (const auto collective = queue_.pop()) {
    run_traced(worker_, *collective->schedule, collective->data, collective->tag, collective->label,
               executor_);
    completed_.add();
  }
  ended_.set();
}

void run_traced(Worker& worker, const Schedule& schedule, Buffer data, Tag tag, const CollectiveLabel& label,
                CollectiveExecutor* executor) {
  const double start_s = worker.now();
  MessageExecutor messages;
  (executor ? *executor : messages).run(worker, schedule, data, tag);
  if (worker.is_traced()) note(worker, schedule, data, label, start_s);
}

}  // namespace starling
