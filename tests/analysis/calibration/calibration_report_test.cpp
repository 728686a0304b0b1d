#include "analysis/calibration/calibration_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "io/options/reader.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// An estimate with 10 degrees of freedom, as a line fitted to twelve measurements has.
SampleEstimate estimate(double value, double standard_error) { return {value, standard_error, 10}; }

PairCalibration pair(double start_s, double s_per_byte) {
  const LineFit small{
      .start_s = estimate(1e-6, 0), .s_per_unit = estimate(1e-9, 0), .least = 8, .greatest = 1024};
  const LineFit large{.start_s = estimate(start_s, 1e-6),
                      .s_per_unit = estimate(s_per_byte, 1e-10),
                      .least = 2048,
                      .greatest = 8 << 20};
  return {.partner = 1,
          .one_way = {small, large},
          .overhead_s = estimate(20e-6, 1e-6),
          .eager_threshold_bytes = 65536};
}

Calibration two_hosts() {
  return {.across_hosts = pair(340e-6, 4.2e-8),
          .within_host = {},
          .reduction_s_per_byte = estimate(2e-10, 1e-12)};
}

TEST_CASE("The cluster of a calibration is one that scenarios can include") {
  nlohmann::json document = calibration_json(two_hosts(), {});
  document.at("cluster")["workers"] = 2;
  const nlohmann::json block = without_errors(document.at("cluster"));
  std::vector<std::string> warnings;
  const ClusterDescription cluster = read_cluster(JsonPlace(block, "calibrated.json"), warnings);
  const LinkOptions link = std::get<StarOptions>(cluster.options.network.kind).link;
  CHECK(link.bandwidth_Bps == about(1 / 4.2e-8));
  CHECK(link.latency_s == about((340e-6 - 2 * 20e-6) / 2, 1e-9));
  CHECK(cluster.message_costs.overhead_s == 20e-6);
  CHECK(cluster.message_costs.reduction_s_per_byte == about(2e-10, 1e-9));
  CHECK(cluster.message_costs.eager_threshold_bytes == 65536);
}

TEST_CASE("Where the network is given calibration writes host_latency and goodput instead of a network") {
  const NominalRoute route{.alpha_s = 200e-6, .bandwidth_Bps = 25e6};
  const nlohmann::json block = calibration_json(two_hosts(), route).at("cluster");
  CHECK_FALSE(block.contains("network"));
  nlohmann::json whole = block;
  whole.update(
      {{"workers", 2}, {"network", {{"kind", "star"}, {"link", {{"bandwidth", 25e6}, {"latency", 0}}}}}});
  std::vector<std::string> warnings;
  read_cluster(JsonPlace(whole, "calibrated.json"), warnings, {.takes_errors = true});
  CHECK(block.at("goodput").get<double>() == about(1 / 4.2e-8 / 25e6, 1e-9));
  CHECK(block.at("host_latency").at("value").get<double>() == about(100e-6, 1e-9));
}

TEST_CASE("Where all messages of the last line use the rendezvous, its start-up time is three latencies") {
  Calibration calibration = two_hosts();
  calibration.across_hosts->eager_threshold_bytes = 1024;
  const nlohmann::json block = calibration_json(calibration, {}).at("cluster");
  const nlohmann::json& latency = block.at("network").at("link").at("latency");
  CHECK(latency.at("value").get<double>() == about((340e-6 - 2 * 20e-6) / 3 / 2, 1e-9));
  const NominalRoute route{.alpha_s = 70e-6, .bandwidth_Bps = 25e6};
  const nlohmann::json beside = calibration_json(calibration, route).at("cluster");
  CHECK(beside.at("host_latency").at("value").get<double>() == about(30e-6, 1e-9));
}

TEST_CASE(
    "The table names parameters whose error exceeds their value and timers that are late on a busy machine") {
  Calibration calibration = two_hosts();
  const auto is_told = [&](const std::string& text) {
    return calibration_table(calibration).find(text) != std::string::npos;
  };
  CHECK_FALSE(is_told("not known"));
  CHECK_FALSE(is_told("busy"));
  calibration.reduction_s_per_byte = estimate(2e-10, 1.3e-10);
  calibration.across_hosts->overhead_s = estimate(20e-6, 15e-6);
  CHECK(is_told("uncertain, as the error is larger than the value: the overhead across hosts, reductions; "));
  // A negative overhead is written as 0. Within its error the true value may also be above 0.
  calibration.across_hosts->overhead_s = estimate(-6e-6, 4e-6);
  CHECK(is_told("uncertain, as the error is larger than the value: the overhead across hosts, reductions; "));
  calibration.timer_error_s = estimate(150e-6, 1e-6);
  CHECK(is_told("timers fire late, as on a busy machine: measure again while it is idle\n"));
}

