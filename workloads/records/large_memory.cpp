#include "workloads/records/large_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace starling {
namespace {

[[noreturn]] void fail(std::size_t bytes, int error) {
  throw std::runtime_error(fmt::format(
      "{:.1f} GB of records do not fit in memory, and cannot be kept in {}: {}; set the environment variable "
      "TMPDIR to another folder, or take fewer workers or iterations",
      static_cast<double>(bytes) / 1e9, folder_of_large_memory(), std::system_category().message(error)));
}

/// Opens a file with a unique name, which is removed at once, and allocates its disk space.
int open_nameless_file(std::size_t bytes) {
  std::string name = folder_of_large_memory() + "/starling-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) fail(bytes, errno);
  ::unlink(name.c_str());
  if (const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
    ::close(file);
    fail(bytes, error);
  }
  return file;
}

void* map(std::size_t bytes, int flags, int file) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return data;
}

}  // namespace

std::string folder_of_large_memory() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";
}

LargeMemory::LargeMemory(std::size_t bytes, std::size_t most_in_memory)
    : bytes_(bytes), most_in_memory_(most_in_memory), is_on_disk_(bytes > most_in_memory) {
  if (bytes == 0) return;
  if (!is_on_disk_) {
    data_ = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return;
  }
  const int file = open_nameless_file(bytes);
  try {
    data_ = map(bytes, MAP_SHARED, file);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);  // the mapping keeps it
}

LargeMemory::~LargeMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

LargeMemory& LargeMemory::operator=(LargeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(most_in_memory_, other.most_in_memory_);
  std::swap(touched_, other.touched_);
  std::swap(is_on_disk_, other.is_on_disk_);
  return *this;
}

void LargeMemory::leave_memory() {
  touched_ = 0;
  ::madvise(data_, bytes_, MADV_DONTNEED);  // what was written stays in the file
}

}  // namespace starling
