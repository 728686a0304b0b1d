#include "io/options/schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "io/options/found_kinds.hpp"
#include "io/options/reader.hpp"
#include "io/texts/units.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

std::string pattern_of(Dimension dimension) {
  const std::string number = "^[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)? ?";
  if (dimension == Dimension::time) return number + "(ns|us|µs|μs|ms|s|min|h)$";
  return number + "(k|M|G|T|Ki|Mi|Gi|Ti)?" + (dimension == Dimension::size ? "B$" : "(bps|Bps)$");
}

Json number_schema(const Range& range) {
  Json schema = {{"type", "number"}};
  if (std::isfinite(range.least)) schema[range.excludes_least ? "exclusiveMinimum" : "minimum"] = range.least;
  if (std::isfinite(range.greatest))
    schema[range.excludes_greatest ? "exclusiveMaximum" : "maximum"] = range.greatest;
  return schema;
}

Json integer_schema(IntegerRange range) {
  return {{"type", "integer"}, {"minimum", range.least}, {"maximum", range.greatest}};
}

Json reference_to(std::string_view definition) {
  return {{"$ref", fmt::format("#/definitions/{}", definition)}};
}

/// The schema of a quantity; it may be given with an error if the definitions include that.
Json quantity_schema(Dimension dimension, const Range& range, const Json& definitions) {
  Json schema = {{"anyOf", {number_schema(range), {{"type", "string"}, {"pattern", pattern_of(dimension)}}}}};
  if (!definitions.contains(key_of_error)) return schema;
  Json uncertain = {{"type", "object"},
                    {"properties", {{key_of_value, schema}, {key_of_error, reference_to(key_of_error)}}},
                    {"required", {key_of_value, key_of_error}},
                    {"additionalProperties", false}};
  schema["anyOf"].push_back(std::move(uncertain));
  return schema;
}

Json list_schema(Json items, const ListSize& size) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (size.least > 0) schema["minItems"] = size.least;
  if (size.greatest < std::numeric_limits<std::size_t>::max()) schema["maxItems"] = size.greatest;
  if (!size.unique.empty()) schema["uniqueItems"] = true;
  return schema;
}

/// Adds a schema to the definitions, unless an equal one is there. Returns its name.
std::string define(Json& definitions, std::string_view key, const Json& schema) {
  for (const auto& [name, known] : definitions.items())
    if (known == schema) return name;
  std::string name(key);
  for (int number = 2; definitions.contains(name); ++number) name = fmt::format("{}_{}", key, number);
  definitions[name] = schema;
  return name;
}

/// The names that may be given instead of an object: those of the kinds that require no other key.
Json names_schema(const Json& kinds) {
  Json names = Json::array();
  for (const Json& kind : kinds)
    if (kind.at("required").size() == 1) names.push_back(kind.at("properties").at("kind").at("const"));
  return {{"type", "string"}, {"enum", std::move(names)}};
}

/// Writes the schema of an object, of the given kind if it has kinds.
class ObjectSchema final : public OptionVisitor {
 public:
  ObjectSchema(Json& definitions, const Kind* kind) : definitions_(definitions), kind_(kind) {}

  Json schema() && {
    Json schema = {{"type", "object"}};
    if (kind_ != nullptr) schema["description"] = kind_->summary;
    schema["properties"] = std::move(properties_);
    if (!needed_.empty() && inclusion_.empty()) schema["required"] = std::move(needed_);
    if (!needed_.empty() && !inclusion_.empty())
      schema["anyOf"] = {requires_all({inclusion_}), {{"required", std::move(needed_)}}};
    schema["additionalProperties"] = false;
    STARLING_INVARIANT(!schema.contains("anyOf") || !conditions_.contains("anyOf"));
    schema.update(conditions_);
    return schema;
  }

