#include "io/json/schema.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

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

/// A schema, parsed on first use and cached, as parsing takes several times as long as checking a document.
/// Thread-safe.
const valijson::Schema& parsed_schema(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::unique_ptr<const valijson::Schema>> all_parsed;
  const std::filesystem::path file = schema_file(name);
  const std::lock_guard lock(mutex);
  if (const auto kept = all_parsed.find(file); kept != all_parsed.end()) return *kept->second;
  const nlohmann::json schema = parse_json(read_text_file(file), file.string());
  auto parsed = std::make_unique<valijson::Schema>();
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(schema), *parsed);
  return *all_parsed.emplace(file, std::move(parsed)).first->second;
}

}  // namespace

std::string schema_text(std::string_view name) { return read_text_file(schema_file(name)); }

void validate_against_schema(const nlohmann::json& document, std::string_view schema_name,
                             const std::string& file) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(parsed_schema(schema_name), Adapter(document), &results)) return;
  valijson::ValidationResults::Error error;
  results.popError(error);
  throw ScenarioError({file, pointer_of(error.context),
                       fmt::format("does not meet the schema: {}", error.description), "", ""});
}

}  // namespace starling
