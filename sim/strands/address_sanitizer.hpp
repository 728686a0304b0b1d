#pragma once

/// STARLING_ADDRESS_SANITIZER is defined, and has_address_sanitizer true, where the compiler adds
/// AddressSanitizer, which GCC and Clang tell in their own ways. It must be told when stacks are switched,
/// and makes everything several times slower.
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
