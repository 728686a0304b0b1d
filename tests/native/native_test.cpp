// The same algorithms as in the simulation, run by mpirun on this machine.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/native/gemm_device.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// Where an Open MPI keeps the files of its jobs: two that begin at once may fail to make the same folder.
class OwnSessions {
 public:
  OwnSessions() { ::setenv("OMPI_MCA_orte_tmpdir_base", folder_.path().c_str(), 1); }

 private:
  ScratchFolder folder_;
};
const OwnSessions own_sessions;

/// The output of mpirun, and its exit code.
struct Ended {
  std::string output;
  int exit_code = -1;
};

// No job takes longer than a few seconds; a machine that is busy with something else may be slow.
constexpr const char* mpirun =
    "ASAN_OPTIONS=fast_unwind_on_malloc=0 "
    "LSAN_OPTIONS=\"intercept_tls_get_addr=0:print_suppressions=0:suppressions='" STARLING_MPI_LEAKS
    "'\" timeout --signal=KILL 600 " STARLING_MPIRUN " " STARLING_MPIRUN_FLAGS;

Ended run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ended ended;
  for (int character = std::fgetc(pipe); character != EOF; character = std::fgetc(pipe))
    ended.output += static_cast<char>(character);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  return ended;
}

Ended run_job(const char* name, int ranks) {
  return run(fmt::format("{} -n {} '{}' {}", mpirun, ranks, STARLING_NATIVE_JOBS, name));
}

void check_job(const char* name, const std::vector<int>& numbers_of_ranks) {
  for (const int ranks : numbers_of_ranks) {
    const Ended ended = run_job(name, ranks);
    CAPTURE(ranks);
    CAPTURE(ended.output);
    CHECK(ended.exit_code == 0);
  }
}

TEST_CASE("a native worker sends, receives, notifies and computes as the interface says") {
  check_job("semantics", {1, 2, 4});
}

TEST_CASE("a worker whose thread is busy computes as long as really passes") { check_job("lateness", {1}); }

TEST_CASE("gathered data of all ranks is complete, however little MPI moves at once") {
  check_job("gathers", {1, 2, 5});
}

/// Eight ranks take a minute on two cores with AddressSanitizer.
const std::vector<int> up_to_eight =
    has_address_sanitizer ? std::vector{1, 3, 4} : std::vector{1, 2, 3, 4, 8};

TEST_CASE("every collective gives the simulation's bits under MPI") { check_job("collectives", up_to_eight); }

TEST_CASE("every algorithm without choices in time gives the simulation's models under MPI") {
  check_job("training", up_to_eight);
}

TEST_CASE("eager-SGD under MPI counts every contribution once, none too late, and synchronizes") {
  check_job("eager", {1, 2, 4, 8});
}

TEST_CASE("Horovod under MPI averages every gradient once, whatever is fused, and learns as simulated") {
  check_job("horovod", up_to_eight);
}

TEST_CASE("AD-PSGD under MPI keeps the sum of all models") { check_job("gossip", {2, 4, 8}); }

TEST_CASE("WAGMA under MPI ends a synchronization with equal models") { check_job("wagma", {2, 4, 8}); }

TEST_CASE("SimGrid simulates in the process of a rank, before and after its messages") {
  check_job("simgrid", {1, 2});
}

TEST_CASE("clocks that differ are found to, to within half of the fastest round trip") {
  check_job("clocks", {1, 2, 5});
}

/// A job with a variable of Open MPI's, which other MPI libraries do not look at.
Ended run_job_with(const std::string& variable, const char* name, int ranks) {
  return run(fmt::format("env OMPI_MCA_pml=ob1 {} {} -n {} '{}' {}", variable, mpirun, ranks,
                         STARLING_NATIVE_JOBS, name));
}

