#include "analysis/report/report.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/analysis/charts/forward_times.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/analysis/running/program.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The folder of a run with links, timeline and critical path, simulated once for all tests.
const std::filesystem::path& finished_run() {
  static const ScratchFolder folder;
  static const std::filesystem::path run = [] {
    folder.write("scenario.json", scenario_text("two-algorithms", 9, 2, "eager_solo"));
    const ProgramRun ended =
        run_program(folder.path(), "run scenario.json --out run --links --trace --critical-path --quiet");
    REQUIRE(ended.error == "");
    return folder.path() / "run";
  }();
  return run;
}

/// The report of the finished run's result.json after `change`, without the files beside it.
Report report_of_changed(const std::function<void(json& document)>& change) {
  const ScratchFolder folder;
  json document = json::parse(contents_of(finished_run() / "result.json"));
  change(document);
  folder.write("result.json", document.dump());
  return report_of(folder.path());
}

TEST_CASE("a report has a question, and its answer begins with the fastest algorithm") {
  const Report report = report_of(finished_run());
  CHECK(report.title == "two-algorithms");
  CHECK(report.question ==
        "How long does an iteration of resnet50 take on 4 workers, and which of 2 algorithms is fastest?");
  REQUIRE(report.answer.size() >= 5);
  CHECK(report.answer[0].starts_with("eager_solo is the fastest: "));
  CHECK(report.answer[1].starts_with("Of its iteration, "));
  CHECK(report.answer[2].starts_with("On its critical path, "));
  CHECK(report.answer[3].find("may advance training less than one of allreduce") != std::string::npos);
  CHECK(report.answer[4].starts_with("allreduce takes 1."));
}

TEST_CASE(
    "a result without a key that the report needs but the schema does not is refused by an error that names "
    "the file") {
  const ScratchFolder folder;
  const auto error_of_changed = [&](const auto& change) {
    json document = json::parse(contents_of(finished_run() / "result.json"));
    change(document);
    folder.write("result.json", document.dump());
    return error_of(folder.path(), [&] { report_of(folder.path()); });
  };
  const std::string expected = ", expected what `starling run --out` or `starling native --out` has written";
  CHECK(error_of_changed([](json& document) {
          document["runs"][0]["links"]["used"][0].erase("bytes_per_iteration");
        }) == "result.json: not of the expected form: key 'bytes_per_iteration' not found" + expected);
  folder.write("trace.json", contents_of(finished_run() / "trace.json"));
  CHECK(error_of_changed([](json& document) {
          document["scenario"] = {{"jobs", json::array({nullptr, nullptr})}};
        }).starts_with("result.json: not of the expected form: "));
}

TEST_CASE("a timeline of another scenario is left out, and one without the hash of a scenario is shown") {
  const ScratchFolder folder;
  std::string trace = contents_of(finished_run() / "trace.json");
  folder.write("result.json", contents_of(finished_run() / "result.json"));
  const auto timeline = [&] {
    folder.write("trace.json", trace);
    return chart_named(report_of(folder.path()), "timeline");
  };
  CHECK(timeline().blank.empty());
  const std::string key = R"("scenario_hash":")";
  const std::size_t begin = trace.find(key) + key.size();
  trace.replace(begin, trace.find('"', begin) - begin, "abc");
  CHECK(timeline().blank.starts_with("trace.json here is left out: it was made with another scenario"));
  trace.replace(0, trace.find(R"("traceEvents")"), R"({"displayTimeUnit":"ms",)");
  CHECK(timeline().blank.empty());
}

TEST_CASE("the report of a result without algorithms says that no algorithm was run") {
  const Report report = report_of_changed([](json& document) { document["runs"] = json::array(); });
  CHECK(chart_named(report, "iteration_time").blank == "No algorithm was run.");
  CHECK(report_json(report).at("answer") == json::array({"No algorithm was run."}));
}

TEST_CASE("a report of jobs does not suggest --sensitivity since several jobs cannot have it") {
  const ScratchFolder folder;
  folder.write("jobs.json", R"json({"iterations": 4, "warmup_iterations": 1,
  "cluster": {"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [{"name": "one", "workers": 2, "algorithm": {"kind": "ddp"},
    "workload": {"model": "resnet50", "batch_size": 8,
                 "compute": {"forward": "4ms", "backward": "8ms"}}}]})json");
  REQUIRE(run_program(folder.path(), "run jobs.json --out run --report --quiet").exit_code == 0);
  CHECK(contents_of(folder.path() / "run" / "report.html").find("run --sensitivity") == std::string::npos);
  CHECK(chart_named(report_of(folder.path() / "run"), "sensitivity").blank ==
        "Sensitivity analysis is available for algorithms only, not for several jobs.");
  CHECK(chart_named(report_of(finished_run()), "sensitivity").blank.find("run --sensitivity") !=
        std::string::npos);
}

