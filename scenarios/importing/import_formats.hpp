#pragma once

#include <span>
#include <string_view>

#include "scenarios/importing/imported.hpp"

namespace starling {

/// A file format that `starling import` reads; `batch_size` is used by workloads only.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  Imported (*read)(const ForeignFile& file, int batch_size);
};

std::span<const ImportFormat> import_formats();

}  // namespace starling