TEST_CASE("messages over TCP wake a waiting rank, those through shared memory do not") {
  if (run(fmt::format("{} --version", STARLING_MPIRUN)).output.find("Open MPI") == std::string::npos) return;
  for (const char* links : {"1", "2"}) {
    const Ended ended =
        run_job_with(fmt::format("OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_links={}", links), "wakes", 3);
    CAPTURE(ended.output);
    CHECK(ended.exit_code == 0);
  }
  const Ended ended = run_job_with("OMPI_MCA_btl=^tcp", "silent", 2);
  CAPTURE(ended.output);
  CHECK(ended.exit_code == 0);
}

TEST_CASE("an exception on one rank ends the job with its words and exit code 1") {
  const Ended ended = run_job("throws", 3);
  CHECK(ended.exit_code == 1);
  CHECK(ended.output.find("rank 2: this rank has had enough") != std::string::npos);
}

TEST_CASE("an error in one of several repetitions names the repetition and the cause") {
  const Ended ended = run_job("repetition_throws", 2);
  CHECK(ended.exit_code == 1);
  CAPTURE(ended.output);
  CHECK(ended.output.find("mine, repetition 2 of 3: this algorithm has had enough") != std::string::npos);
}

// With as many ranks as cores, and more.
TEST_CASE("a worker that multiplies matrices takes turns, in time, while messages pass" *
          doctest::skip(!has_gemm_device())) {
  check_job("gemm", {1, 2, 4});
}

TEST_CASE("training that multiplies matrices gives the simulation's models under MPI" *
          doctest::skip(!has_gemm_device())) {
  check_job("gemm_training", {1, 2, 4});
}

TEST_CASE("an exception while a rank multiplies matrices ends the job with its words and exit code 1" *
          doctest::skip(!has_gemm_device())) {
  const Ended ended = run_job("gemm_throws", 2);
  CAPTURE(ended.output);
  CHECK(ended.exit_code == 1);
  CHECK(ended.output.find("rank 0: this rank has had enough") != std::string::npos);
}

TEST_CASE("starling native multiplies matrices if the scenario wants it and this build can") {
  const Ended ended =
      run(fmt::format("{} -n 1 '{}' native '{}' --set /iterations=4 --set /warmup_iterations=1 --set "
                      "/cluster/workers=1 --set "
                      "/cluster/workers_per_host=1 --set '/algorithms=[{{\"kind\":\"allreduce\"}}]' --set "
                      "/workload/compute='{{\"kind\":\"gemm\",\"forward\":\"1ms\",\"backward\":\"2ms\"}}'",
                      mpirun, STARLING_PROGRAM, STARLING_QUICKSTART));
  CAPTURE(ended.output);
  if (has_gemm_device()) {
    CHECK(ended.exit_code == 0);
    CHECK(ended.output.find("Matrix products: ") != std::string::npos);
  } else {
    CHECK(ended.exit_code == 2);
    CHECK(ended.output.find("/workload/compute/kind: this starling was built without OpenBLAS (on Debian "
                            "libopenblas-serial-dev), got \"gemm\", expected \"emulated\"") !=
          std::string::npos);
  }
}

TEST_CASE("starling native measures a scenario, and refuses another number of processes") {
  const std::string out = run("mktemp --dry-run --directory").output;
  const std::string folder = out.substr(0, out.find('\n'));
  const std::string small =
      " --set /iterations=4 --set /warmup_iterations=1 --set /cluster/workers=2 --set "
      "/workload/compute='{\"forward\":"
      "\"1ms\",\"backward\":\"2ms\"}' --set '/algorithms=[{\"kind\":\"allreduce\"}]' ";
  const auto command = [&](int ranks) {
    return fmt::format("{} -n {} '{}' native '{}' {} --repeat 2 --quiet --trace --out {}", mpirun, ranks,
                       STARLING_PROGRAM, STARLING_QUICKSTART, small, folder);
  };
  const Ended refused = run(command(3));
  CAPTURE(refused.output);
  CHECK(refused.exit_code == 2);
  CHECK(refused.output.find("the scenario has 2 workers, but mpirun started 3 ranks") != std::string::npos);

  const Ended measured = run(command(2));
  CAPTURE(measured.output);
  CHECK(measured.exit_code == 0);
  std::stringstream result;
  result << std::ifstream(folder + "/result.json").rdbuf();
  CHECK(result.str().find("\"engine\": \"mpi\"") != std::string::npos);
  CHECK(result.str().find("\"repetitions\": 2") != std::string::npos);
  CHECK(result.str().find("\"coefficient_of_variation\": 0.") != std::string::npos);
  CHECK(result.str().find("\"planned_s\": 0.0") != std::string::npos);
  CHECK(result.str().find("\"timers\": {") != std::string::npos);
  std::string columns;
  std::getline(std::ifstream(folder + "/iterations.csv") >> std::ws, columns);
  CHECK(columns.ends_with(",imbalance_wait_s,planned_s"));
  CHECK(std::ifstream(folder + "/trace.json").good());
  const Ended reported = run(fmt::format("'{}' report {}", STARLING_PROGRAM, folder));
  CAPTURE(reported.output);
  CHECK(reported.exit_code == 0);  // though its timelines do not number iterations
  run("rm -r " + folder);
}

