#include "io/options/reader.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>

#include "io/json/input_file.hpp"
#include "io/json/json_text.hpp"
#include "io/options/found_kinds.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/units.hpp"

namespace starling {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// ""a", "b" and "c"".
std::string quoted(const std::vector<std::string_view>& keys, std::string_view last_word) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view before = i == 0 ? "" : ", ";
    text += fmt::format("{}\"{}\"", i > 0 && i + 1 == keys.size() ? fmt::format(" {} ", last_word) : before,
                        keys[i]);
  }
  return text;
}

/// The key that names a file from which an object takes keys; see OptionVisitor::include().
struct Inclusion {
  std::string key;
  std::string member;
  std::vector<std::string> others;
};

/// Determines the kind of an object, makes it one of that kind, and collects the keys that it may have.
class KeyCollector final : public OptionVisitor {
 public:
  explicit KeyCollector(const JsonPlace& place) : place_(place) {}

  const std::vector<std::string>& keys() const { return keys_; }
  const std::optional<Inclusion>& inclusion() const { return inclusion_; }
  /// @throws ScenarioError if the given keys do not determine the kind of the object.
  void check_kind() const {
    if (!problem_.empty()) place_.fail(problem_, expected_);
  }

 protected:
  void on_option(const Option& option) override { keys_.emplace_back(option.key); }
  void on_kind(const Kinds& kinds) override {
    if (kinds.key.empty()) return choose_by_keys(kinds);
    keys_.emplace_back(kinds.key);
    kinds.become(read_kind(place_, kinds.noun, names_of(kinds.all), kinds.later, std::string(kinds.key)));
    kinds.describe(*this);
  }
  void on_include(const Option& option, std::string_view member,
                  const std::vector<std::string>& others) override {
    on_option(option);
    inclusion_ = {std::string(option.key), std::string(member), others};
  }

 private:
  bool has_any(const std::vector<std::string>& keys) const {
    return place_.value().is_object() &&
           std::ranges::any_of(keys, [&](const std::string& key) { return place_.value().contains(key); });
  }

  /// Chooses the only kind of which any key is given.
  void choose_by_keys(const Kinds& kinds) {
    std::vector<std::string> found;
    for (const Kind& kind : kinds.all) {
      KeyCollector own(place_);
      kinds.become(kind.name);
      kinds.describe(own);
      keys_.insert(keys_.end(), own.keys_.begin(), own.keys_.end());
      if (has_any(own.keys_)) found.push_back(kind.name);
    }
    if (found.size() == 1) return kinds.become(found.front());
    problem_ = found.empty() ? std::string(kinds.missing) : fmt::format("mixes {}", kinds.noun);
    expected_ = kinds.expected;
  }

  const JsonPlace& place_;
  std::vector<std::string> keys_;
  std::optional<Inclusion> inclusion_;
  std::string problem_;  // of a combination of known keys
  std::string expected_;
};

/// Sets every option from an object whose keys have been checked.
class OptionReader final : public OptionVisitor {
 public:
  OptionReader(ObjectReader& object, const OptionContext& context) : object_(object), context_(context) {}

  bool gives(std::string_view key) const override { return has(key); }

