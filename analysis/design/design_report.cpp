#include "analysis/design/design_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "analysis/networks/network_report_text.hpp"
#include "analysis/results/result_table.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/csv_field.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// Makes the reports of what was found.
class Report : DesignFound {
 public:
  explicit Report(const DesignFound& found) : DesignFound(found) {}

  std::string text() const {
    return front_table() + "\n" + answer_text() + wins_text() + tried_text() +
           fmt::format("Prices: {}, without hosts.\n", study.prices.name);
  }

  Json json() const {
    Json document = study_json();
    document["answer"] = Json::array();
    if (answer.front.empty()) document["answer"].push_back(reason_without_front());
    for (const std::string& sentences : {answer_text(), wins_text(), tried_text()})
      if (!sentences.empty()) document["answer"].push_back(sentences.substr(0, sentences.size() - 1));
    document["front"] = answer.front;
    document["best"] = or_null(answer.best);
    document["cheapest"] = or_null(answer.cheapest);
    document["cheapest_for_sure"] = or_null(answer.cheapest_for_sure);
    document["fastest"] = document["networks"] = document["candidates"] = Json::array();
    for (const AlgorithmWins& wins : answer.wins)
      document["fastest"].push_back({{"algorithm", wins.algorithm}, {"networks", wins.networks}});
    document["undecided_networks"] = answer.undecided;
    for (const DesignNetwork& network : space.networks) document["networks"].push_back(network_json(network));
    for (std::int64_t i = 0; i < space.candidates(); ++i) document["candidates"].push_back(candidate_json(i));
    return document;
  }

  std::string csv() const {
    std::string text = "candidate,family";
    for (std::size_t i = 0; i + 1 < space.plan.pointers().size(); ++i)
      text += ',' + csv_field(space.plan.pointers()[i]);
    text +=
        ",algorithm,workers,hosts,switches,price,power_W,state,reason,is_on_front,bound_s,"
        "iteration_time_s,iteration_time_s_standard_error,objective,objective_95_least,"
        "objective_95_greatest\n";
    for (std::int64_t i = 0; i < space.candidates(); ++i) text += csv_row(i);
    return text;
  }

 private:
  bool is_on_front(std::int64_t candidate) const {
    return std::ranges::find(answer.front, candidate) != answer.front.end();
  }

  std::string price_text(const DesignNetwork& network) const {
    return fmt::format("{} {}", count_text(network.price), study.prices.currency);
  }

  /// Whether the text of an objective has its error: if it is large enough to show in the digits of the
  /// value.
  bool is_objective_error_shown(const SampleEstimate& estimate) const {
    if (study.objective != DesignObjective::throughput)
      return is_error_shown(estimate.value, estimate.standard_error);
    return estimate.standard_error > 1e-4 * estimate.value && estimate.value > 0;
  }

  /// An objective as text: "118.2 ± 1.1 ms", "5,120 samples/s", or "no time per sample" for a throughput
  /// without computing and messages.
  std::string objective_text(const SampleEstimate& estimate) const {
    if (study.objective != DesignObjective::throughput)
      return time_text(estimate.value, estimate.standard_error);
    if (estimate.value == 0) return "no time per sample";
    const double rate = 1 / estimate.value;
    if (!is_objective_error_shown(estimate)) return fmt::format("{} samples/s", throughput_text(rate));
    return fmt::format("{} ± {:.2g} samples/s", throughput_text(rate), estimate.standard_error * rate * rate);
  }

  std::string target_text() const {
    return study.objective == DesignObjective::throughput
               ? fmt::format("{} samples/s", throughput_text(*study.target))
               : time_text(*study.target);
  }

  std::int64_t count(CandidateState state) const {
    return std::ranges::count(findings, state, &CandidateFinding::state);
  }

  std::string reason_without_front() const {
    if (count(CandidateState::without_target) > 0) return "No candidate that was tried reached the loss.";
    if (count(CandidateState::failed) > 0) return "No candidate could be run; design.csv says why.";
    if (count(CandidateState::out_of_reach) > 0)
      return fmt::format("No candidate {}can reach {}: by lower bounds the best possible is {}.",
                         count(CandidateState::over_budget) > 0 ? "within the budget " : "", target_text(),
                         objective_text({.value = least_out_of_reach_s()}));
    if (count(CandidateState::over_budget) > 0)
      return fmt::format("Every network costs more than the budget; the cheapest one costs {}.",
                         price_text(cheapest_network()));
    return "All candidates were ruled out.";
  }

  double least_out_of_reach_s() const {
    double least_s = std::numeric_limits<double>::infinity();
    for (const CandidateFinding& finding : findings)
      if (finding.state == CandidateState::out_of_reach) least_s = std::min(least_s, finding.least_s);
    return least_s;
  }

