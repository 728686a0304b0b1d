#pragma once

#include <optional>
#include <vector>

namespace starling {

/// The finite field of q = pⁿ elements, p prime. Element number 0 … q − 1 is the polynomial whose
/// coefficients are the digits of the number to the base p, so 0 and 1 are the neutral elements. O(q) memory.
class GaloisField {
 public:
  /// O(q · n) for each polynomial tried. @throws std::invalid_argument unless q is a power of a prime.
  explicit GaloisField(int q);

  int size() const { return size_; }
  int sum(int one, int other) const { return combined(one, other, 1); }
  int difference(int one, int other) const { return combined(one, other, characteristic_ - 1); }
  int product(int one, int other) const;
  /// The divisor must not be 0.
  int quotient(int one, int other) const;
  /// ξ^exponent for a fixed primitive element ξ: exponents 0 … q − 2 give all elements but 0. The exponent
  /// must not be negative.
  int power(int exponent) const;

 private:
  int combined(int one, int other, int times) const;
  bool is_primitive(int tail);

  int size_;
  int characteristic_;         // p
  std::vector<int> powers_;    // of ξ
  std::vector<int> exponent_;  // of each element but 0
};

/// The prime p with q = pⁿ; nothing if q is no power of a prime.
std::optional<int> prime_of_power(int q);

}  // namespace starling
