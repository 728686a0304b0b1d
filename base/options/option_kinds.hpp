#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

namespace detail {

template <typename Variant, std::size_t... indices>
std::vector<Kind> kinds_of(std::index_sequence<indices...>) {
  return {Kind{std::string(std::variant_alternative_t<indices, Variant>::name),
               std::string(std::variant_alternative_t<indices, Variant>::summary)}...};
}

template <typename Variant, std::size_t... indices>
std::optional<Variant> of_kind(std::string_view name, std::index_sequence<indices...>) {
  std::optional<Variant> found;
  ((name == std::variant_alternative_t<indices, Variant>::name
        ? static_cast<void>(found = std::variant_alternative_t<indices, Variant>())
        : static_cast<void>(0)),
   ...);
  return found;
}

}  // namespace detail

/// The name and the summary of every alternative of a variant, in order.
template <typename Variant>
std::vector<Kind> kinds_of() {
  return detail::kinds_of<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>());
}

/// The alternative of that name, with its defaults; nothing if there is none.
template <typename Variant>
std::optional<Variant> of_kind(std::string_view name) {
  return detail::of_kind<Variant>(name, std::make_index_sequence<std::variant_size_v<Variant>>());
}

/// The kinds of a variant whose alternatives have a `name` and a `summary`, and a `describe` function if they
/// have options. `noun` is what messages call a kind.
template <typename Variant>
Kinds kinds_of(Variant& variant, std::string_view noun) {
  return {.noun = noun,
          .all = kinds_of<Variant>(),
          .current =
              [&variant] {
                return std::visit([](const auto& chosen) { return std::string(chosen.name); }, variant);
              },
          .become = [&variant](std::string_view name) { variant = *of_kind<Variant>(name); },
          .describe =
              [&variant](OptionVisitor& visitor) {
                const auto describe_chosen = [&](auto& chosen) {
                  if constexpr (requires { describe(chosen, visitor); }) describe(chosen, visitor);
                };
                std::visit(describe_chosen, variant);
              }};
}

}  // namespace starling
