#pragma once

/// STARLING_ADDRESS_SANITIZER is defined where the compiler adds AddressSanitizer, which GCC and Clang tell in their own
/// ways. It must be told when stacks are switched, and makes everything several times slower.
#if defined(__SANITIZE_ADDRESS__)
#define STARLING_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STARLING_ADDRESS_SANITIZER
#endif
#endif
