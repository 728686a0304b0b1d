#include "base/options/option_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/reject.hpp"

namespace starling {
namespace {

/// Collects the values of an object's options, and checks them. An option counts as given if its member is
/// present.
class OptionCheck final : public OptionVisitor {
 public:
  /// Checks the conditions on keys, which descriptions may state before the keys themselves.
  void finish() const {
    for (const auto& condition : conditions_) condition();
  }

  void together(std::string_view key, std::string_view other) override {
    conditions_.push_back([this, key, other] {
      if (is_given(key) != is_given(other)) reject("{} and {} go together", key, other);
    });
  }
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view) override {
    conditions_.push_back([this, keys] {
      if (count_given(keys) != 1) reject("exactly one of {} must be given", fmt::join(keys, ", "));
    });
  }
  void at_least_one(const std::vector<std::string_view>& keys, std::string_view problem) override {
    conditions_.push_back([this, keys, problem] {
      if (count_given(keys) == 0) reject("{}; give {}", problem, fmt::join(keys, " or "));
    });
  }
  void at_most_one(std::string_view key, std::string_view other) override {
    conditions_.push_back([this, key, other] {
      if (is_given(key) && is_given(other)) reject("{} and {} exclude each other", key, other);
    });
  }
  void require(bool is_met, std::string_view key, const std::string& problem, const std::string& expected,
               const std::string& got) override {
    if (is_met) return;
    const std::string found = got.empty() && is_given(key) ? text_of(given_.find(key)->second) : got;
    reject("{}{}{}{}{}", key, key.empty() ? "" : ": ", problem, found.empty() ? "" : ", got " + found,
           expected.empty() ? "" : ", expected " + expected);
  }
  void check(std::string_view, const std::function<void()>& function) override { function(); }

 protected:
  void on_flag(const Option& option, const Member<bool>& member) override { note(option, member); }
  void on_integer(const Option& option, const Member<std::int64_t>& member, IntegerRange range) override {
    const auto value = note(option, member);
    if (value && !range.contains(*value)) refuse(option.key, *value, range.text());
  }
  void on_integer_or_object(const Option& option, const Member<std::int64_t>& member, IntegerRange range,
                            const Nested& nested) override {
    if (nested.is_present) return on_object(option, nested);
    on_integer(option, member, range);
  }
  void on_number(const Option& option, const Member<double>& member, Range range) override {
    const auto value = note(option, member);
    if (value && !range.contains(*value)) refuse(option.key, *value, range.text());
  }
  void on_quantity(const Option& option, const Member<double>& member, Dimension, Range range) override {
    on_number(option, member, range);
  }
  void on_text(const Option& option, const Member<std::string>& member) override { note(option, member); }
  void on_file(const Option& option, const Member<std::string>& member) override { note(option, member); }
  void on_choice(const Option& option, const Member<std::string>& member, const Choices& choices) override {
    const auto value = note(option, member);
    if (value && std::ranges::find(choices.names, *value) == choices.names.end())
      refuse(option.key, fmt::format("\"{}\"", *value),
             fmt::format("one of {}", fmt::join(choices.names, ", ")));
  }
  void on_integers(const Option& option, std::vector<int>& member, IntegerRange each,
                   const ListSize& size) override {
    if (member.empty() && !option.is_needed) return;
    note(option, &member);
    check_size(option, member.size(), size);
    for (std::size_t i = 0; i < member.size(); ++i)
      if (!each.contains(member[i])) refuse(fmt::format("{}[{}]", option.key, i), member[i], each.text());
    if (!size.unique.empty()) check_unique(option, member, size.unique);
  }
  void on_choice_or_integers(const Option& option, const Member<std::string>& name, const Choices& choices,
                             std::vector<int>& list, IntegerRange each, const ListSize& size) override {
    if (list.empty()) return on_choice(option, name, choices);
    on_integers(option, list, each, size);
  }
  void on_texts(const Option& option, std::vector<std::string>& member, const ListSize& size) override {
    if (member.empty() && !option.is_needed) return;
    note(option, std::monostate());
    check_size(option, member.size(), size);
  }
  void on_rows(const Option& option, NumberRows&, const std::vector<Column>&, std::size_t) override {
    note(option, std::monostate());
  }
  void on_object(const Option& option, const Nested& nested) override {
    if (!nested.is_present) return;
    note(option, std::monostate());
    check_options(option.key, nested.describe);
  }
  void on_list(const Option& option, const NestedList& list) override {
    if (list.size() == 0 && !option.is_needed) return;
    note(option, fmt::format("{} {}", list.size(), list.accepted.noun));
    check_size(option, list.size(), list.accepted);
    for (std::size_t i = 0; i < list.size(); ++i)
      check_options(fmt::format("{}[{}]", option.key, i),
                    [&](OptionVisitor& visitor) { list.describe(i, visitor); });
  }
  void on_kind(const Kinds& kinds) override { check_options(kinds.current(), kinds.describe); }

 private:
  /// The value of an option; std::monostate for an object.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, const std::vector<int>*>;

  static std::string text_of(const Value& value) {
    const auto text = [](const auto& known) {
      using Known = std::decay_t<decltype(known)>;
      if constexpr (std::is_same_v<Known, std::monostate>)
        return std::string();
      else if constexpr (std::is_pointer_v<Known>)
        return fmt::format("[{}]", fmt::join(*known, ", "));
      else
        return fmt::format("{}", known);
    };
    return std::visit(text, value);
  }

  bool is_given(std::string_view key) const { return given_.find(key) != given_.end(); }
  std::ptrdiff_t count_given(const std::vector<std::string_view>& keys) const {
    return std::ranges::count_if(keys, [this](std::string_view key) { return is_given(key); });
  }

  void note(const Option& option, Value value) {
    given_.insert_or_assign(std::string(option.key), std::move(value));
  }
  /// Notes and returns the value of an option; nothing if it is absent, or if its `with` or `without` rules
  /// it out.
  template <typename T>
  std::optional<T> note(const Option& option, const Member<T>& member) {
    const bool counts = (option.with.empty() || is_given(option.with)) &&
                        (option.without.empty() || !is_given(option.without));
    auto value = counts ? member.get() : std::nullopt;
    if (value) note(option, Value(*value));
    return value;
  }

  static void check_size(const Option& option, std::size_t count, const ListSize& size) {
    if (count >= size.least && count <= size.greatest) return;
    const std::string bound = count < size.least ? fmt::format("at least {}", size.least)
                                                 : fmt::format("at most {}", size.greatest);
    reject("{} has {} {}, expected {}", option.key, count, size.noun,
           size.wanted.empty() ? bound : std::string(size.wanted));
  }

  static void check_unique(const Option& option, std::vector<int> values, std::string_view noun) {
    std::ranges::sort(values);
    const auto twice = std::ranges::adjacent_find(values);
    if (twice != values.end())
      reject("{} has {} {} twice, expected each {} once", option.key, noun, *twice, noun);
  }

  template <typename T>
  [[noreturn]] static void refuse(std::string_view key, const T& value, const std::string& accepted) {
    reject("{} is {}; it must be {}", key, value, accepted);
  }

  std::map<std::string, Value, std::less<>> given_;
  std::vector<std::function<void()>> conditions_;
};

}  // namespace

void check_options(std::string_view subject, const Description& describe) {
  rejecting_for(subject, [&] {
    OptionCheck check;
    describe(check);
    check.finish();
  });
}

}  // namespace starling
