#include "algorithms/training/shared/communication_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace starling {
namespace {

/// What frameworks call an operation of ours, and whether it is among all workers, or in groups.
struct Operation {
  std::string_view ours;
  std::string_view theirs;
  bool is_among_all = true;
};

constexpr std::string_view reduce_scatter = "_reduce_scatter_base";
constexpr std::string_view all_gather = "_all_gather_base";
constexpr std::array<Operation, 7> operations = {{{"all-reduce", "all_reduce"},
                                                  {"reduce-scatter", reduce_scatter},
                                                  {"all-gather", all_gather},
                                                  {"model synchronization", "all_reduce"},
                                                  {"average", "all_reduce", false},
                                                  {"sum on host", "all_reduce", false},
                                                  {"share on host", "broadcast", false}}};

CollectiveSpan described(std::string_view name, const Buffer& data, int ranks) {
  const auto* const operation = std::ranges::find(operations, name, &Operation::ours);
  if (operation == operations.end()) return {};
  const std::int64_t part = data.count() / std::max(1, ranks);
  return {.name = operation->theirs,
          .in_elements = operation->theirs == all_gather ? part : data.count(),
          .out_elements = operation->theirs == reduce_scatter ? part : data.count(),
          .bytes_per_element = data.bytes_per_element(),
          .ranks = operation->is_among_all ? ranks : 0};
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

void CommunicationStream::issue(const Schedule& schedule, Buffer data, const char* name, int number,
                                Tag tag) {
  ++issued_;
  queue_.push({&schedule, data, name, number, tag});
}

void CommunicationStream::close() {
  queue_.close();
  ended_.wait();
}

void CommunicationStream::run() {
  while (const auto collective = queue_.pop()) {
    run_traced(worker_, *collective->schedule, collective->data, collective->tag, collective->name,
               collective->number, executor_);
    completed_.add();
  }
  ended_.set();
}

void run_traced(Worker& worker, const Schedule& schedule, Buffer data, Tag tag, const char* name, int number,
                CollectiveExecutor* executor) {
  const double start_s = worker.now();
  MessageExecutor messages;
  (executor ? *executor : messages).run(worker, schedule, data, tag);
  if (worker.is_traced())
    worker.trace(fmt::format("{} {}", name, number), start_s, described(name, data, schedule.ranks()));
}

}  // namespace starling
