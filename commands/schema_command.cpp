#include "commands/schema_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/texts/near_key.hpp"
#include "io/json/schema.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/description/scenario_schema.hpp"

namespace starling {

void add_schema(CommandLine& line) {
  const auto what = std::make_shared<std::string>();
  Command schema = line.add_command("schema", "Print the JSON Schema of a kind of file");
  schema.add_required_word("WHAT", what.get(), fmt::format("One of {}", fmt::join(schemas(), ", ")));
  schema.set_footer("Example:\n  starling schema scenario > scenario.schema.json");
  schema.does(what, schema_command);
}

std::vector<std::string> schemas() {
  return {"scenario",  "study",        "design",    "regimes",         "result",     "model",
          "profile",   "distribution", "published", "cluster_profile", "validation", "validation_study",
          "price_list"};
}

void schema_command(const std::string& what) {
  const std::vector<std::string> known = schemas();
  if (std::ranges::find(known, what) == known.end())
    throw UsageError(fmt::format("there is no schema \"{}\"{}; there are {}", what, suggestion(what, known),
                                 fmt::join(known, ", ")));
  print_out(what == "scenario" ? scenario_schema_text() : schema_text(what));
}

}  // namespace starling
