#include "workloads/learning/data_set_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/rejected_value.hpp"
#include "tests/io/scratch_folder.hpp"
#include "workloads/learning/data_options.hpp"

namespace starling {
namespace {

/// The error message of a reader, without the folder's path.
std::string message_of(const std::function<void()>& read, const ScratchFolder& folder) {
  try {
    read();
  } catch (const std::invalid_argument& error) {
    std::string message = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
      message.erase(at, prefix.size());
    return message;
  }
  return "";
}

std::string csv_message(std::string_view content, int label_column = -1) {
  const ScratchFolder folder;
  return message_of([&] { read_csv(folder.write("points.csv", content), label_column); }, folder);
}

std::string libsvm_message(std::string_view content, int features = 0) {
  const ScratchFolder folder;
  return message_of([&] { read_libsvm(folder.write("points.libsvm", content), features); }, folder);
}

/// The header of an IDX file of unsigned bytes.
std::string idx_header(const std::vector<int>& dimensions, char type = 8) {
  std::string header = {0, 0, type, static_cast<char>(dimensions.size())};
  for (const int size : dimensions) {
    for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(size >> shift & 0xFF);
  }
  return header;
}

std::string idx_message(const std::string& points, const std::string& labels) {
  const ScratchFolder folder;
  return message_of([&] { read_idx(folder.write("points.idx", points), folder.write("labels.idx", labels)); },
                    folder);
}

TEST_CASE("a CSV file has a point a line and the label in any column") {
  const ScratchFolder folder;
  const DataSet data = read_csv(folder.write("last.csv", "1,2.5,7\n\n -3 , 4e-1 ,-2\r\n0,0,7\n"));
  CHECK(data.name == "last.csv");
  CHECK(data.features == 2);
  CHECK(data.classes == 2);
  CHECK(data.values == std::vector<float>{1, 2.5F, -3, 0.4F, 0, 0});
  CHECK(data.labels == std::vector<int>{1, 0, 1});  // −2 is class 0, 7 class 1

  const DataSet other = read_csv(folder.write("first.csv", "class,a,b\n1,2,3\n2,5,6"), 0);
  CHECK(other.values == std::vector<float>{2, 3, 5, 6});
  CHECK(other.labels == std::vector<int>{0, 1});
}

TEST_CASE("what is read is made standard where that is asked for") {
  const ScratchFolder folder;
  const std::string file = folder.write("points.csv", "1,0\n3,1\n").string();
  CHECK(make_data_set(CsvDataOptions{.file = file}, 1).values == std::vector<float>{1, 3});
  CHECK(make_data_set(CsvDataOptions{.file = file, .standardize = true}, 1).values ==
        std::vector<float>{-1, 1});
}

TEST_CASE("a byte order mark is no part of the first line") {
  const std::string mark = "\xEF\xBB\xBF";
  const ScratchFolder folder;
  const std::filesystem::path csv = folder.write("marked.csv", mark + "1,2.5,7\n-3,4,-2\n");
  CHECK(read_csv(csv).values == std::vector<float>{1, 2.5F, -3, 4});
  const std::filesystem::path named = folder.write("named.csv", mark + "a,b,class\n1,2.5,7\n-3,4,-2\n");
  CHECK(read_csv(named).values == std::vector<float>{1, 2.5F, -3, 4});
  const std::filesystem::path later = folder.write("later.csv", "1,2.5,7\n" + mark + "-3,4,-2\n");
  CHECK_THROWS_AS(read_csv(later), std::invalid_argument);
}

TEST_CASE("a data set in UTF-16 is refused as such, not for what its bytes seem to hold") {
  CHECK(csv_message(std::string_view("1\0,\0002\0", 6)) ==
        "points.csv: the file is UTF-16; UTF-8 is accepted");
  CHECK(libsvm_message("\xFF\xFE") == "points.libsvm: the file is UTF-16; UTF-8 is accepted");
}

TEST_CASE("a line that is too long to be one is refused, the longest one read") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.write("points.csv", "1,2,0\n3,4,1\n");
  constexpr std::uintmax_t longest_bytes = 64 << 20;
  std::filesystem::resize_file(file, 12 + longest_bytes);  // all zero bytes
  CHECK(message_of([&] { read_csv(file); }, folder) ==
        "points.csv:3: there are 1 columns; the first line has 3");
  std::filesystem::resize_file(file, 12 + longest_bytes + 1);
  CHECK(message_of([&] { read_csv(file); }, folder) ==
        "points.csv:3: the line is longer than 64 MiB, the most that is accepted");
}

TEST_CASE("a bad CSV file is rejected with its line, what is there and what is accepted") {
  CHECK(csv_message("1,2,0\n3,nan,1\n") ==
        "points.csv:2: column 1 is \"nan\"; it must be a finite number of at most 3.4e38");
  CHECK(csv_message("1,2,0\n\n-inf,2,1\n") ==
        "points.csv:3: column 0 is \"-inf\"; it must be a finite number of at most 3.4e38");
  CHECK(csv_message("1,2,0\n1e39,2,1\n") ==
        "points.csv:2: column 0 is \"1e39\"; it must be a finite number of at most 3.4e38");
  CHECK(csv_message("1,2,0\n1,,1\n") ==
        "points.csv:2: column 1 is \"\"; it must be a finite number of at most 3.4e38");
  CHECK(csv_message("1,2,0\n1,2x,1\n") ==
        "points.csv:2: column 1 is \"2x\"; it must be a finite number of at most 3.4e38");
  CHECK(csv_message("a,b,class\n1,2,0\n3,4\n") == "points.csv:3: there are 2 columns; the first line has 3");
  CHECK(csv_message("1,2,0\n3,4,5,1\n") == "points.csv:2: there are 4 columns; the first line has 3");
  CHECK(csv_message("1,2,0\n3,4,0.5\n") == "points.csv:2: the label is \"0.5\"; it must be a whole number");
  CHECK(csv_message("1,2,0\n3,4,yes\n") == "points.csv:2: the label is \"yes\"; it must be a whole number");
  CHECK(csv_message("1,2,0\n3,4,nan\n") == "points.csv:2: the label is \"nan\"; it must be a whole number");
  CHECK(csv_message("5\n6\n") ==
        "points.csv:1: there is 1 column; a label and at least 1 feature are needed");
  CHECK(
      csv_message("1,2,0\n", 3) ==
      "points.csv:1: there are 3 columns; the label cannot be in column 3, but in 0 … 2, or −1 for the last");
  CHECK(csv_message("1,2,0\n3,4,0\n") == "points.csv: every label is 0; at least 2 classes are needed");
  CHECK(csv_message("a,b,c\n") == "points.csv: there are no points");
  CHECK(csv_message("") == "points.csv: there are no points");
}

TEST_CASE("a LIBSVM file leaves zeros out") {
  const ScratchFolder folder;
  const std::filesystem::path file =
      folder.write("points.libsvm", "+1 1:0.5 3:-2 # a comment\n# nothing\n-1\n-1 \t2:7\n");
  const DataSet data = read_libsvm(file);
  CHECK(data.features == 3);
  CHECK(data.values == std::vector<float>{0.5F, 0, -2, 0, 0, 0, 0, 7, 0});
  CHECK(data.labels == std::vector<int>{1, 0, 0});
  CHECK(read_libsvm(file, 5).features == 5);
  CHECK(read_libsvm(file, 5).point(2)[1] == 7);
}

TEST_CASE("a bad LIBSVM file is rejected with its line, what is there and what is accepted") {
  CHECK(libsvm_message("1 1:2\n0 1:nan\n") ==
        "points.libsvm:2: feature 1 is \"nan\"; it must be a finite number of at most 3.4e38");
  CHECK(libsvm_message("1 1:2\n0 12\n") ==
        "points.libsvm:2: \"12\" is not a feature; index:value is accepted");
  CHECK(libsvm_message("1 x:2\n") == "points.libsvm:1: \"x:2\" is not a feature; index:value is accepted");
  CHECK(libsvm_message("1 0:2\n") ==
        "points.libsvm:1: feature 0 follows feature 0; indices begin at 1 and ascend");
  CHECK(libsvm_message("1 3:2 2:5\n") ==
        "points.libsvm:1: feature 2 follows feature 3; indices begin at 1 and ascend");
  CHECK(libsvm_message("1 3:2\n", 2) ==
        "points.libsvm:1: feature 3 is beyond the 2 features that were asked for");
  CHECK(libsvm_message("1.5 3:2\n") == "points.libsvm:1: the label is \"1.5\"; it must be a whole number");
  CHECK(libsvm_message("1\n2\n") == "points.libsvm: there are 0 features; at least 1 is needed");
  CHECK(libsvm_message("1 2000000000:1\n2\n") ==
        "points.libsvm: 2 points of 2000000000 features do not fit in memory; at most 268435456 values are "
        "accepted");
  CHECK(libsvm_message("1 55000000:1\n2 1:1\n3 1:1\n4 1:1\n5 1:1\n") ==
        "points.libsvm: 5 points of 55000000 features do not fit in memory; at most 268435456 values are "
        "accepted");
}

TEST_CASE("an IDX file has bytes as features and a second file of labels") {
  using namespace std::string_literals;
  const ScratchFolder folder;
  const DataSet data =
      read_idx(folder.write("points.idx", idx_header({2, 1, 3}) + "\x00\xFF\x33\x01\x02\x03"s),
               folder.write("labels.idx", idx_header({2}) + "\x09\x04"s));
  CHECK(data.features == 3);
  CHECK(data.values[0] == 0);
  CHECK(data.values[1] == 1);
  CHECK(data.values[2] == 0.2F);
  CHECK(data.values[3] == 1 / 255.0F);
  CHECK(data.labels == std::vector<int>{1, 0});
}

TEST_CASE("a bad IDX file is rejected with what is there and what is accepted") {
  const std::string points = idx_header({2, 2}) + "abcd";
  const std::string labels = idx_header({2}) + "ab";
  CHECK(idx_message(points, labels).empty());
  CHECK(idx_message("\x1F\x8B compressed", labels) ==
        "points.idx: this is no IDX file, which begins with two zero bytes (compressed files are not "
        "accepted)");
  CHECK(idx_message("", labels) ==
        "points.idx: this is no IDX file, which begins with two zero bytes (compressed files are not "
        "accepted)");
  CHECK(idx_message(idx_header({2, 2}, 0x0D) + "abcd", labels) ==
        "points.idx: the elements are of type 0x0d; unsigned bytes, 0x08, are accepted");
  CHECK(idx_message(idx_header({2, 2}).substr(0, 9), labels) == "points.idx: the header is not complete");
  CHECK(idx_message(idx_header({2, 2}) + "abc", labels) ==
        "points.idx: there are 3 bytes of data; the header announces 2 items of 2");
  CHECK(idx_message(idx_header({2, 2}) + "abcde", labels) ==
        "points.idx: there are 5 bytes of data; the header announces 2 items of 2");
  // More than a header may have is not read.
  CHECK(idx_message(idx_header({2, 2000}) + std::string(9000, 'a'), labels) ==
        "points.idx: there are 4000 bytes of data and more; the header announces 2 items of 2000");
  CHECK(idx_message(idx_header({2, 2000}) + std::string(4000, 'a'), labels).empty());
  CHECK(idx_message(idx_header({65536, 65536}), labels) ==
        "points.idx: 65536 points of 65536 features do not fit in memory; at most 268435456 values are "
        "accepted");
  CHECK(idx_message(points, idx_header({3}) + "abc") ==
        "labels.idx: there are 3 labels for the 2 points of points.idx");
  CHECK(idx_message(points, points) == "labels.idx: a label has 2 bytes; 1 is accepted");
  CHECK(idx_message(points, idx_header({2}) + "aa") ==
        "labels.idx: every label is 97; at least 2 classes are needed");
  CHECK(idx_message(idx_header({0, 2}), idx_header({0})) == "points.idx: there are no points");
}

TEST_CASE("an IDX file of labels that announces more than fits takes no memory for it") {
  const std::string points = idx_header({2, 2}) + "abcd";
  CHECK(idx_message(points, idx_header({-1}) + std::string(40, 'a')) ==
        "labels.idx: 4294967295 points of 1 features do not fit in memory; at most 268435456 values are "
        "accepted");
  CHECK(idx_message(points, idx_header({1 << 28}) + std::string(40, 'a')) ==
        "labels.idx: there are 40 bytes of data; the header announces 268435456 items of 1");
}

TEST_CASE("what is wrong with an IDX file is told at the option that names it") {
  const ScratchFolder folder;
  const std::filesystem::path points = folder.write("points.idx", idx_header({2, 2}) + "abcd");
  const std::filesystem::path labels = folder.write("labels.idx", idx_header({2}) + "aa");
  const auto place = [](const std::filesystem::path& points_file, const std::filesystem::path& labels_file) {
    try {
      (void)read_idx(points_file, labels_file);
    } catch (const RejectedValue& error) {
      return error.place();
    }
    return std::string();
  };
  CHECK(place(points, labels) == "/labels");
  CHECK(place(points, points) == "/labels");
  CHECK(place(folder.write("none.idx", ""), labels) == "/points");
}

TEST_CASE("a file that is not there is named") {
  const ScratchFolder folder;
  const std::filesystem::path missing = folder.path() / "missing.csv";
  const auto message = [&](const std::function<void()>& read) { return message_of(read, folder); };
  CHECK(message([&] { read_csv(missing); }) == "missing.csv: the file cannot be read");
  CHECK(message([&] { read_libsvm(missing); }) == "missing.csv: the file cannot be read");
  CHECK(message([&] { read_idx(missing, folder.write("there.csv", "1,0\n")); }) ==
        "missing.csv: the file cannot be read");
  CHECK_THROWS_AS(read_csv(folder.path()), std::invalid_argument);
}

TEST_CASE("a pipe that perhaps nobody writes to is refused") {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string refused = "pipe: this is a named pipe; a file is accepted";
  CHECK(message_of([&] { read_csv(pipe); }, folder) == refused);
  CHECK(message_of([&] { read_libsvm(pipe); }, folder) == refused);
  CHECK(message_of([&] { read_idx(pipe, pipe); }, folder) == refused);
}

}  // namespace
}  // namespace starling
