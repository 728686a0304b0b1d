#include "scenarios/reading/cluster_reader.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>

#include "io/input_file.hpp"
#include "io/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal.hpp"
#include "scenarios/reading/network_reader.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

namespace {

constexpr int most_workers = 1 << 20;
constexpr int most_workers_per_host = 1024;
constexpr int most_frames = 1 << 20;
// Longer start-ups are likely a forgotten unit.
constexpr double suspicious_latency_s = 1;

MessageCosts read_message_costs(ObjectReader& object) {
  MessageCosts costs;
  costs.overhead_s = object.quantity("message_overhead", Dimension::time, 0.0);
  const auto rate = object.optional_quantity("reduction_rate", Dimension::bandwidth);
  costs.reduction_s_per_byte = rate ? 1 / *rate : 0;
  const auto threshold = object.optional_quantity("eager_threshold", Dimension::size);
  if (threshold) costs.eager_threshold_bytes = *threshold;
  const auto buffer = object.optional_quantity("send_buffer", Dimension::size);
  if (buffer) costs.send_buffer_bytes = *buffer;
  costs.wake_up_s = object.quantity("wake_up", Dimension::time, 0.0);
  return costs;
}

HostCosts read_host_costs(ObjectReader& object) {
  constexpr Range share{.least = 1e-6, .greatest = 1};
  return {.goodput = object.number("goodput", share, 1.0),
          .latency_s = object.quantity("host_latency", Dimension::time, 0.0)};
}

Normalized<TcpOptions> read_tcp(const JsonPlace& place) {
  constexpr double greatest_bytes = 1e18;
  constexpr Range size{.least = 1, .greatest = greatest_bytes};
  ObjectReader object(place, {"window", "frame", "acknowledgment", "frames_at_first_link"});
  TcpOptions options;
  options.window_bytes = object.quantity("window", Dimension::size, options.window_bytes, size);
  options.frame_bytes = object.quantity("frame", Dimension::size, options.frame_bytes, size);
  options.acknowledgment_bytes =
      object.quantity("acknowledgment", Dimension::size, options.acknowledgment_bytes);
  options.frames_at_first_link =
      object.small_integer("frames_at_first_link", {1, most_frames}, options.frames_at_first_link);
  return {options, object.as_read()};
}

ClusterOptions read_options(ObjectReader& object) {
  ClusterOptions options;
  options.workers = object.small_integer("workers", {1, most_workers});
  options.workers_per_host = object.small_integer("workers_per_host", {1, most_workers_per_host}, 1);
  const int hosts = (options.workers + options.workers_per_host - 1) / options.workers_per_host;
  options.network =
      object.object("network", [hosts](const JsonPlace& place) { return read_network(place, hosts); });
  options.intra_host_link = object.optional_object("intra_host_link", read_link);
  if (options.workers_per_host > 1 && !options.intra_host_link)
    throw ScenarioError({object.place().file(), object.place().pointer(),
                         "key \"intra_host_link\" is missing",
                         fmt::format("\"workers_per_host\" {}", options.workers_per_host),
                         "a link between the workers of a host, or one worker per host"});
  return options;
}

/// Overrides of links, and whatever else only the finished network can tell.
void check_network(const JsonPlace& place, const ClusterOptions& options) {
  try {
    build_network(options);
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({place.file(), place.pointer(), error.what(), "", ""});
  }
}

void warn(const JsonPlace& place, const ClusterDescription& cluster, std::vector<std::string>& warnings) {
  const ClusterOptions& options = cluster.options;
  if (options.workers % options.workers_per_host != 0)
    warnings.push_back(fmt::format("{}: {}: {} workers on hosts of {} leave the last host with {}",
                                   place.file(), place.pointer(), options.workers, options.workers_per_host,
                                   options.workers % options.workers_per_host));
  if (cluster.message_costs.overhead_s >= suspicious_latency_s)
    warnings.push_back(fmt::format("{}: {}/message_overhead: {} s for each message", place.file(),
                                   place.pointer(), cluster.message_costs.overhead_s));
}

Normalized<ClusterDescription> read_whole_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                                  bool uses_tcp) {
  ObjectReader object(place, {"workers", "workers_per_host", "network", "intra_host_link", "message_overhead",
                              "reduction_rate", "eager_threshold", "send_buffer", "wake_up", "goodput",
                              "host_latency", "tcp", "file"});
  ClusterDescription cluster;
  cluster.options = read_options(object);
  cluster.message_costs = read_message_costs(object);
  cluster.host_costs = read_host_costs(object);
  // A scenario for another engine may carry the options of TCP, for when it is run with that engine.
  const nlohmann::json nothing = nlohmann::json::object();
  if (const auto tcp = object.optional_object("tcp", read_tcp))
    cluster.tcp = *tcp;
  else if (uses_tcp)
    object.note("tcp", read_tcp(JsonPlace(nothing, place.file())).as_read);
  check_network(object.at("network"), cluster.options);
  warn(place, cluster, warnings);
  return {cluster, object.as_read()};
}

/// The `cluster` of a file that `starling calibrate` wrote, or somebody else.
nlohmann::json included_cluster(const std::filesystem::path& file) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  const ObjectReader object(JsonPlace(document, file.string()), {"starling", "cluster", "measured"});
  const JsonPlace cluster = object.at("cluster", "an object");
  if (!cluster.value().is_object()) cluster.fail("wrong type", "an object");
  if (cluster.value().contains("file"))
    throw ScenarioError(
        {file.string(), "/cluster/file", "an included cluster cannot include another", "", ""});
  return cluster.value();
}

/// Whether a pointer leads into one of the keys that only the included file has.
bool is_included(const std::string& pointer, const JsonPlace& place, const nlohmann::json& included) {
  for (const auto& [key, value] : included.items()) {
    const std::string here = pointer_to(place.pointer(), key);
    if (!place.value().contains(key) && (pointer == here || pointer.starts_with(here + "/"))) return true;
  }
  return false;
}

}  // namespace

Normalized<ClusterDescription> read_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                            bool uses_tcp) {
  if (!place.value().is_object() || !place.value().contains("file"))
    return read_whole_cluster(place, warnings, uses_tcp);
  const std::filesystem::path file =
      input_path(JsonPlace(place.value().at("file"), place.file(), pointer_to(place.pointer(), "file")));
  nlohmann::json whole = included_cluster(file);
  const nlohmann::json included = whole;
  whole.update(place.value());
  whole.erase("file");
  try {
    return read_whole_cluster(JsonPlace(whole, place.file(), place.pointer()), warnings, uses_tcp);
  } catch (const ScenarioError& error) {
    ScenarioError::Description description = error.description();
    if (is_included(description.place, place, included)) description.file = file.string();
    throw ScenarioError(description);
  }
}

}  // namespace starling
