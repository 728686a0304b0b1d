#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/range.hpp"

namespace starling {

/// "time", "size", "bandwidth".
std::string_view name_of(Dimension dimension);

/// The units that parse_quantity() accepts for a dimension, with all prefixes: "ns", "us", …
std::vector<std::string> unit_names(Dimension dimension);

/// Examples of accepted quantities, for error messages: "a time such as "5us", "320ms" or "1.5s"".
std::string_view accepted_form(Dimension dimension);

/// The SI unit of a dimension in words, for plain numbers: "seconds", "bytes", "bytes per second".
std::string_view si_unit(Dimension dimension);

/// Parses a number followed by a unit, with at most one space between them, and returns the value in SI
/// units: "25Gbps" is 3.125e9 (bytes per second), "25MiB" is 26214400, "5us" is 5e-6. If the text is invalid,
/// returns the problem as a string.
///
/// Time takes ns, us (µs, with the micro sign or the letter mu), ms, s, min, h. Size takes B, bandwidth bps
/// (bits per second) and Bps (bytes per second), with the prefixes k M G T (powers of 1000) and Ki Mi Gi Ti
/// (powers of 1024). Units are case-sensitive. Negative quantities and those beyond the range of a double are
/// invalid; zero is valid.
std::variant<double, std::string> parse_quantity(std::string_view text, Dimension dimension);

}  // namespace starling
