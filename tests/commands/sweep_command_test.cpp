#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "io/data_directory.hpp"
#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("sweep refuses wrong arguments, and a large sweep without --yes") {
  const Desk desk;
  const auto error = [&](const std::string& arguments) {
    const ProgramRun run = desk.starling("sweep scenario.json " + arguments);
    CHECK(run.exit_code == 2);
    return run.error;
  };
  CHECK(error("--out results") ==
        "scenario.json: nothing varies, expected --vary /json/pointer=A,B,C, --seeds N, or a study with "
        "\"vary\"\n");
  CHECK(error("--vary /seed=1,2") ==
        "starling: sweep needs --out DIR: each result is saved there as its run ends\n");
  CHECK(error("--vary /sed=1,2 --out results")
            .starts_with("--vary /sed=1: /sed: unknown key (did you mean \"seed\"?)"));
  CHECK(error("--vary /seed=1,2 --set /iterations=0 --out results")
            .starts_with("--set /iterations=0: /iterations: "));
  CHECK(error("--vary /seed=1,2 --shard 3/2 --out results") ==
        "starling: --shard: \"3/2\" is not I/N, with I from 1 to N\n");
  CHECK(error("--seeds 20000 --out results").find(" 20000 runs, about ") != std::string::npos);
  CHECK(error("--seeds 20000 --out results").ends_with("--yes runs them\n"));
  CHECK(!std::filesystem::exists(desk.path() / "results"));
}

/// Options of a sweep of four runs, of which one fails: eager_solo with three workers, not a power of two.
const std::string of_which_one_fails =
    " --vary /cluster/workers=2,3 --vary /algorithms/0/kind=allreduce,eager_solo";

TEST_CASE("A sweep with a failed run has the exit code 1, and keeps the other runs") {
  const Desk desk;
  const ProgramRun run = desk.starling("sweep scenario.json --out results" + of_which_one_fails);
  CHECK(run.exit_code == 1);
  CHECK(run.error.find("3 done, 1 failed (sweep_failed.csv)") != std::string::npos);
  CHECK(run.out.find(" runs failed, ") == std::string::npos);
  CHECK(desk.text("results/sweep.csv").find("\n2,0,") != std::string::npos);
  CHECK(desk.text("results/sweep_failed.csv").find("\n3,0,3,eager_solo,failed,") != std::string::npos);
}

TEST_CASE("sweep --json prints the varied values of each run, an empty object if only seeds vary") {
  const Desk desk;
  const ProgramRun run = desk.starling("sweep scenario.json --seeds 2 --json --jobs 1 --out results");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find(R"("combination":0,"replication":1,"values":{},"error":null,"runs":[)") !=
        std::string::npos);
}

TEST_CASE("A sweep gives the reason of several failed runs once, with their number") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "sweep scenario.json --out results --jobs 1 --seeds 2 --vary "
      "/iterations=3,4" +
      of_which_one_fails);
  CHECK(run.exit_code == 1);
  const std::string failed = "iterations=3, workers=3, kind=eager_solo: failed: ";
  const std::size_t first = run.out.find(failed);
  REQUIRE(first != std::string::npos);
  CHECK(run.out.find(": failed: ", first + failed.size()) == std::string::npos);
  const std::string reason =
      run.out.substr(first + failed.size(), run.out.find('\n', first) - first - failed.size());
  const std::string last =
      "\n4 runs failed, the first with iterations=3, workers=3, kind=eager_solo: " + reason + "\n";
  CHECK(run.out.ends_with(last));
  const ProgramRun at_once = desk.starling(
      "sweep scenario.json --out others --jobs 2 --seeds 2 --vary /iterations=3,4" + of_which_one_fails);
  CHECK(at_once.out.ends_with(last));
}

TEST_CASE("A value that is wrong in every combination is refused before anything is run") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "sweep scenario.json --vary /cluster/network/link/bandwidth=10Gbps,25Gpbs --vary /cluster/workers=2,4 "
      "--out results");
  CHECK(run.exit_code == 2);
  CHECK(run.out == "");
  CHECK(run.error.starts_with("--vary /cluster/network/link/bandwidth=\"25Gpbs\": "));
  CHECK(std::ranges::count(run.error, '\n') == 1);
  CHECK_FALSE(desk.has("results"));
}

