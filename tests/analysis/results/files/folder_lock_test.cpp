#include "analysis/results/files/folder_lock.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "io/scenario_error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("A folder can be locked once at a time, and again when the lock is gone") {
  const ScratchFolder folder;
  std::optional<FolderLock> lock(folder.path());
  CHECK_THROWS_WITH_AS(FolderLock{folder.path()},
                       ("--out: another run is writing to this folder, got " + folder.path().string() +
                        ", expected another folder, or this one after that run has ended")
                           .c_str(),
                       ScenarioError);
  lock.reset();
  CHECK_NOTHROW(FolderLock{folder.path()});
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace starling
