#include "analysis/networks/price_list_file.hpp"

#include <nlohmann/json.hpp>

#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "io/options/reader.hpp"

namespace starling {

PriceList read_price_list(const std::filesystem::path& file) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  PriceList list;
  read_options(JsonPlace(document, file.string()), [&](OptionVisitor& visitor) { describe(list, visitor); });
  return list;
}

std::filesystem::path shipped_price_list() { return data_directory() / "scenarios/prices/assumed.json"; }

}  // namespace starling