TEST_CASE("starling native measures without data, and learns in a run of its own") {
  const std::string out = run("mktemp --dry-run --directory").output;
  const std::string folder = out.substr(0, out.find('\n'));
  const auto result_of = [&](const std::string& more) {
    const Ended ended = run(fmt::format(
        "{} -n 2 '{}' native '{}' --quiet --out {} --set /iterations=2 --set /warmup_iterations=1 "
        "--set /cluster/workers=2 --set /workload/compute='{{\"forward\":\"1ms\",\"backward\":\"2ms\"}}' "
        "--set '/algorithms=[{{\"kind\":\"dear\"}}]' {}",
        mpirun, STARLING_PROGRAM, STARLING_QUICKSTART, folder, more));
    CAPTURE(ended.output);
    CHECK(ended.exit_code == 0);
    std::stringstream result;
    result << std::ifstream(folder + "/result.json").rdbuf();
    run("rm -r " + folder);
    return result.str();
  };
  const auto traffic = [](const std::string& result) {
    const std::size_t place = result.find("\"traffic\"");
    REQUIRE(place != std::string::npos);
    return result.substr(place, result.find('}', place) - place);
  };
  const std::string learned =
      result_of("--set '/learning={\"task\":\"quadratic\",\"dimension\":3,\"learning_rate\":0.1}'");
  CHECK(learned.find("\"loss\"") != std::string::npos);
  CHECK(traffic(learned) == traffic(result_of("")));
}

TEST_CASE("starling native leaves placing ranks to mpirun, and says so") {
  const Ended ended =
      run(fmt::format("{} -n 2 '{}' native '{}' --quiet --set /cluster/workers=2 --set /iterations=4 --set "
                      "/warmup_iterations=1 --set /cluster/placement=optimized --set "
                      "'/algorithms=[{{\"kind\": \"allreduce\"}}]'",
                      mpirun, STARLING_PROGRAM, STARLING_QUICKSTART));
  CAPTURE(ended.output);
  CHECK(ended.exit_code == 0);
  CHECK(ended.output.find("placement is ignored in measurements: mpirun places the ranks") !=
        std::string::npos);
  CHECK(ended.output.find("placement optimized") == std::string::npos);
}

TEST_CASE("starling native warns where mpirun's hosts are not the scenario's") {
  const auto warnings = [](int workers_per_host) {
    const Ended ended =
        run(fmt::format("{} -n 2 '{}' native '{}' --quiet --set /cluster/workers=2 --set "
                        "/cluster/workers_per_host={} --set "
                        "/cluster/intra_host_link='{{\"bandwidth\":\"1GBps\",\"latency\":\"1us\"}}' "
                        "--set /iterations=2 --set /warmup_iterations=1 --set "
                        "/workload/compute='{{\"forward\":\"1ms\",\"backward\":\"2ms\"}}' --set "
                        "'/algorithms=[{{\"kind\": \"allreduce\"}}]'",
                        mpirun, STARLING_PROGRAM, STARLING_QUICKSTART, workers_per_host));
    CAPTURE(ended.output);
    CHECK(ended.exit_code == 0);
    return ended.output;
  };
  CHECK(warnings(1).find("warning: mpirun has put the ranks on 1 host, 2 on it, but the scenario's workers "
                         "are on 2 hosts, 1 on each: ") != std::string::npos);
  CHECK(warnings(2).find("mpirun has put") == std::string::npos);
}