  void together(std::string_view key, std::string_view other) override {
    if (has(key) == has(other)) return;
    object_.at(std::string(has(key) ? key : other))
        .fail("is given alone", fmt::format("\"{}\" and \"{}\", or neither", key, other));
  }
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view problem) override {
    const auto count = std::ranges::count_if(keys, [&](std::string_view key) { return has(key); });
    if (count == 1) return;
    if (!problem.empty())
      object_.place().fail(std::string(problem), fmt::format("exactly one of {}", quoted(keys, "and")));
    if (count == 0) fail_whole(fmt::format("key {} is missing", quoted(keys, "or")), "", "");
    fail_whole(fmt::format("{} keys exclude each other", count == 2 ? "two" : "these"),
               fmt::format("both {}", quoted(keys, "and")), "one of them");
  }
  void at_most_one(std::string_view key, std::string_view other) override {
    if (has(key) && has(other))
      fail_whole("two keys exclude each other", fmt::format("both \"{}\" and \"{}\"", key, other),
                 "one of them");
  }
  void at_least_one(const std::vector<std::string_view>& keys, std::string_view problem) override {
    if (std::ranges::any_of(keys, [&](std::string_view key) { return has(key); })) return;
    object_.place().fail(std::string(problem), quoted(keys, "or"));
  }
  void require(bool is_met, std::string_view key, const std::string& problem, const std::string& expected,
               const std::string& got) override {
    if (is_met) return;
    if (key.empty() || !has(key)) fail_whole(problem, got, expected);
    if (got.empty()) object_.at(std::string(key)).fail(problem, expected);
    const JsonPlace place = object_.at(std::string(key));
    throw ScenarioError({place.file(), place.pointer(), problem, got, expected});
  }
  void check(std::string_view key, const std::function<void()>& function) override {
    const JsonPlace& place = object_.place();
    naming_place(place.file(), key.empty() ? place.pointer() : pointer_to(place.pointer(), key), function);
  }
  void warning(std::string_view key, const std::function<std::string()>& function) override {
    if (context_.warnings == nullptr) return;
    const std::string found = function();
    if (!found.empty())
      context_.warnings->push_back(fmt::format("{}: {}: {}", object_.place().file(),
                                               pointer_to(object_.place().pointer(), key), found));
  }

 protected:
  void on_flag(const Option& option, const Member<bool>& member) override {
    if (counts(option, member)) member.set(object_.boolean(key_of(option), default_of(option, member)));
  }
  void on_integer(const Option& option, const Member<std::int64_t>& member, IntegerRange range) override {
    if (counts(option, member) && !is_word(option, member))
      member.set(object_.integer(key_of(option), range, default_of(option, member)));
  }
  void on_number(const Option& option, const Member<double>& member, Range range) override {
    if (counts(option, member)) member.set(object_.number(key_of(option), range, default_of(option, member)));
  }
  void on_quantity(const Option& option, const Member<double>& member, Dimension dimension,
                   Range range) override {
    if (!counts(option, member) || is_word(option, member)) return;
    check_word(option, dimension);
    if (context_.takes_errors && has(option.key) && object_.at(key_of(option)).value().is_object())
      return read_uncertain(option, member, dimension, range);
    member.set(object_.quantity(key_of(option), dimension, default_of(option, member), range));
  }
  void on_text(const Option& option, const Member<std::string>& member) override {
    if (counts(option, member)) member.set(object_.text(key_of(option), default_of(option, member)));
  }
  void on_file(const Option& option, const Member<std::string>& member) override {
    if (!has(option.key) && !option.is_needed) return;
    const std::string typed = object_.text(key_of(option));
    const JsonPlace place = object_.at(key_of(option));
    const std::filesystem::path below =
        context_.folder_of ? context_.folder_of(place.pointer()) : std::filesystem::path();
    member.set(input_path(place, below).string());
    object_.note(key_of(option), (below / typed).string());
  }
  void on_choice(const Option& option, const Member<std::string>& member, const Choices& choices) override {
    if (!counts(option, member)) return;
    std::vector<std::string> known = choices.names;
    known.insert(known.end(), choices.unusable.begin(), choices.unusable.end());
    const std::string chosen = read_known(option, member, choices, known);
    if (std::ranges::find(choices.names, chosen) == choices.names.end())
      object_.at(key_of(option)).fail(choices.reason, one_of(choices.names));
    object_.note(key_of(option), chosen);
    member.set(chosen);
  }
  /// Noted only if it is given: a seed that defaults to the scenario's must follow that one when the normal
  /// form is read again.
  void on_seed(const Option* option, const Member<std::int64_t>& member) override {
    const auto seed = context_.seed == nullptr ? 1 : static_cast<std::int64_t>(*context_.seed);
    const bool is_given = option != nullptr && has(option->key);
    member.set(is_given ? object_.integer(key_of(*option), {}) : seed);
  }
  void on_integers(const Option& option, std::vector<int>& member, IntegerRange each,
                   const ListSize& size) override {
    if (!has(option.key) && !option.is_needed) return;
    const JsonPlace place = object_.at(key_of(option), fmt::format("a list of {}", size.noun));
    member.clear();
    std::unordered_set<int> known;
    for (const JsonPlace& element : place.elements(size.least)) {
      const int value = static_cast<int>(element.integer(each));
      if (!size.unique.empty() && !known.insert(value).second)
        element.fail(fmt::format("this {} appears twice", size.unique),
                     fmt::format("each {} once", size.unique));
      member.push_back(value);
    }
    check_size(place, size);
    object_.note(key_of(option), member);
  }
  /// Noted only if it is given: the default name need not appear in the normal form.
  void on_choice_or_integers(const Option& option, const Member<std::string>& name, const Choices& choices,
                             std::vector<int>& list, IntegerRange each, const ListSize& size) override {
    if (!has(option.key)) return;
    const JsonPlace place = object_.at(key_of(option));
    if (place.value().is_string()) return on_choice(option, name, choices);
    if (!place.value().is_array())
      place.fail("wrong type", fmt::format("{}, or a list of {}", one_of(choices.names), size.noun));
    on_integers(option, list, each, size);
  }
  void on_texts(const Option& option, std::vector<std::string>& member, const ListSize& size) override {
    if (!has(option.key) && !option.is_needed) return;
    const JsonPlace place = object_.at(key_of(option), "a list of texts");
    const auto elements = place.elements();
    check_size(place, size);
    member.clear();
    for (const JsonPlace& element : elements) member.push_back(element.text());
    object_.note(key_of(option), member);
  }
  void on_rows(const Option& option, NumberRows& member, const std::vector<Column>& columns,
               std::size_t needed) override {
    const std::string form = form_of(columns, needed);
    const JsonPlace place = object_.at(key_of(option), "a list of " + form);
    member.clear();
    for (const JsonPlace& row : place.elements()) member.push_back(read_row(row, columns, needed, form));
    object_.note(key_of(option), place.value());
  }
  void on_object(const Option& option, const Nested& nested) override {
    if (!is_allowed(option)) return;
    if (!has(option.key) && (option.is_needed || nested.may_be_absent)) {
      if (option.is_needed) (void)object_.at(key_of(option), "an object");
      return nested.set_present(false);
    }
    if (nested.may_be_absent) nested.set_present(true);
    read_object(option, nested);
  }
  void on_integer_or_object(const Option& option, const Member<std::int64_t>& member, IntegerRange range,
                            const Nested& nested) override {
    const bool is_object = has(option.key) && object_.at(key_of(option)).value().is_object();
    nested.set_present(is_object);
    if (is_object) return read_object(option, nested);
    if (has(option.key) && !object_.at(key_of(option)).value().is_number())
      object_.at(key_of(option)).fail("wrong type", "an integer, or an object");
    on_integer(option, member, range);
  }
  void on_list(const Option& option, const NestedList& list) override {
    if (!has(option.key) && !option.is_needed) return;
    const JsonPlace place = object_.at(key_of(option), "a list");
    const bool is_one = list.or_one && !place.value().is_array();
    const auto elements = is_one ? std::vector{place} : place.elements(list.accepted.least);
    if (!is_one) check_size(place, list.accepted);
    list.resize(0);  // so that new elements start from defaults, not from the values of old ones
    list.resize(elements.size());
    auto all = ordered_json::array();
    for (std::size_t i = 0; i < elements.size(); ++i)
      all.push_back(read_options(
          elements[i], [&](OptionVisitor& visitor) { list.describe(i, visitor); }, context_));
    object_.note(key_of(option), std::move(all));
  }
  void on_kind(const Kinds& kinds) override {
    if (!kinds.key.empty()) object_.note(std::string(kinds.key), kinds.current());
    kinds.describe(*this);
  }
  void on_include(const Option&, std::string_view, const std::vector<std::string>&) override {}
  void on_unused(const Option& option) override {
    if (has(option.key) && context_.warnings != nullptr)
      context_.warnings->push_back(fmt::format("{}: {}/{}: {}", object_.place().file(),
                                               object_.place().pointer(), option.key, option.meaning));
  }

 private:
  /// Reads a quantity with a relative error, and notes both.
  void read_uncertain(const Option& option, const Member<double>& member, Dimension dimension, Range range) {
    ObjectReader uncertain(object_.at(key_of(option)), {key_of_value, key_of_error});
    member.set(uncertain.quantity(key_of_value, dimension, std::nullopt, range));
    uncertain.number(key_of_error, Range{.least = 0, .greatest = 1, .excludes_greatest = true});
    object_.note(key_of(option), uncertain.as_read());
  }

  static std::string key_of(const Option& option) { return std::string(option.key); }
  bool has(std::string_view key) const { return object_.has(std::string(key)); }

  [[noreturn]] void fail_whole(const std::string& problem, const std::string& got,
                               const std::string& expected) const {
    throw ScenarioError({object_.place().file(), object_.place().pointer(), problem, got, expected});
  }

  /// Whether the option's `with` and `without` conditions are met; fails if the option is given although they
  /// are not.
  bool is_allowed(const Option& option) const {
    const bool is_met =
        (option.with.empty() || has(option.with)) && (option.without.empty() || !has(option.without));
    if (!is_met && has(option.key))
      object_.at(key_of(option)).fail(std::string(option.clash), std::string(option.instead));
    return is_met;
  }

  /// Whether the option has a value: false if it is absent and has no default.
  template <typename T>
  bool counts(const Option& option, const Member<T>& member) const {
    return is_allowed(option) &&
           (has(option.key) || option.is_needed || !option.word.empty() || member.get());
  }

  template <typename T>
  static std::optional<T> default_of(const Option& option, const Member<T>& member) {
    return option.is_needed ? std::nullopt : member.get();
  }

  /// Whether the option is, or defaults to, the word that stands for its absence; if so, notes the word.
  template <typename T>
  bool is_word(const Option& option, const Member<T>& member) {
    if (option.word.empty()) return false;
    const bool is_it = has(option.key) ? object_.at(key_of(option)).value() == std::string(option.word)
                                       : !member.get().has_value();
    if (!is_it) return false;
    member.set(std::nullopt);
    object_.note(key_of(option), std::string(option.word));
    return true;
  }

  /// Rejects any other word, which is likely a misspelling and not a quantity.
  void check_word(const Option& option, Dimension dimension) const {
    if (option.word.empty() || !has(option.key)) return;
    const JsonPlace place = object_.at(key_of(option));
    if (place.value().is_string() && std::isalpha(static_cast<unsigned char>(place.text().front())) != 0)
      place.fail("unknown word", fmt::format("{}, or \"{}\"", accepted_form(dimension), option.word));
  }

  std::string read_known(const Option& option, const Member<std::string>& member, const Choices& choices,
                         const std::vector<std::string>& known) const {
    if (!has(option.key) && !option.is_needed) return *member.get();
    return read_choice(object_.at(key_of(option), one_of(known)), known,
                       choices.noun.empty() ? option.key : choices.noun);
  }

  static void check_size(const JsonPlace& place, const ListSize& size) {
    const std::size_t count = place.value().size();
    if (!size.wanted.empty() && (count < size.least || count > size.greatest))
      place.fail(std::string(size.problem), std::string(size.wanted));
    if (count > size.greatest)
      place.fail(std::string(size.problem), fmt::format("at most {} {}", size.greatest, size.noun));
  }

  /// "[source, destination] or [source, destination, weight]"
  static std::string form_of(const std::vector<Column>& columns, std::size_t needed) {
    std::string row;
    std::string forms;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i].name);
      if (i + 1 >= needed) forms += fmt::format("{}[{}]", forms.empty() ? "" : " or ", row);
    }
    return forms;
  }

  static std::vector<double> read_row(const JsonPlace& place, const std::vector<Column>& columns,
                                      std::size_t needed, const std::string& form) {
    const auto elements = place.elements(needed);
    if (elements.size() > columns.size()) place.fail("too many", form);
    std::vector<double> row;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Range& range = columns[i].range;
      const auto integers = [&] {
        return IntegerRange{static_cast<std::int64_t>(range.least),
                            static_cast<std::int64_t>(range.greatest)};
      };
      row.push_back(columns[i].is_integer ? static_cast<double>(elements[i].integer(integers()))
                                          : elements[i].number(range));
    }
    return row;
  }

  /// Reads an object, or the name of its kind if that is accepted; an absent object gets its defaults.
  void read_object(const Option& option, const Nested& nested) {
    const JsonPlace& whole = object_.place();
    const json nothing = json::object();
    const JsonPlace place =
        has(option.key) ? object_.at(key_of(option))
                        : JsonPlace(nothing, whole.file(), pointer_to(whole.pointer(), key_of(option)));
    const bool is_name = has(option.key) && nested.or_name && place.value().is_string();
    if (has(option.key) && !is_name) {
      object_.note(key_of(option), read_options(place, nested.describe, context_));
      return;
    }
    const FoundKinds kinds = find_kinds(nested.describe);
    const json stand_in =
        kinds.only(is_name ? read_choice(place, names_of(kinds.all), kinds.noun) : kinds.current);
    object_.note(key_of(option),
                 read_options(JsonPlace(stand_in, place.file(), place.pointer()), nested.describe, context_));
  }

  ObjectReader& object_;
  const OptionContext& context_;
};

