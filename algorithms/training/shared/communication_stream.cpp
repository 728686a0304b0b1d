#include "algorithms/training/shared/communication_stream.hpp"

#include <fmt/format.h>

namespace starling {

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
  if (worker.is_traced()) worker.trace(fmt::format("{} {}", name, number), start_s);
}

}  // namespace starling