/// The answer for two jobs, "long" (VGG-16) and "short" (ResNet-50), on two leaves with two hosts each.
std::vector<std::string> answer_of_jobs_on(const std::string& long_ranks, const std::string& short_ranks) {
  const ScratchFolder folder;
  json document = json::parse(R"json({"iterations": 4, "warmup_iterations": 1,
  "cluster": {"workers": 4, "network": {"kind": "leaf_spine", "hosts_per_leaf": 2, "spines": 1,
              "link": {"bandwidth": "10Gbps", "latency": "5us"},
              "spine_link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [{"name": "long", "algorithm": {"kind": "ddp"},
            "workload": {"model": "vgg16", "batch_size": 8,
                         "compute": {"forward": "4ms", "backward": "8ms"}}},
           {"name": "short", "algorithm": {"kind": "ddp"},
            "workload": {"model": "resnet50", "batch_size": 8,
                         "compute": {"forward": "40ms", "backward": "80ms"}}}]})json");
  document["jobs"][0]["ranks"] = json::parse(long_ranks);
  document["jobs"][1]["ranks"] = json::parse(short_ranks);
  folder.write("jobs.json", document.dump());
  REQUIRE(run_program(folder.path(), "run jobs.json --out run --quiet").exit_code == 0);
  return report_of(folder.path() / "run").answer;
}

TEST_CASE("the answer for jobs begins with the one that is slowed down the most") {
  const std::vector<std::string> answer = answer_of_jobs_on("[1, 3]", "[0, 2]");
  REQUIRE(answer.size() == 3);
  // The long job has the shared links to itself for most of its time.
  CHECK(answer[0].starts_with("short is slowed down the most: it takes "));
  CHECK(answer[0].find("; long the least, ") != std::string::npos);
  CHECK(answer[1].starts_with("short: "));
  CHECK(answer_of_jobs_on("[0, 1]", "[2, 3]").at(0) == "Each job takes as long as alone.");
}

TEST_CASE("the parts of every bar sum to the mean iteration") {
  const ReportChart chart = chart_named(report_of(finished_run()), "iteration_time");
  REQUIRE(chart.table.rows() == 2);
  std::vector<double> sums_s(2);
  for (const json& part : chart.options.at("parts"))
    for (std::size_t row = 0; row < 2; ++row)
      sums_s[row] += column_of(chart, part.get<std::string>())[row].get<double>();
  for (std::size_t row = 0; row < 2; ++row)
    CHECK(sums_s[row] == about(column_of(chart, "iteration_time_s")[row].get<double>(), 1e-12));
}

TEST_CASE("the kinds of time on a critical path sum to the mean iteration time on the same page") {
  const Report report = report_of(finished_run());
  const ReportChart& chart = chart_named(report, "critical_path");
  const std::vector<json>& means_s = column_of(chart_named(report, "iteration_time"), "iteration_time_s");
  REQUIRE(chart.table.rows() == 2);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum_s = 0;
    for (const json& part : chart.options.at("parts"))
      sum_s += column_of(chart, part.get<std::string>())[row].get<double>();
    CHECK(sum_s == about(means_s[row].get<double>(), 1e-9));  // rounding of many steps
  }
}

/// The report of the finished run with a 90 % interval of eager_solo that overlaps the other's mean, and with
/// ties that decide its order of events, as --uncertainty finds them.
Report report_with_uncertainty() {
  return report_of_changed([](json& document) {
    document["runs"][1]["interval_90_s"] = {0.1, 0.4};
    document["runs"][1]["decided_by_ties"] = {0.15, 0.3};
  });
}

