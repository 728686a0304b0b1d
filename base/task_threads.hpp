#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace starling {

/// A source for TaskThreads that returns these tasks in order. The tasks must outlive it.
template <typename Task>
std::function<std::optional<Task>()> one_by_one(std::span<const Task> tasks) {
  return [tasks, next = std::size_t{0}]() mutable {
    return next < tasks.size() ? std::optional(tasks[next++]) : std::nullopt;
  };
}

/// A pool of threads that carry out tasks while the thread that owns it takes the outcomes. Tasks begin in
/// the order of their source; outcomes come in the order in which tasks end.
///
/// At most as many threads are started as there are tasks; if the system refuses some, the others do the
/// work. At most 1000 outcomes wait to be taken; then the threads pause. The destructor waits for running
/// tasks, and begins no more.
template <typename Task, typename Outcome>
class TaskThreads {
 public:
  /// `source` returns the tasks one by one, and nothing after the last; it is called by one thread at a time.
  /// `work` is called by several threads at once. @throws std::system_error if no thread at all can be
  /// started.
  TaskThreads(int most_threads, std::function<std::optional<Task>()> source,
              std::function<Outcome(const Task&)> work)
      : source_(std::move(source)), work_(std::move(work)), task_(source_()) {
    threads_.reserve(static_cast<std::size_t>(most_threads));
    try {
      for (int i = 0; i < most_threads && has_task(); ++i) start_one();
    } catch (const std::system_error& error) {
      if (threads_.empty()) throw std::system_error(error.code(), "no thread can be started");
    } catch (const std::exception&) {
      if (threads_.empty()) throw;
    }
  }
  ~TaskThreads() { stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  /// Waits for the outcome of one more task and returns it; nothing after the last one. Rethrows the first
  /// exception of `source` or `work`.
  std::optional<Outcome> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ended_.empty() || problem_ != nullptr || at_work_ == 0; });
    if (problem_ != nullptr) std::rethrow_exception(problem_);
    if (ended_.empty()) return std::nullopt;
    Outcome first = std::move(ended_.front());
    ended_.pop_front();
    room_.notify_one();
    return first;
  }

 private:
  static constexpr std::size_t most_ended = 1000;  // outcomes not yet taken

  bool has_task() {
    const std::lock_guard lock(mutex_);
    return task_.has_value();
  }

  void start_one() {
    count_at_work(1);
    try {
      threads_.emplace_back([this] { work(); });
    } catch (...) {
      count_at_work(-1);
      throw;
    }
  }

  void count_at_work(int change) {
    const std::lock_guard lock(mutex_);
    at_work_ += change;
    changed_.notify_one();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    task_.reset();
    is_stopped_ = true;
    room_.notify_all();
  }

  std::optional<Task> next() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return is_stopped_ || ended_.size() < most_ended; });
    if (is_stopped_ || !task_) return std::nullopt;
    return std::exchange(task_, source_());
  }

  void work() {
    try {
      while (const std::optional<Task> task = next()) {
        Outcome outcome = work_(*task);
        const std::lock_guard lock(mutex_);
        ended_.push_back(std::move(outcome));
        changed_.notify_one();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (problem_ == nullptr) problem_ = std::current_exception();
    }
    count_at_work(-1);
  }

  std::function<std::optional<Task>()> source_;
  std::function<Outcome(const Task&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable room_;
  std::optional<Task> task_;  // the next one
  std::deque<Outcome> ended_;
  std::exception_ptr problem_;
  int at_work_ = 0;
  bool is_stopped_ = false;
  std::vector<std::jthread> threads_;  // last member: threads are joined before the others are destroyed
};

}  // namespace starling
