#include "analysis/results/files/file_name.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

TEST_CASE("A file name from any text has at most 200 safe characters and leads to no other folder") {
  CHECK(file_name_of("x/../../../../ESCAPED") == "x_.._.._.._.._ESCAPED");
  CHECK(file_name_of("resnet50-10.5_Gb") == "resnet50-10.5_Gb");
  CHECK(file_name_of("\x1b[31m\n") == "__31m_");
  CHECK(file_name_of(std::string(300, 'a')).size() == 200);
}

}  // namespace
}  // namespace starling
