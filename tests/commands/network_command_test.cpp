#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/strands/address_sanitizer.hpp"
#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("network prints tables of a scenario's network") {
  const Desk desk;
  const ProgramRun star = desk.starling("network scenario.json");
  CHECK(star.exit_code == 0);
  CHECK(star.error == "");
  CHECK(star.out ==
        "network                                                 star\n"
        "workers                                                    4\n"
        "placement                                              block\n"
        "hosts                                                      4\n"
        "switches                                                   1\n"
        "cables                                                     4\n"
        "diameter, links                                            2\n"
        "mean hops, links                                           2\n"
        "bisection bandwidth, one direction                2.500 GB/s\n"
        "shortest paths between two hosts, mean                     1\n"
        "disjoint paths between two hosts, mean  1 (64 pairs sampled)\n"
        "latency from worker 0                               10.00 us\n"
        "bandwidth from worker 0                           1.250 GB/s\n"
        "\n"
        "switches  number  cables of each  cables\n"
        "switch         1             ≤ 4       4\n"
        "\n"
        "cables          bandwidth  number  length  total length\n"
        "within a rack  1.250 GB/s       4     2 m           8 m\n"
        "\n"
        "cost                 number  USD   power\n"
        "card 10 Gbps              4  400    20 W\n"
        "switch port 10 Gbps       4  240    10 W\n"
        "copper 10 Gbps            4   84   0.8 W\n"
        "total                        724  30.8 W\n"
        "prices of the list \"assumed\"\n");

  const ProgramRun line = desk.starling(
      "network scenario.json --set '/cluster/network={\"kind\": \"line\", \"link\": {\"bandwidth\": "
      "\"10Gbps\", \"latency\": \"5us\"}}'");
  CHECK(line.out.find("cables                                                     3\n") != std::string::npos);
  CHECK(line.out.find("diameter, links                                            3\n") != std::string::npos);
  CHECK(line.out.find("bisection bandwidth, one direction                1.250 GB/s\n") != std::string::npos);
  CHECK(line.out.find("latency from worker 0                   5.000 us to 15.00 us\n") != std::string::npos);
  CHECK(line.out.find("host rate over a cable") == std::string::npos);

  const ProgramRun limited = desk.starling("network scenario.json --set /cluster/host_rate=1GBps");
  CHECK(limited.out.find("bandwidth from worker 0                           1.000 GB/s\n"
                         "host rate over a cable                    at most 1.000 GB/s\n") !=
        std::string::npos);
}

TEST_CASE("The network of a single worker has no latency and bandwidth to others") {
  const Desk desk;
  const ProgramRun run = desk.starling("network scenario.json --set /cluster/workers=1");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("diameter, links      0\n") != std::string::npos);
  CHECK(run.out.find("from worker 0") == std::string::npos);
}

TEST_CASE("A network is written in a format that the network kind file reads back") {
  const Desk desk;
  const std::string facts = desk.starling("network scenario.json").out;
  for (const std::string file : {"net.graphml", "net.xml"}) {
    const std::string format = file == "net.xml" ? "simgrid" : "graphml";
    const ProgramRun run = desk.starling("network scenario.json --export " + format + " --out " + file);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "");
    const ProgramRun again = desk.starling(
        "network scenario.json --set '/cluster/network={\"kind\": \"file\", \"path\": \"" + file + "\"}'");
    CHECK(again.error == "");
    CHECK(again.out.substr(again.out.find('\n')) == facts.substr(facts.find('\n')));
    write_file(desk.path() / (file + ".tmp"), "the user's own");
    CHECK(desk.starling("network scenario.json --export " + format + " --out " + file).exit_code == 2);
    CHECK(contents_of(desk.path() / (file + ".tmp")) == "the user's own");
  }
  const ProgramRun dot = desk.starling("network scenario.json --export dot");
  CHECK(dot.out.starts_with("graph network {\n"));
  CHECK(dot.error == "");
  CHECK(desk.starling("network scenario.json --export dot --set /cluster/goodput=0.5")
            .error.find("cluster.goodput (0.5)") != std::string::npos);
  CHECK(desk.starling("network scenario.json --export dot --set /cluster/host_rate=1GBps")
            .error.find("cluster.host_rate (1 GB/s)") != std::string::npos);
}

TEST_CASE("network refuses a placement that run refuses") {
  const Desk desk;
  const std::string many = " scenario.json --set /cluster/workers=1025 --set /cluster/placement=optimized";
  const ProgramRun network = desk.starling("network" + many);
  CHECK(network.exit_code == 2);
  CHECK(network.out == "");
  CHECK(network.error ==
        "--set /cluster/placement=optimized: /cluster/placement: placement \"optimized\" is for at most 1024 "
        "hosts, the cluster has 1025; a list of hosts has no limit\n");
  CHECK(desk.starling("run" + many).error == network.error);
}

