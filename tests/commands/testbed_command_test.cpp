#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("testbed up and testbed down refuse a command to run") {
  const Desk desk;
  const ProgramRun up = desk.starling("testbed up scenario.json -- hostname");
  CHECK(up.exit_code == 2);
  CHECK(up.error == "starling: testbed up runs no command; leave out what follows --\n");
  const ProgramRun down = desk.starling("testbed down -- hostname");
  CHECK(down.exit_code == 2);
  CHECK(down.error == "starling: testbed down runs no command; leave out what follows --\n");
}

TEST_CASE("testbed up refuses nic_link, as hosts of a testbed have one network card") {
  if (geteuid() != 0) {
    MESSAGE("not run: a testbed takes root");
    return;
  }
  const Desk desk;
  const ProgramRun run = desk.starling(
      "testbed up scenario.json --set '/cluster/nic_link={\"bandwidth\": \"1GBps\", \"latency\": 0}'");
  CHECK(run.exit_code == 2);
  CHECK(run.error ==
        "starling: scenario.json: /cluster: on a testbed hosts have one network card, without a link of its "
        "own; leave out \"nics_per_host\" and \"nic_link\"\n");
}

TEST_CASE("testbed up refuses host names that would lead to other files") {
  if (::geteuid() != 0) {
    MESSAGE("not run: a testbed takes root");
    return;
  }
  const Desk desk;
  write_file(desk.path() / "network.json", R"({"directed": false,
    "nodes": [{"id": "a", "kind": "host"}, {"id": "../../../../../../tmp/victim", "kind": "host"}],
    "links": [{"source": "a", "target": "../../../../../../tmp/victim",
               "bandwidth": "100Mbps", "latency": "50us"}]})");
  write_file(desk.path() / "named.json",
             R"({"workers": 2, "network": {"kind": "file", "path": "network.json"}})");
  const ProgramRun run = desk.starling("testbed up named.json");
  CHECK(run.exit_code == 2);
  CHECK(run.error ==
        "starling: named.json: /cluster/network: a host is named \"../../../../../../tmp/victim\"; on a "
        "testbed names of hosts are up to 63 letters, digits, \"-\", \"_\" and \".\", of which the first is "
        "a letter or a digit, but neither \"head\" nor \"localhost\", whatever their case, and no address\n");
}

TEST_CASE("testbed up refuses a placement, as its mpirun places ranks in order") {
  if (::geteuid() != 0) return;  // without root, testbed is refused before it reads the file
  const ProgramRun run = Desk().starling(
      "testbed up scenario.json --set /cluster/placement=round_robin --set /cluster/workers=2");
  CHECK(run.exit_code == 2);
  CHECK(run.error.find("/cluster/placement: on a testbed ranks are on hosts in order") != std::string::npos);
}

}  // namespace
}  // namespace starling
