#include "io/version.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace starling {
namespace {

/// Finds the build ID in a section of ELF notes; each consists of a header, a name and a description, padded
/// to words of 4 bytes.
std::string build_id_in(std::span<const std::byte> notes) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t begin = sizeof note + padded(note.n_namesz);
    const std::size_t end = begin + note.n_descsz;
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(&notes[sizeof note], ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      std::string id;
      for (const std::byte byte : notes.subspan(begin, note.n_descsz))
        id += fmt::format("{:02x}", static_cast<unsigned>(byte));
      return id;
    }
    notes = notes.subspan(std::min(begin + padded(note.n_descsz), notes.size()));
  }
  return "";
}

/// Looks at the first loaded object, which is the program, and stops.
int find_build_id(dl_phdr_info* object, std::size_t, void* found) {
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum))
    if (auto& id = *static_cast<std::string*>(found); segment.p_type == PT_NOTE && id.empty())
      id = build_id_in({reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr),
                        static_cast<std::size_t>(segment.p_memsz)});
  return 1;
}

}  // namespace

std::string_view version() { return STARLING_VERSION; }

const std::string& build() {
  static const std::string build = [] {
    std::string id;
    dl_iterate_phdr(find_build_id, &id);
    return id.empty() ? std::string(version()) : fmt::format("{} {}", version(), id);
  }();
  return build;
}

}  // namespace starling
