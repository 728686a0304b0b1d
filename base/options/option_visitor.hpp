#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options/range.hpp"
#include "base/texts/plain_text.hpp"

namespace starling {

/// The description of an option, apart from its value.
struct Option {
  std::string_view key = "";      // as users write it
  std::string_view meaning = "";  // one line
  /// The default in words, if that is not the value in the struct.
  std::string_view otherwise = "";
  /// Whether the key is required; the value in the struct is then not a default.
  bool is_needed = false;
  /// For a member that may be absent: the word that stands for its absence, such as "auto".
  std::string_view word = "";
  /// The option applies only if this other key is present (`with`), or absent (`without`). If it is given
  /// nevertheless, `clash` is the problem and `instead` what would be right.
  std::string_view with = "";
  std::string_view without = "";
  std::string_view clash = "";
  std::string_view instead = "";
};

/// Access to the value of an option, wherever it is stored; nothing if it is absent.
template <typename T>
struct Member {
  std::function<std::optional<T>()> get;
  std::function<void(std::optional<T>)> set;
  bool may_be_absent = false;
};

/// The texts that are accepted. Those in `unusable` are known, but refused for this option for the given
/// `reason`.
struct Choices {
  std::vector<std::string> names;
  std::vector<std::string> unusable = {};
  std::string reason = "";
  /// What messages call one of them; the key if empty.
  std::string_view noun = "";
};

/// How many elements a list may have, and what messages call them.
struct ListSize {
  std::size_t least = 0;
  std::size_t greatest = std::numeric_limits<std::size_t>::max();
  std::string_view noun = "elements";
  std::string_view problem = "too many";
  /// What would be right, if the same message is used for too few and too many.
  std::string_view wanted = "";
  /// If elements must be distinct, what the message calls one of them.
  std::string_view unique = "";
};

/// A column of a list of rows of numbers.
struct Column {
  std::string_view name;
  Range range;
  bool is_integer = false;
};
using NumberRows = std::vector<std::vector<double>>;

/// One of the kinds that an object may be of.
struct Kind {
  std::string name;
  std::string summary;  // one line
};

class OptionVisitor;
using Description = std::function<void(OptionVisitor&)>;

/// An object with options of its own that is the value of an option.
struct Nested {
  Description describe;
  bool is_present = true;
  bool may_be_absent = false;
  /// Makes the object present with its defaults, or absent.
  std::function<void(bool)> set_present = {};
  /// Whether the name of its kind may be given instead of the object.
  bool or_name = false;
};

/// A list of objects with options of their own.
struct NestedList {
  std::function<std::size_t()> size;
  std::function<void(std::size_t)> resize;
  std::function<void(std::size_t, OptionVisitor&)> describe;  // the element with this number
  ListSize accepted = {};
  /// Whether a single element may be given instead of the list.
  bool or_one = false;
};

/// The kinds that an object may be of, and the current one. With an empty `key`, kinds are told apart by the
/// keys of their options, which must be disjoint.
struct Kinds {
  std::string_view noun;  // what messages call a kind
  std::vector<Kind> all;
  std::function<std::string()> current;
  /// Makes the object one of that kind, with its defaults.
  std::function<void(std::string_view)> become;
  Description describe;                 // the options of the current kind
  std::vector<std::string> later = {};  // kinds that a later version will offer
  std::string_view key = "kind";
  /// With an empty `key`: the problem if no keys of any kind are present, and which keys belong together.
  std::string_view missing = "";
  std::string_view expected = "";
};

/// Receives the description of an options struct: `describe(Options&, OptionVisitor&)`, a function beside
/// every such struct, calls it once for each option. A description is the only source of information about an
/// option; visitors read, check, document and list options from it, and the struct knows none of them.
///
/// The defaults are the values of a default-constructed struct. Members of type std::optional may be absent.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  template <typename T>
  void flag(const Option& option, T& member) {
    on_flag(option, member_of<bool>(member));
  }
  template <typename T>
  void integer(const Option& option, T& member, IntegerRange range = {}) {
    range.greatest = std::min(range.greatest, greatest_of(member));
    on_integer(option, member_of<std::int64_t>(member), range);
  }
  /// An integer, or an object instead; the object is absent if the integer is given.
  template <typename T, typename U>
  void integer_or_object(const Option& option, T& member, IntegerRange range, std::optional<U>& object) {
    on_integer_or_object(option, member_of<std::int64_t>(member), range, nested_of(object));
  }
  template <typename T>
  void number(const Option& option, T& member, Range range = {}) {
    on_number(option, member_of<double>(member), range);
  }
  /// In seconds.
  template <typename T>
  void time(const Option& option, T& member, Range range = default_range(Dimension::time)) {
    on_quantity(option, member_of<double>(member), Dimension::time, range);
  }
  /// In bytes.
  template <typename T>
  void size(const Option& option, T& member, Range range = default_range(Dimension::size)) {
    on_quantity(option, member_of<double>(member), Dimension::size, range);
  }
  /// In bytes per second.
  template <typename T>
  void rate(const Option& option, T& member, Range range = default_range(Dimension::bandwidth)) {
    on_quantity(option, member_of<double>(member), Dimension::bandwidth, range);
  }
  template <typename T>
  void text(const Option& option, T& member) {
    on_text(option, member_of<std::string>(member));
  }
  /// A text that tables show on one line; control characters are refused, as terminals obey them.
  void line(const Option& option, std::string& member) {
    text(option, member);
    require(!has_control_bytes(member), option.key, "has control characters", "a text on one line");
  }
  /// The path of a file that must exist, given relative to the file that names it.
  void file(const Option& option, std::string& member) { on_file(option, member_of<std::string>(member)); }
  void choice(const Option& option, std::string& member, const Choices& choices) {
    on_choice(option, member_of<std::string>(member), choices);
  }
  /// One of the enumerators, by its name.
  template <typename Enum>
  void choice(const Option& option, Enum& member, const std::vector<std::pair<std::string, Enum>>& named);
  /// A seed of random choices; the default is the seed of the whole scenario.
  void seed(const Option& option, std::uint64_t& member) {
    on_seed(&option, member_of<std::int64_t>(member));
  }
  /// A seed without a key of its own, which is the seed of the whole scenario.
  void seed(std::uint64_t& member) { on_seed(nullptr, member_of<std::int64_t>(member)); }
  /// A list of integers; an empty list means absent, unless the option is required.
  void integers(const Option& option, std::vector<int>& member, IntegerRange each,
                const ListSize& size = {}) {
    on_integers(option, member, each, size);
  }
  /// A name, or a list of integers instead; `name` applies if the list is empty.
  void choice_or_integers(const Option& option, std::string& name, const Choices& choices,
                          std::vector<int>& list, IntegerRange each, const ListSize& size) {
    on_choice_or_integers(option, member_of<std::string>(name), choices, list, each, size);
  }
  void texts(const Option& option, std::vector<std::string>& member, const ListSize& size = {}) {
    on_texts(option, member, size);
  }
  /// A list of rows; the first `needed` columns are required in every row, the others optional.
  void rows(const Option& option, NumberRows& member, const std::vector<Column>& columns,
            std::size_t needed) {
    on_rows(option, member, columns, needed);
  }

