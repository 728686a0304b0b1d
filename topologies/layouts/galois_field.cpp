#include "topologies/layouts/galois_field.hpp"

#include <cstddef>

#include "base/reject.hpp"

namespace starling {
namespace {

int checked_prime(int q) {
  const std::optional<int> prime = prime_of_power(q);
  if (!prime) reject("there is no field of {} elements, as that is not a prime power", q);
  return *prime;
}

}  // namespace

std::optional<int> prime_of_power(int q) {
  if (q < 2) return std::nullopt;
  int prime = 2;
  while (q % prime != 0) ++prime;
  while (q % prime == 0) q /= prime;
  return q == 1 ? std::optional(prime) : std::nullopt;
}

/// ξ is x modulo the first polynomial xⁿ − tail of which x is a primitive element.
GaloisField::GaloisField(int q) : size_(q), characteristic_(checked_prime(q)) {
  int tail = 1;
  while (!is_primitive(tail)) ++tail;
  exponent_.resize(static_cast<std::size_t>(q));
  for (int i = 0; i < q - 1; ++i) exponent_[static_cast<std::size_t>(power(i))] = i;
}

/// Fills powers_ with the powers of x modulo xⁿ − tail. False if they are not all elements but 0.
bool GaloisField::is_primitive(int tail) {
  const int leading = size_ / characteristic_;  // the element xⁿ⁻¹
  powers_.assign(1, 1);
  for (int i = 1; i < size_; ++i) {
    const int last = powers_.back();
    const int shifted = last % leading * characteristic_;
    const int next = combined(shifted, tail, last / leading);
    if (next == 0) return false;
    if (next == 1) return i == size_ - 1;
    powers_.push_back(next);
  }
  return false;
}

int GaloisField::product(int one, int other) const {
  if (one == 0 || other == 0) return 0;
  return power(exponent_[static_cast<std::size_t>(one)] + exponent_[static_cast<std::size_t>(other)]);
}

int GaloisField::quotient(int one, int other) const {
  if (one == 0) return 0;
  return power(exponent_[static_cast<std::size_t>(one)] + size_ - 1 -
               exponent_[static_cast<std::size_t>(other)]);
}

int GaloisField::power(int exponent) const {
  return powers_[static_cast<std::size_t>(exponent % (size_ - 1))];
}

/// one + times · other, digit by digit.
int GaloisField::combined(int one, int other, int times) const {
  int result = 0;
  for (int place = 1; place < size_; place *= characteristic_)
    result += (one / place + times * (other / place)) % characteristic_ * place;
  return result;
}

}  // namespace starling