TEST_CASE("A sweep ends with the default transports, and warns once of a host rate below links") {
  const Desk desk;
  const auto error_with = [&](const std::string& arguments) {
    return desk.starling("sweep scenario.json --jobs 1 --seeds 2 " + arguments).error;
  };
  const std::string of_hosts =
      "starling: warning: hosts transfer at most 4.700 GB/s per cable, less than its bandwidth "
      "(cluster.host_rate of nccl_tcp): faster cables change nothing (with bandwidth=50Gbps)\n";
  const std::string fast = "--vary /cluster/network/link/bandwidth=10Gbps,50Gbps,100Gbps --out ";
  const std::string others =
      "starling: warning: further combinations in which hosts use less than the bandwidth of a cable: 1\n";
  for (const char* counts : {"6 done", "0 done, 6 reused"})
    CHECK(error_with(fast + "fast") ==
          of_hosts + others + "\n" + counts +
              "\ntransport nccl_tcp, chosen as none is given\n\nWritten to fast\n");
  const std::string near = error_with("--vary /cluster/network/link/latency=4us,5us,6us --out near");
  CHECK(near.find("(nccl_ib below 10 us between hosts, otherwise nccl_tcp)") != std::string::npos);
  CHECK(
      near.find("\ntransport, chosen as none is given: nccl_ib in 1 combination, the first with latency=4us; "
                "nccl_tcp in 2 combinations, the first with latency=5us\n") != std::string::npos);
  CHECK(
      error_with("--set /cluster/transport=nccl_ib --vary /cluster/network/link/latency=2us,3us --out given")
          .find("transport") == std::string::npos);
}

TEST_CASE("sweep writes its tables, and plot draws a picture of them") {
  const Desk desk;
  const ProgramRun run = desk.starling("sweep scenario.json --vary /cluster/workers=2,4 --out results");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("workers=2: ") != std::string::npos);
  const ProgramRun quiet =
      desk.starling("sweep scenario.json --vary /cluster/workers=2,4 --jobs 1 --out quiet --quiet");
  CHECK(quiet.out.starts_with("workers=2: "));
  CHECK(quiet.error == "");
  CHECK(
      desk.text("results/sweep.csv").starts_with("combination,replication,seed,algorithm,/cluster/workers,"));
  const ProgramRun drawn = desk.starling("plot results --x /cluster/workers --out figure.svg --quiet");
  CHECK(drawn.exit_code == 0);
  CHECK(drawn.error == "");
  CHECK(desk.text("figure.svg").find("iteration time") != std::string::npos);
  CHECK(desk.starling("plot nowhere --x /cluster/workers --out figure.svg").exit_code == 2);
  CHECK(desk.starling("plot --help").out.find("--out FILE ") != std::string::npos);
  const ProgramRun none =
      desk.starling("plot results --x /cluster/workers --where /cluster/workers=5 --out none.svg");
  CHECK(none.exit_code == 2);
  CHECK(none.error.starts_with("--where: no run fulfills these conditions, got /cluster/workers=5"));
  for (const std::string full : {"full.svg", "full.png", "full.pdf"}) {
    CAPTURE(full);
    std::filesystem::create_symlink("/dev/full", desk.path() / full);
    const ProgramRun run_out = desk.starling("plot results --x /cluster/workers --out " + full);
    CHECK(run_out.exit_code == 1);
    CHECK(run_out.error.ends_with("cannot write all of " + full + ": the disk may be full\n"));
    CHECK(desk.starling("plot results --x /cluster/workers --out figure" + full.substr(4)).exit_code == 0);
  }
  const ProgramRun lost = desk.starling("plot results --x /cluster/workers --out lost/figure.svg");
  CHECK(lost.exit_code == 2);
  CHECK(lost.out == "");
  CHECK(lost.error.starts_with("lost/figure.svg: cannot be drawn: there is no such folder, got "));
  CHECK(
      desk.starling("sweep scenario.json --vary /cluster/workers=2,4,8 --out results").error.find("tables") ==
      std::string::npos);
  const ProgramRun other = desk.starling("sweep scenario.json --vary /seed=1,2 --out results");
  CHECK(other.exit_code == 2);
  CHECK(
      other.error ==
      "--out: this folder has the runs of another sweep, got results, expected another folder, or --force to "
      "replace its tables\n");
  CHECK(desk.starling("sweep scenario.json --vary /seed=1,2 --out results --force")
            .error.find("earlier runs that stay in sweep.sqlite, but are no longer in the tables: 2") !=
        std::string::npos);
}

