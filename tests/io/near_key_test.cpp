#include "base/texts/near_key.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace starling {

namespace {

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps of neighbors") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("workers", "worker") == 1);
  CHECK(edit_distance("workers", "wokers") == 1);
  CHECK(edit_distance("workers", "warkers") == 1);
  CHECK(edit_distance("workers", "wrokers") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ring", "star") == 4);
}

TEST_CASE("the edit distance ignores upper and lower case") { CHECK(edit_distance("GBPS", "gbps") == 0); }

TEST_CASE("the nearest key is the one at the least distance, the first among equals") {
  const std::vector<std::string> keys = {"workers", "workers_per_host", "network"};
  CHECK(nearest_key("wrokers", keys) == "workers");
  CHECK(nearest_key("workers_per_hots", keys) == "workers_per_host");
  CHECK(nearest_key("netwerk", keys) == "network");
  CHECK(nearest_key("b", std::vector<std::string>{"ba", "bc"}) == "ba");
}

TEST_CASE("if no key is near, the suggestion is the first that continues what was typed") {
  const std::vector<std::string> keys = {"resnet50", "gpt2_small", "gpt2_xl"};
  CHECK(nearest_key("gpt2", keys) == "gpt2_small");
  CHECK(nearest_key("GPT2", keys) == "gpt2_small");
  CHECK(!nearest_key("gp", keys));
  CHECK(!nearest_key("gpt2_huge_and_more", keys));
}

TEST_CASE("if no key is near, the suggestion is the only one that ends with what was typed") {
  const std::vector<std::string> keys = {"sync_period", "group_size", "ring_size", "latency"};
  CHECK(nearest_key("period", keys) == "sync_period");
  CHECK(nearest_key("host_to_host_latency", keys) == "latency");
  CHECK(!nearest_key("size", keys));
  CHECK(!nearest_key("riod", keys));
}

TEST_CASE("no suggestion is made for a key unlike all others") {
  const std::vector<std::string> keys = {"workers", "network", "k"};
  CHECK(!nearest_key("bandwidth", keys));
  CHECK(!nearest_key("zz", keys));
  CHECK(!nearest_key("", keys));
  CHECK(!nearest_key(std::string(100'000, 'w'), keys));
  CHECK(!nearest_key("workers", std::vector<std::string>{}));
}

TEST_CASE("a suggestion is a question in brackets, or nothing") {
  const std::vector<std::string> keys = {"workers"};
  CHECK(suggestion("worker", keys) == " (did you mean \"workers\"?)");
  CHECK(suggestion("bandwidth", keys).empty());
}

}  // namespace

}  // namespace starling