TEST_CASE("Calibrated parameters are written with the relative errors that uncertainty runs draw from") {
  Calibration calibration = two_hosts();
  calibration.reduction_s_per_byte = estimate(2e-10, 1.3e-10);  // a relative error of 65 %
  calibration.across_hosts->send_buffer_bytes = estimate(4e5, 0);
  const nlohmann::json block = calibration_json(calibration, {}).at("cluster");
  const auto error_at = [&](const char* pointer) {
    return block.at(nlohmann::json::json_pointer(pointer)).at("relative_error").get<double>();
  };
  // A 95 % interval reaches 2.228 standard errors by Student's t with 10 degrees of freedom, but 1.960 for
  // the normal distribution that runs draw from: written errors are larger by that ratio.
  constexpr double reach = 2.228139 / 1.959964;
  CHECK(error_at("/network/link/bandwidth") == about(reach * 1e-10 / 4.2e-8, 1e-6));
  // A message passes two such links: their latencies sum to 340 µs − 2 · 20 µs = 300 µs, ± 1 µs.
  CHECK(error_at("/network/link/latency") == about(reach * 1e-6 / 300e-6, 1e-6));
  CHECK(error_at("/message_overhead") == about(reach * 0.05, 1e-6));
  CHECK(error_at("/reduction_rate") == about(reach * 0.65, 1e-6));
  CHECK(block.at("send_buffer") == 4e5);  // known exactly
  calibration.reduction_s_per_byte.standard_error = 1e-9;
  CHECK(calibration_json(calibration, {}).at("cluster").at("reduction_rate").at("relative_error") == 0.99);
}

TEST_CASE("Overheads are at most the time of a message, and hosts are never faster than their network") {
  Calibration calibration = two_hosts();
  calibration.across_hosts = pair(30e-6, 3.9e-8);
  const NominalRoute route{.alpha_s = 200e-6, .bandwidth_Bps = 25e6};
  const nlohmann::json block = calibration_json(calibration, route).at("cluster");
  CHECK(block.at("message_overhead").at("value") == 15e-6);
  CHECK(block.at("host_latency") == 0);
  CHECK(block.at("goodput") == 1);
  const std::string table = calibration_table(calibration, route);
  CHECK(table.find("across hosts: 25.64 MB/s are 2.6 % more than the 25.00 MB/s of --network, so goodput is "
                   "1") != std::string::npos);
  CHECK(table.find("across hosts: messages start 200.0 us sooner than the latency of --network allows, 200.0 "
                   "us, so host_latency is 0") != std::string::npos);
  for (const std::string& fits : {calibration_table(two_hosts(), route), calibration_table(calibration)})
    CHECK(fits.find("--network") == std::string::npos);
}

TEST_CASE("If all workers share a host its intra-host parameters are used for the network as well") {
  Calibration calibration = two_hosts();
  std::swap(calibration.across_hosts, calibration.within_host);
  const nlohmann::json block = calibration_json(calibration, {}).at("cluster");
  CHECK(block.at("intra_host_link").at("latency").at("value").get<double>() == about(300e-6, 1e-9));
  CHECK(block.at("network").at("link").at("latency").at("value").get<double>() == about(150e-6, 1e-9));
}

/// The latency of intra_host_link that calibration writes, in seconds.
double latency_within_host(const Calibration& calibration) {
  const nlohmann::json document = calibration_json(calibration, {});
  const nlohmann::json& latency = document.at("cluster").at("intra_host_link").at("latency");
  return (latency.is_object() ? latency.at("value") : latency).get<double>();
}

TEST_CASE(
    "The intra-host latency is what remains after the overhead measured across hosts, not the one measured "
    "within") {
  Calibration calibration = two_hosts();
  calibration.within_host = pair(50e-6, 1e-9);
  calibration.within_host->overhead_s.value = 2e-6;
  CHECK(latency_within_host(calibration) == about(50e-6 - 2 * 20e-6, 1e-9));
  calibration.across_hosts->wake_up_s = estimate(4e-6, 1e-6);
  CHECK(latency_within_host(calibration) == about(50e-6 - 2 * 20e-6 - 4e-6, 1e-9));
  CHECK(calibration_table(calibration).find("too long") == std::string::npos);
}

