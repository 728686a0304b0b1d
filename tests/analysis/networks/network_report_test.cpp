#include "analysis/networks/network_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>
#include <vector>

#include "analysis/networks/network_drawing.hpp"
#include "analysis/networks/network_picture.hpp"
#include "analysis/networks/network_report_text.hpp"
#include "analysis/networks/price_list_file.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/options/schema.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

PriceList shipped() { return read_price_list(shipped_price_list()); }

Scenario gossip_on_torus() {
  Scenario scenario = small_scenario();
  scenario.cluster = cluster_of(16, TorusOptions{.dimensions = {4, 4}, .link = test_link});
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = RingGraph{}}});
  add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = OnePeerRingGraph{}}}, "in pairs");
  return scenario;
}

TEST_CASE(
    "a network report has the spectral gap of every communication graph, per period and per iteration") {
  const Scenario scenario = gossip_on_torus();
  const NetworkReport report = network_report(scenario.cluster, &scenario, shipped());
  REQUIRE(report.gaps.size() == 2);
  // A ring with weights 1/3 has eigenvalues (1 + 2 cos(2πk/16))/3. The pairs repeat after 2 iterations.
  const double cosine = std::cos(2 * std::numbers::pi / 16);
  CHECK(report.gaps[0].algorithm == "dpsgd");
  CHECK(report.gaps[0].facts.period == 1);
  CHECK(report.gaps[0].facts.per_period.value() == about(2 / 3.0 * (1 - cosine), 1e-8));
  CHECK(report.gaps[0].facts.per_iteration.value() == about(*report.gaps[0].facts.per_period));
  CHECK(report.gaps[1].facts.period == 2);
  CHECK(report.gaps[1].facts.per_iteration.value() ==
        about(1 - std::sqrt(1 - *report.gaps[1].facts.per_period), 1e-8));
  CHECK(network_report(scenario.cluster, nullptr, shipped()).gaps.empty());
}

TEST_CASE("table and JSON have the figures of a network report") {
  const Scenario scenario = gossip_on_torus();
  const NetworkReport report = network_report(scenario.cluster, &scenario, shipped());
  const std::string table = network_table(report);
  for (const char* part :
       {"network", "torus", "diameter, links", "mean hops, links", "bisection bandwidth", "dpsgd",
        "per iteration", "within a rack", "card 100 Gbps", "prices of the list \"assumed\""})
    CHECK_MESSAGE(has(table, part), part);
  const nlohmann::ordered_json document = network_json(report);
  CHECK(document.at("hosts") == 16);
  CHECK(document.at("cables") == 32);
  // A torus of 4 × 4 hosts: distances sum to 32 over 15 other hosts, and 8 cables cross the bisection.
  CHECK(document.at("diameter_links") == 4);
  CHECK(document.at("mean_hops_links").at("mean").get<double>() == about(32 / 15.0));
  CHECK(document.at("mean_hops_links").at("over") == "one_host");
  CHECK(document.at("bisection_Bps").at("known") == "exactly");
  CHECK(document.at("bisection_Bps").at("most").get<double>() == about(8 * 10e9));
  CHECK(document.at("disjoint_paths").at("between_hosts") == 4);
  CHECK(document.at("disjoint_paths").at("between_switches").is_null());
  CHECK(document.at("spectral_gaps").size() == 2);
  CHECK(document.at("cost").at("price").get<double>() == about(report.cost.price));
}

TEST_CASE("the network report of a single host has no distances") {
  const NetworkReport report =
      network_report(cluster_of(1, StarOptions{.link = test_link}), nullptr, shipped());
  CHECK(!report.distances);
  CHECK(!network_json(report).contains("diameter_links"));
  CHECK(has(network_table(report), "hosts"));
  CHECK(report.kind == "star");
  CHECK(network_report(cluster_of(1, GraphOptions{}), nullptr, shipped()).kind == "none");
}

TEST_CASE("the shipped price list conforms to its schema, and has prices for every kind of network") {
  const PriceList list = shipped();
  const auto document = parse_json(read_text_file(shipped_price_list()), "assumed.json");
  CHECK_NOTHROW(validate_against_schema(document, "price_list", "assumed.json"));
  for (const auto& [name, cluster] : clusters_of_every_kind()) {
    CAPTURE(name);
    CHECK(network_cost(build_network(cluster), list).price > 0);
  }
}

std::string price_list_schema_text() {
  nlohmann::ordered_json definitions = quantity_definitions();
  PriceList list;
  const nlohmann::ordered_json own =
      option_schema([&](OptionVisitor& visitor) { describe(list, visitor); }, definitions);
  nlohmann::ordered_json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                                   {"title", "Prices of the parts of a network, and the floor plan"}};
  schema.update(own);
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

TEST_CASE("the schema of price lists is that generated from their description") {
  const auto file = data_directory() / "scenarios/schema/price_list.schema.json";
  if (std::getenv("STARLING_WRITE_GENERATED") != nullptr) std::ofstream(file) << price_list_schema_text();
  CHECK(read_text_file(file) == price_list_schema_text());
}

