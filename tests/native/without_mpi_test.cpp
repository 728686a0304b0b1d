// The program as it is where there is no MPI; every build makes it, besides the one with MPI.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/analysis/running/program.hpp"

namespace starling {
namespace {

TEST_CASE("without MPI, commands that measure exit with code 2 and tell how to get it") {
  const ScratchFolder folder;
  write_file(folder.path() / "study.json",
             R"({"cases": [{"scenario": ")" STARLING_QUICKSTART R"("}], "description": "never run"})");
  for (const std::string arguments :
       {"native '" STARLING_QUICKSTART "'", "calibrate", "validate --run study.json --out out"}) {
    CAPTURE(arguments);
    const ProgramRun run = run_program(folder.path(), arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CHECK(run.error.starts_with("starling: this starling was built without MPI"));
    CHECK(run.error.find("libopenmpi-dev") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST_CASE("without MPI, scenarios are predicted and compared, by a program that links none") {
  const ScratchFolder folder;
  for (const std::string engine : {"event", "simgrid"}) {
    const ProgramRun run =
        run_program(folder.path(), "run '" STARLING_QUICKSTART
                                   "' --set /cluster/workers=4 --set /iterations=3 --engine " +
                                       engine + " --out " + engine);
    CAPTURE(run.error);
    CHECK(run.exit_code == 0);
  }
  // As if another machine had measured it.
  std::filesystem::create_directory(folder.path() / "measured");
  REQUIRE(std::system(
              ("cd '" + folder.path().string() +
               R"(' && sed 's/"engine": "event"/"engine": "mpi"/' event/result.json > measured/result.json)")
                  .c_str()) == 0);
  const ProgramRun compared = run_program(folder.path(), "validate event measured");
  CAPTURE(compared.error);
  CHECK(compared.exit_code == 0);
  CHECK(std::system("ldd '" STARLING_PROGRAM "' | grep -q libmpi") != 0);
}

}  // namespace
}  // namespace starling
