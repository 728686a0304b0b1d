#include "sim/messages/matching.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <deque>
#include <map>
#include <tuple>

namespace starling {
namespace {

TEST_CASE("a receive is matched with the oldest message of its source and tag") {
  MatchTable table;
  MatchEntry first{.peer = 1, .tag = 7, .is_message = true};
  MatchEntry second{.peer = 1, .tag = 7, .is_message = true};
  MatchEntry other_tag{.peer = 1, .tag = 8, .is_message = true};
  CHECK(table.match_or_keep(first) == nullptr);
  CHECK(table.match_or_keep(other_tag) == nullptr);
  CHECK(table.match_or_keep(second) == nullptr);
  MatchEntry receive{.peer = 1, .tag = 7, .is_message = false};
  MatchEntry from_another{.peer = 2, .tag = 7, .is_message = false};
  CHECK(table.match_or_keep(from_another) == nullptr);
  CHECK(table.match_or_keep(receive) == &first);
  CHECK(table.match_or_keep(receive) == &second);
  CHECK(table.match_or_keep(receive) == nullptr);
}

TEST_CASE(
    "matching equals one queue for each source and tag whatever the sequence of messages and receives") {
  using Step = std::tuple<unsigned char, unsigned char, bool>;
  CHECK(rc::check([](const std::vector<Step>& steps) {
    MatchTable table;
    std::map<std::pair<int, int>, std::deque<MatchEntry*>> reference;
    std::deque<MatchEntry> entries;
    for (const auto& [source, tag, is_message] : steps) {
      MatchEntry& entry = entries.emplace_back();
      entry.peer = source % 16;
      entry.tag = tag % 4;
      entry.is_message = is_message;
      auto& queue = reference[{entry.peer, entry.tag}];
      MatchEntry* expected = nullptr;
      if (!queue.empty() && queue.front()->is_message != is_message) {
        expected = queue.front();
        queue.pop_front();
      } else {
        queue.push_back(&entry);
      }
      RC_ASSERT(table.match_or_keep(entry) == expected);
    }
  }));
}

}  // namespace
}  // namespace starling
