#include "sim/buffer.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "base/errors.hpp"

namespace starling {
namespace {

TEST_CASE("a sized buffer has a size and no data") {
  const Buffer buffer = Buffer::sized(10, 2);
  CHECK(buffer.count() == 10);
  CHECK(buffer.bytes() == 20);
  CHECK_FALSE(buffer.is_real());
  CHECK(buffer.data().empty());
  CHECK(buffer.slice(3, 4).bytes() == 8);
}

TEST_CASE("a real buffer may stand for a larger message than its data") {
  std::vector<float> data = {1, 2, 3, 4};
  const Buffer buffer = Buffer::real(data, 1000);
  CHECK(buffer.bytes() == 4000);
  const Buffer middle = buffer.slice(1, 2);
  CHECK(middle.bytes() == 2000);
  CHECK(middle.data()[1] == 3);
  middle.data()[0] = 20;
  CHECK(data[1] == 20);
}

TEST_CASE("a slice must lie inside its buffer") {
  const Buffer buffer = Buffer::sized(10);
  CHECK(buffer.slice(10, 0).count() == 0);
  CHECK_THROWS_AS(buffer.slice(8, 3), InvariantError);
  CHECK_THROWS_AS(buffer.slice(-1, 3), InvariantError);
  CHECK_THROWS_AS(buffer.slice(0, -1), InvariantError);
}

TEST_CASE("an owned buffer is real or sized like the buffer that it is made to resemble") {
  std::vector<float> data = {1, 2, 3};
  const OwnedBuffer real(Buffer::real(data, 8), 2);
  CHECK(real.view().is_real());
  CHECK(real.view().bytes() == 16);
  CHECK(real.view().data()[1] == 0);
  const OwnedBuffer inbox(Buffer::real(data, 8), 2, OwnedBuffer::Contents::anything);
  CHECK(inbox.view().bytes() == 16);
  CHECK_FALSE(OwnedBuffer(Buffer::real(data, 8), 0).view().is_real());
  const OwnedBuffer sized(Buffer::sized(3, 8), 2);
  CHECK_FALSE(sized.view().is_real());
  CHECK(sized.view().bytes() == 16);
}

}  // namespace
}  // namespace starling