TEST_CASE("A smaller sweep is resumed in the same folder, and its tables have only its own runs") {
  const Desk desk;
  const std::string sweep = "sweep scenario.json --out results --vary /cluster/workers=";
  CHECK(desk.starling(sweep + "2,4,8 --seeds 2").exit_code == 0);
  const ProgramRun smaller = desk.starling(sweep + "2,8");
  CHECK(smaller.exit_code == 0);
  CHECK(smaller.error.find("0 done, 2 reused") != std::string::npos);
  CHECK(smaller.error.find("stay in sweep.sqlite, but are no longer in the tables: 4") != std::string::npos);
  CHECK(desk.starling("sweep scenario.json --out small --vary /cluster/workers=2,8").exit_code == 0);
  CHECK(desk.text("results/sweep.csv") == desk.text("small/sweep.csv"));
}

TEST_CASE("A picture replaces only a picture") {
  const Desk desk;
  CHECK(desk.starling("sweep scenario.json --vary /cluster/workers=2,4 --out results --quiet").exit_code ==
        0);
  const auto refused = [](const std::string& option, const std::string& file) {
    return option + ": this file exists and is not a picture made by starling, got " + file +
           ", expected another name, or the picture to replace\n";
  };
  for (const std::string file : {"figure.svg", "figure.png", "figure.pdf"}) {
    CAPTURE(file);
    const std::string plot = "plot results --x /cluster/workers --out " + file;
    const std::string network = "network scenario.json --picture " + file;
    write_file(desk.path() / file, "<svg>of somebody else</svg>\n");
    CHECK(desk.starling(plot).exit_code == 2);
    CHECK(desk.starling(plot).error == refused("--out", file));
    CHECK(desk.starling(network).exit_code == 2);
    CHECK(desk.starling(network).error == refused("--picture", file));
    CHECK(desk.text(file) == "<svg>of somebody else</svg>\n");
    write_file(desk.path() / file, "");
    CHECK(desk.starling(plot).exit_code == 0);
    const std::string drawn = desk.text(file);
    CHECK(desk.starling(network).exit_code == 0);
    CHECK(desk.text(file) != drawn);
  }
  write_file(desk.path() / "figure.txt", "words");
  CHECK(desk.starling("plot results --x /cluster/workers --out figure.txt").error ==
        "figure.txt: pictures of this format cannot be drawn, got .txt, expected a name that ends in .svg, "
        ".png or .pdf\n");
  CHECK(desk.text("figure.txt") == "words");
}

TEST_CASE("A picture that leaves out points is drawn, with a warning") {
  const Desk desk;
  const std::string learning =
      "--set '/learning={\"task\": \"quadratic\", \"learning_rate\": 0.5, \"target_loss\": 0.05}' "
      "--set /iterations=40 --vary /learning/learning_rate=0.5,0.001 --out results --quiet";
  CHECK(desk.starling("sweep scenario.json " + learning).exit_code == 0);
  const ProgramRun plot =
      desk.starling("plot results --x /learning/learning_rate --y time_to_target_s --out figure.svg");
  CHECK(plot.exit_code == 0);
  CHECK(
      plot.error.find("starling: warning: not drawn: 2 of 4 points; of their 2 runs, 2 have no "
                      "time_to_target_s (they reached no target); the points are at learning rate 0.001\n") !=
      std::string::npos);
  CHECK(desk.has("figure.svg"));
}

