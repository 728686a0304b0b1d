#pragma once

#include <span>
#include <string>
#include <string_view>

namespace starling::address_plan {

/// The most hosts that the plan, and one switch on one core, can serve.
constexpr int most_hosts = 256;

/// The shaped network for data, and the network over which mpirun manages processes, which is not shaped.
constexpr std::string_view data_network = "10.77.0.0/16";
constexpr std::string_view management_network = "10.78.0.0/16";
/// The host where mpirun runs, which is in the management network only.
constexpr std::string_view head_name = "head";
constexpr std::string_view head_management_address = "10.78.255.254";

/// 10.77.0.1 for host 0.
std::string data_address(int host);
std::string management_address(int host);

/// A locally administered MAC address: 02:53:54:42:00:00 for host 0.
std::string hardware_address(int host);
/// The host of a MAC address of 6 bytes; −1 if the address is not one of the plan.
int host_of_hardware_address(std::span<const std::byte> address);

/// Whether a host can have that name, which is used as a file name, in /etc/hosts and as an argument of
/// mpirun.
bool is_host_name(std::string_view name);
constexpr std::string_view accepted_host_names =
    "up to 63 letters, digits, \"-\", \"_\" and \".\", of which the first is a letter or a digit, but "
    "neither \"head\" nor \"localhost\", whatever their case, and no address";

/// The contents of /etc/hosts. Names resolve to addresses in the management network, as mpirun must use that.
std::string hosts_file(std::span<const std::string> host_names);

}  // namespace starling::address_plan
