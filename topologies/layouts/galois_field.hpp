#pragma once

#include <optional>
#include <vector>

namespace starling {

/// The field of q = pⁿ elements, numbered 0 … q − 1: the digits of a number to the base p are the
/// coefficients of a polynomial. 0 and 1 are what they are called. Of q it keeps O(q) numbers.
class GaloisField {
 public:
  /// @throws std::invalid_argument unless q is a power of a prime.
  explicit GaloisField(int q);

  int size() const { return size_; }
  int sum(int one, int other) const { return combined(one, other, 1); }
  int difference(int one, int other) const { return combined(one, other, characteristic_ - 1); }
  int product(int one, int other) const;
  /// The divisor must not be 0.
  int quotient(int one, int other) const;
  /// ξ^exponent of a primitive element ξ: all elements but 0, for the exponents 0 … q − 2. Not negative.
  int power(int exponent) const;

 private:
  int combined(int one, int other, int times) const;
  bool is_primitive(int tail);

  int size_;
  int characteristic_;         // p
  std::vector<int> powers_;    // of ξ
  std::vector<int> exponent_;  // of each element but 0
};

/// p where q = pⁿ for a prime p; nothing if q is no such power.
std::optional<int> prime_of_power(int q);

}  // namespace starling
