#include "io/json/json_reader.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"
#include "base/texts/near_key.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/texts/units.hpp"

namespace starling {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t longest_shown = 60;

std::string with_range(std::string noun, const std::string& range) {
  return range.empty() ? noun : fmt::format("{} {}", noun, range);
}

std::string integer_text(IntegerRange range) { return fmt::format("an integer {}", range.text()); }

/// Whether a value is an integer beyond 64 bits, which is parsed as a double. Doubles of that size are always
/// integers.
bool is_huge(const json& value) { return value.is_number_float() && std::abs(value.get<double>()) > 1e18; }

/// "a time such as "5us", or a number of seconds, greater than 0".
std::string quantity_text(Dimension dimension, Range range) {
  const std::string bounds = range.text();
  return fmt::format("{}, or a number of {}{}", accepted_form(dimension), si_unit(dimension),
                     bounds.empty() ? "" : ", " + bounds);
}

}  // namespace

JsonPlace::JsonPlace(const json& value, std::string file, std::string pointer)
    : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

JsonPlace JsonPlace::inside(std::string_view key) const {
  return {value_->at(std::string(key)), file_, pointer_to(pointer_, key)};
}

void JsonPlace::fail(const std::string& problem, const std::string& expected) const {
  throw ScenarioError({file_, pointer_, problem, shown(*value_), expected});
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) fail("wrong type", "a text");
  auto text = value_->get<std::string>();
  if (text.empty()) fail("must not be empty", "a text");
  return text;
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) fail("wrong type", "true or false");
  return value_->get<bool>();
}

std::int64_t JsonPlace::integer(IntegerRange range) const {
  constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (is_huge(*value_) || (value_->is_number_unsigned() && value_->get<std::uint64_t>() > greatest))
    fail("out of range", fmt::format("an integer from {} to {}", range.least, range.greatest));
  if (!value_->is_number_integer()) fail("wrong type", integer_text(range));
  const auto number = value_->get<std::int64_t>();
  if (number < range.least || number > range.greatest) fail("out of range", integer_text(range));
  return number;
}

double JsonPlace::number(Range range) const {
  const std::string expected = with_range("a number", range.text());
  if (!value_->is_number()) fail("wrong type", expected);
  const auto number = value_->get<double>();
  if (!range.contains(number)) fail("out of range", expected);
  return number;
}

double JsonPlace::quantity(Dimension dimension, Range range) const {
  if (!value_->is_number() && !value_->is_string()) fail("wrong type", quantity_text(dimension, range));
  double quantity = 0;
  if (value_->is_number()) {
    quantity = value_->get<double>();
  } else {
    const auto parsed = parse_quantity(value_->get_ref<const std::string&>(), dimension);
    if (const auto* problem = std::get_if<std::string>(&parsed))
      fail(*problem, quantity_text(dimension, range));
    quantity = std::get<double>(parsed);
  }
  if (!range.contains(quantity)) fail("out of range", quantity_text(dimension, range));
  return quantity;
}

std::vector<JsonPlace> JsonPlace::elements(std::size_t least) const {
  if (!value_->is_array()) fail("wrong type", "a list");
  if (value_->size() < least) fail("too short", "a list of at least " + counted(least, "element"));
  std::vector<JsonPlace> places;
  places.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    places.emplace_back((*value_)[i], file_, pointer_to(pointer_, i));
  return places;
}

ObjectReader::ObjectReader(JsonPlace place, std::vector<std::string> keys)
    : place_(std::move(place)), keys_(std::move(keys)) {
  if (!place_.value().is_object()) place_.fail("wrong type", "an object");
  for (const auto& [key, value] : place_.value().items()) {
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
    throw ScenarioError({place_.file(), pointer_to(place_.pointer(), key),
                         "unknown key" + suggestion(key, keys_), "", one_of(keys_)});
  }
}