TEST_CASE("a report has the prediction interval and the effect of ties if the run used --uncertainty") {
  const Report report = report_with_uncertainty();
  const ReportChart& chart = chart_named(report, "iteration_time");
  CHECK(column_of(chart, "prediction_90_least_s") == std::vector<json>{nullptr, 0.1});
  CHECK(column_of(chart, "prediction_90_greatest_s") == std::vector<json>{nullptr, 0.4});
  CHECK(column_of(chart, "ties_least_s") == std::vector<json>{nullptr, 0.15});
  CHECK(column_of(chart, "ties_greatest_s") == std::vector<json>{nullptr, 0.3});
  CHECK(chart.note.find("90 % interval of the prediction") != std::string::npos);
  CHECK(report.answer[0].find("(90 %: 100.0 ms to 400.0 ms; without the model's error)") !=
        std::string::npos);
  CHECK(std::ranges::count(report.answer, "Not certainly slower, as intervals overlap: allreduce.") == 1);
  const std::string ties =
      "Dependent on the order of simultaneous events, as changes of latencies and computing times by 0.1 % "
      "change the mean by more than 1 %: eager_solo (150.0 ms to 300.0 ms).";
  CHECK(std::ranges::count(report.answer, ties) == 1);

  const ReportChart without = chart_named(report_of(finished_run()), "iteration_time");
  CHECK(without.note.find("90 %") == std::string::npos);
  CHECK(std::ranges::find(without.table.columns, "ties_least_s", &ReportColumn::name) ==
        without.table.columns.end());
}

TEST_CASE("the answer warns of partial periods and of drifting iterations") {
  const Report report = report_of_changed([](json& document) {
    document["runs"][0]["pattern_period"] = 1000;
    document["runs"][1]["drift_s"] = {0.3, 0.2};
  });
  const auto begins = [&report](const std::string& text) {
    return std::ranges::count_if(report.answer,
                                 [&](const std::string& each) { return each.starts_with(text); });
  };
  CHECK(begins("Too high or too low, as the counted iterations are not whole periods of the pattern: "
               "allreduce (") == 1);
  CHECK(
      begins("Not in a steady state, as iteration times still drift while counted: eager_solo (from 300.0 ms "
             "to 200.0 ms).") == 1);
}

TEST_CASE("with several seeds charts of only the first seed say so") {
  const Report report = report_of_changed([](json& document) {
    for (json& run : document["runs"])
      run["replications"] = {{{"seed", 1}, {"iteration_time_s", 0.1}},
                             {{"seed", 9}, {"iteration_time_s", 0.2}}};
  });
  const auto has_fact = [](const Report& told, const std::string& name, const std::string& value) {
    return std::ranges::count(told.facts, std::pair(name, value)) == 1;
  };
  CHECK(has_fact(report, "seeds", "2, the first is 1"));
  for (const char* id : {"active_workers", "staleness"})
    CHECK(chart_named(report, id).title.ends_with(", of the first seed"));
  CHECK(has_fact(report_of(finished_run()), "seed", "1"));
  CHECK_FALSE(chart_named(report_of(finished_run()), "staleness").title.ends_with("seed"));
}

/// The answer where the first algorithm reaches a target loss, with `caution` merged into its JSON, and the
/// second one diverges.
std::vector<std::string> answer_of_learning(const json& caution) {
  return report_of_changed([&](json& document) {
           json learned{{"task", "quadratic"},
                        {"loss", {{0, 0, 9}, {1, 2, 4}}},
                        {"consensus_distance", {{0, 0, 1}}},
                        {"final_loss", 4},
                        {"target_loss", 5},
                        {"time_to_target_s", 1},
                        {"reason", nullptr}};
           learned.update(caution);
           document["runs"][0]["learning"] = learned;
           learned.update({{"loss", {{0, 0, 9}, {1, 2, nullptr}}}, {"time_to_target_s", nullptr}});
           document["runs"][1]["learning"] = learned;
         })
      .answer;
}

TEST_CASE("the answer has the caution of a time to target, and names training that diverges") {
  const std::string met = "allreduce reaches the target loss of 5 first, after 1.000 s of simulated time";
  const std::vector<std::string> answer = answer_of_learning({{"caution", "more may be sooner"}});
  CHECK(std::ranges::count(answer, met + ": more may be sooner.") == 1);
  CHECK(std::ranges::count(answer, "Training diverged: eager_solo.") == 1);
  CHECK(std::ranges::count(answer_of_learning({{"caution", nullptr}}), met + ".") == 1);
  CHECK(std::ranges::count(answer_of_learning(json::object()), met + ".") == 1);
}

TEST_CASE("where no algorithm reaches the target, the answer gives the lowest final loss") {
  const std::string missed = "None reaches the target loss of 5; the lowest at the end is 4, of allreduce.";
  CHECK(std::ranges::count(answer_of_learning({{"time_to_target_s", nullptr}}), missed) == 1);
}

