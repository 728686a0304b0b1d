#include "topologies/layouts/galois_field.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

namespace starling {
namespace {

TEST_CASE("sums and products of a field obey its laws, and 0 and 1 are what they are called") {
  for (const int q : {2, 3, 4, 5, 7, 8, 9, 16, 25, 27}) {
    CAPTURE(q);
    const GaloisField field(q);
    for (int a = 0; a < q; ++a) {
      REQUIRE(field.sum(a, 0) == a);
      REQUIRE(field.product(a, 1) == a);
      REQUIRE(field.product(a, 0) == 0);
      for (int b = 0; b < q; ++b) {
        REQUIRE(field.sum(a, b) == field.sum(b, a));
        REQUIRE(field.product(a, b) == field.product(b, a));
        REQUIRE(field.sum(field.difference(a, b), b) == a);
        if (b != 0) REQUIRE(field.product(field.quotient(a, b), b) == a);
        for (int c = 0; c < q; ++c)
          REQUIRE(field.product(a, field.sum(b, c)) == field.sum(field.product(a, b), field.product(a, c)));
      }
    }
  }
}

TEST_CASE("the powers of a primitive element are all elements but 0") {
  for (const int q : {2, 3, 4, 27, 64, 81, 121, 128, 243, 251, 256}) {
    CAPTURE(q);
    const GaloisField field(q);
    std::set<int> powers;
    for (int exponent = 0; exponent < q - 1; ++exponent) powers.insert(field.power(exponent));
    CHECK(powers.size() == static_cast<std::size_t>(q - 1));
    CHECK(*powers.begin() == 1);
    CHECK(*powers.rbegin() == q - 1);
  }
}

TEST_CASE("only powers of primes have a field") {
  CHECK(prime_of_power(49) == 7);
  CHECK(prime_of_power(2) == 2);
  for (const int q : {-3, 0, 1, 6, 12, 100}) CHECK_FALSE(prime_of_power(q).has_value());
  CHECK_THROWS_WITH_AS(GaloisField(6), "there is no field of 6 elements, as that is not a prime power",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