/// The object in a file from which another object takes keys.
json included_object(const std::filesystem::path& file, const Inclusion& inclusion) {
  const json document = parse_json(read_text_file(file), file.string());
  std::vector<std::string> keys = inclusion.others;
  keys.push_back(inclusion.member);
  const ObjectReader object(JsonPlace(document, file.string()), keys);
  const JsonPlace included = object.at(inclusion.member, "an object");
  if (!included.value().is_object()) included.fail("wrong type", "an object");
  if (included.value().contains(inclusion.key))
    throw ScenarioError({file.string(), pointer_to(included.pointer(), inclusion.key),
                         fmt::format("an included {} cannot include another", inclusion.member), "", ""});
  return included.value();
}

/// Whether a pointer refers to a key, or a part of its value, that only the included file gives.
bool is_included(const std::string& pointer, const JsonPlace& place, const json& included) {
  for (const auto& [key, value] : included.items())
    if (!place.value().contains(key) && is_at_or_below(pointer, pointer_to(place.pointer(), key)))
      return true;
  return false;
}

/// Reads an object with the keys of an included file. A key that the object gives itself replaces the
/// included one as a whole.
ordered_json read_with_included(const ObjectReader& object, const Inclusion& inclusion,
                                const Description& describe, const OptionContext& context) {
  const JsonPlace& place = object.place();
  const std::filesystem::path file = input_path(object.at(inclusion.key));
  json whole = included_object(file, inclusion);
  const json included = whole;
  whole.update(place.value());
  whole.erase(inclusion.key);
  const std::filesystem::path folder = std::filesystem::path(object.at(inclusion.key).text()).parent_path();
  OptionContext of_both = context;
  of_both.folder_of = [&](const std::string& pointer) {
    return is_included(pointer, place, included) ? folder : std::filesystem::path();
  };
  try {
    return read_options(JsonPlace(whole, place.file(), place.pointer()), describe, of_both);
  } catch (const ScenarioError& error) {
    ScenarioError::Description description = error.description();
    if (is_included(description.place, place, included)) description.file = file.string();
    throw ScenarioError(description);
  }
}

}  // namespace

ordered_json read_options(const JsonPlace& place, const Description& describe, const OptionContext& context) {
  KeyCollector collector(place);
  describe(collector);
  ObjectReader object(place, collector.keys());
  if (const auto& inclusion = collector.inclusion(); inclusion && object.has(inclusion->key))
    return read_with_included(object, *inclusion, describe, context);
  collector.check_kind();
  OptionReader reader(object, context);
  describe(reader);
  return object.as_read();
}

bool is_uncertain(const json& value) {
  return value.is_object() && value.size() == 2 && value.contains(key_of_value) &&
         value.contains(key_of_error);
}

json without_errors(json document) {
  if (is_uncertain(document)) return document.at(key_of_value);
  if (document.is_structured())
    for (json& inner : document) inner = without_errors(std::move(inner));
  return document;
}

}  // namespace starling