TEST_CASE("a price list without network cards is refused") {
  const ScratchFolder folder;
  const auto file = folder.path() / "prices.json";
  auto document = parse_json(read_text_file(shipped_price_list()), "assumed.json");
  document.erase("network_cards");
  std::ofstream(file) << document.dump();
  CHECK_THROWS_WITH_AS(read_price_list(file),
                       (file.string() + ": key \"network_cards\" is missing, expected a list").c_str(),
                       ScenarioError);
}

TEST_CASE("a picture shows every host, switch and cable") {
  const std::string torus = network_plot(
      build_network(cluster_of(12, TorusOptions{.dimensions = {3, 4}, .link = test_link})), "it's", "a.svg");
  CHECK(has(torus, "set terminal svg"));
  CHECK(has(torus, "set title 'it''s'"));
  CHECK(has(torus, "$hosts"));
  CHECK(!has(torus, "$switches"));
  const std::string tree =
      network_plot(build_network(cluster_of(16, FatTreeOptions{.k = 4, .link = test_link})), "tree", "a.png");
  CHECK(has(tree, "set terminal pngcairo"));
  const std::string switches = tree.substr(tree.find("$switches << EOD\n"));
  CHECK(std::count(switches.begin(), switches.begin() + static_cast<std::ptrdiff_t>(switches.find("\nEOD")),
                   '\n') == 20);
  const Network star = build_network(cluster_of(4, StarOptions{.link = test_link}));
  CHECK_THROWS_WITH_AS(network_plot(star, "", "a.gif"),
                       "a.gif: pictures of this format cannot be drawn, got .gif, expected a name that ends "
                       "in .svg, .png or .pdf",
                       ScenarioError);
  CHECK_THROWS_WITH_AS(
      network_plot(build_network(cluster_of(2000, StarOptions{.link = test_link})), "", "a.svg"),
      "a picture of 2001 hosts and switches would be illegible; the most is 2000", std::invalid_argument);
}

/// The distance of a point from the straight cable between two others, in units of the drawing.
double distance_from(const DrawnPoint& point, const DrawnPoint& one, const DrawnPoint& other) {
  const double x = other.x - one.x;
  const double y = other.y - one.y;
  const double along = ((point.x - one.x) * x + (point.y - one.y) * y) / (x * x + y * y);
  return std::hypot(one.x + std::clamp(along, 0.0, 1.0) * x - point.x,
                    one.y + std::clamp(along, 0.0, 1.0) * y - point.y);
}

TEST_CASE("no cable of a dragonfly is drawn across a switch that it does not end at") {
  for (const int hosts : {8, 72, 128}) {
    const Network network = build_network(cluster_of(hosts, DragonflyOptions{.link = test_link}));
    const NetworkDrawing drawing = drawing_of(network);
    double nearest = 1;
    for (const Link& link : network.links())
      for (int other = network.hosts(); other < network.hosts() + network.switches(); ++other)
        if (other != link.from_vertex && other != link.to_vertex)
          nearest =
              std::min(nearest, distance_from(drawing.vertices[static_cast<std::size_t>(other)],
                                              drawing.vertices[static_cast<std::size_t>(link.from_vertex)],
                                              drawing.vertices[static_cast<std::size_t>(link.to_vertex)]));
    CAPTURE(hosts);
    CHECK(nearest > 0.005);
  }
}

/// The number of ordered pairs of half cables that leave a vertex in the same direction, so that one covers
/// the other.
int covered_halves(const NetworkDrawing& drawing) {
  const auto is_same = [](double one, double other) { return std::abs(one - other) < rounding_of_sums; };
  int covered = 0;
  for (const auto& half : drawing.links)
    for (const auto& other : drawing.links) {
      if (&half == &other || half.from.x != other.from.x || half.from.y != other.from.y) continue;
      const double angle = std::atan2(half.to.y - half.from.y, half.to.x - half.from.x);
      if (is_same(angle, std::atan2(other.to.y - other.from.y, other.to.x - other.from.x))) ++covered;
    }
  return covered;
}

TEST_CASE("wrap-around cables of a torus are drawn as stubs to its outside, and cover no other cable") {
  const auto drawn = [](std::vector<int> dimensions, bool has_switches) {
    int hosts = 1;
    for (const int size : dimensions) hosts *= size;
    TorusOptions options{.dimensions = std::move(dimensions), .link = test_link};
    options.switches = has_switches;
    return drawing_of(build_network(cluster_of(hosts, options)));
  };
  for (const bool has_switches : {false, true}) {
    CHECK(covered_halves(drawn({4, 4}, has_switches)) == 0);
    CHECK(covered_halves(drawn({3, 4, 5}, has_switches)) == 0);
    CHECK(covered_halves(drawn({3, 2, 3, 4}, has_switches)) == 0);
  }
  int outside = 0;
  for (const auto& half : drawn({3, 4}, false).links)
    if (half.to.x < 0 || half.to.x > 3 || half.to.y > 0 || half.to.y < -2) ++outside;
  CHECK(outside == 2 * (3 + 4));
}

TEST_CASE("gnuplot draws a picture of every kind of network") {
  const ScratchFolder folder;
  const auto file = folder.path() / "network.svg";
  for (const auto& [name, cluster] : clusters_of_every_kind()) {
    CAPTURE(name);
    draw_network(build_network(cluster), name, file);
    CHECK(has(read_text_file(file), "</svg>"));
    std::filesystem::remove(file);
  }
}

}  // namespace
}  // namespace starling