bool ObjectReader::has(const std::string& key) const {
  STARLING_INVARIANT(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  return place_.value().contains(key);
}

JsonPlace ObjectReader::at(const std::string& key, const std::string& expected) const {
  if (auto found = find(key)) return *found;
  throw ScenarioError(
      {place_.file(), place_.pointer(), fmt::format("key \"{}\" is missing", key), "", expected});
}

std::optional<JsonPlace> ObjectReader::find(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  return place_.inside(key);
}

std::string ObjectReader::text(const std::string& key, std::optional<std::string> otherwise) {
  std::string value = otherwise && !has(key) ? *otherwise : at(key, "a text").text();
  note(key, value);
  return value;
}

bool ObjectReader::boolean(const std::string& key, std::optional<bool> otherwise) {
  const bool value = otherwise && !has(key) ? *otherwise : at(key, "true or false").boolean();
  note(key, value);
  return value;
}

std::int64_t ObjectReader::integer(const std::string& key, IntegerRange range,
                                   std::optional<std::int64_t> otherwise) {
  const std::int64_t value =
      otherwise && !has(key) ? *otherwise : at(key, integer_text(range)).integer(range);
  note(key, value);
  return value;
}

int ObjectReader::small_integer(const std::string& key, IntegerRange range, std::optional<int> otherwise) {
  range.greatest = std::min<std::int64_t>(range.greatest, std::numeric_limits<int>::max());
  return static_cast<int>(integer(key, range, otherwise));
}

double ObjectReader::number(const std::string& key, Range range, std::optional<double> otherwise) {
  const double value =
      otherwise && !has(key) ? *otherwise : at(key, with_range("a number", range.text())).number(range);
  note(key, value);
  return value;
}

double ObjectReader::quantity(const std::string& key, Dimension dimension, std::optional<double> otherwise,
                              std::optional<Range> range) {
  const Range accepted = range.value_or(default_range(dimension));
  const double value = otherwise && !has(key)
                           ? *otherwise
                           : at(key, quantity_text(dimension, accepted)).quantity(dimension, accepted);
  note(key, value);
  return value;
}

std::string ObjectReader::choice(const std::string& key, const std::vector<std::string>& choices,
                                 std::optional<std::string> otherwise) {
  std::string value =
      otherwise && !has(key) ? *otherwise : read_choice(at(key, one_of(choices)), choices, key);
  note(key, value);
  return value;
}

std::optional<std::string> ObjectReader::optional_text(const std::string& key) {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

std::optional<double> ObjectReader::optional_number(const std::string& key, Range range) {
  return has(key) ? std::optional(number(key, range)) : std::nullopt;
}

std::optional<double> ObjectReader::optional_quantity(const std::string& key, Dimension dimension) {
  return has(key) ? std::optional(quantity(key, dimension)) : std::nullopt;
}

std::optional<int> ObjectReader::optional_integer(const std::string& key, IntegerRange range) {
  return has(key) ? std::optional(small_integer(key, range)) : std::nullopt;
}

void ObjectReader::note(const std::string& key, ordered_json value) { as_read_[key] = std::move(value); }

std::string read_choice(const JsonPlace& place, const std::vector<std::string>& choices,
                        std::string_view noun) {
  std::string typed = place.text();
  if (std::find(choices.begin(), choices.end(), typed) == choices.end())
    place.fail(fmt::format("unknown {}{}", noun, suggestion(typed, choices)), one_of(choices));
  return typed;
}

std::string read_kind(const JsonPlace& place, std::string_view noun, const std::vector<std::string>& kinds,
                      const std::vector<std::string>& later_kinds, const std::string& key) {
  if (!place.value().is_object()) place.fail("wrong type", fmt::format("an object with a \"{}\"", key));
  const auto found = place.value().find(key);
  if (found == place.value().end())
    throw ScenarioError(
        {place.file(), place.pointer(), fmt::format("key \"{}\" is missing", key), "", one_of(kinds)});
  const JsonPlace kind(*found, place.file(), pointer_to(place.pointer(), key));
  const std::string typed = kind.text();
  if (std::find(later_kinds.begin(), later_kinds.end(), typed) != later_kinds.end())
    kind.fail(fmt::format("this {} is not available in this version", noun), one_of(kinds));
  return read_choice(kind, kinds, noun);
}

std::string shown(const json& value) {
  return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace), longest_shown);
}

std::string one_of(const std::vector<std::string>& choices) {
  std::string text = choices.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < choices.size(); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", choices[i]);
  return text;
}

}  // namespace starling
