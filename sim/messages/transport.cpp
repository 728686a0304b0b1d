#include "sim/messages/transport.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace starling {
namespace {

// Rings in NCCL 2.19's own tuning model (src/graph/tuning.cc: hwLat of network and NVLink, and the shares of
// the bandwidth). Inside hosts NCCL counts 20 of the 25 GB/s of an NVLink 3 link, 20.6 of those of NVLink 4,
// and 12 of the 15.8 GB/s of PCIe 3.0 x16 (src/graph/topo.h).
constexpr double of_nvlink = 0.8;
const Protocol ll{.name = "LL",
                  .efficiency = 0.25,
                  .intra_host_efficiency = 0.25 * of_nvlink,
                  .latency_s = 2.7e-6,
                  .intra_host_latency_s = 0.6e-6};
const Protocol ll128{.name = "LL128",
                     .efficiency = 0.92,
                     .intra_host_efficiency = 0.92 * of_nvlink,
                     .latency_s = 4e-6,
                     .intra_host_latency_s = 1.9e-6};
const Protocol simple{.name = "Simple",
                      .efficiency = 1,
                      .intra_host_efficiency = of_nvlink,
                      .latency_s = 14e-6,
                      .intra_host_latency_s = 3.4e-6};

Protocol with_efficiency(Protocol protocol, double efficiency) {
  protocol.efficiency = efficiency;
  return protocol;
}

// NCCL_BUFFSIZE: how far a sender can run ahead of a receiver whose kernel does not run yet, and of its own
// link.
constexpr double nccl_buffer_bytes = 4 * mebibyte;
// Two TCP connections of a host that sent 6.5 MB each at once, without MPI, ended 3 to 53 ms apart after 545
// ms, 20 ms in the median of 20. Their shares are thus (1 ± x)/2 with x = 0.038, which is 0.293 of the
// greatest deviation of a weight if weights are uniform.
constexpr double tcp_unevenness = 0.13;

// What NCCL's threads move through sockets on links of 100 Gb/s (issues 209, 398 and 450 of NVIDIA/nccl):
// 4.7 GB/s with one GPU on each of two hosts, 4 to 6 with eight.
constexpr double nccl_socket_rate_Bps = 4.7e9;

// NCCL has at least two channels, each with connections of its own.
constexpr int nccl_channels = 2;

std::vector<Transport> all_transports() {
  return {
      {.name = "nccl_ib",
       .summary = "NCCL over InfiniBand or RoCE verbs",
       .costs = {.eager_threshold_bytes = nccl_buffer_bytes,
                 .are_collectives_eager = true,
                 .are_rings_paced = true,
                 .send_buffer_bytes = nccl_buffer_bytes,
                 .channels = nccl_channels,
                 .protocols = {ll, ll128, simple}},
       .protocols_of_single_workers = {ll, with_efficiency(ll128, 0.7), simple},
       .is_verbs = true},
      // LL128 needs GPUs that reach the network card through PCIe switches only, a path that sockets do not
      // use.
      {.name = "nccl_tcp",
       .summary = "NCCL over sockets",
       .costs = {.eager_threshold_bytes = nccl_buffer_bytes,
                 .are_collectives_eager = true,
                 .are_rings_paced = true,
                 .send_buffer_bytes = nccl_buffer_bytes,
                 .channels = nccl_channels,
                 .protocols = {ll, simple}},
       .is_tcp = true,
       .unevenness = tcp_unevenness,
       .host_rate_Bps = nccl_socket_rate_Bps},
      // o: LogGOPSim's default, measured on InfiniBand. The threshold is that of Cray MPICH and of UCX's
      // Python packages. Receivers read large messages themselves (RDMA), in a channel beside that of small
      // ones.
      {.name = "mpi_ib",
       .summary = "MPI over InfiniBand or RoCE verbs",
       .costs = {.overhead_s = 1.5e-6, .eager_threshold_bytes = 8 * kibibyte, .channels = 2},
       .is_verbs = true,
       .sums_on_cores = true},
      // Open MPI's btl_tcp_eager_limit and btl_tcp_links; overhead and buffer are the means of the three
      // calibrations in scenarios/validation.
      {.name = "mpi_tcp",
       .summary = "MPI over sockets, one for each pair of workers",
       .costs = {.overhead_s = 7e-6,
                 .eager_threshold_bytes = 64 * kibibyte,
                 .send_buffer_bytes = 390e3,
                 .sends_all_in_order = true},
       .is_tcp = true,
       .sums_on_cores = true,
       .unevenness = tcp_unevenness},
      {.name = "ideal",
       .summary = "no costs but those of the network: no overhead, and sends never wait",
       .costs = {}},
  };
}

}  // namespace

const std::vector<Transport>& transports() {
  static const std::vector<Transport> all = all_transports();
  return all;
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport& transport : transports()) names.push_back(transport.name);
  return names;
}

const Transport& transport(std::string_view name) {
  const auto found = std::ranges::find(transports(), name, &Transport::name);
  STARLING_INVARIANT(found != transports().end());
  return *found;
}

}  // namespace starling
