#include "analysis/reproduction/published_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "io/data_directory.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

/// The error of a file whose second entry differs from its first by a JSON merge patch.
std::string error_after_changes(const std::string& changes) {
  const nlohmann::json entry = nlohmann::json::parse(R"json({
    "id": "one", "paper": "P", "source": "Fig. 1", "grade": "verbatim", "cluster": {"id": "lab"},
    "workload": {}, "workers": 8, "algorithm": {"kind": "ddp"}, "metric": "iteration_time_s", "value": 0.5,
    "uncertainty": [0.4, 0.6], "baseline": null, "notes": ""
  })json");
  nlohmann::json other = entry;
  other["id"] = "two";
  other.merge_patch(nlohmann::json::parse(changes));
  const nlohmann::json document{{"entries", {entry, other}}};
  const ScratchFolder folder;
  const auto file = folder.write("published.json", document.dump());
  return error_of(folder.path(), [&] { read_published_file(file); });
}

TEST_CASE("a published file may have unknown metrics and algorithms, and needs no more than its entries") {
  CHECK(error_after_changes("{}") == "no error");
  CHECK(error_after_changes(R"({"value": 0})") == "no error");
  CHECK(error_after_changes(R"({"value": 3, "uncertainty": 0.1, "baseline": {"kind": "wfbp"}})") ==
        "no error");
  CHECK(error_after_changes(R"({"metric": "parsecs", "algorithm": {"kind": "lion", "mane": 3}})") ==
        "no error");
}

TEST_CASE("errors in published files have the file, the place, the value and what is accepted") {
  CHECK(error_after_changes(R"({"workers": 0})") ==
        "published.json: /entries/1/workers: out of range, got 0, expected an integer from 1 to 1048576");
  CHECK(error_after_changes(R"({"workers": null})") ==
        "published.json: /entries/1: key \"workers\" is missing, expected an integer from 1 to 1048576");
  CHECK(error_after_changes(R"({"algorithm": {"kind": null}})") ==
        "published.json: /entries/1/algorithm: key \"kind\" is missing, expected a text");
  CHECK(error_after_changes(R"({"baseline": {"kind": 3}})") ==
        "published.json: /entries/1/baseline/kind: wrong type, got 3, expected a text");
  CHECK(error_after_changes(R"({"value": "fast"})") ==
        "published.json: /entries/1/value: wrong type, got \"fast\", expected a number from 1e-09 to 1e+18");
  for (const char* value : {"-1", "1e-300", "1e300"}) {
    CAPTURE(value);
    CHECK(error_after_changes(fmt::format(R"({{"value": {}}})", value))
              .starts_with("published.json: /entries/1/value: out of range, got "));
  }
  CHECK(error_after_changes(R"({"id": "one"})") ==
        "published.json: /entries/1/id: this id is taken by /entries/0, got \"one\", expected an id of its "
        "own");
  CHECK(error_after_changes(R"({"metrics": "top1"})")
            .starts_with("published.json: /entries/1/metrics: unknown key (did you mean \"metric\"?), "
                         "expected one of \"id\", "));
  CHECK(error_after_changes(R"({"cluster": {"id": "lab", "node": 3}})")
            .starts_with("published.json: /entries/1/cluster/node: unknown key (did you mean \"nodes\"?)"));
  CHECK(error_after_changes(R"({"workload": [1]})") ==
        "published.json: /entries/1/workload: wrong type, got [1], expected an object");
  CHECK(error_after_changes(R"({"uncertainty": "some"})") ==
        "published.json: /entries/1/uncertainty: wrong type, got \"some\", expected a number (plus or minus) "
        "or an interval [least, greatest]");
  CHECK(error_after_changes(R"({"uncertainty": -0.1})") ==
        "published.json: /entries/1/uncertainty: out of range, got -0.1, expected a number from 0 to 1e+18");
  CHECK(error_after_changes(R"({"uncertainty": [-0.1, 0.6]})")
            .starts_with("published.json: /entries/1/uncertainty/0: out of range, got -0.1"));
  for (const char* interval : {"[0.6,0.4]", "[0.4]", "[0.4,0.5,0.6]", "[]"}) {
    CAPTURE(interval);
    CHECK(error_after_changes(fmt::format(R"({{"uncertainty": {}}})", interval)) ==
          fmt::format("published.json: /entries/1/uncertainty: is not an interval, got {}, expected [least, "
                      "greatest]",
                      interval));
  }

  const ScratchFolder folder;
  const auto error = [&](const char* text) {
    const auto file = folder.write("published.json", text);
    return error_of(folder.path(), [&] { read_published_file(file); });
  };
  CHECK(error("[]").starts_with("published.json: wrong type, got [], expected an object"));
  CHECK(error("{}") == "published.json: key \"entries\" is missing, expected a list of measurements");
  CHECK(error("{\"entries\": [").starts_with("published.json: line 1"));
  CHECK(error_of(folder.path(), [&] {
          read_published_file(folder.path() / "none.json");
        }).starts_with("none.json: "));
}

TEST_CASE("the published measurements that are shipped can be read") {
  const auto entries = read_published_file(data_directory() / "scenarios" / "published.json");
  CHECK(entries.size() == 319);
  CHECK(entries.front().cluster == "piz_daint");
  CHECK(entries.front().value == 0.896202);
}

}  // namespace

}  // namespace starling
