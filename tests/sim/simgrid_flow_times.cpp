// Prints when flows over a star arrive under given options of SimGrid, which takes options once per process.
// simgrid_flow_times MODEL CROSS_TRAFFIC TCP_GAMMA_BYTES BANDWIDTH_BPS LATENCY_S BYTES [SOURCE
// DESTINATION]...
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "hand_made_routes.hpp"
#include "sim/simgrid_network.hpp"

namespace {

struct Arrival : starling::Transfer {
  const starling::Scheduler* scheduler = nullptr;
  double arrived_s = -1;
  void arrived() override { arrived_s = scheduler->now(); }
};

void run(const starling::Routes& routes, const starling::SimGridOptions& options, double bytes, int pairs,
         char** ranks) {
  starling::SimGridNetwork network(routes, options);
  starling::Scheduler scheduler(network.time_source());
  network.attach(scheduler);
  std::deque<Arrival> transfers;
  scheduler.spawn(0, "sender", [&] {
    for (int i = 0; i < pairs; ++i) {
      Arrival& transfer = transfers.emplace_back();
      transfer.scheduler = &scheduler;
      transfer.source = std::atoi(ranks[2 * i]);
      transfer.destination = std::atoi(ranks[2 * i + 1]);
      transfer.bytes = bytes;
      network.start(transfer);
    }
    scheduler.sleep_until(1e6);
  });
  scheduler.run();
  for (const Arrival& transfer : transfers) std::printf("%.17g\n", transfer.arrived_s);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 9) return 2;
  starling::SimGridOptions options;
  options.model = argv[1];
  options.cross_traffic = std::atoi(argv[2]) != 0;
  options.tcp_gamma_bytes = std::atof(argv[3]);
  const auto routes = starling::HandMadeRoutes::star(4, std::atof(argv[4]), std::atof(argv[5]));
  for (int i = 0; i < 2; ++i) run(routes, options, std::atof(argv[6]), (argc - 7) / 2, argv + 7);
}