  /// The cheapest network over the budget; there must be one.
  const DesignNetwork& cheapest_network() const {
    const DesignNetwork* cheapest = nullptr;
    for (std::int64_t i = 0; i < space.candidates(); ++i)
      if (of(i).state == CandidateState::over_budget &&
          (cheapest == nullptr || space.network_of(i).price < cheapest->price))
        cheapest = &space.network_of(i);
    return *cheapest;
  }

  /// The front as a table, with a note on ± if any errors are shown.
  std::string front_table() const {
    if (answer.front.empty()) return reason_without_front() + "\n";
    std::vector<TableRow> rows{
        {"network", "algorithm", "price", "power", name_of(study.objective), "95 % interval"}};
    for (const std::int64_t i : answer.front) {
      const DesignNetwork& network = space.network_of(i);
      rows.push_back({network_text(network), space.algorithm_of(i), price_text(network),
                      power_text(network.power_W), objective_text(of(i).objective_s),
                      interval_text(of(i).objective_s)});
    }
    const bool has_errors = std::ranges::any_of(
        answer.front, [&](std::int64_t i) { return is_objective_error_shown(of(i).objective_s); });
    const bool ends_at_target = count(CandidateState::dearer) + count(CandidateState::out_of_reach) > 0;
    return "Pareto front, from the cheapest to the best candidate" +
           std::string(ends_at_target ? ", up to the target" : "") + ":\n" + aligned(rows) +
           (has_errors ? note_of_errors(static_cast<std::size_t>(study.seeds)) : "");
  }

  std::string interval_text(const SampleEstimate& estimate) const {
    const std::optional<Interval> interval = interval_of(estimate);
    if (!interval) return "";
    if (study.objective != DesignObjective::throughput)
      return fmt::format("{} to {}", time_text(interval->least), time_text(interval->greatest));
    if (std::isinf(interval->least)) return "";
    return fmt::format("{} to {}", throughput_text(interval->least),
                       std::isfinite(interval->greatest) ? throughput_text(interval->greatest) : "–");
  }

  /// The 95 % interval of an objective, in its unit. A throughput whose time per sample may be 0 has an
  /// infinite upper end.
  std::optional<Interval> interval_of(const SampleEstimate& estimate) const {
    const std::optional<Interval> interval = interval_95_not_below_0(estimate);
    if (!interval || study.objective != DesignObjective::throughput) return interval;
    constexpr double none = std::numeric_limits<double>::infinity();
    return Interval{.least = 1 / interval->greatest,
                    .greatest = interval->least > 0 ? 1 / interval->least : none};
  }

  std::string candidate_text(std::int64_t candidate) const {
    const DesignNetwork& network = space.network_of(candidate);
    return fmt::format("{} with {}, {}, {}", network_text(network), space.algorithm_of(candidate),
                       price_text(network), objective_text(of(candidate).objective_s));
  }

  std::string answer_text() const {
    if (!answer.best) return "";
    if (!study.target)
      return fmt::format(
          "The best{}: {}.\n",
          study.budget ? fmt::format(" within {} {}", count_text(*study.budget), study.prices.currency) : "",
          candidate_text(*answer.best));
    if (!answer.cheapest)
      return fmt::format("Nothing reaches {}; the best: {}.\n", target_text(), candidate_text(*answer.best));
    std::string text = fmt::format("The cheapest network that reaches {}: {}.\n", target_text(),
                                   candidate_text(*answer.cheapest));
    return answer.cheapest == answer.cheapest_for_sure ? text : text + doubt_text();
  }

  /// How sure it is that the cheapest candidate reaches the target, and which is the cheapest that surely
  /// does.
  std::string doubt_text() const {
    const bool has_interval = of(*answer.cheapest).objective_s.has_error();
    const std::string text = has_interval ? "Its 95 % interval extends beyond the target. "
                                          : "It has no 95 % interval, so that is uncertain. ";
    if (!answer.cheapest_for_sure)
      return text + "No candidate certainly reaches it; more seeds or iterations narrow the intervals.\n";
    return text + fmt::format("The cheapest one whose interval {}: {}.\n",
                              has_interval ? "does not" : "does not extend beyond the target",
                              candidate_text(*answer.cheapest_for_sure));
  }

  std::string wins_text() const {
    std::vector<std::string> parts;
    for (const AlgorithmWins& wins : answer.wins)
      if (!wins.networks.empty())
        parts.push_back(fmt::format("{} on {}", wins.algorithm, wins.networks.size()));
    if (!answer.undecided.empty()) parts.push_back(fmt::format("undecided on {}", answer.undecided.size()));
    if (parts.empty()) return "";
    return fmt::format("Fastest algorithm on the networks that were tried: {}.\n", fmt::join(parts, ", "));
  }