TEST_CASE("A shard beyond the combinations is empty, and is merged with the others") {
  const Desk desk;
  for (const char* shard : {"1", "2", "3"}) {
    const std::string options = std::string(" --quiet --shard ") + shard + "/3 --out part" + shard;
    const ProgramRun run = desk.starling("sweep scenario.json --vary /cluster/workers=2,4" + options);
    CHECK(run.exit_code == 0);
    const bool is_empty =
        run.error.find("--shard 3/3: this shard is empty: the sweep has 2 combinations") != std::string::npos;
    CHECK(is_empty == (shard[0] == '3'));
  }
  CHECK(desk.starling("merge part1 part2 part3 --out whole").error == "\nWritten to whole\n");
  CHECK(desk.starling("sweep scenario.json --vary /cluster/workers=2,4 --out at_once").exit_code == 0);
  CHECK(desk.text("whole/sweep.csv") == desk.text("at_once/sweep.csv"));

  const ProgramRun into_part = desk.starling("merge part1 part2 --out part3/../part1");
  CHECK(into_part.exit_code == 2);
  CHECK(into_part.error ==
        "--out: this folder is one of the parts, got part3/../part1, expected another folder, for the joined "
        "sweep\n");
  CHECK(desk.starling("merge part1 part2 --out whole").error == "\nWritten to whole\n");
  CHECK(desk.starling("sweep scenario.json --vary /seed=1,2 --out other").exit_code == 0);
  CHECK(desk.starling("merge part1 part2 --out other").error ==
        "--out: this folder has the runs of another sweep, got other, expected another folder\n");
}

TEST_CASE("merge refuses a folder of another command, and parts that are refused leave no store") {
  const Desk desk;
  CHECK(desk.starling("sweep scenario.json --vary /seed=1,2 --out part --quiet").exit_code == 0);
  CHECK(desk.starling("sweep scenario.json --vary /seed=3,4 --out other --quiet").exit_code == 0);
  CHECK(desk.starling("run scenario.json --out run --quiet").exit_code == 0);
  const ProgramRun into_run = desk.starling("merge part --out run");
  CHECK(into_run.exit_code == 2);
  CHECK(into_run.error.starts_with("--out: another command's result.json is in this folder, got run"));
  CHECK_FALSE(desk.has("run/sweep.sqlite"));
  CHECK(desk.starling("merge part other --out new").error ==
        "other/sweep.sqlite: this is a part of another sweep, expected parts of one sweep\n");
  CHECK_FALSE(desk.has("new/sweep.sqlite"));
}

TEST_CASE("merge of parts with failed runs has the exit code 1") {
  const Desk desk;
  CHECK(desk.starling("sweep scenario.json --out part --quiet" + of_which_one_fails).exit_code == 1);
  const ProgramRun merged = desk.starling("merge part --out whole");
  CHECK(merged.exit_code == 1);
  CHECK(merged.error == "starling: warning: runs that failed (sweep_failed.csv): 1\n\nWritten to whole\n");
  CHECK(desk.text("whole/sweep_failed.csv") == desk.text("part/sweep_failed.csv"));
}

TEST_CASE("merge takes more parts than files may be open") {
  const Desk desk;
  CHECK(desk.starling("sweep scenario.json --vary /seed=1,2 --out part --quiet").exit_code == 0);
  std::string command = "list tasks > /dev/null; ulimit -n 40; '" STARLING_PROGRAM "' merge --out whole";
  for (int i = 0; i < 60; ++i) command += " part";
  const ProgramRun merged = desk.starling(command);
  CHECK(merged.error == "\nWritten to whole\n");
  CHECK(desk.text("whole/sweep.csv") == desk.text("part/sweep.csv"));
}

TEST_CASE("An interrupted sweep says how to resume it, and how to make tables of the finished runs") {
  const Desk desk;
  const ProgramRun run = desk.starling("--version; env --default-signal=INT '" STARLING_PROGRAM
                                       "' sweep scenario.json --vary /iterations=4,2000000 --set "
                                       "/collectives=messages --jobs 1 --out results > "
                                       "said & job=$!; while kill -0 $job && ! grep -q iterations=4: said; "
                                       "do sleep 0.05; done; kill -INT $job; "
                                       "wait $job");
  CHECK(run.exit_code == 130);
  CHECK(
      run.error.ends_with("starling: interrupted; the same command continues from here, and "
                          "starling merge results --out OTHER makes tables of the runs that have ended\n"));
  CHECK(desk.starling("merge results --out whole").error.find("missing runs, which no part contains: 1\n") !=
        std::string::npos);
  CHECK(desk.text("whole/sweep.csv").find("\n0,0,") != std::string::npos);
}

/// Whether any process has `folder` as its working directory.
bool has_processes(const std::filesystem::path& folder) {
  const std::filesystem::path real = std::filesystem::canonical(folder);
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::error_code has_ended;
    if (std::filesystem::read_symlink(process.path() / "cwd", has_ended) == real) return true;
  }
  return false;
}