TEST_CASE("starling native shows progress on a terminal behind mpirun, and only there") {
  const std::string command = fmt::format(
      "{} -n 2 '{}' native '{}' --set /iterations=200 --set /cluster/workers=2 --set "
      "/workload/model=hyperplane_mlp --set /workload/compute='{{\"forward\":\"1ms\",\"backward\":\"2ms\"}}' "
      "--set '/algorithms=[{{\"kind\":\"allreduce\"}}]'",
      mpirun, STARLING_PROGRAM, STARLING_QUICKSTART);
  const Ended piped = run(command);
  CAPTURE(piped.output);
  CHECK(piped.exit_code == 0);
  CHECK(piped.output.find(" left") == std::string::npos);
  const std::string made = run("mktemp").output;
  const std::string file = made.substr(0, made.find('\n'));
  std::ofstream(file) << command << '\n';
  const Ended shown = run("script --quiet --return --command 'sh " + file + "' /dev/null < /dev/null");
  run("rm " + file);
  CAPTURE(shown.output);
  CHECK(shown.exit_code == 0);
  CHECK(shown.output.find("allreduce: ") != std::string::npos);
  CHECK(shown.output.find(" s left") != std::string::npos);
}

/// A folder with the scenario of two workers that average along the edges of a file.
std::string folder_with_graph(const std::string& edges) {
  const std::string made = run("mktemp --directory").output;
  std::string folder = made.substr(0, made.find('\n'));
  std::ofstream(folder + "/scenario.json") << R"({"iterations": 2, "warmup_iterations": 1,
    "cluster": {"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "1GBps", "latency": "1us"}}},
    "workload": {"model": "hyperplane_mlp", "batch_size": 1,
                 "compute": {"forward": "1ms", "backward": "1ms"}},
    "algorithms": [{"kind": "dpsgd", "graph": {"kind": "file", "file": "graph.txt"}}]})";
  std::ofstream(folder + "/graph.txt") << edges;
  return folder;
}

/// Two ranks, each with a scenario and options of its own.
Ended run_pair(const std::string& first, const std::string& second) {
  return run(fmt::format("{} -n 1 '{}' native {} --quiet : -n 1 '{}' native {} --quiet", mpirun,
                         STARLING_PROGRAM, first, STARLING_PROGRAM, second));
}

TEST_CASE("ranks with different scenarios or options are refused") {
  const std::string one = folder_with_graph("0 1\n");
  const std::string other = folder_with_graph("0 1\n1 0\n");
  const Ended files = run_pair(one + "/scenario.json", other + "/scenario.json");
  CAPTURE(files.output);
  CHECK(files.exit_code == 2);
  CHECK(files.output.find("all ranks must have the same contents of graph.txt, hyperplane_mlp.json, of which "
                          "this is a hash, but rank 1 on ") != std::string::npos);

  const Ended repetitions = run_pair(one + "/scenario.json --repeat 1", one + "/scenario.json --repeat 2");
  CAPTURE(repetitions.output);
  CHECK(repetitions.exit_code == 2);
  CHECK(repetitions.output.find("all ranks must have the same --repeat, but rank 1 on ") !=
        std::string::npos);
  run(fmt::format("rm -r {} {}", one, other));
}

TEST_CASE("starling calibrate replaces no file") {
  const std::string made = run("mktemp").output;
  const std::string file = made.substr(0, made.find('\n'));
  const Ended refused = run(fmt::format("{} -n 2 '{}' calibrate --out {}", mpirun, STARLING_PROGRAM, file));
  CAPTURE(refused.output);
  CHECK(refused.exit_code == 2);
  CHECK(refused.output.find("--out: this file exists already, and is never replaced, got " + file) !=
        std::string::npos);
  run("rm " + file);
}