  std::string tried_text() const {
    std::map<std::string, int> reasons;
    std::int64_t tried = 0;
    for (const CandidateFinding& finding : findings)
      if (finding.state == CandidateState::tried || finding.state == CandidateState::without_target)
        ++tried;
      else
        ++reasons[finding.state == CandidateState::failed ? "failed, see design.csv" : finding.reason];
    std::string text =
        fmt::format("Tried {} of {} ({}, {}), {} each.", tried, counted(space.candidates(), "candidate"),
                    counted(space.networks.size(), "network"), counted(space.algorithms.size(), "algorithm"),
                    counted(study.seeds, "seed"));
    if (const std::int64_t without = count(CandidateState::without_target); without > 0)
      text += fmt::format(" Did not reach the loss: {}.", without);
    std::vector<std::string> parts;
    for (const auto& [reason, count] : reasons) parts.push_back(fmt::format("{}: {}", count, reason));
    if (!parts.empty()) text += fmt::format(" Not tried or failed: {}.", fmt::join(parts, "; "));
    return text + "\n";
  }

  Json study_json() const {
    return {{"starling", version()},
            {"study", study.name},
            {"objective", name_of(study.objective)},
            {"target", or_null(study.target)},
            {"budget", or_null(study.budget)},
            {"least_gain", study.least_gain},
            {"seeds", study.seeds},
            {"prices", {{"name", study.prices.name}, {"currency", study.prices.currency}}}};
  }

  Json network_json(const DesignNetwork& network) const {
    Json values = Json::object();
    for (std::size_t i = 0; i < network.values.size(); ++i)
      if (!network.values[i].is_null()) values[space.plan.pointers()[i]] = network.values[i];
    return {{"family", network.family},   {"name", network_text(network)}, {"values", values},
            {"workers", network.workers}, {"hosts", network.hosts},        {"switches", network.switches},
            {"price", network.price},     {"power_W", network.power_W}};
  }

  Json candidate_json(std::int64_t candidate) const {
    const CandidateFinding& finding = of(candidate);
    Json row{{"network", static_cast<std::size_t>(candidate) / space.algorithms.size()},
             {"algorithm", space.algorithm_of(candidate)},
             {"state", name_of(finding.state)},
             {"reason", text_or_null(finding.reason)},
             {"bound_s", finding.least_s}};
    row["iteration_time_s"] = row["standard_error_s"] = row["objective"] = row["objective_interval_95"] =
        nullptr;
    if (!is_tried(candidate)) return row;
    row["iteration_time_s"] = finding.iteration_time_s.value;
    if (finding.iteration_time_s.has_error())
      row["standard_error_s"] = finding.iteration_time_s.standard_error;
    row["objective"] = finite_or_null(objective_of(finding));
    if (const auto interval = interval_of(finding.objective_s))
      row["objective_interval_95"] = {interval->least, finite_or_null(interval->greatest)};
    return row;
  }

  double objective_of(const CandidateFinding& finding) const {
    return study.objective == DesignObjective::throughput ? 1 / finding.objective_s.value
                                                          : finding.objective_s.value;
  }

  std::string csv_row(std::int64_t candidate) const {
    const DesignNetwork& network = space.network_of(candidate);
    const CandidateFinding& finding = of(candidate);
    std::string text = fmt::format("{},{}", candidate, csv_field(network.family));
    for (const nlohmann::json& value : network.values) text += ',' + csv_field(value_text(value));
    text += fmt::format(",{},{},{},{},{},{},{},{},{},{}", csv_field(space.algorithm_of(candidate)),
                        network.workers, network.hosts, network.switches, network.price, network.power_W,
                        name_of(finding.state), csv_field(finding.reason), is_on_front(candidate) ? 1 : 0,
                        finding.least_s);
    if (!is_tried(candidate)) return text + ",,,,,\n";
    const std::optional<Interval> interval = interval_of(finding.objective_s);
    text += fmt::format(",{},", finding.iteration_time_s.value);
    if (finding.iteration_time_s.has_error())
      text += fmt::format("{}", finding.iteration_time_s.standard_error);
    text += fmt::format(",{},", csv_field(objective_of(finding)));
    if (!interval) return text + ",\n";
    return text + fmt::format("{},{}\n", csv_field(interval->least), csv_field(interval->greatest));
  }
};

}  // namespace

std::string design_table(const DesignFound& found) { return Report(found).text(); }

Json design_json(const DesignFound& found) { return Report(found).json(); }

std::string design_csv(const DesignFound& found) { return Report(found).csv(); }

std::string network_text(const DesignNetwork& network) {
  return network.text.empty() ? network.family : fmt::format("{}, {}", network.family, network.text);
}

}  // namespace starling
