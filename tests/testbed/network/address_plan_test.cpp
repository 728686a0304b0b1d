#include "testbed/network/address_plan.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <set>
#include <vector>

using namespace starling;

TEST_CASE("Every host has addresses of its own") {
  CHECK(address_plan::data_address(0) == "10.77.0.1");
  CHECK(address_plan::data_address(255) == "10.77.1.0");
  CHECK(address_plan::management_address(7) == "10.78.0.8");
  std::set<std::string> addresses{std::string(address_plan::head_management_address)};
  for (int host = 0; host < address_plan::most_hosts; ++host) {
    addresses.insert(address_plan::data_address(host));
    addresses.insert(address_plan::management_address(host));
    addresses.insert(address_plan::hardware_address(host));
  }
  CHECK(addresses.size() == 3 * address_plan::most_hosts + 1);
}

TEST_CASE("A frame's destination is found by its hardware address") {
  CHECK(address_plan::hardware_address(259) == "02:53:54:42:01:03");
  const auto bytes = [](std::array<int, 6> values) {
    std::vector<std::byte> result;
    for (const int value : values) result.push_back(static_cast<std::byte>(value));
    return result;
  };
  CHECK(address_plan::host_of_hardware_address(bytes({0x02, 0x53, 0x54, 0x42, 1, 3})) == 259);
  CHECK(address_plan::host_of_hardware_address(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff})) == -1);
  CHECK(address_plan::host_of_hardware_address(bytes({0x33, 0x33, 0, 0, 0, 1})) == -1);
  CHECK(address_plan::host_of_hardware_address({}) == -1);
}

TEST_CASE("Host names resolve to addresses of the management network") {
  const std::vector<std::string> names{"host0", "host1"};
  CHECK(address_plan::hosts_file(names) ==
        "127.0.0.1 localhost\n10.78.255.254 head\n10.78.0.1 host0\n10.78.0.2 host1\n");
}

TEST_CASE("Addresses, paths and names that are taken are no names of hosts") {
  for (const char* name : {"host0", "0", "255", "rack-1.node_2", "h", "A..b", "Heads", "0x", "10.77.0.x"})
    CHECK(address_plan::is_host_name(name));
  for (const char* name :
       {"",          "..",        "../victim", "a/b",       "a b",        "a,b",       "a:2",
        "a\nb",      "-a",        "+n0",       "München",   "head",       "localhost", "Head",
        "LOCALHOST", "127.0.0.1", "127.1",     "10.78.0.2", "0x7f000001", "2130706433"}) {
    CAPTURE(name);
    CHECK_FALSE(address_plan::is_host_name(name));
  }
  CHECK(address_plan::is_host_name(std::string(63, 'a')));
  CHECK_FALSE(address_plan::is_host_name(std::string(64, 'a')));
}
