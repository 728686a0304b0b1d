#include "analysis/reproduction/prediction_intervals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/reproduction/prediction_picture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// Outcomes of entries whose published value is 1, so that a prediction is its ratio to the published value.
class Outcomes {
 public:
  explicit Outcomes(std::size_t most) { entries_.reserve(most); }

  EntryOutcome& add_unknown(const std::string& model, double predicted) {
    EntryOutcome& outcome = add(model, predicted);
    entries_.back().value.reset();
    outcome.status = EntryStatus::predicted;
    return outcome;
  }

  EntryOutcome& add(const std::string& model, double predicted) {
    PublishedEntry& entry = entries_.emplace_back();
    entry.id = model + "-row";
    entry.paper = "A (2020)";
    entry.cluster = "lab";
    entry.workload["model"] = model;
    entry.value = 1;
    return outcomes.emplace_back(
        EntryOutcome{.entry = &entry, .reason = {}, .predicted = predicted, .relative_error = predicted - 1});
  }

  std::vector<EntryOutcome> outcomes;

 private:
  std::vector<PublishedEntry> entries_;
};

TEST_CASE("an interval comes from the errors of other tasks that calibrate nothing") {
  Outcomes all(20);
  all.add("resnet50", 2);
  all.add("resnet50", 50);  // the same task, not used
  all.add("bert_base", 70).is_calibration = true;
  for (int i = 1; i <= 9; ++i) all.add("transformer", i % 2 == 0 ? 1 + 0.01 * i : 1 / (1 + 0.01 * i));
  add_intervals(all.outcomes);
  // Conformal prediction: with nine errors of other tasks, a tenth is below the greatest with probability
  // 0.9.
  const EntryOutcome& first = all.outcomes.front();
  REQUIRE(first.interval_90);
  CHECK(first.interval_90->least == about(2 / 1.09));
  CHECK(first.interval_90->greatest == about(2 * 1.09));
  CHECK_FALSE(first.is_inside());
  CHECK(all.outcomes[2].interval_90);        // entries for calibration have one, too
  CHECK_FALSE(all.outcomes[3].interval_90);  // the transformer's task has only two others
}

TEST_CASE("an entry without a published value has an interval, also from errors of its own task") {
  Outcomes all(11);
  for (int i = 1; i <= 9; ++i) all.add("transformer", 1 + 0.01 * i);
  all.add_unknown("transformer", 3);
  add_intervals(all.outcomes);
  CHECK_FALSE(all.outcomes.front().interval_90);
  REQUIRE(all.outcomes.back().interval_90);
  CHECK(all.outcomes.back().interval_90->least == about(3 / 1.09));
  CHECK(all.outcomes.back().interval_90->greatest == about(3 * 1.09));
  CHECK(coverage_of_predictions(all.outcomes).with_interval == 0);
}

TEST_CASE("eight other entries are too few for an interval") {
  Outcomes all(9);
  all.add("resnet50", 1);
  for (int i = 0; i < 8; ++i) all.add("transformer", 1.1);
  add_intervals(all.outcomes);
  CHECK_FALSE(all.outcomes.front().interval_90);
}

TEST_CASE("where errors of tasks have one distribution, nine of ten predictions are inside their intervals") {
  constexpr int tasks = 400;
  Outcomes all(tasks + 1);
  std::mt19937 random(1);
  std::normal_distribution<double> error(0, 0.2);
  for (int i = 0; i < tasks; ++i) all.add("model" + std::to_string(i), std::exp(error(random)));
  all.add("fitted", 1e6).is_calibration = true;
  add_intervals(all.outcomes);
  const Coverage coverage = coverage_of_predictions(all.outcomes);
  CHECK(coverage.with_interval == tasks);
  // Each interval reaches to the 360th of the 399 errors of other tasks: 0.9 · 400.
  CHECK(coverage.inside == 360);
}

TEST_CASE("entries that are not compared or have no ratio have no interval and count for none") {
  Outcomes all(13);
  for (int i = 0; i < 10; ++i) all.add("transformer", 1.1);
  all.add("resnet50", 1).status = EntryStatus::failed;
  all.outcomes.back().predicted.reset();
  all.add("bert_base", 0);
  all.add("bert_large", 1);
  add_intervals(all.outcomes);
  CHECK_FALSE(all.outcomes[10].interval_90);
  CHECK_FALSE(all.outcomes[11].interval_90);
  CHECK(all.outcomes[12].interval_90);
}

TEST_CASE("the picture has a row for every entry and the ids of those outside their intervals") {
  Outcomes all(13);
  for (int i = 0; i < 11; ++i) all.add("transformer", 1.1);
  all.add("resnet50", 1);
  all.add("bert\n\"base\"", 5);
  add_intervals(all.outcomes);
  const std::string script = reproduction_plot(all.outcomes, "reproduce.svg");
  CHECK(script.find("-row (0.20)' at ") != std::string::npos);
  CHECK(script.find("resnet50-row") == std::string::npos);
  CHECK(script.find("\n11 1 ") != std::string::npos);
  CHECK(script.find("12 0.5 ") !=
        std::string::npos);  // the ratio 0.2 is beyond the axis and is drawn at its end
  CHECK(script.find("1 of 2 published values within the 90 % interval") != std::string::npos);
}

TEST_CASE("ids in the picture do not overlap, and intervals end where the axis does") {
  Outcomes all(8);
  for (int i = 0; i < 6; ++i) {
    EntryOutcome& outcome = all.add("model" + std::to_string(i), 1.5);
    outcome.interval_90 = Interval{1.4, 1.6};
  }
  all.add("wide", 1).interval_90 = Interval{0.1, 10};
  const std::string script = reproduction_plot(all.outcomes, "reproduce.svg");
  std::vector<double> rows;
  for (std::size_t at = script.find("-row' at "); at != std::string::npos;
       at = script.find("-row' at ", at + 1))
    rows.push_back(std::stod(script.substr(script.find(',', at) + 1)));
  std::ranges::sort(rows);
  REQUIRE(rows.size() == 6);
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i] - rows[i - 1] > 0.9);
  CHECK(script.find("nohead lw 0.5") != std::string::npos);  // a line from an id that was moved to its point
  CHECK(script.find("6 1 0.47619047619047616 2.1\n") != std::string::npos);
  CHECK(script.find("unset key") != std::string::npos);  // gnuplot's own key would cover points
}

}  // namespace
}  // namespace starling
