#include "io/kept/kept_lines.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <stdexcept>
#include <string>
#include <system_error>

#include "io/json/json_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

TEST_CASE("kept results in something that is no file are refused before anything waits for it") {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder.path() / "kept.jsonl";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string name = pipe.string();
  CHECK_THROWS_WITH_AS(KeptLines{pipe}, (name + ": this is a named pipe; expected a file").c_str(),
                       std::runtime_error);
  CHECK_THROWS_AS(KeptLines{folder.path()}, std::runtime_error);
}

TEST_CASE("kept results are found again, the last of each key, whatever lines are damaged") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "kept.jsonl";
  {
    KeptLines lines(file);
    lines.keep("a", 0.1);
    lines.keep("b", json::array({1, nullptr}));
    CHECK(lines.find("a").is_null());  // only what the file had at first
  }
  const std::string whole = read_text_file(file);
  for (const std::string& text : {whole, "[]\n\n{\"key\": 1}\n{\"key\": \"a\", \"fo\n" + whole,
                                  whole + "{\"key\": \"b\", \"found\": 2"}) {
    CAPTURE(text);
    folder.write("kept.jsonl", text);
    {
      KeptLines lines(file);
      CHECK(lines.find("a") == json(0.1));
      CHECK(lines.find("b") == json::array({1, nullptr}));
      CHECK(lines.find("c").is_null());
      lines.keep("b", 3);
    }
    CHECK(KeptLines(file).find("b") == json(3));
  }
}

TEST_CASE("without a file no results are kept, and a file that cannot be written is refused") {
  KeptLines lines(std::nullopt);
  lines.keep("a", 1);
  CHECK(lines.find("a").is_null());
  const ScratchFolder folder;
  CHECK_THROWS_AS(KeptLines(folder.path() / "nowhere" / "kept.jsonl"), std::system_error);
}

}  // namespace
}  // namespace starling