TEST_CASE(
    "Where the start-up time of large messages is not significantly above 0, that of small messages is "
    "used") {
  Calibration calibration = two_hosts();
  for (const double start_s : {-117.4e-6, 117.4e-6}) {
    calibration.within_host = pair(start_s, 1e-9);
    calibration.within_host->one_way.back().start_s.standard_error = 96.2e-6;
    calibration.within_host->one_way.front().start_s = estimate(60e-6, 1e-6);
    CHECK(latency_within_host(calibration) == about(60e-6 - 2 * 20e-6, 1e-9));
    CHECK(calibration_table(calibration).find("not known") == std::string::npos);
  }
}

TEST_CASE("Where the overhead exceeds the intra-host start-up time, the latency is 0 and the table says so") {
  Calibration calibration = two_hosts();
  calibration.within_host = pair(13.2e-6, 1e-9);
  CHECK(latency_within_host(calibration) == 0);
  CHECK(calibration_table(calibration).find("within a host: messages start within 13.20 us") !=
        std::string::npos);
  CHECK(calibration_table(calibration).find("predictions are 26.80 us too long") != std::string::npos);
}

TEST_CASE("A line with no positive slope is not used for the bandwidth, and the table says so") {
  Calibration calibration = two_hosts();
  LineFit& last = calibration.across_hosts->one_way.back();
  for (const double s_per_byte : {0.0, -4.9e-7}) {
    last.s_per_unit = estimate(s_per_byte, 7e-7);
    const nlohmann::json block = calibration_json(calibration, {}).at("cluster");
    CHECK(block.at("network").at("link").at("bandwidth") ==
          about(1e9, 1e-12));  // that of the line for small messages, 1e-9 s/B
    CHECK(calibration_table(calibration)
              .find("the time of messages of 2.048 kB to 8.389 MB does not grow with their size, "
                    "so the bandwidth is that of smaller messages") != std::string::npos);
  }
}

TEST_CASE("Where no line has a positive slope, no bandwidth is written, and the table says so") {
  Calibration calibration = two_hosts();
  calibration.within_host = calibration.across_hosts;
  for (auto* each : {&*calibration.across_hosts, &*calibration.within_host})
    for (LineFit& line : each->one_way) line.s_per_unit.value = -1e-9;
  const nlohmann::json block = calibration_json(calibration, {}).at("cluster");
  CHECK_FALSE(block.at("network").at("link").contains("bandwidth"));
  CHECK(block.at("network").at("link").contains("latency"));
  CHECK_FALSE(block.at("intra_host_link").contains("bandwidth"));
  const NominalRoute route{.alpha_s = 200e-6, .bandwidth_Bps = 25e6};
  const nlohmann::json beside = calibration_json(calibration, route).at("cluster");
  CHECK_FALSE(beside.contains("goodput"));
  CHECK(beside.contains("host_latency"));
  const std::string table = calibration_table(calibration);
  CHECK(table.find("within a host: the time of messages of 2.048 kB to 8.389 MB does not grow with "
                   "their size, so no bandwidth is written") != std::string::npos);
}

TEST_CASE("The table says when sends end only where that was measured") {
  Calibration calibration = two_hosts();
  const auto table_says = [&](const char* text) {
    return calibration_table(calibration).find(text) != std::string::npos;
  };
  CHECK(table_says("eager up to 65.54 kB; sends complete at once; consecutive messages of 1 MiB"));
  calibration.across_hosts->eager_threshold_bytes = 3072;
  CHECK(table_says("eager up to 3.072 kB; consecutive messages of 1 MiB"));
  calibration.across_hosts->eager_threshold_bytes.reset();
  CHECK(
      table_says("no message waits for its receiver; sends complete at once; consecutive messages of 1 MiB"));
  calibration.across_hosts->one_way.back().s_per_unit.value = 0;
  CHECK(table_says("no message waits for its receiver; consecutive messages of 1 MiB"));
  calibration.across_hosts->send_buffer_bytes = estimate(4e5, 1e4);
  CHECK(table_says(
      "; sends complete 400.0 kB ± 22.28 kB before their last byte has left; consecutive messages of 1 MiB"));
}

TEST_CASE("The table has a row for every fitted line") {
  const std::string table = calibration_table(two_hosts());
  CHECK(table.find("across hosts, 8.000 B to 1.024 kB") != std::string::npos);
  CHECK(table.find("340.0 us ± 2.228 us  23.81 MB/s ± 0.5 %") != std::string::npos);
  CHECK(table.find("\n±: 95 % intervals\n") != std::string::npos);  // in other tables ± is a standard error
  CHECK(table.find("eager up to 65.54 kB") != std::string::npos);
}

}  // namespace
}  // namespace starling
