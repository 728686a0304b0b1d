#include "io/json/json_text.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

std::string parse_error(std::string_view text) {
  return error_of("", [&] { (void)parse_json(text, "s.json"); });
}

TEST_CASE("a syntax error names line and column") {
  CHECK(parse_error("{\n  \"a\": 1,\n}") ==
        "s.json: line 3, column 1: syntax error, got '}', expected string literal");
  CHECK(parse_error("{\"a\": nul}") == "s.json: line 1, column 10: syntax error: invalid literal");
  CHECK(parse_error("{a: 1}") ==
        "s.json: line 1, column 2: syntax error: invalid literal, expected string literal");
  CHECK(parse_error("{\"a\" 1}") ==
        "s.json: line 1, column 6: syntax error, got number literal, expected ':'");
  CHECK(parse_error("{\"a\": 01}") ==
        "s.json: line 1, column 8: syntax error, got number literal, expected '}'");
  CHECK(parse_error("{} {}") == "s.json: line 1, column 4: syntax error, got '{', expected end of input");
  CHECK(parse_error("// no comments\n{}") == "s.json: line 1, column 1: syntax error: invalid literal");
  CHECK(parse_error("{\"a\": '1'}") == "s.json: line 1, column 7: syntax error: invalid literal");
}

TEST_CASE("JSON text that ends too early is an error that says so") {
  CHECK(parse_error("{\"a\": 1") == "s.json: line 1, column 8: syntax error, got end of input, expected '}'");
  CHECK(parse_error("{\"a\": [1,") ==
        "s.json: line 1, column 10: syntax error, got end of input, expected '[', '{', or a literal");
  CHECK(parse_error("{\"a\": \"b") ==
        "s.json: line 1, column 9: syntax error: invalid string: missing closing quote");
}

TEST_CASE("a text without anything but blanks is an error of its own") {
  CHECK(parse_error("") == "s.json: is empty, expected a JSON object");
  CHECK(parse_error(" \n\t\r\n") == "s.json: is empty, expected a JSON object");
}

TEST_CASE("numbers that JSON does not have are errors") {
  CHECK(parse_error("{\"a\": NaN}") == "s.json: line 1, column 7: syntax error: invalid literal");
  CHECK(parse_error("{\"a\": Infinity}") == "s.json: line 1, column 7: syntax error: invalid literal");
  CHECK(parse_error("{\"a\": -Infinity}") ==
        "s.json: line 1, column 8: syntax error: invalid number, expected digit after '-'");
  CHECK(parse_error("{\"a\": 0x10}") ==
        "s.json: line 1, column 8: syntax error: invalid literal, expected '}'");
}

TEST_CASE("a number beyond a double is out of range") {
  CHECK(parse_error("{\n\"a\": 1e999}") ==
        "s.json: line 2, column 6: number out of range, got 1e999, expected a number within ±1.8e308");
  CHECK(parse_error("[-1e309]") ==
        "s.json: line 1, column 2: number out of range, got -1e309, expected a number within ±1.8e308");
}

TEST_CASE("a number out of range is told from the same text in a string, and in another number") {
  const auto column = [](std::string_view text) {
    const std::string error = parse_error(text);
    return error.substr(0, error.find(": number"));
  };
  CHECK(column(R"({"name": "1e999", "seed": 1e999})") == "s.json: line 1, column 27");
  CHECK(column(R"(["\"1e999", 1e999])") == "s.json: line 1, column 13");
  CHECK(column("[0.1e99, 1e999]") == "s.json: line 1, column 10");
  CHECK(column("[-0.01e309, -1e309, 1e309]") == "s.json: line 1, column 13");
}

TEST_CASE("a key that appears twice is an error at its place") {
  CHECK(parse_error("{\"a\": 1, \"a\": 2}") == "s.json: /a: this key appears twice, expected each key once");
  CHECK(parse_error("{\"a\": [0, {\"b\": 1, \"b\": {}}]}") ==
        "s.json: /a/1/b: this key appears twice, expected each key once");
  CHECK(parse_error("{\"a\": {\"b\": 1}, \"c\": {\"b\": 1}, \"d\": [{\"b\": 1}, {\"b\": 1}]}") == "no error");
}