TEST_CASE("The memory that network needs does not grow with the square of a ring's hosts") {
  if (has_address_sanitizer) return;  // AddressSanitizer needs more address space than the limit
  const Desk desk;
  // All routes from one worker of this ring take 16384²/4 link numbers: 268 MB.
  const ProgramRun run =
      desk.starling("--version; ulimit -v 150000; '" STARLING_PROGRAM
                    "' network scenario.json --set /cluster/workers=16384 --set /cluster/network/kind=ring");
  CHECK(run.error == "");
  CHECK(run.out.find(" 5.000 us to 40.96 ms\n") != std::string::npos);
}

TEST_CASE("An export says whether it includes the placement") {
  const Desk desk;
  const std::string placed = "network scenario.json --set '/cluster/placement=[3, 1, 2, 0]' --export ";
  const ProgramRun platform = desk.starling(placed + "simgrid");
  CHECK(platform.out.find("\"host3\"") < platform.out.find("\"host0\""));
  CHECK(platform.error.find("to import the file use \"placement\": \"block\"") != std::string::npos);
  CHECK(desk.starling(placed + "graphml").error.find("cluster.placement is a property of workers") !=
        std::string::npos);
  CHECK(desk.starling("network scenario.json --set /cluster/placement=block --export simgrid").error.empty());
}

TEST_CASE("network refuses unknown formats, a missing --export, and a SimGrid platform of too many routes") {
  const Desk desk;
  const std::string cards =
      " --set /cluster/workers_per_host=2 --set '/cluster/intra_host_link={\"bandwidth\": 1e10, \"latency\": "
      "0}' --set '/cluster/nic_link={\"bandwidth\": 1e9, \"latency\": 0}'";
  CHECK(desk.starling("network scenario.json --export graphml" + cards)
            .error.find("in the imported network each host has one network card") != std::string::npos);
  CHECK(desk.starling("network scenario.json --export simgrid" + cards).error.empty());
  const std::string graph =
      " --set /cluster/workers=2 --set '/cluster/network={\"kind\": \"graph\", \"hosts_forward\": false, "
      "\"cables\": [{\"from\": 0, \"to\": 1, \"link\": {\"bandwidth\": 1e9, \"latency\": 0}}]}'";
  CHECK(desk.starling("network scenario.json --export dot" + graph)
            .error.find("routes may lead through hosts") != std::string::npos);
  CHECK(desk.starling("network scenario.json --export yaml").error ==
        "starling: --export: there is no format \"yaml\"; there are graphml, dot, simgrid\n");
  const ProgramRun nowhere = desk.starling("network scenario.json --out net.dot");
  CHECK(nowhere.exit_code == 2);
  CHECK(nowhere.error == "starling: --out is the file of --export, which is missing\n");
  CHECK(desk.starling("network scenario.json --export dot --picture net.svg").exit_code == 2);
  CHECK(desk.starling("network scenario.json --export dot --json").exit_code == 2);
  const ProgramRun large =
      desk.starling("network scenario.json --export simgrid --set /cluster/workers=1000");
  CHECK(large.exit_code == 2);
  CHECK(large.error.starts_with("scenario.json: /cluster/network: simgrid: 1000 workers have"));
}

TEST_CASE("network refuses a wrong cluster") {
  const Desk desk;
  const ProgramRun run = desk.starling("network scenario.json --set /cluster/workers=0");
  CHECK(run.exit_code == 2);
  CHECK(run.error.starts_with("--set /cluster/workers=0: /cluster/workers: out of range"));
}

TEST_CASE("network prints tables or JSON and draws a picture, with prices from a list") {
  const Desk desk;
  const ProgramRun table = desk.starling("network scenario.json --picture star.svg");
  CHECK(table.exit_code == 0);
  CHECK(table.error == "");
  CHECK(table.out.starts_with("network "));
  CHECK(table.out.find("\ntotal ") != std::string::npos);
  CHECK(desk.text("star.svg").find("</svg>") != std::string::npos);
  CHECK(desk.starling("network - < scenario.json").out == desk.starling("network scenario.json").out);
  CHECK(desk.starling("network - < /dev/null").error == "stdin: is empty, expected a JSON object\n");
  const ProgramRun as_json = desk.starling("network scenario.json --json");
  CHECK(nlohmann::json::parse(as_json.out).at("hosts") == 4);

  write_file(desk.path() / "prices.json",
             R"({"name": "ours", "source": "us", "network_cards": [], "switch_ports": [], "cables": []})");
  const ProgramRun refused = desk.starling("network scenario.json --prices prices.json");
  CHECK(refused.exit_code == 2);
  CHECK(refused.error.find("the price list \"ours\" has no network cards") != std::string::npos);
  CHECK(refused.out == "");
  CHECK(desk.starling("network scenario.json --prices nowhere.json").exit_code == 2);
  const ProgramRun unknown = desk.starling("network scenario.json --picture star.gif");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.out == "");
  std::filesystem::create_directory(desk.path() / "taken.svg");
  const ProgramRun taken = desk.starling("network scenario.json --picture taken.svg");
  CHECK(taken.exit_code == 2);
  CHECK(taken.error ==
        "taken.svg: cannot be written (Is a directory), expected the name of a file in a folder that you may "
        "write to\n");
}

}  // namespace
}  // namespace starling