TEST_CASE("the answer says whether its interval includes the error of the model") {
  const auto answer = [](const char* interval, const json& model_error) {
    return report_of_changed([&](json& document) {
             document["runs"][1][interval] = {0.1, 0.4};
             document["scenario"]["cluster"]["model_error"] = model_error;
           })
        .answer.at(0);
  };
  for (const json& model_error : {json(nullptr), json(0.1)})
    CHECK(answer("interval_95_s", model_error)
              .find("(95 %: 100.0 ms to 400.0 ms; sampling error only, without the model's error)") !=
          std::string::npos);
  CHECK(answer("interval_90_s", 0.1).find("(90 %: 100.0 ms to 400.0 ms)") != std::string::npos);
}

TEST_CASE("the answer names algorithms whose means have no interval") {
  const Report report = report_of_changed([](json& document) {
    document["runs"][0]["interval_95_s"] = {0.1, 0.4};
    document["runs"][1]["interval_95_s"] = nullptr;
  });
  CHECK(std::ranges::count(report.answer, "The uncertainty of the mean is unknown for eager_solo.") == 1);
}

TEST_CASE("of means that differ only by rounding the first is named and the other takes as long") {
  const Report report = report_of_changed([](json& document) {
    document["runs"][1]["iteration_time_s"]["mean"] =
        document["runs"][0]["iteration_time_s"]["mean"].get<double>() * (1 - 1e-15);
  });
  CHECK(report.answer[0].starts_with("allreduce: "));
  CHECK(std::ranges::count(report.answer, "eager_solo takes as long.") == 1);
}

TEST_CASE("facts give the range of counted iterations over algorithms") {
  const Report report = report_of_changed([](json& document) {
    document["runs"][0]["iterations"] = 7;
    document["runs"][1]["iterations"] = 98;
  });
  CHECK(std::ranges::count(report.facts,
                           std::pair<std::string, std::string>("counted iterations", "7 to 98")) == 1);
}

TEST_CASE("facts give the range of counted iterations over seeds, not their mean") {
  const Report report = report_of_changed([](json& document) {
    for (json& run : document["runs"]) {
      run["iterations"] = 50;
      run["replications"] = {{{"seed", 1}, {"iteration_time_s", 0.1}, {"iterations", 40}},
                             {{"seed", 2}, {"iteration_time_s", 0.2}, {"iterations", 60}}};
    }
  });
  CHECK(std::ranges::count(report.facts,
                           std::pair<std::string, std::string>("counted iterations", "40 to 60")) == 1);
}

TEST_CASE("where watched links carried no message the chart says that") {
  const Report report = report_of_changed([](json& document) {
    for (json& run : document["runs"]) run["links"]["used"] = json::array();
  });
  CHECK(chart_named(report, "links").blank == "No message went over a link.");
}

TEST_CASE("a note names the busiest link inside hosts, which the picture leaves out") {
  const ScratchFolder folder;
  folder.write("hosts.json", R"json({"iterations": 4, "warmup_iterations": 1,
  "cluster": {"workers": 4, "workers_per_host": 2,
    "intra_host_link": {"bandwidth": "1GBps", "latency": "1us"},
    "network": {"kind": "star", "link": {"bandwidth": "100Gbps", "latency": "5us"}}},
  "algorithms": [{"kind": "allreduce"}],
  "workload": {"model": "resnet50", "batch_size": 8,
               "compute": {"forward": "4ms", "backward": "8ms"}}})json");
  REQUIRE(run_program(folder.path(), "run hosts.json --links --out run --quiet").exit_code == 0);
  const std::string note = chart_named(report_of(folder.path() / "run"), "links").note;
  CAPTURE(note);
  CHECK(note.find("Links inside hosts are in the table only; of them worker") != std::string::npos);
  CHECK(note.ends_with("% with allreduce."));
  CHECK(chart_named(report_of(finished_run()), "links").note.find("inside hosts") == std::string::npos);
}

/// Whether the answer says that `labels` (or, if empty, any) are not certainly slower. All three means have
/// the same interval; `fastest_speedup` and `third_speedup` are the 95 % intervals of speed-ups over the
/// first algorithm, which is not the fastest.
bool has_doubt(const std::string& labels, const json& fastest_speedup, const json& third_speedup) {
  const auto add_third = [&](json& document) {
    json& runs = document["runs"];
    runs.push_back(runs[1]);
    runs[2]["label"] = "third";
    runs[2]["iteration_time_s"]["mean"] = 1.01 * runs[1]["iteration_time_s"]["mean"].get<double>();
    for (json& run : runs) run["interval_95_s"] = {0.1, 0.4};
    runs[1]["speedup_interval_95"] = fastest_speedup;
    runs[2]["speedup_interval_95"] = third_speedup;
  };
  const auto answer = report_of_changed(add_third).answer;
  const bool has_any =
      std::ranges::any_of(answer, [](const auto& text) { return text.starts_with("Not sure"); });
  if (labels.empty()) return has_any;
  return std::ranges::count(answer, "Not certainly slower, as intervals overlap: " + labels + ".") == 1;
}