TEST_CASE("nesting beyond a hundred levels is an error, however deep") {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  CHECK(parse_error(nested(100)) == "no error");
  CHECK(parse_error(nested(101)) ==
        "s.json: line 1, column 101: nested too deeply, expected at most 100 levels");
  CHECK(parse_error(std::string(10'000'000, '[')) ==
        "s.json: line 1, column 101: nested too deeply, expected at most 100 levels");
  CHECK(parse_error("[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]") == "no error");
}

TEST_CASE("text that is not UTF-8 is an error") {
  CHECK(parse_error("{\"a\": \"\xff\"}") ==
        "s.json: line 1, column 8: syntax error: invalid string: ill-formed UTF-8 byte");
  CHECK(parse_error("\xff{}") == "s.json: line 1, column 1: syntax error: invalid literal");
  CHECK(parse_error(std::string_view("{\"a\": \"\0\"}", 10)) ==
        "s.json: line 1, column 8: syntax error: invalid string: control character U+0000 (NUL) must be "
        "escaped to \\u0000");
}

TEST_CASE("UTF-16 text is recognized, with and without a byte order mark") {
  for (const std::string_view text : {std::string_view("\xff\xfe{\0}\0", 6), std::string_view("{\0}\0", 4),
                                      std::string_view("\xfe\xff\0{\0}", 6), std::string_view("\0{\0}", 4)})
    CHECK(parse_error(text) == "s.json: is UTF-16, expected UTF-8");
}

TEST_CASE("a zero byte after the document is an error, whatever follows it") {
  CHECK(parse_error(std::string_view("{}\n\0{\"a\": 1}", 12)) ==
        "s.json: line 2, column 1: unexpected zero byte, expected the end of the file");
  CHECK(parse_error(std::string_view("{}\0", 3)) ==
        "s.json: line 1, column 3: unexpected zero byte, expected the end of the file");
}

TEST_CASE("a byte order mark and characters of any script are accepted") {
  CHECK(parse_json("\xef\xbb\xbf{\"é\": \"字\"}", "s.json").at("é") == "字");
}

TEST_CASE("a pointer escapes what pointers and terminals would misread") {
  CHECK(pointer_to("", "a") == "/a");
  CHECK(pointer_to("/a", std::size_t{3}) == "/a/3");
  CHECK(pointer_to("/a", "b/c~d") == "/a/b~1c~0d");
  CHECK(pointer_to("", "a\nb\x1b") == "/a\\u000ab\\u001b");
}

TEST_CASE("a pointer is at or below what it begins with, key by key") {
  CHECK(is_at_or_below("/a/b", "/a/b"));
  CHECK(is_at_or_below("/a/b/0", "/a/b"));
  CHECK(is_at_or_below("/a", ""));
  CHECK(is_at_or_below("", ""));
  CHECK_FALSE(is_at_or_below("/a/bc", "/a/b"));
  CHECK_FALSE(is_at_or_below("/a", "/a/b"));
  CHECK_FALSE(is_at_or_below("", "/a"));
}

TEST_CASE("a file that cannot be read is an error that names it") {
  const ScratchFolder folder;
  const auto read = [&](const std::string& name) {
    return error_of(folder.path(), [&] { (void)read_text_file(folder.path() / name); });
  };
  folder.write("there.json", "{}");
  std::filesystem::create_directory(folder.path() / "folder");
  CHECK(read("there.json") == "no error");
  folder.write("marked.txt", "\xEF\xBB\xBFtext");
  CHECK(read_text_file(folder.path() / "marked.txt") == "text");
  CHECK(read("missing.json") == "missing.json: cannot be read (No such file or directory)");
  CHECK(read("there.json/below.json") == "there.json/below.json: cannot be read (Not a directory)");
  CHECK(read("folder") == "folder: is a directory, expected a file");
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  CHECK(read("pipe") == "pipe: is a named pipe, expected a file");
}

TEST_CASE("a file beyond the size limit is an error") {
  const ScratchFolder folder;
  const auto file = folder.write("large.json", "");
  std::filesystem::resize_file(file, largest_input_bytes + 1);
  CHECK(error_of(folder.path(), [&] { (void)read_text_file(file); }) ==
        "large.json: is too large, expected at most 64 MiB");
  CHECK(read_text_file(file, largest_result_bytes).size() == largest_input_bytes + 1);
}

}  // namespace

}  // namespace starling
