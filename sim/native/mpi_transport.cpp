#include "sim/native/mpi_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/errors.hpp"
#include "sim/native/mpi_error.hpp"

namespace starling {
namespace {

using Clock = IdleWait::Clock;

constexpr int notification_tag = 0;
constexpr double forever_s = 1e9;

int largest_tag() {
  int* value = nullptr;
  int is_there = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &is_there),
            "MPI_Comm_get_attr");
  constexpr int promised_by_mpi = 32767;
  return is_there != 0 ? *value : promised_by_mpi;
}

MPI_Comm own_communicator() {
  MPI_Comm communicator = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &communicator), "MPI_Comm_dup");
  return communicator;
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  return total;
}

/// Collective: the entries that all ranks hold for this rank, by rank.
std::vector<std::int64_t> transposed(const std::vector<std::int64_t>& counts, MPI_Comm communicator) {
  std::vector<std::int64_t> theirs(counts.size());
  check_mpi(MPI_Alltoall(counts.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, communicator),
            "MPI_Alltoall");
  return theirs;
}

Clock::duration as_duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Whether every other rank is reached by TCP: whether there are at least as many connections as other
/// ranks, on this host and on others. Counted separately, as ranks of this host may use shared memory
/// however many connections lead to other hosts, and some networks bypass the kernel.
bool are_connected_by_tcp(const MpiJob& job, const Connections& connections) {
  const std::vector<int>& hosts = job.host_of_rank();
  const int own_host = hosts[static_cast<std::size_t>(job.rank())];
  const auto ranks_here = static_cast<int>(std::ranges::count(hosts, own_host));
  const Connections& of_launcher = job.connections_of_launcher();
  return connections.to_own_host - of_launcher.to_own_host >= ranks_here - 1 &&
         connections.to_other_hosts - of_launcher.to_other_hosts >= job.size() - ranks_here;
}

std::string describe_mismatch(const NativeRequest& request, int code, const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  const std::string has = code == MPI_SUCCESS ? std::to_string(bytes) : "more";
  return fmt::format("expects {} bytes from rank {} with tag {}, but the message has {}", request.bytes,
                     request.peer, request.tag, has);
}

}  // namespace

MpiTransport::MpiTransport(const MpiJob& job, ComputeDevice* device)
    : job_(job),
      device_(device),
      largest_tag_(largest_tag()),
      data_(own_communicator()),
      notifications_(own_communicator()),
      sent_(static_cast<std::size_t>(job.size())),
      received_(sent_.size()),
      notified_(sent_.size()),
      notified_by_(sent_.size()) {
  connect_to_all();
  const bool are_all_watched = are_connected_by_tcp(job, idle_.watch_connections());
  const bool wakes_device = !device_ || (device_->descriptor() >= 0 && idle_.watch(device_->descriptor()));
  idle_.set_arrival(are_all_watched && wakes_device ? Arrival::wakes : Arrival::silent);

  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Recv_init(&incoming_payload_, 1, MPI_INT64_T, MPI_ANY_SOURCE, notification_tag,
                          notifications_, &handle),
            "MPI_Recv_init");
  check_mpi(MPI_Start(&handle), "MPI_Start");
  add(handle, {});
}

/// If the run failed, the job is about to be aborted, and waiting for other ranks would never end.
MpiTransport::~MpiTransport() {
  give_up_computations();
  if (!is_finished_) return;
  MPI_Cancel(&requests_.front());
  MPI_Wait(&requests_.front(), MPI_STATUS_IGNORE);
  MPI_Request_free(&requests_.front());
  MPI_Comm_free(&data_);
  MPI_Comm_free(&notifications_);
}

/// Sends an empty message to every rank: MPI libraries connect at the first message, which may take as long
/// as a thousand messages.
void MpiTransport::connect_to_all() const {
  std::vector<MPI_Request> handles;
  for (Rank rank = 0; rank < job_.size(); ++rank) {
    for (const bool sends : {false, true}) {
      MPI_Request& handle = handles.emplace_back();
      check_mpi(sends ? MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, data_, &handle)
                      : MPI_Irecv(nullptr, 0, MPI_BYTE, rank, 0, data_, &handle),
                "opening a connection");
    }
  }
  check_mpi(MPI_Waitall(static_cast<int>(handles.size()), handles.data(), MPI_STATUSES_IGNORE),
            "opening the connections");
  check_mpi(MPI_Barrier(data_), "MPI_Barrier");
}