  void together(std::string_view key, std::string_view other) override {
    conditions_["dependencies"][std::string(key)] = Json::array({other});
    conditions_["dependencies"][std::string(other)] = Json::array({key});
  }
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view) override {
    STARLING_INVARIANT(!conditions_.contains("oneOf"));
    for (const std::string_view key : keys) conditions_["oneOf"].push_back(requires_all({key}));
  }
  void at_most_one(std::string_view key, std::string_view other) override {
    STARLING_INVARIANT(!conditions_.contains("not"));
    conditions_["not"] = requires_all({key, other});
  }
  void at_least_one(const std::vector<std::string_view>& keys, std::string_view) override {
    STARLING_INVARIANT(!conditions_.contains("anyOf"));
    for (const std::string_view key : keys) conditions_["anyOf"].push_back(requires_all({key}));
  }

 protected:
  void on_flag(const Option& option, const Member<bool>& member) override {
    add(option, {{"type", "boolean"}}, member);
  }
  void on_integer(const Option& option, const Member<std::int64_t>& member, IntegerRange range) override {
    add(option, or_word(option, integer_schema(range)), member);
  }
  void on_integer_or_object(const Option& option, const Member<std::int64_t>& member, IntegerRange range,
                            const Nested& nested) override {
    const Json object = option_schema(described(nested), definitions_);
    add(option, {{"anyOf", {integer_schema(range), reference_to(define(definitions_, option.key, object))}}},
        member);
  }
  void on_number(const Option& option, const Member<double>& member, Range range) override {
    add(option, number_schema(range), member);
  }
  void on_quantity(const Option& option, const Member<double>& member, Dimension dimension,
                   Range range) override {
    const bool is_usual = range == default_range(dimension);
    add(option,
        or_word(option, is_usual ? reference_to(name_of(dimension))
                                 : quantity_schema(dimension, range, definitions_)),
        member);
  }
  void on_text(const Option& option, const Member<std::string>& member) override {
    add(option, {{"type", "string"}, {"minLength", 1}}, member);
  }
  void on_file(const Option& option, const Member<std::string>&) override {
    add(option, {{"type", "string"}, {"minLength", 1}});
  }
  void on_choice(const Option& option, const Member<std::string>& member, const Choices& choices) override {
    add(option, {{"enum", choices.names}}, member);
  }
  void on_seed(const Option* option, const Member<std::int64_t>&) override {
    if (option != nullptr) add(*option, integer_schema({}));
  }
  void on_integers(const Option& option, std::vector<int>&, IntegerRange each,
                   const ListSize& size) override {
    add(option, list_schema(integer_schema(each), size));
  }
  void on_choice_or_integers(const Option& option, const Member<std::string>& name, const Choices& choices,
                             std::vector<int>&, IntegerRange each, const ListSize& size) override {
    add(option, {{"anyOf", {{{"enum", choices.names}}, list_schema(integer_schema(each), size)}}}, name);
  }
  void on_texts(const Option& option, std::vector<std::string>&, const ListSize& size) override {
    add(option, list_schema({{"type", "string"}, {"minLength", 1}}, size));
  }
  void on_rows(const Option& option, NumberRows&, const std::vector<Column>& columns,
               std::size_t needed) override {
    const Json row = list_schema(number_schema({.least = 0}), {.least = needed, .greatest = columns.size()});
    add(option, list_schema(row, {}));
  }
  void on_object(const Option& option, const Nested& nested) override {
    const bool has_default = !nested.may_be_absent && !option.is_needed && option.otherwise.empty();
    const Json value = has_default ? default_of(nested) : Json();
    Json schema = option_schema(described(nested), definitions_);
    if (nested.or_name) {
      Json& kinds = schema.at("oneOf");
      kinds.insert(kinds.begin(), names_schema(kinds));
    }
    Json& property = add(option, reference_to(define(definitions_, option.key, schema)));
    if (has_default) property["default"] = value;
  }
  void on_list(const Option& option, const NestedList& list) override {
    std::string_view name = option.key;
    if (name.ends_with('s')) name.remove_suffix(1);
    list.resize(1);
    const Json items =
        option_schema([&](OptionVisitor& visitor) { list.describe(0, visitor); }, definitions_);
    list.resize(0);
    const Json item = reference_to(define(definitions_, name, items));
    const Json all = list_schema(item, list.accepted);
    add(option, list.or_one ? Json{{"anyOf", {item, all}}} : all);
  }
  void on_kind(const Kinds& kinds) override {
    kinds.become(kind_->name);
    if (!kinds.key.empty()) {
      properties_[std::string(kinds.key)] = {{"const", kind_->name}};
      needed_.emplace_back(kinds.key);
    }
    kinds.describe(*this);
  }
  void on_include(const Option& option, std::string_view, const std::vector<std::string>&) override {
    inclusion_ = option.key;
    add(option, {{"type", "string"}, {"minLength", 1}});
  }
  void on_unused(const Option& option) override {
    properties_[std::string(option.key)] = {{"description", option.meaning}};
  }

 private:
  static Json requires_all(const std::vector<std::string_view>& keys) { return {{"required", keys}}; }

  static Json or_word(const Option& option, Json schema) {
    if (option.word.empty()) return schema;
    return {{"anyOf", {std::move(schema), {{"const", option.word}}}}};
  }

  /// Adds a property. A $ref is wrapped, as draft 7 ignores its siblings.
  Json& add(const Option& option, Json schema) {
    Json& property = properties_[std::string(option.key)];
    property =
        schema.contains("$ref") ? Json{{"allOf", Json::array({std::move(schema)})}} : std::move(schema);
    property["description"] = option.meaning;
    if (option.is_needed) needed_.emplace_back(option.key);
    return property;
  }
  template <typename T>
  void add(const Option& option, Json schema, const Member<T>& member) {
    Json& property = add(option, std::move(schema));
    const auto value = member.get();
    if (option.is_needed || !option.otherwise.empty()) return;
    if (value)
      property["default"] = *value;
    else if (!option.word.empty())
      property["default"] = option.word;
  }

  /// The description of a nested object as if it were present.
  static Description described(const Nested& nested) {
    return [&nested](OptionVisitor& visitor) {
      if (nested.may_be_absent) nested.set_present(true);
      nested.describe(visitor);
      if (nested.may_be_absent) nested.set_present(false);
    };
  }

  static Json default_of(const Nested& nested) {
    const FoundKinds kinds = find_kinds(nested.describe);
    const nlohmann::json object = kinds.only(kinds.current);
    return read_options(JsonPlace(object, ""), nested.describe);
  }

  Json& definitions_;
  const Kind* kind_;
  Json properties_ = Json::object();
  std::vector<std::string> needed_;
  std::string inclusion_;  // the key of a file that may supply required keys
  Json conditions_ = Json::object();
};