TEST_CASE("starling calibrate refuses a file that it could not write, before it measures") {
  for (const std::string file : {"/nowhere/calibrated.json", "/proc/calibrated.json"}) {
    const Ended refused = run(fmt::format("{} -n 2 '{}' calibrate --out {}", mpirun, STARLING_PROGRAM, file));
    CAPTURE(refused.output);
    CHECK(refused.exit_code == 2);
    CHECK(refused.output.find("--out: this file cannot be written (No such file or directory), got " +
                              file) != std::string::npos);
    CHECK(refused.output.find("around the line") == std::string::npos);  // no table
  }
}

/// How often one text occurs in another.
int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("starling calibrate does not take the memory of one host for a network") {
  const std::string made = run("mktemp --directory").output;
  const std::string folder = made.substr(0, made.find('\n'));
  std::ofstream(folder + "/cluster.json")
      << R"({"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "1GBps", "latency": "1us"}}})";
  const Ended refused = run(fmt::format("{} -n 2 '{}' calibrate --network {}/cluster.json --out {}/out.json",
                                        mpirun, STARLING_PROGRAM, folder, folder));
  CAPTURE(refused.output);
  CHECK(refused.exit_code == 2);
  CHECK(count_of("cluster.json has 2 hosts, but mpirun put all ranks on one, ", refused.output) == 1);
  CHECK_FALSE(std::ifstream(folder + "/out.json").good());
  run("rm -r " + folder);
}

TEST_CASE("starling calibrate warns if all its ranks are on one host") {
  const Ended measured = run(fmt::format("{} -n 2 '{}' calibrate", mpirun, STARLING_PROGRAM));
  CAPTURE(measured.output);
  CHECK(measured.exit_code == 0);
  CHECK(count_of("warning: mpirun put all ranks on one host: cluster.network will describe its memory",
                 measured.output) == 1);
}

TEST_CASE("a scenario from stdin, which mpirun passes to one rank only, is refused once") {
  for (const std::string command : {"native -", "calibrate --network -"}) {
    const Ended refused = run(fmt::format("{} -n 3 '{}' {}", mpirun, STARLING_PROGRAM, command));
    CAPTURE(refused.output);
    CHECK(refused.exit_code == 2);
    CHECK(count_of("mpirun passes stdin to rank 0 only; give a file", refused.output) == 1);
  }
}

/// The processes whose parent is `parent`.
std::string children(pid_t parent) {
  return run(fmt::format("pgrep --parent {} native_jobs", parent)).output;
}

TEST_CASE("a rank that is killed ends the job") {
  using Clock = std::chrono::steady_clock;
  std::array<int, 2> output{};
  REQUIRE(pipe(output.data()) == 0);
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    dup2(output[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c",
          fmt::format("exec {} {} -n 2 '{}' computes 2>/dev/null", STARLING_MPIRUN, STARLING_MPIRUN_FLAGS,
                      STARLING_NATIVE_JOBS)
              .c_str(),
          nullptr);
    _exit(127);
  }
  close(output[1]);
  // All ranks are at work then. What happens to one that is killed while they start is Open MPI's affair.
  char first = 0;
  REQUIRE(read(output[0], &first, 1) == 1);
  // mpirun may start them through a process of its own.
  std::string ranks = children(pid);
  const std::string between = run(fmt::format("pgrep --parent {}", pid)).output;
  if (ranks.empty() && !between.empty()) ranks = children(static_cast<pid_t>(std::stol(between)));
  REQUIRE(!ranks.empty());
  REQUIRE(kill(static_cast<pid_t>(std::stol(ranks)), SIGKILL) == 0);

  const Clock::time_point killed = Clock::now();
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && Clock::now() - killed < std::chrono::minutes(2)) {
    usleep(10'000);
  }
  if (ended == 0) kill(pid, SIGKILL);
  close(output[0]);
  CHECK(ended == pid);
  CHECK((!WIFEXITED(status) || WEXITSTATUS(status) != 0));
}

}  // namespace
}  // namespace starling
