#include "io/schema.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "io/data_directory.hpp"
#include "io/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

std::filesystem::path schema_file(std::string_view name) {
  return data_directory() / "scenarios" / "schema" / fmt::format("{}.schema.json", name);
}

/// The validator's path "<root>[cluster][workers]" as a JSON pointer.
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string_view step = context[i];
    if (step.starts_with('[') && step.ends_with(']')) step = step.substr(1, step.size() - 2);
    pointer = pointer_to(pointer, step);
  }
  return pointer;
}

}  // namespace

std::string schema_text(std::string_view name) { return read_text_file(schema_file(name)); }

void validate_against_schema(const nlohmann::json& document, std::string_view schema_name,
                             const std::string& file) {
  const nlohmann::json schema = parse_json(schema_text(schema_name), schema_file(schema_name).string());
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema parsed;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(schema), parsed);

  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(parsed, Adapter(document), &results)) return;
  valijson::ValidationResults::Error error;
  results.popError(error);
  throw ScenarioError({file, pointer_of(error.context),
                       fmt::format("does not meet the schema: {}", error.description), "", ""});
}

}  // namespace starling