void MpiTransport::attach(Scheduler& scheduler, TransportListener& listener) {
  scheduler_ = &scheduler;
  listener_ = &listener;
}

void MpiTransport::start_clock(Clock::time_point start) {
  start_ = start;
  Clock::time_point now = Clock::now();
  idle_.begin(now);
  for (; now < start; now = Clock::now()) idle_.step(now, start);
}

double MpiTransport::clock_s() const {
  return std::max(0.0, std::chrono::duration<double>(Clock::now() - start_).count());
}

void MpiTransport::check(const NativeRequest& request) const {
  if (request.tag < 0 || request.tag > largest_tag_)
    throw CommunicationError(
        fmt::format("rank {} uses tag {}; this MPI has tags 0 … {}", job_.rank(), request.tag, largest_tag_));
}

void MpiTransport::add(MPI_Request handle, Owner owner) {
  requests_.push_back(handle);
  owners_.push_back(owner);
}

void MpiTransport::send(NativeRequest& request, const void* data) {
  check(request);
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, request.bytes, MPI_BYTE, request.peer, request.tag, data_, &handle), "MPI_Isend");
  ++sent_[static_cast<std::size_t>(request.peer)];
  int is_complete = 0;
  check_mpi(MPI_Test(&handle, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_complete != 0)
    listener_->request_ended(request);
  else
    add(handle, {.request = &request});
}

void MpiTransport::receive(NativeRequest& request, void* data) {
  check(request);
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, request.bytes, MPI_BYTE, request.peer, request.tag, data_, &handle), "MPI_Irecv");
  add(handle, {.request = &request});
}

void MpiTransport::notify(Rank destination, std::int64_t payload) {
  std::int64_t& outgoing = payloads_.take();
  outgoing = payload;
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(&outgoing, 1, MPI_INT64_T, destination, notification_tag, notifications_, &handle),
            "MPI_Isend");
  ++notified_[static_cast<std::size_t>(destination)];
  add(handle, {.payload = &outgoing});
}

void MpiTransport::barrier(NativeRequest& request) {
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(data_, &handle), "MPI_Ibarrier");
  add(handle, {.request = &request});
}

void MpiTransport::compute(NativeRequest& request, double seconds) {
  computations_.push_back({.request = &request, .seconds = seconds});
  if (computations_.size() == 1) device_->begin(seconds);
}

double MpiTransport::advance(double limit_s) {
  const Clock::time_point deadline = start_ + as_duration(std::min(limit_s, forever_s));
  for (bool has_waited = false;; has_waited = true) {
    poll_some();
    if (!(ended_.empty() && arrived_.empty()) && seen_s_ < limit_s) {
      const double time_s = std::max(scheduler_->now(), seen_s_);
      if (has_waited) idle_.end(start_ + as_duration(seen_s_));
      hand_over(time_s);
      return time_s;
    }
    const Clock::time_point now = Clock::now();
    if (now >= deadline) return limit_s;
    if (!has_waited) idle_.begin(now);
    idle_.step(now, deadline);
  }
}

/// Polls a few times in a row, as reading the clock takes about as long as polling.
void MpiTransport::poll_some() {
  constexpr int looks = 4;
  for (int i = 0; i < looks && ended_.empty() && arrived_.empty(); ++i) poll();
}

void MpiTransport::poll() {
  poll_device();
  poll_messages();
}

void MpiTransport::poll_device() {
  while (!computations_.empty() && device_->is_done()) {
    ++events_;
    note_time();
    ended_.push_back(computations_.front().request);
    computations_.pop_front();
    if (!computations_.empty()) device_->begin(computations_.front().seconds);
  }
}

void MpiTransport::poll_messages() {
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices_.data(),
                                statuses_.data());
  if (code == MPI_SUCCESS && (count == MPI_UNDEFINED || count == 0)) return;
  if (code != MPI_ERR_IN_STATUS) {
    check_mpi(code, "MPI_Testsome");
    for (MPI_Status& status : statuses_) status.MPI_ERROR = MPI_SUCCESS;
  }
  note_time();
  indices_.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < indices_.size(); ++i) end(static_cast<std::size_t>(indices_[i]), statuses_[i]);
  remove_ended();
}

