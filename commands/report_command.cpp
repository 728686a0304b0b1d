#include "commands/report_command.hpp"

#include <fmt/format.h>

#include <string>

#include "analysis/report/report.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/output_place.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

void warn_of_other_version(const Report& report, const std::filesystem::path& given) {
  const std::string own = fmt::format("starling {}", version());
  for (const auto& [name, value] : report.facts)
    if (name == "written by" && value != own)
      warn(fmt::format("{}: written by {}, and this is {}: it is read as if written by this version",
                       given.string(), value, version()));
}

}  // namespace

void add_report(CommandLine& line) {
  const auto arguments = std::make_shared<ReportArguments>();
  Command report = line.add_command("report", "Make a page of charts from results");
  report.add_required_word(
      "DIR", &arguments->folder,
      "A folder that starling run, native, sweep, design, regimes or model wrote, or the result "
      "in it (result.json, sweep.sqlite, design.json, regimes.json, model.json)");
  report.add_option("--out", "FILE", &arguments->out,
                    "The page, a file that ends in .html (default: report.html in DIR)");
  add_quiet(report, arguments->is_quiet);
  report.set_footer(
      "The page is self-contained: it opens in any browser, without a network connection.\n"
      "Examples:\n"
      "  starling run scenarios/quickstart.json --links --trace --out results/first\n"
      "  starling report results/first --out first.html");
  report.does(arguments, report_command);
}

void report_command(const ReportArguments& arguments) {
  const std::filesystem::path& given = arguments.folder;
  const std::filesystem::path folder = std::filesystem::is_directory(given) ? given : given.parent_path();
  const std::filesystem::path page = arguments.out.value_or(folder / "report.html");
  check_place_of_page(page);
  const Report report = report_of(given);
  warn_of_other_version(report, given);
  write_atomically(page, report_page(report));
  report_written(page, arguments.is_quiet);
}

}  // namespace starling
