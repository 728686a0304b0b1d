#include "testbed/hosts/device_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "testbed/network/address_plan.hpp"
#include "testbed/network/packet_network.hpp"

namespace starling {
namespace {

constexpr int ip_mtu_bytes = 1500;
constexpr double frame_s_per_host = 50e-6;
constexpr int least_packets_per_frame = 8;
constexpr int most_packets_per_frame =
    20;  // Linux builds runs of at most 64 KiB, which is also the limit of a TAP device

/// The timer delay for which the kernel's shaper (tbf) can catch up with a burst.
constexpr double longest_timer_delay_s = 1e-3;

/// The most that the kernel adds to the data when it limits the size of a run of segments (MAX_TCP_HEADER and
/// alignment).
constexpr int header_allowance_bytes = 512;

int run_bytes(const DeviceOptions& options) {
  return options.packets_per_frame * ip_mtu_bytes + header_allowance_bytes;
}

}  // namespace

std::vector<NetworkCard> network_cards(const HostRoutes& routes, int host) {
  std::map<LinkIndex, std::vector<int>> destinations;
  for (int other = 0; other < routes.hosts(); ++other)
    if (other != host) destinations[routes.route(host, other).front()].push_back(other);
  std::vector<NetworkCard> cards;
  for (auto& [link, hosts] : destinations)
    cards.push_back({fmt::format("eth{}", cards.size()), link, std::move(hosts)});
  return cards;
}

int packets_per_frame(const HostRoutes& routes) {
  const double frame_s = frame_s_per_host * routes.hosts();
  double packets = most_packets_per_frame;
  for (const LinkIndex index : routes.used_links())
    packets = std::min(packets, routes.link(index).bandwidth_Bps * frame_s / packet_bytes);
  return std::max(static_cast<int>(packets), least_packets_per_frame);
}

std::int64_t lossless_queue_bytes(int workers, std::int64_t window_bytes) {
  const std::int64_t connections = std::int64_t{workers} * (workers - 1);
  return std::max(connections * window_bytes, 64 * packet_bytes);
}

std::string ip_batch(const HostRoutes& routes, int host, const DeviceOptions& options) {
  std::string text = "link set lo up\nlink set mgmt up\n";
  text += fmt::format("addr add {}/16 dev mgmt\n", address_plan::management_address(host));
  for (const NetworkCard& card : network_cards(routes, host)) {
    text += fmt::format("link set {} address {} mtu {} gso_max_size {} up\n", card.device,
                        address_plan::hardware_address(host), ip_mtu_bytes, run_bytes(options));
    if (card.device == "eth0")
      text += fmt::format("addr add {}/16 dev eth0 noprefixroute\n", address_plan::data_address(host));
    for (const int other : card.destinations) {
      text += fmt::format("neigh add {} lladdr {} dev {} nud permanent\n", address_plan::data_address(other),
                          address_plan::hardware_address(other), card.device);
      text += fmt::format("route add {}/32 dev {} src {}\n", address_plan::data_address(other), card.device,
                          address_plan::data_address(host));
    }
  }
  return text;
}

std::string tc_batch(const HostRoutes& routes, int host, const DeviceOptions& options) {
  constexpr int limit_bytes = 16 << 20;
  std::string text;
  for (const NetworkCard& card : network_cards(routes, host)) {
    const double bandwidth_Bps = routes.link(card.link).bandwidth_Bps;
    const double burst_bytes = std::max(1.25 * run_bytes(options), bandwidth_Bps * longest_timer_delay_s);
    text += fmt::format("qdisc replace dev {} root tbf rate {:.0f}bit burst {:.0f} limit {}\n", card.device,
                        8 * bandwidth_Bps, burst_bytes, limit_bytes);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> kernel_settings(const DeviceOptions& options) {
  const std::string ipv4 = "net/ipv4/";
  return {
      {"net/ipv6/conf/all/disable_ipv6", "1"},
      {"net/ipv6/conf/default/disable_ipv6", "1"},
      {ipv4 + "conf/all/rp_filter", "0"},  // a host's cards share one address
      {ipv4 + "conf/default/rp_filter", "0"},
      {ipv4 + "tcp_congestion_control", "reno"},
      {ipv4 + "tcp_slow_start_after_idle", "0"},
      {ipv4 + "tcp_no_metrics_save", "1"},
      {ipv4 + "tcp_wmem",
       fmt::format("4096 {} {}", std::min<std::int64_t>(65536, options.window_bytes), options.window_bytes)},
      {ipv4 + "tcp_rmem", fmt::format("4096 {} {}", std::min<std::int64_t>(131072, 2 * options.window_bytes),
                                      2 * options.window_bytes)},
  };
}

std::string management_ip_batch(const std::vector<std::string>& namespace_paths) {
  std::string text = fmt::format(
      "link set lo up\n"
      "link add bridge type bridge\n"
      "link set bridge up\n"
      "addr add {}/16 dev bridge\n",
      address_plan::head_management_address);
  for (std::size_t host = 0; host < namespace_paths.size(); ++host)
    text += fmt::format(
        "link add port{0} type veth peer name mgmt netns {1}\n"
        "link set port{0} master bridge up\n",
        host, namespace_paths[host]);
  return text;
}

}  // namespace starling
