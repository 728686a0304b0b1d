#include "analysis/networks/price_list_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "io/data_directory.hpp"
#include "io/json_text.hpp"
#include "io/options/reader.hpp"
#include "io/options/schema.hpp"

namespace starling {

PriceList read_price_list(const std::filesystem::path& file) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  PriceList list;
  read_options(JsonPlace(document, file.string()), [&](OptionVisitor& visitor) { describe(list, visitor); });
  return list;
}

std::filesystem::path shipped_price_list() { return data_directory() / "scenarios/prices/assumed.json"; }

std::string price_list_schema_text() {
  nlohmann::ordered_json definitions = quantity_definitions();
  PriceList list;
  const nlohmann::ordered_json own =
      option_schema([&](OptionVisitor& visitor) { describe(list, visitor); }, definitions);
  nlohmann::ordered_json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                                   {"title", "What the parts of a network cost, and where they stand"}};
  schema.update(own);
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

}  // namespace starling