/// Records the time of the first of the events that are handed over together.
void MpiTransport::note_time() {
  if (ended_.empty() && arrived_.empty()) seen_s_ = clock_s();
}

void MpiTransport::end(std::size_t index, MPI_Status& status) {
  ++events_;
  if (index == 0) return take_notification(status);
  const Owner& owner = owners_[index];
  if (owner.payload) {
    check_mpi(status.MPI_ERROR, "sending a notification");
    payloads_.give_back(*owner.payload);
    return;
  }
  NativeRequest& request = *owner.request;
  ended_.push_back(&request);
  if (request.is_send) return check_mpi(status.MPI_ERROR, "sending");
  if (request.peer < 0) return check_mpi(status.MPI_ERROR, "MPI_Ibarrier");
  ++received_[static_cast<std::size_t>(request.peer)];
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (status.MPI_ERROR == MPI_SUCCESS && bytes == request.bytes) return;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(status.MPI_ERROR, &error_class);
  if (error_class != MPI_ERR_TRUNCATE) check_mpi(status.MPI_ERROR, "receiving");
  request.error = std::make_unique<std::string>(
      fmt::format("rank {} {}", job_.rank(), describe_mismatch(request, status.MPI_ERROR, status)));
}

void MpiTransport::take_notification(const MPI_Status& status) {
  check_mpi(status.MPI_ERROR, "receiving a notification");
  ++notified_by_[static_cast<std::size_t>(status.MPI_SOURCE)];
  arrived_.push_back({.source = status.MPI_SOURCE, .payload = incoming_payload_});
  check_mpi(MPI_Start(&requests_.front()), "MPI_Start");
}

void MpiTransport::remove_ended() {
  std::sort(indices_.begin(), indices_.end(), std::greater<>());
  for (const int index : indices_) {
    if (index == 0) continue;
    requests_[static_cast<std::size_t>(index)] = requests_.back();
    owners_[static_cast<std::size_t>(index)] = owners_.back();
    requests_.pop_back();
    owners_.pop_back();
  }
}

void MpiTransport::hand_over(double time_s) {
  scheduler_->reach(time_s);
  for (NativeRequest* request : ended_) listener_->request_ended(*request);
  for (const Notification& notification : arrived_) listener_->notification_arrived(notification);
  ended_.clear();
  arrived_.clear();
}

void MpiTransport::finish() {
  give_up_computations();
  give_up_receives();
  drain(transposed(sent_, data_), transposed(notified_, data_));
  check_mpi(MPI_Barrier(data_), "MPI_Barrier");
  is_finished_ = true;
}

void MpiTransport::give_up_computations() {
  if (!computations_.empty()) device_->abandon();
  computations_.clear();
}

void MpiTransport::give_up_receives() {
  for (std::size_t i = requests_.size(); i-- > 1;) {
    const NativeRequest* request = owners_[i].request;
    if (!request || request->is_send) continue;
    check_mpi(MPI_Cancel(&requests_[i]), "MPI_Cancel");
    MPI_Status status;
    MPI_Wait(&requests_[i], &status);
    int is_canceled = 0;
    MPI_Test_cancelled(&status, &is_canceled);
    if (is_canceled == 0) ++received_[static_cast<std::size_t>(request->peer)];
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
    owners_.erase(owners_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Receives and discards until `messages` and `notifications`, numbers by rank, have come from the ranks and
/// all sends are complete.
void MpiTransport::drain(const std::vector<std::int64_t>& messages,
                         const std::vector<std::int64_t>& notifications) {
  std::vector<std::int64_t> missing(messages.size());
  std::transform(messages.begin(), messages.end(), received_.begin(), missing.begin(), std::minus<>());
  while (sum(missing) > 0 || sum(notified_by_) < sum(notifications) || has_sends()) {
    take_unexpected(missing);
    poll();
  }
  ended_.clear();
  arrived_.clear();
}

void MpiTransport::take_unexpected(std::vector<std::int64_t>& missing) {
  int is_there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, data_, &is_there, &message, &status), "MPI_Improbe");
  if (is_there == 0) return;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::vector<std::byte> nowhere(static_cast<std::size_t>(bytes));
  --missing[static_cast<std::size_t>(status.MPI_SOURCE)];
  check_mpi(MPI_Mrecv(nowhere.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
}

bool MpiTransport::has_sends() const { return requests_.size() > 1; }

}  // namespace starling
