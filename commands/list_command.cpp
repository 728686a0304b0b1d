#include "commands/list_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/near_key.hpp"
#include "io/terminal.hpp"
#include "scenarios/reading/catalog.hpp"

namespace starling {
namespace {

struct Listing {
  const char* what;
  std::vector<CatalogEntry> (*entries)();
};

constexpr std::array<Listing, 8> listings{{{"models", list_models},
                                           {"profiles", list_profiles},
                                           {"algorithms", list_algorithms},
                                           {"topologies", list_topologies},
                                           {"gpus", list_gpus},
                                           {"distributions", list_distributions},
                                           {"tasks", list_tasks},
                                           {"transports", list_transports}}};

}  // namespace

void add_list(CommandLine& line) {
  const auto what = std::make_shared<std::string>();
  Command list = line.add_command("list", "List what a scenario may name");
  list.add_required_word("WHAT", what.get(), fmt::format("One of {}", fmt::join(listable(), ", ")));
  list.set_footer("Example:\n  starling list models");
  list.does(what, list_command);
}

std::vector<std::string> listable() {
  std::vector<std::string> names;
  names.reserve(listings.size());
  for (const Listing& listing : listings) names.emplace_back(listing.what);
  return names;
}

void list_command(const std::string& what) {
  const auto listing = std::find_if(listings.begin(), listings.end(),
                                    [&](const Listing& known) { return known.what == what; });
  if (listing == listings.end())
    throw UsageError(fmt::format("cannot list \"{}\"{}; can list {}", what, suggestion(what, listable()),
                                 fmt::join(listable(), ", ")));
  const std::vector<CatalogEntry> entries = listing->entries();
  std::size_t width = 0;
  for (const CatalogEntry& entry : entries) width = std::max(width, entry.name.size());
  std::string text;
  for (const CatalogEntry& entry : entries)
    text += fmt::format("{:<{}}  {}\n", entry.name, width, entry.description);
  print_out(text);
}

}  // namespace starling
