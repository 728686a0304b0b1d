#include "base/option_check.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "base/reject.hpp"

namespace starling {
namespace {

class OptionCheck final : public OptionVisitor {
 public:
  explicit OptionCheck(std::string_view subject) : subject_(subject) {}

  void together(std::string_view key, std::string_view other) override {
    if (given_.contains(key) != given_.contains(other))
      reject("{}: {} and {} go together", subject_, key, other);
  }
  void exactly_one(const std::vector<std::string_view>& keys, std::string_view) override {
    if (std::ranges::count_if(keys, [&](std::string_view key) { return given_.contains(key); }) != 1)
      reject("{}: exactly one of {} must be given", subject_, fmt::join(keys, ", "));
  }
  void at_least_one(const std::vector<std::string_view>& keys, std::string_view problem) override {
    if (std::ranges::none_of(keys, [&](std::string_view key) { return given_.contains(key); }))
      reject("{}: {}; give {}", subject_, problem, fmt::join(keys, " or "));
  }
  void at_most_one(std::string_view key, std::string_view other) override {
    if (given_.contains(key) && given_.contains(other))
      reject("{}: {} and {} exclude each other", subject_, key, other);
  }
  void require(bool is_met, std::string_view key, const std::string& problem, const std::string& /*expected*/,
               const std::string& got) override {
    if (is_met) return;
    reject("{}: {}{}{}{}", subject_, key, key.empty() ? "" : " ", problem,
           got.empty() ? "" : fmt::format(", got {}", got));
  }
  void check(std::string_view, const std::function<void()>& function) override { function(); }

 protected:
  void on_flag(const Option& option, const Member<bool>& member) override { note(option, member); }
  void on_integer(const Option& option, const Member<std::int64_t>& member, IntegerRange range) override {
    const auto value = note(option, member);
    if (value) check_integer(option.key, *value, range);
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
    given_.insert(std::string(option.key));
    check_size(option, member.size(), size);
    for (const int value : member) check_integer(option.key, value, each);
  }
  void on_choice_or_integers(const Option& option, const Member<std::string>& name, const Choices& choices,
                             std::vector<int>& list, IntegerRange each, const ListSize& size) override {
    if (list.empty()) return on_choice(option, name, choices);
    on_integers(option, list, each, size);
  }
  void on_texts(const Option& option, std::vector<std::string>& member, const ListSize& size) override {
    if (member.empty() && !option.is_needed) return;
    given_.insert(std::string(option.key));
    check_size(option, member.size(), size);
  }
  void on_rows(const Option& option, NumberRows&, const std::vector<Column>&, std::size_t) override {
    given_.insert(std::string(option.key));
  }
  void on_object(const Option& option, const Nested& nested) override {
    if (!nested.is_present) return;
    given_.insert(std::string(option.key));
    check_options(subject_, nested.describe);
  }
  void on_list(const Option& option, const NestedList& list) override {
    if (list.size() == 0 && !option.is_needed) return;
    given_.insert(std::string(option.key));
    check_size(option, list.size(), list.accepted);
    for (std::size_t i = 0; i < list.size(); ++i)
      check_options(subject_, [&](OptionVisitor& visitor) { list.describe(i, visitor); });
  }

 private:
  template <typename T>
  std::optional<T> note(const Option& option, const Member<T>& member) {
    auto value = member.get();
    if (value) given_.insert(std::string(option.key));
    return value;
  }

  void check_size(const Option& option, std::size_t count, const ListSize& size) const {
    if (count < size.least || count > size.greatest)
      reject("{}: {} has {} {}", subject_, option.key, count, size.noun);
  }

  void check_integer(std::string_view key, std::int64_t value, IntegerRange range) const {
    if (value < range.least || value > range.greatest) refuse(key, value, range.text());
  }

  template <typename T>
  [[noreturn]] void refuse(std::string_view key, const T& value, const std::string& accepted) const {
    reject("{}: {} is {}; it must be {}", subject_, key, value, accepted);
  }

  std::string_view subject_;
  std::set<std::string, std::less<>> given_;
};

}  // namespace

void check_options(std::string_view subject, const Description& describe) {
  OptionCheck check(subject);
  describe(check);
}

}  // namespace starling
