#include "commands/list_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/texts/near_key.hpp"
#include "commands/shared/json_line.hpp"
#include "io/terminal/terminal.hpp"
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

void print_lines(const std::vector<CatalogEntry>& entries) {
  for (const CatalogEntry& entry : entries)
    print_json_line({{"name", entry.name}, {"description", entry.description}});
}

void print_table(const std::vector<CatalogEntry>& entries) {
  std::size_t width = 0;
  for (const CatalogEntry& entry : entries) width = std::max(width, entry.name.size());
  std::string text;
  for (const CatalogEntry& entry : entries)
    text += fmt::format("{:<{}}  {}\n", entry.name, width, entry.description);
  print_out(text);
}

}  // namespace

void add_list(CommandLine& line) {
  const auto arguments = std::make_shared<ListArguments>();
  Command list = line.add_command("list", "List the names that a scenario may use");
  list.add_required_word("WHAT", &arguments->what, fmt::format("One of {}", fmt::join(listable(), ", ")));
  list.add_flag("--json", arguments->prints_lines,
                "Print a line of JSON for every entry, its name and its description");
  list.set_footer("Example:\n  starling list models");
  list.does(arguments, list_command);
}

std::vector<std::string> listable() {
  std::vector<std::string> names;
  names.reserve(listings.size());
  for (const Listing& listing : listings) names.emplace_back(listing.what);
  return names;
}

void list_command(const ListArguments& arguments) {
  const std::string& what = arguments.what;
  const auto listing = std::ranges::find(listings, what, &Listing::what);
  if (listing == listings.end())
    throw UsageError(fmt::format("cannot list \"{}\"{}; can list {}", what, suggestion(what, listable()),
                                 fmt::join(listable(), ", ")));
  if (arguments.prints_lines)
    print_lines(listing->entries());
  else
    print_table(listing->entries());
}

}  // namespace starling
