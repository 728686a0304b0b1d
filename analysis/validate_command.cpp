#include "analysis/validate_command.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>

#include "analysis/validation_picture.hpp"
#include "analysis/validation_report.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/output_file.hpp"
#include "scenarios/scenario_error.hpp"

namespace starling {

namespace {

std::filesystem::path file_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "validation.json";
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    throw ScenarioError({"--out", "", "there is a finished validation already, and it is never replaced",
                         file.string(), "another folder, or this one after you have moved its files away"});
  std::filesystem::create_directories(folder, error);
  if (error)
    throw ScenarioError({"--out", "", fmt::format("this folder cannot be made ({})", error.message()),
                         folder.string(), "a folder that you may write to, or a path where one can be made"});
  return file;
}

void draw(const Validation& validation, const std::filesystem::path& svg_file) {
  try {
    draw_validation(validation, svg_file);
  } catch (const std::runtime_error& error) {
    warn(fmt::format("no picture: {}", error.what()));
  }
}

}  // namespace

void validate_command(const ValidateArguments& arguments) {
  const Validation validation = compare(read_result(arguments.predicted), read_result(arguments.measured));
  for (const std::string& warning : validation.warnings) warn(warning);
  if (arguments.out) {
    const std::filesystem::path file = file_in(*arguments.out);
    draw(validation, *arguments.out / "validation.svg");
    write_atomically(file, validation_text(validation));
  }
  print_out(validation_table(validation));
  if (arguments.out && !arguments.is_quiet)
    print_error(fmt::format("\nWritten to {}\n", arguments.out->string()));
}

}  // namespace starling
