#include "io/data_directory.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <optional>
#include <string>
#include <vector>

#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"

namespace starling {

namespace {

/// Sets the variable STARLING_DATA as long as the object exists.
class DataVariable {
 public:
  explicit DataVariable(const std::filesystem::path& value) {
    if (const char* old = ::getenv("STARLING_DATA")) before_ = old;
    ::setenv("STARLING_DATA", value.c_str(), 1);
  }
  ~DataVariable() {
    if (before_)
      ::setenv("STARLING_DATA", before_->c_str(), 1);
    else
      ::unsetenv("STARLING_DATA");
  }
  DataVariable(const DataVariable&) = delete;
  DataVariable& operator=(const DataVariable&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_CASE("the data lies where STARLING_DATA says") {
  const ScratchFolder folder;
  folder.write("workloads/models/b.json", "{}");
  folder.write("workloads/models/a.json", "{}");
  folder.write("workloads/models/notes.txt", "");
  const DataVariable variable(folder.path());
  CHECK(data_directory() == folder.path());
  CHECK(json_names(model_directory()) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("without the variable, or with an empty one, the data lies beside the program") {
  const DataVariable variable("");
  CHECK(std::filesystem::exists(model_directory() / "resnet50.json"));
  CHECK(std::filesystem::exists(distribution_directory() / "cloud_resnet50_batch.json"));
}

TEST_CASE("a program of another project finds the data of the Starling it was told of, unless that is gone") {
  const ScratchFolder folder;
  folder.write("workloads/models/a.json", "{}");
  const DataVariable variable("");
  set_installed_data_directory(folder.path().c_str());
  CHECK(data_directory() == folder.path());
  set_installed_data_directory((folder.path() / "gone").c_str());
  CHECK(std::filesystem::exists(model_directory() / "resnet50.json"));
  set_installed_data_directory("");
}

TEST_CASE("data that is not there is an error that names the variable") {
  const ScratchFolder folder;
  const auto file = folder.write("scenario.json", base_scenario);
  const DataVariable variable(folder.path() / "nowhere");
  CHECK(error_of(folder.path(), [&] { read_scenario(file); }) ==
        "nowhere: Starling's models, distributions and schemas are not in this folder, expected the "
        "environment variable STARLING_DATA to name the folder that they are in");
}

}  // namespace

}  // namespace starling
