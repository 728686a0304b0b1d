#include "testbed/network/address_plan.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <locale>
#include <string>

namespace starling::address_plan {
namespace {

constexpr std::array<int, 4> hardware_prefix{0x02, 0x53, 0x54, 0x42};
constexpr std::string_view loopback_name = "localhost";
constexpr std::size_t longest_host_name = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Compares host names as /etc/hosts does, ignoring case.
bool is_same_name(std::string_view one, std::string_view other) {
  return boost::iequals(one, other, std::locale::classic());
}

/// Whether the system takes a name for an address, such as 127.1 or 0x7f000001, and does not look it up in
/// /etc/hosts. Small numbers are not addresses of hosts.
bool is_address(std::string_view name) {
  constexpr std::uint32_t first = 1U << 24;  // 1.0.0.0
  in_addr found{};
  return ::inet_aton(std::string(name).c_str(), &found) != 0 && ntohl(found.s_addr) >= first;
}

std::string address(int second_byte, int host) {
  return fmt::format("10.{}.{}.{}", second_byte, (host + 1) / 256, (host + 1) % 256);
}

}  // namespace

std::string data_address(int host) { return address(77, host); }
std::string management_address(int host) { return address(78, host); }

std::string hardware_address(int host) {
  return fmt::format("{:02x}:{:02x}:{:02x}", fmt::join(hardware_prefix, ":"), host / 256, host % 256);
}

int host_of_hardware_address(std::span<const std::byte> address) {
  const auto is_same = [](int expected, std::byte found) { return expected == std::to_integer<int>(found); };
  if (address.size() != 6 ||
      !std::equal(hardware_prefix.begin(), hardware_prefix.end(), address.begin(), is_same))
    return -1;
  return std::to_integer<int>(address[4]) * 256 + std::to_integer<int>(address[5]);
}

bool is_host_name(std::string_view name) {
  const auto is_legal = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= longest_host_name && is_letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), is_legal) && !is_same_name(name, head_name) &&
         !is_same_name(name, loopback_name) && !is_address(name);
}

std::string hosts_file(std::span<const std::string> host_names) {
  std::string text = fmt::format("127.0.0.1 {}\n{} {}\n", loopback_name, head_management_address, head_name);
  for (std::size_t host = 0; host < host_names.size(); ++host)
    text += fmt::format("{} {}\n", management_address(static_cast<int>(host)), host_names[host]);
  return text;
}

}  // namespace starling::address_plan
