// Compares the native world with plain MPI in the same processes: mpirun -n P native_benchmark. See
// README.md.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/native/native_world.hpp"

namespace starling {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Collective: the maximum over all ranks.
double longest_s(double own_s) {
  double longest = 0;
  MPI_Allreduce(&own_s, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

double timed_s(const std::function<void()>& body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point start = Clock::now();
  body();
  return longest_s(seconds_since(start));
}

/// The one-way time of a ping-pong between ranks 0 and 1, in seconds.
double ping_pong_in_mpi_s(int rank, int round_trips) {
  double data = 0;
  const int peer = 1 - rank;
  return timed_s([&] {
           for (int i = 0; rank < 2 && i < round_trips; ++i) {
             if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
             MPI_Recv(&data, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
           }
         }) /
         round_trips / 2;
}

double ping_pong_in_world_s(const MpiJob& job, int round_trips) {
  double own_s = 0;
  NativeWorld(job).run([&](Worker& worker) {
    std::vector<float> data(2);
    const Rank peer = 1 - worker.rank();
    const Clock::time_point start = Clock::now();
    for (int i = 0; worker.rank() < 2 && i < round_trips; ++i) {
      if (worker.rank() == 0) worker.send(Buffer::real(data), peer, 0);
      worker.receive(Buffer::real(data), peer, 0);
      if (worker.rank() == 1) worker.send(Buffer::real(data), peer, 0);
    }
    own_s = seconds_since(start);
  });
  return longest_s(own_s) / round_trips / 2;
}

double allreduce_in_mpi_s(std::vector<float>& data) {
  return timed_s([&] {
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  });
}

/// How late computations of 5 ms end, in microseconds, ascending.
std::vector<double> lateness_us(const MpiJob& job) {
  std::vector<double> late;
  NativeWorld(job).run([&](Worker& worker) {
    for (int i = 0; i < 200; ++i) {
      const Clock::time_point start = Clock::now();
      const double due_s = 0.005;
      worker.compute(due_s);
      late.push_back(1e6 * (seconds_since(start) - due_s));
    }
  });
  std::sort(late.begin(), late.end());
  return late;
}

std::int64_t now_ns() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

/// The time from the send to the receipt of a message of 8 bytes for which rank 1 has waited for about
/// wait_s, in microseconds, ascending. Ranks 0 and 1 must share a clock.
std::vector<double> noticed_after_us(const MpiJob& job, double wait_s, int times) {
  using Time = std::array<float, 2>;
  std::vector<double> late;
  NativeWorld(job).run([&](Worker& worker) {
    Time data{};
    for (int i = 0; i < times; ++i) {
      if (worker.rank() == 0) {
        worker.receive(Buffer::sized(0), 1, 1);
        worker.compute(wait_s * (1 + 0.01 * (i % 20)));
        data = std::bit_cast<Time>(now_ns());
        worker.send(Buffer::real(data), 1, 0);
      } else if (worker.rank() == 1) {
        worker.send(Buffer::sized(0), 0, 1);
        worker.receive(Buffer::real(data), 0, 0);
        late.push_back(1e-3 * static_cast<double>(now_ns() - std::bit_cast<std::int64_t>(data)));
      }
    }
  });
  std::sort(late.begin(), late.end());
  return late;
}

void measure_wake_up(const MpiJob& job) {
  for (const auto& [wait_s, times] : {std::pair(1e-3, 400), {1e-2, 200}, {1e-1, 40}}) {
    const std::vector<double> late = noticed_after_us(job, wait_s, times);
    if (job.rank() == 1)
      fmt::print(
          "a message after a wait of {} ms is there within {:.1f} us (median), {:.1f} (95 %), {:.1f} (all)\n",
          1e3 * wait_s, late[late.size() / 2], late[late.size() * 95 / 100], late.back());
  }
}

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The share of a core that a rank uses while it computes for 3 s and waits for notifications.
double idle_share(const MpiJob& job) {
  double share = 0;
  NativeWorld(job).run([&](Worker& worker) {
    worker.spawn(
        "notifications", [&] { worker.wait_notification(); }, StrandKind::background);
    const double before_s = cpu_s();
    worker.compute(3);
    share = (cpu_s() - before_s) / 3;
  });
  return longest_s(share);
}

/// Makes the same measurement in MPI and in the world, in turn; prints the least and the median of each.
void compare(const MpiJob& job, const std::string& what, int repetitions, double unit_s, const char* unit,
             const std::function<double()>& in_mpi, const std::function<double()>& in_world) {
  std::vector<double> mpi;
  std::vector<double> world;
  for (int i = 0; i < repetitions; ++i) {
    mpi.push_back(in_mpi() / unit_s);
    world.push_back(in_world() / unit_s);
  }
  std::sort(mpi.begin(), mpi.end());
  std::sort(world.begin(), world.end());
  if (job.rank() != 0) return;
  const std::size_t middle = mpi.size() / 2;
  fmt::print(
      "{}: MPI least {:.3f} median {:.3f} {}, world least {:.3f} median {:.3f} {}; ratio {:.3f}, {:.3f}\n",
      what, mpi.front(), mpi[middle], unit, world.front(), world[middle], unit, world.front() / mpi.front(),
      world[middle] / mpi[middle]);
}

/// Compares an all-reduce of `buffer` in the world with one of real data in MPI. All memory has been touched
/// before.
void compare_allreduces(const MpiJob& job, const std::string& what, std::vector<float>& data, Buffer buffer) {
  NativeWorld(job).run([&](Worker& worker) {
    const auto in_world = [&] { allreduce(worker, buffer, 0, CollectiveKind::ring); };
    in_world();
    compare(
        job, what, 150, 1e-3, "ms", [&] { return allreduce_in_mpi_s(data); },
        [&] { return timed_s(in_world); });
  });
}

void run(const MpiJob& job) {
  constexpr int round_trips = 2000;
  if (job.size() > 1) {
    compare(
        job, "ping-pong of 8 bytes", 15, 1e-6, "us",
        [&] { return ping_pong_in_mpi_s(job.rank(), round_trips); },
        [&] { return ping_pong_in_world_s(job, round_trips); });
    std::vector<float> data(6'250'000);
    compare_allreduces(job, "all-reduce of 25 MB", data, Buffer::real(data));
    compare_allreduces(job, "all-reduce of 25 MB, modeled", data, Buffer::sized(std::ssize(data)));
    measure_wake_up(job);
  }
  const std::vector<double> late = lateness_us(job);
  const double share = idle_share(job);
  if (job.rank() != 0) return;
  fmt::print("computations of 5 ms end late by {:.1f} us (median), {:.1f} (95 %), {:.1f} (99 %)\n",
             late[late.size() / 2], late[late.size() * 95 / 100], late[late.size() * 99 / 100]);
  fmt::print("a rank that computes uses {:.2f} % of a core (the most of {})\n", 100 * share, job.size());
}

}  // namespace
}  // namespace starling

int main() {
  const starling::MpiJob job;
  starling::run(job);
}
