#include "topologies/formats/platform.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "tests/topologies/formats/network_files.hpp"

namespace starling {
namespace {

/// A platform of hosts a and b on a switch, whose links and routes are given.
std::string platform(const std::string& content, const std::string& routing = "Full") {
  return "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"" + routing +
         "\">\n<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>\n" + content +
         "</zone></platform>\n";
}

std::string link(const std::string& id) {
  return "<link id=\"" + id + "\" bandwidth=\"1Gbps\" latency=\"1us\"/>\n";
}

std::string route(const std::string& from, const std::string& to, const std::vector<std::string>& links) {
  std::string text = "<route src=\"" + from + "\" dst=\"" + to + "\" symmetrical=\"NO\">";
  for (const std::string& id : links) text += "<link_ctn id=\"" + id + "\"/>";
  return text + "</route>\n";
}

const std::string all_links = link("a -&gt; s") + link("s -&gt; a") + link("s -&gt; b") + link("b -&gt; s");
const std::string route_forth = route("a", "b", {"a -> s", "s -> b"});
const std::string route_back = route("b", "a", {"b -> s", "s -> a"});

std::string error_of_zone(const std::string& content) {
  return error_in("platform.xml", platform(content), 2);
}

const std::string where_graphml_helps = " (of hosts with several workers, only a GraphML export can be read)";

TEST_CASE("every network of one worker a host has the same routes after it was a SimGrid platform") {
  auto clusters = clusters_of_every_kind();
  clusters.emplace_back(
      "Valiant's dragonfly",
      cluster_of(72, DragonflyOptions{.routing = DragonflyRouting::valiant, .link = test_link}));
  for (const auto& [name, options] : clusters) {
    CAPTURE(name);
    const Network network = build_network(options);
    const Network again = read_back(network, "simgrid", "platform.xml");
    CHECK(texts_of_routes(network) == texts_of_routes(again));
    CHECK(network.diameter() <= again.diameter());
    for (Rank other = 1; other < network.workers(); ++other) {
      CHECK(network.alpha_s(0, other) == again.alpha_s(0, other));
      CHECK(network.bandwidth_Bps(0, other) == again.bandwidth_Bps(0, other));
    }
  }
}

/// The platform of a star of two hosts, with so many workers on each.
std::string platform_of_two_hosts(int workers_per_host) {
  ClusterOptions options = cluster_of(2, StarOptions{.link = test_link});
  options.workers = 2 * workers_per_host;
  options.workers_per_host = workers_per_host;
  options.intra_host_link = test_link;
  std::ostringstream out;
  export_network(build_network(options), "simgrid", out);
  return out.str();
}

TEST_CASE("an exported SimGrid platform has a host for each worker, and the links inside hosts") {
  const std::string platform = platform_of_two_hosts(2);
  CHECK(platform.find("<host id=\"worker3\" speed=\"1Gf\"/>") != std::string::npos);
  CHECK(platform.find("<link id=\"worker3 -&gt; host1\" bandwidth=\"10000000000Bps\" latency=\"1e-06s\"/>") !=
        std::string::npos);
  CHECK(platform.find("<route src=\"worker0\" dst=\"worker2\" symmetrical=\"NO\"><link_ctn id=\"host0 -&gt; "
                      "switch0\"/><link_ctn id=\"switch0 -&gt; host1\"/></route>") != std::string::npos);
  CHECK(error_in("platform.xml", platform, 4)
            .ends_with("link \"host0 -> switch0\" does not begin at worker0, which the route has reached" +
                       where_graphml_helps));
}

TEST_CASE("workers of one host in a SimGrid platform are not taken for hosts of a cluster") {
  const std::string platform = platform_of_two_hosts(4);
  // The first two are workers of host 0, with routes of their own between them.
  CHECK(error_in("platform.xml", platform, 2)
            .ends_with("link \"host0 -> switch0\" does not begin at worker0, which the route has reached" +
                       where_graphml_helps));
}

TEST_CASE("exporting a SimGrid platform of more than 512 workers is refused") {
  std::ostringstream out;
  CHECK_THROWS_WITH_AS(export_network(network_of(1000, StarOptions{.link = test_link}), "simgrid", out),
                       "simgrid: 1000 workers have 9.99e+05 routes, which must be listed one by one; at most "
                       "512 workers can be exported",
                       std::invalid_argument);
}

TEST_CASE("a SimGrid platform whose route passes a host that the cluster leaves out is rejected") {
  const std::string spare = "<host id=\"c\" speed=\"1Gf\"/>\n" + link("c -&gt; s") + link("s -&gt; c");
  CHECK(error_of_zone(all_links + spare + route_forth + route_back) == "no error");
  CHECK(error_of_zone(all_links + spare + route("a", "b", {"a -> s", "s -> c", "c -> s", "s -> b"})) ==
        "platform.xml:11: the route passes through c, which is not part of the cluster");
  CHECK(error_of_zone(all_links + spare + route("a", "b", {"c -> s", "s -> b"})) ==
        "platform.xml:11: link \"c -> s\" does not begin at a, which the route has reached" +
            where_graphml_helps);
}

TEST_CASE("parallel links of a SimGrid platform are matched by name, whatever their numbers") {
  const std::string third = link("a -&gt; s #3") + link("s -&gt; a #3");
  CHECK(error_of_zone(all_links + third + route("a", "b", {"a -> s #3", "s -> b"}) + route_back) ==
        "no error");
  CHECK(error_of_zone(all_links + third + route("a", "b", {"a -> s #2", "s -> b"}) + route_back) ==
        "platform.xml:10: there is no link \"a -> s #2\"");
}

TEST_CASE("a choice among paths is refused where a SimGrid platform gives the routes") {
  const ScratchFolder folder;
  const std::string path =
      folder.write("platform.xml", platform(all_links + route_forth + route_back)).string();
  for (const PathChoice choice : {PathChoice::destination, PathChoice::worker}) {
    ClusterOptions options = cluster_of(2, FileNetworkOptions{.path = path});
    options.network.path_choice = choice;
    CHECK_THROWS_WITH_AS(build_network(options),
                         "path_choice has no effect, as the file gives every route; remove it",
                         std::invalid_argument);
  }
  ClusterOptions options = cluster_of(2, FileNetworkOptions{.path = path});
  options.network.hash_seed = 1;
  CHECK_THROWS_WITH_AS(build_network(options),
                       "hash_seed has no effect, as the file gives every route; remove it",
                       std::invalid_argument);
}

TEST_CASE("links of a SimGrid platform that are not shared or change over time are refused") {
  const auto error_of_first_link = [](const std::string& attribute) {
    std::string links = all_links;
    links.replace(links.find("/>"), 0, " " + attribute);
    return error_of_zone(links + route_forth + route_back);
  };
  CHECK(error_of_first_link("sharing_policy=\"SHARED\"") == "no error");
  CHECK(error_of_first_link("sharing_policy=\"FATPIPE\"") ==
        "platform.xml:4: sharing_policy FATPIPE; expected SHARED, as messages share links");
  CHECK(error_of_first_link("sharing_policy=\"SPLITDUPLEX\"") ==
        "platform.xml:4: sharing_policy SPLITDUPLEX; expected a separate link for each direction");
  CHECK(error_of_first_link("bandwidth_file=\"b.txt\"") ==
        "platform.xml:4: bandwidth_file is not supported; expected constant bandwidth and latency");
}

TEST_CASE("errors of a platform name line and element") {
  CHECK(error_of_zone(all_links + route_forth + route_back) == "no error");
  CHECK(error_of_zone(all_links + route_forth) == "platform.xml:2: no route from b to a");
  CHECK(error_of_zone(all_links + route_forth + route_forth) ==
        "platform.xml:9: the route from a to b is a duplicate");
  CHECK(error_of_zone(all_links + route("a", "c", {})) == "platform.xml:8: there is no host c");
  CHECK(error_of_zone(all_links + route("a", "b", {"fast"})) == "platform.xml:8: there is no link \"fast\"");
  CHECK(error_of_zone(all_links + route("a", "b", {"s -> b"})) ==
        "platform.xml:8: link \"s -> b\" does not begin at a, which the route has reached" +
            where_graphml_helps);
  CHECK(error_of_zone(all_links + route("a", "b", {"a -> s"})) ==
        "platform.xml:8: the route from a to b ends at s");
  CHECK(error_of_zone(all_links + "<route src=\"a\" dst=\"b\"/>") ==
        "platform.xml:8: a route without symmetrical=\"NO\"; expected a separate route for each direction");
  CHECK(error_of_zone(link("up")) ==
        "platform.xml:4: link \"up\"; expected a name such as \"host0 -> switch0\"");
  CHECK(error_of_zone(link("a -&gt; s #one")) ==
        "platform.xml:4: link \"a -> s #one\"; expected a name such as \"host0 -> switch0\"");
  CHECK(error_of_zone(link("a -&gt; s")) ==
        "platform.xml:4: the link a -> s has no link in the opposite direction");
  CHECK(error_of_zone("<link id=\"a -&gt; s\" latency=\"0s\"/>") ==
        "platform.xml:4: <link> has no bandwidth");
  CHECK(
      error_of_zone("<link id=\"a -&gt; s\" bandwidth=\"0.001\" latency=\"0s\"/>") ==
      "platform.xml:4: a -> s: bandwidth out of range, got 0.001, expected from 1 to 1e+18 bytes per second");
  CHECK(error_of_zone("<router id=\"r\"/>") ==
        "platform.xml:4: <router> is not supported; expected host, link and route");
  CHECK(error_in("platform.xml", platform("", "Floyd"), 2) ==
        "platform.xml:2: a zone with routing Floyd; expected Full, with every route listed");
  CHECK(error_in("platform.xml", "<platform/>", 2) ==
        "platform.xml:1: expected a platform of one zone and nothing else");
}

}  // namespace
}  // namespace starling