Json schema_of_kind(const Description& describe, Json& definitions, const Kind* kind) {
  ObjectSchema writer(definitions, kind);
  describe(writer);
  return std::move(writer).schema();
}

}  // namespace

Json option_schema(const Description& describe, Json& definitions) {
  const FoundKinds found = find_kinds(describe);
  if (found.all.empty()) return schema_of_kind(describe, definitions, nullptr);
  Json kinds = Json::array();
  for (const Kind& kind : found.all) kinds.push_back(schema_of_kind(describe, definitions, &kind));
  return {{"oneOf", std::move(kinds)}};
}

Json quantity_definitions(bool takes_errors) {
  Json definitions = Json::object();
  if (takes_errors)
    definitions[key_of_error] = {
        {"type", "number"},
        {"minimum", 0},
        {"exclusiveMaximum", 1},
        {"description",
         "standard deviation of the possible values, relative to the value; for --uncertainty"}};
  for (const Dimension dimension : {Dimension::time, Dimension::size, Dimension::bandwidth}) {
    Json schema = quantity_schema(dimension, default_range(dimension), definitions);
    schema["description"] =
        fmt::format("{}, or a number of {}", accepted_form(dimension), si_unit(dimension));
    definitions[std::string(name_of(dimension))] = std::move(schema);
  }
  return definitions;
}

}  // namespace starling
