#include "testbed/hosts/mpi_launch.hpp"

#include <doctest/doctest.h>

using namespace starling;

namespace {

const TestbedState state{.supervisor = 10,
                         .init = 11,
                         .workers = 5,
                         .workers_per_host = 2,
                         .host_names = {"host0", "host1", "host2"}};

}  // namespace

TEST_CASE("mpirun starts a process for each worker, as ranks are numbered") {
  const Guest guest = mpi_launch(TestbedDirectory("default"), state, {"--timeout", "60"}, {"program", "a b"});
  CHECK(guest.command == std::vector<std::string>{"mpirun", "-np", "5", "--host", "host0:2,host1:2,host2:1",
                                                  "--map-by", "slot", "--bind-to", "none", "--timeout", "60",
                                                  "program", "a b"});
}

TEST_CASE("Data goes over the shaped network, management does not") {
  const Guest guest = mpi_launch(TestbedDirectory("default"), state, {}, {"program"});
  const auto value = [&](const std::string& name) {
    for (const auto& [known, text] : guest.environment)
      if (known == name) return text;
    return std::string("absent");
  };
  CHECK(value("OMPI_MCA_btl_tcp_if_include") == "10.77.0.0/16");
  CHECK(value("OMPI_MCA_oob_tcp_if_include") == "10.78.0.0/16");
  CHECK(value("OMPI_MCA_plm_rsh_agent") == "/run/starling-testbed/default/private/agent");
}

TEST_CASE("A testbed's state is read back as it was written") {
  const TestbedState read = parse_state(state_text(state));
  CHECK(read.supervisor == 10);
  CHECK(read.init == 11);
  CHECK(read.workers == 5);
  CHECK(read.workers_per_host == 2);
  CHECK(read.host_names == state.host_names);
  CHECK_THROWS_AS(parse_state(""), std::runtime_error);
  CHECK_THROWS_AS(parse_state("supervisor 10\ninit 11\nworkers x\n"), std::runtime_error);
}