TEST_CASE("Runs that exceed --run-limit fail, and are run again by a command with a longer limit") {
  const Desk desk;
  const std::string sweep =
      "sweep scenario.json --set /collectives=messages --out results --vary /iterations=";
  const std::string reason = "starling: exceeded --run-limit 1ms";
  const ProgramRun limited = desk.starling(sweep + "4,2000000 --seeds 2 --jobs 2 --run-limit 1ms");
  CHECK(limited.exit_code == 1);
  CHECK(limited.error.find("0 done, 4 failed (sweep_failed.csv)") != std::string::npos);
  CHECK(limited.out.find("4 runs failed, the first with iterations=4: " + reason + "\n") !=
        std::string::npos);
  const std::string failed = desk.text("results/sweep_failed.csv");
  for (const std::string run : {"0,0,4", "0,1,4", "1,0,2000000", "1,1,2000000"})
    CHECK(failed.find("\n" + run + ",failed," + reason + "\n") != std::string::npos);
  CHECK_FALSE(has_processes(desk.path()));
  const ProgramRun lines = desk.starling(sweep + "4 --run-limit 0.001 --json");
  CHECK(lines.exit_code == 1);
  CHECK(lines.out.find("\"error\":\"starling: exceeded --run-limit 0.001\"") != std::string::npos);
  const ProgramRun unlimited = desk.starling(sweep + "4 --seeds 2");
  CHECK(unlimited.exit_code == 0);
  CHECK(unlimited.error.find("2 done\n") != std::string::npos);
}

TEST_CASE("Runs of the same scenario count as done if one of them ended within --run-limit") {
  for (const char* late : {"1", "2"}) {
    CAPTURE(late);
    const Desk desk;
    std::filesystem::permissions(
        desk.write("bin/timeout", fmt::format("#!/bin/sh\necho >> calls\nif [ $(wc -l < calls) = {} ]; then\n"
                                              "  sleep 0.3\n  exit 124\nfi\nshift 3\nexec \"$@\"\n",
                                              late)),
        std::filesystem::perms::owner_all);
    const ProgramRun run = run_program(desk.path(),
                                       "sweep scenario.json --vary /cluster/network/link/bandwidth=10Gbps,"
                                       "1.25GBps --jobs 1 --run-limit 100ms --out results",
                                       "PATH=$PWD/bin:$PATH");
    CHECK(run.exit_code == 0);
    CHECK(run.error.find("\n2 done\n") != std::string::npos);
    CHECK(desk.text("results/sweep_failed.csv").ends_with(",status,reason\n"));
  }
}

TEST_CASE("Runs within --run-limit have the results and warnings of runs without a limit") {
  const Desk desk;
  const std::string sweep =
      "sweep scenario.json --vary /cluster/workers=3,4 --set /workload/imbalance=[] --set "
      "/cluster/transport=mpi_tcp --set '/algorithms=[{\"kind\": \"allreduce\", \"collective\": "
      "\"recursive_doubling\"}, {\"kind\": \"local_sgd\", \"period\": 2}, {\"kind\": \"wagma\"}]' ";
  for (const std::string engine : {"fair", "simgrid"}) {
    CAPTURE(engine);
    const std::string of_engine = sweep + "--set /engine=" + engine + " --jobs 1 --out " + engine;
    const ProgramRun without = desk.starling(of_engine + "_without");
    const ProgramRun within = desk.starling(of_engine + "_within --run-limit 1h");
    CAPTURE(without.error);
    CHECK(without.error.find("local_sgd repeats its pattern after 2 iterations, and 3 are counted") !=
          std::string::npos);
    CHECK(
        (without.error.find("allreduce takes 283.7 ms, which depends on the order of simultaneous events") !=
         std::string::npos) == (engine == "fair"));
    CHECK(within.exit_code == without.exit_code);
    CHECK(within.out == without.out);
    CHECK(within.error.substr(0, within.error.rfind("Written to")) ==
          without.error.substr(0, without.error.rfind("Written to")));
    for (const char* table : {"/sweep.csv", "/sweep_summary.csv", "/sweep_failed.csv"})
      CHECK(desk.text(engine + "_within" + table) == desk.text(engine + "_without" + table));
  }
}

