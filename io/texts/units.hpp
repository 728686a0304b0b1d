#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/range.hpp"

namespace starling {

/// "time", "size", "bandwidth".
std::string_view name_of(Dimension dimension);

/// What parse_quantity() takes, prefixes included: "ns", "us", …
std::vector<std::string> unit_names(Dimension dimension);

/// What is accepted for a dimension: "a time such as "5us" or "1.5s"".
std::string_view accepted_form(Dimension dimension);

/// The SI unit of a dimension in words, for plain numbers: "seconds", "bytes", "bytes per second".
std::string_view si_unit(Dimension dimension);

/// The value in SI units of a number followed by a unit, one space between them at most: "25Gbps" is 3.125e9
/// (bytes per second), "25MiB" 26214400, "5us" 5e-6.
///
/// Time takes ns, us (µs, with the micro sign or the letter mu), ms, s, min, h. Size takes B, bandwidth bps
/// (bits per second) and Bps (bytes per second), with the prefixes k M G T (powers of 1000) and Ki Mi Gi Ti
/// (powers of 1024). Upper and lower case differ. Negative quantities and those beyond a double are a
/// problem; zero is not.
std::variant<double, std::string> parse_quantity(std::string_view text, Dimension dimension);

}  // namespace starling