  template <typename T>
  void object(const Option& option, T& member) {
    on_object(option, {.describe = [&member](OptionVisitor& visitor) { describe(member, visitor); }});
  }
  /// An object, or the name of its kind.
  template <typename T>
  void object_or_name(const Option& option, T& member) {
    on_object(option, {.describe = [&member](OptionVisitor& visitor) { describe(member, visitor); },
                       .or_name = true});
  }
  template <typename T>
  void object(const Option& option, std::optional<T>& member);
  void object(const Option& option, const Nested& nested) { on_object(option, nested); }
  template <typename T>
  void list(const Option& option, std::vector<T>& member, const ListSize& size = {});
  void list(const Option& option, const NestedList& list) { on_list(option, list); }
  /// The kind that an object is of, followed by the options of that kind.
  void kind(const Kinds& kinds) { on_kind(kinds); }

  /// A key that is accepted but has no effect; option.meaning says why.
  void unused(const Option& option) { on_unused(option); }
  /// The path of a JSON file that holds an object under the key `member`. That object supplies the keys that
  /// are not given here; the file may also have the keys `others`.
  void include(const Option& option, std::string_view member, const std::vector<std::string>& others) {
    on_include(option, member, others);
  }

  /// Whether the object being read has this key: for defaults that depend on which keys are given.
  virtual bool gives(std::string_view /*key*/) const { return false; }

  /// Either both keys are given or neither.
  virtual void together(std::string_view /*key*/, std::string_view /*other*/) {}
  /// Exactly one of the keys must be given. `problem` replaces the general message, if it is not empty.
  virtual void exactly_one(const std::vector<std::string_view>& /*keys*/, std::string_view /*problem*/ = "") {
  }
  virtual void at_most_one(std::string_view /*key*/, std::string_view /*other*/) {}
  virtual void at_least_one(const std::vector<std::string_view>& /*keys*/, std::string_view /*problem*/) {}
  /// A condition on the values. The error is reported at `key`, or at the whole object if the key is not
  /// given.
  virtual void require(bool /*is_met*/, std::string_view /*key*/, const std::string& /*problem*/,
                       const std::string& /*expected*/, const std::string& /*got*/ = "") {}
  /// A condition that `function` checks; it throws std::invalid_argument if the condition is not met.
  virtual void check(std::string_view /*key*/, const std::function<void()>& /*function*/) {}
  /// A warning about values that may not be intended but are used all the same: `function` returns its text,
  /// empty if there is none.
  virtual void warning(std::string_view /*key*/, const std::function<std::string()>& /*function*/) {}