TEST_CASE("--run-limit takes a time, and its internal command is not listed") {
  const Desk desk;
  for (const std::string limit : {"0", "600", "10minutes"}) {
    const ProgramRun run =
        desk.starling("sweep scenario.json --vary /seed=1,2 --out " + limit + " --run-limit " + limit);
    CHECK(run.exit_code == (limit == "600" ? 0 : 2));
    CHECK(run.error.starts_with("--run-limit: ") == (limit != "600"));
  }
  CHECK(desk.starling("--help").out.find("limited-run") == std::string::npos);
  CHECK(desk.starling("limited").error.find("limited-run") == std::string::npos);
}

TEST_CASE("A folder in place of a sweep's table is an error before anything is run") {
  const Desk desk;
  std::filesystem::create_directories(desk.path() / "results" / "sweep.csv");
  const ProgramRun run = desk.starling("sweep scenario.json --vary /cluster/workers=2,4 --out results");
  CHECK(run.exit_code == 2);
  CHECK(run.error ==
        "--out: a folder has the name of a table, got results/sweep.csv, expected another folder\n");
  CHECK_FALSE(desk.has("results/sweep.sqlite"));
}

TEST_CASE(
    "A sweep under simgrid needs no temporary folder, and warns of partial periods of new and reused runs") {
  const Desk desk;
  const std::string sweep =
      "sweep scenario.json --vary /cluster/workers=2,4 --set /engine=simgrid --set "
      "'/algorithms=[{\"kind\": \"local_sgd\", \"period\": 2}]' --out swept";
  const std::string without_tmp = "list tasks > /dev/null; TMPDIR=/nowhere '" STARLING_PROGRAM "' ";
  for (const char* counts : {"2 done", "0 done, 2 reused"}) {
    const ProgramRun run = desk.starling(without_tmp + sweep);
    CAPTURE(run.error);
    CHECK(run.exit_code == 0);
    CHECK(run.error.find(counts) != std::string::npos);
    CHECK(run.error.find("local_sgd repeats its pattern after 2 iterations, and 3 are counted") !=
          std::string::npos);
    CHECK(run.error.find("further means over iterations that are not whole periods: 1") != std::string::npos);
  }
}

TEST_CASE("A sweep under simgrid resolves relative paths from the folder where it was started") {
  const Desk desk;
  std::filesystem::create_directory(desk.path() / "inside");
  std::filesystem::rename(desk.path() / "scenario.json", desk.path() / "inside/scenario.json");
  std::filesystem::create_directory_symlink(data_directory(), desk.path() / "data");
  const ProgramRun run = desk.starling(
      "list tasks > /dev/null; mkdir tmp; TMPDIR=tmp STARLING_DATA=data '" STARLING_PROGRAM
      "' sweep inside/scenario.json --vary /cluster/workers=2,4 --set /engine=simgrid --out swept");
  CAPTURE(run.error);
  CHECK(run.exit_code == 0);
  CHECK(run.error.find("2 done") != std::string::npos);
}

TEST_CASE("The reason of a failed run under simgrid is its error, without its warnings") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "sweep scenario.json --vary /cluster/workers=2 --out swept --set /engine=simgrid --set "
      "/workload/compute/backward=6000s --set '/algorithms=[{\"kind\": \"local_sgd\", \"period\": 2}, "
      "{\"kind\": \"horovod\", \"cycle_time\": \"1us\"}]'");
  CHECK(run.exit_code == 1);
  const std::string failed = desk.text("swept/sweep_failed.csv");
  CHECK(std::count(failed.begin(), failed.end(), '\n') == 2);
  CHECK(failed.find("\n0,0,2,failed,starling: horovod: more than 1000000 cycles of 1e-06 s") !=
        std::string::npos);
}

TEST_CASE("A sweep that repeats failed runs keeps all other runs in its tables") {
  const Desk desk;
  const std::string sweep = "sweep scenario.json --out results" + of_which_one_fails;
  for (const char* counts : {"3 done, 1 failed", "0 done, 3 reused, 1 failed"}) {
    const ProgramRun run = desk.starling(sweep);
    CAPTURE(run.error);
    CHECK(run.exit_code == 1);
    CHECK(run.error.find(counts) != std::string::npos);
    CHECK(run.error.find("no longer in the tables") == std::string::npos);
  }
}

}  // namespace
}  // namespace starling
