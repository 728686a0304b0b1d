// Starling beside SMPI, SimGrid's simulator of MPI programs: another implementation of the collectives, of
// matching and of the protocol, over the same flow model.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/runner.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

constexpr double bandwidth_Bps = 12.5e9;
constexpr double latency_s = 0.5e-6;

// SMPI adds 16 bytes to every message (its envelope), and we do not. Where a message takes 1 µs and 64 bytes'
// time, which are the smallest here, that is 1.3e-3.
constexpr double agreement = 5e-3;

const std::vector<std::int64_t> counts = {768, 76'800, 1'048'576};

/// What MPI_Send does in SMPI. Starling's default is eager: a message leaves at once, whether or not somebody
/// waits for it.
enum class Protocol { eager, blocking };

std::string options(Protocol protocol, const std::string& algorithm) {
  // The flow model as in SimGridOptions, and its precision.
  std::string text =
      "--cfg=network/model:CM02 --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0 "
      "--cfg=surf/precision:1e-12 ";
  // Neither computation, nor MPI_Wtime, nor sending and receiving as such (smpi/os, or, ois) takes time.
  text +=
      "--cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 --cfg=smpi/os:0:0:0 --cfg=smpi/or:0:0:0 "
      "--cfg=smpi/ois:0:0:0 ";
  // Up to async-small-thresh bytes a message leaves before its receiver is there; up to
  // send-is-detached-thresh the sender goes on before it has arrived.
  const char* threshold = protocol == Protocol::eager ? "1000000000" : "0";
  text += fmt::format("--cfg=smpi/async-small-thresh:{0} --cfg=smpi/send-is-detached-thresh:{0} ", threshold);
  return text + fmt::format("--cfg=smpi/{} --log=root.thres:critical", algorithm);
}

/// A star as a platform and a host file of SMPI, in a folder that is removed with this object.
class Star {
 public:
  explicit Star(int workers) : workers_(workers) {
    write_platform();
    std::ofstream hosts(folder_.path() / "hosts");
    for (int i = 0; i < workers; ++i) fmt::print(hosts, "h{}\n", i);
  }

  std::string arguments() const {
    return fmt::format("-np {} -platform {} -hostfile {}", workers_, (folder_.path() / "star.xml").string(),
                       (folder_.path() / "hosts").string());
  }

 private:
  void write_platform() const {
    std::ofstream file(folder_.path() / "star.xml");
    file << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
            "<platform version='4.1'><zone id='star' routing='Full'>\n";
    for (int i = 0; i < workers_; ++i) {
      fmt::print(file, "<host id='h{}' speed='1Gf'/>\n", i);
      for (const char* direction : {"up", "down"}) {
        fmt::print(file, "<link id='{}{}' bandwidth='{}Bps' latency='{}s'/>\n", direction, i, bandwidth_Bps,
                   latency_s);
      }
    }
    for (int i = 0; i < workers_; ++i) {
      for (int j = 0; j < workers_; ++j) {
        if (i == j) continue;
        fmt::print(file,
                   "<route src='h{0}' dst='h{1}' symmetrical='NO'><link_ctn id='up{0}'/><link_ctn "
                   "id='down{1}'/></route>\n",
                   i, j);
      }
    }
    file << "</zone></platform>\n";
  }

  int workers_;
  ScratchFolder folder_;
};

/// For each count of floats, how long the slowest rank was in the collective. `algorithm` is SMPI's option,
/// such as allreduce:lr.
std::map<std::int64_t, double> smpi_times_s(int workers, Protocol protocol, const std::string& algorithm,
                                            const std::vector<std::int64_t>& of_counts) {
  const Star star(workers);
  const bool is_broadcast = algorithm.starts_with("bcast");
  const std::string command = fmt::format(
      "cd '{}' && smpirun {} {} ./collectives {} {} 2>&1", SMPI_FOLDER, star.arguments(),
      options(protocol, algorithm), is_broadcast ? "broadcast" : "allreduce", fmt::join(of_counts, " "));
  std::FILE* output = popen(command.c_str(), "r");
  REQUIRE(output != nullptr);
  std::map<std::int64_t, double> times_s;
  std::size_t lines = 0;
  long count = 0;
  double time_s = 0;
  for (; std::fscanf(output, "%ld %lf", &count, &time_s) == 2; ++lines)
    times_s[count] = std::max(times_s[count], time_s);
  REQUIRE(pclose(output) == 0);
  REQUIRE(lines == static_cast<std::size_t>(workers) * of_counts.size());
  return times_s;
}

template <typename Model>
double starling_time_s(const Schedule& schedule) {
  const Network network = build_network(
      {.workers = schedule.ranks(), .network = {.kind = StarOptions{{bandwidth_Bps, latency_s}}}});
  Model model(network);
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) { run_schedule(worker, schedule, Buffer::sized(schedule.count()), 0); });
  return world.statistics().makespan_s;
}

constexpr double alpha_s = 2 * latency_s;

double bytes_time_s(std::int64_t count) { return static_cast<double>(count) * 4 / bandwidth_Bps; }

using MakeSchedule = std::function<std::unique_ptr<Schedule>(int workers, std::int64_t count)>;

MakeSchedule allreduce_of(CollectiveKind kind) {
  return [kind](int workers, std::int64_t count) { return make_allreduce(kind, workers, count); };
}

