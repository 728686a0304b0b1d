#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/running/network_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("Over TCP, the queue at a host's first link follows from the options of connections") {
  const auto iteration_s = [](const std::string& transport, std::optional<double> queued) {
    Scenario scenario = small_scenario();
    scenario.transport = transport;
    scenario.fair.unevenness = 0;
    scenario.fair.queued_at_first_link = queued;
    scenario.tcp.window_bytes = 100e3;
    scenario.tcp.frame_bytes = 1e3;
    scenario.tcp.frames_at_first_link = 40;
    // On a line of four the ends send to one neighbor and the others to two, which share their first link.
    add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = Mesh2dGraph{.dimensions = {{1, 4}}}}});
    return simulate(scenario).runs[0].iteration_time_s.mean;
  };
  for (const char* const tcp : {"nccl_tcp", "mpi_tcp"}) {
    CHECK(iteration_s(tcp, std::nullopt) == iteration_s(tcp, 0.4));
    CHECK(iteration_s(tcp, std::nullopt) != iteration_s(tcp, 0));
  }
  for (const char* const other : {"nccl_ib", "mpi_ib", "ideal"})
    CHECK(iteration_s(other, std::nullopt) == iteration_s(other, 0));
}

TEST_CASE("Each stream has a window of its own, and more streams share more evenly") {
  // The last message waits behind the queue of others at its first link.
  const std::vector<Sending> sendings = {
      {0, 0, 1, 10e6}, {0, 0, 2, 10e6}, {0, 3, 2, 10e6}, {5e-3, 0, 3, 1e3}};
  Scenario scenario = small_scenario();
  const Network network = network_of(scenario.cluster, scenario.host_costs, scenario.jitter);
  const auto arrivals_s = [&](NetworkModel& model) { return send_all(model, sendings, 1e6).times_s; };
  scenario.message_costs.channels = 4;
  scenario.seed = 7;
  scenario.engine = Engine::fair;
  // A window of 2 kB in 16 us is an eighth of what a link takes.
  scenario.fair = {.window_bytes = 2e3, .unevenness = 0.4, .queued_at_first_link = 0.5};
  FairNetwork fair(network, {.window_bytes = 4 * 2e3,
                             .unevenness = 0.4 / 2,
                             .seed = 7,
                             .queued_at_first_link = 0.5,
                             .has_control_channel = true});
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(fair));
  scenario.fair.window_bytes.reset();
  FairNetwork without_window(
      network, {.unevenness = 0.4 / 2, .seed = 7, .queued_at_first_link = 0.5, .has_control_channel = true});
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(without_window));
  CHECK(arrivals_s(fair) != arrivals_s(without_window));

  scenario.engine = Engine::tcp;
  scenario.tcp.window_bytes = 20e3;
  scenario.tcp.frame_bytes = 1e3;
  scenario.tcp.frames_per_message = 100'000;
  scenario.tcp.frames_at_first_link = 2;
  TcpOptions of_all = scenario.tcp;
  of_all.window_bytes = 4 * 20e3;
  TcpNetwork with_few_frames(network, of_all);
  of_all.frames_at_first_link = 4 * 2;
  TcpNetwork tcp(network, of_all);
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(tcp));
  CHECK(arrivals_s(tcp) != arrivals_s(with_few_frames));
}

TEST_CASE("Each stream has a rate of its own, so that the rate of a pair grows with its streams") {
  Scenario scenario = small_scenario();
  const Network network = network_of(scenario.cluster, scenario.host_costs, scenario.jitter);
  scenario.fair.connection_rate_Bps = 1e8;
  for (const int channels : {1, 2, 20}) {
    scenario.message_costs.channels = channels;
    const auto model = make_network_model(scenario, network);
    CHECK(send_all(*model, {{0, 0, 1, 10e6}}, 1e6).times_s[0] ==
          about(2e-6 + 10e6 / std::min(1e9, channels * 1e8)));
  }
}

TEST_CASE("Over NCCL messages of collectives are eager, but those between pairs use the rendezvous") {
  Scenario scenario = small_scenario();
  scenario.transport = "nccl_ib";
  scenario.message_costs = transport("nccl_ib").costs;
  scenario.workload.model.tensors = {{"large", 20'000'000}};  // 20 MB chunks of four workers
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DpsgdOptions{});
  for (const CollectiveExecution collectives :
       {CollectiveExecution::automatic, CollectiveExecution::messages}) {
    scenario.collectives = collectives;
    const Result result = simulate(scenario);
    CHECK(*result.runs[0].traffic.rendezvous_messages == 0);
    CHECK(*result.runs[1].traffic.rendezvous_messages == result.runs[1].traffic.messages);
  }
}

}  // namespace
}  // namespace starling
