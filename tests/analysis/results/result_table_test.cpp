#include "analysis/results/result_table.hpp"

#include <doctest/doctest.h>

#include "analysis/results/files/result_json.hpp"
#include "hand_made_results.hpp"

namespace starling {
namespace {

TEST_CASE("The table of results has an aligned row for each run") {
  Result result = hand_made_result();
  result.runs.push_back(hand_made_run("a longer läbel", 0.15));
  result.runs.back().speedup = 2.0;
  result.runs.back().throughput_samples_per_s = 2469135.78;
  CHECK(
      result_table(result) ==
      "hand-made: 4 workers, event engine, 18 iterations after 2 to warm up\n"
      "\n"
      "algorithm       iteration       std  samples/s  exposed comm.  imbalance wait  sent/worker  speedup\n"
      "first            300.0 ms  1.000 ms  1,234,568       12.35 ms        3.210 us     102.2 MB    1.000\n"
      "a longer läbel   150.0 ms  1.000 ms  2,469,136       12.35 ms        3.210 us     102.2 MB    "
      "2.000\n");
}

TEST_CASE("The table of results says which messages are eager") {
  Result result = hand_made_result();
  result.transport = TransportFacts{.name = "ideal", .reason = "given"};
  CHECK(conditions_text(result) == "\ntransport ideal (given), all messages eager");
  result.transport->costs.eager_threshold_bytes = 65536;
  CHECK(conditions_text(result) == "\ntransport ideal (given), eager up to 65.54 kB");
  result.transport->costs.are_collectives_eager = true;
  CHECK(conditions_text(result) ==
        "\ntransport ideal (given), eager up to 65.54 kB, collectives of any size");
}

TEST_CASE("The table of results has the range of counted iterations over seeds, not their mean") {
  Result result = hand_made_result();
  result.runs[0].replications = {{.seed = 1, .mean_s = 0.3, .iterations = 16},
                                 {.seed = 2, .mean_s = 0.3, .iterations = 20}};
  CHECK(result_table(result).starts_with("hand-made: 4 workers, event engine, 16 to 20 iterations after 2"));
}

TEST_CASE("The table of results says worker and iteration in the singular") {
  Result result = hand_made_result();
  result.runs[0].workers = 1;
  result.runs[0].iterations = 1;
  CHECK(result_table(result).starts_with(
      "hand-made: 1 worker, event engine, 1 iteration after 2 to warm up\n"));
}

TEST_CASE("The table of results shows standard errors, and marks speed-ups that are not significant") {
  Result result = hand_made_result();
  result.runs.push_back(hand_made_run("slower", 0.31));
  result.runs[0].sampling.mean_s = {.value = 0.3, .standard_error = 0.004, .degrees_of_freedom = 9};
  result.runs[1].speedup = 0.97;
  result.runs[1].throughput_samples_per_s = 0.97 * *result.runs[0].throughput_samples_per_s;
  result.runs[1].speedup_interval_95 = Interval{.least = 0.93, .greatest = 1.01};
  const std::string table = result_table(result);
  CHECK(table.find(" 300.0 ± 4.0 ms ") != std::string::npos);
  CHECK(table.find(" 0.970 n.s.\n") != std::string::npos);
  CHECK(
      table.ends_with("±: standard error of the mean, by equal-weighted cosines\n"
                      "n.s.: not significant: the 95 % interval of the speed-up contains 1\n"));
  result.runs[1].speedup_interval_95 = Interval{.least = 0.93, .greatest = 0.99};
  CHECK(result_table(result).find("n.s.") == std::string::npos);
}

TEST_CASE("The table of results has the speed-up by samples where it differs from that by iterations") {
  Result result = hand_made_result();
  result.runs.push_back(hand_made_run("gossip", 0.15));
  result.runs[0].throughput_samples_per_s = 1000;
  result.runs[1].throughput_samples_per_s = 2030;
  result.runs[1].speedup = 2.0;
  CHECK(result_table(result).find("by samples/s") == std::string::npos);
  result.runs[1].throughput_samples_per_s = 2600;
  CHECK(result_table(result).find(
            "speedup by samples/s (fast workers do not wait for slow ones): gossip 2.600\n") !=
        std::string::npos);
  result.runs[0].throughput_samples_per_s.reset();
  CHECK(result_table(result).find("by samples/s") == std::string::npos);
}

TEST_CASE(
    "The table of results has the workers with fresh contributions, and staleness, of partial averages") {
  Result result = hand_made_result();
  Participation& participation = result.runs[0].participation;
  participation.details = Participation::Details{.operations = 25,
                                                 .fresh_contributions = 60,
                                                 .absent_contributions = 10,
                                                 .active_workers = {},
                                                 .staleness = {},
                                                 .max_lead_iterations = 2,
                                                 .iterations_at_first_end = {}};
  participation.stale_contributions = 30;
  participation.mean_staleness_iterations = 0.5556;
  // Of 100 places of workers in operations; the 10 without a contribution count.
  CHECK(result_table(result).ends_with(
      "workers with a fresh contribution, mean over operations, and age in iterations, mean over all "
      "contributed gradients or models: first 60 %, 0.56\n"));
  participation.stale_contributions = 0;
  participation.details->absent_contributions = 0;
  CHECK(result_table(result).find("fresh") == std::string::npos);
}

TEST_CASE("The table of results warns of partial periods, but not beyond a hundred periods") {
  Result result = hand_made_result();
  CHECK(result_table(result).find("periods") == std::string::npos);
  result.runs[0].pattern_period = 9;
  CHECK(result_table(result).find("periods") == std::string::npos);
  result.runs[0].pattern_period = 10;
  CHECK(result_table(result).find("counted iterations are not whole periods of the communication pattern: "
                                  "first 18, its pattern repeats after 10\n") != std::string::npos);
  result.runs[0].iterations = 1001;
  CHECK(result_table(result).find("periods") == std::string::npos);
}

TEST_CASE("The table of results warns of drifting iterations") {
  Result result = hand_made_result();
  CHECK(result_table(result).find("still drift") == std::string::npos);
  CHECK_FALSE(result_json(result).at("runs")[0].contains("drift_s"));
  result.runs[0].sampling.drift_s = Drift{.first = 0.0462, .last = 0.0489};
  CHECK(result_table(result).find("iteration times still drift while counted (count more iterations, after "
                                  "more warm-up): first from 46.20 ms to "
                                  "48.90 ms\n") != std::string::npos);
  CHECK(result_json(result).at("runs")[0].at("drift_s") == nlohmann::json({0.0462, 0.0489}));
}

TEST_CASE("The table of results warns of too few iterations for an error, but not for several seeds") {
  Result result = hand_made_result();
  CHECK(result_table(result).find("too few iterations") == std::string::npos);
  result.runs[0].least_batch = 20;
  CHECK(result_table(result).find("too few iterations for a standard error, as disturbances of workers are "
                                  "rare or last long; iterations needed: first "
                                  "60\n") != std::string::npos);
  result.runs[0].pattern_period = 10;
  CHECK(result_table(result).find("not whole periods of the communication pattern: first 18,") !=
        std::string::npos);
  CHECK(result_table(result).find("too few iterations") == std::string::npos);
  result.runs[0].replications = {{.seed = 1, .mean_s = 0.3, .iterations = 18},
                                 {.seed = 2, .mean_s = 0.3, .iterations = 18}};
  CHECK(result_table(result).find("not whole periods of the communication pattern: first 18,") !=
        std::string::npos);
  CHECK(result_table(result).find("too few iterations") == std::string::npos);
}

TEST_CASE("The table of results says where all layers are merged") {
  Result result = hand_made_result();
  CHECK(result_table(result).find("merged") == std::string::npos);
  result.runs[0].algorithm["merged_all"] = true;
  CHECK(result_table(result).find(
            "all layers merged, so that nothing is sent during the backward pass: first\n") !=
        std::string::npos);
}

TEST_CASE("Learning has a table of its own below the table of results") {
  Result result = hand_made_result();
  result.runs.push_back(hand_made_run("another", 0.3));
  result.runs[0].learning = hand_made_learning();
  result.runs[1].learning = hand_made_learning();
  result.runs[1].learning->rows.pop_back();
  result.runs[1].learning->time_to_target_s.reset();
  const std::string table = result_table(result);
  CHECK(table.substr(table.find("\n\nlearning")) ==
        "\n\nlearning: quadratic, 20 iterations, target loss 5\n"
        "\n"
        "algorithm  final loss  time to target  consensus distance\n"
        "first               –        750.0 ms                   –\n"
        "another           4.5               –              0.0125\n");
  result.runs[0].replications = {{.seed = 1, .mean_s = 0.3}, {.seed = 2, .mean_s = 0.3}};
  CHECK(result_table(result).find(
            "\n\nlearning: quadratic, 20 iterations, target loss 5, of the first seed\n") !=
        std::string::npos);
  result.runs[0].learning->caution = "the target was reached after the fastest worker had ended";
  CHECK(
      result_table(result).ends_with("\nfirst: the target was reached after the fastest worker had ended\n"));
}

TEST_CASE("The table of results shows undefined figures as dashes") {
  Result result = hand_made_result();
  result.scenario.erase("warmup_iterations");
  result.runs[0].throughput_samples_per_s.reset();
  result.runs[0].speedup.reset();
  CHECK(result_table(result) ==
        "hand-made: 4 workers, event engine, 18 iterations\n"
        "\n"
        "algorithm  iteration       std  samples/s  exposed comm.  imbalance wait  sent/worker  speedup\n"
        "first       300.0 ms  1.000 ms          –       12.35 ms        3.210 us     102.2 MB        –\n");
}

}  // namespace
}  // namespace starling