TEST_CASE("means whose intervals overlap can still differ significantly by their paired speed-ups") {
  CHECK(has_doubt("third, allreduce", nullptr, nullptr));
  CHECK(has_doubt("third, allreduce", {0.9, 1.3}, {0.9, 1.3}));
  CHECK(has_doubt("third", {1.1, 1.3}, {0.9, 1.2}));
  CHECK(has_doubt("allreduce", {0.9, 1.3}, {0.7, 0.8}));
  CHECK_FALSE(has_doubt("", {1.1, 1.3}, {0.9, 1.05}));
  CHECK(has_doubt("third", {1.1, 1.1}, {1.1 - 1e-15, 1.1 - 1e-15}));
}

TEST_CASE(
    "shares in histograms of active workers and staleness sum to 100 percent for algorithms that have them") {
  const Report report = report_of(finished_run());
  for (const char* id : {"active_workers", "staleness"}) {
    const ReportChart& chart = chart_named(report, id);
    double sum = 0;
    for (const json& share : column_of(chart, "share_percent")) sum += share.get<double>();
    CHECK(sum == about(100));
    for (const json& label : column_of(chart, "algorithm")) CHECK(label == "eager_solo");
  }
}

TEST_CASE("forward times in the timeline equal those of iterations.csv") {
  const ReportChart chart = chart_named(report_of(finished_run()), "timeline");
  for (const json& note : chart.options.at("notes"))
    CHECK(note.get<std::string>().starts_with("Iteration 5, "));  // in the middle of 2 … 8
  std::map<std::string, double> forward_s;
  for (std::size_t row = 0; row < chart.table.rows(); ++row)
    if (column_of(chart, "name")[row] == "forward")
      forward_s[fmt::format("{} {}", column_of(chart, "algorithm")[row].get<std::string>(),
                            column_of(chart, "worker")[row].get<int>())] +=
          column_of(chart, "duration_s")[row].get<double>();
  CHECK(forward_s.size() == 8);
  for (const ForwardTime& time : forward_times(finished_run()))
    if (time.iteration == 5)
      CHECK(forward_s.at(fmt::format("{} {}", time.label, time.worker)) == about(time.forward_s, 1e-6));
}

TEST_CASE("the table of links has the busiest period and what senders were doing") {
  const json result = json::parse(contents_of(finished_run() / "result.json"));
  const ReportChart chart = chart_named(report_of(finished_run()), "links");
  const json& first = result.at("runs")[0].at("links").at("used")[0];
  const auto value = [&](const char* column) { return column_of(chart, column)[0].get<double>(); };
  CHECK(value("backward_percent") ==
        about(100 * first.at("bytes_while").at("backward").get<double>() / first.at("bytes").get<double>()));
  CHECK(value("waiting_percent") > 0);
  CHECK(value("most_busy_percent") >= value("busy_percent"));
  CHECK(value("most_busy_percent") <= 100);
}

TEST_CASE("every cable of the picture is a link of the table, and every host is there") {
  const ReportChart chart = chart_named(report_of(finished_run()), "links");
  const json& picture = chart.options.at("picture");
  CHECK(picture.at("vertices").size() == 5);
  CHECK(picture.at("links").size() == 8);
  std::set<std::string> names;
  for (const json& name : column_of(chart, "link")) names.insert(name.get<std::string>());
  for (const json& link : picture.at("links")) CHECK(names.contains(link.at("link").get<std::string>()));
}

TEST_CASE("errors distinguish a folder without a result, an unfinished run and a result of an old form") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "empty");
  folder.write("half/result.partial.json", "{}");
  folder.write("old/result.json", R"({"starling": "0.1.0", "runs": []})");
  const auto error = [&](const char* name) {
    return error_of(folder.path(), [&] { report_of(folder.path() / name); });
  };
  CHECK(error("empty").starts_with("empty: there is nothing to report"));
  CHECK(error("half").starts_with("half: the run that writes here has not finished"));
  CHECK(error("old").starts_with("old/result.json: "));
  CHECK(error("nowhere").starts_with("nowhere: "));
}

}  // namespace
}  // namespace starling
