#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/analysis/running/program.hpp"

namespace starling {

namespace {

constexpr const char* profile_text = R"json({
  "name": "lab", "description": "four hosts",
  "cluster": {"network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "compute": [{"model": "resnet50", "batch_size": 64, "forward": "80ms", "backward": "160ms",
   "source": "measured"}],
  "parameters": [{"pointer": "/cluster", "source": "data sheet"}]
})json";

constexpr const char* published_text = R"json({"entries": [
  {"id": "lab-p1", "paper": "The Lab Report (2020)", "cluster": {"id": "lab", "workers_per_node": 1},
   "workload": {"model": "resnet50", "batch_per_worker": 64}, "workers": 1,
   "algorithm": {"kind": "allreduce"},
   "metric": "iteration_time_s", "value": 0.25},
  {"id": "lab-p4-wfbp", "paper": "The Lab Report (2020)", "cluster": {"id": "lab", "workers_per_node": 1},
   "workload": {"model": "resnet50", "batch_per_worker": 64}, "workers": 4, "algorithm": {"kind": "wfbp"},
   "metric": "iteration_time_s", "value": 0.3},
  {"id": "lab-top1", "paper": "The Lab Report (2020)", "cluster": {"id": "lab", "workers_per_node": 1},
   "workload": {"model": "resnet50", "batch_per_worker": 64}, "workers": 4, "algorithm": {"kind": "wfbp"},
   "metric": "top1", "value": 76}
]})json";

/// A temporary folder with published.json and the profile of its cluster.
class PublishedDesk : public ScratchFolder {
 public:
  PublishedDesk() {
    std::filesystem::create_directories(path() / "clusters");
    write_file(path() / "clusters" / "lab.json", profile_text);
    write_file(path() / "published.json", published_text);
  }
  ProgramRun reproduce(const std::string& arguments) const {
    return run_program(path(), "reproduce published.json --clusters clusters " + arguments);
  }
  nlohmann::json result() const {
    return nlohmann::json::parse(contents_of(path() / "out" / "reproduce.json"));
  }
};

TEST_CASE("starling reproduce prints published beside predicted values") {
  const PublishedDesk desk;
  const ProgramRun run = desk.reproduce("");
  CHECK(run.exit_code == 0);
  CHECK(run.error == "");
  // On one GPU an iteration is 80 + 160 ms of computing.
  CHECK(run.out.find("lab-p1        250.0 ms   240.0 ms  ") != std::string::npos);
  CHECK(run.out.find("not comparable, accuracy, not time:\n    lab-top1\n") != std::string::npos);
}

TEST_CASE("reproduce --out writes reproduce.json and scenarios, and never replaces finished ones") {
  const PublishedDesk desk;
  CHECK(desk.reproduce("--out out --jobs 2 --quiet").exit_code == 0);
  CHECK(desk.result().at("finished") == true);
  CHECK(desk.result().at("entries").size() == 3);
  CHECK(desk.result().at("papers").at(0).at("compared") == 2);
  // Two entries are too few for conformal intervals.
  CHECK(desk.result().at("entries").at(0).at("interval_90").is_null());
  CHECK(desk.result().at("predictions_with_interval") == 0);
  const std::string picture = contents_of(desk.path() / "out" / "reproduce.svg");
  CHECK(picture.find("published / predicted") != std::string::npos);
  const std::string scenario = contents_of(desk.path() / "out" / "scenarios" / "lab-p4-wfbp.json");
  CHECK(nlohmann::json::parse(scenario).at("cluster").at("workers") == 4);
  CHECK(run_program(desk.path(), "run out/scenarios/lab-p4-wfbp.json").exit_code == 0);

  const ProgramRun again = desk.reproduce("--out out");
  CHECK(again.exit_code == 2);
  CHECK(again.error ==
        "--out: a finished result is here already, and is never replaced, got out/reproduce.json, "
        "expected another folder, or this one after you have moved its files away\n");
}

TEST_CASE("scenarios of entries whose ids give the same file name are in separate files") {
  const PublishedDesk desk;
  auto published = nlohmann::json::parse(published_text);
  published["entries"].erase(2);
  published["entries"][0]["id"] = "lab/p";
  published["entries"][1]["id"] = "lab_p";
  write_file(desk.path() / "published.json", published.dump());
  CHECK(desk.reproduce("--out out --quiet").exit_code == 0);
  const auto workers_in = [&](const char* name) {
    const auto text = contents_of(desk.path() / "out" / "scenarios" / name);
    return nlohmann::json::parse(text).at("cluster").at("workers").get<int>();
  };
  CHECK(workers_in("lab_p.json") == 1);
  CHECK(workers_in("lab_p-2.json") == 4);
}

TEST_CASE("a reproduction is finished once its picture is drawn") {
  const PublishedDesk desk;
  const std::filesystem::path gnuplot = desk.path() / "gnuplot";
  write_file(gnuplot, "#!/bin/sh\ncp out/reproduce.json seen.json\n");
  std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
  CHECK(run_program(desk.path(), "reproduce published.json --clusters clusters --out out",
                    "export PATH=\"$PWD:$PATH\"")
            .exit_code == 0);
  CHECK(nlohmann::json::parse(contents_of(desk.path() / "seen.json")).at("finished") == false);
  CHECK(desk.result().at("finished") == true);
}

