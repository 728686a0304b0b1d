#include "sim/native/native_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

double data_bytes(Buffer buffer) {
  return buffer.is_real() ? static_cast<double>(buffer.count()) * Buffer::bytes_per_float : 0;
}

}  // namespace

NativeWorker::NativeWorker(const MpiJob& job, Scheduler& scheduler, MpiTransport& transport, TraceSink* trace)
    : ScheduledWorker(job.rank(), job.rank(), job.size(), scheduler, trace),
      job_(job),
      transport_(transport),
      notifications_(scheduler) {}

NativeRequest& NativeWorker::new_request(Buffer buffer, Rank peer, Tag tag) {
  const double bytes = std::ceil(std::max(buffer.bytes(), data_bytes(buffer)));
  if (bytes > std::numeric_limits<int>::max())
    throw CommunicationError(fmt::format(
        "rank {} cannot exchange {:.0f} bytes with rank {} (tag {}): MPI supports messages of up to {} bytes",
        rank(), bytes, peer, tag, std::numeric_limits<int>::max()));
  NativeRequest& request = requests_.take();
  request.is_complete = false;
  request.waiter = nullptr;
  request.peer = peer;
  request.tag = tag;
  request.incoming = {};
  request.block = {};
  request.bytes = static_cast<int>(bytes);
  return request;
}

/// The memory of a message: the buffer itself if it has all of the message's bytes, else a block of scratch
/// memory.
void* NativeWorker::memory_of(NativeRequest& request, Buffer buffer) {
  if (buffer.is_real() && data_bytes(buffer) == request.bytes) return buffer.data().data();
  request.block = scratch_.take(static_cast<std::size_t>(request.bytes));
  return request.block.data;
}

Request NativeWorker::isend(Buffer outgoing, Rank destination, Tag tag) {
  require_peer(destination, tag, "send to");
  NativeRequest& request = new_request(outgoing, destination, tag);
  request.is_send = true;
  void* const memory = memory_of(request, outgoing);
  if (request.block.data && outgoing.is_real())
    std::memcpy(memory, outgoing.data().data(), outgoing.data().size_bytes());
  ++messages_;
  bytes_ += outgoing.bytes();
  transport_.send(request, memory);
  return Request(&request);
}

Request NativeWorker::irecv(Buffer incoming, Rank source, Tag tag) {
  require_peer(source, tag, "receive from");
  NativeRequest& request = new_request(incoming, source, tag);
  request.is_send = false;
  void* const memory = memory_of(request, incoming);
  if (request.block.data) request.incoming = incoming;
  transport_.receive(request, memory);
  return Request(&request);
}

void NativeWorker::request_ended(NativeRequest& request) {
  const std::span<float> data = request.incoming.data();
  if (!data.empty() && !request.error) std::memcpy(data.data(), request.block.data, data.size_bytes());
  scratch_.give_back(std::exchange(request.block, {}));
  request.complete(scheduler());
}

void NativeWorker::give_back(RequestState& request) {
  requests_.give_back(static_cast<NativeRequest&>(request));
}

void NativeWorker::notify(Rank destination, std::int64_t payload) {
  require_peer(destination, 0, "notify");
  ++messages_;
  bytes_ += Notification::bytes;
  transport_.notify(destination, payload);
}

void NativeWorker::notification_arrived(const Notification& notification) {
  notifications_.push(notification);
}

std::optional<Notification> NativeWorker::poll_notification() {
  if (!notifications_.poll()) return std::nullopt;
  return notifications_.take();
}

bool NativeWorker::poll_exchanges(ExchangeSequence& sequence, Tag tag) {
  run_exchanges(sequence, tag);
  return true;
}

void NativeWorker::compute(double seconds) {
  if (!transport_.has_device()) return emulate(seconds);
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  NativeRequest request;
  transport_.compute(request, seconds);
  wait_until_complete(scheduler(), request);
}

/// Lasts until this thread notices that the timer has expired. A computation requested at that moment is
/// booked from the time at which the GPU was free, as with queued kernels, so lateness does not accumulate.
void NativeWorker::emulate(double seconds) {
  STARLING_INVARIANT(seconds >= 0 && seconds <= std::numeric_limits<double>::max());
  const double asked_s = now() == noticed_s_ ? computed_s_ : now();
  const double computed_s = book_gpu(asked_s, seconds);
  sleep_until(computed_s);
  sleep_until(transport_.clock_s());
  computed_s_ = computed_s;  // only now, as another strand may have computed meanwhile
  noticed_s_ = now();
  late_timers_.add(noticed_s_ - computed_s);
}

void NativeWorker::accumulate(Buffer into, Buffer from) {
  add_elements(into, from);
  reduce_scratch(into.bytes() - data_bytes(into));
  sleep_until(transport_.clock_s());
}

/// Adds `bytes` of floats in scratch memory, in pieces between which messages make progress.
void NativeWorker::reduce_scratch(double bytes) {
  constexpr std::size_t piece_floats = 64 * 1024;
  if (bytes < Buffer::bytes_per_float) return;
  const auto floats = static_cast<std::size_t>(bytes / Buffer::bytes_per_float);
  const ScratchMemory::Block into = scratch_.take(floats * sizeof(float));
  const ScratchMemory::Block from = scratch_.take(floats * sizeof(float));
  for (std::size_t first = 0; first < floats; first += piece_floats) {
    const std::size_t count = std::min(piece_floats, floats - first);
    add_elements({reinterpret_cast<float*>(into.data) + first, count},
                 {reinterpret_cast<const float*>(from.data) + first, count});
    sleep_until(transport_.clock_s());
  }
  scratch_.give_back(from);
  scratch_.give_back(into);
}

void NativeWorker::spawn(std::string name, std::function<void()> body, StrandKind kind) {
  if (kind == StrandKind::background)
    return scheduler().spawn(rank(), std::move(name), std::move(body), true);
  ++foreground_strands_;
  scheduler().spawn(rank(), std::move(name), [this, body = std::move(body)] {
    body();
    strand_ended();
  });
}

void NativeWorker::spawn_stepwise(std::string name, std::function<void()> step) {
  scheduler().spawn(
      rank(), std::move(name),
      [this, step = std::move(step)] {
        while (true) {
          step();
          scheduler().block(scheduler().current().waits_for());
        }
      },
      true);
}

/// The last foreground strand of this rank waits for those of all other ranks: until then they need this
/// rank's background strands.
void NativeWorker::strand_ended() {
  if (--foreground_strands_ > 0) return;
  ended_s_ = now();
  constexpr Rank everyone = -1;
  NativeRequest request;
  request.peer = everyone;
  transport_.barrier(request);
  wait_until_complete(scheduler(), request);
  transport_.finish();
}

}  // namespace starling