/// How many seconds more SMPI takes than Starling, where the two differ for a known reason, for each number
/// of workers and count.
using Difference = std::function<double(int workers, std::int64_t count)>;

double none(int, std::int64_t) { return 0; }

template <typename Model>
void compare(const std::string& algorithm, Protocol protocol, const MakeSchedule& make_schedule,
             const Difference& difference_s) {
  for (const int workers : {4, 16, 48}) {
    const std::map<std::int64_t, double> smpi_s = smpi_times_s(workers, protocol, algorithm, counts);
    for (const std::int64_t count : counts) {
      CAPTURE(workers);
      CAPTURE(count);
      const double ours_s = starling_time_s<Model>(*make_schedule(workers, count));
      const double theirs_s = smpi_s.at(count) - difference_s(workers, count);
      CHECK(ours_s == about(theirs_s, agreement));
    }
  }
}

/// Starling's SimGrid network and SMPI's eager messages: the same in all.
void compare_flows(const std::string& algorithm, const MakeSchedule& make_schedule,
                   const Difference& difference_s = none) {
  compare<SimGridNetwork>(algorithm, Protocol::eager, make_schedule, difference_s);
}

/// Starling's event network and SMPI's blocking messages: in both, what a rank sends leaves one after the
/// other, where eager flows of one rank would share its link.
void compare_events(const std::string& algorithm, const MakeSchedule& make_schedule,
                    const Difference& difference_s = none) {
  compare<EventNetwork>(algorithm, Protocol::blocking, make_schedule, difference_s);
}

/// SMPI's lr is a ring on the elements that P divides, then an all-reduce of the remainder, by default a
/// reduction to rank 0 and a broadcast; Starling's chunks differ by one element instead.
Difference remainder(Protocol protocol) {
  return [protocol](int workers, std::int64_t count) {
    const std::int64_t left = count % workers;
    return left == 0 ? 0 : smpi_times_s(workers, protocol, "allreduce:lr", {left}).at(left);
  };
}

TEST_CASE("SMPI's lr is the ring all-reduce") {
  const MakeSchedule ring = allreduce_of(CollectiveKind::ring);
  SUBCASE("simgrid") { compare_flows("allreduce:lr", ring, remainder(Protocol::eager)); }
  SUBCASE("event") { compare_events("allreduce:lr", ring, remainder(Protocol::blocking)); }
}

/// At P = 48 sixteen ranks fold into their neighbors before the other 32 exchange; those without such a
/// neighbor are a message ahead. Where they meet the late ones, their eager message passes the port right
/// behind the late one's message before: m bytes later instead of m bytes and a latency. A blocking message
/// leaves when the late rank is ready.
double one_latency(int workers, std::int64_t) { return workers == 48 ? alpha_s : 0; }

TEST_CASE("SMPI's rdb is the recursive doubling all-reduce") {
  const MakeSchedule recursive_doubling = allreduce_of(CollectiveKind::recursive_doubling);
  SUBCASE("simgrid") { compare_flows("allreduce:rdb", recursive_doubling); }
  SUBCASE("event") { compare_events("allreduce:rdb", recursive_doubling, one_latency); }
}

/// At P = 48, of messages of m/32 bytes that take longer than α: a folded rank is late and finds its
/// partner's message of the last halving there already, so it sends two of m/32 bytes at once, the last of
/// the halving and the first of the doubling. In SMPI they share the connection and both arrive at the end of
/// the second; so the partner answers with its own two at once, m/32 later, and the answer that everyone
/// waits for comes after both. In Starling messages of one connection go in order.
double shared_connection(int workers, std::int64_t count) {
  const double message_s = bytes_time_s(count) / 32;
  return workers == 48 && count > 768 ? 2 * message_s : 0;
}

/// There, the partner's message of the last halving, m/32 bytes, comes early and keeps the folded rank's port
/// busy just when the first message of the halving arrives, which waits for it but for the latency. A
/// blocking one comes when it is wanted.
double early_message(int workers, std::int64_t count) {
  return workers == 48 ? -std::max(0.0, bytes_time_s(count) / 32 - alpha_s) : 0;
}

TEST_CASE("SMPI's rab_rdb is the halving-doubling all-reduce") {
  const MakeSchedule halving_doubling = allreduce_of(CollectiveKind::halving_doubling);
  SUBCASE("simgrid") { compare_flows("allreduce:rab_rdb", halving_doubling, shared_connection); }
  SUBCASE("event") { compare_events("allreduce:rab_rdb", halving_doubling, early_message); }
}

/// At P = 48 no path from the root has 6 edges. The longest have 5, after the root's first sends; a blocking
/// rank waits for the latency of each before the next, an eager one only for its bytes. So the slowest path
/// has one α less. (Where P is a power of two the slowest has log₂P edges and no waiting.)
TEST_CASE("SMPI's binomial_tree is the binomial broadcast") {
  const MakeSchedule broadcast = [](int workers, std::int64_t count) {
    return make_broadcast(workers, count);
  };
  SUBCASE("simgrid") { compare_flows("bcast:binomial_tree", broadcast); }
  SUBCASE("event") { compare_events("bcast:binomial_tree", broadcast, one_latency); }
}

}  // namespace
}  // namespace starling