TEST_CASE("an unfinished reproduction without other entries is replaced") {
  const PublishedDesk desk;
  std::filesystem::create_directories(desk.path() / "out");
  write_file(desk.path() / "out" / "reproduce.json", R"({"finished": false, "entries": []})");
  CHECK(desk.reproduce("--out out --filter LAB-p1").exit_code == 0);
  CHECK(desk.result().at("finished") == true);
  CHECK(desk.result().at("entries").size() == 1);
}

TEST_CASE("an unfinished reproduction of other entries is replaced only with --force") {
  const PublishedDesk desk;
  std::filesystem::create_directories(desk.path() / "out");
  const std::string left = R"({"finished": false, "entries": [{"id": "lab-p1"}, {"id": "lab-p4-wfbp"}]})";
  write_file(desk.path() / "out" / "reproduce.json", left);
  const ProgramRun other = desk.reproduce("--out out --filter lab-p1");
  CHECK(other.exit_code == 2);
  CHECK(other.error ==
        "--out: an unfinished reproduction of other entries is in this folder, got out/reproduce.json, "
        "expected the earlier --filter, another folder, or --force to replace it\n");
  CHECK(contents_of(desk.path() / "out" / "reproduce.json") == left);
  CHECK(desk.reproduce("--out out --filter lab-p1 --force").exit_code == 0);
  CHECK(desk.result().at("entries").size() == 1);
  CHECK(desk.reproduce("--out out --force").exit_code == 2);  // a finished one is never replaced

  write_file(desk.path() / "out" / "reproduce.json", left);
  CHECK(desk.reproduce("--out out").exit_code == 0);  // all entries include the former ones
  CHECK(desk.result().at("entries").size() == 3);
}

TEST_CASE("a reproduction that is interrupted while it writes its scenarios says what is kept") {
  const PublishedDesk desk;
  auto published = nlohmann::json::parse(published_text);
  nlohmann::json& entries = published["entries"];
  const nlohmann::json entry = entries[1];
  for (int workers = 5; workers <= 1000; ++workers) {
    entries.push_back(entry);
    entries.back()["id"] = "lab-p" + std::to_string(workers);
    entries.back()["workers"] = workers;
  }
  write_file(desk.path() / "published.json", published.dump());
  const ProgramRun run = run_program(
      desk.path(),
      "--version; env --default-signal=INT '" STARLING_PROGRAM
      "' reproduce published.json --clusters clusters --out out & job=$!; while kill -0 $job && [ ! -e "
      "out/scenarios ]; do :; done; kill -INT $job; wait $job");
  CHECK(run.exit_code == 130);
  CHECK(run.error == "starling: interrupted; the same command continues from here\n");
}

TEST_CASE("a run that fails is listed and makes the exit code 1") {
  const PublishedDesk desk;
  nlohmann::json published = nlohmann::json::parse(published_text);
  published["entries"][1]["algorithm"] = {{"kind", "eager_solo"}};
  published["entries"][1]["workers"] = 3;  // not a power of two
  write_file(desk.path() / "published.json", published.dump());
  const ProgramRun run = desk.reproduce("--out out");
  CHECK(run.exit_code == 1);
  CHECK(run.error.ends_with("starling: 1 of 3 entries failed\n"));
  CHECK(run.out.find("failed: lab-p4-wfbp\n") != std::string::npos);
  CHECK(run.out.find("\n    scenario of lab-p4-wfbp: /algorithms/0: eager_solo: workers is 3; it must be a "
                     "power of two\n") != std::string::npos);
  CHECK(desk.result().at("entries").at(1).at("status") == "failed");
  CHECK(desk.result().at("entries").at(0).at("status") == "compared");
}

TEST_CASE("wrong input is named and makes the exit code 2") {
  const PublishedDesk desk;
  const ProgramRun filter = desk.reproduce("--filter moon");
  CHECK(filter.exit_code == 2);
  CHECK(filter.error == "starling: --filter: no entry's id, paper or cluster contains \"moon\"\n");
  CHECK(desk.reproduce("--jobs 0").error == "starling: --jobs: 0 is not from 1 to 1024\n");
  CHECK(run_program(desk.path(), "reproduce --clusters none").error ==
        "starling: --clusters: there is no folder none\n");
  CHECK(run_program(desk.path(), "reproduce none.json").exit_code == 2);
  write_file(desk.path() / "clusters" / "lab.json", "{}");
  const ProgramRun profile = desk.reproduce("");
  CHECK(profile.exit_code == 2);
  CHECK(profile.error == "clusters/lab.json: key \"name\" is missing, expected a text\n");
}

TEST_CASE("a part of the shipped measurements is predicted") {
  const PublishedDesk desk;
  const ProgramRun run = run_program(desk.path(), "reproduce --filter ddlb-10gbe-resnet50-p4 --out out");
  CHECK(run.exit_code == 0);
  CHECK(desk.result().at("entries").size() == 4);
}

}  // namespace

}  // namespace starling
