#include "io/texts/units.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <variant>

#include "io/options/schema.hpp"

namespace starling {

namespace {

double value(std::string_view text, Dimension dimension) {
  const auto parsed = parse_quantity(text, dimension);
  if (const auto* problem = std::get_if<std::string>(&parsed)) FAIL(text << ": " << *problem);
  return std::get<double>(parsed);
}

std::string problem(std::string_view text, Dimension dimension) {
  const auto parsed = parse_quantity(text, dimension);
  return std::holds_alternative<double>(parsed) ? "no problem" : std::get<std::string>(parsed);
}

// All comparisons are exact: a quantity is the double nearest to what is written, as if it were written in
// SI.

TEST_CASE("times have the units ns, us (also with a micro sign or a mu), ms, s, min and h") {
  CHECK(value("250ns", Dimension::time) == 250e-9);
  CHECK(value("5us", Dimension::time) == 5e-6);
  CHECK(value("5\u00b5s", Dimension::time) == 5e-6);
  CHECK(value("5\u03bcs", Dimension::time) == 5e-6);
  CHECK(value("320ms", Dimension::time) == 0.32);
  CHECK(value("1.5s", Dimension::time) == 1.5);
  CHECK(value("2min", Dimension::time) == 120);
  CHECK(value("0.5h", Dimension::time) == 1800);
}

TEST_CASE("sizes count bytes with decimal and binary prefixes") {
  CHECK(value("4B", Dimension::size) == 4);
  CHECK(value("3kB", Dimension::size) == 3e3);
  CHECK(value("3MB", Dimension::size) == 3e6);
  CHECK(value("3GB", Dimension::size) == 3e9);
  CHECK(value("3TB", Dimension::size) == 3e12);
  CHECK(value("64KiB", Dimension::size) == 65536);
  CHECK(value("25MiB", Dimension::size) == 26214400);
  CHECK(value("2GiB", Dimension::size) == 2147483648.0);
  CHECK(value("1TiB", Dimension::size) == 1099511627776.0);
}

TEST_CASE("bandwidths count bits with bps and bytes with Bps") {
  CHECK(value("8bps", Dimension::bandwidth) == 1);
  CHECK(value("25Gbps", Dimension::bandwidth) == 3.125e9);
  CHECK(value("100Mbps", Dimension::bandwidth) == 12.5e6);
  CHECK(value("1Kibps", Dimension::bandwidth) == 128);
  CHECK(value("10GBps", Dimension::bandwidth) == 10e9);
  CHECK(value("1kBps", Dimension::bandwidth) == 1e3);
  CHECK(value("2TBps", Dimension::bandwidth) == 2e12);
  CHECK(value("1MiBps", Dimension::bandwidth) == 1048576);
}

TEST_CASE("numbers may have fractions, exponents and one space before the unit") {
  CHECK(value("0.1GBps", Dimension::bandwidth) == 0.1e9);
  CHECK(value("1e3us", Dimension::time) == 1e-3);
  CHECK(value("2.5E-3s", Dimension::time) == 2.5e-3);
  CHECK(value("10 Gbps", Dimension::bandwidth) == 1.25e9);
  CHECK(value("0s", Dimension::time) == 0);
}

TEST_CASE("text that is no quantity is refused with a reason") {
  CHECK(problem("", Dimension::time) == "does not start with a number");
  CHECK(problem("s", Dimension::time) == "does not start with a number");
  CHECK(problem(" 5s", Dimension::time) == "does not start with a number");
  CHECK(problem("+5s", Dimension::time) == "does not start with a number");
  CHECK(problem(".5s", Dimension::time) == "does not start with a number");
  CHECK(problem("nan s", Dimension::time) == "does not start with a number");
  CHECK(problem("infs", Dimension::time) == "does not start with a number");
  CHECK(problem("-5s", Dimension::time) == "must not be negative");
  CHECK(problem("5", Dimension::time) == "has no unit");
  CHECK(problem("5 ", Dimension::time) == "has no unit");
  CHECK(problem("1e999s", Dimension::time) == "number out of range");
  CHECK(problem("1e-999s", Dimension::time) == "number out of range");
  CHECK(problem("1e308h", Dimension::time) == "number out of range");
  CHECK(problem("0x10B", Dimension::size) == "unknown unit \"x10B\"");
  CHECK(problem("5s5", Dimension::time) == "unknown unit \"s5\" (did you mean \"s\"?)");
  CHECK(problem("5 m", Dimension::time) == "unknown unit \"m\" (did you mean \"ms\"?)");
  CHECK(problem("5 lightyears", Dimension::time) == "unknown unit \"lightyears\"");
  CHECK(problem(std::string(65, '1') + "s", Dimension::time) == "is too long");
  CHECK(problem("5" + std::string(17, 's'), Dimension::time) == "unknown unit");
}

TEST_CASE("a unit of another quantity is named as such") {
  CHECK(problem("5GB", Dimension::bandwidth) == "\"GB\" is a unit of size");
  CHECK(problem("5GBps", Dimension::size) == "\"GBps\" is a unit of bandwidth");
  CHECK(problem("5Gbps", Dimension::time) == "\"Gbps\" is a unit of bandwidth");
  CHECK(problem("5us", Dimension::size) == "\"us\" is a unit of time");
}

TEST_CASE("a unit that is spelled with a slash is the one with p, of bytes or of bits") {
  CHECK(problem("25GB/s", Dimension::bandwidth) == "unknown unit \"GB/s\" (did you mean \"GBps\"?)");
  CHECK(problem("25Gb/s", Dimension::bandwidth) == "unknown unit \"Gb/s\" (did you mean \"Gbps\"?)");
  CHECK(problem("25/s", Dimension::bandwidth).starts_with("unknown unit \"/s\""));
}

TEST_CASE("a unit in the wrong case is corrected") {
  CHECK(problem("10gbps", Dimension::bandwidth) == "unknown unit \"gbps\" (did you mean \"Gbps\"?)");
  CHECK(problem("10kib", Dimension::size) == "unknown unit \"kib\" (did you mean \"KiB\"?)");
  CHECK(problem("10KB", Dimension::size) == "unknown unit \"KB\" (did you mean \"kB\"?)");
  CHECK(problem("10MS", Dimension::time) == "unknown unit \"MS\" (did you mean \"ms\"?)");
}

TEST_CASE("every unit is one of the schema, too, and no other") {
  const auto definitions = quantity_definitions();
  for (const Dimension dimension : {Dimension::time, Dimension::size, Dimension::bandwidth}) {
    const auto& forms = definitions.at(std::string(name_of(dimension))).at("anyOf");
    const std::regex pattern(forms.at(1).at("pattern").get<std::string>());
    for (const Dimension other : {Dimension::time, Dimension::size, Dimension::bandwidth})
      for (const std::string& unit : unit_names(other)) {
        CAPTURE(unit);
        CHECK(std::regex_match("1.5e3 " + unit, pattern) == (other == dimension));
      }
  }
}

}  // namespace

}  // namespace starling
