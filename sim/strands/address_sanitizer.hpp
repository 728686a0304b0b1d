#pragma once

/// Defines STARLING_ADDRESS_SANITIZER, and sets has_address_sanitizer, if the compiler instruments the code
/// with AddressSanitizer, which GCC and Clang announce in different ways. AddressSanitizer must be notified
/// of every switch of stacks, and makes everything several times slower.
#if defined(__SANITIZE_ADDRESS__)
#define STARLING_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STARLING_ADDRESS_SANITIZER
#endif
#endif

namespace starling {

#ifdef STARLING_ADDRESS_SANITIZER
constexpr bool has_address_sanitizer = true;
#else
constexpr bool has_address_sanitizer = false;
#endif

}  // namespace starling
