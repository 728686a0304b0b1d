#include "io/texts/text_table.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

TEST_CASE("Times have four digits and a fitting unit") {
  CHECK(time_text(0) == "0 s");
  CHECK(time_text(1) == "1.000 s");
  CHECK(time_text(0.6153) == "615.3 ms");
  CHECK(time_text(12345.6) == "12346 s");
  CHECK(time_text(0.0000032) == "3.200 us");
  CHECK(time_text(2e-10) == "0.2000 ns");
  CHECK(time_text(3e-11) == "0 s");
}

TEST_CASE("A time that rounds up to the next unit is shown in it") {
  CHECK(time_text(0.99994) == "999.9 ms");
  CHECK(time_text(0.99996) == "1.000 s");
}

TEST_CASE("The error of a time is in its unit, with two digits, and left out where rounding shows more") {
  CHECK(time_text(0.105, 0.00063) == "105.0 ± 0.63 ms");
  CHECK(time_text(0.105, 0.003) == "105.0 ± 3.0 ms");
  CHECK(time_text(1.25, 0.0004) == "1.250 ± 0.00040 s");
  CHECK(time_text(2e-6, 1.5e-6) == "2.000 ± 1.5 us");
  CHECK(time_text(0.999, 0.25) == "999.0 ± 250 ms");
  CHECK(time_text(0.105, 1e-7) == "105.0 ms");
  CHECK(time_text(0.105, 0) == "105.0 ms");
  for (const double error_s : {0.0, 1e-7, 1e-5, 0.003})
    CHECK(is_error_shown(0.105, error_s) == (time_text(0.105, error_s).find("±") != std::string::npos));
}

TEST_CASE("Bytes have four digits and a fitting unit") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(12) == "12.00 B");
  CHECK(bytes_text(102228128) == "102.2 MB");
  CHECK(bytes_text(2.5e12) == "2.500 TB");
}

TEST_CASE("Thousands are separated, and a sign is not") {
  CHECK(count_text(123) == "123");
  CHECK(count_text(1234567) == "1,234,567");
  CHECK(count_text(-203) == "-203");
  CHECK(count_text(-1203) == "-1,203");
}

TEST_CASE("throughputs below 1 a second are not 0, and large ones are whole") {
  CHECK(throughput_text(0.04167) == "0.04167");
  CHECK(throughput_text(13.808) == "13.81");
  CHECK(throughput_text(99624.3) == "99,624");
  CHECK(throughput_text(2e15) == "2e+15");
}

TEST_CASE("A range whose ends have the same text is shown as one of them") {
  CHECK(least_to_greatest("2", "8") == "2 to 8");
  CHECK(least_to_greatest(time_text(0.30001), time_text(0.30002)) == "300.0 ms");
}

}  // namespace
}  // namespace starling
