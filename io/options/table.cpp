#include "io/options/table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "io/options/found_kinds.hpp"

namespace starling {
namespace {

struct Row {
  std::string key;
  std::string text;  // the other columns

  friend bool operator==(const Row&, const Row&) = default;
};

struct Unit {
  double size;
  std::string_view name;
};

constexpr std::array time_units = {Unit{60, "min"}, Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
constexpr std::array size_units = {Unit{0x1p30, "GiB"}, Unit{0x1p20, "MiB"}, Unit{0x1p10, "KiB"},
                                   Unit{1e9, "GB"},     Unit{1e6, "MB"},     Unit{1e3, "kB"}};

/// A quantity in the unit that makes it the smallest whole number; in SI units if no unit makes it whole.
std::string quantity_text(double value, Dimension dimension) {
  const auto in_units = [&](const auto& units) -> std::string {
    std::string text;
    double least = std::numeric_limits<double>::infinity();
    for (const Unit& unit : units) {
      const double count = std::round(value / unit.size);
      if (count < 1 || count >= least || std::abs(count * unit.size - value) > 1e-12 * value) continue;
      least = count;
      text = fmt::format("{} {}", count, unit.name);
    }
    return text;
  };
  const std::string text = dimension == Dimension::time   ? in_units(time_units)
                           : dimension == Dimension::size ? in_units(size_units)
                                                          : "";
  if (!text.empty() || value == 0) return text.empty() ? "0" : text;
  constexpr std::array si_units = {"s", "B", "B/s"};
  return fmt::format("{:g} {}", value, si_units[static_cast<std::size_t>(dimension)]);
}

/// The bounds in which a range differs from the default one.
std::string bound_text(const Range& range, Dimension dimension) {
  const Range by_default = default_range(dimension);
  if (range == by_default) return "";
  const std::string least = quantity_text(range.least, dimension);
  if (range.greatest == by_default.greatest) return fmt::format(", at least {}", least);
  return fmt::format(", from {} to {}", least, quantity_text(range.greatest, dimension));
}

std::string range_text(const Range& range) { return range == Range() ? "" : ", " + range.text(); }

std::string integer_text(IntegerRange range) {
  if (range.greatest < IntegerRange().greatest)
    return fmt::format("integer, {} … {}", range.least, range.greatest);
  return fmt::format("integer, at least {}", range.least);
}

std::string_view noun_of(Dimension dimension) {
  if (dimension == Dimension::time) return "time";
  return dimension == Dimension::size ? "size" : "rate";
}

/// Collects a row for every option of an object, of the given kind if it has kinds.
class RowWriter final : public OptionVisitor {
 public:
  explicit RowWriter(const Kind* kind) : kind_(kind) {}

  std::vector<Row> rows;

 protected:
  void on_flag(const Option& option, const Member<bool>& member) override {
    const auto value = member.get();
    add(option, "true, false", value ? (*value ? "true" : "false") : "");
  }
  void on_integer(const Option& option, const Member<std::int64_t>& member, IntegerRange range) override {
    const auto value = member.get();
    add(option, integer_text(range), value ? fmt::format("{}", *value) : "");
  }
  void on_integer_or_object(const Option& option, const Member<std::int64_t>& member, IntegerRange range,
                            const Nested&) override {
    add(option, integer_text(range) + ", or object, see below", fmt::format("{}", *member.get()));
  }
  void on_number(const Option& option, const Member<double>& member, Range range) override {
    const auto value = member.get();
    add(option, "number" + range_text(range), value ? fmt::format("{:g}", *value) : "");
  }
  void on_quantity(const Option& option, const Member<double>& member, Dimension dimension,
                   Range range) override {
    const auto value = member.get();
    add(option, std::string(noun_of(dimension)) + bound_text(range, dimension),
        value ? quantity_text(*value, dimension) : "");
  }
  void on_text(const Option& option, const Member<std::string>& member) override {
    add(option, "text", member.get().value_or(""));
  }
  void on_file(const Option& option, const Member<std::string>&) override { add(option, "file", ""); }
  void on_choice(const Option& option, const Member<std::string>& member, const Choices& choices) override {
    add(option, fmt::format("`\"{}\"`", fmt::join(choices.names, "\"`, `\"")),
        fmt::format("`\"{}\"`", member.get().value_or("")));
  }
  void on_seed(const Option* option, const Member<std::int64_t>&) override {
    if (option != nullptr) add(*option, integer_text({}), "");
  }
  void on_integers(const Option& option, std::vector<int>&, IntegerRange, const ListSize& size) override {
    add(option,
        size.least == size.greatest ? fmt::format("list of {} integers", size.least) : "list of integers",
        "");
  }
  void on_choice_or_integers(const Option& option, const Member<std::string>& name, const Choices& choices,
                             std::vector<int>&, IntegerRange, const ListSize&) override {
    add(option, fmt::format("`\"{}\"`, or list of integers", fmt::join(choices.names, "\"`, `\"")),
        fmt::format("`\"{}\"`", name.get().value_or("")));
  }
  void on_texts(const Option& option, std::vector<std::string>&, const ListSize& size) override {
    add(option, size.least == size.greatest ? fmt::format("list of {} texts", size.least) : "list of texts",
        "");
  }
  void on_rows(const Option& option, NumberRows&, const std::vector<Column>& columns,
               std::size_t needed) override {
    std::string row;
    for (std::size_t i = 0; i < columns.size(); ++i)
      row +=
          fmt::format("{}{}{}", i == 0 ? "" : ", ", columns[i].name, i < needed ? "" : " (may be left out)");
    add(option, fmt::format("list of [{}]", row), "");
  }
  void on_object(const Option& option, const Nested& nested) override {
    const std::string current = nested.may_be_absent ? "" : find_kinds(nested.describe).current;
    const std::string by_default = current.empty() ? "" : fmt::format("`\"{}\"`", current);
    add(option, nested.or_name ? "name, or object, see below" : "object, see below", by_default);
  }
  void on_list(const Option& option, const NestedList& list) override {
    add(option, list.or_one ? "object or list of objects, see below" : "list of objects", "");
  }
  void on_include(const Option& option, std::string_view, const std::vector<std::string>&) override {
    add(option, "file", "");
  }
  void on_kind(const Kinds& kinds) override {
    if (kind_ != nullptr) kinds.become(kind_->name);
    kinds.describe(*this);
  }
  void on_unused(const Option&) override {}

 private:
  void add(const Option& option, std::string value, const std::string& by_default) {
    if (!option.word.empty()) value += fmt::format(", or `\"{}\"`", option.word);
    std::string otherwise = option.is_needed ? "" : by_default;
    if (otherwise.empty() && !option.word.empty()) otherwise = fmt::format("`\"{}\"`", option.word);
    if (!option.otherwise.empty()) otherwise = option.otherwise;
    rows.push_back({std::string(option.key), fmt::format("{} | {} | {}", value, otherwise, option.meaning)});
  }

  const Kind* kind_;
};

std::vector<Row> rows_of(const Description& describe, const Kind* kind) {
  RowWriter writer(kind);
  describe(writer);
  return writer.rows;
}

/// Removes the rows that all kinds have in common, and returns them.
std::vector<Row> take_common(std::vector<std::vector<Row>>& rows_by_kind) {
  std::vector<Row> common;
  for (const Row& row : rows_by_kind.front()) {
    const bool have_all = std::ranges::all_of(rows_by_kind, [&](const std::vector<Row>& rows) {
      return std::ranges::find(rows, row) != rows.end();
    });
    if (have_all) common.push_back(row);
  }
  for (std::vector<Row>& rows : rows_by_kind)
    for (const Row& row : common) std::erase(rows, row);
  return common;
}

}  // namespace

std::string option_table(const Description& describe) {
  const FoundKinds found = find_kinds(describe);
  std::string table;
  if (found.all.empty()) {
    table = "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Row& row : rows_of(describe, nullptr))
      table += fmt::format("| `{}` | {} |\n", row.key, row.text);
    return table;
  }
  std::vector<std::vector<Row>> rows_by_kind;
  for (const Kind& kind : found.all) rows_by_kind.push_back(rows_of(describe, &kind));
  const std::string_view first = found.key.empty() ? "form" : std::string_view(found.key);
  table = fmt::format("| {} | key | value | default | meaning |\n|---|---|---|---|---|\n", first);
  for (const Row& row : take_common(rows_by_kind))
    table += fmt::format("| all | `{}` | {} |\n", row.key, row.text);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    table += fmt::format("| `{}` | | | | {} |\n", found.all[i].name, found.all[i].summary);
    for (const Row& row : rows_by_kind[i]) table += fmt::format("| | `{}` | {} |\n", row.key, row.text);
  }
  return table;
}

}  // namespace starling