 protected:
  /// Each on_… function is called for one option; by default, it calls on_option().
  virtual void on_flag(const Option& option, const Member<bool>&) { on_option(option); }
  virtual void on_integer(const Option& option, const Member<std::int64_t>&, IntegerRange) {
    on_option(option);
  }
  virtual void on_integer_or_object(const Option& option, const Member<std::int64_t>&, IntegerRange,
                                    const Nested&) {
    on_option(option);
  }
  virtual void on_number(const Option& option, const Member<double>&, Range) { on_option(option); }
  virtual void on_quantity(const Option& option, const Member<double>&, Dimension, Range) {
    on_option(option);
  }
  virtual void on_text(const Option& option, const Member<std::string>&) { on_option(option); }
  virtual void on_file(const Option& option, const Member<std::string>&) { on_option(option); }
  virtual void on_choice(const Option& option, const Member<std::string>&, const Choices&) {
    on_option(option);
  }
  /// `option` is null if the seed has no key.
  virtual void on_seed(const Option* option, const Member<std::int64_t>&) {
    if (option != nullptr) on_option(*option);
  }
  virtual void on_integers(const Option& option, std::vector<int>&, IntegerRange, const ListSize&) {
    on_option(option);
  }
  virtual void on_choice_or_integers(const Option& option, const Member<std::string>&, const Choices&,
                                     std::vector<int>&, IntegerRange, const ListSize&) {
    on_option(option);
  }
  virtual void on_texts(const Option& option, std::vector<std::string>&, const ListSize&) {
    on_option(option);
  }
  virtual void on_rows(const Option& option, NumberRows&, const std::vector<Column>&, std::size_t) {
    on_option(option);
  }
  virtual void on_object(const Option& option, const Nested&) { on_option(option); }
  virtual void on_list(const Option& option, const NestedList&) { on_option(option); }
  virtual void on_unused(const Option& option) { on_option(option); }
  virtual void on_include(const Option& option, std::string_view, const std::vector<std::string>&) {
    on_option(option);
  }
  virtual void on_option(const Option&) {}
  virtual void on_kind(const Kinds& kinds) { kinds.describe(*this); }

 private:
  template <typename As, typename T>
  static Member<As> member_of(T& member) {
    return {.get = [&member] { return std::optional(static_cast<As>(member)); },
            .set = [&member](std::optional<As> value) { member = static_cast<T>(value.value()); }};
  }
  template <typename As, typename T>
  static Member<As> member_of(std::optional<T>& member) {
    return {.get = [&member] { return member ? std::optional(static_cast<As>(*member)) : std::nullopt; },
            .set =
                [&member](std::optional<As> value) {
                  member = value ? std::optional(static_cast<T>(*value)) : std::nullopt;
                },
            .may_be_absent = true};
  }
  template <typename T>
  static Nested nested_of(std::optional<T>& member);
  template <typename T>
  static constexpr std::int64_t greatest_of(const T&) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return std::numeric_limits<T>::max() < most ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                                : most;
  }
  template <typename T>
  static constexpr std::int64_t greatest_of(const std::optional<T>&) {
    return greatest_of(T());
  }
};

template <typename Enum>
void OptionVisitor::choice(const Option& option, Enum& member,
                           const std::vector<std::pair<std::string, Enum>>& named) {
  Choices choices;
  for (const auto& [name, value] : named) choices.names.push_back(name);
  const auto name_of_member = [&]() -> std::optional<std::string> {
    const auto found = std::ranges::find(named, member, [](const auto& pair) { return pair.second; });
    return found != named.end() ? found->first
                                : std::string();  // not one of these enumerators: refused as an unknown
                                                  // choice
  };
  const auto set_by_name = [&](const std::optional<std::string>& name) {
    member = std::ranges::find(named, name.value(), [](const auto& pair) { return pair.first; })->second;
  };
  on_choice(option, {.get = name_of_member, .set = set_by_name}, choices);
}

template <typename T>
Nested OptionVisitor::nested_of(std::optional<T>& member) {
  return {.describe = [&member](OptionVisitor& visitor) { describe(*member, visitor); },
          .is_present = member.has_value(),
          .may_be_absent = true,
          .set_present =
              [&member](bool is_present) {
                if (is_present) member.emplace();
                if (!is_present) member.reset();
              }};
}

template <typename T>
void OptionVisitor::object(const Option& option, std::optional<T>& member) {
  on_object(option, nested_of(member));
}

template <typename T>
void OptionVisitor::list(const Option& option, std::vector<T>& member, const ListSize& size) {
  on_list(option,
          {.size = [&member] { return member.size(); },
           .resize = [&member](std::size_t count) { member.resize(count); },
           .describe = [&member](std::size_t i, OptionVisitor& visitor) { describe(member[i], visitor); },
           .accepted = size});
}

}  // namespace starling
