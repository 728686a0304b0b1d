#include "io/progress_line.hpp"

#include <doctest/doctest.h>

#include <cstdio>

#include "temporary_folder.hpp"

namespace starling {
namespace {

TEST_CASE("Progress is told in percent, with the time left if all steps take alike") {
  CHECK(progress_text(0, 100, 3) == "started");
  CHECK(progress_text(25, 100, 10) == "25 %, about 30 s left");
  CHECK(progress_text(1, 4, 65) == "25 %, about 3 min 15 s left");
  CHECK(progress_text(1, 100, 100) == "1 %, about 2 h 45 min left");
  CHECK(progress_text(100, 100, 10) == "100 %, about 0 s left");
}

TEST_CASE("Percent are rounded down, so that 100 % means the end") {
  CHECK(progress_text(1023, 1024, 1023) == "99 %, about 1 s left");
}

TEST_CASE("More steps than expected stay at 100 %") {
  CHECK(progress_text(7, 5, 10) == "100 %, about 0 s left");
}

TEST_CASE("A progress line that is not shown writes nothing") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "stderr";
  std::FILE* const stream = std::fopen(path.c_str(), "w");
  {
    ProgressLine line(stream, false);
    line.expect(2);
    line.begin("ddp");
    line.advance();
    line.advance();
    line.clear();
  }
  std::fclose(stream);
  CHECK(contents_of(path).empty());
}

}  // namespace
}  // namespace starling
